/*
 * What stands in for NVIDIA's compilers at run time, NVRTC and nvJitLink, where
 * they are not installed: each function says once what is missing and what to
 * do, and fails.  Neither needs a GPU, so where they are they do their work
 * and `warploom cuda` leaves these aside.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "engine/base.h"

#ifndef LOOM_ABSENT_LIBRARY
#define LOOM_ABSENT_LIBRARY "libnvrtc.so" /* in the build: with its version */
#endif

#define SHOWN __attribute__((visibility("default")))

/* Numbers of nvrtcResult and nvJitLinkResult. */
enum {
    NVRTC_INTERNAL_ERROR = 11,
    NVJITLINK_INTERNAL = 6
};

static int missing(const char *name, atomic_bool *told, int error)
{
    if (!atomic_exchange(told, true)) {
        char text[500];

        snprintf(text, sizeof(text),
                 "warploom: the program calls %s of %s, NVIDIA's, which is not "
                 "installed; the call fails.  It needs no GPU: install it with "
                 "the CUDA toolkit, or its folder in LD_LIBRARY_PATH; or "
                 "compile the kernels before (nvcc -ptx) and load the PTX "
                 "(cuModuleLoad)\n",
                 name, LOOM_ABSENT_LIBRARY);
        fputs(text, stderr);
    }
    return error;
}

#define FAILS(name, error)                                                     \
    SHOWN int name(void);                                                      \
    int name(void)                                                             \
    {                                                                          \
        static atomic_bool told;                                               \
                                                                               \
        return missing(#name, &told, error);                                   \
    }

#ifndef LOOM_ABSENT_NVJITLINK
#define NVRTC(name) FAILS(nvrtc##name, NVRTC_INTERNAL_ERROR)

SHOWN const char *nvrtcGetErrorString(int error);

const char *nvrtcGetErrorString(int error)
{
    return error == 0 ? "NVRTC_SUCCESS" : "NVRTC is not installed";
}

/* clang-format off */
NVRTC(AddNameExpression)
NVRTC(CompileProgram)
NVRTC(CreateProgram)
NVRTC(DestroyProgram)
NVRTC(GetCUBIN)
NVRTC(GetCUBINSize)
NVRTC(GetLTOIR)
NVRTC(GetLTOIRSize)
NVRTC(GetLoweredName)
NVRTC(GetNVVM)
NVRTC(GetNVVMSize)
NVRTC(GetNumSupportedArchs)
NVRTC(GetOptiXIR)
NVRTC(GetOptiXIRSize)
NVRTC(GetPCHCreateStatus)
NVRTC(GetPCHHeapSize)
NVRTC(GetPCHHeapSizeRequired)
NVRTC(GetPTX)
NVRTC(GetPTXSize)
NVRTC(GetProgramLog)
NVRTC(GetProgramLogSize)
NVRTC(GetSupportedArchs)
NVRTC(SetFlowCallback)
NVRTC(SetPCHHeapSize)
NVRTC(Version)
/* clang-format on */
#else
/* Headers call functions whose names say of which release they are. */
#define OF_RELEASE(name, release)                                              \
    FAILS(__nvJitLink##name##_##release, NVJITLINK_INTERNAL)
#define OF_12(name)                                                            \
    OF_RELEASE(name, 12_0)                                                     \
    OF_RELEASE(name, 12_1)                                                     \
    OF_RELEASE(name, 12_2)                                                     \
    OF_RELEASE(name, 12_3)                                                     \
    OF_RELEASE(name, 12_4)                                                     \
    OF_RELEASE(name, 12_5)                                                     \
    OF_RELEASE(name, 12_6)                                                     \
    OF_RELEASE(name, 12_7)                                                     \
    OF_RELEASE(name, 12_8)                                                     \
    OF_RELEASE(name, 12_9)
#define OF_13(name)                                                            \
    OF_RELEASE(name, 13_0)                                                     \
    OF_RELEASE(name, 13_1)                                                     \
    OF_RELEASE(name, 13_2)
#define NVJITLINK(name)                                                        \
    FAILS(nvJitLink##name, NVJITLINK_INTERNAL)                                 \
    OF_12(name)                                                                \
    OF_13(name)

FAILS(nvJitLinkVersion, NVJITLINK_INTERNAL)
/* clang-format off */
NVJITLINK(AddData)
NVJITLINK(AddFile)
NVJITLINK(Complete)
NVJITLINK(Create)
NVJITLINK(Destroy)
NVJITLINK(GetErrorLog)
NVJITLINK(GetErrorLogSize)
NVJITLINK(GetInfoLog)
NVJITLINK(GetInfoLogSize)
NVJITLINK(GetLinkedCubin)
NVJITLINK(GetLinkedCubinSize)
NVJITLINK(GetLinkedPtx)
NVJITLINK(GetLinkedPtxSize)
/* clang-format on */
#endif
