/* Behind CUDA's own header: llm.c's train_gpt2.cu says where memory should be as
 * it was said until CUDA 12. */
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000
#undef cudaCpuDeviceId
#define cudaCpuDeviceId (cudaMemLocation{cudaMemLocationTypeHost, 0})
#endif
