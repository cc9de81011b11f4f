/*
 * curandGenerate() and its like: requests, which are launches.
 */
#include "cuda/rand/rand.h"

/* Of what the numbers are. */
static const struct kind {
    const char *name;
    uint32_t bytes; /* of a number */
    uint32_t unit;  /* numbers that are made at once */
    uint32_t words; /* for each */
} raw = {"raw", 4, 1, 1}, uniform = {"uniform", 4, 1, 1},
  uniform_double = {"uniform_double", 8, 1, 2}, normal = {"normal", 4, 2, 1},
  normal_double = {"normal_double", 8, 2, 2},
  log_normal = {"log_normal", 4, 2, 1},
  log_normal_double = {"log_normal_double", 8, 2, 2},
  poisson = {"poisson", 4, 1, 2};

struct request {
    const struct kind *kind;
    char *out; /* on the device */
    uint64_t count;
    double a, b; /* mean and deviation */
};

static const char *kernel_of(const char *prefix, const struct kind *kind,
                             char *room, size_t bytes)
{
    size_t at = 0;

    for (const char *part = prefix; *part != 0 && at + 1 < bytes; part++) {
        room[at++] = *part;
    }
    for (const char *part = kind->name; *part != 0 && at + 1 < bytes; part++) {
        room[at++] = *part;
    }
    room[at] = 0;
    return room;
}

/* XORWOW and MRG32k3a: units in turn of their sequences. */
static int of_sequences(struct loom_rand *g, struct request r)
{
    uint32_t turn = (uint32_t)(g->position % g->threads);
    uint64_t units = r.count / r.kind->unit;
    void *args[] = {&g->state, &g->threads, &turn, &units, &r.out, &r.a, &r.b};
    char name[60];
    int status;

    if (r.count % r.kind->unit != 0) {
        return RAND_LENGTH_NOT_MULTIPLE;
    }
    status = loom_rand_launch(
        g,
        kernel_of(g->type == RAND_XORWOW ? "xorwow_" : "mrg32k3a_", r.kind,
                  name, sizeof(name)),
        g->threads, args);
    g->position += units;
    return status;
}

static int of_blocks(struct loom_rand *g, struct request r)
{
    uint64_t fours = (g->position % 4 + r.count + 3) / 4;
    void *args[] = {&g->seed, &g->position, &r.count, &r.out, &r.a, &r.b};
    char name[60];
    int status =
        loom_rand_launch(g, kernel_of("philox_", r.kind, name, sizeof(name)),
                         fours < 65536 ? fours : 65536, args);

    g->position += r.count;
    return status;
}

/* MT19937's words, from where it is. */
static int words(struct loom_rand *g, uint64_t count, void *to)
{
    uint64_t from = g->word;
    void *args[] = {&g->state, &from, &count, &to};
    int status = loom_rand_launch(g, "mt19937_words", 1, args);
    uint64_t last = from + count - 1; /* whose 624 are the state now */

    g->word = (uint32_t)(last % 624 + 1);
    return status;
}

/* To where the program has set it. */
static int skip_words(struct loom_rand *g)
{
    int status = RAND_OK;

    for (uint64_t left = g->position; left > 0 && status == RAND_OK;) {
        uint64_t now = left < RAND_WORDS ? left : RAND_WORDS;

        status = words(g, now, g->words);
        left -= now;
    }
    return status;
}

static int of_words(struct loom_rand *g, struct request r)
{
    const uint32_t each = r.kind->words;
    char name[60];
    int status = RAND_OK;

    kernel_of("mt19937_", r.kind, name, sizeof(name));
    while (r.count > 0 && status == RAND_OK) {
        uint64_t count = RAND_WORDS / each;
        uint64_t unit = r.kind->unit;

        count = r.count < count ? r.count : count;
        if (r.kind == &raw) {
            status = words(g, count, r.out);
        } else {
            void *args[] = {&g->words, &count, &r.out, &r.a, &r.b};

            status =
                words(g, (count + unit - 1) / unit * unit * each, g->words);
            if (status == RAND_OK) {
                status = loom_rand_launch(g, name,
                                          count < 65536 ? count : 65536, args);
            }
        }
        r.out += count * r.kind->bytes;
        r.count -= count;
        g->position += count;
    }
    return status;
}

static int on_device(struct loom_rand *g, struct request r)
{
    bool fresh = !g->seeded;
    int status = loom_rand_start(g);

    if (status == RAND_OK && fresh && g->type == RAND_MT19937) {
        status = skip_words(g);
    }
    if (status != RAND_OK) {
        return status;
    }
    return g->type == RAND_PHILOX    ? of_blocks(g, r)
           : g->type == RAND_MT19937 ? of_words(g, r)
                                     : of_sequences(g, r);
}

static int generate(struct loom_rand *g, struct request r)
{
    char *host = r.out;
    int status;

    if (!loom_rand_is_there(g)) {
        return RAND_NOT_INITIALIZED;
    }
    if (r.out == NULL || r.count == 0) {
        return r.count == 0 ? RAND_OK : RAND_OUT_OF_RANGE;
    }
    if (!g->on_host) {
        return on_device(g, r);
    }
    if (cudaMalloc((void **)&r.out, r.count * r.kind->bytes) != CUDA_OK) {
        return RAND_ALLOCATION_FAILED;
    }
    status = on_device(g, r);
    if (status == RAND_OK && (cudaStreamSynchronize(g->stream) != CUDA_OK ||
                              cudaMemcpy(host, r.out, r.count * r.kind->bytes,
                                         CUDA_DEVICE_TO_HOST) != CUDA_OK)) {
        status = RAND_LAUNCH_FAILURE;
    }
    cudaFree(r.out);
    return status;
}

LOOM_CUDA(int, curandGenerate, struct loom_rand *generator, uint32_t *out,
          size_t count)
{
    return generate(generator,
                    (struct request){&raw, (char *)out, count, 0, 0});
}

/* Of 64 bits are those of Sobol's generators only. */
LOOM_CUDA(int, curandGenerateLongLong, struct loom_rand *generator,
          uint64_t *out, size_t count)
{
    (void)out, (void)count;
    return loom_rand_is_there(generator) ? RAND_TYPE_ERROR
                                         : RAND_NOT_INITIALIZED;
}

LOOM_CUDA(int, curandGenerateUniform, struct loom_rand *generator, float *out,
          size_t count)
{
    return generate(generator,
                    (struct request){&uniform, (char *)out, count, 0, 0});
}

LOOM_CUDA(int, curandGenerateUniformDouble, struct loom_rand *generator,
          double *out, size_t count)
{
    return generate(
        generator, (struct request){&uniform_double, (char *)out, count, 0, 0});
}

LOOM_CUDA(int, curandGenerateNormal, struct loom_rand *generator, float *out,
          size_t count, float mean, float deviation)
{
    return generate(generator, (struct request){&normal, (char *)out, count,
                                                mean, deviation});
}

LOOM_CUDA(int, curandGenerateNormalDouble, struct loom_rand *generator,
          double *out, size_t count, double mean, double deviation)
{
    return generate(generator, (struct request){&normal_double, (char *)out,
                                                count, mean, deviation});
}

LOOM_CUDA(int, curandGenerateLogNormal, struct loom_rand *generator, float *out,
          size_t count, float mean, float deviation)
{
    return generate(generator, (struct request){&log_normal, (char *)out, count,
                                                mean, deviation});
}

LOOM_CUDA(int, curandGenerateLogNormalDouble, struct loom_rand *generator,
          double *out, size_t count, double mean, double deviation)
{
    return generate(generator, (struct request){&log_normal_double, (char *)out,
                                                count, mean, deviation});
}

LOOM_CUDA(int, curandGeneratePoisson, struct loom_rand *generator,
          uint32_t *out, size_t count, double lambda)
{
    if (!(lambda > 0)) {
        return RAND_OUT_OF_RANGE;
    }
    return generate(generator,
                    (struct request){&poisson, (char *)out, count, lambda, 0});
}
