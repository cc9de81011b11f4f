/*
 * The monitor's server: libmicrohttpd (LGPL 2.1) with one thread.
 *
 * It listens on 127.0.0.1 alone.  Whoever knows the token sees the page; all
 * others get the same short answer, and so does a request whose Host is another
 * name, which is what a web page elsewhere would send that has had its name
 * made to stand for this address.
 */
#define _GNU_SOURCE /* pthread_cond_clockwait */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lua/monitor.h"

enum {
    FILES = 16,       /* names that can be put */
    NAME = 48,        /* bytes of one, and of its type */
    CONNECTIONS = 32, /* at a time */
    SECONDS = 30      /* until one that says nothing is closed */
};

struct file {
    char name[NAME], type[NAME];
    void *content;
    size_t bytes;
};

struct loom_monitor {
    struct MHD_Daemon *daemon;
    char token[LOOM_MONITOR_TOKEN];
    uint16_t port;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t told;
    struct loom_monitor_asked asked;
    bool is_asked;
    double last; /* when a page asked for something */
    struct file file[FILES];
    size_t files;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- answers ---- */

static void header(struct MHD_Response *response, const char *name,
                   const char *value)
{
    (void)MHD_add_response_header(response, name, value);
}

static enum MHD_Result send_answer(struct MHD_Connection *connection,
                                   unsigned status, const char *type,
                                   struct MHD_Response *response)
{
    enum MHD_Result result;

    if (response == NULL) {
        return MHD_NO;
    }
    header(response, "Content-Type", type);
    header(response, "Cache-Control", "no-store");
    header(response, "Referrer-Policy", "no-referrer");
    header(response, "X-Content-Type-Options", "nosniff");
    header(response, "X-Frame-Options", "DENY");
    header(response, "Cross-Origin-Resource-Policy", "same-origin");
    /* Vega compiles its expressions. */
    header(response, "Content-Security-Policy",
           "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src "
           "'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; "
           "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status,
                           const char *text)
{
    return send_answer(connection, status, "text/plain; charset=utf-8",
                       MHD_create_response_from_buffer(strlen(text),
                                                       (char *)(uintptr_t)text,
                                                       MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result give(struct loom_monitor *monitor,
                            struct MHD_Connection *connection, const char *name)
{
    struct MHD_Response *response = NULL;
    char type[NAME] = "";

    pthread_mutex_lock(&monitor->lock);
    for (size_t i = 0; i < monitor->files; i++) {
        const struct file *file = &monitor->file[i];

        if (strcmp(file->name, name) == 0) {
            memcpy(type, file->type, sizeof(type));
            response = MHD_create_response_from_buffer(
                file->bytes, file->content, MHD_RESPMEM_MUST_COPY);
        }
    }
    pthread_mutex_unlock(&monitor->lock);
    if (type[0] == '\0') {
        return say(connection, MHD_HTTP_NOT_FOUND, "not here\n");
    }
    return send_answer(connection, MHD_HTTP_OK, type, response);
}

/* ---- what is asked for ---- */

/* Paths of parts; what else somebody sends is none. */
static void note_look(struct loom_monitor *monitor, const char *look)
{
    if (look != NULL && strlen(look) < LOOM_MONITOR_PATH) {
        memcpy(monitor->asked.look, look, strlen(look) + 1);
    }
}

static bool note_command(struct loom_monitor *monitor, const char *name)
{
    struct loom_monitor_asked *asked = &monitor->asked;

    if (strcmp(name, "pause") == 0) {
        asked->pause = true;
        asked->proceed = false;
    } else if (strcmp(name, "continue") == 0) {
        asked->proceed = true;
        asked->pause = false;
    } else if (strcmp(name, "stop") == 0) {
        asked->stop = true;
    } else if (strcmp(name, "snapshot") == 0) {
        asked->snapshot = true;
    } else {
        return false;
    }
    monitor->is_asked = true;
    pthread_cond_signal(&monitor->told);
    return true;
}

/* ---- requests ---- */

/* In a time that says nothing of where they differ. */
static bool same(const char *a, const char *b, size_t bytes)
{
    unsigned char differ = 0;

    for (size_t i = 0; i < bytes; i++) {
        differ |= (unsigned char)(a[i] ^ b[i]);
    }
    return differ == 0;
}

/* What follows "/TOKEN/"; NULL if that is not what `url` begins with. */
static const char *after_token(const struct loom_monitor *monitor,
                               const char *url)
{
    size_t length = LOOM_MONITOR_TOKEN - 1;

    if (strlen(url) < length + 2 || url[0] != '/' || url[length + 1] != '/' ||
        !same(url + 1, monitor->token, length)) {
        return NULL;
    }
    return url + length + 2;
}

static bool is_our_host(const struct loom_monitor *monitor, const char *host)
{
    char number[32], name[32];

    snprintf(number, sizeof(number), "127.0.0.1:%u", (unsigned)monitor->port);
    snprintf(name, sizeof(name), "localhost:%u", (unsigned)monitor->port);
    return host != NULL &&
           (strcmp(host, number) == 0 || strcmp(host, name) == 0);
}

/* lint: allow size: libmicrohttpd says what it gives */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection,
                              const char *url, const char *method,
                              const char *version, const char *data,
                              size_t *data_bytes, void **state)
{
    struct loom_monitor *monitor = context;
    const char *name = after_token(monitor, url);
    bool known;

    (void)version;
    (void)data;
    (void)state;
    if (*data_bytes != 0) {
        *data_bytes = 0; /* nothing is read of what is sent with a request */
        return MHD_YES;
    }
    if (name == NULL ||
        !is_our_host(monitor, MHD_lookup_connection_value(
                                  connection, MHD_HEADER_KIND, "Host"))) {
        return say(connection, MHD_HTTP_FORBIDDEN,
                   "the address that warploom printed has a token in it\n");
    }
    pthread_mutex_lock(&monitor->lock);
    monitor->last = now();
    known = strcmp(method, "POST") == 0 && note_command(monitor, name);
    if (strcmp(method, "GET") == 0 && strcmp(name, "state") == 0) {
        note_look(monitor, MHD_lookup_connection_value(
                               connection, MHD_GET_ARGUMENT_KIND, "look"));
    }
    pthread_mutex_unlock(&monitor->lock);
    if (known) {
        return say(connection, MHD_HTTP_OK, "asked\n");
    } else if (strcmp(method, "GET") != 0) {
        return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "no\n");
    }
    return give(monitor, connection, name[0] == '\0' ? "page" : name);
}

/* ---- for the run ---- */

static void end(struct loom_monitor *monitor)
{
    if (monitor->daemon != NULL) {
        MHD_stop_daemon(monitor->daemon);
    }
    for (size_t i = 0; i < monitor->files; i++) {
        free(monitor->file[i].content);
    }
    pthread_cond_destroy(&monitor->told);
    pthread_mutex_destroy(&monitor->lock);
    free(monitor);
}

/* Signals are for the run's thread. */
static struct MHD_Daemon *start(struct loom_monitor *monitor)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    sigset_t all, before;
    struct MHD_Daemon *daemon;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL, answer,
        monitor, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

static struct loom_monitor *begin(const char *token, uint16_t *port, char *why,
                                  size_t size)
{
    struct loom_monitor *monitor = calloc(1, sizeof(*monitor));
    const union MHD_DaemonInfo *info;

    if (monitor == NULL) {
        snprintf(why, size, "there is no memory");
        return NULL;
    }
    pthread_mutex_init(&monitor->lock, NULL);
    pthread_cond_init(&monitor->told, NULL);
    snprintf(monitor->token, sizeof(monitor->token), "%s", token);
    monitor->last = now();
    pthread_mutex_lock(&monitor->lock); /* until the port is known */
    monitor->daemon = start(monitor);
    info =
        monitor->daemon == NULL
            ? NULL
            : MHD_get_daemon_info(monitor->daemon, MHD_DAEMON_INFO_BIND_PORT);
    monitor->port = info == NULL ? 0 : info->port;
    pthread_mutex_unlock(&monitor->lock);
    if (monitor->port == 0) {
        snprintf(why, size, "cannot listen on 127.0.0.1: %s", strerror(errno));
        end(monitor);
        return NULL;
    }
    *port = monitor->port;
    return monitor;
}

static struct file *file_of(struct loom_monitor *monitor, const char *name)
{
    for (size_t i = 0; i < monitor->files; i++) {
        if (strcmp(monitor->file[i].name, name) == 0) {
            return &monitor->file[i];
        }
    }
    return monitor->files < FILES ? &monitor->file[monitor->files++] : NULL;
}

static bool put(struct loom_monitor *monitor, const char *name,
                const char *type, const void *content, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    struct file *file;

    if (copy == NULL) {
        return false;
    }
    memcpy(copy, content, bytes);
    pthread_mutex_lock(&monitor->lock);
    file = file_of(monitor, name);
    if (file != NULL) {
        free(file->content);
        snprintf(file->name, sizeof(file->name), "%s", name);
        snprintf(file->type, sizeof(file->type), "%s", type);
        file->content = copy;
        file->bytes = bytes;
    }
    pthread_mutex_unlock(&monitor->lock);
    if (file == NULL) {
        free(copy);
    }
    return file != NULL;
}

static struct loom_monitor_asked asked(struct loom_monitor *monitor,
                                       unsigned ms)
{
    struct loom_monitor_asked found;
    struct timespec until;
    int why = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&monitor->lock);
    while (ms != 0 && !monitor->is_asked && why == 0) {
        why = pthread_cond_clockwait(&monitor->told, &monitor->lock,
                                     CLOCK_MONOTONIC, &until);
    }
    found = monitor->asked;
    found.idle = now() - monitor->last;
    monitor->asked = (struct loom_monitor_asked){.look = ""};
    memcpy(monitor->asked.look, found.look, sizeof(found.look));
    monitor->is_asked = false;
    pthread_mutex_unlock(&monitor->lock);
    return found;
}

extern const struct loom_monitor_ops loom_monitor_ops;
const struct loom_monitor_ops loom_monitor_ops = {begin, put, asked, end};
