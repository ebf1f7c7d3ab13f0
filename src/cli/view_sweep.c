/* view_sweep.c - a sweep that the page asks for: the members are those of lieder sweep, as lanes of
 * one system where that is possible, and have its bits.
 *
 *     {"vary": {"loadMass": "0.5:2:15", "l": "1,1.5"}, "variable": "prismatic.s", "set": ...}
 *
 * Each answer has the next members, so many as take a moment, so that the page shows them as they
 * come. Its JSON has "members", how many there are, "axes" with all values, "first" and "rows" of
 * each member of this answer, 0 for one that failed, and "said"; then time and variable of member
 * after member.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* asprintf */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/sweep.h"
#include "cli/view.h"

enum { MAX_MEMBERS = 10000, AT_ONCE = 64 };
static const double MOMENT = 0.08; /* s: then there is an answer */

struct ViewSweep {
    unsigned number;
    Message message; /* has the texts */
    SweepSettings settings;
    char record[1100];
    Sweep sweep;
    Workplace place;
    Log log;
    char *said;
    size_t nsaid;
    ExitCode code;
};

/* ------------------------------------------------------------------ what is asked for */

static bool is_varied(const JsonValue *vary, const char *name)
{
    return json_tree_member(vary, name);
}

/* the settings of the page without what is varied; false: out of memory */
static bool take_settings(ViewSweep *s, const RunSettings *w, const JsonValue *vary)
{
    bool good = true;
    s->settings.run = *w;
    s->settings.run.source.overrides = (Overrides){0};
    for (size_t i = 0; i < w->source.overrides.n && good; i++)
        if (!is_varied(vary, w->source.overrides.items[i].name))
            good = vec_push(HEAP, &s->settings.run.source.overrides, w->source.overrides.items[i]);
    return good;
}

/* the axes of the grid; mistakes are reported as those of the command line are */
static ExitCode take_axes(ViewSweep *s, const JsonValue *vary)
{
    for (const JsonValue *v = vary ? vary->first : NULL; v; v = v->next) {
        char *text = NULL;
        if (asprintf(&text, "%s=%s", v->name, v->text) < 0)
            return EXIT_SIMULATION;
        bool good = grid_add(&s->settings.grid, &s->log, text);
        free(text);
        if (!good)
            return EXIT_USAGE;
    }
    if (s->settings.grid.axes.n == 0 || s->settings.grid.n > MAX_MEMBERS) {
        log_error(&s->log,
                  s->settings.grid.axes.n ? "a sweep of the page has at most %d members"
                                          : "nothing is varied",
                  MAX_MEMBERS);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* settings, axes and the one variable of the message, as lieder sweep plans them */
static ExitCode plan_sweep(ViewSweep *s, const RunSettings *w)
{
    const JsonValue *vary = message_find(&s->message, "vary", JSON_OBJECT);
    const char *variable = message_text(&s->message, "variable");
    ExitCode code = take_settings(s, w, vary) ? take_axes(s, vary) : EXIT_SIMULATION;
    if (code != EXIT_DONE)
        return code;
    if (!variable || !run_quote(variable, s->record, sizeof s->record)) {
        log_error(&s->log, "the variable of the sweep is missing");
        return EXIT_USAGE;
    }
    s->settings.run.record = s->record;
    code = sweep_plan(&s->sweep, 1);
    if (s->sweep.batch > AT_ONCE)
        s->sweep.batch = AT_ONCE;
    return code;
}

ViewSweep *view_sweep_open(const RunSettings *w, Message *message, unsigned number, const Log *log)
{
    ViewSweep *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->number = number;
    s->message = *message;
    *message = (Message){.arena = {.alloc = memory_default}};
    s->log = *log;
    s->log.json = true;
    s->log.shown = 0;
    s->log.stream = open_memstream(&s->said, &s->nsaid);
    s->sweep = (Sweep){
        .log = &s->log, .settings = &s->settings, .grid = &s->settings.grid, .unwritten = true};
    arena_init(&s->sweep.selection.arena, HEAP);
    if (s->log.stream) {
        s->code = plan_sweep(s, w);
        return s;
    }
    view_sweep_drop(s);
    return NULL;
}

unsigned view_sweep_number(const ViewSweep *s)
{
    return s->number;
}

void view_sweep_drop(ViewSweep *s)
{
    if (!s)
        return;
    if (s->log.stream)
        fclose(s->log.stream);
    free(s->said);
    selection_drop(&s->sweep.selection);
    workplace_close(&s->sweep.main);
    workplace_close(&s->place);
    vec_drop(HEAP, &s->settings.run.source.overrides);
    grid_drop(&s->settings.grid);
    message_drop(&s->message);
    free(s);
}

/* ------------------------------------------------------------------ members */

typedef struct Asking {
    bool (*tick)(void *user);
    void *user;
    bool stopped;
} Asking;

static bool ask_sweep(void *user)
{
    Asking *a = user;
    a->stopped |= !a->tick(a->user);
    return !a->stopped;
}

static void write_axes(FILE *to, const Grid *g)
{
    fputs(",\"axes\":[", to);
    for (size_t i = 0; i < g->axes.n; i++) {
        const GridAxis *axis = &g->axes.items[i];
        fputs(i ? ",{\"name\":" : "{\"name\":", to);
        json_string(to, axis->name);
        json_numbers(to, "list", axis->values.items, axis->values.n);
        fputc('}', to);
    }
    fputc(']', to);
}

/* rows that there are to show of a member */
static size_t rows_of(const SweepMember *m)
{
    return m->failed ? 0 : m->nrow;
}

typedef struct ViewBatches {
    MemberBatch items[AT_ONCE];
    size_t n;
} ViewBatches;

/* the members from `first` on as the page reads them: axes, rows, failures, messages */
static void write_json(const ViewSweep *s, FILE *to, size_t first, const ViewBatches *b)
{
    json_begin(to, "sweep");
    json_count(to, "number", s->number);
    json_count(to, "exit_code", (size_t)s->code);
    json_count(to, "members", s->code == EXIT_DONE ? s->settings.grid.n : 0);
    json_count(to, "lanes", s->sweep.batch);
    json_count(to, "first", first);
    write_axes(to, &s->settings.grid);
    fputs(",\"rows\":[", to);
    const char *comma = "";
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < b->items[i].n; k++, comma = ",")
            fprintf(to, "%s%zu", comma, rows_of(&b->items[i].members[k]));
    fputs("],\"failures\":[", to);
    comma = "";
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < b->items[i].n; k++) {
            const SweepMember *m = &b->items[i].members[k];
            if (!m->failed)
                continue;
            fputs(comma, to);
            json_string(to, m->message ? m->message : "out of memory");
            comma = ",";
        }
    fputc(']', to);
    fflush(s->log.stream);
    write_said_lines(to, s->said);
    fputc('}', to);
}

/* time, then the variable; the row of a member has both, one after the other */
static void write_member(FILE *to, const SweepMember *m, size_t width)
{
    for (size_t column = 0; column < 2; column++)
        for (size_t row = 0; row < rows_of(m); row++)
            fwrite(&m->rows.items[row * width + column], sizeof(double), 1, to);
}

/* batches from the member on, until a moment has passed; false: out of memory */
static bool run_batches(ViewSweep *s, size_t first, const Asking *a, ViewBatches *b)
{
    double begun = clock_seconds();
    size_t group = s->sweep.group;
    while (first < s->settings.grid.n && b->n < AT_ONCE && !a->stopped &&
           (b->n == 0 || clock_seconds() - begun < MOMENT)) {
        MemberBatch *batch = &b->items[b->n++];
        size_t left = group - first % group;
        *batch = (MemberBatch){.first = first, .n = left < s->sweep.batch ? left : s->sweep.batch};
        if (!batch_run(&s->sweep, &s->place, batch))
            return false;
        first += batch->n;
    }
    return true;
}

bool view_sweep_members(ViewSweep *s, size_t first, bool (*tick)(void *user), void *user,
                        bool *stopped, char **bytes, size_t *n)
{
    Asking a = {.tick = tick, .user = user};
    ViewBatches b = {0};
    ViewFrame f;
    s->sweep.ask = ask_sweep;
    s->sweep.user = &a;
    bool good = s->code != EXIT_DONE || run_batches(s, first, &a, &b);
    *stopped = a.stopped;
    good = good && !a.stopped && frame_open(&f, bytes, n);
    if (good) {
        write_json(s, f.to, first, &b);
        frame_numbers(&f);
        for (size_t i = 0; i < b.n; i++)
            for (size_t k = 0; k < b.items[i].n; k++)
                write_member(f.to, &b.items[i].members[k], s->sweep.selection.list.n + 1);
        good = frame_close(&f);
    }
    s->sweep.ask = NULL;
    s->sweep.user = NULL;
    for (size_t i = 0; i < b.n; i++)
        batch_drop(&b.items[i]);
    return good;
}
