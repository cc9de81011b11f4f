/*
 * Static instructions that were executed, by kernel and index.
 *
 * A kernel is known by its name and its instructions, so all launches of one
 * share their rows, and two of the same name do not.  What a kernel points to
 * may be gone after its launch: names and texts are copied.
 */
#include <stdlib.h>
#include <string.h>

#include "lua/timeline/timeline_private.h"

bool tl_profile_init(struct tl_profile *profile)
{
    profile->code = calloc(TL_CODES, sizeof(*profile->code));
    profile->index = calloc(2 * TL_CODES, sizeof(*profile->index));
    profile->text = calloc(1, TL_CODE_TEXT);
    profile->kernel = calloc(TL_CODE_KERNELS, sizeof(*profile->kernel));
    profile->text_used = 1; /* an empty text */
    return profile->code != NULL && profile->index != NULL &&
           profile->text != NULL && profile->kernel != NULL;
}

void tl_profile_free(struct tl_profile *profile)
{
    if (profile != NULL) {
        free(profile->code);
        free(profile->index);
        free(profile->text);
        free(profile->kernel);
        free(profile);
    }
}

/* A copy; "" where there is no more room. */
static const char *keep(struct tl_profile *profile, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = profile->text + profile->text_used;

    if (bytes > TL_CODE_TEXT - profile->text_used) {
        return profile->text;
    }
    memcpy(copy, text, bytes);
    profile->text_used += bytes;
    return copy;
}

/* Are a kernel's rows instructions of this one? */
static bool fits(const struct tl_profile *profile, uint32_t number,
                 const struct loom_kernel *kernel)
{
    uint32_t at = profile->kernel[number].first;

    if (strcmp(profile->kernel[number].name, kernel->name) != 0) {
        return false;
    }
    while (at != UINT32_MAX) {
        const struct tl_code *code = &profile->code[at];

        if (code->inst < kernel->inst_count &&
            (code->pc != kernel->inst[code->inst].pc ||
             (code->text != profile->text &&
              strcmp(code->text,
                     kernel->text + kernel->inst[code->inst].text) != 0))) {
            return false;
        }
        at = code->next;
    }
    return true;
}

/* The kernel of a launch; TL_CODE_KERNELS if there is no place for it, or
 * TL_UNWANTED. */
static uint32_t kernel_of(struct tl_profile *profile,
                          const struct loom_kernel *kernel)
{
    uint32_t number = 0;

    if (!tl_kernel_wanted(profile->of, kernel)) {
        return TL_UNWANTED;
    }
    while (number < profile->kernels && !fits(profile, number, kernel)) {
        number++;
    }
    if (number == profile->kernels && number < TL_CODE_KERNELS) {
        profile->kernel[number].name = keep(profile, kernel->name);
        profile->kernel[number].first = UINT32_MAX;
        profile->kernels++;
    }
    return number;
}

static uint32_t launched(struct tl_profile *profile,
                         const struct loom_kernel *kernel)
{
    uint32_t place = kernel->number % TL_LAUNCHES;

    if (profile->recent[place].launch != kernel->number + 1) {
        profile->recent[place].launch = kernel->number + 1;
        profile->recent[place].kernel = kernel_of(profile, kernel);
    }
    return profile->recent[place].kernel;
}

static struct tl_code *add(struct tl_profile *profile, uint32_t number,
                           const struct loom_kernel *kernel, uint32_t inst)
{
    const struct loom_static_inst *from = &kernel->inst[inst];
    struct tl_code *code = &profile->code[profile->codes];

    *code = (struct tl_code){
        .kernel = profile->kernel[number].name,
        .text = keep(profile, kernel->text + from->text),
        .op = loom_op_names[from->op],
        .id = number,
        .inst = inst,
        .pc = from->pc,
        .line = from->line,
        .next = profile->kernel[number].first,
    };
    profile->kernel[number].first = profile->codes++;
    return code;
}

struct tl_code *tl_code_of(struct tl_profile *profile,
                           const struct loom_kernel *kernel, uint32_t inst)
{
    const uint32_t mask = 2 * TL_CODES - 1;
    uint32_t number, at;

    if (inst >= kernel->inst_count) {
        return NULL;
    }
    number = launched(profile, kernel);
    if (number == TL_UNWANTED) {
        return NULL;
    }
    at = (number * 0x9e3779b1u ^ inst * 0x85ebca6bu) & mask;
    while (profile->index[at] != 0) {
        struct tl_code *code = &profile->code[profile->index[at] - 1];

        if (code->id == number && code->inst == inst) {
            return code;
        }
        at = (at + 1) & mask;
    }
    if (number == TL_CODE_KERNELS || profile->codes == TL_CODES) {
        profile->left_out++;
        return NULL;
    }
    profile->index[at] = profile->codes + 1;
    return add(profile, number, kernel, inst);
}
