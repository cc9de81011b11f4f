/*
 * libcublas.so.11, .12 and .13 and libcublasLt.so of the same, libcurand.so.10:
 * what programs are linked with.  The functions are in libwarploom_blas.so and
 * libwarploom_rand.so, on which they depend.
 */
#ifndef LOOM_LIBRARY_VERSION
#define LOOM_LIBRARY_VERSION 13 /* in the build: that of its name */
#endif

extern const int warploom_library_version;
const int warploom_library_version = LOOM_LIBRARY_VERSION;
