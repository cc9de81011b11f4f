-- Runs the trace that large.sh made and says what memory that took.
local loom = require "warploom"

local insts = loom.option { name = "insts", default = 0, doc = "Expected" }
local megabytes = loom.option { name = "megabytes", default = 0,
                                doc = "Size of the trace as text" }
local limit = loom.option { name = "limit", default = 500,
                            doc = "Megabytes of memory that may be used" }

-- The most memory that this process ever had, in KiB.
local function peak()
  for line in io.lines "/proc/self/status" do
    local found = line:match("VmHWM:%s*(%d+)")
    if found then return math.tointeger(found) end
  end
  error("/proc says nothing of memory", 0)
end

local before = peak()
local run = loom.run { machine = loom.preset.gtx480 {},
                       workload = loom.trace "kernelslist.g" }
local used = peak() * 1024 // 1000000
assert(run.warp_insts == insts, "warp instructions")
print(("%d MB of trace, %d million warp instructions: %d MB of memory at " ..
       "most, %d MB before"):format(megabytes, insts // 1000000, used,
                                    before * 1024 // 1000000))
assert(used < limit, "too much memory")
