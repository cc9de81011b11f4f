/*
 * The names of the two ways to choose the one line.
 */
#include "policies/lib/bimodal.h"

const char *const loom_bimodal_draws[] = {"random", "counter", NULL};
