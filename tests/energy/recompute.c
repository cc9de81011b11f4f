/*
 * usage: recompute FILE
 *
 * Computes every energy of a results file again from its counters and its
 * coefficients, with libhdf5 alone and nothing of ours, and compares the bits:
 * of each event, of each part's sum and of its power, in /stats and in every
 * series.  Prints how many it compared.
 */
/* lint: allow layer: the file is read without what wrote it */
/* H5O_info_t and H5Ovisit2 go together, whichever HDF5 it is. */
#define H5_USE_110_API
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANK 3
#define EVENTS 64

static unsigned long compared, wrong;

struct table {
    hsize_t dims[RANK];
    int rank;
    size_t count;
    double *real;         /* if it has fractions */
    uint64_t *whole;      /* if not */
    char vector_axis[80]; /* path of the scale of its last dimension */
};

static void stop(const char *what, const char *name)
{
    fprintf(stderr, "recompute: %s: %s\n", what, name);
    exit(1);
}

/* Gives back what HDF5 has allocated for `count` variable-length elements. */
static void give_back(hid_t type, hsize_t count, void *data)
{
    hid_t space = H5Screate_simple(1, &count, NULL);

    H5Dvlen_reclaim(type, space, H5P_DEFAULT, data);
    H5Sclose(space);
}

static char *text_of(hid_t object, const char *name)
{
    hid_t attribute, type;
    char *text = NULL;

    if (H5Aexists(object, name) <= 0) {
        return NULL;
    }
    attribute = H5Aopen(object, name, H5P_DEFAULT);
    type = H5Aget_type(attribute);
    if (H5Tis_variable_str(type) <= 0 || H5Aread(attribute, type, &text) < 0) {
        stop("attribute is no text", name);
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

static struct table read_table(hid_t group, const char *name)
{
    struct table t = {.rank = 0, .count = 1};
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT), space, type;

    if (dataset < 0) {
        stop("no dataset", name);
    }
    space = H5Dget_space(dataset);
    t.rank = H5Sget_simple_extent_dims(space, t.dims, NULL);
    for (int i = 0; i < t.rank; i++) {
        t.count *= t.dims[i];
    }
    type = H5Dget_type(dataset);
    if (H5Tget_class(type) == H5T_FLOAT) {
        t.real = calloc(t.count + 1, sizeof(double));
        H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                t.real);
    } else {
        t.whole = calloc(t.count + 1, sizeof(uint64_t));
        H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                t.whole);
    }
    H5Tclose(type);
    H5Sclose(space);
    if (t.rank == 3) {
        hid_t a = H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT), scale;
        hid_t list = H5Aget_type(a);
        hvl_t uses[RANK];

        H5Aread(a, list, uses);
        scale = H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, uses[2].p);
        H5Iget_name(scale, t.vector_axis, sizeof(t.vector_axis));
        H5Dclose(scale);
        give_back(list, (hsize_t)t.rank, uses);
        H5Tclose(list);
        H5Aclose(a);
    }
    H5Dclose(dataset);
    return t;
}

static void drop(struct table *t)
{
    free(t->real);
    free(t->whole);
}

/* Which entry of a vector is called `key`. */
static hsize_t entry(hid_t file, const struct table *t, const char *key)
{
    hid_t dataset = H5Dopen2(file, t->vector_axis, H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    char **label = calloc(t->dims[2], sizeof(char *));
    hsize_t found = t->dims[2];

    H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, label);
    for (hsize_t k = 0; k < t->dims[2] && found == t->dims[2]; k++) {
        found = strcmp(label[k], key) == 0 ? k : found;
    }
    if (found == t->dims[2]) {
        stop("no such element", key);
    }
    give_back(type, t->dims[2], label);
    free(label);
    H5Tclose(type);
    H5Dclose(dataset);
    return found;
}

/* Adds one term, "2*insts.fp_mad", to the counts [sample][instance]. */
static void add_term(hid_t file, hid_t group, char *term, uint64_t *count)
{
    char *star = strchr(term, '*'), *name = star == NULL ? term : star + 1;
    uint64_t factor = star == NULL ? 1 : strtoull(term, NULL, 10);
    char *dot = strchr(name, '.');
    struct table t;
    hsize_t first = 0, last;

    if (dot != NULL) {
        *dot++ = '\0';
    }
    t = read_table(group, name);
    last = t.rank == 3 ? t.dims[2] : 1;
    if (dot != NULL) {
        first = entry(file, &t, dot);
        last = first + 1;
    }
    for (hsize_t i = 0; i < t.dims[0] * t.dims[1]; i++) {
        hsize_t width = t.rank == 3 ? t.dims[2] : 1;

        for (hsize_t k = first; k < last; k++) {
            count[i] += factor * t.whole[i * width + k];
        }
    }
    drop(&t);
}

static void compare(double got, double want, const char *name)
{
    compared++;
    if (memcmp(&got, &want, sizeof(got)) != 0) {
        wrong++;
        fprintf(stderr, "%s: %a, recomputed %a\n", name, got, want);
    }
}

/* One event of a group; adds to the sums [sample][instance]. */
static void check_event(hid_t file, hid_t group, const char *name, double *sum)
{
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    char *count = text_of(dataset, "count"), *at = count, *end;
    char *where = text_of(dataset, "coefficients");
    char *source = text_of(dataset, "source");
    struct table got = read_table(group, name), time, coefficient;
    uint64_t *events = calloc(got.count + 1, sizeof(*events));

    if (count == NULL || where == NULL || source == NULL || *source == '\0') {
        stop("no count, coefficients or source", name);
    }
    coefficient = read_table(file, where);
    time = read_table(group, "time");
    while (strcmp(count, "time") != 0 && at != NULL) {
        while (*at == ' ') {
            at++;
        }
        end = strstr(at, " + ");
        if (end != NULL) {
            *end = '\0';
        }
        add_term(file, group, at, events);
        at = end == NULL ? NULL : end + 3;
    }
    for (hsize_t i = 0; i < got.count; i++) {
        double n = strcmp(count, "time") == 0 ? time.real[i / got.dims[1]]
                                              : (double)events[i];
        double one = coefficient.real[i % got.dims[1]] * n;

        compare(got.real[i], one, name);
        sum[i] += one;
    }
    drop(&got);
    drop(&time);
    drop(&coefficient);
    free(events);
    H5free_memory(count);
    H5free_memory(where);
    H5free_memory(source);
    H5Dclose(dataset);
}

/* The events are in the order in which the sum has them. */
static void check_group(hid_t file, hid_t group, const char *path)
{
    hid_t dataset = H5Dopen2(group, "energy", H5P_DEFAULT);
    hid_t attribute = H5Aopen(dataset, "inputs", H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    hsize_t inputs = (hsize_t)H5Sget_simple_extent_npoints(space);
    char *name[EVENTS];
    struct table energy = read_table(group, "energy"), power;
    struct table time = read_table(group, "time");
    double *sum = calloc(energy.count + 1, sizeof(*sum));

    if (inputs > EVENTS || H5Aread(attribute, type, name) < 0) {
        stop("no inputs", path);
    }
    for (hsize_t i = 0; i < inputs; i++) {
        check_event(file, group, name[i], sum);
    }
    for (size_t i = 0; i < energy.count; i++) {
        compare(energy.real[i], sum[i], path);
    }
    if (H5Lexists(group, "power", H5P_DEFAULT) > 0) {
        power = read_table(group, "power");
        for (size_t i = 0; i < power.count; i++) {
            double t = time.real[i / power.dims[1]];

            compare(power.real[i], t > 0 ? sum[i] / t : 0, path);
        }
        drop(&power);
    }
    drop(&energy);
    drop(&time);
    free(sum);
    give_back(type, inputs, name);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Dclose(dataset);
}

static herr_t visit(hid_t root, const char *path, const H5O_info_t *info,
                    void *file)
{
    hid_t group;

    if (info->type != H5O_TYPE_GROUP ||
        (strncmp(path, "stats", 5) != 0 && strncmp(path, "series", 6) != 0)) {
        return 0;
    }
    group = H5Gopen2(root, path, H5P_DEFAULT);
    if (H5Lexists(group, "energy", H5P_DEFAULT) > 0) {
        check_group(*(hid_t *)file, group, path);
    }
    H5Gclose(group);
    return 0;
}

int main(int argc, char **argv)
{
    hid_t file;

    if (argc != 2) {
        stop("usage", "recompute FILE");
    }
    file = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        stop("cannot open", argv[1]);
    }
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &file,
              H5O_INFO_BASIC);
    H5Fclose(file);
    printf("%lu energies compared, %lu differ\n", compared, wrong);
    return compared == 0 || wrong != 0;
}
