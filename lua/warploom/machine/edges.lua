-- Which links end at a record.
--
-- A record knows its own links, and the session knows none: so links go when
-- the machine they belong to is no longer held by the script, and a script
-- with many machines does not look at the links of all.

local import = ...
local session = import "script/session"
local order = import "base/order"

local M = {}

local function append(d, link)
  local links = d.links
  if links then
    links[#links + 1] = link
  else
    d.links = { link }
  end
end

-- Makes a link known at its ends.  `data` is record.known.
function M.add(data, link)
  link.number = session.next()
  append(data(link.client.record), link)
  append(data(link.server.record), link)
end

-- Leads the `side` of a link to another end.
function M.move(data, link, side, to)
  local list = data(link[side].record).links
  for i = #list, 1, -1 do
    if list[i] == link then
      table.remove(list, i)
      break
    end
  end
  link[side] = to
  append(data(to.record), link)
end

-- Links with an end at one of the records, each once, in the order in which
-- they were made; those that were copied have their original's place.
function M.of(data, records)
  local seen, list = {}, {}
  for i = 1, #records do
    local links = data(records[i]).links
    for k = 1, links and #links or 0 do
      local link = links[k]
      if not seen[link] then
        seen[link] = true
        list[#list + 1] = link
      end
    end
  end
  return order.by(list, function(link) return link.sequence end,
                  function(a, b) return a.number < b.number end)
end

return M
