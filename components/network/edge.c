/*
 * Between messages and flits.
 *
 * A message that has arrived at a link waits there until its source has
 * injected the one before; then its flits go into a virtual channel of the
 * site's router, one per cycle and site.  The channel is chosen in turn among
 * those of the class that have room.
 *
 * A packet gets a virtual channel of the output that leads to its sink only
 * when the sink has room for all of it (eject_flits; a longer packet passes
 * an empty sink), so flits never wait on their way out.  The message is sent
 * when the last flit has come.
 */
#include "components/network/fabric_private.h"

/* Stops the run; the message goes to link 0 so that it is somewhere. */
static uint32_t lost(struct loom_component *self, const char *what,
                     uint64_t where, const struct loom_mem_request *message)
{
    struct loom_error err;

    loom_fail(&err, LOOM_ERR_CONFIG, "%s: no link for 0x%llx, to %s %llu",
              loom_component_path(self), (unsigned long long)message->block,
              what, (unsigned long long)where);
    loom_raise(self, &err);
    return 0;
}

uint32_t network_request_link(struct loom_component *self, uint32_t link,
                              struct loom_mem_request *message)
{
    struct network *net = loom_state(self);
    uint32_t slice = loom_map_slice(net->map_ops, net->map, message->block);

    if (!loom_mem_enter(message, net->ups, link)) {
        return lost(self, "more networks in a row than", net->ups, message);
    }
    if (slice >= net->slices) {
        return lost(self, "slice", slice, message);
    }
    return net->link_of[slice];
}

uint32_t network_reply_link(struct loom_component *self, uint32_t link,
                            struct loom_mem_request *message)
{
    struct network *net = loom_state(self);
    uint32_t port = loom_mem_leave(message, net->ups);

    (void)link;
    /* A component with several links gets its reply where it asked; one that
     * answers with a new message is known by its number. */
    if (net->peer[port] != message->src && message->src < net->ids &&
        net->port_of[message->src] != NETWORK_NONE) {
        port = net->port_of[message->src];
    }
    return port;
}

/* The oldest message of source number `link` becomes a packet. */
static void take(struct fabric *f, uint32_t lane, uint32_t link,
                 const struct loom_mem_request *message, loom_cycle now)
{
    struct network_source *source = &f->source[lane][link];
    struct network_counts *count = &f->count[lane];
    uint32_t bytes = loom_mem_packet_bytes(message);
    uint32_t number = f->free;
    struct network_packet *p = &f->packet[number];
    uint32_t out;

    LOOM_CHECK(number != NETWORK_NONE);
    f->free = p->next;
    loom_mem_copy(&p->message, message);
    p->arrived = loom_arrival(source->channel);
    p->next = NETWORK_NONE;
    p->flits = (bytes + f->config->flit_bytes - 1) / f->config->flit_bytes;
    out = f->find[lane](f->self, link, &p->message);
    f->aim[number] = (uint16_t)(f->sink[lane][out].site * 2 + lane);
    ++*count->packets;
    *count->flits += p->flits;
    *count->bytes += bytes;
    count->kind[p->message.kind]++;
    count->flits_in->item[link] += p->flits;
    loom_pop(source->channel, now);
    source->packet = number;
    source->left = p->flits;
    source->chosen = false;
    network_set(f->injecting[lane], link);
}

/* Has the source's VC `v` room?  Behind a router with several rounds in a cycle
 * it knows of a place when its credit is back. */
static bool has_room(const struct fabric *f,
                     const struct network_source *source, uint32_t v,
                     loom_cycle now)
{
    uint32_t number = source->entry + v;

    if (f->rounds != 1 &&
        f->home_at[(number << f->ring_shift) + f->home[number].filled] > now) {
        return false;
    }
    return network_vc_at(f->block, number, f->shape)->count <
           f->config->buffer_flits;
}

/* Has the source's VC room?  If it has none yet, it gets the next one of its
 * class that has. */
static bool find_room(const struct fabric *f, struct network_source *source,
                      loom_cycle now)
{
    uint32_t v = source->vc;

    if (source->chosen) {
        return has_room(f, source, v, now);
    }
    for (uint32_t i = 0; i < f->class_vcs; i++) {
        v = (v + 1) * (v + 1 < f->class_vcs); /* without a branch */
        if (has_room(f, source, v, now)) {
            source->vc = (uint16_t)v;
            source->chosen = true;
            return true;
        }
    }
    return false;
}

static void inject(struct fabric *f, uint32_t lane, uint32_t link,
                   loom_cycle now)
{
    struct network_source *source = &f->source[lane][link];

    if (source->packet == NETWORK_NONE) {
        const struct loom_mem_request *message =
            loom_peek(source->channel, now);

        if (message == NULL) {
            return;
        }
        take(f, lane, link, message, now);
        f->moved = true;
    }
    if (f->site_used[source->site] == now + 1) {
        f->moved = true; /* try again in the next cycle */
        return;
    }
    if (!find_room(f, source, now)) {
        f->moved = f->moved || f->rounds != 1; /* a credit may be on its way */
        return; /* a flit that leaves makes room */
    }
    if (f->rounds != 1) {
        uint32_t number = source->entry + source->vc;

        network_next_place(f, number, &f->home[number].filled);
    }
    f->site_used[source->site] = now + 1;
    f->moved = true;
    network_arrive(f, source->entry + source->vc,
                   source->packet * 2 + (source->left == 1 ? 1 : 0));
    if (--source->left == 0) {
        source->packet = NETWORK_NONE;
        network_clear(f->injecting[lane], link);
    }
}

void network_inject(struct fabric *f, loom_cycle now)
{
    for (uint32_t i = 0; i < f->classes; i++) {
        /* Classes that share a site take turns. */
        uint32_t lane = f->classes == 2 ? (uint32_t)(now + i) % 2 : 0;
        uint32_t words = (f->sources[lane] + 63) / 64;

        for (uint32_t w = 0; w < words; w++) {
            uint64_t rest = f->pending[lane][w] | f->injecting[lane][w];

            for (; rest != 0; rest &= rest - 1) {
                inject(f, lane, w * 64 + loom_lowest(rest), now);
            }
        }
    }
}

static void deliver(struct fabric *f, uint32_t lane, uint32_t link,
                    loom_cycle now)
{
    struct network_sink *sink = &f->sink[lane][link];
    struct network_counts *count = &f->count[lane];
    uint32_t number = sink->head;
    struct network_packet *p = &f->packet[number];
    struct loom_mem_request *message = loom_send(sink->channel, now, 0);

    loom_mem_copy(message, &p->message);
    ++*count->packets_out;
    count->flits_out->item[link] += p->flits;
    loom_histogram_add(count->latency, now - p->arrived);
    sink->flits -= p->flits;
    sink->head = p->next;
    if (sink->head == NETWORK_NONE) {
        network_clear(f->delivering[lane], link);
    }
    p->next = f->free;
    f->free = number;
    f->moved = true;
}

void network_deliver(struct fabric *f, loom_cycle now)
{
    for (uint32_t lane = 0; lane < f->classes; lane++) {
        uint32_t words = (f->sinks[lane] + 63) / 64;

        for (uint32_t w = 0; w < words; w++) {
            uint64_t rest = f->delivering[lane][w];

            for (; rest != 0; rest &= rest - 1) {
                uint32_t link = w * 64 + loom_lowest(rest);

                if (loom_ready(f->sink[lane][link].channel, now)) {
                    deliver(f, lane, link, now);
                }
            }
        }
    }
}
