/*
 * What the live monitor needs of an HTTP server.  It is in a module of its own
 * (monitor_module.c), which is loaded only where --monitor asks for it: it and
 * the libraries that it needs cost nothing otherwise.
 *
 * The server has a thread of its own, which sees copies of what it was given
 * and never the machine.  What pages ask for waits until the run asks for it,
 * between two pieces of work.
 */
#ifndef LUA_MONITOR_H
#define LUA_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOOM_MONITOR_TOKEN = 33, /* bytes of a token, with the final 0 */
    LOOM_MONITOR_PATH = 256  /* of a part's path, likewise */
};

struct loom_monitor;

/* What pages have asked for since the last time; of several the last. */
struct loom_monitor_asked {
    bool pause, proceed, stop, snapshot;
    double idle; /* seconds since a page has asked for anything */
    char look[LOOM_MONITOR_PATH]; /* whose numbers are to be shown, or "" */
};

struct loom_monitor_ops {
    /* Serves on 127.0.0.1, at any port that is free.  NULL, and why not. */
    struct loom_monitor *(*open)(const char *token, uint16_t *port, char *why,
                                 size_t size);
    /* A copy of what is at /TOKEN/NAME; false: no memory. */
    bool (*put)(struct loom_monitor *monitor, const char *name,
                const char *type, const void *content, size_t bytes);
    /* Waits up to `ms` until something is asked, and forgets it. */
    struct loom_monitor_asked (*asked)(struct loom_monitor *monitor,
                                       unsigned ms);
    void (*close)(struct loom_monitor *monitor);
};

#define LOOM_MONITOR_SYMBOL "loom_monitor_ops"

#endif
