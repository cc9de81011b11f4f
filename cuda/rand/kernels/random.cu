/*
 * Random numbers (docs/cuda-libraries.md): XORWOW (Marsaglia, "Xorshift RNGs"),
 * MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined
 * multiple recursive random number generators"), Philox4x32-10 (Salmon and
 * others, "Parallel random numbers: as easy as 1, 2, 3"), MT19937 (Matsumoto
 * and Nishimura, "Mersenne Twister").
 *
 * A generator has `threads` sequences.  A unit is what a thread makes at once:
 * a number, or a pair of normal ones.  Unit m is of sequence (turn + m) %
 * threads; Philox, which has no state, makes four numbers at once, by their
 * positions.
 */
#include <cstdint>

#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ __forceinline__

static const double PI = 3.141592653589793;

/* Of 32 bits and of 64, in (0, 1]. */
DEVICE float real(uint32_t x)
{
    return (float)x * 0x1p-32f + 0x1p-33f;
}

DEVICE double wide(uint32_t low, uint32_t high)
{
    return (double)(low ^ (uint64_t)high << 21) * 0x1p-53 + 0x1p-54;
}

struct pair {
    float a, b;
};

struct wide_pair {
    double a, b;
};

/* Box and Muller; the angle is a part of a whole turn. */
DEVICE pair normal(float u, float angle)
{
    float r = sqrtf(-2 * logf(u)), s, c;

    sincosf(angle, &s, &c);
    return {r * s, r * c};
}

DEVICE wide_pair normal(double u, double turn)
{
    double r = sqrt(-2 * log(u)), s, c;

    sincospi(2 * turn, &s, &c);
    return {r * s, r * c};
}

/* The sum of exponentials' count, by one number in (0, 1]: what is left of it
 * when probabilities are taken away, from the likeliest outwards.  A normal one
 * beyond 4000. */
static __device__ uint32_t poisson(double u, double lambda)
{
    if (lambda > 4000) {
        double x = floor(lambda + sqrt(lambda) * normcdfinv(u) + 0.5);

        return x > 0 ? (uint32_t)x : 0;
    }
    double mode = floor(lambda);
    double p = exp(mode * log(lambda) - lambda - lgamma(mode + 1));
    double up = p, down = p;
    uint32_t k = (uint32_t)mode, below = k;

    u -= p;
    while (u > 0) {
        up *= lambda / (double)(k + 1);
        k++;
        u -= up;
        if (u <= 0) {
            return k;
        }
        if (below > 0) {
            down *= (double)below / lambda;
            below--;
            u -= down;
            if (u <= 0) {
                return below;
            }
        }
        if (up < 1e-300 && below == 0) {
            break; /* what rounding has left */
        }
    }
    return (uint32_t)mode;
}

/* What is made of a generator's bits(). */
template <typename G> struct of_bits {
    __device__ uint32_t more()
    {
        return static_cast<G *>(this)->bits();
    }

    __device__ float one()
    {
        return real(more());
    }

    __device__ double one_wide()
    {
        uint32_t low = more();

        return wide(low, more());
    }

    __device__ pair two()
    {
        float u = one();

        return normal(u, (float)more() * (float)(2 * PI * 0x1p-32) +
                             (float)(2 * PI * 0x1p-33));
    }

    __device__ wide_pair two_wide()
    {
        double u = one_wide();

        return normal(u, one_wide());
    }
};

/* ---- generators that keep a state, word by word for all threads ---- */

struct xorwow : of_bits<xorwow> {
    uint32_t d, v[5];

    __device__ void load(const uint32_t *state, uint32_t threads, uint32_t t)
    {
        d = state[t];
        for (int i = 0; i < 5; i++) {
            v[i] = state[(i + 1) * threads + t];
        }
    }

    __device__ void store(uint32_t *state, uint32_t threads, uint32_t t) const
    {
        state[t] = d;
        for (int i = 0; i < 5; i++) {
            state[(i + 1) * threads + t] = v[i];
        }
    }

    __device__ uint32_t bits()
    {
        uint32_t t = v[0] ^ v[0] >> 2;

        v[0] = v[1];
        v[1] = v[2];
        v[2] = v[3];
        v[3] = v[4];
        v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
        d += 362437;
        return v[4] + d;
    }
};

static const int64_t M1 = 4294967087, M2 = 4294944443;

struct mrg32k3a {
    uint32_t s[6];

    __device__ void load(const uint32_t *state, uint32_t threads, uint32_t t)
    {
        for (int i = 0; i < 6; i++) {
            s[i] = state[i * threads + t];
        }
    }

    __device__ void store(uint32_t *state, uint32_t threads, uint32_t t) const
    {
        for (int i = 0; i < 6; i++) {
            state[i * threads + t] = s[i];
        }
    }

    /* From 1 to M1. */
    __device__ double number()
    {
        int64_t p = (1403580ll * s[1] - 810728ll * s[0]) % M1;
        int64_t q = (527612ll * s[5] - 1370589ll * s[3]) % M2;

        p += p < 0 ? M1 : 0;
        q += q < 0 ? M2 : 0;
        s[0] = s[1];
        s[1] = s[2];
        s[2] = (uint32_t)p;
        s[3] = s[4];
        s[4] = s[5];
        s[5] = (uint32_t)q;
        return (double)(p <= q ? p - q + M1 : p - q);
    }

    /* The numbers fill 32 bits, and (0, 1]: by cuRAND's factors. */
    __device__ uint32_t bits()
    {
        return (uint32_t)(number() * 1.000000048662);
    }

    __device__ double one_wide()
    {
        return number() * 2.3283065498378288e-10;
    }

    __device__ float one()
    {
        return (float)one_wide();
    }

    __device__ pair two()
    {
        float u = one();

        return normal(u, one() * (float)(2 * PI));
    }

    __device__ wide_pair two_wide()
    {
        double u = one_wide();

        return normal(u, one_wide());
    }
};

struct raw {
    typedef uint32_t type;
    template <typename G>
    static __device__ void put(G &g, type *out, uint64_t m, double, double)
    {
        out[m] = g.bits();
    }
};

struct uniform {
    typedef float type;
    template <typename G>
    static __device__ void put(G &g, type *out, uint64_t m, double, double)
    {
        out[m] = g.one();
    }
};

struct uniform_wide {
    typedef double type;
    template <typename G>
    static __device__ void put(G &g, type *out, uint64_t m, double, double)
    {
        out[m] = g.one_wide();
    }
};

template <bool LOG> DEVICE float shaped(float x, double mean, double deviation)
{
    float y = (float)mean + (float)deviation * x;

    return LOG ? expf(y) : y;
}

template <bool LOG>
DEVICE double shaped(double x, double mean, double deviation)
{
    double y = mean + deviation * x;

    return LOG ? exp(y) : y;
}

template <bool LOG> struct gauss {
    typedef float type;
    template <typename G>
    static __device__ void put(G &g, type *out, uint64_t m, double a, double b)
    {
        pair x = g.two();

        out[2 * m] = shaped<LOG>(x.a, a, b);
        out[2 * m + 1] = shaped<LOG>(x.b, a, b);
    }
};

template <bool LOG> struct gauss_wide {
    typedef double type;
    template <typename G>
    static __device__ void put(G &g, type *out, uint64_t m, double a, double b)
    {
        wide_pair x = g.two_wide();

        out[2 * m] = shaped<LOG>(x.a, a, b);
        out[2 * m + 1] = shaped<LOG>(x.b, a, b);
    }
};

struct counts {
    typedef uint32_t type;
    template <typename G>
    static __device__ void put(G &g, type *out, uint64_t m, double a, double)
    {
        out[m] = poisson(g.one_wide(), a);
    }
};

template <typename G, typename KIND>
DEVICE void each(uint32_t *state, uint32_t threads, uint32_t turn,
                 uint64_t units, typename KIND::type *out, double a, double b)
{
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t m = t >= turn ? t - turn : t + threads - turn;
    G g;

    if (t >= threads || m >= units) {
        return;
    }
    g.load(state, threads, t);
    for (; m < units; m += threads) {
        KIND::put(g, out, m, a, b);
    }
    g.store(state, threads, t);
}

#define KINDS(X, name)                                                         \
    X(name, raw, raw)                                                          \
    X(name, uniform, uniform)                                                  \
    X(name, uniform_double, uniform_wide)                                      \
    X(name, normal, gauss<false>)                                              \
    X(name, normal_double, gauss_wide<false>)                                  \
    X(name, log_normal, gauss<true>)                                           \
    X(name, log_normal_double, gauss_wide<true>)                               \
    X(name, poisson, counts)

#define EACH(name, kind, type_of_kind)                                         \
    KERNEL name##_##kind(uint32_t *state, uint32_t threads, uint32_t turn,     \
                         uint64_t units, type_of_kind::type *out, double a,    \
                         double b)                                             \
    {                                                                          \
        each<name, type_of_kind>(state, threads, turn, units, out, a, b);      \
    }
KINDS(EACH, xorwow)
KINDS(EACH, mrg32k3a)

/* ---- where sequences start ---- */

/* jumps: for each power of two of steps the 160 columns of its matrix, of five
 * words each.  A sequence is 2^67 steps behind the one before. */
KERNEL xorwow_start(uint32_t *state, uint32_t threads, uint64_t seed,
                    uint64_t offset, const uint32_t *jumps)
{
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t a = ((uint32_t)seed ^ 0xaad26b49) * 1099087573;
    uint32_t b = ((uint32_t)(seed >> 32) ^ 0xf7dcefdd) * 2591861531;
    xorwow g = {{},
                6615241 + b + a,
                {123456789 + a, 362436069 ^ a, 521288629 + b, 88675123 ^ b,
                 5783321 + a}};
    uint64_t steps = (offset + threads - 1 - t) / threads;

    if (t >= threads) {
        return;
    }
    g.d += 362437 * (uint32_t)steps;
    for (int k = 0; k < 64 + 32; k++) {
        uint32_t to[5] = {0, 0, 0, 0, 0};

        if (k < 64 ? (steps >> k & 1) == 0 : (t >> (k - 64) & 1) == 0) {
            continue;
        }
        const uint32_t *jump = jumps + (k < 64 ? k : k + 3) * 160 * 5;
        for (int i = 0; i < 160; i++) {
            uint32_t set = 0 - (g.v[i / 32] >> i % 32 & 1);

            for (int w = 0; w < 5; w++) {
                to[w] ^= set & jump[i * 5 + w];
            }
        }
        for (int w = 0; w < 5; w++) {
            g.v[w] = to[w];
        }
    }
    g.store(state, threads, t);
}

DEVICE void multiply(const uint32_t *matrix, uint32_t *v, uint64_t modulus)
{
    uint64_t to[3];

    for (int i = 0; i < 3; i++) {
        to[i] = 0;
        for (int k = 0; k < 3; k++) {
            to[i] = (to[i] + (uint64_t)matrix[3 * i + k] * v[k] % modulus) %
                    modulus;
        }
    }
    for (int i = 0; i < 3; i++) {
        v[i] = (uint32_t)to[i];
    }
}

/* jumps: for each power of two of steps a matrix for each of both components.
 * A sequence is 2^76 steps behind the one before. */
KERNEL mrg32k3a_start(uint32_t *state, uint32_t threads, uint64_t seed,
                      uint64_t offset, const uint32_t *jumps)
{
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t x = (uint32_t)seed ^ 0x55555555;
    uint64_t y = (uint32_t)(seed >> 32) ^ 0xaaaaaaaa;
    uint64_t steps = (offset + threads - 1 - t) / threads;
    mrg32k3a g;

    if (t >= threads) {
        return;
    }
    for (int i = 0; i < 6; i++) {
        uint64_t by = seed == 0 ? 1 : i % 2 == 0 ? x : y;

        g.s[i] = (uint32_t)(12345 * by % (uint64_t)(i < 3 ? M1 : M2));
    }
    for (int k = 0; k < 64 + 32; k++) {
        if (k < 64 ? (steps >> k & 1) == 0 : (t >> (k - 64) & 1) == 0) {
            continue;
        }
        const uint32_t *jump = jumps + (k < 64 ? k : k + 12) * 18;
        multiply(jump, g.s, (uint64_t)M1);
        multiply(jump + 9, g.s + 3, (uint64_t)M2);
    }
    g.store(state, threads, t);
}

/* ---- Philox ---- */

DEVICE uint4 philox(uint64_t seed, uint64_t counter, uint32_t sequence)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint4 c = {(uint32_t)counter, (uint32_t)(counter >> 32), sequence, 0};

    for (int round = 0; round < 10; round++) {
        /* Of 64 bits nvcc would make shifts and masks. */
        c = {__umulhi(0xCD9E8D57, c.z) ^ c.y ^ k0, 0xCD9E8D57 * c.z,
             __umulhi(0xD2511F53, c.x) ^ c.w ^ k1, 0xD2511F53 * c.x};
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return c;
}

/* What a unit of the kinds above asks for, of the four words of a block. */
struct of_block : of_bits<of_block> {
    uint32_t word[4];
    int next;

    __device__ uint32_t bits()
    {
        return word[next++];
    }
};

/* The numbers from `position` on, four of each of 65536 sequences in turn; four
 * that are made of 64 bits each take two blocks.  UNIT numbers are made at
 * once, of UNIT x WIDE words. */
template <typename KIND, int UNIT, int WIDE>
DEVICE void blocks(uint64_t seed, uint64_t position, uint64_t count,
                   typename KIND::type *out, double a, double b)
{
    uint64_t t = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    uint64_t four = position / 4 + t, end = position + count;

    for (; 4 * four < end; four += (uint64_t)gridDim.x * blockDim.x) {
        typename KIND::type made[4];

        for (int k = 0; k < WIDE; k++) {
            uint4 x =
                philox(seed, four / 65536 * WIDE + k, (uint32_t)(four % 65536));
            of_block g = {{}, {x.x, x.y, x.z, x.w}, 0};

            for (int i = 0; i < 4 / WIDE / UNIT; i++) {
                KIND::put(g, made, (uint64_t)(k * (4 / WIDE / UNIT) + i), a, b);
            }
        }
        for (int i = 0; i < 4; i++) {
            if (4 * four + i >= position && 4 * four + i < end) {
                out[4 * four + i - position] = made[i];
            }
        }
    }
}

#define BLOCKS(kind, type_of_kind, unit, words)                                \
    KERNEL philox_##kind(uint64_t seed, uint64_t position, uint64_t count,     \
                         type_of_kind::type *out, double a, double b)          \
    {                                                                          \
        blocks<type_of_kind, unit, words>(seed, position, count, out, a, b);   \
    }
BLOCKS(raw, raw, 1, 1)
BLOCKS(uniform, uniform, 1, 1)
BLOCKS(uniform_double, uniform_wide, 1, 2)
BLOCKS(normal, gauss<false>, 2, 1)
BLOCKS(normal_double, gauss_wide<false>, 2, 2)
BLOCKS(log_normal, gauss<true>, 2, 1)
BLOCKS(log_normal_double, gauss_wide<true>, 2, 2)
BLOCKS(poisson, counts, 1, 2)

/* ---- MT19937 ---- */

/* The words from `from` on, of which the first is word 0 of the state that is
 * there; one block of threads, since each word needs those before. */
KERNEL mt19937_words(uint32_t *state, uint64_t from, uint64_t count,
                     uint32_t *out)
{
    __shared__ uint32_t s[624];

    for (uint32_t i = threadIdx.x; i < 624; i += blockDim.x) {
        s[i] = state[i];
    }
    for (uint64_t block = 0; block * 624 < from + count; block++) {
        __syncthreads();
        if (block > 0) {
            /* A word needs itself, the next and the one 397 on: 227 at once. */
            for (uint32_t first = 0; first < 624; first += 227) {
                uint32_t i = first + threadIdx.x, x = 0;
                bool mine = threadIdx.x < 227 && i < 624;

                if (mine) {
                    uint32_t y = (s[i] & 0x80000000) |
                                 (s[i < 623 ? i + 1 : 0] & 0x7fffffff);

                    x = s[i < 227 ? i + 397 : i - 227] ^ y >> 1 ^
                        (y & 1 ? 0x9908b0df : 0);
                }
                __syncthreads();
                if (mine) {
                    s[i] = x;
                }
                __syncthreads();
            }
        }
        for (uint32_t i = threadIdx.x; i < 624; i += blockDim.x) {
            uint64_t at = block * 624 + i;
            uint32_t y = s[i];

            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c5680;
            y ^= y << 15 & 0xefc60000;
            y ^= y >> 18;
            if (at >= from && at < from + count) {
                out[at - from] = y;
            }
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 624; i += blockDim.x) {
        state[i] = s[i];
    }
}

/* What the kinds make of words, one after another; a pair may lack its second.
 */
template <typename KIND, int UNIT, int WIDE>
DEVICE void of_words(const uint32_t *word, uint64_t count,
                     typename KIND::type *out, double a, double b)
{
    uint64_t m = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;

    for (; m * UNIT < count; m += (uint64_t)gridDim.x * blockDim.x) {
        typename KIND::type made[UNIT];
        of_block g = {{}, {0, 0, 0, 0}, 0};

        for (int i = 0; i < UNIT * WIDE; i++) {
            g.word[i] = word[m * UNIT * WIDE + i];
        }
        KIND::put(g, made, 0, a, b);
        for (int i = 0; i < UNIT; i++) {
            if (m * UNIT + i < count) {
                out[m * UNIT + i] = made[i];
            }
        }
    }
}

#define WORDS(kind, type_of_kind, unit, words)                                 \
    KERNEL mt19937_##kind(const uint32_t *word, uint64_t count,                \
                          type_of_kind::type *out, double a, double b)         \
    {                                                                          \
        of_words<type_of_kind, unit, words>(word, count, out, a, b);           \
    }
WORDS(uniform, uniform, 1, 1)
WORDS(uniform_double, uniform_wide, 1, 2)
WORDS(normal, gauss<false>, 2, 1)
WORDS(normal_double, gauss_wide<false>, 2, 2)
WORDS(log_normal, gauss<true>, 2, 1)
WORDS(log_normal_double, gauss_wide<true>, 2, 2)
WORDS(poisson, counts, 1, 2)
