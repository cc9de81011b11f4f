#include "../../../workloads/suite/bfs/bfs.cu"
#include "host.h"

int main()
{
    int n = 300, again;
    std::vector<int> count = integers<int>(n, 1, 1, 2 * 3 - 1), edges,
                     cost(n, -1), want(n, -1), queue(1, 0);
    std::vector<node> nodes(n);
    std::vector<char> mark(n);
    int total = 0;

    for (int i = 0; i < n; i++) {
        nodes[i] = {total, count[i]};
        total += count[i];
    }
    edges = integers<int>(total, 2, 0, n - 1);
    mark[0] = 1;
    cost[0] = want[0] = 0;
    node *dnodes = upload(nodes);
    int *dedges = upload(edges);
    char *dfrontier = upload(mark), *dvisited = upload(mark),
         *dnext = device<char>(n);
    int *dcost = upload(cost), *dagain = device<int>(1);
    do {
        again = 0;
        CHECK(cudaMemcpy(dagain, &again, sizeof(int), cudaMemcpyHostToDevice));
        bfs_expand<<<blocks(n), 256>>>(dnodes, dedges, dfrontier, dnext,
                                       dvisited, dcost, n);
        bfs_advance<<<blocks(n), 256>>>(dfrontier, dnext, dvisited, dagain, n);
        again = download(dagain, 1)[0];
    } while (again);
    for (size_t i = 0; i < queue.size(); i++) {
        for (int e = 0; e < count[queue[i]]; e++) {
            int to = edges[nodes[queue[i]].first + e];

            if (want[to] < 0) {
                want[to] = want[queue[i]] + 1;
                queue.push_back(to);
            }
        }
    }
    return compare(download(dcost, n), want);
}
