#include "../../../workloads/suite/nw/nw.cu"
#include "host.h"

int main()
{
    int n = 48, columns = n + 1, tiles = n / SIDE, penalty = 10;
    std::vector<int> a = integers<int>(columns, 1, 0, 9),
                     b = integers<int>(columns, 2, 0, 9),
                     similar(columns * columns), score(columns * columns);

    for (int i = 0; i < columns * columns; i++) {
        int x = a[i % columns], y = b[i / columns];

        similar[i] = x == y ? 5 + x % 3 : x * y % 7 - 4;
    }
    for (int i = 1; i <= n; i++) {
        score[i] = score[i * columns] = -penalty * i;
    }
    int *ds = upload(similar), *dscore = upload(score);
    for (int d = 1; d <= tiles; d++) {
        nw_upper<<<d, SIDE>>>(ds, dscore, columns, penalty, d);
    }
    for (int d = tiles - 1; d > 0; d--) {
        nw_lower<<<d, SIDE>>>(ds, dscore, columns, penalty, d, tiles);
    }
    for (int y = 1; y <= n; y++) {
        for (int x = 1; x <= n; x++) {
            int *at = &score[y * columns + x];

            *at = std::max({at[-columns - 1] + similar[y * columns + x],
                            at[-1] - penalty, at[-columns] - penalty});
        }
    }
    return compare(download(dscore, columns * columns), score);
}
