-- Loops of a module's text as ptxas 13.0 unrolls them: a block that counts in
-- steps of a number to what is known before, and may be unrolled, becomes a
-- loop of four copies, two copies and one, each with its test.
local M = {}

local types = { f = "f32", r = "b32", rd = "b64", p = "pred", fd = "f64" }
local register = "%%(%a+)(%d+)"

-- Copies of a body; registers have names of their own in all but the last.
local function copies(body, count, fresh)
  local names, out = {}, {}
  local function name(text)
    return (text:gsub(register, function(kind, number)
      return names[kind .. number] or "%" .. kind .. number
    end))
  end
  for k = 1, count do
    for _, line in ipairs(body) do
      local op, first, rest = line:match "^%s*(%S+)%s+([^,;]+)(.*)$"
      local writes = not op:find "^st%."
      rest = name(rest)
      if not writes then
        first = name(first)
      elseif k < count then
        local kind = first:match "%%(%a+)"
        fresh[kind] = (fresh[kind] or 0) + 1
        names[first:sub(2)] = "%u" .. kind .. fresh[kind]
        first = names[first:sub(2)]
      else
        names[first:sub(2)] = nil
      end
      out[#out + 1] = "\t" .. op .. " " .. first .. rest
    end
  end
  return out
end

-- What is left of a loop that ends with "setp.lt r, e" or "setp.ne r, e", as
-- text that makes it; nil if it is no such loop.
local function left_of(body, compare, r, e)
  local step
  for _, line in ipairs(body) do
    local to, from, by = line:match "add%.s32%s+(%%r%d+), (%%r%d+), (%-?%d+);"
    if to == r and from == r then step = tonumber(by) end
  end
  if not step or (compare ~= "lt" and compare ~= "ne") then return end
  if compare == "lt" and step < 0 then return end
  local a, b = e, r
  if step < 0 then
    a, b = r, e
    if e == "0" then return ("mov.u32 %%ur0, %s;"):format(r), -step end
  end
  return ("sub.s32 %%ur0, %s, %s;"):format(a, b), math.abs(step)
end

local function unrolled(label, body, test, fresh)
  local compare, p, r, e =
    test:match "setp%.(%a+)%.s32%s+(%%p%d+), (%%r%d+), ([%%%w]+);"
  local left, step = nil, nil
  if compare then left, step = left_of(body, compare, r, e) end
  if not left then return end
  local out = {}
  local function add(...)
    for _, line in ipairs { ... } do out[#out + 1] = line end
  end
  local function unless_more(than, to)
    add("\t" .. left, ("\tsetp.le.s32 %%up0, %%ur0, %d;"):format(than),
        "\t@%up0 bra " .. label .. to .. ";")
  end
  add(label .. ":")
  unless_more(3 * step, "_2")
  add(label .. "_4:")
  add(table.unpack(copies(body, 4, fresh)))
  add("\t" .. left, ("\tsetp.gt.s32 %s, %%ur0, %d;"):format(p, 3 * step),
      ("\t@%s bra %s_4;"):format(p, label), label .. "_2:")
  unless_more(step, "_1")
  add(table.unpack(copies(body, 2, fresh)))
  add(label .. "_1:")
  unless_more(0, "_0")
  add(table.unpack(body))
  add(label .. "_0:")
  return out
end

-- Lines of a loop that begins at lines[i], a label, and where it ends.
local function loop_at(lines, i)
  local label = lines[i]:match "^(%S+):$"
  if not label then return end
  local body = {}
  for k = i + 1, #lines do
    local line = lines[k]
    if line:find("^%s*@%%p%d+ bra%s+" .. label:gsub("%p", "%%%0") .. ";") then
      return label, body, table.remove(body), k
    end
    if line:find "^%S+:$" or line:find "^%s*[@{}.]" or line:find "bar%." then
      return
    end
    body[#body + 1] = line
  end
end

function M.text(text)
  local lines, out, count = {}, {}, 0
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  local i, fresh, begin = 1, {}, nil
  while i <= #lines do
    local label, body, test, last = loop_at(lines, i)
    local new = label and unrolled(label, body, test, fresh)
    if lines[i] == "{" then begin, fresh = #out + 1, {} end
    if new then
      table.move(new, 1, #new, #out + 1, out)
      count, i = count + 1, last
    else
      out[#out + 1] = lines[i]
    end
    if lines[i] == "}" and begin and out[begin] == "{" then
      local regs = { "{" }
      for kind, type in next, types do
        regs[#regs + 1] = ("\t.reg .%s %%u%s<%d>;"):format(
          type, kind, (fresh[kind] or 0) + 1)
      end
      table.sort(regs, function(a, b) return b < a end)
      out[begin] = table.concat(regs, "\n")
    end
    i = i + 1
  end
  return table.concat(out, "\n") .. "\n", count
end

return M
