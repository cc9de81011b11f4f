/*
 * Our cudaDeviceProp, and the enumerations of cuda/abi.h, against the headers
 * of the CUDA that nvcc comes with.
 */
#include <cstddef>

#include "../../../cuda/properties.h"
#include "host.h"

#if CUDART_VERSION >= 13000
typedef cuda_properties properties;
#else
typedef cuda_properties_12 properties;
#endif
#define SAME(theirs, ours)                                                     \
    static_assert(                                                             \
        offsetof(cudaDeviceProp, theirs) == offsetof(properties, ours) &&      \
            sizeof(cudaDeviceProp::theirs) == sizeof(properties::ours),        \
        #theirs)
SAME(uuid, uuid);
SAME(luidDeviceNodeMask, luid_node_mask);
SAME(totalGlobalMem, global_bytes);
SAME(regsPerBlock, regs_per_block);
SAME(memPitch, max_pitch);
SAME(maxThreadsDim, max_block);
SAME(maxGridSize, max_grid);
SAME(totalConstMem, constant_bytes);
SAME(minor, minor);
SAME(texturePitchAlignment, texture_pitch_alignment);
SAME(multiProcessorCount, sms);
SAME(integrated, integrated);
SAME(maxTexture1DMipmap, texture_1d_mipmap);
SAME(maxTexture3DAlt, texture_3d_alt);
SAME(maxSurfaceCubemapLayered, surface_cube_layered);
SAME(surfaceAlignment, surface_alignment);
SAME(asyncEngineCount, copy_engines);
SAME(memoryBusWidth, bus_width);
SAME(maxThreadsPerMultiProcessor, threads_per_sm);
SAME(sharedMemPerMultiprocessor, shared_per_sm);
SAME(regsPerMultiprocessor, regs_per_sm);
SAME(hostNativeAtomicSupported, host_atomics);
SAME(cooperativeLaunch, cooperative);
SAME(sharedMemPerBlockOptin, shared_per_block_optin);
SAME(maxBlocksPerMultiProcessor, blocks_per_sm);
SAME(reservedSharedMemPerBlock, reserved_shared);
SAME(hostRegisterSupported, host_register);
SAME(memoryPoolSupportedHandleTypes, pool_handle_types);
SAME(unifiedFunctionPointers, unified_functions);
static_assert(sizeof(cudaDeviceProp) == sizeof(properties), "size");

int main()
{
    cudaDeviceProp p;

    CHECK(cudaGetDeviceProperties(&p, 0));
    std::vector<int> got = {p.multiProcessorCount, p.warpSize,
                            p.maxThreadsPerMultiProcessor,
                            p.regsPerMultiprocessor};
    return compare(got, {15, 32, 1536, 32768});
}
