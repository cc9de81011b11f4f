/*
 * Text in upper case: each thread converts its chunk of bytes, one after the
 * other, as S-L1 describes its `upper`.
 */
KERNEL sl1_upper(const unsigned char *in, unsigned char *out, int chunk)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;

    for (int i = first; i < first + chunk; i++) {
        unsigned char c = in[i];

        if (c >= 'a' && c <= 'z') {
            c -= 'a' - 'A';
        }
        out[i] = c;
    }
}
