/*
 * Prices of options by Black and Scholes, BlackScholes of the CUDA samples:
 * two options per thread, as vectors of two.
 */
struct __attribute__((aligned(8))) pair {
    float x, y;
};

/* The normal distribution, a polynomial by Abramowitz and Stegun. */
GPU_INLINE float cumulative(float d)
{
    float a = fabsf(d);
    float k = 1.0f / (1.0f + 0.2316419f * a);
    float tail = 0.39894228f * expf(-0.5f * d * d) * k *
                 (0.31938153f +
                  k * (-0.356563782f +
                       k * (1.781477937f +
                            k * (-1.821255978f + k * 1.330274429f))));

    return d > 0.0f ? 1.0f - tail : tail;
}

GPU_INLINE void price(float *call, float *put, float stock, float strike,
                      float years, float rate, float volatility)
{
    float root = sqrtf(years);
    float d1 = (logf(stock / strike) +
                (rate + 0.5f * volatility * volatility) * years) /
               (volatility * root);
    float d2 = d1 - volatility * root;
    float discount = expf(-rate * years);

    *call = stock * cumulative(d1) - strike * discount * cumulative(d2);
    *put = strike * discount * (1.0f - cumulative(d2)) -
           stock * (1.0f - cumulative(d1));
}

KERNEL blackscholes(struct pair *call, struct pair *put,
                    const struct pair *stock, const struct pair *strike,
                    const struct pair *years, float rate, float volatility,
                    int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < pairs) {
        struct pair c, p;

        price(&c.x, &p.x, stock[i].x, strike[i].x, years[i].x, rate,
              volatility);
        price(&c.y, &p.y, stock[i].y, strike[i].y, years[i].y, rate,
              volatility);
        call[i] = c;
        put[i] = p;
    }
}
