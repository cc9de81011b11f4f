/*
 * Words and lines of a text: each thread counts those that begin and end in
 * its chunk of bytes, as S-L1 describes its `wc`.
 */
KERNEL sl1_wc(const unsigned char *text, int *words, int *lines, int chunk)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int first = t * chunk, word = 0, line = 0;
    unsigned char before = first > 0 ? text[first - 1] : ' ';

    for (int i = first; i < first + chunk; i++) {
        unsigned char c = text[i];

        if (c > ' ' && before <= ' ') {
            word++;
        }
        if (c == '\n') {
            line++;
        }
        before = c;
    }
    words[t] = word;
    lines[t] = line;
}
