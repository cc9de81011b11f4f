/*
 * Links: two channels between a client port and a server port.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/machine_private.h"

static struct port *find(struct loom_end end, enum loom_role role,
                         const struct loom_port_decl **decl,
                         struct loom_error *err)
{
    struct loom_ports ports = end.component->type->ports;

    for (size_t i = 0; i < ports.count; i++) {
        *decl = &ports.item[i];
        if (strcmp((*decl)->name, end.port) != 0) {
            continue;
        }
        if ((*decl)->role != role) {
            loom_fail(err, LOOM_ERR_CONFIG, "port '%s' of '%s' is a %s",
                      end.port, end.component->path,
                      role == LOOM_CLIENT ? "server, expected a client"
                                          : "client, expected a server");
            return NULL;
        }
        if (end.index >= (*decl)->max) {
            loom_fail(err, LOOM_ERR_CONFIG,
                      "port '%s[%u]' of '%s' does not exist, it takes %u",
                      end.port, end.index, end.component->path, (*decl)->max);
            return NULL;
        }
        return &end.component->ports[i];
    }
    loom_fail(err, LOOM_ERR_CONFIG, "'%s' has no port '%s'",
              end.component->path, end.port);
    return NULL;
}

static bool grow(struct port *port, uint32_t count)
{
    struct loom_channel **out, **in;
    struct loom_component **peer;

    if (count <= port->count) {
        return true;
    }
    out = realloc(port->out, count * sizeof(struct loom_channel *));
    port->out = out != NULL ? out : port->out;
    in = realloc(port->in, count * sizeof(struct loom_channel *));
    port->in = in != NULL ? in : port->in;
    peer = realloc(port->peer, count * sizeof(struct loom_component *));
    port->peer = peer != NULL ? peer : port->peer;
    if (out == NULL || in == NULL || peer == NULL) {
        return false;
    }
    for (; port->count < count; port->count++) {
        port->out[port->count] = NULL;
        port->in[port->count] = NULL;
        port->peer[port->count] = NULL;
    }
    return true;
}

static bool wire_is_good(struct loom_wire wire)
{
    return wire.latency >= 1 && wire.credit >= 1 && wire.capacity >= 1 &&
           wire.latency < UINT32_MAX && wire.credit < UINT32_MAX;
}

static bool check(const struct loom_link_info *info,
                  const struct loom_port_decl *c,
                  const struct loom_port_decl *s, struct loom_error *err)
{
    if (c->protocol != s->protocol) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "port '%s' of '%s' speaks '%s', not '%s'",
                         info->server.port, info->server.component->path,
                         s->protocol->name, c->protocol->name);
    }
    if (!wire_is_good(info->request) || !wire_is_good(info->reply)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "link from '%s' to '%s': latency, credit and "
                         "capacity must be 1 or more",
                         info->client.component->path,
                         info->server.component->path);
    }
    return true;
}

static void place(struct link *link, struct port *client, struct port *server)
{
    struct loom_end c = link->info.client;
    struct loom_end s = link->info.server;

    client->out[c.index] = link->request;
    client->in[c.index] = link->reply;
    client->peer[c.index] = s.component;
    server->out[s.index] = link->reply;
    server->in[s.index] = link->request;
    server->peer[s.index] = c.component;
}

static bool taken(const struct port *port, uint32_t index)
{
    return index < port->count && port->peer[index] != NULL;
}

/* The two channels; false if there is no memory. */
static bool fill(struct link *link, struct loom_machine *machine)
{
    const struct loom_link_info *info = &link->info;
    const struct loom_protocol *protocol = info->protocol;

    if (protocol->request_size != 0) {
        link->request = loom_channel_create(
            machine, info->client.component, info->server.component,
            protocol->request_size, info->request);
    }
    if (protocol->reply_size != 0) {
        link->reply = loom_channel_create(machine, info->server.component,
                                          info->client.component,
                                          protocol->reply_size, info->reply);
    }
    return (link->request != NULL || protocol->request_size == 0) &&
           (link->reply != NULL || protocol->reply_size == 0);
}

bool loom_machine_link(struct loom_machine *machine, struct loom_end client,
                       struct loom_end server, struct loom_wire request,
                       struct loom_wire reply, struct loom_error *err)
{
    const struct loom_port_decl *cd = NULL, *sd = NULL;
    struct port *cp = find(client, LOOM_CLIENT, &cd, err);
    struct port *sp = cp ? find(server, LOOM_SERVER, &sd, err) : NULL;
    struct loom_link_info info = {client, server, request, reply, NULL};
    struct link *link;

    if (sp == NULL || !check(&info, cd, sd, err)) {
        return false;
    }
    if (taken(cp, client.index) || taken(sp, server.index)) {
        return loom_fail(err, LOOM_ERR_CONFIG,
                         "port '%s[%u]' of '%s' or '%s[%u]' of '%s' is "
                         "already linked",
                         client.port, client.index, client.component->path,
                         server.port, server.index, server.component->path);
    }
    link = calloc(1, sizeof(*link));
    if (link == NULL || !loom_list_add(&machine->links, link)) {
        free(link);
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a link");
    }
    link->info = info;
    link->info.protocol = cd->protocol;
    link->info.client.port = cd->name;
    link->info.server.port = sd->name;
    if (!fill(link, machine) || !grow(cp, client.index + 1) ||
        !grow(sp, server.index + 1)) {
        return loom_fail(err, LOOM_ERR_MEMORY, "no memory for a link");
    }
    place(link, cp, sp);
    return true;
}

uint32_t loom_machine_link_count(const struct loom_machine *machine)
{
    return (uint32_t)machine->links.count;
}

struct loom_link_info loom_machine_link_info(const struct loom_machine *machine,
                                             uint32_t number)
{
    const struct link *link;

    LOOM_CHECK(number < machine->links.count);
    link = machine->links.item[number];
    return link->info;
}

static uint32_t load(const struct loom_channel *channel)
{
    return channel == NULL ? 0 : loom_occupancy(channel);
}

struct loom_link_load loom_machine_link_load(const struct loom_machine *machine,
                                             uint32_t number)
{
    const struct link *link;

    LOOM_CHECK(number < machine->links.count);
    link = machine->links.item[number];
    return (struct loom_link_load){load(link->request), load(link->reply)};
}
