/*
 * Behind CUDA's own header: llm.c's train_gpt2.cu says where memory should be
 * as it was said until CUDA 12.
 */
#ifndef TESTS_CUDA_LLM_CUDA13_H
#define TESTS_CUDA_LLM_CUDA13_H

#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000
#undef cudaCpuDeviceId
#define cudaCpuDeviceId (cudaMemLocation{cudaMemLocationTypeHost, 0})
#endif

#endif
