/*
 * Sentiment of tweets about a subject, S-L1's Opinion Finder: each thread
 * reads the tweets (lines) that begin in its chunk byte by byte, hashes their
 * words and looks them up in a dictionary of opinions.  The score of a tweet
 * counts if the subject is among its words.
 *
 * key: hashes of the dictionary's words, 0 where there is none; slots: a
 * power of 2.
 */
KERNEL sl1_opinion(const unsigned char *text, const unsigned *key,
                   const int *opinion, int *score, unsigned subject,
                   int slots, int chunk, int bytes)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int at = t * chunk, end = at + chunk, total = 0;

    /* To the first line that begins here. */
    if (at > 0) {
        while (at < end && text[at - 1] != '\n') {
            at++;
        }
    }
    while (at < end) {
        int sum = 0, about = 0;
        unsigned char c;

        do {
            unsigned h = 2166136261u;

            while (c = text[at++], c > ' ') {
                h = (h ^ c) * 16777619u;
            }
            about |= h == subject;
            for (unsigned s = h & (slots - 1); key[s] != 0;
                 s = (s + 1) & (slots - 1)) {
                if (key[s] == h) {
                    sum += opinion[s];
                    break;
                }
            }
        } while (c != '\n' && at < bytes);
        total += about ? sum : 0;
    }
    score[t] = total;
}
