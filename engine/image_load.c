/*
 * Reading the image of a machine into one that was built alike.
 */
#include <string.h>

#include "engine/image_private.h"

struct reader {
    const unsigned char *data;
    size_t left;
    struct loom_machine *machine;
    loom_image_kept *kept;
    void *context;
    struct loom_error *err;
    bool moved; /* policies' memory is not where it was */
    const struct loom_arena_block *points; /* has addresses of such */
};

static bool torn(struct reader *r)
{
    return loom_fail(r->err, LOOM_ERR_INPUT, "the image is cut off or torn");
}

static bool get(struct reader *r, void *data, uint64_t bytes)
{
    if (bytes > r->left) {
        return torn(r);
    }
    memcpy(data, r->data, bytes);
    r->data += bytes;
    r->left -= bytes;
    return true;
}

static const char *get_text(struct reader *r, uint64_t bytes)
{
    const char *text = (const char *)r->data;

    if (bytes == 0 || bytes > r->left || text[bytes - 1] != '\0') {
        torn(r);
        return NULL;
    }
    r->data += bytes;
    r->left -= bytes;
    return text;
}

/* Runs of a block into memory; NULL: they are left out. */
static bool get_runs(struct reader *r, const struct image_block *head,
                     unsigned char *start)
{
    for (uint32_t i = 0; i < head->runs; i++) {
        struct image_run run;

        if (!get(r, &run, sizeof(run))) {
            return false;
        }
        if (run.at > head->bytes || run.bytes > head->bytes - run.at ||
            run.bytes > r->left) {
            return torn(r);
        }
        if (start != NULL) {
            memcpy(start + run.at, r->data, run.bytes);
        }
        r->data += run.bytes;
        r->left -= run.bytes;
    }
    return true;
}

static bool get_block(struct reader *r, const struct loom_arena_block *block)
{
    struct image_block head;

    if (!get(r, &head, sizeof(head))) {
        return false;
    }
    if (head.bytes != block->bytes) {
        return loom_fail(r->err, LOOM_ERR_CONFIG,
                         "the state of '%s' has another size here: %zu bytes "
                         "instead of %llu",
                         loom_image_owner(r->machine, block), block->bytes,
                         (unsigned long long)head.bytes);
    }
    if (head.points != 0 && r->points == NULL) {
        r->points = block;
    }
    r->moved = r->moved || head.start != (uintptr_t)block->start;
    return get_runs(r, &head, block->start);
}

/* ---- policies ---- */

static struct loom_policy *find(const struct loom_machine *machine,
                                const char *path)
{
    for (size_t i = 0; i < machine->policies.count; i++) {
        struct loom_policy *policy = machine->policies.item[i];

        if (strcmp(policy->path, path) == 0) {
            return policy;
        }
    }
    return NULL;
}

static bool skip_blocks(struct reader *r, uint64_t count)
{
    struct image_block head;

    r->moved = true;
    for (uint64_t i = 0; i < count; i++) {
        if (!get(r, &head, sizeof(head)) || !get_runs(r, &head, NULL)) {
            return false;
        }
    }
    return true;
}

static bool get_blocks(struct reader *r, const struct loom_policy *policy,
                       uint64_t count)
{
    const struct loom_arena *arena = &r->machine->image->policies;
    uint64_t mine = 0;

    for (size_t i = 0; i < arena->blocks; i++) {
        mine += loom_image_is_of(policy, &arena->block[i]) ? 1 : 0;
    }
    if (mine != count) {
        return loom_fail(r->err, LOOM_ERR_CONFIG,
                         "the state of '%s' has another size here",
                         policy->path);
    }
    for (size_t i = 0; i < arena->blocks; i++) {
        if (loom_image_is_of(policy, &arena->block[i]) &&
            !get_block(r, &arena->block[i])) {
            return false;
        }
    }
    return true;
}

static bool get_policy(struct reader *r)
{
    struct image_policy head;
    const struct loom_policy *policy;
    const char *path, *type;

    if (!get(r, &head, sizeof(head))) {
        return false;
    }
    path = get_text(r, head.path);
    type = path != NULL ? get_text(r, head.type) : NULL;
    if (type == NULL) {
        return false;
    }
    policy = find(r->machine, path);
    if (policy == NULL || strcmp(policy->type->name, type) != 0 ||
        !r->kept(r->context, path)) {
        return skip_blocks(r, head.blocks);
    }
    return get_blocks(r, policy, head.blocks);
}

/* Those that begin anew must be able to. */
static bool others_join(struct reader *r)
{
    for (size_t i = 0; i < r->machine->policies.count; i++) {
        const struct loom_policy *policy = r->machine->policies.item[i];

        if (!r->kept(r->context, policy->path) && !policy->type->joins) {
            return loom_fail(r->err, LOOM_ERR_CONFIG,
                             "'%s' is another policy than was saved, and '%s' "
                             "cannot begin on a machine that has run",
                             policy->path, policy->type->name);
        }
    }
    return true;
}

/* ---- the whole ---- */

static bool get_head(struct reader *r, struct image_head *head)
{
    struct loom_machine *machine = r->machine;
    uint64_t *field[LOOM_IMAGE_FIELDS];

    if (!get(r, head, sizeof(*head)) || head->magic != LOOM_IMAGE_MAGIC) {
        return torn(r);
    }
    if (head->place != machine->image->place) {
        return loom_fail(r->err, LOOM_ERR_CONFIG, "the machine was elsewhere");
    }
    if (head->blocks != machine->image->parts) {
        return loom_fail(r->err, LOOM_ERR_CONFIG,
                         "its parts' state is another under these policies");
    }
    loom_image_fields(machine, field);
    for (size_t i = 0; i < LOOM_IMAGE_FIELDS; i++) {
        *field[i] = head->field[i];
    }
    machine->waits = (uint32_t)head->waits;
    return true;
}

/* A policy that begins anew may wait for a time that has passed. */
static void wake_policies(struct reader *r)
{
    for (size_t i = 0; i < r->machine->policies.count; i++) {
        struct loom_policy *policy = r->machine->policies.item[i];
        loom_cycle next;

        if (r->kept(r->context, policy->path) || policy->timer == LOOM_NEVER) {
            continue;
        }
        next = loom_component_after_now(policy->host);
        loom_policy_wake(policy, policy->timer > next ? policy->timer : next);
    }
}

bool loom_image_load(struct loom_machine *machine, const unsigned char *image,
                     size_t bytes, loom_image_kept *kept, void *context,
                     struct loom_error *err)
{
    struct reader r = {.data = image,
                       .left = bytes,
                       .machine = machine,
                       .kept = kept,
                       .context = context,
                       .err = err};
    struct image_head head;

    LOOM_CHECK(machine->frozen && machine->image != NULL);
    loom_deal_alone(machine);
    if (!get_head(&r, &head) || !others_join(&r)) {
        return false;
    }
    for (size_t i = 0; i < machine->image->parts; i++) {
        if (!get_block(&r, &machine->arena.block[i])) {
            return false;
        }
    }
    r.moved = false; /* of the parts: policies' memory is what may move */
    for (uint64_t i = 0; i < head.policies; i++) {
        if (!get_policy(&r)) {
            return false;
        }
    }
    if (r.left != 0) {
        return torn(&r);
    }
    if (r.moved && r.points != NULL) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "'%s' knows where policies have their state, which "
                         "is elsewhere with other policies",
                         loom_image_owner(machine, r.points));
    }
    machine->ahead_at = machine->ahead != NULL ? machine->now : LOOM_NEVER;
    wake_policies(&r);
    return true;
}
