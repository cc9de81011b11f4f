/*
 * Finding the static instruction of a line.
 *
 * The part of a line between mask and addresses is the same whenever the
 * instruction comes again.  It ends with numbers that say how long its lists
 * are, so a line that starts with a known key and a blank has that key: one
 * comparison instead of taking it apart.
 */
#include "workloads/trace/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "components/mem_protocol.h"
#include "workloads/trace/decode.h"

static void *reserve(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

bool trace_table_init(struct trace_table *table, const struct trace_arch *arch,
                      const struct trace_lines *lines,
                      struct trace_notes *notes, struct loom_error *err)
{
    *table = (struct trace_table){.arch = arch, .lines = lines, .notes = notes};
    table->inst = reserve(TRACE_INSTS_MAX * sizeof(*table->inst));
    table->text = reserve(TRACE_TEXT_MAX);
    if (table->inst == NULL || table->text == NULL) {
        trace_table_free(table);
        return loom_fail(err, LOOM_ERR_MEMORY,
                         "no address space for a table of instructions");
    }
    return true;
}

void trace_table_free(struct trace_table *table)
{
    if (table->inst != NULL) {
        munmap(table->inst, TRACE_INSTS_MAX * sizeof(*table->inst));
    }
    if (table->text != NULL) {
        munmap(table->text, TRACE_TEXT_MAX);
    }
    for (uint32_t i = 0; i < table->entry_count; i++) {
        free((char *)(uintptr_t)table->entry[i].key);
    }
    free(table->entry);
    free(table->slot);
    *table = (struct trace_table){0};
}

static bool no_memory(const struct trace_lines *lines, struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_MEMORY,
                     "%s: no host memory for a table of instructions",
                     lines->name);
}

static bool grow_slots(struct trace_table *table, uint32_t number)
{
    uint32_t slots = table->slots == 0 ? 1024 : table->slots;
    uint32_t *grown;

    while (slots <= number) {
        slots *= 2;
    }
    grown = realloc(table->slot, slots * sizeof(*grown));
    if (grown == NULL) {
        return false;
    }
    memset(grown + table->slots, 0, (slots - table->slots) * sizeof(*grown));
    table->slot = grown;
    table->slots = slots;
    return true;
}

static bool grow_entries(struct trace_table *table)
{
    uint32_t room = table->entry_room * 2 + 256;
    struct trace_entry *grown = realloc(table->entry, room * sizeof(*grown));

    if (grown == NULL) {
        return false;
    }
    table->entry = grown;
    table->entry_room = room;
    return true;
}

/* Appends the instruction in the manner of disassemblers, "LDG.E R8, R2". */
static uint32_t add_words(struct trace_table *table,
                          const struct trace_words *words, const char *at,
                          const char *end)
{
    uint32_t start = table->text_bytes;
    char *to = table->text + start;
    const char *between = " ";
    size_t length;

    memcpy(to, words->opcode, words->opcode_bytes);
    to += words->opcode_bytes;
    for (; at < end; at += length) {
        length = trace_word(&at);
        if (at == words->opcode || *at < 'A' || *at > 'Z') {
            continue; /* the opcode, or a count */
        }
        to = stpcpy(to, between);
        memcpy(to, at, length);
        to += length;
        between = ", ";
    }
    *to++ = '\0';
    table->text_bytes = (uint32_t)(to - table->text);
    return start;
}

static bool add_entry(struct trace_table *table, uint32_t pc, uint32_t line,
                      const char **at, struct loom_error *err)
{
    const char *start = trace_skip(*at);
    struct trace_entry *entry;
    struct trace_words words = {0};
    char *key;

    if (!trace_words_read(&words, at, table->lines, err)) {
        return false;
    }
    if (table->entry_count == TRACE_INSTS_MAX ||
        (size_t)(*at - start) * 2 + 8 > TRACE_TEXT_MAX - table->text_bytes) {
        return trace_fail(table->lines, err,
                          "the kernel has more than %u different "
                          "instructions; this is no trace",
                          table->entry_count);
    }
    if ((pc / 8 >= table->slots && !grow_slots(table, pc / 8)) ||
        (table->entry_count == table->entry_room && !grow_entries(table))) {
        return no_memory(table->lines, err);
    }
    key = strndup(start, (size_t)(*at - start));
    if (key == NULL) {
        return no_memory(table->lines, err);
    }
    entry = &table->entry[table->entry_count++];
    *entry = (struct trace_entry){
        .key = key,
        .key_bytes = (uint32_t)(*at - start),
        .pc = pc,
        .next = table->slot[pc / 8],
    };
    table->slot[pc / 8] = table->entry_count;
    trace_decode(&words, table->arch, table->notes, entry);
    entry->inst.pc = pc;
    entry->inst.line = line;
    entry->inst.text = add_words(table, &words, start, *at);
    return true;
}

bool trace_table_entry(struct trace_table *table, uint32_t pc, uint32_t line,
                       const char **at, struct trace_entry **entry,
                       struct loom_error *err)
{
    const char *text = trace_skip(*at);
    uint32_t number = pc / 8 < table->slots ? table->slot[pc / 8] : 0;

    while (number != 0) {
        struct trace_entry *e = &table->entry[number - 1];

        /* A key holds no zero byte, so this stops where the line does. */
        if (e->pc == pc && strncmp(text, e->key, e->key_bytes) == 0 &&
            (text[e->key_bytes] == '\0' || trace_blank(text[e->key_bytes]))) {
            *at = text + e->key_bytes;
            *entry = e;
            return true;
        }
        number = e->next;
    }
    if (!add_entry(table, pc, line, at, err)) {
        return false;
    }
    *entry = &table->entry[table->entry_count - 1];
    return true;
}

bool trace_table_form(struct trace_table *table, struct trace_entry *entry,
                      enum trace_form form, struct loom_error *err)
{
    struct loom_static_inst *inst;

    if (table->inst_count == TRACE_INSTS_MAX) {
        return trace_fail(table->lines, err,
                          "the kernel has more than %u different "
                          "instructions; this is no trace",
                          TRACE_INSTS_MAX);
    }
    inst = &table->inst[table->inst_count];
    *inst = entry->inst;
    switch (form) {
    case TRACE_SHARED:
        inst->space = LOOM_SPACE_SHARED;
        if (entry->copies) {
            inst->op = LOOM_OP_STORE;
            inst->flags &= (uint8_t)~LOOM_INST_ASYNC; /* it only takes banks */
        }
        break;
    case TRACE_LOCAL:
        inst->space = LOOM_SPACE_LOCAL;
        break;
    case TRACE_IDLE:
        inst->op = LOOM_OP_NOP;
        break;
    case TRACE_PLAIN:
        break;
    default:
        inst->barrier = (uint8_t)(form - TRACE_WAIT);
        break;
    }
    entry->form[form] = ++table->inst_count;
    return true;
}
