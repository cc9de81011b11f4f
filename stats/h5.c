/*
 * Files, groups, attributes and errors of HDF5.
 *
 * The format is that of HDF5 1.8 (superblock 2): a file that was flushed and
 * then abandoned opens plainly, and more than 4084 datasets may share one
 * dimension scale.  No times are stored in objects, so equal runs give equal
 * groups.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats/h5_private.h"

/* Attributes of one object that stay in its header; more would each cost a
 * fractal heap. */
#define COMPACT_ATTRIBUTES 30
/* Most datasets have a chunk or two; nodes for HDF5's usual 64 would be most
 * of a small file. */
#define CHUNKS_PER_NODE 16
#define BUFFER 16384 /* bytes, of a transfer that converts */
#define DEFLATE_LEVEL 1

void loom_h5_quiet(void)
{
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

struct reason {
    char *text;
    size_t size;
};

/* Walked from the innermost call outwards: the first is the cause. */
static herr_t first_reason(unsigned n, const H5E_error2_t *error, void *client)
{
    struct reason *reason = client;

    if (n == 0 && error->desc != NULL) {
        snprintf(reason->text, reason->size, "%s", error->desc);
    }
    return 0;
}

void loom_h5_reason(char *text, size_t size)
{
    struct reason reason = {text, size};

    snprintf(text, size, "unknown HDF5 error");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_reason, &reason);
    H5Eclear2(H5E_DEFAULT);
}

hid_t loom_h5_text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 ||
                      H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        type = -1;
    }
    return type;
}

hid_t loom_h5_transfer(void)
{
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER);

    if (transfer >= 0 && H5Pset_buffer(transfer, BUFFER, NULL, NULL) < 0) {
        H5Pclose(transfer);
        transfer = -1;
    }
    return transfer;
}

/* What a file is that HDF5 cannot read. */
static void explain(const char *path, const unsigned char head[8],
                    struct loom_error *err)
{
    static const unsigned char recording[4] = {0x89, 'W', 'L', 'T'};
    bool is_recording = memcmp(head, recording, sizeof(recording)) == 0;

    loom_fail(err, LOOM_ERR_INPUT,
              "'%.200s' is not a results file (no HDF5 signature)%s", path,
              is_recording ? ": a recording; warploom disasm tells about it, "
                             "loom.replay runs it"
                           : "");
}

/* Opens a file that is one: a fifo would wait for ever. */
static int open_regular(const char *path, struct loom_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;

    if (fd < 0) {
        loom_fail(err, LOOM_ERR_INPUT, "cannot open '%.200s': %s", path,
                  strerror(errno));
        return -1;
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        loom_fail(err, LOOM_ERR_INPUT, "'%.200s' is %s, expected a file", path,
                  S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
        close(fd);
        return -1;
    }
    return fd;
}

static hid_t open_to_read(const char *path, struct loom_error *err)
{
    int fd = open_regular(path, err);
    unsigned char head[8] = {0};
    char reason[200];
    hid_t access, file;
    bool is_whole;

    if (fd < 0) {
        return -1;
    }
    is_whole = pread(fd, head, sizeof(head), 0) >= 0 && loom_h5_heaps_ok(fd);
    close(fd);
    loom_h5_quiet();
    if (H5Fis_hdf5(path) <= 0) {
        H5Eclear2(H5E_DEFAULT);
        explain(path, head, err);
        return -1;
    }
    if (!is_whole) {
        loom_fail(err, LOOM_ERR_INPUT,
                  "'%.200s' is damaged: a heap of strings is not whole", path);
        return -1;
    }
    /* Locks are off, so that a file can be read while others write. */
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, 0, 1);
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file < 0) {
        loom_h5_reason(reason, sizeof(reason));
        loom_fail(err, LOOM_ERR_INPUT, "cannot read '%.200s': %s", path,
                  reason);
    }
    H5Pclose(access);
    return file;
}

hid_t loom_h5_open_any(const char *path, struct loom_error *err)
{
    hid_t file;

    loom_h5_reads(path);
    file = open_to_read(path, err);
    if (file < 0) {
        loom_h5_has_read(path);
    }
    return file;
}

void loom_h5_close_read(hid_t file, const char *path)
{
    H5Fclose(file);
    loom_h5_has_read(path);
}

/* Before HDF5 makes a file it looks whether one of this name exists and reads
 * it.  Nothing is below /dev/null; the rest of the name tells files that are
 * open at the same time apart. */
static hid_t create_in_memory(const char *path, hid_t create, hid_t access)
{
    static const char nowhere[] = "/dev/null/";
    size_t size = sizeof(nowhere) + strlen(path);
    char *name = malloc(size);
    hid_t file = -1;

    if (name != NULL) {
        snprintf(name, size, "%s%s", nowhere, path);
        file = H5Fcreate(name, H5F_ACC_TRUNC, create, access);
    }
    free(name);
    return file;
}

/* Properties that all groups and datasets are made with; to be released. */
static hid_t object_properties(struct loom_h5 *h5, hid_t class)
{
    hid_t create = H5Pcreate(class);

    if (loom_h5_did(h5, create, "create an object")) {
        loom_h5_did(h5, H5Pset_obj_track_times(create, 0), "create an object");
        loom_h5_did(h5,
                    H5Pset_attr_phase_change(create, COMPACT_ATTRIBUTES,
                                             COMPACT_ATTRIBUTES - 2),
                    "create an object");
    }
    return create;
}

/* What all datasets share is made once: a list of properties takes as long as
 * the dataset. */
static bool share(struct loom_h5 *h5)
{
    h5->scalar = H5Screate(H5S_SCALAR);
    h5->scales = H5Tvlen_create(H5T_STD_REF_OBJ);
    h5->access = H5Pcreate(H5P_DATASET_ACCESS);
    h5->fixed = object_properties(h5, H5P_DATASET_CREATE);
    h5->texts = object_properties(h5, H5P_DATASET_CREATE);
    h5->words = object_properties(h5, H5P_DATASET_CREATE);
    return h5->scalar >= 0 && h5->scales >= 0 && h5->access >= 0 &&
           !h5->failed && H5Pset_chunk_cache(h5->access, 1, 0, 0.0) >= 0 &&
           H5Pset_fill_time(h5->texts, H5D_FILL_TIME_ALLOC) >= 0 &&
           H5Pset_fill_time(h5->words, H5D_FILL_TIME_ALLOC) >= 0 &&
           H5Pset_shuffle(h5->words) >= 0 &&
           H5Pset_deflate(h5->words, DEFLATE_LEVEL) >= 0;
}

/* Properties of a file in memory, and of its making. */
static bool prepare(struct loom_h5 *h5, hid_t access, hid_t create, bool grows)
{
    return access >= 0 && create >= 0 && h5->text >= 0 && h5->transfer >= 0 &&
           share(h5) && loom_h5_image_access(access, h5->image) &&
           H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
           H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
           H5Pset_obj_track_times(create, 0) >= 0 &&
           (!grows || H5Pset_istore_k(create, CHUNKS_PER_NODE / 2) >= 0) &&
           H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED |
                                                  H5P_CRT_ORDER_INDEXED) >= 0;
}

bool loom_h5_create(struct loom_h5 *h5, const char *path, bool grows,
                    struct loom_error *err)
{
    hid_t access, create;

    loom_h5_quiet();
    *h5 = (struct loom_h5){.path = path,
                           .file = -1,
                           .text = loom_h5_text_type(),
                           .transfer = loom_h5_transfer(),
                           .image = calloc(1, sizeof(*h5->image))};
    access = H5Pcreate(H5P_FILE_ACCESS);
    create = H5Pcreate(H5P_FILE_CREATE);
    if (h5->image == NULL) {
        loom_h5_no_memory(h5, "create the file");
    } else if (prepare(h5, access, create, grows)) {
        h5->file = create_in_memory(path, create, access);
    }
    loom_h5_did(h5, h5->file, "create the file");
    loom_h5_release(h5, create);
    loom_h5_release(h5, access);
    if (h5->failed) {
        loom_h5_close(h5, err);
        loom_h5_free(h5);
    }
    return loom_h5_ok(h5, err);
}

bool loom_h5_close(struct loom_h5 *h5, struct loom_error *err)
{
    hid_t *const shared[] = {&h5->text,   &h5->transfer, &h5->scalar,
                             &h5->scales, &h5->access,   &h5->fixed,
                             &h5->words,  &h5->texts};

    for (size_t i = 0; i < LOOM_COUNTOF(shared); i++) {
        loom_h5_release(h5, *shared[i]);
        *shared[i] = -1;
    }
    if (h5->file >= 0 &&
        !loom_h5_did(h5, H5Fclose(h5->file), "close the file")) {
        h5->image = NULL; /* HDF5 still has it */
    }
    h5->file = -1;
    return loom_h5_ok(h5, err);
}

void loom_h5_free(struct loom_h5 *h5)
{
    if (h5->image != NULL) {
        free(h5->image->byte);
    }
    free(h5->image);
    h5->image = NULL;
}

bool loom_h5_did(struct loom_h5 *h5, int64_t result, const char *what)
{
    if (result < 0) {
        loom_h5_broken(h5, what);
    }
    return result >= 0;
}

void loom_h5_release(struct loom_h5 *h5, hid_t id)
{
    static const struct {
        H5I_type_t kind;
        herr_t (*close)(hid_t id);
    } kinds[] = {{H5I_GROUP, H5Gclose},    {H5I_DATASET, H5Dclose},
                 {H5I_ATTR, H5Aclose},     {H5I_DATASPACE, H5Sclose},
                 {H5I_DATATYPE, H5Tclose}, {H5I_GENPROP_LST, H5Pclose}};
    H5I_type_t kind;

    if (id < 0) {
        return;
    }
    kind = H5Iget_type(id);
    for (size_t i = 0; i < LOOM_COUNTOF(kinds); i++) {
        if (kinds[i].kind == kind) {
            loom_h5_did(h5, kinds[i].close(id), "close a part");
            return;
        }
    }
    loom_h5_broken(h5, "close a part");
}

void loom_h5_broken(struct loom_h5 *h5, const char *what)
{
    char reason[200];

    if (h5->failed) {
        return;
    }
    loom_h5_reason(reason, sizeof(reason));
    h5->failed = true;
    loom_fail(&h5->error, LOOM_ERR_OUTPUT, "cannot %s of '%.160s': %s", what,
              h5->path, reason);
}

void loom_h5_no_memory(struct loom_h5 *h5, const char *what)
{
    struct loom_error err;

    loom_fail(&err, LOOM_ERR_OUTPUT, "no memory to %s of '%.160s'", what,
              h5->path);
    loom_h5_set_error(h5, &err);
}

void loom_h5_set_error(struct loom_h5 *h5, const struct loom_error *err)
{
    if (!h5->failed) {
        h5->failed = true;
        h5->error = *err;
    }
}

bool loom_h5_ok(const struct loom_h5 *h5, struct loom_error *err)
{
    if (h5->failed) {
        *err = h5->error;
    }
    return !h5->failed;
}

bool loom_h5_exists(struct loom_h5 *h5, hid_t where, const char *name)
{
    htri_t found = h5->failed ? 0 : H5Lexists(where, name, H5P_DEFAULT);

    return loom_h5_did(h5, found, "look for a name") && found > 0;
}

static hid_t open_or_make(struct loom_h5 *h5, hid_t where, const char *name)
{
    hid_t create, group = -1;
    bool is_there =
        *name == '/' || *name == '.' || loom_h5_exists(h5, where, name);

    if (h5->failed) {
        return -1;
    }
    if (is_there) {
        group = H5Gopen2(where, name, H5P_DEFAULT);
        loom_h5_did(h5, group, "open a group");
        return group;
    }
    create = object_properties(h5, H5P_GROUP_CREATE);
    /* Listings follow the order of declaration. */
    if (!h5->failed &&
        loom_h5_did(h5,
                    H5Pset_link_creation_order(
                        create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
                    "create a group")) {
        group = H5Gcreate2(where, name, H5P_DEFAULT, create, H5P_DEFAULT);
        loom_h5_did(h5, group, "create a group");
    }
    loom_h5_release(h5, create);
    return group;
}

/* Level by level: groups that HDF5 makes in between would have our properties
 * not, but the time at which they were made. */
hid_t loom_h5_group(struct loom_h5 *h5, hid_t where, const char *path)
{
    char *copy = strdup(path), *rest = copy;
    hid_t group;

    if (copy == NULL) {
        loom_h5_no_memory(h5, "create a group");
        return -1;
    }
    group = open_or_make(h5, where, *path == '/' ? "/" : ".");
    for (char *name; rest != NULL && group >= 0;) {
        hid_t next;

        name = strsep(&rest, "/");
        if (*name == '\0') {
            continue;
        }
        next = open_or_make(h5, group, name);
        loom_h5_release(h5, group);
        group = next;
    }
    free(copy);
    return group;
}

void loom_h5_attribute(struct loom_h5 *h5, hid_t object, const char *name,
                       const struct loom_h5_value *value)
{
    hid_t attribute;

    if (h5->failed || !loom_h5_did(h5, value->space, "write an attribute")) {
        return;
    }
    attribute = H5Acreate2(object, name, value->file_type, value->space,
                           H5P_DEFAULT, H5P_DEFAULT);
    if (loom_h5_did(h5, attribute, "write an attribute")) {
        loom_h5_did(h5, H5Awrite(attribute, value->memory_type, value->data),
                    "write an attribute");
        loom_h5_release(h5, attribute);
    }
}

/* `count` 0: one value, no array. */
static void put(struct loom_h5 *h5, hid_t object, const char *name,
                const struct loom_h5_value *value, size_t count)
{
    struct loom_h5_value whole = *value;
    hsize_t size = count;
    htri_t is_there;

    if (h5->failed) {
        return;
    }
    is_there = H5Aexists(object, name);
    if (!loom_h5_did(h5, is_there, "look for an attribute") ||
        (is_there > 0 &&
         !loom_h5_did(h5, H5Adelete(object, name), "replace an attribute"))) {
        return;
    }
    if (count == 0) {
        whole.space = h5->scalar;
        loom_h5_attribute(h5, object, name, &whole);
        return;
    }
    whole.space = H5Screate_simple(1, &size, NULL);
    loom_h5_attribute(h5, object, name, &whole);
    loom_h5_release(h5, whole.space);
}

void loom_h5_put_text(struct loom_h5 *h5, hid_t object, const char *name,
                      const char *value)
{
    const char *text = value == NULL ? "" : value;

    put(h5, object, name,
        &(struct loom_h5_value){h5->text, h5->text, -1, &text}, 0);
}

void loom_h5_put_texts(struct loom_h5 *h5, hid_t object, const char *name,
                       const char *const *value, size_t count)
{
    put(h5, object, name,
        &(struct loom_h5_value){h5->text, h5->text, -1, value}, count);
}

void loom_h5_put_u64(struct loom_h5 *h5, hid_t object, const char *name,
                     const uint64_t *value, size_t count)
{
    put(h5, object, name,
        &(struct loom_h5_value){H5T_STD_U64LE, H5T_NATIVE_UINT64, -1, value},
        count);
}

void loom_h5_put_f64(struct loom_h5 *h5, hid_t object, const char *name,
                     double value)
{
    put(h5, object, name,
        &(struct loom_h5_value){H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, -1, &value},
        0);
}
