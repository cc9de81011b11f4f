#include "../../../workloads/suite/gesummv/gesummv.cu"
#include "host.h"

int main()
{
    int rows = 96, columns = 40;
    std::vector<float> a = numbers(rows * columns, 1, 4),
                       b = numbers(rows * columns, 2, 4),
                       x = numbers(columns, 3, 4), y(rows);
    float *dy = device<float>(rows), *da = upload(a), *db = upload(b),
          *tmp = device<float>(rows), *dx = upload(x);

    gesummv<<<blocks(rows), 256>>>(rows, columns, 2, 3, da, db, tmp, dx, dy);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            y[i] += (2 * a[i * columns + j] + 3 * b[i * columns + j]) * x[j];
        }
    }
    return compare(download(dy, rows), y);
}
