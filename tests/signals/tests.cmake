# Signals at random moments, the same ones each time: to runs, sweeps and CUDA
# programs.  A hundred of each:
#   cmake --build build/release --target signals_nightly
add_executable(signal_send ${CMAKE_CURRENT_LIST_DIR}/send.c)
target_link_libraries(signal_send PRIVATE loom_flags)
add_executable(cuda_ends ${CMAKE_CURRENT_LIST_DIR}/ends.c)
target_link_libraries(cuda_ends PRIVATE loom_flags cudart_13 warploom_cuda
    PkgConfig::LZ4 PkgConfig::ZSTD)

set(here ${CMAKE_CURRENT_LIST_DIR})
set(runs sh ${here}/runs.sh $<TARGET_FILE:warploom> $<TARGET_FILE:signal_send>
    ${here})
set(sweeps sh ${here}/sweeps.sh $<TARGET_FILE:warploom>
    $<TARGET_FILE:signal_send> ${here}/../sweep/small.lua)
set(programs sh ${here}/programs.sh $<TARGET_FILE:warploom>
    $<TARGET_FILE:signal_send> ${here} $<TARGET_FILE:cuda_ends>)
if(LOOM_SANITIZE)
    set(sanitized sanitized)
endif()

add_test(NAME signals.runs COMMAND ${runs} 6)
add_test(NAME signals.sweeps COMMAND ${sweeps} 6)
add_test(NAME signals.programs COMMAND ${programs} 6 ${sanitized})
add_test(NAME signals.commands COMMAND sh ${here}/commands.sh
    $<TARGET_FILE:warploom> $<TARGET_FILE:signal_send> ${PROJECT_SOURCE_DIR})
add_test(NAME signals.printed COMMAND sh ${here}/printed.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cuda_ends>)
set_tests_properties(signals.runs signals.sweeps signals.programs
    signals.commands signals.printed PROPERTIES LABELS signals TIMEOUT 900)

add_custom_target(signals_nightly
    COMMAND ${runs} 100
    COMMAND ${sweeps} 100
    COMMAND ${programs} 100 ${sanitized}
    VERBATIM)
