-- Figure 3: which warps issue, by their place in GTO's order.
local common = require "common"

local function share(ranks)
  return function(run)
    local by_rank = run.stats "gpu/sm/policy/warp_analysis".issues_by_rank
    local some, all = 0, 0
    for rank, count in pairs(by_rank) do
      all = all + count
      if rank < ranks then some = some + count end
    end
    return some / all
  end
end

return common.experiment {
  name = "dacache_fig03",
  doc = "Share of the issues that the oldest warps of each scheduler have",
  benches = common.divergent, techniques = { "lru" },
  metrics = {
    top1 = { doc = "The oldest warp of a scheduler", value = share(1) },
    top3 = { doc = "The three oldest", value = share(3) },
    top6 = { doc = "The six oldest", value = share(6) },
    top12 = { doc = "The twelve oldest", value = share(12) },
  },
  figures = { { column = "top3", by = "bench", mean = "arithmetic" },
              { column = "gpu.sm.policy.warp_analysis.issues_by_rank",
                by = "bench", share = true, kind = "stack",
                title = "Issues by the warp's place in GTO's order" } },
}
