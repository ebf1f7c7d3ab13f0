/* view_write.c - a run as a message to the page: view.h has its layout. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/json.h"
#include "cli/view.h"

/* ------------------------------------------------------------------ what is known of the model */

/* the table of solvers, for the menu of the page */
static void write_solvers(FILE *to)
{
    fputs(",\"solvers\":[", to);
    for (int i = LIEDER_SOLVER_AUTO + 1; i < LIEDER_SOLVER_COUNT; i++) {
        const LiederSolverInfo *info = lieder_solver_info((LiederSolver)i);
        fputs(i > LIEDER_SOLVER_AUTO + 1 ? ",{\"name\":" : "{\"name\":", to);
        json_string(to, info->name);
        json_text(to, "text", info->text);
        json_flag(to, "adaptive", info->adaptive);
        fputc('}', to);
    }
    fputc(']', to);
}

/* names, units, ranges of the variables that have a name */
static void write_variables(FILE *to, const ViewRun *r)
{
    write_solvers(to);
    fputs(",\"variables\":[", to);
    for (size_t i = 0; i < r->nnamed; i++) {
        const Selected *s = &r->selection.list.items[i];
        const ViewVariable *v = &r->variables.items[i];
        fputs(i ? ",{\"name\":" : "{\"name\":", to);
        json_string(to, s->name);
        json_text(to, "unit", *s->unit ? s->unit : NULL);
        json_text(to, "text", *s->text ? s->text : NULL);
        json_text(to, "kind", s->own ? "own" : lieder_variable_kind_text(v->kind));
        if (s->constant)
            json_flag(to, "constant", true);
        if (v->settable)
            json_flag(to, "settable", true);
        if (isfinite(v->min))
            json_number(to, "min", v->min);
        if (isfinite(v->max))
            json_number(to, "max", v->max);
        fputc('}', to);
    }
    fputc(']', to);
}

/* indices, -1 where there is none */
static void write_indices(FILE *to, const char *key, const size_t *values, size_t n)
{
    fprintf(to, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++)
        fprintf(to, i ? ",%td" : "%td", (ptrdiff_t)values[i]);
    fputc(']', to);
}

/* the shapes at both ports, as pairs of numbers; an empty list: none */
static void write_outlines(FILE *to, const Outline *const outline[2])
{
    fputs(",\"outlines\":[", to);
    for (int port = 0; port < 2; port++) {
        const Outline *o = outline[port];
        fputs(port ? ",[" : "[", to);
        for (size_t i = 0; o && i < o->n; i++)
            fprintf(to, "%s[%.9g,%.9g]", i ? "," : "", o->points[i].x, o->points[i].y);
        fputc(']', to);
    }
    fputs("]", to);
    json_numbers(to, "spokes",
                 (double[]){outline[0] ? outline[0]->spoke : 0, outline[1] ? outline[1]->spoke : 0},
                 2);
}

/* the drawn parts: symbol, columns of pose and force, outline */
static void write_parts(FILE *to, const ViewRun *r)
{
    json_flag(to, "planar", r->planar);
    fputs(",\"parts\":[", to);
    for (size_t i = 0; i < r->parts.n; i++) {
        const ViewPart *p = &r->parts.items[i];
        fputs(i ? ",{\"name\":" : "{\"name\":", to);
        json_string(to, p->name);
        json_text(to, "look", p->symbol->look);
        json_count(to, "layer", (size_t)p->symbol->layer);
        json_flag(to, "linear", p->symbol->linear);
        write_indices(to, "at", p->columns, p->symbol->ports[1] ? 6 : 3);
        if (p->joint >= 0)
            json_count(to, "joint", (size_t)p->joint);
        if (symbol_is_body(p->symbol))
            json_number(to, "mass", p->mass);
        if (symbol_is_slider(p->symbol) || symbol_is_contact(p->symbol))
            json_numbers(to, "axis", p->axis, 2);
        if (p->outline[0] || p->outline[1])
            write_outlines(to, p->outline);
        if (p->thread)
            json_flag(to, "thread", true);
        if (p->hidden)
            json_flag(to, "hidden", true);
        if (p->lane >= 0)
            json_count(to, "lane", (size_t)p->lane + 1);
        if (p->force[0] != VIEW_NO_COLUMN)
            write_indices(to, "force", p->force, p->symbol->linear ? 1 : 2);
        fputc('}', to);
    }
    fputc(']', to);
}

/* ------------------------------------------------------------------ what is known of the run */

/* numbers of the run so far, and its options */
static void write_statistics(FILE *to, const ViewRun *r)
{
    const LiederStatistics *s = &r->statistics;
    if (s->solver != LIEDER_SOLVER_AUTO)
        json_text(to, "solver", lieder_solver_name(s->solver));
    json_count(to, "steps", s->steps);
    json_count(to, "rejected", s->rejected);
    json_count(to, "evaluations", s->evaluations);
    json_count(to, "state_events", s->state_events);
    json_count(to, "time_events", s->time_events);
    json_number(to, "seconds", s->seconds);
    json_number(to, "time", s->t);
    json_number(to, "start", r->start);
    json_number(to, "stop", r->stop);
    json_number(to, "tolerance", r->tolerance);
    json_number(to, "interval", r->interval);
    json_number(to, "step", r->step);
}

void write_said_lines(FILE *to, const char *lines)
{
    fputs(",\"said\":[", to);
    bool first = true;
    for (const char *line = lines; line && *line;) {
        size_t n = strcspn(line, "\n");
        if (n)
            fprintf(to, "%s%.*s", first ? "" : ",", (int)n, line);
        first &= n == 0;
        line += n + (line[n] == '\n');
    }
    fputc(']', to);
}

/* columns that do not change, by number, from the first row */
static void write_constants(FILE *to, const ViewRun *r)
{
    fputs(",\"constants\":{", to);
    bool first = true;
    for (size_t i = 0; i < r->selection.list.n && r->rows.n; i++) {
        if (!r->selection.list.items[i].constant)
            continue;
        fprintf(to, first ? "\"%zu\":" : ",\"%zu\":", i);
        json_value(to, r->rows.items[1 + i]);
        first = false;
    }
    fputc('}', to);
}

/* the members of a sweep: where each begins, and its parameters */
static void write_members(FILE *to, const ViewRun *r)
{
    size_t width = r->selection.list.n + 1;
    if (r->members.n < 2)
        return;
    fputs(",\"varied\":[", to);
    for (size_t i = 0; i < r->nvaried; i++) {
        fputs(i ? "," : "", to);
        json_string(to, r->selection.list.items[i].name);
    }
    fputs("],\"members\":[", to);
    for (size_t k = 0; k < r->members.n; k++) {
        size_t row = r->members.items[k];
        fprintf(to, k ? ",{\"row\":%zu" : "{\"row\":%zu", row);
        json_numbers(to, "values", r->rows.items + row * width + 1, r->nvaried);
        fputc('}', to);
    }
    fputc(']', to);
}

/* ------------------------------------------------------------------ columns */

/* which column is sent where: equal ones once */
typedef struct SentColumns {
    const ViewRun *run;
    size_t from, nrow, stride;
    size_t *wanted; /* (n) columns of the run, 0 is time */
    size_t *place;  /* (n) where the column is among those sent */
    size_t *sent;   /* (nsent) columns of the run */
    uint64_t *hash; /* (nsent) */
    size_t *slots;  /* (nslot) of the table of those sent: number + 1, or 0 */
    size_t n, nsent, nslot;
} SentColumns;

static double value_at(const SentColumns *c, size_t column, size_t row)
{
    return c->run->rows.items[(c->from + row) * c->stride + column];
}

static uint64_t hash_column(const SentColumns *c, size_t column)
{
    uint64_t h = HASH_SEED;
    for (size_t row = 0; row < c->nrow; row++) {
        double v = value_at(c, column, row);
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        h = (h ^ bits) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

static bool same_column(const SentColumns *c, size_t a, size_t b)
{
    for (size_t row = 0; row < c->nrow; row++) {
        double v = value_at(c, a, row), w = value_at(c, b, row);
        if (memcmp(&v, &w, sizeof v) != 0)
            return false;
    }
    return true;
}

/* the number of an equal column among those sent, or nsent: by open addressing */
static size_t find_equal(const SentColumns *c, size_t column, uint64_t hash, size_t *slot)
{
    for (*slot = hash & (c->nslot - 1); c->slots[*slot]; *slot = (*slot + 1) & (c->nslot - 1)) {
        size_t k = c->slots[*slot] - 1;
        if (c->hash[k] == hash && same_column(c, c->sent[k], column))
            return k;
    }
    return c->nsent;
}

/* time first, then what is wanted */
static bool choose_columns(SentColumns *c, const ViewWanted *w)
{
    size_t all = c->run->selection.list.n, n = 1 + (w->want ? w->n : all);
    for (c->nslot = 16; c->nslot < 2 * n;)
        c->nslot *= 2;
    c->wanted = calloc(n, sizeof *c->wanted);
    c->place = calloc(n, sizeof *c->place);
    c->sent = calloc(n, sizeof *c->sent);
    c->hash = calloc(n, sizeof *c->hash);
    c->slots = calloc(c->nslot, sizeof *c->slots);
    if (!c->wanted || !c->place || !c->sent || !c->hash || !c->slots)
        return false;
    for (size_t i = 0; i < n; i++) {
        double column = i == 0 ? 0 : w->want ? w->want[i - 1] + 1 : (double)i;
        if (!(column >= 0 && column <= (double)all) || column != floor(column))
            continue; /* no column of this run: it is not sent */
        c->wanted[c->n++] = (size_t)column;
    }
    for (size_t i = 0; i < c->n; i++) {
        size_t slot;
        uint64_t h = hash_column(c, c->wanted[i]);
        size_t k = find_equal(c, c->wanted[i], h, &slot);
        if (k == c->nsent) {
            c->hash[k] = h;
            c->sent[c->nsent++] = c->wanted[i];
            c->slots[slot] = c->nsent;
        }
        c->place[i] = k;
    }
    return true;
}

static void write_columns(FILE *to, const SentColumns *c)
{
    json_count(to, "from", c->from);
    json_count(to, "rows", c->nrow);
    fputs(",\"columns\":{", to);
    for (size_t i = 1; i < c->n; i++)
        fprintf(to, i > 1 ? ",\"%zu\":%zu" : "\"%zu\":%zu", c->wanted[i] - 1, c->place[i]);
    fputc('}', to);
}

/* ------------------------------------------------------------------ the message */

bool frame_open(ViewFrame *f, char **bytes, size_t *n)
{
    *bytes = NULL;
    *f = (ViewFrame){.to = open_memstream(bytes, n), .bytes = bytes, .n = n};
    if (f->to)
        fwrite("\0\0\0\0", 1, 4, f->to); /* the length, at the end */
    return f->to;
}

void frame_numbers(ViewFrame *f)
{
    fflush(f->to);
    for (; *f->n % 8; fflush(f->to))
        fputc(' ', f->to);
    f->length = (uint32_t)(*f->n - 4);
}

bool frame_close(ViewFrame *f)
{
    bool good = fflush(f->to) == 0 && !ferror(f->to);
    good &= fclose(f->to) == 0;
    for (int i = 0; i < 4 && good; i++)
        (*f->bytes)[i] = (char)(f->length >> (8 * i));
    if (!good)
        free(*f->bytes);
    return good;
}

/* the head of the answer: everything but the numbers of the rows */
static void write_json(FILE *to, const ViewRun *r, const ViewWanted *w, const SentColumns *c)
{
    json_begin(to, "run");
    json_count(to, "number", r->number);
    json_text(to, "title", r->title);
    json_flag(to, "done", r->done);
    if (r->file)
        json_flag(to, "file", true);
    if (r->has_model)
        json_flag(to, "model", true);
    if (r->others)
        json_count(to, "others", r->others);
    json_count(to, "exit_code", (size_t)r->code);
    json_count(to, "table", (size_t)r->table);
    if (w->known != r->table)
        write_variables(to, r);
    if (w->parts)
        write_parts(to, r);
    write_statistics(to, r);
    write_constants(to, r);
    json_numbers(to, "events", r->events.items, r->events.n);
    write_said_lines(to, r->done ? r->said : NULL);
    write_members(to, r);
    if (r->fleet > 1)
        json_count(to, "fleet", r->fleet);
    write_columns(to, c);
    fputc('}', to);
}

bool view_write(const ViewRun *r, const ViewWanted *w, char **bytes, size_t *n)
{
    ViewFrame f;
    if (!frame_open(&f, bytes, n))
        return false;
    size_t rows = view_row_count(r), from = w->from < rows ? w->from : rows;
    SentColumns c = {
        .run = r, .from = from, .nrow = rows - from, .stride = r->selection.list.n + 1};
    bool good = choose_columns(&c, w);
    if (good) {
        write_json(f.to, r, w, &c);
        frame_numbers(&f);
        for (size_t i = 0; i < c.nsent; i++)
            for (size_t row = 0; row < c.nrow; row++) {
                double v = value_at(&c, c.sent[i], row);
                fwrite(&v, sizeof v, 1, f.to);
            }
    }
    free(c.wanted);
    free(c.place);
    free(c.sent);
    free(c.hash);
    free(c.slots);
    if (!frame_close(&f))
        return false;
    if (!good)
        free(*bytes);
    return good;
}
