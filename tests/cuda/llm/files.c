/*
 * The files that llm.c's trainers read, small: a checkpoint of random weights,
 * as float and as bfloat16, and two files of tokens.
 *
 * usage: files LAYERS HEADS WIDTH LENGTH VOCABULARY BATCHES
 *
 * Layouts are those that train_gpt2_fp32.cu, train_gpt2.cu and
 * llmc/dataloader.h read: 256 words of header, then all tensors; tokens are 16
 * bits.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 256,
    BATCH = 4
};

static uint64_t seed = 1;

/* Nearly normal, with a deviation of 0.05. */
static float weight(void)
{
    double sum = 0;

    for (int i = 0; i < 12; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        sum += (double)(seed >> 40) / (double)(1 << 24);
    }
    return (float)(0.05 * (sum - 6));
}

static void put(FILE *single, FILE *half, float value)
{
    uint32_t bits;
    uint16_t upper;

    memcpy(&bits, &value, sizeof(bits));
    upper = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    fwrite(&value, sizeof(value), 1, single);
    fwrite(&upper, sizeof(upper), 1, half);
}

enum kind {
    WEIGHTS,
    ONES,
    ZEROS
};

static void tensor(FILE *single, FILE *half, enum kind kind, long size)
{
    for (long i = 0; i < size; i++) {
        put(single, half, kind == WEIGHTS ? weight() : kind == ONES ? 1 : 0);
    }
}

static void checkpoint(FILE *single, FILE *half, const long *n)
{
    long l = n[0], c = n[2], t = n[3], v = n[4];
    const struct {
        enum kind kind;
        long size;
    } all[] = {{WEIGHTS, v * c},
               {WEIGHTS, t * c},
               {ONES, l * c},
               {ZEROS, l * c},
               {WEIGHTS, l * 3 * c * c},
               {ZEROS, l * 3 * c},
               {WEIGHTS, l * c * c},
               {ZEROS, l * c},
               {ONES, l * c},
               {ZEROS, l * c},
               {WEIGHTS, l * 4 * c * c},
               {ZEROS, l * 4 * c},
               {WEIGHTS, l * 4 * c * c},
               {ZEROS, l * c},
               {ONES, c},
               {ZEROS, c}};
    int32_t header[HEADER] = {20240326,   3,          (int32_t)t,
                              (int32_t)v, (int32_t)l, (int32_t)n[1],
                              (int32_t)c, (int32_t)v};

    fwrite(header, sizeof(header), 1, single);
    header[1] = 5; /* of bfloat16 */
    fwrite(header, sizeof(header), 1, half);
    for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) {
        tensor(single, half, all[k].kind, all[k].size);
    }
}

static void tokens(FILE *file, long count)
{
    int32_t header[HEADER] = {20240520, 1, (int32_t)count};

    fwrite(header, sizeof(header), 1, file);
    for (long i = 0; i < count; i++) {
        uint16_t token = (uint16_t)(i * i / 7 % 61 + i % 3);

        fwrite(&token, sizeof(token), 1, file);
    }
}

static FILE *make(const char *name)
{
    FILE *file = fopen(name, "wb");

    if (file == NULL) {
        perror(name);
        exit(1);
    }
    return file;
}

int main(int argc, char **argv)
{
    long n[6];
    FILE *single, *half, *train, *valid;

    if (argc != 7) {
        fprintf(stderr, "usage: files LAYERS HEADS WIDTH LENGTH VOCABULARY "
                        "BATCHES\n");
        return 2;
    }
    for (int i = 0; i < 6; i++) {
        n[i] = strtol(argv[i + 1], NULL, 10);
    }
    single = make("gpt2_124M.bin");
    half = make("gpt2_bf16.bin");
    train = make("train.bin");
    valid = make("valid.bin");
    checkpoint(single, half, n);
    tokens(train, BATCH * n[3] * n[5] + 1);
    tokens(valid, BATCH * n[3] * 10 + 1);
    return fclose(single) | fclose(half) | fclose(train) | fclose(valid);
}
