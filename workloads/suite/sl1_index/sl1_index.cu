/*
 * Inverted index of HTML files, S-L1's Inverted Index: each thread reads its
 * chunk byte by byte, looks for links that end their `href="` there, and
 * writes the hash of each target and where it begins to its part of the index.
 */
#define HREF 0x687265663d22 /* href=" */

KERNEL sl1_index(const unsigned char *html, unsigned *target, int *count,
                 int chunk, int bytes, int room)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int at = t * chunk, end = at + chunk, found = 0;
    unsigned long long last = 0; /* six bytes */

    /* What began before this chunk. */
    for (int i = max(at - 5, 0); i < at; i++) {
        last = last << 8 | html[i];
    }
    while (at < end) {
        last = (last << 8 | html[at++]) & 0xffffffffffff;
        if (last == HREF) {
            unsigned h = 2166136261u;

            for (int i = at; i < bytes && html[i] != '"'; i++) {
                h = (h ^ html[i]) * 16777619u;
            }
            if (found < room) {
                target[2 * (t * room + found)] = h;
                target[2 * (t * room + found) + 1] = at;
            }
            found++;
        }
    }
    count[t] = found;
}
