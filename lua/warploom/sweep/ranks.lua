-- A sweep over the ranks of MPI: the first one hands points out, one at a
-- time, to whoever is free, and runs points itself.
--
-- What is said, as short texts:
--   worker -> first   "free"; "done N"; "failed N WHY"; "stopped N"; "alive"
--   first -> worker   "run N"; "stop"; "end"; "leave" (others are gone)
--
-- A rank that says nothing for a while is taken for gone and its points are
-- given to others; if it was only slow, a point is done twice, which changes
-- nothing.  Results are what is on the shared disk, not what was said.

local import = ...
local core = import "core"
local interrupt = import "script/interrupt"

local M = {}
M.__index = M

local BEAT, GONE = 1, 20 -- seconds

------------------------------------------------------------------------------
-- Workers

-- Runs what it is told to until it is told to end; the exit status.
function M.work(mpi, pool, points)
  local beat, free = 0, pool.jobs
  local ended
  local function tell(point)
    mpi:send(0, point.state == "done" and "done " .. point.number or
                point.state == "failed" and
                ("failed %d %s"):format(point.number, point.why) or
                "stopped " .. point.number)
    point.state = nil
  end
  local function stop()
    if not pool.stopped then pool:stop(tell) end
  end
  for _ = 1, free do mpi:send(0, "free") end
  while not ended or pool.active > 0 do
    if interrupt.status() then stop() end
    local rank, text = mpi:poll()
    while rank do
      local number = text:match("^run (%d+)$")
      if number then
        local point = points[tonumber(number)]
        point.again = nil
        if pool.stopped then
          mpi:send(0, "stopped " .. number)
        elseif not pool:start(point) then
          mpi:send(0, ("failed %s %s"):format(number, point.why or "?"))
        end
      elseif text == "stop" then
        stop()
      else
        ended = text
        if text == "leave" then mpi:leave(0) end
      end
      rank, text = mpi:poll()
    end
    local point = pool:wait(0.02)
    if point then tell(point) end
    if core.wall() - beat > BEAT then
      beat = core.wall()
      mpi:send(0, "alive")
    end
  end
  mpi:finish()
  return 0
end

------------------------------------------------------------------------------
-- The first rank

function M.new(mpi, size, pool)
  local self = setmetatable({ mpi = mpi, size = size, pool = pool, ranks = {},
                              lost = 0 }, M)
  for rank = 1, size - 1 do
    self.ranks[rank] = { heard = core.wall(), free = 0, points = {} }
  end
  return self
end

function M:next_point()
  while self.at <= #self.queue do
    local point = self.queue[self.at]
    self.at = self.at + 1
    if not point.state then return point end
  end
end

local function take_back(self, rank)
  rank.gone, rank.free = true, 0
  self.lost = self.lost + 1
  for point in next, rank.points do
    if point.state == "running" then
      point.state = nil
      self.queue[#self.queue + 1] = point
    end
  end
  rank.points = {}
end

local function hear(self, from, text)
  local rank = self.ranks[from]
  if not rank then return end
  rank.heard = core.wall()
  if rank.gone then -- it was only slow
    rank.gone, self.lost = false, self.lost - 1
  end
  local word, number, why = text:match("^(%a+) ?(%d*) ?(.*)$")
  local point = self.points[tonumber(number)]
  if word == "free" then
    rank.free = rank.free + 1
  elseif word == "stopped" then -- it takes no more
    rank.points[point] = nil
    if point.state == "running" then
      point.state = nil
      self.queue[#self.queue + 1] = point
    end
  elseif word == "done" or word == "failed" then
    rank.free = rank.free + 1
    rank.points[point] = nil
    if point.state ~= "done" and not self.look(point, self.digest()) then
      point.state = "failed"
      point.why = why ~= "" and why or "it left no results"
      self.complain(point)
    end
  end
end

local function listen(self)
  local from, text = self.mpi:poll()
  while from do
    hear(self, from, text)
    from, text = self.mpi:poll()
  end
end

-- Nobody listened while results were merged, so what there is to hear may be
-- old: waits for one more beat of each rank.
local function hear_again(self)
  listen(self)
  local since, waiting = core.wall(), true
  while waiting and core.wall() - since < 10 * BEAT do
    core.wait(0.02)
    listen(self)
    waiting = false
    for _, rank in ipairs(self.ranks) do
      waiting = waiting or not rank.gone and rank.heard <= since
    end
  end
  for _, rank in ipairs(self.ranks) do
    if not rank.gone and rank.heard <= since then
      rank.gone, self.lost = true, self.lost + 1
    end
  end
end

-- A signal came: nobody starts anything any more.
local function stop(self)
  self.stopping = true
  for number, rank in ipairs(self.ranks) do
    rank.free = 0
    if not rank.gone then self.mpi:send(number, "stop") end
  end
  self.pool:stop()
end

local function hand_out(self)
  for number, rank in ipairs(self.ranks) do
    while rank.free > 0 and not rank.gone do
      local point = self:next_point()
      if not point then return end
      rank.free = rank.free - 1
      rank.points[point] = true
      point.state = "running"
      self.mpi:send(number, "run " .. point.number)
    end
  end
end

local function own(self)
  while not self.stopping and self.pool.active < self.pool.jobs do
    local point = self:next_point()
    if not point then break end
    self.pool:start(point)
  end
  local point = self.pool:wait(0.02)
  if point and point.state == "failed" then self.complain(point) end
end

local function all_over(self)
  if self.pool.active > 0 then return false end
  if self.stopping then
    for _, rank in ipairs(self.ranks) do
      if not rank.gone and next(rank.points) then return false end
    end
    return true
  end
  for _, point in ipairs(self.queue) do
    if point.state ~= "done" and point.state ~= "failed" then return false end
  end
  return true
end

-- Runs all points that have no state.
function M:run(points, look, complain, show)
  self.queue, self.at, self.points = {}, 1, {}
  self.look, self.complain = look, complain
  self.digest = function()
    return function(path)
      return core.kind(path) == "file" and core.file_digest(path) or nil
    end
  end
  for _, point in ipairs(points) do
    self.points[point.number] = point
    if not point.state then self.queue[#self.queue + 1] = point end
  end
  while not all_over(self) do
    listen(self)
    for _, rank in ipairs(self.ranks) do
      if not rank.gone and core.wall() - rank.heard > GONE then
        take_back(self, rank)
      end
    end
    if interrupt.status() and not self.stopping then stop(self) end
    if not self.stopping then hand_out(self) end
    own(self)
    show()
  end
  show(true)
end

-- Ends the others, and this process if some of them are gone.
function M:finish(status)
  hear_again(self)
  local word = self.lost > 0 and "leave" or "end"
  for number, rank in ipairs(self.ranks) do
    if not rank.gone then self.mpi:send(number, word) end
  end
  if self.lost > 0 then
    io.stderr:write(("warploom: %d of %d ranks were lost on the way; their " ..
                     "points were run by others\n"):format(self.lost,
                                                          self.size))
    core.wait(0.5) -- for the words to arrive
    self.mpi:leave(status)
  end
  self.mpi:finish()
end

return M
