# Recording and replay: the same numbers, on two machines; listings; damage.
foreach(kernel atax bfs gemm reduction)
    add_test(NAME record.${kernel}
        COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/replay.sh
            $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR} ${kernel})
endforeach()
foreach(kernel atax bfs bicg gemm reduction vectoradd micro_alu micro_atomic
    micro_chase micro_const micro_shared micro_stream micro_stride
    micro_ways)
    add_test(NAME record.suite.${kernel}
        COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/suite.sh
            $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR} ${kernel})
    set_tests_properties(record.suite.${kernel} PROPERTIES LABELS record
        TIMEOUT 300)
endforeach()
add_test(NAME record.damage COMMAND warploom --unsafe
    ${CMAKE_CURRENT_LIST_DIR}/damage.lua ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(record.damage PROPERTIES LABELS record TIMEOUT 600)
# Every byte, not every third.
add_custom_target(damage_nightly COMMAND warploom --unsafe
    ${CMAKE_CURRENT_LIST_DIR}/damage.lua ${CMAKE_CURRENT_BINARY_DIR} 1
    COMMAND sh ${PROJECT_SOURCE_DIR}/tests/look/damaged.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} 40
    DEPENDS warploom VERBATIM USES_TERMINAL)
add_test(NAME record.commands
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/commands.sh
        $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
set_tests_properties(record.atax record.bfs record.gemm record.reduction
    record.commands PROPERTIES LABELS record TIMEOUT 300)

# Bounded fuzzing of the reader with any compiler; with LOOM_SANITIZE it is
# worth most.
add_executable(replay_fuzz ${CMAKE_CURRENT_LIST_DIR}/../fuzz/replay_fuzz.c)
target_compile_definitions(replay_fuzz PRIVATE LOOM_FUZZ_MAIN)
target_link_libraries(replay_fuzz PRIVATE loom_flags loom_engine
    loom_protocols loom_hooks loom_streams m)
add_test(NAME fuzz.replay COMMAND replay_fuzz 2000 1)
set_tests_properties(fuzz.replay PROPERTIES LABELS fuzz TIMEOUT 300)

# Streams in the order of a schedule: the same results and another time.
foreach(kernel conv3d bfs reduction)
    add_test(NAME record.scheduled.${kernel}
        COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/scheduled.sh
            $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR} ${kernel})
    set_tests_properties(record.scheduled.${kernel} PROPERTIES LABELS record
        TIMEOUT 300)
endforeach()
