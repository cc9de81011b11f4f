-- What `warploom new policy` writes.  @NAME@ is the policy's name.

local M = {}

-- C: includes, functions, facets and what the statistics count, by hook.
M.c = {}

M.c.replacement = {
  body = [=[
static bool @NAME@_bind(struct loom_policy *self,
                        const struct loom_cache_shape *shape,
                        struct loom_error *err)
{
    struct @NAME@ *state = loom_policy_state(self);

    state->ways = shape->ways;
    state->stamp = loom_policy_alloc(self, (size_t)shape->sets * shape->ways,
                                     sizeof(*state->stamp));
    return loom_policy_has_memory(self, err);
}

/* The candidate that came first. */
static uint32_t @NAME@_victim(struct loom_policy *self,
                              const struct loom_mem_request *request,
                              uint32_t set, const struct loom_ways *ways)
{
    const struct @NAME@ *state = loom_policy_state(self);
    struct @NAME@_stats *stats = loom_policy_stats(self);
    const uint64_t *stamp = state->stamp + (size_t)set * state->ways;
    uint32_t best = ways->way[0];

    (void)request;
    for (uint32_t i = 1; i < ways->count; i++) {
        if (stamp[ways->way[i]] < stamp[best]) {
            best = ways->way[i];
        }
    }
    stats->decisions++;
    return best;
}

static void @NAME@_inserted(struct loom_policy *self,
                            const struct loom_mem_request *request,
                            uint32_t set, uint32_t way)
{
    struct @NAME@ *state = loom_policy_state(self);

    (void)request;
    state->stamp[(size_t)set * state->ways + way] = ++state->clock;
}

static const struct loom_replacement_ops @NAME@_ops = {
    .bind = @NAME@_bind,
    .victim = @NAME@_victim,
    .inserted = @NAME@_inserted,
};

static void @NAME@_cost(const void *config, const struct loom_cost_shape *shape,
                        struct loom_cost *cost)
{
    (void)config;
    loom_cost_add(cost, "order", (uint64_t)shape->sets * shape->ways,
                  loom_bits_for(shape->ways),
                  "Place of a line in its set's order");
}
]=],
  state = [=[
    uint32_t ways;
    uint64_t clock;  /* insertions so far */
    uint64_t *stamp; /* [sets * ways] value of `clock` at the insertion */
]=],
  hook = "loom_replacement_hook", decisions = "Victims chosen",
}

M.c.admit = {
  body = [=[
/* Every `one_in`th access of loads goes around the cache. */
static enum loom_admit @NAME@_admit(struct loom_policy *self,
                                    const struct loom_mem_request *request,
                                    struct loom_bypass *bypass)
{
    const struct @NAME@_config *config = loom_policy_config(self);
    struct @NAME@ *state = loom_policy_state(self);
    struct @NAME@_stats *stats = loom_policy_stats(self);

    (void)bypass;
    if (request->kind != LOOM_MEM_LOAD ||
        ++state->loads % config->one_in != 0) {
        return LOOM_ADMIT_DEFAULT;
    }
    stats->decisions++;
    return LOOM_ADMIT_BYPASS;
}

static const struct loom_admit_ops @NAME@_ops = {
    .admit = @NAME@_admit,
};

static void @NAME@_cost(const void *untyped,
                        const struct loom_cost_shape *shape,
                        struct loom_cost *cost)
{
    const struct @NAME@_config *config = untyped;

    (void)shape;
    loom_cost_add(cost, "loads", 1, loom_bits_for(config->one_in),
                  "Loads since one went around");
}
]=],
  state = "    uint64_t loads;\n",
  hook = "loom_admit_hook", decisions = "Times that a load was sent around",
}

M.c.observe = {
  body = [=[
static void @NAME@_observe(struct loom_policy *self,
                           const struct loom_event *event)
{
    struct @NAME@_stats *stats = loom_policy_stats(self);
    struct @NAME@ *state = loom_policy_state(self);

    state->last = event->now;
    stats->decisions++;
}

static const struct loom_observe_ops @NAME@_ops = {
    .events = LOOM_EVENT(MISS),
    .observe = @NAME@_observe,
};

/* Watches only: no chip would have it. */
static void @NAME@_cost(const void *config, const struct loom_cost_shape *shape,
                        struct loom_cost *cost)
{
    loom_cost_none(config, shape, cost);
}
]=],
  state = "    loom_cycle last; /* miss */\n",
  hook = "loom_cache_observe_hook", decisions = "Misses seen",
}

M.c_head = [=[
/*
 * @NAME@: what it does, in one sentence.
 *
 * Where the idea is from, and what is done otherwise.
 */
@PLUGIN_INCLUDE@#include "policies/cache_hook.h"

struct @NAME@_config {
    uint32_t one_in;
};

struct @NAME@_stats {
    uint64_t decisions;
};

struct @NAME@ {
@STATE@};

]=]

M.c_tail = [=[

static const struct loom_param @NAME@_params[] = {
    LOOM_PARAM(struct @NAME@_config, one_in, .unit = LOOM_UNIT_REQUEST,
               .def = {.u = 4}, .min = {.u = 1}, .max = {.u = 65536},
               .doc = "One decision for so many"),
};

static const struct loom_stat @NAME@_stat_table[] = {
    LOOM_COUNTER(struct @NAME@_stats, decisions, LOOM_UNIT_EVENT,
                 "@DECISIONS@"),
};

@STATIC@const struct loom_policy_type @NAME@_policy = {
    .name = "@NAME@",
    .doc = "What it does, in one sentence",
    .state_size = sizeof(struct @NAME@),
    .config_size = sizeof(struct @NAME@_config),
    .stats_size = sizeof(struct @NAME@_stats),
    .params = LOOM_SLICE(@NAME@_params),
    .stats = LOOM_SLICE(@NAME@_stat_table),
    .facets = LOOM_FACETS({&@HOOK@, &@NAME@_ops}),
    .cost = @NAME@_cost,
};
]=]

M.c_plugin = [=[

static const struct loom_policy_type *const policies[] = {&@NAME@_policy, NULL};

LOOM_PLUGIN(.policies = policies);
]=]

M.cmake = [=[
# cmake -B build -DCMAKE_PREFIX_PATH=/where/warploom/was/installed
# cmake --build build && warploom run test.lua
cmake_minimum_required(VERSION 3.25)
project(@NAME@ LANGUAGES C)

find_package(warploom REQUIRED)
warploom_plugin(@NAME@ @NAME@.c)
]=]

M.unit_test = [=[
/*
 * @NAME@: declared well; sequences worked out by hand go here.
 * links: policy_@NAME@
 */
#include "policies/cache_hook.h"

#include "tests/unit/test.h"

extern const struct loom_policy_type @NAME@_policy;

static void it_answers_its_hook(void)
{
    EXPECT(loom_policy_type_ops(&@NAME@_policy, &@HOOK@) != NULL);
}

static void its_tables_are_consistent(void)
{
    struct loom_error err;

    EXPECT(loom_params_audit(@NAME@_policy.params, @NAME@_policy.config_size,
                             &err));
    EXPECT(loom_stats_audit(@NAME@_policy.stats, @NAME@_policy.stats_size,
                            &err));
}

int main(void)
{
    static const struct loom_test tests[] = {
        {"it_answers_its_hook", it_answers_its_hook},
        {"its_tables_are_consistent", its_tables_are_consistent},
    };

    return loom_run_tests("@NAME@", tests, LOOM_COUNTOF(tests));
}
]=]

-- Lua: the module and what it answers, by hook.
M.lua = {}

M.lua.replacement = [=[
  init = function(self) self.clock, self.stamp = 0, {} end,
  replacement = {
    victim = function(_, set, ways, self)
      local base, best = set * self.shape.ways, ways[1]
      for _, way in ipairs(ways) do
        if self.stamp[base + way] < self.stamp[base + best] then best = way end
      end
      self.stats.decisions = self.stats.decisions + 1
      return best
    end,
    inserted = function(_, set, way, self)
      self.clock = self.clock + 1
      self.stamp[set * self.shape.ways + way] = self.clock
    end,
  },
]=]

M.lua.admit = [=[
  init = function(self) self.loads = 0 end,
  admit = function(access, self)
    if access.kind ~= "load" then return end
    self.loads = self.loads + 1
    if self.loads % self.params.one_in == 0 then
      self.stats.decisions = self.stats.decisions + 1
      return "bypass"
    end
  end,
]=]

M.lua.observe = [=[
  observe = {
    miss = function(_, self)
      self.stats.decisions = self.stats.decisions + 1
    end,
  },
]=]

M.lua_head = [=[
-- @NAME@: what it does, in one sentence.
--
--     local @NAME@ = require "@NAME@"
--     gpu:each "sm[*].l1d":attach(@NAME@ { one_in = 8 })
local loom = require "warploom"

return loom.policy {
  name = "@NAME@", doc = "What it does, in one sentence",
  params = { one_in = { default = 4, min = 1, max = 65536, unit = "request",
                        doc = "One decision for so many" } },
  stats = { decisions = { unit = "event", doc = "@DECISIONS@" } },
]=]

M.test = [=[
-- Runs a small program with @NAME@ at the L1, and looks at what it counted.
local loom = require "warploom"
@LOAD@
local gpu = loom.preset.tiny { sm_count = 1, sm = { l1d = {
  size_bytes = 1024 } } }
gpu.sm[0].l1d:attach(@CONSTRUCT@ {})
local run = loom.run {
  machine = gpu, workload = loom.suite.atax { rows = 64, columns = 40 },
}
local stats = run.stats "gpu/sm/l1d/policy/@NAME@"
assert(stats.decisions > 0, "it was never asked")
print("@NAME@: " .. stats.decisions .. " decisions")
]=]

M.page = [=[
# @NAME@

What it does, in one sentence. Hook `@SLOT@` of the
@CACHE_LINK@.

**Decides** ..

**Hardware**: `warploom info --cost @NAME@`.

@REFERENCE@

```lua run
local loom = require "warploom"
local gpu = loom.preset.tiny { sm_count = 1 }
gpu.sm[0].l1d:attach(loom.@NAME@ {})
local run = loom.run {
  machine = gpu, workload = loom.suite.vectoradd {},
}
assert(run.stats "gpu/sm/l1d/policy/@NAME@".decisions >= 0)
```

| topic | source says | we do | why |
|---|---|---|---|
| .. | .. | .. | .. |
]=]

return M
