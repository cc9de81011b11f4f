/*
 * Between the files of the PTX parser.
 *
 * One token of look-ahead; all functions that return bool fill in the
 * parser's error when they return false, and their callers just hand that
 * on.  Module and function under construction live in the module's arena;
 * what only the parser needs is in plain arrays that ptx_parse() frees.
 */
#ifndef WORKLOADS_PTX_PARSE_PARSE_PRIVATE_H
#define WORKLOADS_PTX_PARSE_PARSE_PRIVATE_H

#include "workloads/ptx/parse/parse.h"

enum ptx_token_kind {
    PTX_T_END,
    PTX_T_WORD,      /* name, %name, $name */
    PTX_T_DIRECTIVE, /* .name; text and length are without the dot */
    PTX_T_INT,       /* value */
    PTX_T_F32,       /* value: bits */
    PTX_T_F64,
    PTX_T_STRING, /* text and length are without the quotes */
    PTX_T_PUNCT,  /* *text */
    PTX_T_BAD
};

struct ptx_token {
    enum ptx_token_kind kind;
    const char *text;
    size_t length;
    uint64_t value;
    uint32_t line;
};

enum ptx_name_class {
    PTX_NAME_REG,       /* number: register */
    PTX_NAME_RANGE,     /* "%r" of %r<count>: number: the first register */
    PTX_NAME_VAR,       /* var */
    PTX_NAME_FUNCTION,  /* function */
    PTX_NAME_LABEL,     /* number */
    PTX_NAME_PROTOTYPE, /* number */
    PTX_NAME_MEMBER,    /* "%r" of %r<number> that was declared by itself */
    PTX_NAME_HIDDEN     /* of another unit; number: class that it had there */
};

struct ptx_name {
    const char *text;
    uint32_t length, hash;
    uint32_t next; /* older entry of the same bucket, from 1; 0: none */
    uint32_t depth;
    uint32_t unit; /* where it was declared */
    enum ptx_name_class class;
    uint32_t number, count;
    union {
        struct loom_ptx_var *var;
        struct loom_ptx_function *function;
    };
};

/* A stack of names with a hash index; leaving a scope pops its names. */
struct ptx_names {
    struct ptx_name *entry; /* [room] */
    uint32_t count, room;
    uint32_t *bucket; /* [bucket_count], index of entry + 1 */
    uint32_t bucket_count;
    uint32_t depth;
};

#define PTX_CACHE_BUCKETS 1024

struct ptx_cached;

struct ptx_parser {
    const char *name;
    const char *at, *end; /* behind the look-ahead token */
    uint32_t line;        /* at `at` */
    struct ptx_token token;
    struct loom_ptx_module *module;
    struct loom_ptx_function *function;
    struct loom_error err;
    struct ptx_names names;
    struct ptx_cached *cache[PTX_CACHE_BUCKETS];
    const char *statement; /* start of the current instruction */
    uint32_t statement_line;
    uint32_t scope_serial;
    uint32_t unit;              /* translation unit: how many are before it */
    uint32_t first_file;        /* of the unit: behind those of others */
    uint32_t file, source_line; /* of the last .loc */
    bool failed;                /* err is filled in */
    char reason[320];           /* err's text without its place */
    uint32_t reason_line;
};

/* A place in the text to come back to. */
struct ptx_mark {
    struct ptx_token token;
    const char *at;
    uint32_t line;
};

/* Lexer.  ptx_advance() makes the next token the current one. */
void ptx_advance(struct ptx_parser *p);
bool ptx_is(const struct ptx_parser *p, char punct);
bool ptx_is_directive(const struct ptx_parser *p, const char *word);
/* Takes the token if it is that one. */
bool ptx_take(struct ptx_parser *p, char punct);
bool ptx_take_directive(struct ptx_parser *p, const char *word);
bool ptx_expect(struct ptx_parser *p, char punct);
bool ptx_number(struct ptx_parser *p, int64_t *value); /* with sign */
bool ptx_count(struct ptx_parser *p, uint64_t max, uint64_t *value);
/* Copies the word and takes it. */
bool ptx_word(struct ptx_parser *p, const char *what, const char **text);
struct ptx_mark ptx_here(const struct ptx_parser *p);
void ptx_go_back(struct ptx_parser *p, const struct ptx_mark *mark);
/* Moves behind everything up to the matching closing bracket. */
bool ptx_skip_block(struct ptx_parser *p);
void ptx_skip_line(struct ptx_parser *p);

/* "<name>:<line of the token>: ...". */
bool ptx_error(struct ptx_parser *p, const char *fmt, ...) LOOM_PRINTF(2, 3);
/* "... expected <what>, found '...'" */
bool ptx_unexpected(struct ptx_parser *p, const char *what);
/* "<name>:<line>: instruction '<text>' <what>" */
/* absent.c: why an instruction of this name, or a modifier, is not simulated;
 * NULL: it is, or nobody knows it. */
const char *ptx_absent(const char *text, size_t length);
const char *ptx_foreign(const char *word, size_t length);

bool ptx_bad_instruction(struct ptx_parser *p, const char *what);
bool ptx_no_memory(struct ptx_parser *p);

/* Names. */
uint32_t ptx_hash(const char *text, size_t length);
/* The innermost one.  A register of a range counts as PTX_NAME_REG and is
 * returned by number; NULL if there is none. */
const struct ptx_name *ptx_find(const struct ptx_parser *p, const char *text,
                                size_t length);
bool ptx_find_reg(const struct ptx_parser *p, const char *text, size_t length,
                  uint32_t *reg);
/* A label in the current scope; makes an undefined one if there is none. */
bool ptx_find_label(struct ptx_parser *p, const char *text, size_t length,
                    uint32_t *label);
/* `text` must outlive the parser.  False: taken in this scope, or memory. */
bool ptx_declare(struct ptx_parser *p, const struct ptx_name *name);
void ptx_enter(struct ptx_parser *p);
bool ptx_leave(struct ptx_parser *p);
/* Leaves all scopes below `depth`, whatever they have. */
void ptx_abandon(struct ptx_parser *p, uint32_t depth);
void ptx_names_free(struct ptx_names *names);
/* Gives labels that were promoted their final numbers; undefined: error. */
bool ptx_settle_labels(struct ptx_parser *p);
/* The name as it is, or made unique if in a nested scope. */
const char *ptx_unique(struct ptx_parser *p, const char *text, size_t length);

/* Has it a linkage that other translation units see? */
static inline bool ptx_is_linked(uint32_t linkage)
{
    return (linkage & (LOOM_PTX_VISIBLE | LOOM_PTX_EXTERN | LOOM_PTX_WEAK_LINK |
                       LOOM_PTX_COMMON)) != 0;
}
/* Hides what other units cannot see from those that follow; and finds the first
 * of that name, which has it in the module, too. */
void ptx_hide(struct ptx_parser *p);
struct ptx_name *ptx_find_hidden(struct ptx_parser *p, const char *text,
                                 size_t length);

/* unit.c: several translation units in one text.  A unit begins with
 * .version. */
void ptx_unit_begin(struct ptx_parser *p);
/* The name in the module of something new at the module's level, whose name in
 * the text is that; NULL: no memory. */
const char *ptx_unit_name(struct ptx_parser *p, const char *text, size_t length,
                          uint32_t linkage);
/* A variable of that name, which another unit has declared, or NULL.  *fill:
 * what an initialiser is for.  False: they do not go together. */
bool ptx_unit_var(struct ptx_parser *p, const struct ptx_token *token,
                  const struct loom_ptx_var *spec, struct loom_ptx_var **fill);
/* A function to parse another head of `old` into, which is of another unit; in
 * no list.  NULL: no memory. */
struct loom_ptx_function *
ptx_unit_function(struct ptx_parser *p, const struct loom_ptx_function *old);
/* May it have a body, too?  Then that takes the place of the old one, if that
 * is the weaker one. */
bool ptx_unit_check(struct ptx_parser *p, const struct loom_ptx_function *old,
                    uint32_t linkage);
void ptx_unit_settle(struct loom_ptx_function *old,
                     const struct loom_ptx_function *other);

/* Variables. */
bool ptx_parse_type(struct ptx_parser *p, uint8_t *type);
uint8_t ptx_space_of(const struct ptx_token *token); /* 0: not a space */
/* From behind the space's directive to the final ";" (inclusive). */
bool ptx_parse_vars(struct ptx_parser *p, uint8_t space, uint8_t linkage);
/* "(...)" of a function. */
bool ptx_parse_params(struct ptx_parser *p, bool results);
bool ptx_parse_init(struct ptx_parser *p, struct loom_ptx_var *var,
                    const uint64_t *dims, uint32_t dim_count);

/* Body: from behind "{" to "}" (inclusive). */
bool ptx_parse_body(struct ptx_parser *p);
/* refuse.c: why the function at hand cannot be executed; the first reason
 * counts. */
bool ptx_note_refused(struct ptx_parser *p, const char *why, uint32_t line);
/* From "{" to "}" (inclusive): the body, or its text if it is not understood;
 * `head`: behind the parameters. */
bool ptx_parse_or_refuse(struct ptx_parser *p, const struct ptx_mark *head);
/* directive.c: .loc and .file, allowed everywhere. */
bool ptx_parse_loc(struct ptx_parser *p);
bool ptx_parse_file(struct ptx_parser *p);
/* Behind ".pragma", to the final ";" (inclusive). */
bool ptx_parse_pragma(struct ptx_parser *p, struct loom_ptx_function *function,
                      uint32_t at);

/* Instructions: at the opcode, to the final ";" (inclusive). */
bool ptx_parse_inst(struct ptx_parser *p, uint32_t guard, bool negate);
bool ptx_parse_operands(struct ptx_parser *p, struct loom_ptx_inst *inst);
/* Do the operands fit the opcode? */
bool ptx_check_inst(struct ptx_parser *p, const struct loom_ptx_inst *inst);
void ptx_cache_free(struct ptx_parser *p);

#endif
