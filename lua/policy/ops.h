/*
 * The questions that a function in Lua may answer, one row for each op of
 * each hook: from these rows come the names, the C functions and the ops.
 *
 * HOOK(hook, type, rows)
 *     struct loom_<type>_ops for loom_<hook>_hook.
 * OP(hook, op, name, required, result, answer, types)
 *     `name` is the op's name in Lua; is it required of a policy that answers
 *     the hook?  The result and the arguments in C have these types; the
 *     arguments are a, b, c and d in the row, and what Lua is told of each
 *     follows from its type (ask.h).  What Lua may answer (ask.c):
 *         NUMBER(low, high, otherwise)         `otherwise` is told to C where
 *                                              Lua gives no answer
 *         AMONG(high, otherwise, is, refusal)  0 .. high, if the expression
 *                                              `is` of `answer` holds
 *         NUMBER_OR_NIL, AMONG_OR_NIL          nil is `otherwise`
 *         BYPASS(names, bypass)                one of names[], 0 is nil, and
 *                                              how to go on without a line
 * TELL(hook, op, name, required, types)
 *     The same without an answer.
 * OWN(hook, op, name, required)
 *     The same, but the function <hook>_<op>() is written out.
 * BIND(hook, shape)
 *     It has a bind, for a struct loom_<shape>.
 * ALSO(hook, member)
 *     <hook>_<member>() is a member of the ops of which Lua is not asked.
 */
#ifndef LUA_POLICY_OPS_H
#define LUA_POLICY_OPS_H

/* clang-format off */
#define KIT_HOOKS(HOOK, OP, TELL, OWN, BIND, ALSO) \
    HOOK(scheduler, scheduler, \
        BIND(scheduler, sm_shape) \
        OP(scheduler, pick, "scheduler.pick", true, uint32_t, \
           AMONG(63, loom_lowest(b), b >> answer & 1, \
                 "%u, which is not a set bit of 'ready' (0x%llx)", \
                 (uint32_t)answer, (unsigned long long)b), \
           uint32_t, uint64_t, loom_cycle) \
        OP(scheduler, rank, "scheduler.rank", true, uint32_t, \
           NUMBER(0, UINT16_MAX, 0), uint32_t, uint32_t) \
        TELL(scheduler, issued, "scheduler.issued", false, \
             uint32_t, uint32_t, loom_cycle) \
        TELL(scheduler, stalled, "scheduler.stalled", false, \
             uint32_t, uint64_t) \
        TELL(scheduler, started, "scheduler.started", false, \
             uint32_t, uint32_t, uint64_t) \
        TELL(scheduler, finished, "scheduler.finished", false, \
             uint32_t, uint32_t)) \
    HOOK(throttle, throttle, \
        BIND(throttle, sm_shape) \
        OP(throttle, allow, "throttle.allow", true, uint64_t, \
           NUMBER_OR_NIL(0, UINT64_MAX, a->ready), THROTTLE_VIEW) \
        OP(throttle, prefer, "throttle.prefer", false, uint64_t, \
           NUMBER_OR_NIL(0, UINT64_MAX, 0), THROTTLE_VIEW)) \
    HOOK(coalesce, coalesce, \
        BIND(coalesce, ldst_shape) \
        OWN(coalesce, coalesce, "coalesce.coalesce", true)) \
    HOOK(order, order, \
        ALSO(order, bind) \
        OP(order, queue_of, "order.queue_of", true, uint32_t, \
           NUMBER(0, kit_state(policy)->queues - 1, 0), REQUEST) \
        OWN(order, next, "order.next", true) \
        TELL(order, sent, "order.sent", false, uint32_t, REQUEST)) \
    HOOK(admit, admit, \
        BIND(admit, cache_shape) \
        OP(admit, admit, "admit.admit", true, enum loom_admit, \
           BYPASS(admits, b), REQUEST, struct loom_bypass *)) \
    HOOK(allocation, allocation, \
        BIND(allocation, cache_shape) \
        OP(allocation, allocate, "allocation.allocate", false, \
           enum loom_allocate, BYPASS(allocates, c), \
           REQUEST, uint32_t, struct loom_bypass *) \
        OWN(allocation, fail, "allocation.fail", false) \
        OP(allocation, answer, "allocation.answer", false, uint16_t, \
           NUMBER_OR_NIL(0, UINT16_MAX, 0), REQUEST)) \
    HOOK(candidates, candidates, \
        BIND(candidates, cache_shape) \
        OWN(candidates, restrict_ways, "candidates.restrict", true) \
        OP(candidates, empty, "candidates.empty", false, \
           enum loom_no_candidate, BYPASS(empties, c), \
           REQUEST, uint32_t, struct loom_bypass *)) \
    HOOK(replacement, replacement, \
        BIND(replacement, cache_shape) \
        OP(replacement, victim, "replacement.victim", true, uint32_t, \
           AMONG(UINT16_MAX, c->way[0], kit_has_way(c, answer), \
                 "%u, which is none of the ways it was given", \
                 (uint32_t)answer), \
           REQUEST, uint32_t, const struct loom_ways *) \
        TELL(replacement, inserted, "replacement.inserted", false, \
             REQUEST, uint32_t, uint32_t) \
        TELL(replacement, hit, "replacement.hit", false, \
             REQUEST, uint32_t, uint32_t) \
        TELL(replacement, invalidated, "replacement.invalidated", false, \
             uint32_t, uint32_t)) \
    HOOK(set_index, set_index, \
        BIND(set_index, cache_shape) \
        OP(set_index, index, "set_index.index", true, uint32_t, \
           NUMBER(0, kit_state(policy)->sets - 1, 0), loom_addr)) \
    HOOK(power, power, \
        BIND(power, cache_shape) \
        OWN(power, after, "power.after", true)) \
    HOOK(ldst_mark, mark, \
        ALSO(ldst_mark, bind) \
        OP(ldst_mark, mark, "ldst_mark.mark", true, uint16_t, \
           NUMBER_OR_NIL(0, UINT16_MAX, 0), REQUEST)) \
    HOOK(cache_mark, mark, \
        ALSO(cache_mark, bind) \
        OP(cache_mark, mark, "cache_mark.mark", true, uint16_t, \
           NUMBER_OR_NIL(0, UINT16_MAX, 0), REQUEST)) \
    HOOK(dispatch, dispatch, \
        ALSO(dispatch, bind) \
        OP(dispatch, select, "dispatch.select", true, uint32_t, \
           AMONG_OR_NIL(a->sms - 1, first_fit(policy, a), a->fits[answer], \
                        "%u, where no CTA fits", (uint32_t)answer), \
           const struct loom_dispatch_view *)) \
    HOOK(routing, routing, \
        BIND(routing, noc_shape) \
        OP(routing, route, "routing.route", true, uint32_t, \
           NUMBER(0, kit_state(policy)->outputs - 1, 0), \
           uint32_t, uint32_t, uint32_t) \
        OP(routing, slice_link, "routing.slice_link", false, uint32_t, \
           NUMBER_OR_NIL(0, kit_state(policy)->slice_links - 1, 0), \
           REQUEST, uint32_t) \
        OP(routing, vcs, "routing.vcs", false, uint64_t, \
           NUMBER_OR_NIL(1, vcs_of(policy), vcs_of(policy)), \
           const struct loom_hop *) \
        ALSO(routing, all_vcs)) \
    HOOK(arbiter, arbiter, \
        BIND(arbiter, noc_shape) \
        OWN(arbiter, pick, "arbiter.pick", true) \
        TELL(arbiter, granted, "arbiter.granted", false, \
             uint32_t, uint32_t)) \
    HOOK(schedule, schedule, \
        BIND(schedule, schedule_shape) \
        OP(schedule, pick, "schedule.pick", true, uint32_t, \
           AMONG_OR_NIL(63, first_legal(policy, a), legal(a) >> answer & 1, \
                 "%u, which is no bit of column, activate or precharge", \
                 (uint32_t)answer), \
           const struct loom_schedule_view *) \
        TELL(schedule, arrived, "schedule.arrived", false, \
             uint32_t, uint32_t, uint32_t, bool) \
        TELL(schedule, served, "schedule.served", false, uint32_t)) \
    HOOK(page, page, \
        OP(page, close_at, "page.close_at", true, loom_cycle, \
           NUMBER_OR_NIL(c, INT64_MAX, LOOM_NEVER), \
           uint32_t, uint32_t, loom_cycle)) \
    HOOK(commands, commands, \
        BIND(commands, commands_shape) \
        TELL(commands, issued, "commands.issued", true, \
             const struct loom_command_event *)) \
    HOOK(map, map, \
        BIND(map, map_shape) \
        OWN(map, map, "map.map", true)) \
    HOOK(transform, transform, \
        OWN(transform, rewrite, "transform.rewrite", true))
/* clang-format on */

#endif
