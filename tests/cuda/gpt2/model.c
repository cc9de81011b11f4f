/*
 * A GPT-2 and its training, by functions of either table of ops.h.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ops.h"

/* Words are bytes of this text, one after another. */
static const char text[] =
    "A warp is a group of threads that go one way. Where threads of a warp go "
    "two ways, it goes both, one after the other. A load asks a cache, and a "
    "cache that does not know asks the next, until the memory answers. Who "
    "waits for memory lets others work. So a machine that is always busy needs "
    "many warps, and a warp that needs many registers leaves room for few. The "
    "loom goes on, row by row, and what it weaves is what was asked of it. ";

enum {
    WORDS = 128 /* of ASCII */
};

/* A matrix of weights with its bias, and a norm's two vectors. */
struct linear {
    size_t weight, bias;
    int from, to;
};

/* Where parameters are in their array. */
struct layer_places {
    struct linear norm[2], qkv, out, up, down;
};

struct model {
    struct shape shape;
    const struct ops *op;
    int rows; /* batch x length */
    size_t parameters, tokens, places;
    struct layer_places *layer;
    struct linear last;
    float *p, *g, *m, *v;
    /* Activations, and gradients by the same places. */
    float *x, *dx;
    size_t stream, normed, kept, qkv, chance, mixed, up, curved, each;
    size_t logits, losses, spare, activations;
    int *token, *next;
};

static size_t take(size_t *top, size_t count)
{
    size_t at = *top;

    *top += count;
    return at;
}

static struct linear linear_at(size_t *top, int from, int to)
{
    struct linear l;

    l.weight = take(top, (size_t)from * (size_t)to);
    l.bias = take(top, (size_t)to);
    l.from = from;
    l.to = to;
    return l;
}

static void place_parameters(struct model *m)
{
    int w = m->shape.width;
    size_t top = 0;

    m->tokens = take(&top, (size_t)m->shape.words * (size_t)w);
    m->places = take(&top, (size_t)m->shape.length * (size_t)w);
    m->layer = (struct layer_places *)calloc((size_t)m->shape.layers,
                                             sizeof(*m->layer));
    for (int i = 0; i < m->shape.layers; i++) {
        struct layer_places *l = &m->layer[i];

        l->norm[0] = linear_at(&top, 1, w);
        l->qkv = linear_at(&top, w, 3 * w);
        l->out = linear_at(&top, w, w);
        l->norm[1] = linear_at(&top, 1, w);
        l->up = linear_at(&top, w, 4 * w);
        l->down = linear_at(&top, 4 * w, w);
    }
    m->last = linear_at(&top, 1, w);
    m->parameters = top;
}

/* Of a layer `each`: x before, norms, qkv, chances, the sum of values, x after
 * attention, norms, up, its gelu; then the end's. */
static void place_activations(struct model *m)
{
    size_t n = (size_t)m->rows, w = (size_t)m->shape.width, top = 0;

    m->stream = take(&top, 2 * n * w);
    m->normed = take(&top, 2 * n * w);
    m->kept = take(&top, 4 * n);
    m->qkv = take(&top, 3 * n * w);
    m->chance =
        take(&top, n * (size_t)m->shape.heads * (size_t)m->shape.length);
    m->mixed = take(&top, n * w);
    m->up = take(&top, 4 * n * w);
    m->curved = take(&top, 4 * n * w);
    m->each = top;
    top *= (size_t)m->shape.layers;
    top += 2 * n * w + 2 * n; /* the last x, its norm, what is kept */
    m->logits = take(&top, n * (size_t)m->shape.words);
    m->losses = take(&top, n);
    m->spare = take(&top, n * w);
    m->activations = top;
}

/* As GPT-2's: deviations of 0.02, norms of 1, biases of 0. */
static void draw(const struct model *m, float *p)
{
    uint64_t state = 42;
    size_t w = (size_t)m->shape.width;

    for (size_t i = 0; i < m->parameters; i++) {
        float sum = 0;

        for (int k = 0; k < 12; k++) {
            state = state * UINT64_C(6364136223846793005) +
                    UINT64_C(1442695040888963407);
            sum += (float)(state >> 40) / (float)(1 << 24);
        }
        p[i] = 0.02f * (sum - 6);
    }
    for (int i = 0; i <= m->shape.layers; i++) {
        const struct layer_places *l = &m->layer[i];
        const struct linear *norm = i < m->shape.layers ? l->norm : &m->last;

        for (int k = 0; k < (i < m->shape.layers ? 2 : 1); k++) {
            for (size_t c = 0; c < w; c++) {
                p[norm[k].weight + c] = 1;
                p[norm[k].bias + c] = 0;
            }
        }
        if (i < m->shape.layers) {
            for (size_t c = 0; c < 4 * w; c++) {
                p[l->up.bias + c] = 0;
                p[l->qkv.bias + (c < 3 * w ? c : 0)] = 0;
                p[l->out.bias + c % w] = p[l->down.bias + c % w] = 0;
            }
        }
    }
}

static void open_model(struct model *m, struct shape shape,
                       const struct ops *op)
{
    size_t bytes;
    float *first;

    m->shape = shape;
    m->op = op;
    m->rows = shape.batch * shape.length;
    place_parameters(m);
    place_activations(m);
    bytes = m->parameters * sizeof(float);
    first = (float *)calloc(1, bytes);
    draw(m, first);
    m->p = (float *)op->room(bytes);
    m->g = (float *)op->room(bytes);
    m->m = (float *)op->room(bytes);
    m->v = (float *)op->room(bytes);
    op->put(m->p, first, bytes);
    free(first);
    m->x = (float *)op->room(m->activations * sizeof(float));
    m->dx = (float *)op->room(m->activations * sizeof(float));
    m->token = (int *)op->room((size_t)m->rows * sizeof(int));
    m->next = (int *)op->room((size_t)m->rows * sizeof(int));
}

static void close_model(struct model *m)
{
    void *rooms[] = {m->p, m->g, m->m, m->v, m->x, m->dx, m->token, m->next};

    for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
        m->op->drop(rooms[i]);
    }
    free(m->layer);
}

/* y = x W' + b: weights of a row for each output. */
static void forward(const struct model *m, struct linear l, float *y,
                    const float *x)
{
    struct product p = {.to = y,
                        .a = {x, l.from, 1},
                        .b = {m->p + l.weight, 1, l.from},
                        .bias = m->p + l.bias,
                        .rows = m->rows,
                        .columns = l.to,
                        .inner = l.from,
                        .add = false};

    m->op->multiply(p);
}

/* dx += dy W; dW += dy' x; db += the rows of dy. */
static void backward(const struct model *m, struct linear l, float *dx,
                     const float *dy, const float *x)
{
    struct product input = {.to = dx,
                            .a = {dy, l.to, 1},
                            .b = {m->p + l.weight, l.from, 1},
                            .bias = NULL,
                            .rows = m->rows,
                            .columns = l.from,
                            .inner = l.to,
                            .add = true};
    struct product weight = {.to = m->g + l.weight,
                             .a = {dy, 1, l.to},
                             .b = {x, l.from, 1},
                             .bias = NULL,
                             .rows = l.to,
                             .columns = l.from,
                             .inner = m->rows,
                             .add = true};

    m->op->multiply(input);
    m->op->multiply(weight);
    m->op->bias_back(m->g + l.bias, dy, m->rows, l.to);
}

static struct attention attention_of(const struct model *m, float *at)
{
    struct attention a = {.qkv = at + m->qkv,
                          .chance = at + m->chance,
                          .rows = m->rows,
                          .length = m->shape.length,
                          .width = m->shape.width,
                          .heads = m->shape.heads};

    return a;
}

static struct norm norm_of(const struct model *m, struct linear l,
                           const float *x, float *kept)
{
    struct norm n = {.x = x,
                     .weight = m->p + l.weight,
                     .kept = kept,
                     .rows = m->rows,
                     .width = m->shape.width};

    return n;
}

static void normed_back(const struct model *m, struct linear l, float *dx,
                        const float *dy, struct norm n)
{
    m->op->norm_back(n, dx, m->g + l.weight, m->g + l.bias, dy);
}

static void layer_forward(const struct model *m, int i)
{
    const struct layer_places *l = &m->layer[i];
    const struct ops *op = m->op;
    int w = m->shape.width, n = m->rows * w;
    float *at = m->x + (size_t)i * m->each, *x = at + m->stream;
    float *middle = x + n, *normed = at + m->normed, *kept = at + m->kept;
    float *after = m->x + (size_t)(i + 1) * m->each; /* the next one's x */
    float *spare = m->x + m->spare;

    op->norm(norm_of(m, l->norm[0], x, kept), normed, m->p + l->norm[0].bias);
    forward(m, l->qkv, at + m->qkv, normed);
    op->attend(attention_of(m, at), at + m->mixed);
    forward(m, l->out, spare, at + m->mixed);
    op->sum(middle, x, spare, n);
    op->norm(norm_of(m, l->norm[1], middle, kept + 2 * m->rows), normed + n,
             m->p + l->norm[1].bias);
    forward(m, l->up, at + m->up, normed + n);
    op->gelu(at + m->curved, at + m->up, 4 * n);
    forward(m, l->down, spare, at + m->curved);
    op->sum(after, middle, spare, n);
}

static void layer_backward(const struct model *m, int i)
{
    const struct layer_places *l = &m->layer[i];
    const struct ops *op = m->op;
    int w = m->shape.width, n = m->rows * w;
    size_t from = (size_t)i * m->each;
    float *at = m->x + from, *x = at + m->stream, *d = m->dx + from;
    float *dx = d + m->stream, *normed = at + m->normed, *kept = at + m->kept;
    float *dafter = m->dx + from + m->each;

    op->sum(dx + n, dafter, NULL, n);
    backward(m, l->down, d + m->curved, dafter, at + m->curved);
    op->gelu_back(d + m->up, d + m->curved, at + m->up, 4 * n);
    backward(m, l->up, d + m->normed + n, d + m->up, normed + n);
    normed_back(m, l->norm[1], dx + n, d + m->normed + n,
                norm_of(m, l->norm[1], x + n, kept + 2 * m->rows));
    op->sum(dx, dx + n, NULL, n);
    backward(m, l->out, d + m->mixed, dx + n, at + m->mixed);
    op->attend_back(attention_of(m, at), d + m->qkv, d + m->chance,
                    d + m->mixed);
    backward(m, l->qkv, d + m->normed, d + m->qkv, normed);
    normed_back(m, l->norm[0], dx, d + m->normed,
                norm_of(m, l->norm[0], x, kept));
}

/* The logits are those of the tokens' own vectors. */
static void ends(const struct model *m)
{
    const struct ops *op = m->op;
    int w = m->shape.width, n = m->rows * w, words = m->shape.words;
    size_t from = (size_t)m->shape.layers * m->each;
    float *x = m->x + from, *normed = x + n, *kept = normed + n;
    float *dx = m->dx + from, *dnormed = dx + n, *logits = m->x + m->logits;
    struct product out = {.to = logits,
                          .a = {normed, w, 1},
                          .b = {m->p + m->tokens, 1, w},
                          .bias = NULL,
                          .rows = m->rows,
                          .columns = words,
                          .inner = w,
                          .add = false};
    struct product back = {.to = dnormed,
                           .a = {logits, words, 1},
                           .b = {m->p + m->tokens, w, 1},
                           .bias = NULL,
                           .rows = m->rows,
                           .columns = w,
                           .inner = words,
                           .add = true};
    struct product weight = {.to = m->g + m->tokens,
                             .a = {logits, 1, words},
                             .b = {normed, w, 1},
                             .bias = NULL,
                             .rows = words,
                             .columns = w,
                             .inner = m->rows,
                             .add = true};

    op->norm(norm_of(m, m->last, x, kept), normed, m->p + m->last.bias);
    op->multiply(out);
    op->loss(m->x + m->losses, logits, m->next, m->rows, words);
    op->multiply(back);
    op->multiply(weight);
    normed_back(m, m->last, dx, dnormed, norm_of(m, m->last, x, kept));
}

/* The mean loss of a batch from the text, before the step that it makes. */
static float train(const struct model *m, int step)
{
    const struct ops *op = m->op;
    struct shape s = m->shape;
    struct tokens tokens = {m->token, m->rows, s.length, s.width};
    struct rates rates = {3e-3f, 1 - powf(0.9f, (float)(step + 1)),
                          1 - powf(0.95f, (float)(step + 1)), 0.01f};
    int *token = (int *)malloc(2 * (size_t)m->rows * sizeof(int));
    int *next = token + m->rows, letters = (int)sizeof(text) - 1;
    float *losses = (float *)malloc((size_t)m->rows * sizeof(float)), sum = 0;

    for (int r = 0; r < m->rows; r++) {
        int at = (step * s.batch + r / s.length) * s.length + r % s.length;

        token[r] = text[at % letters];
        next[r] = text[(at + 1) % letters];
    }
    op->put(m->token, token, (size_t)m->rows * sizeof(int));
    op->put(m->next, next, (size_t)m->rows * sizeof(int));
    op->clear(m->g, m->parameters * sizeof(float));
    op->clear(m->dx, m->activations * sizeof(float));
    op->embed(tokens, m->x + m->stream, m->p + m->tokens, m->p + m->places);
    for (int i = 0; i < s.layers; i++) {
        layer_forward(m, i);
    }
    ends(m);
    for (int i = s.layers; i-- > 0;) {
        layer_backward(m, i);
    }
    op->embed_back(tokens, m->dx + m->stream, m->g + m->tokens,
                   m->g + m->places);
    op->adamw(m->p, m->g, m->m, m->v, (int)m->parameters, rates);
    op->get(losses, m->x + m->losses, (size_t)m->rows * sizeof(float));
    for (int r = 0; r < m->rows; r++) {
        sum += losses[r];
    }
    free(token);
    free(losses);
    return sum / (float)m->rows;
}

/* Trains with both tables; 0: the loss falls, and is the same. */
int compare_both(struct shape s, const struct ops *device,
                 const struct ops *host)
{
    struct model a, b;
    float first = 0, loss = 0, worst = 0;

    open_model(&a, s, device);
    open_model(&b, s, host);
    printf("%d layers, %d heads, width %d, %d x %d tokens: %zu parameters\n",
           s.layers, s.heads, s.width, s.batch, s.length, a.parameters);
    for (int i = 0; i < s.steps; i++) {
        float twin = train(&b, i);

        loss = train(&a, i);
        first = i == 0 ? loss : first;
        worst = fabsf(loss - twin) > worst ? fabsf(loss - twin) : worst;
        printf("step %d: loss %.6f, on the host %.6f\n", i, (double)loss,
               (double)twin);
    }
    close_model(&a);
    close_model(&b);
    if (!(worst <= 1e-4f)) {
        printf("FAILED: the losses differ by %g\n", (double)worst);
        return 1;
    }
    if (s.steps > 1 && !(loss < first)) {
        printf("FAILED: the loss does not fall\n");
        return 1;
    }
    printf("PASSED: the losses differ by %g at most\n", (double)worst);
    return 0;
}

/* LAYERS HEADS WIDTH LENGTH BATCH STEPS, each with a default. */
struct shape shape_of(int count, char **word)
{
    struct shape s = {1, 2, 16, 8, 2, WORDS, 6};
    int *field[] = {&s.layers, &s.heads, &s.width,
                    &s.length, &s.batch, &s.steps};

    for (int i = 0; i < count && i < 6; i++) {
        *field[i] = (int)strtol(word[i], NULL, 10);
    }
    if (s.layers < 1 || s.heads < 1 || s.width % s.heads != 0 || s.length < 1 ||
        s.batch < 1) {
        printf("FAILED: that is no GPT-2\n");
        exit(2);
    }
    return s;
}
