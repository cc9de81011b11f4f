#include "../../../workloads/suite/stencil2d/stencil2d.cu"
#include "host.h"

int main()
{
    int rows = 32, columns = 128, w = columns + 2;
    std::vector<float> plane = reals((rows + 2) * w, 1);
    float *a = upload(plane), *b = upload(plane);

    for (int t = 0; t < 2; t++) {
        std::vector<float> was = plane;

        stencil2d<<<dim3(columns / 64, rows / 16), 64>>>(a, b, w, 0.25, 0.15,
                                                         0.05);
        std::swap(a, b);
        for (int y = 1; y <= rows; y++) {
            for (int x = 1; x <= columns; x++) {
                const float *at = &was[y * w + x];

                plane[y * w + x] =
                    0.25f * at[0] + 0.15f * (at[-1] + at[1] + at[-w] + at[w]) +
                    0.05f * (at[-w - 1] + at[-w + 1] + at[w - 1] + at[w + 1]);
            }
        }
    }
    return compare_near(download(a, plane.size()), plane, 1e-5);
}
