-- CUDA's error numbers (driver_types.h, enum cudaError), and what becomes of a
-- kernel that fails.

local import = ...
local session = import "script/session"

local M = {
  invalid_value = 1, memory = 2, invalid_configuration = 9,
  invalid_symbol = 13, invalid_channel = 20, invalid_ptx = 218,
  invalid_handle = 400, not_found = 500, not_ready = 600, illegal_address = 700,
  out_of_resources = 701, timeout = 702, assert = 710, misaligned = 716,
  launch_failure = 719, cooperative_too_large = 720, not_supported = 801,
}

-- The number for a kernel that failed: by the words of
-- workloads/ptx/exec/report.c.
local function failure(stop)
  local text = stop.text or ""
  if stop.kind == "deadlock" then return M.timeout end
  if stop.kind == "cut" then return 0 end
  if stop.kind == "memory" then return M.memory end
  if stop.kind == "interrupted" then return M.launch_failure end
  if text:find("endless", 1, true) then return M.timeout end
  if text:find("assert", 1, true) then return M.assert end
  if text:find("align", 1, true) then return M.misaligned end
  if text:find("trap", 1, true) then return M.launch_failure end
  if text:find("0x%x+") then return M.illegal_address end
  return M.launch_failure
end

-- Does something that lets kernels run; a failure is noted on its way up.
function M.guarded(state, work, ...)
  local result = table.pack(pcall(work, ...))
  if result[1] then return table.unpack(result, 2, result.n) end
  local e = result[2]
  if getmetatable(e) == session.Stop then
    state.host.failure = failure(e)
  else
    state.host.failure = M.launch_failure
  end
  error(e, 0)
end

return M
