-- Instructions and registers of kernels, as the schedule has them and as ptxas
-- does: a table and the median differences.  scheduled.sh runs it.
--
-- usage: lua5.4 scheduled.lua FOLDER PROGRAM...
--
-- The folder has PROGRAM.cubin, ptxas's log, and warploom's listings, .plain
-- and .scheduled.  Machine instructions have 16 bytes; those behind the last
-- exit, which fill up, are not counted.

local limit = 0.10 -- of the median difference of instructions

local folder = arg[1]

local function read(name)
  local file = assert(io.open(folder .. "/" .. name, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- Low twelve bits of an instruction.
local NOP, BRA, CALL = 0x918, 0x947, 0x944

-- Instructions of a section of code, and whether it calls.  At its end are a
-- branch to itself and no-operations.
local function count(code)
  local n, calls = #code // 16, false
  local function op(i)
    return string.unpack("<I8", code, 16 * i + 1) & 0xfff
  end
  while n > 0 and op(n - 1) == NOP do n = n - 1 end
  if n > 0 and op(n - 1) == BRA then n = n - 1 end
  for i = 0, n - 1 do calls = calls or op(i) == CALL end
  return n, calls
end

-- kernel -> { sass =, calls = } of an ELF file.
local function kernels_of(elf)
  local headers, size, number, names = string.unpack("<I8", elf, 0x29),
    string.unpack("<I2I2I2", elf, 0x3b)
  local function section(i)
    local name, _, _, _, offset, bytes =
      string.unpack("<I4I4I8I8I8I8", elf, headers + i * size + 1)
    return name, offset, bytes
  end
  local _, strings = section(names)
  local found = {}
  for i = 0, number - 1 do
    local name, offset, bytes = section(i)
    local kernel = string.unpack("z", elf, strings + name + 1)
      :match "^%.text%.(.*)"
    if kernel then
      local sass, calls = count(elf:sub(offset + 1, offset + bytes))
      found[kernel] = { sass = sass, calls = calls }
    end
  end
  return found
end

local rows = {}

for i = 2, #arg do
  local name = arg[i]
  local found = kernels_of(read(name .. ".cubin"))
  for kernel, registers in read(name .. ".log"):gmatch
      "entry function '([%w_]+)'.-Used (%d+) registers" do
    found[kernel].ptxas = tonumber(registers)
  end
  for kernel, insts, timed, registers in read(name .. ".scheduled"):gmatch
      "([%w_]+): (%d+) instructions, (%d+) timed, %d+ loops, (%d+) registers" do
    local row = assert(found[kernel], kernel)
    row.name, row.program = kernel, name
    row.ptx, row.timed = tonumber(insts), tonumber(timed)
    row.registers = tonumber(registers)
    rows[#rows + 1] = row
  end
  for kernel, registers in read(name .. ".plain"):gmatch
      "([%w_]+): %d+ instructions, %d+ loops, (%d+) registers" do
    found[kernel].plain = tonumber(registers)
  end
end

table.sort(rows, function(a, b)
  return a.program .. " " .. a.name < b.program .. " " .. b.name
end)

print(("%-26s %5s %6s %5s %8s   %9s %9s %5s"):format("kernel", "PTX", "timed",
      "SASS", "", "registers", "scheduled", "ptxas"))
for i, row in ipairs(rows) do
  row.half = i % 2 == 1 and "a" or "b"
  print(("%-26s %5d %6d %5d %+7.1f%% %s %9d %9d %5d%s"):format(row.name,
        row.ptx, row.timed, row.sass, 100 * (row.timed / row.sass - 1),
        row.half, row.plain, row.registers, row.ptxas,
        row.calls and "  calls" or ""))
end

local function median(list)
  table.sort(list)
  return (list[(#list + 1) // 2] + list[#list // 2 + 1]) / 2
end

-- Median of |value / of - 1| of the rows that `take` takes, and of the signed.
local function differ(take, value, of)
  local size, signed = {}, {}
  for _, row in ipairs(rows) do
    if take(row) then
      signed[#signed + 1] = row[value] / row[of] - 1
      size[#size + 1] = math.abs(signed[#signed])
    end
  end
  if #size == 0 then return nil end
  return median(size), median(signed), #size
end

local groups = {
  { "all", function() return true end },
  { "first half (a)", function(row) return row.half == "a" end },
  { "second half (b)", function(row) return row.half == "b" end },
  { "without calls", function(row) return not row.calls end },
  { "nor micro-kernels", function(row)
    return not row.calls and not row.name:find "^micro_"
  end },
}

print(("\n%-18s %5s %18s %18s %18s"):format("median difference", "", "PTX",
      "timed", "registers"))
for _, group in ipairs(groups) do
  local _, _, number = differ(group[2], "ptx", "sass")
  if number then
    local cells = {}
    for i, what in ipairs { { "ptx", "sass" }, { "timed", "sass" },
                            { "registers", "ptxas" } } do
      local size, signed = differ(group[2], what[1], what[2])
      cells[i] = ("%.1f %% (%+.1f)"):format(100 * size, 100 * signed)
    end
    print(("%-18s %5d %18s %18s %18s"):format(group[1], number, cells[1],
          cells[2], cells[3]))
  end
end
local plain = differ(groups[1][2], "plain", "ptxas")
print(("registers without a schedule, all: %.1f %%"):format(100 * plain))
assert(os.getenv "LOOM_FROM" or
       differ(groups[1][2], "timed", "sass") <= limit,
       "instruction counts differ too much from ptxas's")
