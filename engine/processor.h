/*
 * The processor: has it all instructions that this build uses?
 *
 * CMakeLists.txt builds for the level of the machine that builds.  A program
 * asks this first, so that an older machine prints a sentence instead of
 * stopping at an instruction that it does not know.
 */
#ifndef ENGINE_PROCESSOR_H
#define ENGINE_PROCESSOR_H

#include <stdbool.h>

#define LOOM_PROCESSOR_TEXT                                                    \
    "warploom was built for processors with AVX2 and BMI2, which this one "    \
    "has not; build it here, or with cmake -DLOOM_ARCH=x86-64-v2"

static inline bool loom_processor_fits(void)
{
#if defined(__AVX2__) && defined(__BMI2__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    return true;
#endif
}

#endif
