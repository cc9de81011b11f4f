# Failures of the C library and the kernel, by a library that is preloaded: a
# bounded sample here, every one of the smallest run by the target
# `fault_nightly` (two hundred thousand runs).  Sanitizers want to be the first
# library themselves.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT LOOM_SANITIZE)
    add_library(fault SHARED ${CMAKE_CURRENT_LIST_DIR}/fault.c)
    set_target_properties(fault PROPERTIES C_EXTENSIONS ON
        INTERPROCEDURAL_OPTIMIZATION OFF)
    target_compile_options(fault PRIVATE -std=gnu17 -O1 -fno-builtin)
    add_executable(fault_quick ${CMAKE_CURRENT_LIST_DIR}/quick.c)
    set_target_properties(fault_quick PROPERTIES C_EXTENSIONS ON)
    target_link_libraries(fault_quick PRIVATE loom_flags)
    add_test(NAME fault.calls COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/fault.sh
        $<TARGET_FILE:warploom> $<TARGET_FILE:fault>
        $<TARGET_FILE:fault_quick>
        ${CMAKE_CURRENT_LIST_DIR} 40)
    set_tests_properties(fault.calls PROPERTIES LABELS fault TIMEOUT 1500
        PROCESSORS 2 COST 100 SKIP_RETURN_CODE 77)
    set(calls sh ${CMAKE_CURRENT_LIST_DIR}/fault.sh $<TARGET_FILE:warploom>
        $<TARGET_FILE:fault> $<TARGET_FILE:fault_quick>
        ${CMAKE_CURRENT_LIST_DIR})
    # A sample of all commands with a GPU's results.
    add_custom_target(fault_large_nightly COMMAND ${CMAKE_COMMAND} -E env
        LOOM_FAULT_LARGE=1 ${calls} 40
        DEPENDS warploom fault fault_quick VERBATIM USES_TERMINAL)
    add_custom_target(fault_nightly COMMAND ${calls} all
        DEPENDS warploom fault fault_quick USES_TERMINAL)
else()
    message(STATUS "SKIPPED: fault.calls (a sanitizer, or no x86-64)")
endif()

# Disks that are full.
add_test(NAME fault.full COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/full.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
set_tests_properties(fault.full PROPERTIES LABELS fault TIMEOUT 600)
