#include "../../../workloads/suite/bicg/bicg.cu"
#include "host.h"

int main()
{
    int rows = 96, columns = 40;
    std::vector<float> a = numbers(rows * columns, 1, 4),
                       r = numbers(rows, 2, 4), p = numbers(columns, 3, 4),
                       s(columns), q(rows);
    float *da = upload(a), *dr = upload(r), *dp = upload(p),
          *ds = device<float>(columns), *dq = device<float>(rows);

    bicg_columns<<<(columns + 255) / 256, 256>>>(rows, columns, da, dr, ds);
    bicg_rows<<<(rows + 255) / 256, 256>>>(rows, columns, da, dp, dq);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            s[j] += a[i * columns + j] * r[i];
            q[i] += a[i * columns + j] * p[j];
        }
    }
    return compare(download(ds, columns), s) + compare(download(dq, rows), q);
}
