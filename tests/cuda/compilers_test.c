/*
 * A program that compiles its kernels when it runs: what it does where there is
 * no compiler.  Each function fails.
 */
#include <stdio.h>

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(void **program, const char *text, const char *name,
                       int headers, const char *const *header,
                       const char *const *names);
const char *nvrtcGetErrorString(int error);
int __nvJitLinkCreate_13_0(void **linker, unsigned count, const char **option);

int main(void)
{
    void *made = NULL;
    int error = nvrtcCreateProgram(&made, "", "name", 0, NULL, NULL), number;

    printf("create: %d, %s\n", error, nvrtcGetErrorString(error));
    error = nvrtcCreateProgram(&made, "", "name", 0, NULL, NULL);
    printf("again: %d\n", error);
    printf("version: %d\n", nvrtcVersion(&number, &number));
    printf("linker: %d\n", __nvJitLinkCreate_13_0(&made, 0, NULL));
    return made != NULL;
}
