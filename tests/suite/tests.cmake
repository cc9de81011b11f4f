# The suite's PTX is what its sources give, and what other compilers make of
# them computes the same.
set(suite ${PROJECT_SOURCE_DIR}/workloads/suite)
add_test(NAME suite.regenerate
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/regenerate.sh ${suite})
set_tests_properties(suite.regenerate PROPERTIES LABELS suite
    SKIP_RETURN_CODE 77 TIMEOUT 120)

# Every workload at size tiny against the CPU, functionally and timed on the
# GTX 480; then the commands about the suite.
add_test(NAME suite.functional COMMAND warploom suite verify --quiet)
add_test(NAME suite.timed COMMAND warploom suite verify --timed --quiet)
add_test(NAME suite.commands
    COMMAND warploom --unsafe ${CMAKE_CURRENT_LIST_DIR}/commands.lua
        $<TARGET_FILE:warploom>)
set_tests_properties(suite.functional suite.timed suite.commands PROPERTIES
    LABELS suite TIMEOUT 600)

# Each compiler with low and recent architectures and versions of PTX.  One
# that is not installed is a test that is skipped, so that its absence shows.
function(loom_other_compiler name arch)
    string(REPLACE "/" "_" test "${name}")
    string(JOIN "." test suite ${test} ${arch} ${ARGN})
    find_program(LOOM_COMPILER_${name} ${name} HINTS /usr/local/cuda/bin)
    set(program ${LOOM_COMPILER_${name}})
    if(NOT program)
        set(program ${name})
    endif()
    add_test(NAME ${test}
        COMMAND sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/other.sh
            $<TARGET_FILE:warploom> ${suite}
            ${CMAKE_CURRENT_FUNCTION_LIST_DIR} ${program} ${arch} ${ARGN})
    set_tests_properties(${test} PROPERTIES LABELS suite
        SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()
loom_other_compiler(clang-14 sm_70 ptx63)
loom_other_compiler(clang-14 sm_86 ptx75)
loom_other_compiler(clang-16 sm_70 ptx63)
loom_other_compiler(clang-16 sm_90 ptx78)
loom_other_compiler(clang-19 sm_70 ptx63)
loom_other_compiler(clang-19 sm_90 ptx85)
loom_other_compiler(nvcc sm_75)
loom_other_compiler(nvcc sm_75 minified)
loom_other_compiler(nvcc sm_90)
add_custom_target(suite_nightly COMMAND ${CMAKE_COMMAND} -E env LOOM_ALL=1
    ${CMAKE_CTEST_COMMAND} -R "^suite[.](clang|nvcc)" --output-on-failure
    DEPENDS warploom VERBATIM USES_TERMINAL)
