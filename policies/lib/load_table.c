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

static uint32_t add(struct loom_load_table *table, uint32_t kernel,
                    const struct loom_static_inst *inst, uint32_t number)
{
    uint32_t row = search(table, kernel, number);

    if (row != LOOM_NO_ROW || table->used == table->capacity) {
        return row;
    }
    table->row[table->used] = (struct loom_load_row){
        .kernel = kernel,
        .inst = number,
        .pc = inst->pc,
        .line = inst->line,
    };
    return table->used++;
}

void loom_load_table_start(struct loom_load_table *table,
                           const struct loom_kernel *kernel)
{
    struct loom_load_launch *launch =
        &table->launch[kernel->number % LOOM_LOAD_LAUNCHES];
    uint64_t name = loom_load_table_name(kernel);
    uint32_t number = 0;

    while (number < table->kernels && table->name[number] != name) {
        number++;
    }
    if (number == LOOM_LOAD_KERNELS) {
        launch->used = false;
        return;
    }
    if (number == table->kernels) {
        table->name[table->kernels++] = name;
    }
    *launch = (struct loom_load_launch){kernel->number, number, true};
    for (uint32_t i = 0; i < kernel->inst_count; i++) {
        if (loom_is_load(&kernel->inst[i])) {
            (void)add(table, number, &kernel->inst[i], i);
        }
    }
}

static const struct loom_load_launch *
launch_of(const struct loom_load_table *table, uint32_t number)
{
    const struct loom_load_launch *launch =
        &table->launch[number % LOOM_LOAD_LAUNCHES];

    return launch->used && launch->number == number ? launch : NULL;
}

uint32_t loom_load_table_find(struct loom_load_table *table, uint32_t launch,
                              uint32_t inst)
{
    struct loom_load_memo *memo =
        &table->memo[(launch * 31 + inst) % LOOM_LOAD_MEMO];
    const struct loom_load_launch *known;
    uint32_t row;

    if (memo->used && memo->launch == launch && memo->inst == inst) {
        return memo->row;
    }
    known = launch_of(table, launch);
    row = known == NULL ? LOOM_NO_ROW : search(table, known->kernel, inst);
    if (row != LOOM_NO_ROW) {
        *memo = (struct loom_load_memo){launch, inst, row, true};
    }
    return row;
}

uint32_t loom_load_table_note(struct loom_load_table *table,
                              const struct loom_kernel *kernel, uint32_t inst)
{
    uint32_t row = loom_load_table_find(table, kernel->number, inst);
    const struct loom_load_launch *known;

    if (row != LOOM_NO_ROW || !loom_is_load(&kernel->inst[inst])) {
        return row;
    }
    known = launch_of(table, kernel->number);
    return known == NULL ? LOOM_NO_ROW
                         : add(table, known->kernel, &kernel->inst[inst], inst);
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
