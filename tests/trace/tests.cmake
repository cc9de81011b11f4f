# Traces: what scripts see of them, the real ones where they are, fuzzing.
add_test(NAME trace.scripts
    COMMAND warploom --unsafe ${CMAKE_CURRENT_LIST_DIR}/scripts.lua
        ${CMAKE_CURRENT_LIST_DIR}/../fuzz/corpus/trace)
# Traces of real programs do not belong in this tree; the test is skipped,
# which ctest shows, where they are not beside it.
add_test(NAME trace.real
    COMMAND warploom --unsafe ${CMAKE_CURRENT_LIST_DIR}/real.lua
        ${PROJECT_SOURCE_DIR}/../shared/traces)
# A gigabyte takes no more memory than a kilobyte.
add_test(NAME trace.large COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/large.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
set_tests_properties(trace.large PROPERTIES LABELS trace TIMEOUT 900)
set_tests_properties(trace.scripts trace.real PROPERTIES LABELS trace
    TIMEOUT 300 ENVIRONMENT WARPLOOM_PATH=${PROJECT_SOURCE_DIR}/tests/lua)
set_tests_properties(trace.real PROPERTIES SKIP_RETURN_CODE 77)

# Bounded fuzzing with any compiler: the same mutations of the same files
# each time.
file(GLOB loom_fuzz_traces CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_LIST_DIR}/../fuzz/corpus/trace/*)
add_executable(trace_fuzz ${CMAKE_CURRENT_LIST_DIR}/../fuzz/trace_fuzz.c)
target_compile_definitions(trace_fuzz PRIVATE LOOM_FUZZ_MAIN)
target_link_libraries(trace_fuzz PRIVATE loom_flags loom_engine
    loom_protocols loom_hooks loom_streams workload_trace m)
add_test(NAME fuzz.trace COMMAND trace_fuzz 500 1 ${loom_fuzz_traces})
set_tests_properties(fuzz.trace PROPERTIES LABELS fuzz TIMEOUT 300)
