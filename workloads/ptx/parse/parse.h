/*
 * The parser: PTX text to a module.
 */
#ifndef WORKLOADS_PTX_PARSE_PARSE_H
#define WORKLOADS_PTX_PARSE_PARSE_H

#include "engine/error.h"

#include "workloads/ir/ir.h"

/* Parses text[bytes] (a final zero ends it early).  `name` is for messages:
 * "k.ptx:41: ...".  On failure *module is NULL.  Translation units, each of
 * which begins with .version, may follow each other: they are linked, extern
 * to visible, weak to what is not, and what is neither is each one's own. */
bool ptx_parse(const char *name, const char *text, size_t bytes,
               struct loom_ptx_module **module, struct loom_error *err);

#endif
