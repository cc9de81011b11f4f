/*
 * What a GPT-2 computes with, by kernels or on the host: two tables of the same
 * functions.  Numbers that follow the arrays are those of kernels.cu.
 */
#ifndef TESTS_CUDA_GPT2_OPS_H
#define TESTS_CUDA_GPT2_OPS_H

#include <stdbool.h>
#include <stddef.h>

/* Elements that a matrix's rows and columns are apart. */
struct part {
    const float *at;
    int first, second;
};

struct product {
    float *to;
    struct part a, b;
    const float *bias; /* or NULL */
    int rows, columns, inner;
    bool add;
};

/* Whole numbers of a batch's tokens. */
struct tokens {
    const int *at;
    int rows, length, width;
};

struct norm {
    const float *x, *weight;
    float *kept; /* of each row its mean and 1 / deviation */
    int rows, width;
};

struct rates {
    float rate, first, second, decay;
};

struct attention {
    const float *qkv;
    float *chance;
    int rows, length, width, heads;
};

struct ops {
    void *(*room)(size_t bytes); /* zeros */
    void (*put)(void *to, const void *from, size_t bytes);
    void (*get)(void *to, const void *from, size_t bytes);
    void (*clear)(void *at, size_t bytes);
    void (*drop)(void *at);

    void (*embed)(struct tokens t, float *x, const float *tokens,
                  const float *places);
    void (*embed_back)(struct tokens t, const float *dx, float *tokens,
                       float *places);
    void (*norm)(struct norm n, float *y, const float *bias);
    void (*norm_back)(struct norm n, float *dx, float *dweight, float *dbias,
                      const float *dy);
    void (*multiply)(struct product p);
    void (*bias_back)(float *dbias, const float *dy, int rows, int columns);
    void (*attend)(struct attention a, float *out);
    void (*attend_back)(struct attention a, float *dqkv, float *change,
                        const float *dout);
    void (*gelu)(float *y, const float *x, int n);
    void (*gelu_back)(float *dx, const float *dy, const float *x, int n);
    void (*sum)(float *y, const float *a, const float *b, int n);
    void (*loss)(float *losses, float *logits, const int *next, int rows,
                 int words);
    void (*adamw)(float *p, const float *g, float *m, float *v, int n,
                  struct rates r);
};

struct shape {
    int layers, heads, width, length, batch, words, steps;
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct ops host_ops;

/* LAYERS HEADS WIDTH LENGTH BATCH STEPS, each with a default. */
struct shape shape_of(int count, char **word);
/* Trains with both; 0: the loss falls, and is the same. */
int compare_both(struct shape s, const struct ops *device,
                 const struct ops *host);

#ifdef __cplusplus
}
#endif

#endif
