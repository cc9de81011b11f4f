/*
 * Rows of per-load statistics (see the header).
 *
 * Found by a small memo of the last launches and instructions; what is not in
 * it is searched among the rows.
 */
#include "policies/lib/load_table.h"

bool loom_load_table_init(struct loom_load_table *table,
                          struct loom_policy *self, uint32_t capacity,
                          struct loom_error *err)
{
    table->capacity = capacity;
    table->work = loom_policy_work(self);
    table->row = loom_policy_alloc(self, capacity + 1u, sizeof(*table->row));
    return loom_policy_has_memory(self, err);
}

/* FNV-1a */
uint64_t loom_load_table_name(const struct loom_kernel *kernel)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *name = kernel->name; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint32_t search(const struct loom_load_table *table, uint32_t kernel,
                       uint32_t inst)
{
    for (uint32_t i = 0; i < table->used; i++) {
        if (table->row[i].inst == inst && table->row[i].kernel == kernel) {
            return i;
        }
    }
    return LOOM_NO_ROW;
}

static uint32_t add(struct loom_load_table *table, struct loom_load_row load)
{
    uint32_t row = search(table, load.kernel, load.inst);

    if (row != LOOM_NO_ROW || table->used == table->capacity) {
        return row;
    }
    table->row[table->used] = load;
    return table->used++;
}

static struct loom_load_row row_of(const struct loom_kernel *kernel,
                                   uint32_t number, uint32_t inst)
{
    return (struct loom_load_row){number, inst, kernel->inst[inst].pc,
                                  kernel->inst[inst].line};
}

void loom_load_table_given(struct loom_load_table *table,
                           const struct loom_kernel *kernel, uint32_t number)
{
    if (number < LOOM_LOAD_KERNELS) {
        table->known[number] = kernel->inst_count;
    }
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        if (loom_is_load(&kernel->inst[i])) {
            (void)add(table, row_of(kernel, number, i));
        }
    }
}

/* The kernel of a launch, or LOOM_NO_KIND. */
static uint32_t kernel_of(const struct loom_load_table *table, uint32_t launch)
{
    return launch < table->work->count ? table->work->kind[launch]
                                       : LOOM_NO_KIND;
}

uint32_t loom_load_table_find(struct loom_load_table *table, uint32_t launch,
                              uint32_t inst)
{
    struct loom_load_memo *memo =
        &table->memo[(launch * 31 + inst) % LOOM_LOAD_MEMO];
    uint32_t kernel, row;

    if (memo->used && memo->launch == launch && memo->inst == inst) {
        return memo->row;
    }
    kernel = kernel_of(table, launch);
    row = kernel == LOOM_NO_KIND ? LOOM_NO_ROW : search(table, kernel, inst);
    if (row != LOOM_NO_ROW) {
        *memo = (struct loom_load_memo){launch, inst, row, true};
    }
    return row;
}

uint32_t loom_load_table_note(struct loom_load_table *table,
                              const struct loom_kernel *kernel, uint32_t inst)
{
    uint32_t row = loom_load_table_find(table, kernel->number, inst);
    uint32_t number = kernel_of(table, kernel->number);

    if (row != LOOM_NO_ROW || number == LOOM_NO_KIND ||
        !loom_is_load(&kernel->inst[inst])) {
        return row;
    }
    return add(table, row_of(kernel, number, inst));
}

uint32_t loom_load_table_meet(struct loom_load_table *table, uint32_t launch,
                              uint32_t inst)
{
    uint32_t row = loom_load_table_find(table, launch, inst);
    uint32_t number = kernel_of(table, launch);

    if (row != LOOM_NO_ROW || number >= LOOM_LOAD_KERNELS ||
        inst < table->known[number]) {
        return row; /* what was known has its rows */
    }
    return add(table, (struct loom_load_row){number, inst, 0, 0});
}

void loom_load_ids_init(struct loom_load_ids *ids, struct loom_policy *self,
                        uint32_t count)
{
    loom_policy_array(self, &ids->kernel, count);
    loom_policy_array(self, &ids->inst, count);
    loom_policy_array(self, &ids->pc, count);
    loom_policy_array(self, &ids->line, count);
}

void loom_load_ids_publish(struct loom_load_ids *ids,
                           const struct loom_load_table *table)
{
    for (uint32_t i = 0; i < table->used; i++) {
        ids->kernel.item[i] = table->row[i].kernel;
        ids->inst.item[i] = table->row[i].inst;
        ids->pc.item[i] = table->row[i].pc;
        ids->line.item[i] = table->row[i].line;
    }
}

uint32_t loom_load_ids_row(struct loom_load_ids *ids,
                           struct loom_load_table *table,
                           const struct loom_mem_request *request)
{
    uint32_t used = table->used, row;

    if (request->kind != LOOM_MEM_LOAD ||
        (request->space != LOOM_SPACE_GLOBAL &&
         request->space != LOOM_SPACE_LOCAL)) {
        return LOOM_NO_ROW;
    }
    row = loom_load_table_meet(table, request->kernel, request->inst);
    if (table->used != used) {
        loom_load_ids_publish(ids, table);
    }
    return row;
}
