/*
 * Inverted index of HTML files, S-L1's Inverted Index: each thread searches
 * its chunk for links byte by byte and writes the hash of each target and
 * where it was found to its part of the index.
 */
KERNEL sl1_index(const unsigned char *html, unsigned *target, int *count,
                 int chunk, int bytes, int room)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int at = t * chunk, end = at + chunk, found = 0;

    for (; at < end; at++) {
        unsigned h = 2166136261u;
        int i = at + 6;

        if (html[at] != 'h' || at + 6 >= bytes || html[at + 1] != 'r' ||
            html[at + 2] != 'e' || html[at + 3] != 'f' ||
            html[at + 4] != '=' || html[at + 5] != '"') {
            continue;
        }
        for (; i < bytes && html[i] != '"'; i++) {
            h = (h ^ html[i]) * 16777619u;
        }
        if (found < room) {
            target[2 * (t * room + found)] = h;
            target[2 * (t * room + found) + 1] = at;
        }
        found++;
    }
    count[t] = found;
}
