# The page of supported PTX is what the front end says of itself, and what the
# unit tests say they execute.
add_executable(ptx_coverage ${CMAKE_CURRENT_LIST_DIR}/coverage.c
    ${CMAKE_CURRENT_LIST_DIR}/ran.c)
target_link_libraries(ptx_coverage PRIVATE loom_flags loom_engine
    loom_protocols loom_hooks loom_streams workload_ptx m)
target_compile_options(ptx_coverage PRIVATE -Wno-overlength-strings)
add_test(NAME docs.ptx_coverage
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/coverage.sh
        $<TARGET_FILE:ptx_coverage> ${CMAKE_SOURCE_DIR}
        $<TARGET_FILE_DIR:ptx_coverage>)
set_tests_properties(docs.ptx_coverage PROPERTIES LABELS docs TIMEOUT 300)
