-- What the Lua reader says of every ratio and rate of a file: lines
-- "series,statistic,instance,window,value" for ratios.py.
--
--   warploom --unsafe ratio_dump.lua FILE

local H = require "harness"
local results = H.import "look/results"

local file = assert(results.open(arg[1]))

local function dump(series)
  local root = series ~= "" and "/series/" .. series or nil
  for _, stat in ipairs(file:stats(root)) do
    if stat.kind == "ratio" or stat.kind == "rate" then
      for row = 1, stat.item.dims[1] do
        print(("%s,%s,,%d,%.17g"):format(series, stat.name, row - 1,
                                         file:window(stat, row)))
        for _, path in ipairs(file:instances(stat)) do
          print(("%s,%s,%s,%d,%.17g"):format(series, stat.name, path, row - 1,
                                             file:window(stat, row, path)))
        end
      end
    end
  end
end

dump ""
for _, name in ipairs(file:series()) do dump(name) end
