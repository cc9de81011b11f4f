-- Launches that are alike, in sampled runs (sample.lua): of the same kernel
-- with nearly the same grid, as long as they have about as many instructions as
-- those before.  Some are timed, others passed over as a whole.

local M = {}

-- By how much what is left out may be off in what windows have in common, as a
-- part of it: what a machine is after CTAs or launches were left out is not
-- quite what it would be.  One standard error, from what docs/sampling.md has
-- measured.
M.off = 0.02

local confidence = 1.96

-- How many that differ in shape are remembered; others are all timed.
local most_groups = 64
-- How many in a row are timed before one is passed over, and how much their
-- grids and instructions may differ.
local enough_alike, alike = 3, 0.05
-- The first launch after some that were passed over is the same as the next
-- one if their rates differ by less, in parts of the error that is wanted.
local settled = 0.25

local function near(a, b) return math.abs(a - b) <= alike * b end

local function near_grid(a, b)
  return near(a[1], b[1]) and near(a[2], b[2]) and near(a[3], b[3])
end

-- The groups of a kernel, block and shared memory: the one of the same grid,
-- or of the last launch that had nearly the same.
local function find(groups, grid)
  local found
  for _, group in ipairs(groups) do
    local its = group.grid
    if its[1] == grid[1] and its[2] == grid[2] and its[3] == grid[3] then
      return group
    end
    if near_grid(grid, its) then found = group end
  end
  return found
end

function M.new() return { groups = {}, count = 0 } end

local function group_of(self, launch)
  local key = ("%s %s %d"):format(launch.name,
    table.concat(launch.block, "x"), launch.facts.shared_bytes)
  self.alike.groups[key] = self.alike.groups[key] or {}
  local group = find(self.alike.groups[key], launch.grid)
  if not group and self.alike.count < most_groups then
    self.alike.count = self.alike.count + 1
    group = { number = self.estimate:group(), seen = 0, row = 0, insts = 0,
              last = 0, left = 0, read = 0, ramp = 1, gap = 0, settled = 0 }
    table.insert(self.alike.groups[key], group)
  end
  if group then group.grid = launch.grid end
  return group
end

-- How many to pass over after one that was timed.
local function to_pass(self, group)
  local spread = self.estimate:launch_spread(group.number)
  if group.row < enough_alike or spread ~= spread then return 0 end
  local needed = math.max((confidence * spread / self.wanted.error) ^ 2,
                          self.wanted.launches)
  group.last = math.min(group.seen / needed, 2 * group.last + 1,
                        self.wanted.most) // 1
  if group.last == 0 then return 0 end
  return 1 + self:below(math.tointeger(2 * group.last - 1))
end

-- A launch is given to the idle machine.  Returns how many of its CTAs make
-- their accesses if it is passed over, else nil.
function M.launch(self, launch)
  local group = group_of(self, launch)
  if not group then return end
  self.group, self.began = group, self.machine:now()
  group.seen = group.seen + 1
  if group.left > 0 then
    group.left, self.role = group.left - 1, "passed"
    self.estimate:pass()
    local ctas = launch.grid[1] * launch.grid[2] * launch.grid[3]
    local part = math.min(self:to_warm(group.read), 1)
    return math.tointeger(part * ctas // 1)
  elseif group.ramp > 0 then -- in time, and does not count
    group.ramp, self.role = group.ramp - 1, "ramp"
  else
    self.role = "timed"
    self.estimate:launch(group.number)
    self.read_before = self.machine:total("dram", "bytes_read")
  end
end

-- Does a launch find in the caches what those before have left?  It may if it
-- reads less from DRAM than a few times what they hold, unless the first one
-- after about as many that were passed over was like the next one.
local function depends(self, group, gap)
  return group.read < 4 * self.capacity and gap > 2 * group.settled
end

-- A launch that counts had so many instructions in so much time.
local function timed(self, group, insts, time)
  local late = self.estimate:launched(group.number)
  group.row = near(insts, group.insts) and group.row + 1 or 1
  group.insts = insts
  group.read = self.machine:total("dram", "bytes_read") - self.read_before
  if group.rate then -- of the ramp before it
    local apart = math.abs(group.rate * insts / time - 1)
    group.settled = apart < settled * self.wanted.error and group.gap or 0
    group.rate = nil
  end
  group.left = to_pass(self, group)
  group.gap = group.left
  group.ramp = group.left > 0 and depends(self, group, group.gap) and 1 or 0
  return late
end

-- What is known of a launch's group after it; returns the femtoseconds that it
-- takes longer than it did.
function M.learn(self, insts)
  local group, time = self.group, self.machine:now() - self.began
  if self.role == "passed" then
    if not near(insts, group.insts) then group.left, group.row = 0, 0 end
    return self.estimate:passed(group.number, M.off)
  elseif self.role == "ramp" then
    group.rate = insts > 0 and time / insts or nil
    return 0
  end
  return timed(self, group, insts, time)
end

return M
