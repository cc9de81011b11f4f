/*
 * Building a cache, and what must hold.  Only files in components/cache/
 * include this.
 */
#ifndef COMPONENTS_CACHE_INIT_H
#define COMPONENTS_CACHE_INIT_H

#include "components/cache/cache_types.h"

/* bind.c: the policies are bound. */
bool cache_bind(struct cache *c, struct loom_error *err);

/* init.c */
bool cache_validate(const void *config, struct loom_error *err);
bool cache_init(struct loom_component *self, struct loom_error *err);

/* check.c */
bool cache_check(struct loom_component *self, struct loom_error *err);
void cache_report(struct loom_component *self, struct loom_report *report);

#endif
