-- A stub in every slot: it answers every question, watches every event and
-- counts; the counts are compared with the components' own counters.
local loom = require "warploom"

-- The L2 answers whole lines: what it splits, its policies see in parts.
local gpu = loom.preset.gtx480 { sm_count = 2, l2 = {
  sector_bytes = 0, split_sectors = false, mshr_unit = "line",
  write_miss = "validate" } }
gpu.dispatch = loom.stub_dispatch {}
gpu:each "sm[*]":attach(loom.stub_sm {})
gpu:each "sm[*].l1d":attach(loom.stub_cache { bypass_one_in = 5,
                                             query_one_in = 3 })
gpu:each "l2[*]":attach(loom.stub_cache {})
gpu.noc.routing = loom.stub_routing {}
gpu.noc.request_arbiter = loom.stub_arbiter {}
gpu.noc.reply_arbiter = loom.stub_arbiter {}
gpu:each "dram[*]":attach(loom.stub_schedule {})
gpu:each "dram[*]":attach(loom.stub_page {})
gpu:each "dram[*]":attach(loom.stub_commands {})
gpu.noc.map = loom.stub_map {}
gpu:each "l2[*]":set { map = loom.stub_map {} }
gpu:each "dram[*]":set { map = loom.stub_map {} }

local run = loom.run {
  machine = gpu,
  workload = loom.suite.atax { rows = 128, columns = 24 },
  stats = { file = "stub.h5" },
}

------------------------------------------------------------------------------

local wrong, compared = {}, 0

local function same(what, got, want)
  compared = compared + 1
  if got ~= want then
    wrong[#wrong + 1] = ("%s: %s calls, %s counted"):format(what, got, want)
  end
end

local function some(what, got)
  compared = compared + 1
  if got <= 0 then wrong[#wrong + 1] = what .. ": never asked" end
end

local sm, ldst = run.stats "gpu/sm", run.stats "gpu/sm/ldst"
local s = run.stats "gpu/sm/policy/stub_sm"

same("scheduler.pick", s.picks, sm.warp_insts)
same("scheduler.issued", s.issued, sm.warp_insts)
same("scheduler.stalled", s.stalled_cycles,
     2 * sm.cycles - sm.issue_slots.issued)
same("scheduler.started", s.started, sm.warps)
same("scheduler.finished", s.finished, sm.warps_done)
some("scheduler.rank", s.ranks)
some("throttle.allow", s.allows - s.picks + 1)
same("throttle.prefer", s.prefers, s.picks)
same("coalesce", s.coalesces, ldst.load_insts.global + ldst.store_insts.global)
same("coalesce: accesses", s.coalesced, ldst.accesses)
same("order.sent", s.sents, ldst.accesses)
some("order.next", s.nexts)
some("order.queue_of", s.queue_ofs - s.sents + 1)

local e = s.events
same("event kernel_start", e.kernel_start, sm.kernels)
same("event kernel_end", e.kernel_end, sm.kernels)
same("event cta_start", e.cta_start, sm.ctas)
same("event cta_finish", e.cta_finish, sm.ctas_done)
same("event warp_start", e.warp_start, sm.warps)
same("event warp_finish", e.warp_finish, sm.warps_done)
same("event issue", e.issue, sm.warp_insts)
some("event loop_exit", e.loop_exit)
same("event ibuffer: cycles", s.event_duration, sm.cycles)
same("event mem_issue", e.mem_issue, s.coalesces)
same("event mem_complete", e.mem_complete, s.coalesces)
same("event mem_issue: accesses", s.event_accesses, ldst.accesses)

for _, level in ipairs { "gpu/sm/l1d", "gpu/l2" } do
  local cache, c = run.stats(level), run.stats(level .. "/policy/stub_cache")
  local v = c.events
  same(level .. " event access", v.access, cache.accesses)
  same(level .. " event hit", v.hit, cache.hits)
  same(level .. " event pending_hit", v.pending_hit, cache.pending_hits)
  same(level .. " event miss", v.miss, cache.misses)
  same(level .. " event bypass", v.bypass, cache.bypasses)
  same(level .. " event fill", v.fill, cache.fills)
  same(level .. " event evict", v.evict, cache.evictions +
       cache.write_evictions + cache.flushed_lines)
  same(level .. " event reply", v.reply, cache.replies)
  same(level .. " event allocate", v.allocate, c.inserted)
  same(level .. " event reservation_fail", v.reservation_fail, c.fails)
  same(level .. " replacement.hit", c.hits, cache.hits + cache.pending_hits)
  -- Again in each cycle in which there is a way and no MSHR.
  some(level .. " candidates", c.restricts - c.inserted + 1)
  some(level .. " admit", c.admits - cache.accesses + 1)
  some(level .. " set_index", c.indexes)
  some(level .. " power", c.powers)
  some(level .. " allocation.allocate", c.allocates)
  same(level .. " broken promises", c.wrong, 0)
end
local l1 = run.stats "gpu/sm/l1d/policy/stub_cache"
some("allocation.fail", l1.fails)
some("replacement.invalidated", l1.invalidated)

local noc = run.stats "gpu/noc"
same("routing", run.stats "gpu/noc/policy/stub_routing".routes,
     noc.request_packets + noc.reply_packets)
same("arbiter.granted", run.stats "gpu/noc/policy/stub_arbiter".grants,
     noc.request_packets)
same("arbiter.granted", run.stats "gpu/noc/policy/stub_arbiter2".grants,
     noc.reply_packets)
local dram, d = run.stats "gpu/dram", run.stats "gpu/dram/policy/stub_schedule"
same("schedule.arrived", d.arrivals, dram.read_requests + dram.write_requests)
same("schedule.served", d.serves, d.arrivals)
some("page.close_at", run.stats "gpu/dram/policy/stub_page".pages)
same("page promises", run.stats "gpu/dram/policy/stub_page".wrong, 0)
same("commands.issued", run.stats "gpu/dram/policy/stub_commands".commands,
     dram.activates + dram.precharges + dram.columns)
some("event bypass", l1.events.bypass)
some("event query", l1.queried)
same("answers counted", l1.queried, run.stats "gpu/sm/l1d".answers)
same("queries counted", l1.queried, run.stats "gpu/l2".queries)
local l2 = run.stats "gpu/l2/policy/stub_cache"
same("event query", l2.events.query, l1.queried)
same("event answer", l1.events.answer, l1.queried)
some("map of the network", run.stats "gpu/noc/policy/stub_map".maps)
some("map of the L2", run.stats "gpu/l2/policy/stub_map".maps)
some("map of the DRAM", run.stats "gpu/dram/policy/stub_map".maps)
same("mark", s.marks, ldst.accesses + ldst.const_accesses)
same("marks seen by the L1", l1.marked, run.stats "gpu/sm/l1d".accesses)
-- Requests for instructions have no marks, those for constants may.
some("marks seen by the L2", l2.marked + 1 - (run.stats "gpu/l2".accesses -
     sm.fetch_misses - run.stats "gpu/sm/l1c".fetches))
same("dispatch", run.stats "gpu/policy/stub_dispatch".selects,
     run.stats "gpu".ctas)
same("broken promises", s.wrong + d.wrong, 0)

if #wrong > 0 then error("\n" .. table.concat(wrong, "\n"), 0) end
print(compared .. " counts agree")
