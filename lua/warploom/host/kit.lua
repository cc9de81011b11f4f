-- What host programs of the suite share: require "warploom.kit".

local import = ...
local core = import "core"

local M = {}

-- Blocks of `block` threads for n threads.
function M.ceil(n, block) return (n + block - 1) // block end

-- Launches a kernel over a plane of threads in CTAs of 32 x 8.
function M.plane(dev, kernel, width, height, args)
  return dev:launch(kernel, { grid = { M.ceil(width, 32), M.ceil(height, 8) },
                              block = { 32, 8 }, args = args })
end

-- Launches a kernel over a row of n threads.
-- Warps that loop for `steps` steps may need a larger budget than others.
function M.row(dev, kernel, n, block, args, steps)
  local budget = steps and 64 * steps * M.ceil(block, 32)
  return dev:launch(kernel, { grid = M.ceil(n, block), block = block,
                              args = args, budget = budget and
                              math.max(budget, 1 << 27) or nil })
end

-- f32 elements that are whole numbers 0 .. below - 1: sums of few of them are
-- exact, so that a result does not depend on the order of additions.
function M.whole(dev, count, seed, below)
  return dev:array("f32", count):random(seed, 0, below or 4, 1)
end

-- f32 elements in [low, high).
function M.real(dev, count, seed, low, high)
  return dev:array("f32", count):random(seed, low or 0, high or 1)
end

-- A buffer of zeros.
function M.zeros(dev, kind, count, name)
  return dev:alloc({ type = kind, count = count }, name)
end

-- A table t[0 .. n - 1] of an array or a typed buffer: Lua is faster with it.
function M.list(values)
  if type(values) == "table" and values.download then
    values = values:download()
  end
  local t = values:table()
  return table.move(t, 1, #t, 0)
end

-- An array of f(i) for i = 0 .. count - 1.
function M.array(dev, kind, count, f)
  return dev:array(kind, count):map(function(_, i) return f(i) end)
end

local function get(values)
  if type(values) == "table" and values.download then
    return values:download()
  end
  return values
end

local function differs(dev, what, i, got, want)
  dev:check(false, ("%s[%d] is %.9g, expected %.9g"):format(what, i, got,
                                                            want))
end

-- Ends the run unless a buffer (or array) holds exactly `want`, an array or a
-- table from 0.
function M.equal(dev, what, buffer, want)
  local got = get(buffer)
  for i = 0, #got - 1 do
    if got[i] ~= want[i] then differs(dev, what, i, got[i], want[i]) end
  end
end

-- As `equal`, up to `tolerance` times the largest magnitude in `want`; a NaN
-- never passes.
function M.close(dev, what, buffer, want, tolerance)
  local got, scale = get(buffer), 1e-30
  for i = 0, #got - 1 do
    local w = want[i] < 0 and -want[i] or want[i]
    if w > scale then scale = w end
  end
  for i = 0, #got - 1 do
    local d = got[i] - want[i]
    if not (d <= tolerance * scale and -d <= tolerance * scale) then
      differs(dev, what, i, got[i], want[i])
    end
  end
end

-- For sums of whole numbers that are at least 0: as `equal` if the largest is
-- exact in f32, for then all partial sums are; else each up to `roundings`
-- roundings to nearest, 2^-24 of the value at most.  Returns which.
function M.sums(dev, what, buffer, want, roundings)
  local got, largest = get(buffer), 0
  for i = 0, #got - 1 do
    if want[i] > largest then largest = want[i] end
  end
  if largest < 1 << 24 then
    M.equal(dev, what, got, want)
    return "bit for bit"
  end
  for i = 0, #got - 1 do
    local d, bound = got[i] - want[i], want[i] * roundings * 2.0 ^ -24
    if not (d <= bound and -d <= bound) then
      differs(dev, what, i, got[i], want[i])
    end
  end
  return ("up to %d roundings to single precision"):format(roundings)
end

-- What a reference in Lua may cost: about ten seconds.
local budget = 100000000

-- Which of 0 .. count - 1 are compared if each takes `cost` operations: nil if
-- there is time for all, else a set with the first, the last and others by
-- the seed, and how many it holds.
function M.some(seed, count, cost)
  if count * cost <= budget then return nil end
  local set, random = { [0] = true, [count - 1] = true }, M.random(seed + 77)
  local most = math.min(math.max(budget // cost, 4), count)
  local held = count > 1 and 2 or 1
  while held < most do
    local i = random(count)
    if not set[i] then set[i], held = true, held + 1 end
  end
  return set, held
end

-- Iterations of the same kernels: `launch(t)` for t = 0 .. count - 1.
--   start      arrays by name, what the device begins with
--   buffers()  the buffers that hold them now
--   step(s, t) the same on the CPU, in lists from 0 by name
--   cells      of a step; tolerance: of `close`
-- Returns a function that compares at the end and says what was compared.
-- Where there is no time for all steps, some are compared right after them,
-- each computed from what the device had before it.
function M.iterate(dev, p, it)
  local some, held = M.some(p.seed, it.count, it.cells)
  local function compare(lists)
    for name, buffer in pairs(it.buffers()) do
      M.close(dev, name, buffer, lists[name], it.tolerance)
    end
  end
  local function lists(from)
    local out = {}
    for name, values in pairs(from) do out[name] = M.list(values) end
    return out
  end
  for t = 0, it.count - 1 do
    local before = some and some[t] and p.verify and lists(it.buffers())
    it.launch(t)
    if before then
      it.step(before, t)
      compare(before)
    end
  end
  return function()
    if some then
      return ("%d of %d steps, each from what was before it"):format(held,
                                                                 it.count)
    end
    local state = lists(it.start)
    for t = 0, it.count - 1 do it.step(state, t) end
    compare(state)
    return ("after %d step%s"):format(it.count, it.count == 1 and "" or "s")
  end
end

-- Are sums up to `largest` exact in single precision?
function M.exact(dev, largest)
  dev:check(largest < 1 << 24, "the sums would not be exact in f32")
end

M.f32 = core.f32
M.mars = import "host/kit_mars"
M.net = import "host/kit_net"
M.block = { name = "block", default = 256, min = 32, max = 1024,
            doc = "Threads per CTA" }

-- The row of a size parameter.
function M.param(name, default, doc, max, min)
  return { name = name, default = default, min = min or 1,
           max = max or 1 << 24, doc = doc }
end

-- For chains of square products: matrix(name, i) makes the i-th input, with
-- elements 0 and 1, and product(x, y, name) launches `kernel` for two buffers.
function M.matrices(dev, kernel, p)
  local n = p.n
  local function matrix(name, i)
    local a = M.whole(dev, n * n, p.seed + i, 2)
    return a, dev:upload(a, name)
  end
  local function product(x, y, name)
    local z = M.zeros(dev, "f32", n * n, name)
    M.plane(dev, kernel, n, n, { n, n, n, x, y, z })
    return z
  end
  return matrix, product
end

-- Products of all pairs of columns 1 .. m, lists from 1, as an array with a row
-- and a column 0 of zeros.
function M.products(dev, column, n)
  local m = #column
  local a = dev:array("f32", n * (m + 1))
  local t = dev:array("f32", n * (m + 1)) -- transposed
  for j, c in ipairs(column) do
    for i = 0, n - 1 do
      a[i * (m + 1) + j], t[j * n + i] = c[i + 1], c[i + 1]
    end
  end
  return core.matmul(t, a, m + 1, n, m + 1)
end

-- A list from 0 as a new buffer.
function M.upload(dev, kind, list, name)
  local count = #list + 1
  return dev:upload(M.array(dev, kind, count, function(i)
    return list[i]
  end), name)
end

-- A random graph without direction: where the neighbours of each node start
-- (one more than there are nodes), the neighbours, and for each of them where
-- it has this node.  All from 0.
function M.graph(seed, nodes, degree)
  local random, pairs, count = M.random(seed), {}, {}
  for i = 0, nodes do count[i] = 0 end
  for e = 1, nodes * degree // 2 do
    local a = random(nodes)
    local b = (a + 1 + random(nodes - 1)) % nodes
    pairs[e] = { a, b }
    count[a], count[b] = count[a] + 1, count[b] + 1
  end
  local start, at, total = {}, {}, 0
  for i = 0, nodes do
    start[i], at[i], total = total, total, total + count[i]
  end
  local neighbour, partner = {}, {}
  for _, pair in ipairs(pairs) do
    local a, b = pair[1], pair[2]
    local x, y = at[a], at[b]
    neighbour[x], neighbour[y], partner[x], partner[y] = b, a, y, x
    at[a], at[b] = x + 1, y + 1
  end
  return start, neighbour, partner
end

-- A vocabulary of `count` different words of 2 to 9 letters out of `letters`.
function M.words(random, count, letters)
  letters = letters or "abcdefghijklmnopqrstuvwxyz"
  local words, seen = {}, {}
  while #words < count do
    local word = {}
    for i = 1, 2 + random(8) do
      local at = 1 + random(#letters)
      word[i] = letters:sub(at, at)
    end
    word = table.concat(word)
    if not seen[word] then
      seen[word] = true
      words[#words + 1] = word
    end
  end
  return words
end

-- Lines that `line()` makes, `bytes` long in all; the last one is filled up
-- with blanks.
function M.lines(bytes, line)
  local out, size = {}, 0
  while true do
    local one = line()
    if size + #one > bytes then break end
    out[#out + 1] = one
    size = size + #one
  end
  if size < bytes then
    out[#out + 1] = (" "):rep(bytes - size - 1) .. "\n"
  end
  return table.concat(out)
end

-- Text of a vocabulary, in lines of about `length` words.
function M.text(seed, bytes, words, length)
  local random = M.random(seed)
  words = words or M.words(random, 500)
  return M.lines(bytes, function()
    local line = {}
    for i = 1, 1 + random(2 * (length or 8)) do
      line[i] = words[1 + random(#words)]
    end
    return table.concat(line, " ") .. "\n"
  end)
end

-- A buffer of a string's bytes.
function M.bytes(dev, text, name)
  return dev:upload(dev:array("u8", text), name)
end

-- The hash of strings that kernels compute byte by byte (FNV-1a, 32 bits).
function M.hash(text)
  local h = 2166136261
  for i = 1, #text do h = (h ~ text:byte(i)) * 16777619 & 0xffffffff end
  return h
end

-- Kernels over text give each of `threads` threads a chunk of bytes.
M.threads = { name = "threads", default = 7680, min = 1, max = 1 << 20,
              doc = "Threads, each with its chunk" }

-- Random numbers of a host program: uniform in 0 .. n - 1.
function M.random(seed)
  local state = (seed * 0x9e3779b97f4a7c15) ~ 0x2545f4914f6cdd1d
  return function(n)
    state = state ~ (state << 13)
    state = state ~ (state >> 7)
    state = state ~ (state << 17)
    return (state >> 11) % n
  end
end

return M
