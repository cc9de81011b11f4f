/*
 * Names in scopes.
 *
 * Entries form a stack and a hash index points into it: entering a scope
 * costs nothing, leaving one pops what it declared.  Registers declared as
 * %r<n> are one entry, found by the name without its trailing digits.
 *
 * A branch may go to a label of its own scope or of one around it, before or
 * after it: a reference makes a label of the current scope, and if that is
 * still undefined when its scope ends, it is the outer scope's business.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

#define MAX_NAME 4096

uint32_t ptx_hash(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    }
    return hash ^ hash >> 15;
}

/* Name spaces: a label and a variable of the same name do not hide each
 * other, and beginnings of names are no names. */
static uint32_t space_of(enum ptx_name_class class)
{
    switch (class) {
    case PTX_NAME_LABEL:
        return 1;
    case PTX_NAME_RANGE:
        return 2;
    case PTX_NAME_MEMBER:
        return 3;
    case PTX_NAME_HIDDEN:
        return 4;
    case PTX_NAME_REG:
    case PTX_NAME_VAR:
    case PTX_NAME_FUNCTION:
    case PTX_NAME_PROTOTYPE:
        break;
    }
    return 0;
}

static struct ptx_name *first_of(const struct ptx_names *names, uint32_t hash)
{
    uint32_t at;

    if (names->bucket_count == 0) {
        return NULL;
    }
    at = names->bucket[hash & (names->bucket_count - 1)];
    return at == 0 ? NULL : &names->entry[at - 1];
}

static struct ptx_name *next_of(const struct ptx_names *names,
                                const struct ptx_name *entry)
{
    return entry->next == 0 ? NULL : &names->entry[entry->next - 1];
}

/* The newest entry of that name and kind from `from` on. */
static struct ptx_name *search(const struct ptx_names *names,
                               struct ptx_name *from, const struct ptx_name *as)
{
    uint32_t space = space_of(as->class);

    for (; from != NULL; from = next_of(names, from)) {
        if (from->hash == as->hash && from->length == as->length &&
            space_of(from->class) == space &&
            memcmp(from->text, as->text, as->length) == 0) {
            return from;
        }
    }
    return NULL;
}

static struct ptx_name wanted(const char *text, size_t length,
                              enum ptx_name_class class)
{
    return (struct ptx_name){.text = text,
                             .length = (uint32_t)length,
                             .hash = ptx_hash(text, length) +
                                     space_of(class) * 0x9e3779b9u,
                             .class = class};
}

const struct ptx_name *ptx_find(const struct ptx_parser *p, const char *text,
                                size_t length)
{
    struct ptx_name want = wanted(text, length, PTX_NAME_VAR);

    return search(&p->names, first_of(&p->names, want.hash), &want);
}

/* Splits "%r12" into "%r" and 12; false if a range cannot have it. */
static bool split(const char *text, size_t length, size_t *prefix,
                  uint32_t *number)
{
    size_t digits = length;

    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') {
        digits--;
    }
    if (digits == length || length - digits > 9 ||
        (text[digits] == '0' && length - digits > 1)) {
        return false;
    }
    *number = 0;
    for (size_t i = digits; i < length; i++) {
        *number = *number * 10 + (uint32_t)(text[i] - '0');
    }
    *prefix = digits;
    return true;
}

bool ptx_find_reg(const struct ptx_parser *p, const char *text, size_t length,
                  uint32_t *reg)
{
    const struct ptx_name *exact = ptx_find(p, text, length);
    struct ptx_name want;
    struct ptx_name *range;
    uint32_t number;
    size_t prefix;

    if (exact != NULL) {
        *reg = exact->number;
        return exact->class == PTX_NAME_REG;
    }
    if (!split(text, length, &prefix, &number)) {
        return false;
    }
    want = wanted(text, prefix, PTX_NAME_RANGE);
    range = search(&p->names, first_of(&p->names, want.hash), &want);
    while (range != NULL && number >= range->count) {
        range = search(&p->names, next_of(&p->names, range), &want);
    }
    if (range == NULL) {
        return false;
    }
    *reg = range->number + number;
    return true;
}

/* Buckets of zeros get the entries. */
static void fill_buckets(struct ptx_names *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        uint32_t *head =
            &names->bucket[names->entry[i].hash & (names->bucket_count - 1)];

        names->entry[i].next = *head;
        *head = i + 1;
    }
}

static bool rehash(struct ptx_names *names)
{
    uint32_t count = names->bucket_count == 0 ? 256 : names->bucket_count * 2;
    uint32_t *bucket = calloc(count, sizeof(*bucket));

    if (bucket == NULL) {
        return false;
    }
    free(names->bucket);
    names->bucket = bucket;
    names->bucket_count = count;
    fill_buckets(names);
    return true;
}

static bool push(struct ptx_names *names, const struct ptx_name *name)
{
    uint32_t *head;

    if (names->count == names->room) {
        uint32_t room = names->room == 0 ? 256 : names->room * 2;
        struct ptx_name *grown =
            realloc(names->entry, room * sizeof(*names->entry));

        if (grown == NULL) {
            return false;
        }
        names->entry = grown;
        names->room = room;
    }
    if (names->count >= names->bucket_count && !rehash(names)) {
        return false;
    }
    head = &names->bucket[name->hash & (names->bucket_count - 1)];
    names->entry[names->count] = *name;
    names->entry[names->count].next = *head;
    *head = ++names->count;
    return true;
}

static bool declared_twice(struct ptx_parser *p, const struct ptx_name *name)
{
    return ptx_error(p, "'%.*s' is declared twice",
                     (int)(name->length < 80 ? name->length : 80), name->text);
}

/* "%r1" and "%r<4>" in one scope are two declarations of %r1. */
static bool clash(const struct ptx_parser *p, const struct ptx_name *name,
                  const struct ptx_name *member)
{
    bool range = name->class == PTX_NAME_RANGE;
    struct ptx_name want = wanted(range ? name->text : member->text,
                                  range ? name->length : member->length,
                                  range ? PTX_NAME_MEMBER : PTX_NAME_RANGE);
    const struct ptx_name *other =
        search(&p->names, first_of(&p->names, want.hash), &want);

    while (other != NULL && other->depth == p->names.depth) {
        if (range ? other->number < name->count
                  : member->number < other->count) {
            return true;
        }
        other = search(&p->names, next_of(&p->names, other), &want);
    }
    return false;
}

bool ptx_declare(struct ptx_parser *p, const struct ptx_name *name)
{
    struct ptx_name entry = wanted(name->text, name->length, name->class);
    struct ptx_name member = {.length = 0};
    const struct ptx_name *old;
    size_t prefix = 0;
    uint32_t number = 0;
    bool numbered;

    if (name->length > MAX_NAME) {
        return ptx_error(p, "a name has %u characters, expected at most %d",
                         name->length, MAX_NAME);
    }
    old = search(&p->names, first_of(&p->names, entry.hash), &entry);
    numbered = name->class != PTX_NAME_RANGE && p->names.depth > 0 &&
               split(name->text, name->length, &prefix, &number);
    member = wanted(name->text, prefix, PTX_NAME_MEMBER);
    member.number = number;
    member.depth = p->names.depth;
    if ((old != NULL && old->depth == p->names.depth && old->unit == p->unit) ||
        ((numbered || name->class == PTX_NAME_RANGE) &&
         clash(p, name, &member))) {
        return declared_twice(p, name);
    }
    entry.depth = p->names.depth;
    entry.unit = p->unit;
    entry.number = name->number;
    entry.count = name->count;
    if (name->class == PTX_NAME_FUNCTION) {
        entry.function = name->function;
    } else {
        entry.var = name->var;
    }
    return ((!numbered || push(&p->names, &member)) &&
            push(&p->names, &entry)) ||
           ptx_no_memory(p);
}

const char *ptx_unique(struct ptx_parser *p, const char *text, size_t length)
{
    char name[MAX_NAME + 32];
    int used;

    if (p->names.depth < 2) {
        return loom_ptx_text(p->module, text, length);
    }
    used = snprintf(name, sizeof(name), "%.*s_s%u_",
                    (int)(length < MAX_NAME ? length : MAX_NAME), text,
                    p->scope_serial);
    return loom_ptx_text(p->module, name, (size_t)used);
}

bool ptx_find_label(struct ptx_parser *p, const char *text, size_t length,
                    uint32_t *label)
{
    struct ptx_name want = wanted(text, length, PTX_NAME_LABEL);
    const struct ptx_name *old =
        search(&p->names, first_of(&p->names, want.hash), &want);
    const char *name;

    if (old != NULL && old->depth == p->names.depth) {
        *label = old->number;
        return true;
    }
    if (length > MAX_NAME) {
        return ptx_error(p, "a label has more than %d characters", MAX_NAME);
    }
    name = ptx_unique(p, text, length);
    if (name == NULL) {
        return ptx_no_memory(p);
    }
    *label = loom_ptx_label_add(p->function, name, LOOM_PTX_NONE);
    want.number = *label;
    want.depth = p->names.depth;
    return (*label != LOOM_PTX_NONE && push(&p->names, &want)) ||
           ptx_no_memory(p);
}

void ptx_enter(struct ptx_parser *p)
{
    p->names.depth++;
    p->scope_serial++;
}

/* `name` is an undefined label of the scope that has just been left: it is
 * the outer one's of that name.  The inner number becomes an alias, marked
 * by a NULL name. */
static bool promote(struct ptx_parser *p, const struct ptx_name *name)
{
    struct loom_ptx_label *inner;
    uint32_t outer;

    if (!ptx_find_label(p, name->text, name->length, &outer)) {
        return false;
    }
    inner = &p->function->label[name->number];
    inner->name = NULL;
    inner->target = outer;
    return true;
}

void ptx_abandon(struct ptx_parser *p, uint32_t depth)
{
    struct ptx_names *names = &p->names;

    while (names->count > 0 && names->entry[names->count - 1].depth > depth) {
        struct ptx_name *entry = &names->entry[--names->count];

        names->bucket[entry->hash & (names->bucket_count - 1)] = entry->next;
    }
    names->depth = depth;
}

bool ptx_leave(struct ptx_parser *p)
{
    struct ptx_names *names = &p->names;
    uint32_t top = names->count, first;

    ptx_abandon(p, names->depth - 1);
    first = names->count;
    /* Entries above `count` are read before a push can reach them: each of
     * them pushes at most one. */
    for (uint32_t i = first; i < top && names->depth > 0; i++) {
        struct ptx_name entry = names->entry[i];

        if (entry.class == PTX_NAME_LABEL &&
            p->function->label[entry.number].target == LOOM_PTX_NONE &&
            !promote(p, &entry)) {
            return false;
        }
    }
    return true;
}

static uint32_t linkage_of(const struct ptx_name *name)
{
    return name->class == PTX_NAME_FUNCTION ? name->function->linkage
                                            : name->var->linkage;
}

void ptx_hide(struct ptx_parser *p)
{
    struct ptx_names *names = &p->names;

    for (uint32_t i = 0; i < names->count; i++) {
        struct ptx_name *name = &names->entry[i];

        if ((name->class == PTX_NAME_FUNCTION || name->class == PTX_NAME_VAR) &&
            !ptx_is_linked(linkage_of(name))) {
            name->number = name->class;
            name->class = PTX_NAME_HIDDEN;
            name->hash = wanted(name->text, name->length, PTX_NAME_HIDDEN).hash;
        }
    }
    if (names->bucket != NULL) {
        memset(names->bucket, 0, names->bucket_count * sizeof(*names->bucket));
        fill_buckets(names);
    }
}

struct ptx_name *ptx_find_hidden(struct ptx_parser *p, const char *text,
                                 size_t length)
{
    struct ptx_name want = wanted(text, length, PTX_NAME_HIDDEN);
    struct ptx_name *found =
        search(&p->names, first_of(&p->names, want.hash), &want);
    struct ptx_name *older = found;

    while (older != NULL) {
        found = older;
        older = search(&p->names, next_of(&p->names, found), &want);
    }
    return found;
}

void ptx_names_free(struct ptx_names *names)
{
    free(names->entry);
    free(names->bucket);
}

static void renumber(struct loom_ptx_function *function, const uint32_t *to)
{
    for (uint32_t i = 0; i < function->inst_count; i++) {
        struct loom_ptx_inst *inst = &function->inst[i];

        for (uint32_t k = 0; k < inst->operand_count; k++) {
            if (inst->operand[k].kind == LOOM_PTX_OP_LABEL) {
                inst->operand[k].value = to[inst->operand[k].value];
            }
        }
    }
    for (uint32_t i = 0; i < function->prototype_count; i++) {
        const struct loom_ptx_prototype *list = &function->prototype[i];

        for (uint32_t k = 0; k < list->label_count; k++) {
            list->label[k] = to[list->label[k]];
        }
    }
}

bool ptx_settle_labels(struct ptx_parser *p)
{
    struct loom_ptx_function *function = p->function;
    struct loom_ptx_label *label = function->label;
    uint32_t *to = calloc((size_t)function->label_count + 1, sizeof(*to));
    uint32_t count = 0;

    if (to == NULL) {
        return ptx_no_memory(p);
    }
    for (uint32_t i = 0; i < function->label_count; i++) {
        if (label[i].name != NULL && label[i].target == LOOM_PTX_NONE) {
            free(to);
            return ptx_error(p, "label '%.80s' of '%.80s' is not defined",
                             label[i].name, function->name);
        }
        to[i] = label[i].name != NULL ? count++ : 0;
    }
    for (uint32_t i = 0; i < function->label_count; i++) {
        uint32_t at = i;

        while (label[at].name == NULL) {
            at = label[at].target;
        }
        to[i] = to[at];
    }
    renumber(function, to);
    count = 0;
    for (uint32_t i = 0; i < function->label_count; i++) {
        if (label[i].name != NULL) {
            label[count++] = label[i];
        }
    }
    function->label_count = count;
    free(to);
    return true;
}
