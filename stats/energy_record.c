/*
 * /energy: the coefficients of an energy model, so that every energy in
 * /stats can be computed again from the file alone.
 */
#include <stdio.h>
#include <string.h>

#include "stats/recorder_private.h"

static void put_event(struct loom_h5 *h5, hid_t group,
                      struct loom_h5_scale *instance,
                      const struct loom_class_event *event)
{
    struct loom_h5_dataset spec = {
        .name = event->name,
        .doc = event->energy.doc,
        .unit = loom_energy_is_power(&event->energy) ? "W" : "J",
        .type = LOOM_H5_F64,
        .scale = {instance},
        .rank = 1};
    hid_t dataset;

    loom_h5_fill(h5, group, &spec, event->coefficient);
    if (h5->failed) {
        return;
    }
    dataset = H5Dopen2(group, spec.name, H5P_DEFAULT);
    loom_h5_did(h5, dataset, "open a dataset");
    loom_h5_put_text(h5, dataset, "count", event->energy.count);
    loom_h5_put_text(h5, dataset, "source", event->source);
    loom_h5_release(h5, dataset);
}

static void put_class(struct loom_h5 *h5, hid_t parent,
                      const struct loom_class *class)
{
    struct loom_h5_dataset spec = {.name = "energy_instance",
                                   .unit = "1",
                                   .doc = "canonical path of the instance",
                                   .type = LOOM_H5_TEXT};
    struct loom_h5_scale instance = {0};
    hid_t group = loom_h5_group(h5, parent, class->group);

    loom_h5_scale_init(h5, &instance, group, &spec, class->count, class->path);
    for (size_t i = 0; i < class->energy->events && !h5->failed; i++) {
        put_event(h5, group, &instance, &class->energy->event[i]);
    }
    loom_h5_scale_finish(h5, &instance);
    loom_h5_scale_fini(h5, &instance);
    loom_h5_release(h5, group);
}

void loom_record_energy(struct loom_recorder *recorder,
                        const struct loom_recorder_options *options)
{
    struct loom_h5 *h5 = &recorder->h5;
    hid_t group;

    if (options->energy == NULL) {
        return;
    }
    group = loom_h5_group(h5, h5->file, "energy");
    loom_h5_put_text(h5, group, "long_name",
                     "joules per count, or watts, of each energy event");
    if (options->energy_model != NULL) {
        loom_h5_put_text(h5, group, "model", options->energy_model);
    }
    for (uint32_t i = 0; i < recorder->catalog->count && !h5->failed; i++) {
        const struct loom_class *class = &recorder->catalog->item[i];

        if (class->energy != NULL) {
            put_class(h5, group, class);
        }
    }
    loom_h5_release(h5, group);
}
