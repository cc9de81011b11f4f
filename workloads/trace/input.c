/*
 * Decompression with liblzma, zlib and libzstd, one step at a time.
 *
 * Files may consist of several streams (xz), members (gzip) or frames
 * (zstd) in a row, as parallel compressors write them.  `ended` says that the
 * data read so far ends with a complete one, which is where a file may end.
 */
#include "workloads/trace/input.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK_BYTES (size_t)(256 * 1024)
/* Dictionaries of xz -9 take 65 MiB; a damaged header may ask for more. */
#define XZ_MEMORY (UINT64_C(256) << 20)
#define ZSTD_WINDOW_LOG 27 /* as the zstd program accepts */

enum format {
    FORMAT_PLAIN,
    FORMAT_XZ,
    FORMAT_GZIP,
    FORMAT_ZSTD
};

struct trace_input {
    FILE *file;
    enum format format;
    lzma_stream xz;
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool opened; /* the decoder */
    bool ended;  /* at the end of a stream */
    bool at_end; /* of the file */
    bool done;   /* everything was handed out */
    uint8_t *in; /* [CHUNK_BYTES] */
    size_t at, bytes;
};

static const char *const format_names[] = {
    [FORMAT_PLAIN] = "plain",
    [FORMAT_XZ] = "xz",
    [FORMAT_GZIP] = "gzip",
    [FORMAT_ZSTD] = "zstd",
};

static bool fill(struct trace_input *input, struct loom_error *err)
{
    input->at = 0;
    input->bytes = fread(input->in, 1, CHUNK_BYTES, input->file);
    input->at_end = input->bytes < CHUNK_BYTES;
    if (ferror(input->file) != 0) {
        return loom_fail(err, LOOM_ERR_INPUT, "cannot be read");
    }
    return true;
}

static enum format format_of(const uint8_t *in, size_t bytes)
{
    static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    static const uint8_t gzip[] = {0x1f, 0x8b};
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};

    if (bytes >= sizeof(xz) && memcmp(in, xz, sizeof(xz)) == 0) {
        return FORMAT_XZ;
    }
    if (bytes >= sizeof(gzip) && memcmp(in, gzip, sizeof(gzip)) == 0) {
        return FORMAT_GZIP;
    }
    if (bytes >= sizeof(zstd) && memcmp(in, zstd, sizeof(zstd)) == 0) {
        return FORMAT_ZSTD;
    }
    return FORMAT_PLAIN;
}

static bool open_decoder(struct trace_input *input)
{
    switch (input->format) {
    case FORMAT_PLAIN:
        return true;
    case FORMAT_XZ:
        input->xz = (lzma_stream)LZMA_STREAM_INIT;
        return lzma_stream_decoder(&input->xz, XZ_MEMORY, LZMA_CONCATENATED) ==
               LZMA_OK;
    case FORMAT_GZIP: /* 16: expect gzip's header */
        return inflateInit2(&input->gzip, 16 + MAX_WBITS) == Z_OK;
    case FORMAT_ZSTD:
        input->zstd = ZSTD_createDStream();
        return input->zstd != NULL &&
               ZSTD_isError(ZSTD_DCtx_setParameter(
                   input->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)) == 0;
    }
    return false;
}

bool trace_input_open(FILE *file, struct trace_input **result,
                      struct loom_error *err)
{
    struct trace_input *input = calloc(1, sizeof(*input));

    if (input == NULL) {
        fclose(file);
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory");
    }
    input->file = file;
    input->in = malloc(CHUNK_BYTES);
    if (input->in == NULL) {
        trace_input_close(input);
        return loom_fail(err, LOOM_ERR_MEMORY, "no host memory");
    }
    if (!fill(input, err)) {
        trace_input_close(input);
        return false;
    }
    input->format = format_of(input->in, input->bytes);
    input->opened = true;
    if (!open_decoder(input)) {
        loom_fail(err, LOOM_ERR_MEMORY, "no host memory to unpack %s",
                  format_names[input->format]);
        trace_input_close(input);
        return false;
    }
    *result = input;
    return true;
}

void trace_input_close(struct trace_input *input)
{
    if (input == NULL) {
        return;
    }
    if (input->opened) {
        switch (input->format) {
        case FORMAT_PLAIN:
            break;
        case FORMAT_XZ:
            lzma_end(&input->xz);
            break;
        case FORMAT_GZIP:
            inflateEnd(&input->gzip);
            break;
        case FORMAT_ZSTD:
            ZSTD_freeDStream(input->zstd);
            break;
        }
    }
    fclose(input->file);
    free(input->in);
    free(input);
}

static bool damaged(const struct trace_input *input, const char *why,
                    struct loom_error *err)
{
    return loom_fail(err, LOOM_ERR_INPUT,
                     "the %s data is damaged or cut short (%s)",
                     format_names[input->format], why);
}

static bool step_xz(struct trace_input *input, void *to, size_t room,
                    size_t *got, struct loom_error *err)
{
    lzma_ret status;

    input->xz.next_in = input->in + input->at;
    input->xz.avail_in = input->bytes - input->at;
    input->xz.next_out = to;
    input->xz.avail_out = room;
    status = lzma_code(&input->xz, input->at_end ? LZMA_FINISH : LZMA_RUN);
    input->at = input->bytes - input->xz.avail_in;
    *got = room - input->xz.avail_out;
    if (status == LZMA_STREAM_END) {
        input->ended = true;
        return true;
    }
    input->ended = false;
    if (status == LZMA_OK) {
        return true;
    }
    return damaged(input,
                   status == LZMA_MEMLIMIT_ERROR ? "it needs too much memory"
                   : status == LZMA_BUF_ERROR    ? "it ends too early"
                                                 : "bad data",
                   err);
}

static bool step_gzip(struct trace_input *input, void *to, size_t room,
                      size_t *got, struct loom_error *err)
{
    int status = Z_OK;

    input->gzip.next_in = input->in + input->at;
    input->gzip.avail_in = (uInt)(input->bytes - input->at);
    input->gzip.next_out = to;
    input->gzip.avail_out = (uInt)room;
    if (input->ended && input->gzip.avail_in != 0) { /* the next member */
        status = inflateReset(&input->gzip);
        input->ended = false;
    }
    if (status == Z_OK && !input->ended) {
        status = inflate(&input->gzip, Z_NO_FLUSH);
    }
    input->at = input->bytes - input->gzip.avail_in;
    *got = room - input->gzip.avail_out;
    if (status == Z_STREAM_END) {
        input->ended = true;
        return true;
    }
    if (status == Z_OK || status == Z_BUF_ERROR) {
        return true;
    }
    return damaged(input, "bad data", err);
}

static bool step_zstd(struct trace_input *input, void *to, size_t room,
                      size_t *got, struct loom_error *err)
{
    ZSTD_inBuffer in = {input->in, input->bytes, input->at};
    ZSTD_outBuffer out = {to, room, 0};
    size_t status = ZSTD_decompressStream(input->zstd, &out, &in);

    if (ZSTD_isError(status) != 0) {
        return damaged(input, ZSTD_getErrorName(status), err);
    }
    /* 0: a frame is complete.  At its end, nothing begins a new one. */
    if (status == 0 || in.pos != input->at || out.pos != 0) {
        input->ended = status == 0;
    }
    input->at = in.pos;
    *got = out.pos;
    return true;
}

static bool step(struct trace_input *input, void *to, size_t room, size_t *got,
                 struct loom_error *err)
{
    size_t left = input->bytes - input->at;

    switch (input->format) {
    case FORMAT_XZ:
        return step_xz(input, to, room, got, err);
    case FORMAT_GZIP:
        return step_gzip(input, to, room, got, err);
    case FORMAT_ZSTD:
        return step_zstd(input, to, room, got, err);
    case FORMAT_PLAIN:
        break;
    }
    *got = left < room ? left : room;
    memcpy(to, input->in + input->at, *got);
    input->at += *got;
    input->ended = true;
    return true;
}

bool trace_input_read(struct trace_input *input, void *to, size_t room,
                      size_t *got, struct loom_error *err)
{
    *got = 0;
    while (!input->done) {
        size_t before;

        if (input->at == input->bytes && !input->at_end && !fill(input, err)) {
            return false;
        }
        before = input->at;
        if (!step(input, to, room, got, err)) {
            return false;
        }
        if (*got != 0) {
            return true;
        }
        if (input->at == before && input->at_end) {
            /* No bytes in, none out: nothing will ever come. */
            input->done = true;
            if (!input->ended || input->at != input->bytes) {
                return damaged(input, "it ends too early", err);
            }
        }
    }
    return true;
}
