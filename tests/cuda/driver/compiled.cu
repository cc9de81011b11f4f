/*
 * A program that compiles its kernel when it runs, with NVRTC, which needs no
 * GPU, for the capability that the device says it has.
 */
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <nvrtc.h>
#include <string>

static const char source[] =
    "template <typename T> __global__ void square(T *to, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) to[i] = to[i] * to[i];\n"
    "}\n";

static void check(int result, const char *what)
{
    if (result != 0) {
        printf("FAILED: %s: %d\n", what, result);
        exit(1);
    }
}
#define CHECK(call) check((int)(call), #call)

/* Its name in the PTX, which is mangled, in `name`. */
static std::string compile(CUdevice device, std::string *name)
{
    nvrtcProgram program;
    std::string ptx, option = "--gpu-architecture=compute_";
    const char *lowered, *options[1];
    size_t bytes;
    int major, minor;

    CHECK(cuDeviceGetAttribute(
        &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(cuDeviceGetAttribute(
        &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    option += std::to_string(major) + std::to_string(minor);
    options[0] = option.c_str();
    CHECK(nvrtcCreateProgram(&program, source, "square.cu", 0, NULL, NULL));
    CHECK(nvrtcAddNameExpression(program, "square<float>"));
    CHECK(nvrtcCompileProgram(program, 1, options));
    CHECK(nvrtcGetLoweredName(program, "square<float>", &lowered));
    *name = lowered;
    CHECK(nvrtcGetPTXSize(program, &bytes));
    ptx.resize(bytes);
    CHECK(nvrtcGetPTX(program, &ptx[0]));
    CHECK(nvrtcDestroyProgram(&program));
    return ptx;
}

int main(void)
{
    float values[100];
    int n = 100;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr at;
    std::string name, ptx;

    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    ptx = compile(device, &name);
    CHECK(cuModuleLoadData(&module, ptx.c_str()));
    CHECK(cuModuleGetFunction(&function, module, name.c_str()));
    for (int i = 0; i < n; i++) {
        values[i] = (float)i;
    }
    CHECK(cuMemAlloc(&at, sizeof(values)));
    CHECK(cuMemcpyHtoD(at, values, sizeof(values)));
    void *args[] = {&at, &n};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    CHECK(cuMemcpyDtoH(values, at, sizeof(values)));
    for (int i = 0; i < n; i++) {
        if (values[i] != (float)(i * i)) {
            printf("FAILED: %d: %f\n", i, values[i]);
            return 1;
        }
    }
    printf("PASSED\n");
    return 0;
}
