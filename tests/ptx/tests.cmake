# The page of supported PTX is what the front end says of itself.
add_executable(ptx_coverage ${CMAKE_CURRENT_LIST_DIR}/coverage.c)
target_link_libraries(ptx_coverage PRIVATE loom_flags loom_engine
    loom_protocols loom_hooks loom_streams workload_ptx m)
target_compile_options(ptx_coverage PRIVATE -Wno-overlength-strings)
add_test(NAME docs.ptx_coverage COMMAND ptx_coverage ${CMAKE_SOURCE_DIR}
    --check)
set_tests_properties(docs.ptx_coverage PROPERTIES LABELS docs TIMEOUT 300)
