#include "../../../workloads/suite/atax/atax.cu"
#include "host.h"

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 128;
    int columns = argc > 2 ? atoi(argv[2]) : 24;
    std::vector<float> a = numbers(rows * columns, 1, 2),
                       x = numbers(columns, 2, 4), t(rows), y(columns);
    float *da = upload(a), *dx = upload(x), *dy = device<float>(columns),
          *dt = device<float>(rows);

    atax_rows<<<(rows + 255) / 256, 256>>>(rows, columns, da, dx, dt);
    atax_columns<<<(columns + 255) / 256, 256>>>(rows, columns, da, dy, dt);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            t[i] += a[i * columns + j] * x[j];
        }
        for (int j = 0; j < columns; j++) {
            y[j] += a[i * columns + j] * t[i];
        }
    }
    return compare(download(dt, rows), t) + compare(download(dy, columns), y);
}
