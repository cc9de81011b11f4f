/*
 * Something to link old_test.c with, whose symbols have the version of an
 * older libcudart; it is never run.
 */
int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties(void *to, int device);
int cudaGetDeviceProperties_v2(void *to, int device);

int cudaRuntimeGetVersion(int *version)
{
    *version = 0;
    return 1;
}

int cudaGetDeviceProperties(void *to, int device)
{
    (void)to;
    return 1 + device;
}

int cudaGetDeviceProperties_v2(void *to, int device)
{
    (void)to;
    return 1 + device;
}
