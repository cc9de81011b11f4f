/*
 * Functions of the CUDA runtime that are not provided.  Those that launch or
 * register end the program, which would otherwise go on with results that it
 * never got; all others say their name once and answer cudaErrorNotSupported,
 * as a runtime may.  The names are those that libcudart.so.13 exports, and what
 * older ones had beside them.
 */
#include <stdio.h>

#include "cuda/runtime.h"

#define MISSING(name)                                                          \
    LOOM_CUDA(void, name, void)                                                \
    {                                                                          \
        loom_cuda_missing(#name);                                              \
    }

static int refuse(const char *name, bool *told)
{
    char text[192];

    loom_cuda_lock();
    if (!*told) {
        *told = true;
        snprintf(text, sizeof(text),
                 "the program calls %s, which is not provided "
                 "(cudaErrorNotSupported; docs/cuda.md lists what is)",
                 name);
        loom_cuda_complain(text);
    }
    loom_cuda_unlock();
    return loom_cuda_done(CUDA_NOT_SUPPORTED);
}

#define REFUSED(name)                                                          \
    LOOM_CUDA(int, name, void)                                                 \
    {                                                                          \
        static bool told;                                                      \
        return refuse(#name, &told);                                           \
    }

/* clang-format off */
MISSING(__cudaGetProcAddress)
MISSING(__cudaRegisterHostVar)
MISSING(__cudaRegisterUnifiedTable)
MISSING(cudaConfigureCall)
MISSING(cudaGetExportTable)
MISSING(cudaLaunch)
MISSING(cudaSetupArgument)

REFUSED(cudaArrayGetMemoryRequirements)
REFUSED(cudaArrayGetPlane)
REFUSED(cudaArrayGetSparseProperties)
REFUSED(cudaBindTextureToMipmappedArray)
REFUSED(cudaDestroyExternalMemory)
REFUSED(cudaDestroyExternalSemaphore)
REFUSED(cudaDeviceFlushGPUDirectRDMAWrites)
REFUSED(cudaDeviceGetHostAtomicCapabilities)
REFUSED(cudaDeviceGetNvSciSyncAttributes)
REFUSED(cudaDeviceGetP2PAtomicCapabilities)
REFUSED(cudaDeviceRegisterAsyncNotification)
REFUSED(cudaDeviceUnregisterAsyncNotification)
REFUSED(cudaEGLStreamConsumerAcquireFrame)
REFUSED(cudaEGLStreamConsumerConnect)
REFUSED(cudaEGLStreamConsumerConnectWithFlags)
REFUSED(cudaEGLStreamConsumerDisconnect)
REFUSED(cudaEGLStreamConsumerReleaseFrame)
REFUSED(cudaEGLStreamProducerConnect)
REFUSED(cudaEGLStreamProducerDisconnect)
REFUSED(cudaEGLStreamProducerPresentFrame)
REFUSED(cudaEGLStreamProducerReturnFrame)
REFUSED(cudaEventCreateFromEGLSync)
REFUSED(cudaExternalMemoryGetMappedBuffer)
REFUSED(cudaExternalMemoryGetMappedMipmappedArray)
REFUSED(cudaGLGetDevices)
REFUSED(cudaGLMapBufferObject)
REFUSED(cudaGLMapBufferObjectAsync)
REFUSED(cudaGLRegisterBufferObject)
REFUSED(cudaGLSetBufferObjectMapFlags)
REFUSED(cudaGLSetGLDevice)
REFUSED(cudaGLUnmapBufferObject)
REFUSED(cudaGLUnmapBufferObjectAsync)
REFUSED(cudaGLUnregisterBufferObject)
REFUSED(cudaGetSurfaceObjectResourceDesc)
REFUSED(cudaGetSurfaceReference)
REFUSED(cudaGetTextureObjectResourceDesc)
REFUSED(cudaGetTextureObjectResourceViewDesc)
REFUSED(cudaGetTextureObjectTextureDesc)
REFUSED(cudaGraphAddExternalSemaphoresSignalNode)
REFUSED(cudaGraphAddExternalSemaphoresWaitNode)
REFUSED(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
REFUSED(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
REFUSED(cudaGraphExternalSemaphoresSignalNodeGetParams)
REFUSED(cudaGraphExternalSemaphoresSignalNodeSetParams)
REFUSED(cudaGraphExternalSemaphoresWaitNodeGetParams)
REFUSED(cudaGraphExternalSemaphoresWaitNodeSetParams)
REFUSED(cudaGraphReleaseUserObject)
REFUSED(cudaGraphRetainUserObject)
REFUSED(cudaGraphicsEGLRegisterImage)
REFUSED(cudaGraphicsGLRegisterBuffer)
REFUSED(cudaGraphicsGLRegisterImage)
REFUSED(cudaGraphicsMapResources)
REFUSED(cudaGraphicsResourceGetMappedEglFrame)
REFUSED(cudaGraphicsResourceGetMappedMipmappedArray)
REFUSED(cudaGraphicsResourceGetMappedPointer)
REFUSED(cudaGraphicsResourceSetMapFlags)
REFUSED(cudaGraphicsSubResourceGetMappedArray)
REFUSED(cudaGraphicsUnmapResources)
REFUSED(cudaGraphicsUnregisterResource)
REFUSED(cudaGraphicsVDPAURegisterOutputSurface)
REFUSED(cudaGraphicsVDPAURegisterVideoSurface)
REFUSED(cudaImportExternalMemory)
REFUSED(cudaImportExternalSemaphore)
REFUSED(cudaIpcCloseMemHandle)
REFUSED(cudaIpcGetEventHandle)
REFUSED(cudaIpcGetMemHandle)
REFUSED(cudaIpcOpenEventHandle)
REFUSED(cudaIpcOpenMemHandle)
REFUSED(cudaLibraryGetUnifiedFunction)
REFUSED(cudaLogsCurrent)
REFUSED(cudaLogsDumpToFile)
REFUSED(cudaLogsDumpToMemory)
REFUSED(cudaLogsRegisterCallback)
REFUSED(cudaLogsUnregisterCallback)
REFUSED(cudaMemDiscardAndPrefetchBatchAsync)
REFUSED(cudaMemDiscardAndPrefetchBatchAsync_ptsz)
REFUSED(cudaMemDiscardBatchAsync)
REFUSED(cudaMemDiscardBatchAsync_ptsz)
REFUSED(cudaMemPoolExportPointer)
REFUSED(cudaMemPoolExportToShareableHandle)
REFUSED(cudaMemPoolImportFromShareableHandle)
REFUSED(cudaMemPoolImportPointer)
REFUSED(cudaMemcpy3DBatchAsync)
REFUSED(cudaMemcpy3DBatchAsync_ptsz)
REFUSED(cudaMemcpyArrayToArray)
REFUSED(cudaMemcpyArrayToArray_ptds)
REFUSED(cudaMemcpyBatchAsync)
REFUSED(cudaMemcpyBatchAsync_ptsz)
REFUSED(cudaMipmappedArrayGetMemoryRequirements)
REFUSED(cudaMipmappedArrayGetSparseProperties)
REFUSED(cudaSetDoubleForDevice)
REFUSED(cudaSetDoubleForHost)
REFUSED(cudaSignalExternalSemaphoresAsync)
REFUSED(cudaSignalExternalSemaphoresAsync_ptsz)
REFUSED(cudaUserObjectCreate)
REFUSED(cudaUserObjectRelease)
REFUSED(cudaUserObjectRetain)
REFUSED(cudaVDPAUGetDevice)
REFUSED(cudaVDPAUSetVDPAUDevice)
REFUSED(cudaWaitExternalSemaphoresAsync)
REFUSED(cudaWaitExternalSemaphoresAsync_ptsz)
/* clang-format on */
