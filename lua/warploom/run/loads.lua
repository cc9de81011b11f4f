-- Which loads the rows of policies' tables by load are: name of the kernel,
-- place, line and text, as coordinates of the tables in the results file.
--
-- A policy numbers kernels in the order of their first launches, by name
-- (policies/lib/load_table.h); what a kernel points to is gone after its
-- launch, so its loads are noted when it ends.

local M = {}

local Loads = {}
Loads.__index = Loads

-- Classes of the catalogue with such a table; nil: there is none.
function M.new(catalog)
  local classes = {}
  for number, class in ipairs(catalog:classes()) do
    local at = {}
    for i, stat in ipairs(class.stats) do at[stat.name] = i end
    if at.load_kernel and at.load_inst and at.load_pc and at.load_line then
      classes[#classes + 1] = { number = number, group = class.group,
                                at = at, count = #class.paths }
    end
  end
  return classes[1] and setmetatable({ catalog = catalog, classes = classes,
                                       kernels = {} }, Loads)
end

-- A launch is over.
function Loads:learn(facts, kernel, start)
  local own = self.kernels[facts.name]
  if not own then
    own = { name = facts.name, start = start, count = 0 }
    self.kernels[facts.name] = own
  end
  own.start = math.min(own.start, start)
  local count = kernel:instructions()
  if count > own.count then -- a trace's table grows
    own.count, own.inst = count, kernel:loads()
  end
end

-- Rows of a table: { { kernel =, kernel_number =, pc =, line =, text =,
-- op = }, .. }.
function Loads:rows(class, order)
  local rows, used = {}, {}
  for instance = 1, class.count do -- all that have rows have the same ones
    local values = self.catalog:read(class.number, instance)
    local function field(name, i) return values[class.at[name]][i] end
    local i = 0
    while field("load_inst", i) do
      local number, inst = field("load_kernel", i), field("load_inst", i)
      local kernel = order[number + 1]
      local load = kernel and kernel.inst[inst]
      local key = number << 32 | inst
      if not rows[i + 1] and load and load.pc == field("load_pc", i) and
         load.line == field("load_line", i) and not used[key] then
        used[key] = true
        rows[i + 1] = { kernel = kernel.name, kernel_number = number,
                        pc = load.pc, line = load.line, text = load.text,
                        op = load.op }
      end
      rows[i + 1] = rows[i + 1] or false
      i = i + 1
    end
  end
  return rows
end

-- Before the recorder is closed.
function Loads:record(recorder)
  local order = {}
  for _, kernel in next, self.kernels do order[#order + 1] = kernel end
  table.sort(order, function(a, b)
    if a.start ~= b.start then return a.start < b.start end
    return a.name < b.name
  end)
  for _, class in ipairs(self.classes) do
    local ok, text = recorder:loads(class.group, self:rows(class, order))
    if not ok then return nil, text end
  end
  return true
end

return M
