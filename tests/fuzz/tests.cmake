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

# Kernels with loops over data: those of the suite that S-L1 was made for.
file(GLOB loom_fuzz_loops CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/workloads/suite/sl1_*/*.ptx
    ${CMAKE_CURRENT_LIST_DIR}/../data/ptx/*.ptx)
add_executable(transform_fuzz ${CMAKE_CURRENT_LIST_DIR}/transform_fuzz.c)
target_compile_definitions(transform_fuzz PRIVATE LOOM_FUZZ_MAIN)
target_link_libraries(transform_fuzz PRIVATE loom_flags loom_engine
    loom_protocols loom_hooks loom_streams workload_ptx policy_sl1 m)
add_test(NAME fuzz.transform COMMAND transform_fuzz 100 1 ${loom_fuzz_loops})
set_tests_properties(fuzz.transform PROPERTIES LABELS fuzz TIMEOUT 300)

add_executable(fatbin_fuzz ${CMAKE_CURRENT_LIST_DIR}/fatbin_fuzz.c)
target_compile_definitions(fatbin_fuzz PRIVATE LOOM_FUZZ_MAIN)
target_link_libraries(fatbin_fuzz PRIVATE loom_flags loom_engine loom_fatbin)
add_test(NAME fuzz.fatbin COMMAND fatbin_fuzz 50000 1)
set_tests_properties(fuzz.fatbin PROPERTIES LABELS fuzz TIMEOUT 300)

# The same targets for libFuzzer, which finds its inputs by coverage:
# tests/fuzz/long.sh builds and runs them.
if(LOOM_LIBFUZZER)
    foreach(name ptx_parse ptx_exec transform trace replay fatbin)
        set(part workload_ptx)
        if(name STREQUAL trace)
            set(part workload_trace)
        elseif(name STREQUAL transform)
            set(part workload_ptx policy_sl1)
        elseif(name STREQUAL replay)
            set(part "")
        elseif(name STREQUAL fatbin)
            set(part loom_fatbin)
        endif()
        add_executable(${name}_libfuzzer
            ${CMAKE_CURRENT_LIST_DIR}/${name}_fuzz.c)
        target_link_libraries(${name}_libfuzzer PRIVATE loom_flags
            loom_engine loom_protocols loom_hooks loom_streams ${part} m)
        target_link_options(${name}_libfuzzer PRIVATE -fsanitize=fuzzer)
    endforeach()
endif()
