-- What the S-L1 paper states.  Numbers are of its text.
local common = require "common"
local bandwidth = require "bandwidth"
local shared = require "warploom.claims"
local open = require "open"

local list, claim, relative = shared.list()
local _, one, the = shared.readers "scheme"

local function bench(column, name)
  return function(t) return t[column]:value { bench = name } end
end

local function part(column, name)
  return function(t) return t[column]:at { bench = name } end
end

local function only(column)
  return function(t) return t[column] end
end

local fig1, fig5 = "figure 1", "section 2.3.1, figure 5"
local fig6, fig7 = "section 2.3.1, figure 6", "section 4.2, figure 7"
local fig8, fig10 = "section 4.2, figure 8", "section 4.3, figure 10"
local fig11, fig12 = "section 4.4, figure 11", "section 4.4, figure 12"
local fig13 = "section 4.5, figure 13"

claim { says = "with few threads wc's first access of a line misses and the " ..
               "next 127 hit", where = fig1, figure = "fig01",
        paper = 127 / 128, near = 0.02,
        value = function(t) return t.hits.rows[1].value end }
claim { says = "with many threads they may all miss", where = fig1,
        figure = "fig01", paper = 0.5, at_most = function(t)
  return t.hits.rows[#t.hits.rows].value
end }
claim { says = "the hit rate falls with the number of threads", where = fig1,
        figure = "fig01", order = function(t)
  local points = {}
  for i, row in ipairs(t.hits.rows) do
    points[i] = { row.names.threads, row.value }
  end
  return points
end }

claim { says = "one block's L2 throughput is flat at slightly less than " ..
               "32 GB/s", where = fig5, figure = "fig05", paper = 32,
        value = function(t)
  return t.curve:value { blocks = 1, threads = 1024 }
end }
claim { says = "it is flat from about 512 threads on", where = fig5,
        figure = "fig05", paper = 512, value = function(t)
  return bandwidth.bend(t.curve:at { blocks = 1 }, "threads")
end,
        why = { script = "why-ahead", says = "one load of a thread is " ..
          "under way here, and 30 warps fill the link from the network; " ..
          "the paper does not say how many its program has. With two",
          with = function(t) return bandwidth.bend(t.curve, "threads") end } }
claim { says = "the L2 gives close to 480 GB/s to 15 blocks", where = fig6,
        figure = "fig06", paper = 480, value = function(t)
  return t.curve:value { memory = "L2", blocks = 15 }
end }
claim { says = "the L2's throughput grows almost linearly with the blocks",
        where = fig6, figure = "fig06", paper = 15, value = function(t)
  return t.curve:value { memory = "L2", blocks = 15 } /
         t.curve:value { memory = "L2", blocks = 1 }
end }
claim { says = "DRAM gives 307 GB/s at most to 15 blocks", where = fig5,
        figure = "fig06", paper = 307, value = function(t)
  return t.curve:value { memory = "DRAM", blocks = 15 }
end }
claim { says = "DRAM's throughput is at its limit from 10 blocks on",
        where = fig6, figure = "fig06", paper = 10, value = function(t)
  return bandwidth.bend(t.curve:at { memory = "DRAM" }, "blocks")
end,
        why = "Up to 9 blocks the SMs' links are the limit, then refreshes " ..
          "and rows that streams take from each other: 282 GB/s at 10 " ..
          "blocks, 324 at 15 (docs/validation.md)." }
claim { says = "shared memory gives 60 GB/s to an SM", where = "section 2.3.1",
        figure = "fig05", paper = 60, value = function(t)
  return t.shared.rows[#t.shared.rows].value
end,
        why = { script = "why-ahead", says = "not explained: threads have " ..
          "one load of 4 bytes under way. With two",
          with = function(t) return t.shared.rows[#t.shared.rows].value end } }
claim { says = "its throughput does not flatten out", where = "section 2.3.1",
        figure = "fig05", larger = function(t)
  local rows = t.shared.rows -- per thread at the end, and at the first
  local first, last = rows[1], rows[#rows]
  return last.value / tonumber(last.names.threads),
         0.95 * first.value / tonumber(first.names.threads)
end }
claim { says = "the latencies of shared memory, L1, L2 and DRAM are 80, 80, " ..
               "240 and 350 cycles", where = "section 2.1",
        untested = "they are the machine's parameters; the test " ..
          "validate.sl1 measures 80, 80, 240 and 348" }

-- Threads that monitor a tenth, and have more of sl1_mm and sl1_kmeans.
local function work(says, with)
  return { script = "why-work", with = with, says = says }
end
local more = "a thread has kilobytes of input here and hundreds of them in " ..
  "the paper, and monitors 300 accesses of them; Matrix Multiply and kmeans " ..
  "have so little that the hardware L1 nearly holds it. With 30 accesses, " ..
  "and more input of these two"

claim { says = "S-L1 is 2.1 times as fast as no L1 on the average",
        where = fig7, figure = "fig07", paper = 2.1, neutral = 1,
        headline = true, effect = the("mean", "sl1"),
        range = shared.range(open, "scheme", "sl1", "mean"),
        why = work(more, the("mean", "early")) }
claim { says = "S-L1 is 1.9 times as fast as the hardware L1 on the average",
        where = fig7, figure = "fig07", paper = 1.9, neutral = 1,
        effect = only "mean_over_l1" }
relative("the best gain over no L1 is 6.5 times", "section 1", "fig07", 6.5,
         function(t) return t.speedup:at { scheme = "sl1" }:max "bench" end,
         work(more, function(t)
           return t.speedup:at { scheme = "early" }:max "bench"
         end))
relative("the best gain over the hardware L1 is 4.3 times", "section 1",
         "fig07", 4.3, function(t) return t.over_l1:max "bench" end)
claim { says = "the worst loss to the hardware L1 is 0.14", figure = "fig07",
        where = "section 1", paper = 0.86, neutral = 1,
        at_least = function(t)
  return t.over_l1:min "bench"
end, why = work(more, function(t) return t.over_l1:min "bench" end) }
claim { says = "the worst loss to no L1 is 0.05", figure = "fig07",
        where = "section 1", paper = 0.95, neutral = 1,
        at_least = function(t)
  return t.speedup:at { scheme = "sl1" }:min "bench"
end, why = work(more, function(t)
  return t.speedup:at { scheme = "early" }:min "bench"
end) }
claim { says = "the hardware L1 gains at most 35 %", where = fig7,
        figure = "fig07", paper = 1.35, neutral = 1,
        at_most = function(t)
  return t.speedup:at { scheme = "l1" }:max "bench"
end, why = work(more, function(t)
  return t.speedup:at { scheme = "l1" }:max "bench"
end) }
local function hurt(t)
  return shared.count({ "sl1_wc", "sl1_pageview", "sl1_mm" }, function(name)
    return one("speedup", "l1", name)(t) < 1
  end)
end
claim { says = "wc, Page View Count and Matrix Multiply are slower with the " ..
               "hardware L1 than without", where = fig7, figure = "fig07",
        share = hurt, why = work(more, hurt) }
claim { says = "upper and wc gain more with S-L1 than the mean", where = fig7,
        figure = "fig07", share = function(t)
  return shared.count({ "sl1_upper", "sl1_wc" }, function(name)
    return bench("over_l1", name)(t) > t.mean_over_l1:value()
  end)
end }
claim { says = "grep and kmeans are slightly slower with S-L1 than with the " ..
               "hardware L1", where = fig7, figure = "fig07",
        share = function(t)
  return shared.count({ "sl1_grep", "sl1_kmeans" }, function(name)
    return bench("over_l1", name)(t) < 1
  end)
end,
        why = { script = "why-sectors", says = "not explained: grep is not. " ..
          "A byte that misses fills 128 in the hardware L1, but with one " ..
          "that fills 32", with = function(t)
  return shared.count({ "sl1_grep", "sl1_kmeans" }, function(name)
    return bench("over_sectors", name)(t) < 1
  end)
end } }
claim { says = "the monitoring phase is less than 1 % of the overhead",
        where = "section 4.4", figure = "fig07", paper = 0.01,
        at_most = only "mean_share",
        why = work(more, only "mean_share") }

claim { says = "a miss of wc is followed by 15 hits", where = fig8,
        figure = "fig08", paper = 15 / 16, near = 0.02,
        value = part("hit_ratio", "sl1_wc") }
claim { says = "the hit rates are high: above one half for all but kmeans",
        where = fig8, figure = "fig08", share = function(t)
  local rest = {}
  for _, name in ipairs(common.benches) do
    if name ~= "sl1_kmeans" then rest[#rest + 1] = name end
  end
  return shared.count(rest, function(name)
    return bench("hit_ratio", name)(t) > 0.5
  end)
end }
claim { says = "kmeans leaves no shared memory for lines: no hits",
        where = fig8, untested = "its clusters take 1 KiB here and leave 2 " ..
          "lines for a thread; no hits because its threads end while they " ..
          "monitor: why-work has more input, and hits" }
claim { says = "applications are fastest with more threads online with S-L1 " ..
               "than with the hardware L1", where = "section 4.2, figure 9",
        figure = "fig09", share = function(t)
  return shared.count(common.benches, function(name)
    return one("threads_online", "sl1", name)(t) >=
           one("threads_online", "l1", name)(t)
  end)
end }

claim { says = "of data in the host's memory, BigKernel with S-L1 is the " ..
               "fastest of all", where = fig10, figure = "fig10",
        share = function(t)
  local right, all = 0, 0
  for _, row in ipairs(t.over_bigkernel.rows) do
    local name = row.names.bench
    local mine = one("speedup", "bigkernel_sl1", name)(t)
    all = all + 1
    if mine >= one("speedup", "bigkernel", name)(t) and
       mine >= one("speedup", "double", name)(t) and mine >= 1 then
      right = right + 1
    end
  end
  return right, all
end }
claim { says = "S-L1 makes BigKernel 1.19 times as fast", where = fig10,
        figure = "fig10", paper = 1.19, neutral = 1,
        effect = only "mean_over_bigkernel",
        why = { script = "why-gather", says = "gathering takes longer than " ..
          "computing here, so that a faster kernel is hidden behind it, and " ..
          "each piece is a launch that monitors anew. How fast data comes " ..
          "in the paper it does not say: with a link and gathering ten " ..
          "times as fast, and 30 accesses monitored",
          with = only "mean_both" } }
claim { says = "two buffers are faster than one, BigKernel than two",
        why = "The order of the last two follows from where the data is: in " ..
          "ordinary memory, which two buffers stage first; were all of it " ..
          "pinned, BigKernel would be slower, as only it gathers.",
        where = fig10, figure = "fig10", order = function(t)
  return { { "bigkernel", the("mean", "bigkernel")(t) },
           { "double", the("mean", "double")(t) },
           { "single", the("mean", "single")(t) } }
end }
claim { says = "it is 3.7 times as fast as the CPU", where = fig10,
        untested = "the CPU is another machine: tests/bench/sl1_cpu.c times " ..
          "the one at hand, which is not comparable" }

-- Both of what the paper leaves open, read the other way.
local function readings(column, says)
  return { script = "why-readings", with = the(column, "both"), says = says ..
    "the paper leaves open whether pointers may overlap and which loops " ..
    "threads leave when they have monitored enough. If they may, and at " ..
    "any loop" }
end
claim { says = "S-L1 executes 220 % more instructions", where = fig11,
        figure = "fig11", paper = 2.2, neutral = 0,
        effect = only "mean_executed",
        why = readings("mean_executed", "explained in part: ") }
claim { says = "it issues 25 % more", where = fig11, figure = "fig11",
        paper = 0.25, neutral = 0, effect = only "mean_issued",
        why = readings("mean_issued", "") }
claim { says = "issued instructions grow less than executed ones",
        where = fig11, figure = "fig11", larger = function(t)
  return t.mean_executed, t.mean_issued
end }
local function fewer(column)
  return function(t)
    return shared.count({ "sl1_wc", "sl1_mm" }, function(name)
      return bench(column, name)(t) < 0
    end)
  end
end
claim { says = "wc and Matrix Multiply issue fewer instructions with S-L1",
        where = fig11, figure = "fig11", share = fewer "issued_more",
        why = { script = "why-matrix", says = "a thread of Matrix Multiply " ..
          "has 8 elements of C here, next to each other, so that a warp's " ..
          "loads share accesses; and the paper counts instructions again " ..
          "that wait for memory, we those with several accesses. With " ..
          "sixteen times as many elements, and loads' accesses that the L1 " ..
          "does not serve counted once more", with = fewer "late_more" } }
claim { says = "enabled but not used it costs 8 %", where = fig12,
        figure = "fig12", paper = 0.08, neutral = 0, effect = only "mean",
        why = { script = "why-hidden", says = "with the threads that suit " ..
          "them best most kernels here wait for the SM's link, which " ..
          "carries an access in a cycle, and instructions are hidden " ..
          "behind it. With 128 threads, which do not fill it",
          with = only "mean" } }
local function slower_with_8(scheme)
  return function(t)
    return shared.count(common.benches, function(name)
      return one("speedup", scheme, name)(t) < 1
    end)
  end
end
claim { says = "lines of 8 bytes are slower than 16 for every application",
        where = fig13, figure = "fig13", share = slower_with_8 "sl1_8",
        why = { script = "why-lines", says = "threads of some end while " ..
          "they monitor, or soon after. With 30 accesses monitored and more " ..
          "input of Matrix Multiply and kmeans",
          with = slower_with_8 "early_8" } }
claim { says = "lines of 24 bytes are slower for all but two", where = fig13,
        figure = "fig13", paper = #common.benches - 2,
        at_least = function(t)
  local slower = shared.count(common.benches, function(name)
    return one("speedup", "sl1_24", name)(t) < 1
  end)
  return slower
end }
claim { says = "16 bytes are the best choice", where = fig13,
        figure = "fig13", larger = function(t)
  return 1, math.max(the("mean", "sl1_24")(t):value(),
                     the("mean", "sl1_8")(t):value())
end }

list.open = open
return list
