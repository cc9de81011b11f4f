#include "../../../workloads/suite/bfs/bfs.cu"
#include "host.h"

int main()
{
    int n = 1000, grid = (n + 255) / 256, again;
    std::vector<node> nodes(n);
    std::vector<int> edges, cost(n, -1), want(n, -1), queue(1, 0);
    std::vector<char> mark(n);

    for (int i = 0; i < n; i++) { /* a few neighbours, near and far */
        nodes[i] = {(int)edges.size(), 3};
        edges.push_back((i + 1) % n);
        edges.push_back((i * 7 + 3) % n);
        edges.push_back(i / 2);
    }
    mark[0] = 1;
    cost[0] = want[0] = 0;
    node *dnodes = upload(nodes);
    int *dedges = upload(edges), *dcost = upload(cost), *dagain = device<int>(1);
    char *dfrontier = upload(mark), *dvisited = upload(mark),
         *dnext = device<char>(n);
    CHECK(cudaMemset(dnext, 0, n));
    do {
        CHECK(cudaMemset(dagain, 0, sizeof(int)));
        bfs_expand<<<grid, 256>>>(dnodes, dedges, dfrontier, dnext, dvisited,
                                  dcost, n);
        bfs_advance<<<grid, 256>>>(dfrontier, dnext, dvisited, dagain, n);
        again = download(dagain, 1)[0];
    } while (again);
    for (size_t i = 0; i < queue.size(); i++) {
        for (int e = 0; e < 3; e++) {
            int to = edges[nodes[queue[i]].first + e];

            if (want[to] < 0) {
                want[to] = want[queue[i]] + 1;
                queue.push_back(to);
            }
        }
    }
    return compare(download(dcost, n), want);
}
