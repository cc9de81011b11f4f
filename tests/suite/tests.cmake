# The suite's PTX is what its sources give, and what other compilers make of
# them computes the same.
set(suite ${PROJECT_SOURCE_DIR}/workloads/suite)
add_test(NAME suite.regenerate
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/regenerate.sh ${suite})
set_tests_properties(suite.regenerate PROPERTIES LABELS suite
    SKIP_RETURN_CODE 77 TIMEOUT 120)

# Each compiler with the lowest architecture it knows, and a recent one.
function(loom_other_compiler name program)
    foreach(arch ${ARGN})
        add_test(NAME suite.${name}.${arch}
            COMMAND sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/other.sh
                $<TARGET_FILE:warploom> ${suite}
                ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/verify.lua ${program}
                ${arch})
        set_tests_properties(suite.${name}.${arch} PROPERTIES LABELS suite
            TIMEOUT 300)
    endforeach()
endfunction()
foreach(version 14 16 19)
    find_program(LOOM_CLANG_${version} clang-${version})
    if(LOOM_CLANG_${version})
        loom_other_compiler(clang-${version} ${LOOM_CLANG_${version}} sm_70)
    endif()
endforeach()
find_program(LOOM_NVCC nvcc HINTS /usr/local/cuda/bin)
if(LOOM_NVCC)
    loom_other_compiler(nvcc ${LOOM_NVCC} sm_75 sm_90)
endif()
