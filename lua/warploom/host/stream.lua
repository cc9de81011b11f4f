-- Streams of a host program: what is given to one is done in order, what is
-- given to several at the same time where the machine allows it.

local import = ...
local queue = import "host/queue"
local unit = import "base/unit"

local M = {}

local methods = {}
local meta = { __index = methods, __name = "stream" }

meta.__tostring = function(stream)
  return ("stream %d"):format(stream.number)
end

function M.new(device, fail)
  device.streams = (device.streams or 0) + 1
  return setmetatable({ device = device, number = device.streams,
                        fail = fail }, meta)
end

-- The number of the stream that a call was given, 0 if none.
function M.number(device, stream, fail, where)
  if stream == nil then return 0 end
  if getmetatable(stream) ~= meta then
    fail("%s: 'stream' is %s, expected a stream: dev:stream()", where,
         unit.quote(stream))
  elseif stream.device ~= device then
    fail("%s: the stream belongs to another run", where)
  end
  return stream.number
end

-- Waits until everything in the stream is done.
function methods:sync()
  queue.sync(self.device.run, self.number)
  return self
end

-- An event: notes the time when the stream gets here.
function methods:record()
  return queue.mark(self.device.run, self.number)
end

-- What comes later in this stream waits for an event, launch or copy.
function methods:wait(handle)
  if not queue.is_handle(handle) then
    self.fail("wait: got %s, expected an event, a launch or a copy",
              unit.quote(handle))
  elseif queue.entry_of(handle).run ~= self.device.run then
    self.fail("wait: it belongs to another run")
  end
  queue.wait(self.device.run, self.number, handle)
  return self
end

return M
