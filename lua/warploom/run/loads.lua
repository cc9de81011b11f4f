-- Which loads the rows of policies' tables by load are: name of the kernel,
-- place, line and text, as coordinates of the tables in the results file.
--
-- Kernels are told apart by name and numbered in the order of their first
-- launches, which policies are told (core.given()); what a kernel points to
-- is gone after its launch, so its loads are noted when it ends.

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

-- A launch of kernel `number` is over.
function Loads:learn(facts, kernel, number)
  local own = self.kernels[number] or { name = facts.name, count = 0 }
  self.kernels[number] = own
  local count = kernel:instructions()
  if count > own.count then -- a trace's table grows
    own.count, own.inst = count, kernel:loads()
  end
end

-- Rows of a table: { { kernel =, kernel_number =, pc =, line =, text =,
-- op = }, .. }; false: a row that nobody has, or that instances have for
-- several loads, as they may of traces.
function Loads:rows(class)
  local rows = {}
  for instance = 1, class.count do
    local values = self.catalog:read(class.number, instance)
    local function field(name, i) return values[class.at[name]][i] end
    local used, i = {}, 0
    while field("load_inst", i) do
      local number, inst = field("load_kernel", i), field("load_inst", i)
      local kernel = self.kernels[number]
      local load = kernel and kernel.inst[inst]
      local key = number << 32 | inst
      if load and not used[key] and
         (field("load_pc", i) == load.pc or field("load_pc", i) == 0) then
        used[key] = true
        local row = rows[i + 1]
        if row == nil then
          rows[i + 1] = { key = key, kernel = kernel.name, pc = load.pc,
                          kernel_number = number, line = load.line,
                          text = load.text, op = load.op }
        elseif row and row.key ~= key then
          rows[i + 1] = false
        end
      end
      i = i + 1
    end
    class.rows = i
  end
  for i = 1, class.rows or 0 do rows[i] = rows[i] or false end
  return rows
end

-- Before the recorder is closed.
function Loads:record(recorder)
  for _, class in ipairs(self.classes) do
    local ok, text = recorder:loads(class.group, self:rows(class))
    if not ok then return nil, text end
  end
  return true
end

return M
