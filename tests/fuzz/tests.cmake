# Bounded fuzzing with any compiler: the same mutations of the same files
# each time.  With LOOM_SANITIZE it is worth most.
file(GLOB loom_fuzz_ptx CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_LIST_DIR}/../data/ptx/*.ptx
    ${CMAKE_CURRENT_LIST_DIR}/corpus/*.ptx)
add_executable(ptx_parse_fuzz ${CMAKE_CURRENT_LIST_DIR}/ptx_parse_fuzz.c)
target_compile_definitions(ptx_parse_fuzz PRIVATE LOOM_FUZZ_MAIN)
target_link_libraries(ptx_parse_fuzz PRIVATE loom_flags loom_engine
    loom_protocols loom_hooks loom_streams workload_ptx m)
add_test(NAME fuzz.ptx_parse COMMAND ptx_parse_fuzz 500 1 ${loom_fuzz_ptx})
set_tests_properties(fuzz.ptx_parse PROPERTIES LABELS fuzz TIMEOUT 300)

add_executable(ptx_exec_fuzz ${CMAKE_CURRENT_LIST_DIR}/ptx_exec_fuzz.c)
target_compile_definitions(ptx_exec_fuzz PRIVATE LOOM_FUZZ_MAIN)
target_link_libraries(ptx_exec_fuzz PRIVATE loom_flags loom_engine
    loom_protocols loom_hooks loom_streams workload_ptx m)
add_test(NAME fuzz.ptx_exec COMMAND ptx_exec_fuzz 400 1 ${loom_fuzz_ptx})
set_tests_properties(fuzz.ptx_exec PROPERTIES LABELS fuzz TIMEOUT 300)
