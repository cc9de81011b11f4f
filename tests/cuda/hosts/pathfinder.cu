#include "../../../workloads/suite/pathfinder/pathfinder.cu"
#include "host.h"

int main()
{
    int rows = 12, columns = 500, height = 5;
    std::vector<int> wall = integers<int>(rows * columns, 1, 0, 9),
                     cost(wall.begin(), wall.begin() + columns),
                     rest(wall.begin() + columns, wall.end());
    int *dwall = upload(rest), *from = upload(cost), *to = device<int>(columns);

    for (int first = 0; first < rows - 1; first += height) {
        pathfinder<<<blocks(columns, WIDTH - 2 * height), WIDTH>>>(
            std::min(height, rows - 1 - first), dwall, from, to, columns, first,
            height);
        std::swap(from, to);
    }
    for (int r = 1; r < rows; r++) {
        std::vector<int> was = cost;

        for (int x = 0; x < columns; x++) {
            cost[x] = wall[r * columns + x] +
                      std::min({was[x], was[std::max(x - 1, 0)],
                                was[std::min(x + 1, columns - 1)]});
        }
    }
    return compare(download(from, columns), cost);
}
