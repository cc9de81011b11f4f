/*
 * Images: all that a machine has become since time 0, to be put into another
 * machine of the same program, which goes on from there to the same bits.
 *
 * Parts know nothing of this.  They keep everything in memory that the engine
 * gave them (engine/component.h), so their state is what has changed there
 * since init.  A machine that is to be saved, or loaded, has its memory at a
 * place that is chosen (loom_machine_place()): then addresses in it are right
 * as they are.  What has not changed stays as the loading machine has it:
 * addresses outside of its memory are among that.
 *
 * Policies have a region of their own, so others can be there: those whose
 * type says `joins` begin anew beside a machine that has run.
 *
 * An image is as trusted as the program: it is copied over the machine's
 * state.  Who reads it from a file makes sure that it is what was written.
 */
#ifndef ENGINE_IMAGE_H
#define ENGINE_IMAGE_H

#include "engine/machine.h"

#define LOOM_IMAGE_PLACES 16

/* Right after create: its memory is at place `place`, below
 * LOOM_IMAGE_PLACES, of this process's address space.  False: something is
 * there, or this host has no such addresses. */
bool loom_machine_place(struct loom_machine *machine, uint32_t place);

/* The image of a machine that has a place and is not running; the caller frees
 * it.  NULL: a part holds an address of something outside of the machine, or
 * there is no memory. */
unsigned char *loom_image_save(struct loom_machine *machine, size_t *bytes,
                               struct loom_error *err);

/* Which place the image's machine had; false: it is no image. */
bool loom_image_place(const unsigned char *image, size_t bytes,
                      uint32_t *place);

/* Makes of a machine that was frozen at that place, and has not run, what the
 * image's was.  `kept` says of a policy's path whether it is what it was there;
 * others begin anew.  On failure the machine is of no use any more. */
typedef bool loom_image_kept(void *context, const char *path);
bool loom_image_load(struct loom_machine *machine, const unsigned char *image,
                     size_t bytes, loom_image_kept *kept, void *context,
                     struct loom_error *err);

#endif
