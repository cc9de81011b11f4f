/*
 * libcudart.so.11.0, .12 and .13: what programs are linked with.  All that is
 * in them is the version that they stand for; the functions are in
 * libwarploom_cuda.so, on which they depend.
 */
extern const int warploom_cudart_version;
const int warploom_cudart_version = LOOM_CUDART_VERSION;
