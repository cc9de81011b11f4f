/*
 * What the parts of warploom-card share: functions of NVIDIA's that are found
 * when it runs, and the run that is done again.
 */
#ifndef TESTS_SILICON_CARD_CARD_H
#define TESTS_SILICON_CARD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The driver's functions that are used. */
struct card_driver {
    int (*init)(unsigned);
    int (*version)(int *);
    int (*device)(int *, int);
    int (*name)(char *, int, int);
    int (*attribute)(int *, int, int);
    int (*retain)(void **, int);
    int (*current)(void *);
    int (*sync)(void);
    int (*load)(void **, const void *, unsigned, void *, void *);
    int (*unload)(void *);
    int (*function)(void **, void *, const char *);
    int (*global)(uint64_t *, size_t *, void *, const char *);
    int (*set_attribute)(void *, int, int);
    int (*alloc)(uint64_t *, size_t);
    int (*free)(uint64_t);
    int (*to_device)(uint64_t, const void *, size_t, void *);
    int (*to_host)(void *, uint64_t, size_t, void *);
    int (*within)(uint64_t, uint64_t, size_t, void *);
    int (*fill)(uint64_t, unsigned char, size_t, void *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, unsigned, void *, void **, void **);
    int (*stream)(void **, unsigned);
    int (*stream_sync)(void *);
    int (*event)(void **, unsigned);
    int (*record)(void *, void *);
    int (*elapsed)(float *, void *, void *);
    int (*error)(int, const char **);
};
extern struct card_driver cu;

/* CUPTI's. */
struct card_cupti {
    int (*callbacks)(void (*)(uint8_t **, size_t *, size_t *),
                     void (*)(void *, uint32_t, uint8_t *, size_t, size_t));
    int (*enable)(int);
    int (*next)(uint8_t *, size_t, void **);
    int (*flush)(uint32_t);
};
extern struct card_cupti cupti;

enum {
    MOST_STREAMS = 64,
    MOST_REPEATS = 64
};

struct place { /* memory of the host program, and where it is on the card */
    uint64_t address, bytes, here;
    bool variable;
};

struct launch {
    char kernel[200];
    unsigned grid[3], block[3];
    double ns[MOST_REPEATS], begin[MOST_REPEATS];
};

struct record {
    uint32_t correlation;
    double start, ns;
};

struct player {
    const char *path;
    const uint8_t *text;
    size_t size;
    char run[8192];
    unsigned number, repeat, repeats;
    struct place *places;
    size_t place_count, place_room;
    void *modules[16];
    unsigned module_count;
    void *streams[MOST_STREAMS];
    struct launch *launches;
    size_t launch_count, launch_room, most_launches;
    unsigned compared, different;
    double worst; /* relative, of elements that are real */
    bool failed;
    char why[300];
    void *events[2];
    void *sweep; /* a kernel that reads `scratch` */
    uint64_t scratch;
};

/* ---- driver.c ---- */

/* Finds the driver and CUPTI, and the first card; ends the program without.
 * `library`: CUPTI's path, "" for none, NULL for where it is found. */
void card_open(struct player *p, const char *library);
/* Prints the clock of the SMs while one of them is busy. */
void card_tell_clock(void);
/* Forgets durations that CUPTI told so far, or gives them to the launches of
 * the run, in their order. */
void card_forget(void);
void card_assign(struct player *p);
_Noreturn void card_die(const char *what);
/* `block` with room for more elements of this size. */
void *card_larger(void *block, size_t *room, size_t size);
/* The run goes wrong: `status` of the driver, or 0. */
void card_wrong(struct player *p, const char *what, int status);
bool card_good(struct player *p, const char *what, int status);

/* ---- play.c ---- */

/* Memory, unless there is some at this address: "address bytes". */
void card_alloc(struct player *p, const char *line);
/* One command: its line, and the bytes behind it. */
void card_perform(struct player *p, const char *line, const uint8_t *data,
                  size_t bytes);
/* How many bytes follow a line; whether some do. */
size_t card_payload(const char *line);
bool card_has_payload(const char *line);

#endif
