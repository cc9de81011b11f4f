/*
 * Cells, and two ways to print them.
 */
#include "stats/grid.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"

static struct loom_grid_cell *new_cell(struct loom_grid *grid)
{
    struct loom_grid_cell *grown;

    if (grid->count == grid->room) {
        size_t room = grid->room == 0 ? 512 : grid->room * 2;

        grown = realloc(grid->cell, room * sizeof(*grown));
        if (grown == NULL) {
            grid->failed = true;
            return NULL;
        }
        grid->cell = grown;
        grid->room = room;
    }
    return &grid->cell[grid->count];
}

static void put(struct loom_grid *grid, bool is_number, const char *fmt,
                va_list args)
{
    struct loom_grid_cell *cell = new_cell(grid);
    char text[1024];

    if (cell == NULL) {
        return;
    }
    vsnprintf(text, sizeof(text), fmt, args);
    loom_text_tame(text);
    *cell = (struct loom_grid_cell){strdup(text), is_number};
    if (cell->text == NULL) {
        grid->failed = true;
        return;
    }
    grid->count++;
}

void loom_grid_text(struct loom_grid *grid, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    put(grid, false, fmt, args);
    va_end(args);
}

void loom_grid_number(struct loom_grid *grid, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    put(grid, true, fmt, args);
    va_end(args);
}

void loom_grid_missing(struct loom_grid *grid)
{
    loom_grid_number(grid, "%s", "");
}

void loom_grid_free(struct loom_grid *grid)
{
    for (size_t i = 0; i < grid->count; i++) {
        free(grid->cell[i].text);
    }
    free(grid->cell);
    *grid = (struct loom_grid){0};
}

static const char *shown(const struct loom_grid_cell *cell)
{
    return cell->is_number && cell->text[0] == '\0' ? "-" : cell->text;
}

/* Columns of numbers stand to the right, with their headings. */
struct measure {
    size_t width;
    bool right;
};

static struct measure *measure(const struct loom_grid *grid)
{
    struct measure *column = calloc(grid->columns + 1, sizeof(*column));

    for (size_t i = 0; column != NULL && i < grid->count; i++) {
        struct measure *one = &column[i % grid->columns];
        size_t width = loom_text_width(shown(&grid->cell[i]));

        one->width = width > one->width ? width : one->width;
        if (i >= grid->columns) {
            one->right = (one->right || i < 2 * grid->columns) &&
                         grid->cell[i].is_number;
        }
    }
    return column;
}

static void pad(FILE *out, size_t count)
{
    while (count-- > 0) {
        fputc(' ', out);
    }
}

/* A cell is one line, whatever its text says. */
static void put_line(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        fputc(*text == '\n' || *text == '\t' ? '?' : *text, out);
    }
}

static void print_table(FILE *out, const struct loom_grid *grid)
{
    struct measure *column = measure(grid);

    for (size_t i = 0; column != NULL && i < grid->count; i++) {
        const struct measure *one = &column[i % grid->columns];
        const char *text = shown(&grid->cell[i]);
        size_t rest = one->width - loom_text_width(text);
        bool last = (i + 1) % grid->columns == 0;

        pad(out, one->right ? rest : 0);
        put_line(out, text);
        pad(out, one->right || last ? 0 : rest);
        fputs(last ? "\n" : "  ", out);
    }
    free(column);
}

static void print_csv(FILE *out, const struct loom_grid *grid)
{
    for (size_t i = 0; i < grid->count; i++) {
        const char *text = grid->cell[i].text;
        bool formula = !grid->cell[i].is_number && text[0] != '\0' &&
                       strchr("=+-@\t\r", text[0]) != NULL;
        bool quoted = strpbrk(text, ",\"\r\n") != NULL;

        fputs(quoted ? "\"" : "", out);
        fputs(formula ? "'" : "", out);
        for (; *text != '\0'; text++) {
            fputs(*text == '"' ? "\"" : "", out);
            fputc(*text, out);
        }
        fputs(quoted ? "\"" : "", out);
        fputc((i + 1) % grid->columns == 0 ? '\n' : ',', out);
    }
}

static void put_json(FILE *out, const struct loom_grid_cell *cell)
{
    if (cell->is_number) {
        fputs(cell->text[0] == '\0' ? "null" : cell->text, out);
        return;
    }
    fputc('"', out);
    for (const char *text = cell->text; *text != '\0'; text++) {
        fputs(*text == '"' || *text == '\\' ? "\\" : "", out);
        fputc((unsigned char)*text < ' ' ? '?' : *text, out);
    }
    fputc('"', out);
}

static void print_json(FILE *out, const struct loom_grid *grid)
{
    const char *end = "[\n";

    for (size_t i = grid->columns; i < grid->count; i++) {
        bool first = i % grid->columns == 0;

        fputs(first ? end : ", ", out);
        fputs(first ? "{" : "", out);
        put_json(out, &(struct loom_grid_cell){
                          grid->cell[i % grid->columns].text, false});
        fputs(": ", out);
        put_json(out, &grid->cell[i]);
        end = "},\n";
    }
    fputs(grid->count > grid->columns ? "}\n]\n" : "[]\n", out);
}

void loom_grid_write(FILE *out, const struct loom_grid *grid,
                     enum loom_grid_form form)
{
    switch (form) {
    case LOOM_GRID_TABLE:
        print_table(out, grid);
        break;
    case LOOM_GRID_CSV:
        print_csv(out, grid);
        break;
    case LOOM_GRID_JSON:
        print_json(out, grid);
        break;
    }
}
