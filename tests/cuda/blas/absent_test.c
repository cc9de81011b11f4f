/*
 * A program that needs a library of NVIDIA's; as a library, that library.
 */
int cufftCreate(int *plan);

#ifdef TEST_LIBRARY
int cufftCreate(int *plan)
{
    *plan = 7;
    return 0;
}
#else
int main(void)
{
    int plan = 0;

    return cufftCreate(&plan) == 0 && plan == 7 ? 0 : 1;
}
#endif
