# cuRAND, whose functions are kernels of ours.
add_executable(cuda_rand ${CMAKE_CURRENT_LIST_DIR}/rand_test.c)
target_link_libraries(cuda_rand PRIVATE loom_flags -Wl,--no-as-needed cudart_13
    libcurand_so_10 warploom_rand warploom_cuda m)
function(loom_rand_test case text)
    add_test(NAME cuda.rand.${case} COMMAND warploom cuda
        ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../blas/gtx480.lua --quiet
        --functional -o ${CMAKE_CURRENT_BINARY_DIR}/cuda_rand_${case}.h5
        -- $<TARGET_FILE:cuda_rand> ${case})
    set_tests_properties(cuda.rand.${case} PROPERTIES LABELS cuda TIMEOUT 600
        PASS_REGULAR_EXPRESSION ${text})
endfunction()
loom_rand_test(sequences "^sequences passed\n$")
loom_rand_test(statistics "^statistics passed\n$")
loom_rand_test(calls "ORDERING_PSEUDO_SEEDED.*GeneratorDimensions.*quasirandom \
numbers.*MTGP32.*calls passed\n$")
add_test(NAME cuda.rand.same COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/same.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(cuda.rand.same PROPERTIES LABELS cuda TIMEOUT 600
    SKIP_RETURN_CODE 77)
