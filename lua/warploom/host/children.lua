-- What a kernel asks the system for: launches of other kernels (CUDA's dynamic
-- parallelism), copies, and streams and events that order them.
--
-- Memory sees them after all of the kernel, in an order that no machine
-- changes: the kernel's streams one after the other, a task of each at a time;
-- a launch that launches others itself holds up its stream only.  In time they
-- begin when the kernel's CTA has asked for them, and what the host gives to
-- the kernel's stream comes after all of them.

local import = ...
local devices = import "machine/devices"
local record_file = import "recording/file"
local running = import "host/running"

local M = {}

-- CUDA's handles of streams, as in workloads/children.h.
local LAST, ALONE, OWN = 3, 4, 16

-- The host component has 1024 streams; those of kernels are so many, one after
-- the other, beyond the numbers that programs have.
local STREAMS, FIRST = 512, 1 << 31

local function new_stream(run, parent)
  local n = run.child_streams or 0
  run.child_streams = n + 1
  return devices.of(parent.launch.stream) << 32 | FIRST + n % STREAMS
end

-- A node is a launch that may launch others: { launch =, handle =, up = the
-- row that it is of, left = rows that are not through, ends = their last
-- tasks, last = the row that comes after the others }.  A row is the tasks of
-- one stream: { node =, stream =, items =, at =, handle = its last task }.

local function row_of(run, node)
  return { node = node, stream = new_stream(run, node), items = {}, at = 1 }
end

-- Deals what was asked for to rows; says of each launch how many its CTA made
-- before, and of each wait for what.
local function rows_of(run, node)
  local rows, by_key, before, records = {}, {}, {}, {}
  for _, item in ipairs(node.launch.asked or node.launch.kernel:children()) do
    if item.kind == "launch" then
      item.before = before[item.cta] or 0
      before[item.cta] = item.before + 1
    elseif item.kind == "record" then
      records[item.event] = item
    elseif item.kind == "wait" then
      item.record = records[item.event]
    end
    local stream = item.stream
    local key = stream >= OWN and stream or stream == LAST and "last" or
                stream ~= ALONE and -item.cta - 1 or nil
    local row = key and by_key[key]
    if not row then
      row = row_of(run, node)
      if key then by_key[key] = row end
      if key == "last" then node.last = row else rows[#rows + 1] = row end
    end
    row.items[#row.items + 1] = item
  end
  return rows
end

local work = {} -- { queue =, run =, ready = rows, open = nodes }
work.__index = work

-- The first task of a row comes after the node's kernel.  A launch has said so
-- itself, if both are timed, else nothing is under way.
function work:begin(row, launch)
  if row.handle then return end
  if launch then
    local entry = self.queue.entry_of(row.node.handle)
    record_file.event(self.run, "wait", entry.ordinal, 0, "", row.stream)
  else
    row.handle = self.queue.wait(self.run, row.stream, row.node.handle)
  end
end

local task = {}

function task.launch(self, row, item)
  local node = row.node
  local launch = node.launch.child(item, row.stream)
  local parent = self.queue.entry_of(node.handle).task
  if launch.in_time and parent then
    launch.parent = { parent, item.cta, item.before }
  end
  self:begin(row, true)
  row.handle = self.queue.give_launch(self.run, launch)
  if not launch.facts.launches then return end
  table.insert(self.open, { launch = launch, handle = row.handle, up = row })
  return true
end

function task.move(self, row, item)
  local parts = {}
  for i = 0, item.rows - 1 do
    parts[i + 1] = { kind = item.kind, bytes = item.bytes, value = item.value,
                     address = item.address + i * item.pitch,
                     from = item.from + i * item.from_pitch }
  end
  self:begin(row)
  row.handle = self.queue.copy(self.run, {
    kind = item.kind, address = item.address, from = item.from, parts = parts,
    bytes = item.bytes * item.rows, stream = row.stream })
end
task.fill = task.move

function task.record(self, row, item)
  self:begin(row)
  row.handle = self.queue.mark(self.run, row.stream)
  item.handle = row.handle
  for _, waiting in ipairs(item.waiting or {}) do
    table.insert(self.ready, waiting)
  end
end

-- Of an event that was not recorded before: of none.
function task.wait(self, row, item)
  local record = item.record
  if not record then return end
  if not record.handle then -- it is looked at again
    record.waiting = record.waiting or {}
    table.insert(record.waiting, row)
    row.at = row.at - 1
    return true
  end
  self:begin(row)
  row.handle = self.queue.wait(self.run, row.stream, record.handle)
end

-- Gives the tasks of a row, as far as it may go.
function work:advance(row)
  while row.at <= #row.items do
    local item = row.items[row.at]
    row.at = row.at + 1
    if task[item.kind](self, row, item) then return end
  end
  self:through(row)
end

-- A row comes after rows that are given.
function work:after(row, ends)
  for _, handle in ipairs(ends) do
    row.handle = self.queue.wait(self.run, row.stream, handle)
  end
end

function work:through(row)
  local node = row.node
  node.left = node.left - 1
  node.ends[#node.ends + 1] = row.handle
  if node.left > 0 then return end
  local last = node.last
  if last then
    self:begin(last)
    self:after(last, node.ends)
    node.last, node.left, node.ends = nil, 1, {}
    table.insert(self.ready, last)
  elseif node.up then
    self:after(node.up, node.ends)
    table.insert(self.ready, node.up)
  end
end

-- A node's kernel is executed: what has it asked for?
function work:expand(node)
  local task_of = self.queue.entry_of(node.handle).task
  if task_of and not task_of:produced() then
    task_of:watch()
    running.advance(self.run, function() return task_of:produced() end)
  end
  local rows = rows_of(self.run, node)
  node.left, node.ends = math.max(#rows, 1), {}
  if #rows == 0 then -- it may have what comes last
    rows[1] = row_of(self.run, node)
  end
  table.move(rows, 1, #rows, #self.ready + 1, self.ready)
end

-- After a launch of a kernel that may launch others: gives all that is asked
-- for, and what comes of that.  What then ends the launch's stream.
function M.follow(queue, run, launch, handle)
  local self = setmetatable({ queue = queue, run = run, ready = {},
                              open = {} }, work)
  local top = { launch = launch, handle = handle }
  self.open[1] = top
  local rows, nodes = 1, 1
  while true do
    local row, node = self.ready[rows], self.open[nodes]
    if row then
      rows = rows + 1
      self:advance(row)
    elseif node then
      nodes = nodes + 1
      self:expand(node)
    else
      break
    end
  end
  local out = { stream = launch.stream, handle = handle }
  self:after(out, top.ends)
  return out.handle
end

return M
