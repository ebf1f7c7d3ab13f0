/* memory.c - results kept in memory, a contiguous array for each column.
 *
 * open makes room for options.memory_rows rows; up to there row allocates nothing. Past that the
 * columns grow by half, one after the other, so that the peak is little more than the rows need.
 * When memory runs out the run ends with LIEDER_NO_MEMORY and all rows so far stay readable until
 * close. Constants are kept once.
 */
#include "record/format.h"

#include <string.h>

typedef struct Memory {
    Arena texts;
    RecordColumn *columns; /* own copies (ncolumn) */
    NameIndex names;
    size_t *place;   /* series of a column that varies (ncolumn) */
    double **series; /* time, then the columns that vary (1 + nvarying) */
    size_t *rooms;   /* numbers that each of these can hold */
    size_t n, room;  /* rows, and those that fit in all series */
} Memory;

/* room for that many rows in every series; rows stay if memory runs out */
static LiederStatus make_row_room(Recorder *r, Memory *s, size_t room)
{
    if (room > SIZE_MAX / sizeof(double))
        return record_fail_memory(r, s->n);
    for (size_t i = 0; i <= r->nvarying; i++) {
        if (room <= s->rooms[i])
            continue;
        double *longer = memory_resize(&r->alloc, s->series[i], s->rooms[i] * sizeof(double),
                                       room * sizeof(double));
        if (!longer)
            return record_fail_memory(r, s->n);
        s->series[i] = longer;
        s->rooms[i] = room;
    }
    s->room = room;
    return LIEDER_DONE;
}

static const char *copy_rows(Memory *s, const char *text)
{
    return arena_text(&s->texts, text ? text : "", text ? strlen(text) : 0);
}

/* copies of the columns and an empty series for each that varies */
static LiederStatus open_memory(Recorder *r, const RecordColumn *columns)
{
    Memory *s = r->state = memory_zeroed(&r->alloc, sizeof *s);
    if (!s)
        return record_fail_memory(r, 0);
    arena_init(&s->texts, &r->alloc);
    s->columns = arena_zeroed(&s->texts, r->ncolumn * sizeof *s->columns);
    s->place = arena_zeroed(&s->texts, r->ncolumn * sizeof *s->place);
    s->series = arena_zeroed(&s->texts, (r->nvarying + 1) * sizeof *s->series);
    s->rooms = arena_zeroed(&s->texts, (r->nvarying + 1) * sizeof *s->rooms);
    if (s->texts.failed)
        return record_fail_memory(r, 0);
    for (size_t i = 0; i < r->ncolumn; i++) {
        s->columns[i] = columns[i];
        s->columns[i].name = copy_rows(s, columns[i].name);
        s->columns[i].unit = copy_rows(s, columns[i].unit);
        s->columns[i].text = copy_rows(s, columns[i].text);
    }
    for (size_t i = 0; i < r->nvarying; i++)
        s->place[r->varying[i]] = i + 1;
    size_t duplicate;
    if (s->texts.failed || !names_init(&s->names, &r->alloc, s->columns, r->ncolumn, &duplicate))
        return record_fail_memory(r, 0);
    return make_row_room(r, s, r->options.memory_rows);
}

/* a number to the end of every series */
static LiederStatus row_memory(Recorder *r, double time, const double *values)
{
    Memory *s = r->state;
    if (s->n == s->room && make_row_room(r, s, s->room + s->room / 2 + 64) < 0) {
        r->nlost = r->nrow - s->n;
        return r->status;
    }
    s->series[0][s->n] = time;
    for (size_t i = 0; i < r->nvarying; i++)
        s->series[i + 1][s->n] = values[r->varying[i]];
    s->n++;
    return LIEDER_DONE;
}

static LiederStatus nothing(Recorder *r)
{
    (void)r;
    return LIEDER_DONE;
}

static void drop_memory(Recorder *r)
{
    Memory *s = r->state;
    if (!s)
        return;
    for (size_t i = 0; s->rooms && s->series && i <= r->nvarying; i++)
        memory_free(&r->alloc, s->series[i], s->rooms[i] * sizeof(double));
    names_drop(&s->names, &r->alloc);
    arena_drop(&s->texts);
    memory_free(&r->alloc, s, sizeof *s);
}

bool record_memory_series(const Recorder *r, const char *name, RecordSeries *series)
{
    const Memory *s = r->state;
    if (r->format != &record_memory)
        return false;
    if (strcmp(name, "time") == 0) {
        *series = (RecordSeries){s->series[0], s->n, 1, "s", "Simulation time"};
        return true;
    }
    ptrdiff_t at = names_find(&s->names, s->columns, name);
    if (at < 0)
        return false;
    const RecordColumn *c = &s->columns[at];
    *series = c->constant ? (RecordSeries){&c->value, s->n, 0, c->unit, c->text}
                          : (RecordSeries){s->series[s->place[at]], s->n, 1, c->unit, c->text};
    return true;
}

const RecordFormat record_memory = {.open = open_memory,
                                    .row = row_memory,
                                    .flush = nothing,
                                    .finish = nothing,
                                    .drop = drop_memory};
