#include "../../../workloads/suite/mvt/mvt.cu"
#include "host.h"

int main()
{
    int rows = 96, columns = 40;
    std::vector<float> a = numbers(rows * columns, 1, 4),
                       x1 = numbers(rows, 2, 4), y1 = numbers(columns, 3, 4),
                       x2 = numbers(columns, 4, 4), y2 = numbers(rows, 5, 4);
    float *da = upload(a), *dx1 = upload(x1), *dx2 = upload(x2);

    mvt_rows<<<blocks(rows), 256>>>(rows, columns, da, dx1, upload(y1));
    mvt_columns<<<blocks(columns), 256>>>(rows, columns, da, dx2, upload(y2));
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            x1[i] += a[i * columns + j] * y1[j];
            x2[j] += a[i * columns + j] * y2[i];
        }
    }
    return compare(download(dx1, rows), x1) +
           compare(download(dx2, columns), x2);
}
