#include "../../../workloads/suite/conv2d/conv2d.cu"
#include "host.h"

int main()
{
    static const float mask[] = {0.2f,  0.5f, -0.8f, -0.3f, 0.6f,
                                 -0.9f, 0.4f, 0.7f,  0.1f};
    int h = 40, w = 70;
    std::vector<float> a = reals(h * w, 1);
    std::vector<double> b(h * w);
    float *db = device<float>(h * w), *da = upload(a);

    conv2d<<<dim3(blocks(w, 32), blocks(h, 8)), dim3(32, 8)>>>(h, w, da, db);
    for (int i = 1; i < h - 1; i++) {
        for (int j = 1; j < w - 1; j++) {
            for (int q = 0; q < 9; q++) {
                b[i * w + j] +=
                    mask[q] * a[(i + q / 3 - 1) * w + j + q % 3 - 1];
            }
        }
    }
    return compare_near(download(db, h * w), b, 1e-6);
}
