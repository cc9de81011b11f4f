/*
 * Initialisers of variables: numbers, floats, and addresses of other
 * variables and functions, which become relocations.
 *
 * Braces may nest as the array's dimensions do; a shorter row leaves zeros.
 */
#include <string.h>

#include "workloads/ptx/parse/parse_private.h"

struct filler {
    struct loom_ptx_var *var;
    uint8_t *bytes;
    uint32_t size; /* of an element */
    uint64_t elements;
    uint64_t at; /* element to be filled next */
    struct loom_ptx_reloc *reloc;
    uint32_t reloc_room;
};

static bool add_reloc(struct ptx_parser *p, struct filler *f,
                      const struct loom_ptx_reloc *reloc)
{
    struct loom_ptx_var *var = f->var;

    if (f->size < 4 && reloc->mask == 0) {
        return ptx_error(p, "an address in '%.80s' does not fit into its type",
                         var->name);
    }
    if (var->reloc_count == f->reloc_room) {
        uint32_t room = f->reloc_room == 0 ? 8 : f->reloc_room * 2;
        struct loom_ptx_reloc *grown =
            loom_ptx_alloc(p->module, room * sizeof(*grown));

        if (grown == NULL) {
            return ptx_no_memory(p);
        }
        if (var->reloc_count > 0) {
            memcpy(grown, f->reloc, var->reloc_count * sizeof(*grown));
        }
        f->reloc = grown;
        f->reloc_room = room;
    }
    f->reloc[var->reloc_count++] = *reloc;
    var->reloc = f->reloc;
    return true;
}

/* name, name+n, generic(name), generic(name)+n */
static bool parse_symbol(struct ptx_parser *p, struct filler *f, uint64_t mask)
{
    struct loom_ptx_reloc reloc = {.offset = f->at * f->size, .mask = mask};
    const struct ptx_name *name;

    if (p->token.length == 7 && memcmp(p->token.text, "generic", 7) == 0) {
        reloc.generic = true;
        ptx_advance(p);
        if (!ptx_expect(p, '(')) {
            return false;
        }
    }
    name = p->token.kind == PTX_T_WORD
               ? ptx_find(p, p->token.text, p->token.length)
               : NULL;
    if (name == NULL ||
        (name->class != PTX_NAME_VAR && name->class != PTX_NAME_FUNCTION)) {
        return ptx_unexpected(p, "the name of a variable or function");
    }
    if (name->class == PTX_NAME_VAR) {
        reloc.var = name->var;
    } else {
        reloc.function = name->function;
    }
    ptx_advance(p);
    if (reloc.generic && !ptx_expect(p, ')')) {
        return false;
    }
    if (ptx_take(p, '+')) {
        if (!ptx_number(p, &reloc.addend)) {
            return false;
        }
    }
    return add_reloc(p, f, &reloc);
}

static uint64_t bits_as(const struct ptx_token *token, uint32_t size)
{
    uint64_t bits = token->value;
    double wide;
    float narrow;

    if (token->kind == PTX_T_F64 && size == 4) {
        memcpy(&wide, &bits, sizeof(wide));
        narrow = (float)wide;
        bits = 0;
        memcpy(&bits, &narrow, sizeof(narrow));
    } else if (token->kind == PTX_T_F32 && size == 8) {
        memcpy(&narrow, &bits, sizeof(narrow));
        wide = (double)narrow;
        memcpy(&bits, &wide, sizeof(wide));
    }
    return bits;
}

/* 0xff00(name): some bits of an address, moved down. */
static bool parse_masked(struct ptx_parser *p, struct filler *f, uint64_t mask)
{
    uint64_t low = mask == 0 ? 1 : mask >> loom_lowest(mask);

    if ((low & (low + 1)) != 0 || mask == 0 ||
        loom_popcount(mask) > 8 * f->size) {
        return ptx_error(p, "a mask in '%.80s' is no run of bits that fits",
                         f->var->name);
    }
    ptx_advance(p);
    return (p->token.kind == PTX_T_WORD ||
            ptx_unexpected(p, "the name of a variable or function")) &&
           parse_symbol(p, f, mask) && ptx_expect(p, ')');
}

static bool parse_number(struct ptx_parser *p, struct filler *f)
{
    uint8_t *to = f->bytes + f->at * f->size;
    bool minus = ptx_is(p, '-');
    int64_t value;
    uint64_t bits;

    if (p->token.kind == PTX_T_F32 || p->token.kind == PTX_T_F64) {
        bits = bits_as(&p->token, f->size);
        ptx_advance(p);
    } else {
        if (!ptx_number(p, &value)) {
            return false;
        }
        memcpy(&bits, &value, sizeof(bits));
        if (ptx_is(p, '(')) {
            return parse_masked(p, f, bits);
        }
        /* An integer in a float's place means its value. */
        if (loom_ptx_type_real((enum loom_ptx_type)f->var->type) &&
            f->size >= 4) {
            double real = minus ? (double)value : (double)bits;
            struct ptx_token as = {.kind = PTX_T_F64};

            memcpy(&as.value, &real, sizeof(real));
            bits = bits_as(&as, f->size);
        }
    }
    for (uint32_t i = 0; i < f->size && i < 8; i++) {
        to[i] = (uint8_t)(bits >> 8 * i);
    }
    return true;
}

static bool parse_element(struct ptx_parser *p, struct filler *f)
{
    bool ok;

    if (f->at >= f->elements) {
        return ptx_error(p, "'%.80s' has more than %llu initial values",
                         f->var->name, (unsigned long long)f->elements);
    }
    ok = p->token.kind == PTX_T_WORD ? parse_symbol(p, f, 0)
                                     : parse_number(p, f);
    f->at++;
    return ok;
}

/* One bracket at a time, without recursion: `span` is how many elements the
 * innermost open bracket stands for, by its depth. */
static bool parse_braces(struct ptx_parser *p, struct filler *f,
                         const uint64_t *span, uint32_t levels)
{
    uint64_t end[16];
    uint32_t depth = 0;

    do {
        while (ptx_is(p, '{')) {
            if (depth == levels) {
                return ptx_error(p, "'%.80s' has too many brackets",
                                 f->var->name);
            }
            end[depth] = f->at + span[depth];
            depth++;
            ptx_advance(p);
        }
        if (!ptx_is(p, '}') && !parse_element(p, f)) {
            return false;
        }
        while (depth > 0 && ptx_take(p, '}')) {
            if (f->at > end[--depth]) {
                return ptx_error(p, "a row of '%.80s' has too many values",
                                 f->var->name);
            }
            f->at = end[depth];
        }
    } while (depth > 0 && ptx_expect(p, ','));
    return depth == 0;
}

bool ptx_parse_init(struct ptx_parser *p, struct loom_ptx_var *var,
                    const uint64_t *dims, uint32_t dim_count)
{
    struct filler f = {.var = var};
    uint64_t span[16];
    uint32_t levels = dim_count;

    f.size = loom_ptx_type_bytes((enum loom_ptx_type)var->type);
    f.elements = var->bytes / f.size;
    /* open_init() has just made it; const only for everybody else. */
    memcpy(&f.bytes, &var->init, sizeof(f.bytes));
    if (var->type == LOOM_PTX_TEXREF || var->type == LOOM_PTX_SAMPLERREF ||
        var->type == LOOM_PTX_SURFREF) {
        var->init = NULL; /* modes of a sampler: not kept */
        return ptx_skip_block(p);
    }
    if (!ptx_is(p, '{')) {
        return parse_element(p, &f);
    }
    span[levels] = 1;
    if (var->vector > 1) {
        span[levels++] = var->vector;
    }
    span[levels] = 1;
    for (uint32_t i = dim_count; i-- > 0;) {
        uint64_t inner = i + 1 < levels ? span[i + 1] : 1;

        span[i] = dims[i] * inner;
    }
    levels = levels == 0 ? 1 : levels;
    return parse_braces(p, &f, span, levels);
}
