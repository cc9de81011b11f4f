-- What `warploom new component` and `warploom new workload` write.  @NAME@ is
-- the name.

local M = {}

M.component = [=[
/*
 * @NAME@: what it does, in one sentence.
 *
 * One request a cycle goes on, `delay` cycles later; replies pass.
 */
@PLUGIN_INCLUDE@#include "engine/warm.h"

#include "components/mem_protocol.h"

struct @NAME@_config {
    uint32_t delay;
};

struct @NAME@_stats {
    uint64_t requests, replies;
};

struct @NAME@ {
    const struct @NAME@_config *config;
    struct @NAME@_stats *stats;
    struct loom_channel *up_in, *up_out, *down_in, *down_out;
};

static bool @NAME@_init(struct loom_component *self, struct loom_error *err)
{
    struct @NAME@ *s = loom_state(self);

    (void)err;
    s->config = loom_config(self);
    s->stats = loom_stats_of(self);
    s->up_in = loom_port_in(self, "up", 0);
    s->up_out = loom_port_out(self, "up", 0);
    s->down_in = loom_port_in(self, "down", 0);
    s->down_out = loom_port_out(self, "down", 0);
    return true;
}

static bool @NAME@_pass_reply(struct @NAME@ *s, loom_cycle now)
{
    const struct loom_mem_request *r = loom_peek(s->down_in, now);

    if (r == NULL || !loom_ready(s->up_out, now)) {
        return false;
    }
    loom_mem_copy(loom_send(s->up_out, now, 0), r);
    if ((r->flags & LOOM_MEM_MORE) == 0) {
        s->stats->replies++;
    }
    loom_pop(s->down_in, now);
    return true;
}

static bool @NAME@_pass_request(struct @NAME@ *s, loom_cycle now)
{
    const struct loom_mem_request *r = loom_peek(s->up_in, now);

    if (r == NULL || !loom_ready(s->down_out, now)) {
        return false;
    }
    loom_mem_copy(loom_send(s->down_out, now, s->config->delay), r);
    s->stats->requests++;
    loom_pop(s->up_in, now);
    return true;
}

static loom_cycle @NAME@_tick(struct loom_component *self, loom_cycle now)
{
    struct @NAME@ *s = loom_state(self);
    bool moved = @NAME@_pass_reply(s, now);

    moved |= @NAME@_pass_request(s, now);
    /* Asleep, it is woken by a message, or by room where there was none. */
    return moved ? now + 1 : LOOM_NEVER;
}

static void @NAME@_serve_warm(struct loom_component *self, void *message,
                              loom_cycle now)
{
    struct @NAME@ *s = loom_state(self);

    (void)now;
    loom_warm(s->down_out, message);
}

static bool @NAME@_quiet(struct loom_component *self)
{
    (void)self;
    return true; /* what is under way is in channels */
}

/* What came back was asked for: stores of a machine need not be answered. */
static bool @NAME@_check(struct loom_component *self, struct loom_error *err)
{
    const struct @NAME@ *s = loom_state(self);

    return s->stats->replies <= s->stats->requests ||
           loom_fail(err, LOOM_ERR_LAW, "more replies than requests");
}

static const struct loom_param @NAME@_params[] = {
    LOOM_PARAM(struct @NAME@_config, delay, .unit = LOOM_UNIT_CYCLE,
               .def = {.u = 10}, .max = {.u = 65536},
               .doc = "Cycles that a request takes on its way down",
               .source = "ours: an example"),
};

static const struct loom_stat @NAME@_stat_table[] = {
    LOOM_COUNTER(struct @NAME@_stats, requests, LOOM_UNIT_REQUEST,
                 "Requests that went on"),
    LOOM_COUNTER(struct @NAME@_stats, replies, LOOM_UNIT_REQUEST,
                 "Replies that passed"),
};

static const struct loom_port_decl @NAME@_ports[] = {
    {"up", "Requests from above", LOOM_SERVER, &loom_mem_protocol, 1, 1},
    {"down", "The same, later", LOOM_CLIENT, &loom_mem_protocol, 1, 1},
};

static const struct loom_warm_ops @NAME@_warm = {
    .serve = @NAME@_serve_warm,
    .quiet = @NAME@_quiet,
};

static const struct loom_component_ops @NAME@_ops = {
    .init = @NAME@_init,
    .tick = @NAME@_tick,
    .check = @NAME@_check,
    .warm = &@NAME@_warm,
};

@STATIC@const struct loom_component_type @NAME@_component = {
    .name = "@NAME@",
    .doc = "What it does, in one sentence",
    .state_size = sizeof(struct @NAME@),
    .config_size = sizeof(struct @NAME@_config),
    .stats_size = sizeof(struct @NAME@_stats),
    .params = LOOM_SLICE(@NAME@_params),
    .stats = LOOM_SLICE(@NAME@_stat_table),
    .ports = LOOM_SLICE(@NAME@_ports),
    .ops = &@NAME@_ops,
};
]=]
M.component_plugin = [=[

static const struct loom_component_type *const components[] = {
    &@NAME@_component, NULL};

LOOM_PLUGIN(.components = components);
]=]

M.component_unit_test = [=[
/*
 * @NAME@: declared well; what it does with messages worked out by hand goes
 * here.
 * links: component_@NAME@
 */
#include "engine/component.h"

#include "tests/unit/test.h"

extern const struct loom_component_type @NAME@_component;

static void its_tables_are_consistent(void)
{
    const struct loom_component_type *type = &@NAME@_component;
    struct loom_error err;

    EXPECT(loom_params_audit(type->params, type->config_size, &err));
    EXPECT(loom_stats_audit(type->stats, type->stats_size, &err));
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"its_tables_are_consistent", its_tables_are_consistent},
    };

    return loom_run_tests("@NAME@", tests, LOOM_COUNTOF(tests));
}
]=]

-- Between an L1 and the network of a small machine.
M.component_test = [=[
-- @NAME@ below an L1: what passes is counted, and loads take longer by it.
local loom = require "warploom"
@LOAD@
local function seconds(delay)
  local gpu = loom.preset.tiny { sm_count = 1 }
  gpu.@NAME@ = loom.@NAME@ { delay = delay }
  loom.splice(gpu.sm[0].l1d.down, gpu.@NAME@.up, gpu.@NAME@.down)
  local run = loom.run { machine = gpu,
                         workload = loom.suite.vectoradd {} }
  local passed = run.stats "gpu/@NAME@"
  assert(passed.requests > 0 and passed.replies > 0, "nothing passed")
  return run.seconds, passed.requests
end

local near, requests = seconds(0)
assert(seconds(200) > near, "it takes no time")
print("@NAME@: " .. requests .. " requests")
]=]

M.component_page = [=[
# @NAME@

What it does, in one sentence.

**Models** ..

@REFERENCE@

```lua run
local loom = require "warploom"
local gpu = loom.preset.tiny { sm_count = 1 }
gpu.@NAME@ = loom.@NAME@ { delay = 20 }
loom.splice(gpu.sm[0].l1d.down, gpu.@NAME@.up, gpu.@NAME@.down)
local run = loom.run { machine = gpu, workload = loom.suite.vectoradd {} }
assert(run.stats "gpu/@NAME@".requests > 0)
```

| topic | source says | we do | why |
|---|---|---|---|
| .. | .. | .. | .. |
]=]

------------------------------------------------------------------------------

M.workload = [=[
-- @NAME@: what it computes, in one sentence.

local loom = require "warploom"
local kit = require "warploom.kit"

local function run(dev, p)
  local n = p.n
  dev:module "@NAME@.ptx"
  local x = dev:array("f32", n):random(p.seed, -1, 1)
  local dx = dev:upload(x, "x")
  local dy = dev:alloc({ type = "f32", count = n }, "y")

  dev:launch("@NAME@", { grid = (n + p.block - 1) // p.block,
                         block = p.block, args = { dx, dy, n } })

  -- A reference by the host: a workload without one measures nothing.
  local y = dy:download()
  for i = 0, n - 1 do
    local want = loom.f32(x[i] + x[i])
    if y[i] ~= want then
      dev:check(false, ("y[%d] is %.9g, expected %.9g"):format(i, y[i], want))
    end
  end
  dev:verified "y = 2 x, bit for bit"
end

return {
  name = "@NAME@",
  doc = "What it computes, in one sentence",
  sizes = { tiny = { n = 2000 } },
  params = {
    { name = "n", default = 65536, min = 1, doc = "Elements" },
    kit.param("block", 256, "Threads per CTA", 1024),
  },
  run = run,
}
]=]

M.workload_cu = [=[
// @NAME@: clang++ --cuda-device-only --cuda-gpu-arch=sm_35 -O3 -S (or
// nvcc -ptx) makes @NAME@.ptx of it.
extern "C" __global__ void @NAME@(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        y[i] = x[i] + x[i];
    }
}
]=]

M.workload_ptx = [=[
.version 3.2
.target sm_20
.address_size 64

.visible .entry @NAME@(.param .u64 x, .param .u64 y, .param .u32 n)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<6>;
	.reg .f32 	%f<3>;
	.reg .b64 	%rd<6>;

	ld.param.u32 	%r1, [n];
	mov.u32 	%r2, %ctaid.x;
	mov.u32 	%r3, %ntid.x;
	mov.u32 	%r4, %tid.x;
	mad.lo.s32 	%r5, %r2, %r3, %r4;
	setp.ge.s32 	%p1, %r5, %r1;
	@%p1 bra 	DONE;
	ld.param.u64 	%rd1, [x];
	ld.param.u64 	%rd2, [y];
	mul.wide.s32 	%rd3, %r5, 4;
	add.s64 	%rd4, %rd1, %rd3;
	add.s64 	%rd5, %rd2, %rd3;
	ld.global.f32 	%f1, [%rd4];
	add.f32 	%f2, %f1, %f1;
	st.global.f32 	[%rd5], %f2;
DONE:
	ret;
}
]=]

M.workload_test = [=[
-- Runs @NAME@ on a small machine; wrong results would end it.
local loom = require "warploom"

local run = loom.run { machine = loom.preset.tiny {},
                       workload = loom.suite.@NAME@ { n = 1000 } }
assert(run.status == "complete")
print("@NAME@: " .. run.warp_insts .. " warp instructions")
]=]

M.workload_page = [=[
## @NAME@

What it computes, in one sentence; where it is from. Parameters: `n` elements,
`block` threads per CTA.

| topic | source says | we do | why |
|---|---|---|---|
| .. | .. | .. | .. |
]=]

return M
