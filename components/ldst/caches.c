/*
 * Constant and texture caches: components of their own, at ports `l1c` and
 * `l1t`.
 *
 * An instruction makes one access for each distinct line among its lanes
 * (GPGPU-Sim: 64 bytes for constants and parameters, 128 for textures), which
 * leave one per cycle; dispatch is blocked until all have.  Where a port is
 * not linked, the pipe of fixed latency in onchip.c answers instead.
 */
#include "components/ldst/ldst_private.h"

bool ldst_cached(const struct ldst *u, const struct loom_static_inst *inst,
                 enum ldst_port *port)
{
    switch ((enum loom_mem_space)inst->space) {
    case LOOM_SPACE_CONST:
    case LOOM_SPACE_PARAM:
        *port = LDST_L1C;
        break;
    case LOOM_SPACE_TEXTURE:
        *port = LDST_L1T;
        break;
    default:
        return false;
    }
    return u->to[*port] != NULL;
}

/* Appends the line's part of an access that holds it, or a new one. */
static void add_line(struct ldst *u, loom_addr line, uint32_t bytes)
{
    loom_addr block = line & ~(loom_addr)(LOOM_BLOCK_BYTES - 1);
    uint32_t first = (uint32_t)(line - block) / LOOM_SECTOR_BYTES;
    uint32_t count = bytes / LOOM_SECTOR_BYTES;
    struct loom_access *a;

    for (uint32_t i = 0; i < u->made_count; i++) {
        if (u->made[i].block == block &&
            (u->made[i].sectors >> first & 1) != 0) {
            return;
        }
    }
    if (u->made_count == LOOM_ACCESS_MAX) {
        return; /* lanes of more than 16 bytes do not exist */
    }
    a = &u->made[u->made_count++];
    *a = (struct loom_access){
        .block = block,
        .size_bytes = (uint16_t)bytes,
        .sectors = (uint8_t)(((1u << count) - 1) << first),
    };
    for (uint32_t i = first; i < first + count; i++) {
        a->bytes[i / 2] |= (uint64_t)UINT32_MAX << (32 * (i % 2));
    }
}

static void make_cached(struct ldst *u, const struct loom_static_inst *inst,
                        enum ldst_port port)
{
    const struct ldst_config *k = u->config;
    uint32_t line_bytes =
        port == LDST_L1C ? k->const_line_bytes : k->texture_line_bytes;
    loom_addr base = inst->space == LOOM_SPACE_PARAM ? k->param_base : 0;
    const struct loom_warp_inst *w = &u->access.inst;
    uint32_t bytes = inst->bytes * (uint32_t)inst->vector;
    loom_addr mask = ~(loom_addr)(line_bytes - 1);
    loom_addr address[LOOM_WARP_LANES];

    if (w->mode == LOOM_ADDR_NONE) { /* a parameter: where is not known */
        add_line(u, base & mask, line_bytes);
        return;
    }
    loom_stream_addresses(w, address);
    for (uint32_t left = w->mask; left != 0; left &= left - 1) {
        loom_addr from = base + address[loom_lowest(left)];
        loom_addr last = from + (bytes == 0 ? 0 : bytes - 1);

        add_line(u, from & mask, line_bytes);
        if ((last & mask) != (from & mask)) {
            add_line(u, last & mask, line_bytes);
        }
    }
}

enum ldst_stall ldst_start_cached(struct ldst *u,
                                  const struct loom_static_inst *inst,
                                  enum ldst_port port, loom_cycle now)
{
    if (u->pending_used == u->config->pending_entries) {
        return LDST_STALL_PENDING;
    }
    u->made_next = 0;
    u->made_count = 0;
    if (u->access.inst.mask != 0) {
        make_cached(u, inst, port);
    }
    if (u->made_count > 1 && port == LDST_L1C) {
        u->stats->const_serial_cycles += u->made_count - 1;
    }
    ldst_begin(u, inst, port, now);
    return LDST_MOVED;
}

enum ldst_stall ldst_send_cached(struct ldst *u, loom_cycle now)
{
    const struct loom_access *a = &u->made[u->made_next];
    struct loom_channel *out = u->to[u->port];
    struct loom_mem_request *r;

    if (!loom_ready(out, now)) {
        return u->port == LDST_L1C ? LDST_STALL_CONST : LDST_STALL_TEXTURE;
    }
    r = loom_send(out, now, 0);
    *r = u->request;
    r->block = a->block;
    r->bytes[0] = a->bytes[0];
    r->bytes[1] = a->bytes[1];
    r->size_bytes = a->size_bytes;
    r->sectors = a->sectors;
    r->access = (uint8_t)u->made_next;
    if (loom_chain(&u->marks) != 0) {
        r->policy_bits = loom_marks_ask(&u->marks, r);
    }
    u->made_next++;
    return LDST_MOVED;
}
