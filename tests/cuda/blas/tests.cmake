# Libraries whose functions are kernels of ours.
set(here ${CMAKE_CURRENT_LIST_DIR})
add_library(cuda_blas_arrays OBJECT ${here}/array.c)
target_link_libraries(cuda_blas_arrays PRIVATE loom_flags)
function(loom_blas_program name)
    add_executable(cuda_blas_${name}
        ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}_test.c
        $<TARGET_OBJECTS:cuda_blas_arrays>)
    target_link_libraries(cuda_blas_${name} PRIVATE loom_flags
        -Wl,--no-as-needed cudart_13 libcublas_so_13 libcublasLt_so_13
        warploom_blas warploom_cuda m)
endfunction()
function(loom_blas_test name machine text)
    add_test(NAME cuda.blas.${name} COMMAND warploom cuda
        ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${machine}.lua --quiet
        -o ${CMAKE_CURRENT_BINARY_DIR}/cuda_blas_${name}.h5 ${ARGN})
    set_tests_properties(cuda.blas.${name} PROPERTIES LABELS cuda TIMEOUT 600
        PASS_REGULAR_EXPRESSION ${text})
    if(LOOM_SANITIZE) # each library has its own of what the shim defines
        set_tests_properties(cuda.blas.${name} PROPERTIES ENVIRONMENT
            ASAN_OPTIONS=detect_odr_violation=0)
    endif()
endfunction()

loom_blas_program(gemm)
foreach(kind f32 f64 f16 bf16 i8)
    loom_blas_test(gemm.${kind} gtx480 "^gemm ${kind} passed\n$" --functional --
        $<TARGET_FILE:cuda_blas_gemm> ${kind})
endforeach()
foreach(kind f16 bf16)
    loom_blas_test(tensor.${kind} a100 "^gemm ${kind} passed\n$" --functional --
        $<TARGET_FILE:cuda_blas_gemm> ${kind})
endforeach()
loom_blas_test(names gtx480 "^gemm names passed\n$" --
    $<TARGET_FILE:cuda_blas_gemm> names)

loom_blas_program(vector)
foreach(case vectors long matrix triangles)
    loom_blas_test(${case} gtx480 "^${case} passed\n$" --functional --
        $<TARGET_FILE:cuda_blas_vector> ${case})
endforeach()

loom_blas_program(legacy)
loom_blas_test(legacy gtx480 "^legacy passed\n$" --functional --
    $<TARGET_FILE:cuda_blas_legacy>)

loom_blas_program(typed)
loom_blas_test(typed gtx480 "cublasDotEx, which is not supported: \
elements.*cublasNrm2Ex.*cublasScalEx.*typed passed\n$" --functional --
    $<TARGET_FILE:cuda_blas_typed>)

foreach(kind structured lu)
    loom_blas_program(${kind})
    target_sources(cuda_blas_${kind} PRIVATE ${here}/structured.c)
endforeach()
foreach(case products packed in_place)
    loom_blas_test(${case} gtx480 "^${case} passed\n$" --functional --
        $<TARGET_FILE:cuda_blas_structured> ${case})
endforeach()
foreach(case lu rotations batches)
    loom_blas_test(${case} gtx480 "^${case} passed\n$" --functional --
        $<TARGET_FILE:cuda_blas_lu> ${case})
endforeach()

loom_blas_program(lt)
foreach(type f32 f16)
    loom_blas_test(lt.${type} gtx480 "^lt ${type} passed\n$" --functional --
        $<TARGET_FILE:cuda_blas_lt> ${type})
endforeach()
loom_blas_test(lt.bf16 a100 "^lt bf16 passed\n$" --functional --
    $<TARGET_FILE:cuda_blas_lt> bf16)
loom_blas_test(lt.refused gtx480 "scales of matrices.*masks of bits.*lt \
refused passed\n$" --functional -- $<TARGET_FILE:cuda_blas_lt> refused)

loom_blas_program(errors)
loom_blas_test(errors gtx480 "cublasGemmEx, which is not supported: types A \
28.*cublasCherk_v2, which is not supported[^\n]*\nerrors passed" --functional
    -- $<TARGET_FILE:cuda_blas_errors>)

# Functions of the libraries appear as kernels in results.
add_test(NAME cuda.blas.results COMMAND sh ${here}/results.sh
    $<TARGET_FILE:warploom> ${here} $<TARGET_FILE:cuda_blas_gemm>)
set_tests_properties(cuda.blas.results PROPERTIES LABELS cuda TIMEOUT 300)

# Libraries that have no stand-in.
add_library(cuda_blas_cufft SHARED ${here}/absent_test.c)
target_compile_definitions(cuda_blas_cufft PRIVATE TEST_LIBRARY)
target_link_libraries(cuda_blas_cufft PRIVATE loom_flags)
target_link_options(cuda_blas_cufft PRIVATE LINKER:-soname,libcufft.so.99)
set_target_properties(cuda_blas_cufft PROPERTIES NO_SONAME ON)
add_executable(cuda_blas_absent ${here}/absent_test.c)
target_link_libraries(cuda_blas_absent PRIVATE loom_flags cuda_blas_cufft)
set_target_properties(cuda_blas_absent PROPERTIES SKIP_BUILD_RPATH ON)
if(LOOM_SANITIZE)
    loom_cuda_skipped(blas.absent
        "their run-time systems must be in a program from its start")
else()
    add_test(NAME cuda.blas.absent COMMAND sh ${here}/absent.sh
        $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR}
        $<TARGET_FILE:cuda_blas_absent> $<TARGET_FILE:cuda_blas_cufft>)
    set_tests_properties(cuda.blas.absent PROPERTIES LABELS cuda TIMEOUT 300)
endif()
