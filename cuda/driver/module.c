/*
 * Modules, libraries, and what programs ask of their kernels.  A library is a
 * module that needs no context; a CUkernel is a CUfunction.
 */
#include <string.h>

#include "cuda/driver/driver.h"

static const struct loom_cuda_jit no_options;

LOOM_CUDA(int, cuModuleLoadData, struct loom_cuda_image **module,
          const void *data)
{
    return LOOM_DRIVEN(loom_cuda_module(module, data, no_options));
}

LOOM_CUDA(int, cuModuleLoadDataEx, struct loom_cuda_image **module,
          const void *data, unsigned options, const int *option, void **value)
{
    return LOOM_DRIVEN(loom_cuda_module(
        module, data, (struct loom_cuda_jit){option, value, options}));
}

LOOM_CUDA(int, cuModuleLoadFatBinary, struct loom_cuda_image **module,
          const void *data)
{
    return LOOM_DRIVEN(loom_cuda_module(module, data, no_options));
}

LOOM_CUDA(int, cuModuleLoad, struct loom_cuda_image **module, const char *path)
{
    return LOOM_DRIVEN(loom_cuda_module_file(module, path, no_options));
}

LOOM_CUDA(int, cuModuleUnload, struct loom_cuda_image *module)
{
    loom_driver_forget_references(module);
    return LOOM_DRIVEN(cudaLibraryUnload(module));
}

LOOM_CUDA(int, cuModuleGetFunction, const void **kernel,
          struct loom_cuda_image *module, const char *name)
{
    return LOOM_DRIVEN(cudaLibraryGetKernel(kernel, module, name));
}

LOOM_CUDA(int, cuModuleGetFunctionCount, unsigned *count,
          struct loom_cuda_image *module)
{
    return LOOM_DRIVEN(cudaLibraryGetKernelCount(count, module));
}

LOOM_CUDA(int, cuModuleEnumerateFunctions, const void **kernel, unsigned room,
          struct loom_cuda_image *module)
{
    return LOOM_DRIVEN(cudaLibraryEnumerateKernels(kernel, room, module));
}

LOOM_CUDA(int, cuModuleGetGlobal_v2, uint64_t *at, size_t *bytes,
          struct loom_cuda_image *module, const char *name)
{
    return LOOM_DRIVEN(
        cudaLibraryGetGlobal((void **)(void *)at, bytes, module, name));
}

/* Modules are loaded when the program says so. */
LOOM_CUDA(int, cuModuleGetLoadingMode, int *mode)
{
    *mode = 1;
    return LOOM_DRIVEN_BARE(CUDA_OK);
}

/* ---- libraries ---- */

LOOM_CUDA(int, cuLibraryLoadData, struct loom_cuda_image **library,
          const void *data, const int *option, void **value, unsigned options,
          const int *library_option, void **library_value,
          unsigned library_options)
{
    (void)library_option, (void)library_value, (void)library_options;
    return LOOM_DRIVEN_BARE(loom_cuda_module(
        library, data, (struct loom_cuda_jit){option, value, options}));
}

LOOM_CUDA(int, cuLibraryLoadFromFile, struct loom_cuda_image **library,
          const char *path, const int *option, void **value, unsigned options,
          const int *library_option, void **library_value,
          unsigned library_options)
{
    (void)library_option, (void)library_value, (void)library_options;
    return LOOM_DRIVEN_BARE(loom_cuda_module_file(
        library, path, (struct loom_cuda_jit){option, value, options}));
}

LOOM_CUDA(int, cuLibraryUnload, struct loom_cuda_image *library)
{
    loom_driver_forget_references(library);
    return LOOM_DRIVEN_BARE(cudaLibraryUnload(library));
}

LOOM_CUDA(int, cuLibraryGetKernel, const void **kernel,
          struct loom_cuda_image *library, const char *name)
{
    return LOOM_DRIVEN_BARE(cudaLibraryGetKernel(kernel, library, name));
}

LOOM_CUDA(int, cuLibraryGetKernelCount, unsigned *count,
          struct loom_cuda_image *library)
{
    return LOOM_DRIVEN_BARE(cudaLibraryGetKernelCount(count, library));
}

LOOM_CUDA(int, cuLibraryEnumerateKernels, const void **kernel, unsigned room,
          struct loom_cuda_image *library)
{
    return LOOM_DRIVEN_BARE(cudaLibraryEnumerateKernels(kernel, room, library));
}

static int module_of(struct loom_cuda_image **module,
                     struct loom_cuda_image *library)
{
    bool there;

    loom_cuda_lock();
    there = loom_cuda_image_is_there(library);
    loom_cuda_unlock();
    *module = there ? library : NULL;
    return there ? CUDA_OK : CUDA_INVALID_HANDLE;
}

LOOM_CUDA(int, cuLibraryGetModule, struct loom_cuda_image **module,
          struct loom_cuda_image *library)
{
    return LOOM_DRIVEN(module_of(module, library));
}

LOOM_CUDA(int, cuLibraryGetGlobal, uint64_t *at, size_t *bytes,
          struct loom_cuda_image *library, const char *name)
{
    return LOOM_DRIVEN(
        cudaLibraryGetGlobal((void **)(void *)at, bytes, library, name));
}

LOOM_CUDA(int, cuLibraryGetManaged, uint64_t *at, size_t *bytes,
          struct loom_cuda_image *library, const char *name)
{
    return LOOM_DRIVEN(
        cudaLibraryGetManaged((void **)(void *)at, bytes, library, name));
}

/* ---- kernels ---- */

static int image_of(const void *kernel, struct loom_cuda_image **image)
{
    struct loom_cuda_kernel *found;
    int error;

    loom_cuda_lock();
    error = loom_cuda_find_kernel(kernel, &found);
    if (error == CUDA_OK && image != NULL) {
        *image = found->image;
    }
    loom_cuda_unlock();
    return error;
}

static int same(const void *kernel, const void **function)
{
    *function = kernel;
    return image_of(kernel, NULL);
}

LOOM_CUDA(int, cuKernelGetFunction, const void **function, const void *kernel)
{
    return LOOM_DRIVEN(same(kernel, function));
}

LOOM_CUDA(int, cuKernelGetLibrary, struct loom_cuda_image **library,
          const void *kernel)
{
    return LOOM_DRIVEN_BARE(image_of(kernel, library));
}

LOOM_CUDA(int, cuFuncGetModule, struct loom_cuda_image **module,
          const void *kernel)
{
    return LOOM_DRIVEN(image_of(kernel, module));
}

LOOM_CUDA(int, cuFuncGetName, const char **name, const void *kernel)
{
    return LOOM_DRIVEN(cudaFuncGetName(name, kernel));
}

LOOM_CUDA(int, cuKernelGetName, const char **name, const void *kernel)
{
    return LOOM_DRIVEN_BARE(cudaFuncGetName(name, kernel));
}

LOOM_CUDA(int, cuFuncGetParamInfo, const void *kernel, size_t number,
          size_t *offset, size_t *bytes)
{
    return LOOM_DRIVEN(cudaFuncGetParamInfo(kernel, number, offset, bytes));
}

LOOM_CUDA(int, cuKernelGetParamInfo, const void *kernel, size_t number,
          size_t *offset, size_t *bytes)
{
    return LOOM_DRIVEN_BARE(
        cudaFuncGetParamInfo(kernel, number, offset, bytes));
}

LOOM_CUDA(int, cuFuncIsLoaded, int *state, const void *kernel)
{
    *state = 1;
    return LOOM_DRIVEN(image_of(kernel, NULL));
}

LOOM_CUDA(int, cuFuncLoad, const void *kernel)
{
    return LOOM_DRIVEN(image_of(kernel, NULL));
}

/* In the order of CUfunction_attribute. */
static int attribute_of(int *value, int number, const void *kernel)
{
    struct cuda_function_attributes f;
    int error = cudaFuncGetAttributes(&f, kernel);

    if (value == NULL || number < 0 || number > 15) {
        return CUDA_INVALID_VALUE;
    }
    if (error == CUDA_OK) {
        int list[16] = {
            f.max_threads,      (int)f.shared_bytes, (int)f.constant_bytes,
            (int)f.local_bytes, f.registers,         f.ptx_version,
            f.binary_version,   f.cache_ca,          f.max_dynamic_shared,
            f.carveout,         f.cluster[0],        f.cluster[1],
            f.cluster[2],       f.cluster[3],        f.cluster[5],
            f.cluster[4]};

        *value = list[number];
    }
    return error;
}

LOOM_CUDA(int, cuFuncGetAttribute, int *value, int number, const void *kernel)
{
    return LOOM_DRIVEN(attribute_of(value, number, kernel));
}

LOOM_CUDA(int, cuKernelGetAttribute, int *value, int number, const void *kernel,
          int device)
{
    return LOOM_DRIVEN_BARE(loom_cuda_is_device(device)
                                ? attribute_of(value, number, kernel)
                                : CUDA_INVALID_DEVICE);
}

LOOM_CUDA(int, cuFuncSetAttribute, const void *kernel, int number, int value)
{
    return LOOM_DRIVEN(cudaFuncSetAttribute(kernel, number, value));
}

LOOM_CUDA(int, cuKernelSetAttribute, int number, int value, const void *kernel,
          int device)
{
    return LOOM_DRIVEN_BARE(loom_cuda_is_device(device)
                                ? cudaFuncSetAttribute(kernel, number, value)
                                : CUDA_INVALID_DEVICE);
}

LOOM_CUDA(int, cuFuncSetCacheConfig, const void *kernel, int config)
{
    return LOOM_DRIVEN(cudaFuncSetCacheConfig(kernel, config));
}

LOOM_CUDA(int, cuKernelSetCacheConfig, const void *kernel, int config,
          int device)
{
    return LOOM_DRIVEN_BARE(loom_cuda_is_device(device)
                                ? cudaFuncSetCacheConfig(kernel, config)
                                : CUDA_INVALID_DEVICE);
}

LOOM_CUDA(int, cuFuncSetSharedMemConfig, const void *kernel, int config)
{
    return LOOM_DRIVEN(cudaFuncSetSharedMemConfig(kernel, config));
}
