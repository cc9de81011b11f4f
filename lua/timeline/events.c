/*
 * The file: Chrome's trace events as JSON, one a line.
 */
#include <errno.h>
#include <inttypes.h>

#include "lua/timeline/events_private.h"

/* What could not be written, or is too much, ends the file. */
bool tl_may_write(struct tl_file *out)
{
    if (out->ended) {
        return false;
    }
    if (out->bytes >= out->limit) {
        out->full = true;
    }
    if (out->error != 0 || out->full) {
        out->ended = true;
    }
    return !out->ended;
}

static void count(struct tl_file *out, int bytes)
{
    if (bytes < 0) {
        out->error = out->error != 0 ? out->error : errno != 0 ? errno : EIO;
    } else {
        out->bytes += (uint64_t)bytes;
    }
}

/* Characters that JSON does not take as they are. */
static void put_text(struct tl_file *out, const char *text)
{
    count(out, fputc('"', out->file) == EOF ? -1 : 1);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\') {
            count(out, fprintf(out->file, "\\%c", c));
        } else if (c < ' ' || c == '<' || c >= 127) {
            count(out, fprintf(out->file, "\\u%04x", c));
        } else {
            count(out, fputc(c, out->file) == EOF ? -1 : 1);
        }
    }
    count(out, fputc('"', out->file) == EOF ? -1 : 1);
}

/* What all events begin with. */
static void put_head(struct tl_file *out, char phase, struct tl_row row)
{
    count(out, fprintf(out->file, "%s{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u",
                       out->any ? ",\n" : "\n", phase, row.pid, row.tid));
    out->any = true;
}

static uint64_t nanoseconds(loom_time time)
{
    return time / 1000000;
}

/* Microseconds with three digits behind the point. */
static void put_time(struct tl_file *out, const char *name, uint64_t ns)
{
    count(out, fprintf(out->file, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000,
                       (unsigned)(ns % 1000)));
}

static void put_name(struct tl_file *out, const char *name)
{
    count(out, fprintf(out->file, ",\"name\":"));
    put_text(out, name);
}

static void put_end(struct tl_file *out, const char *text)
{
    count(out, fprintf(out->file, "%s}", text));
}

static void put_label(struct tl_file *out, struct tl_row row, const char *what,
                      const char *name)
{
    put_head(out, 'M', row);
    put_name(out, what);
    count(out, fprintf(out->file, ",\"args\":{\"name\":"));
    put_text(out, name);
    put_end(out, "}");
}

static void put_order(struct tl_file *out, struct tl_row row, const char *what,
                      uint32_t number)
{
    put_head(out, 'M', row);
    put_name(out, what);
    count(out, fprintf(out->file, ",\"args\":{\"sort_index\":%u}", number));
    put_end(out, "");
}

void tl_process(struct tl_file *out, uint32_t pid, const char *name)
{
    const struct tl_row row = {pid, 0};

    if (out->file == NULL) {
        return;
    }
    put_label(out, row, "process_name", name);
    put_order(out, row, "process_sort_index", pid);
}

void tl_name_row(struct tl_file *out, struct tl_row row, const char *name,
                 uint32_t number)
{
    char text[TL_NAME];

    if (out->file == NULL) {
        return;
    }
    if (number != UINT32_MAX) {
        snprintf(text, sizeof(text), "%s %u", name, number);
        name = text;
    }
    put_label(out, row, "thread_name", name);
    put_order(out, row, "thread_sort_index", row.tid);
}

static void put_slice(struct tl_file *out, struct tl_row row, loom_time start,
                      loom_time end, const char *name)
{
    put_head(out, 'X', row);
    put_time(out, "ts", nanoseconds(start));
    put_time(out, "dur", nanoseconds(end) - nanoseconds(start));
    put_name(out, name);
    out->slices++;
}

static void put_args(struct tl_file *out)
{
    count(out,
          fprintf(out->file, ",\"args\":{\"slice\":%" PRIu64, out->slices));
}

bool tl_seen(loom_time start, loom_time end)
{
    return nanoseconds(start) != nanoseconds(end);
}

void tl_slice(struct tl_file *out, struct tl_row row, loom_time start,
              loom_time end, const char *name)
{
    put_slice(out, row, start, end, name);
    put_end(out, "");
}

void tl_part(struct tl_file *out, struct tl_row row, loom_time start,
             loom_time end, const char *name)
{
    if (tl_seen(start, end)) {
        tl_slice(out, row, start, end, name);
    }
}

void tl_close(struct tl_file *out)
{
    put_end(out, "}");
}

void tl_first(struct tl_file *out, struct tl_row row, loom_time start,
              const char *name)
{
    put_head(out, 'B', row);
    put_time(out, "ts", nanoseconds(start));
    put_name(out, name);
    out->slices++;
    put_args(out);
}

void tl_first_end(struct tl_file *out, struct tl_row row, loom_time end)
{
    tl_close(out);
    put_head(out, 'E', row);
    put_time(out, "ts", nanoseconds(end));
    put_end(out, "");
}

void tl_open(struct tl_file *out, struct tl_row row, loom_time start,
             loom_time end, const char *name)
{
    put_slice(out, row, start, end, name);
    put_args(out);
}

void tl_number(struct tl_file *out, const char *name, uint64_t value)
{
    count(out, fprintf(out->file, ",\"%s\":%" PRIu64, name, value));
}

void tl_text(struct tl_file *out, const char *name, const char *value)
{
    count(out, fprintf(out->file, ",\"%s\":", name));
    put_text(out, value);
}

uint32_t tl_lane(struct tl_file *out, struct tl_lanes *lanes,
                 struct tl_row first, const char *name, loom_time start,
                 loom_time end)
{
    uint32_t lane = 0;

    while (lane < lanes->used && lanes->until[lane] > start) {
        lane++;
    }
    if (lane == TL_LANES) {
        return lane;
    }
    if (lane == lanes->used) {
        lanes->used++;
        first.tid += lane;
        tl_name_row(out, first, name, lane);
    }
    lanes->until[lane] = end;
    return lane;
}
