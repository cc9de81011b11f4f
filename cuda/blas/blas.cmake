# Libraries whose functions are kernels of ours (docs/cuda-libraries.md).  The
# functions are in one, without versions; what programs are linked with needs it.
set(LOOM_BLAS "")
function(loom_kernel_library name kernels)
    set(here ${PROJECT_SOURCE_DIR}/cuda)
    add_library(${name} SHARED ${ARGN})
    target_link_libraries(${name} PRIVATE loom_flags warploom_cuda)
    target_compile_definitions(${name} PRIVATE
        LOOM_KERNELS="${here}/${kernels}/kernels")
    target_link_options(${name} PRIVATE
        LINKER:--version-script=${here}/${kernels}/exports.map
        LINKER:-z,defs LINKER:-Bsymbolic)
    set_target_properties(${name} PROPERTIES
        LINK_DEPENDS ${here}/${kernels}/exports.map
        BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "$ORIGIN")
    # What is in it is read by the assembler.
    file(GLOB ptx CONFIGURE_DEPENDS ${here}/${kernels}/kernels/*.ptx)
    set_source_files_properties(${here}/${kernels}/kernels.c PROPERTIES
        OBJECT_DEPENDS "${ptx}")
    set(LOOM_BLAS ${LOOM_BLAS} ${name} PARENT_SCOPE)
endfunction()
function(loom_named_library library version needed)
    set(name ${library}.so.${version})
    set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
    file(CONFIGURE OUTPUT ${map}
        CONTENT "${name} { global: warploom_library_version; };\n")
    string(MAKE_C_IDENTIFIER ${name} target)
    add_library(${target} SHARED blas/shim.c)
    target_compile_definitions(${target} PRIVATE
        LOOM_LIBRARY_VERSION=${version})
    target_link_libraries(${target} PRIVATE loom_flags
        -Wl,--no-as-needed ${needed})
    target_link_options(${target} PRIVATE
        LINKER:--version-script=${map} LINKER:-soname,${name})
    set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ""
        OUTPUT_NAME ${name} NO_SONAME ON LINK_DEPENDS ${map}
        BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "$ORIGIN")
    set(LOOM_BLAS ${LOOM_BLAS} ${target} PARENT_SCOPE)
endfunction()

loom_kernel_library(warploom_blas blas blas/gemm.c blas/gemm_calls.c
    blas/handle.c blas/kernels.c blas/legacy.c blas/lt.c blas/lt_matmul.c
    blas/lu.c blas/matrix.c blas/missing.c blas/missing64.c blas/rotate.c
    blas/structured.c blas/transfer.c blas/vector.c)
foreach(version 11 12 13)
    loom_named_library(libcublas ${version} warploom_blas)
    loom_named_library(libcublasLt ${version} warploom_blas)
endforeach()

loom_kernel_library(warploom_rand rand rand/generate.c rand/generator.c
    rand/jumps.c rand/kernels.c)
loom_named_library(libcurand 10 warploom_rand)
