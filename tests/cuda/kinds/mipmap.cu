/*
 * Mipmapped textures: levels that are given, that gradients ask for, between
 * two, with a bias and within limits.
 */
#include <cuda.h>

#include "../hosts/host.h"

enum {
    SIZE = 64,
    LEVELS = 7
};

__global__ void given(cudaTextureObject_t t, const float *level, float *out,
                      int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        out[i] = tex2DLod<float>(t, 0.5f, 0.5f, level[i]);
    }
}

/* Steps of so many texels of the largest level. */
__global__ void gradients(cudaTextureObject_t t, const float *step, float *out,
                          int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        float s = step[i] / SIZE;

        out[2 * i] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(s, 0),
                                      make_float2(0, s / 2));
        out[2 * i + 1] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(0, 0),
                                          make_float2(s * 0.6f, s * 0.8f));
    }
}

__global__ void plain(cudaTextureObject_t t, float *out)
{
    out[0] = tex2D<float>(t, 0.5f, 0.5f);
}

/* Every texel of a level has its number, times ten. */
static cudaMipmappedArray_t make(void)
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;

    CHECK(cudaMallocMipmappedArray(&mipmap, &channel,
                                   make_cudaExtent(SIZE, SIZE, 0), LEVELS));
    for (int l = 0; l < LEVELS; l++) {
        int size = SIZE >> l;
        std::vector<float> texels(size * size, 10.0f * l);
        cudaArray_t level;

        CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, l));
        CHECK(cudaMemcpy2DToArray(level, 0, 0, texels.data(), size * 4,
                                  size * 4, size, cudaMemcpyHostToDevice));
    }
    return mipmap;
}

static cudaTextureObject_t texture(cudaMipmappedArray_t mipmap, bool linear,
                                   float bias, float least, float most)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t made;

    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = 1;
    how.mipmapFilterMode =
        linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.mipmapLevelBias = bias;
    how.minMipmapLevelClamp = least;
    how.maxMipmapLevelClamp = most;
    CHECK(cudaCreateTextureObject(&made, &resource, &how, NULL));
    return made;
}

static int failures;

static void expect(const char *what, float got, float want, float margin)
{
    if (!(std::fabs(got - want) <= margin)) {
        printf("FAILED: %s: %f, expected %f\n", what, got, want);
        failures++;
    }
}

/* The same by the driver API: two levels, of 1 and of 3. */
static void by_driver(const float *level, float *out)
{
    CUDA_ARRAY3D_DESCRIPTOR made = {};
    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC how = {};
    CUmipmappedArray mipmap;
    CUtexObject texture;
    float got[3];
    bool ok;

    made.Width = made.Height = 2;
    made.Format = CU_AD_FORMAT_FLOAT;
    made.NumChannels = 1;
    ok = cuMipmappedArrayCreate(&mipmap, &made, 2) == CUDA_SUCCESS;
    for (int l = 0; ok && l < 2; l++) {
        const float texels[4] = {1.0f + 2 * l, 1.0f + 2 * l, 1.0f + 2 * l,
                                 1.0f + 2 * l};
        CUDA_MEMCPY2D copy = {};

        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = texels;
        copy.srcPitch = 8;
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.WidthInBytes = 8 >> l;
        copy.Height = 2 >> l;
        ok = cuMipmappedArrayGetLevel(&copy.dstArray, mipmap, l) ==
                 CUDA_SUCCESS &&
             cuMemcpy2D(&copy) == CUDA_SUCCESS;
    }
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = mipmap;
    how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    how.filterMode = CU_TR_FILTER_MODE_LINEAR;
    how.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    how.maxMipmapLevelClamp = 9;
    ok = ok && cuTexObjectCreate(&texture, &resource, &how, NULL) ==
                   CUDA_SUCCESS;
    expect("the driver's calls", ok, 1, 0);
    if (ok) {
        given<<<1, 32>>>(texture, level, out, 3); /* 0, 1, 2.25 */
        CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
        expect("driver, level 0", got[0], 1, 0);
        expect("driver, level 1", got[1], 3, 0);
        expect("driver, beyond", got[2], 3, 0);
        expect("driver, destroyed",
               cuMipmappedArrayDestroy(mipmap) == CUDA_SUCCESS, 1, 0);
    }
}

int main()
{
    const std::vector<float> level = {0, 1, 2.25f, 2.75f, 5.5f, 6, 9, -3};
    const int n = (int)level.size();
    cudaMipmappedArray_t mipmap = make();
    float *asked = upload(level), *out = device<float>(2 * n);
    std::vector<float> got(2 * n);
    cudaTextureObject_t smooth = texture(mipmap, true, 0, 0, 99);
    cudaTextureObject_t nearest = texture(mipmap, false, 0, 0, 99);
    cudaTextureObject_t limited = texture(mipmap, true, 0.5f, 1, 4);

    for (cudaTextureObject_t t : {smooth, nearest, limited}) {
        given<<<1, 32>>>(t, asked, out, n);
        CHECK(cudaMemcpy(got.data(), out, n * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++) {
            float l = level[i] + (t == limited ? 0.5f : 0);
            float least = t == limited ? 1 : 0, most = t == limited ? 4 : 6;

            l = std::min(std::max(l, least), most);
            if (t == nearest) {
                expect("nearest", got[i], 10 * std::floor(l + 0.5f), 0);
            } else {
                expect("between", got[i], 10 * l, 0.05f);
            }
        }
    }
    by_driver(asked, out);
    const std::vector<float> step = {1, 2, 4, 8, 3, 100};
    asked = upload(step);
    gradients<<<1, 32>>>(smooth, asked, out, (int)step.size());
    CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < step.size(); i++) {
        float l = std::min(std::log2(step[i]), 6.0f);

        expect("gradient", got[2 * i], 10 * l, 0.1f);
        expect("slanted gradient", got[2 * i + 1], 10 * l, 0.1f);
    }
    plain<<<1, 1>>>(limited, out);
    CHECK(cudaMemcpy(got.data(), out, 4, cudaMemcpyDeviceToHost));
    expect("plain", got[0], 10, 0); /* level 0, 0.5 more, at least 1 */
    CHECK(cudaDestroyTextureObject(smooth));
    CHECK(cudaFreeMipmappedArray(mipmap));
    printf("mipmaps: %s\n", failures == 0 ? "PASSED" : "FAILED");
    return failures != 0;
}
