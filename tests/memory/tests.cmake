# Little memory.  Sanitizers take terabytes of address space for themselves.
if(LOOM_SANITIZE)
    message(STATUS "SKIPPED: memory.limits (a sanitizer)")
else()
    add_test(NAME memory.limits COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/limits.sh
        $<TARGET_FILE:warploom> $<TARGET_FILE:cuda_api>
        ${CMAKE_CURRENT_LIST_DIR}
        ${PROJECT_SOURCE_DIR}/tests/cuda/kernels.ptx
        ${CMAKE_CURRENT_BINARY_DIR}/memory_limits)
    set_tests_properties(memory.limits PROPERTIES LABELS memory TIMEOUT 600)
endif()
