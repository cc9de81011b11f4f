-- Drivers of workloads whose data is in the host's memory and goes through the
-- device in pieces: require "warploom.pipeline".
--
-- A driver is given the device and `work`:
--   pieces               how many, numbered from 0
--   open(slot)           memory of the device for one piece: anything
--   upload(i, room, s)   its data, into what `open` returned, in stream s
--   compute(i, room, s)  launches
--   download(i, room, s) results, if there are any; optional
-- and, of BigKernel's, which gathers what a piece needs before it is sent:
--   addresses(i, room, s) a launch that finds out what it needs, and the
--                        download of that
--   gathered(i)          bytes that the host's processor collects for it
--   scattered(i)         and puts back of its results; optional
-- All are done in the stream's order, and at the same time as far as the
-- machine's host has the engines (docs/components/host.md).
--
-- With pieces of equal times, X for the upload, C to compute, D to download
-- (on the upload's engine or another), A to find the addresses, G to gather:
--   single   n (X + C + D)
--   double   n max(X + D, C) and the rest of one piece; X and D apart with two
--            copy engines
--   stages   n max(A, G, X + D, C) and the rest of one piece

local M = {}

local function rest(work, i, room, stream)
  work.upload(i, room, stream)
  work.compute(i, room, stream)
  if work.download then work.download(i, room, stream) end
end

-- One buffer: a piece is uploaded, computed and downloaded, then the next.
function M.single(dev, work)
  local room, stream = work.open(0), dev:stream()
  for i = 0, work.pieces - 1 do
    rest(work, i, room, stream)
    stream:sync()
  end
end

local function slots(dev, work, count)
  local list = {}
  for k = 0, count - 1 do
    list[k] = { room = work.open(k), stream = dev:stream() }
  end
  return function(i) return list[i % count] end
end

-- Two buffers: while one piece is computed, the next is uploaded.
function M.double(dev, work)
  local slot = slots(dev, work, 2)
  for i = 0, work.pieces - 1 do rest(work, i, slot(i).room, slot(i).stream) end
  dev:sync()
end

-- BigKernel (Mokhtari and Stumm, IPDPS 2014): the device finds the addresses
-- of a piece, the host's processor gathers what is there, it is transferred,
-- it is computed; four pieces are under way, and the results of a fifth.
-- Kernels are sent to the device in the order of their launches, so the
-- addresses of three pieces to come are asked for before a piece is computed.
function M.stages(dev, work)
  local slot, ahead = slots(dev, work, 5), 3
  local function ask(i)
    if i >= work.pieces then return end
    work.addresses(i, slot(i).room, slot(i).stream)
    dev:gather(work.gathered(i), { stream = slot(i).stream })
  end
  for i = 0, ahead - 1 do ask(i) end
  for i = 0, work.pieces - 1 do
    ask(i + ahead)
    rest(work, i, slot(i).room, slot(i).stream)
    if work.scattered then
      dev:gather(work.scattered(i), { stream = slot(i).stream })
    end
  end
  dev:sync()
end

M.drivers = { single = M.single, double = M.double, stages = M.stages }

return M
