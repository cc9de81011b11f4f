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

    void (*embed)(float *x, const int *token, const float *tokens,
                  const float *places, int rows, int length, int width);
    void (*embed_back)(const float *dx, const int *token, float *tokens,
                       float *places, int rows, int length, int width);
    void (*norm)(float *y, float *kept, const float *x, const float *weight,
                 const float *bias, int rows, int width);
    void (*norm_back)(float *dx, float *dweight, float *dbias, const float *dy,
                      const float *x, const float *kept, const float *weight,
                      int rows, int width);
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
                  float rate, float first, float second, float decay);
};

#endif
