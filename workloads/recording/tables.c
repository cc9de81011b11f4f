/*
 * Static tables of kernels, field by field, and the checks that make a table
 * from a file as safe to use as one from a front end.
 */
#include <stdlib.h>
#include <string.h>

#include "components/mem_protocol.h"
#include "workloads/recording/recording_private.h"

/* Bytes of one static instruction before its text. */
#define INST_BYTES (2u * 8u * LOOM_REG_WORDS + 4u + 4u + 2u + 13u)

static void put_inst(struct rec_bytes *bytes,
                     const struct loom_static_inst *inst)
{
    const uint8_t small[] = {inst->op,
                             inst->space,
                             inst->bytes,
                             inst->vector,
                             inst->cache_op,
                             inst->barrier,
                             inst->param,
                             inst->sources,
                             inst->dests,
                             inst->flags,
                             inst->form,
                             inst->parts,
                             (uint8_t)(inst->first_use | inst->way << 4)};

    for (uint32_t w = 0; w < LOOM_REG_WORDS; w++) {
        rec_put_int(bytes, inst->use[w], 8);
        rec_put_int(bytes, inst->def[w], 8);
    }
    rec_put_int(bytes, inst->pc, 4);
    rec_put_int(bytes, inst->line, 4);
    rec_put_int(bytes, inst->loop, 2);
    rec_put(bytes, small, sizeof(small));
}

void rec_put_kernel(struct rec_bytes *bytes, const struct loom_kernel *kernel)
{
    rec_put_text(bytes, kernel->name);
    rec_put_varint(bytes, kernel->inst_count);
    rec_put_varint(bytes, kernel->loop_count);
    for (uint32_t i = 0; i < kernel->loop_count; i++) {
        rec_put_int(bytes, kernel->loop[i].parent, 2);
        rec_put_int(bytes, kernel->loop[i].header, 4);
        rec_put_int(bytes, kernel->loop[i].depth, 4);
    }
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        put_inst(bytes, &kernel->inst[i]);
    }
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        rec_put_text(bytes, kernel->text == NULL
                                ? ""
                                : kernel->text + kernel->inst[i].text);
    }
}

static void get_inst(struct rec_view *view, struct loom_static_inst *inst)
{
    uint8_t small[13] = {0};
    const unsigned char *at;

    for (uint32_t w = 0; w < LOOM_REG_WORDS; w++) {
        inst->use[w] = rec_get_int(view, 8);
        inst->def[w] = rec_get_int(view, 8);
    }
    inst->pc = (uint32_t)rec_get_int(view, 4);
    inst->line = (uint32_t)rec_get_int(view, 4);
    inst->loop = (uint16_t)rec_get_int(view, 2);
    at = rec_get_span(view, sizeof(small));
    if (at != NULL) {
        memcpy(small, at, sizeof(small));
    }
    inst->op = small[0];
    inst->space = small[1];
    inst->bytes = small[2];
    inst->vector = small[3];
    inst->cache_op = small[4];
    inst->barrier = small[5];
    inst->param = small[6];
    inst->sources = small[7];
    inst->dests = small[8];
    inst->flags = small[9];
    inst->form = small[10];
    inst->parts = small[11];
    inst->first_use = small[12] & 15;
    inst->way = small[12] >> 4;
}

static bool good_inst(const struct rec_kernel *kernel,
                      const struct loom_static_inst *inst)
{
    bool memory = inst->op == LOOM_OP_LOAD || inst->op == LOOM_OP_STORE ||
                  inst->op == LOOM_OP_ATOMIC;

    if (inst->op >= LOOM_OPS || inst->space >= LOOM_SPACES ||
        inst->cache_op > LOOM_CACHE_NC || inst->form >= LOOM_FORMS ||
        inst->first_use >= LOOM_USES || inst->way >= 2 * LOOM_WAY_STRAIGHT ||
        (inst->loop != LOOM_NO_LOOP && inst->loop >= kernel->info.loop_count)) {
        return false;
    }
    return !memory || (loom_is_power_of_2(inst->bytes) && inst->bytes <= 16 &&
                       loom_is_power_of_2(inst->vector) && inst->vector <= 16);
}

/* Depths rise towards the inside, so that going out ends. */
static bool good_loops(const struct rec_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->info.loop_count; i++) {
        const struct loom_loop *loop = &kernel->loop[i];

        if (loop->header >= kernel->info.inst_count || loop->depth == 0 ||
            (loop->parent != LOOM_NO_LOOP &&
             (loop->parent >= kernel->info.loop_count ||
              kernel->loop[loop->parent].depth >= loop->depth))) {
            return false;
        }
    }
    return true;
}

static bool get_texts(struct rec_view *view, struct rec_kernel *kernel)
{
    struct rec_bytes text = {0};

    for (uint32_t i = 0; i < kernel->info.inst_count; i++) {
        const char *one = rec_get_text(view);

        if (one == NULL) {
            rec_free(&text);
            return false;
        }
        kernel->inst[i].text = (uint32_t)text.bytes;
        rec_put(&text, one, strlen(one) + 1);
    }
    kernel->text = (char *)text.data;
    return !text.failed;
}

bool rec_get_kernel(struct rec_view *view, struct rec_kernel *kernel,
                    const char **why)
{
    struct loom_kernel_info *info = &kernel->info;
    const char *name = rec_get_text(view);
    size_t left;

    *kernel = (struct rec_kernel){.name = NULL};
    *why = "a kernel's table is too short";
    info->inst_count = rec_get_small(view, LOOM_STATIC_MAX);
    info->loop_count = rec_get_small(view, LOOM_NO_LOOP);
    left = (size_t)(view->end - view->at);
    if (view->bad || info->inst_count > left / INST_BYTES ||
        info->loop_count > left / 10) {
        return false;
    }
    kernel->name = strdup(name);
    kernel->inst = calloc(info->inst_count + 1u, sizeof(*kernel->inst));
    kernel->loop = calloc(info->loop_count + 1u, sizeof(*kernel->loop));
    if (kernel->name == NULL || kernel->inst == NULL || kernel->loop == NULL) {
        *why = "no memory for a kernel's table";
        return false;
    }
    for (uint32_t i = 0; i < info->loop_count; i++) {
        kernel->loop[i].parent = (uint16_t)rec_get_int(view, 2);
        kernel->loop[i].header = (uint32_t)rec_get_int(view, 4);
        kernel->loop[i].depth = (uint32_t)rec_get_int(view, 4);
    }
    for (uint32_t i = 0; i < info->inst_count; i++) {
        get_inst(view, &kernel->inst[i]);
        if (!view->bad && !good_inst(kernel, &kernel->inst[i])) {
            *why = "a static instruction contradicts itself";
            return false;
        }
    }
    if (!get_texts(view, kernel) || view->at != view->end) {
        return false;
    }
    if (!good_loops(kernel)) {
        *why = "a kernel's loops contradict themselves";
        return false;
    }
    info->name = kernel->name;
    info->inst = kernel->inst;
    info->loop = kernel->loop;
    info->text = kernel->text == NULL ? "" : kernel->text;
    return true;
}

void rec_kernel_free(struct rec_kernel *kernel)
{
    free(kernel->name);
    free(kernel->inst);
    free(kernel->loop);
    free(kernel->text);
    *kernel = (struct rec_kernel){.name = NULL};
}
