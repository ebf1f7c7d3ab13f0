/* report.c - what is stated about a model: places, component paths, suggestions, limits. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/stack.h"
#include "front/lower/lower.h"
#include "front/instance/semantic.h"

enum { MAX_REPORTS = 200 };

/* ------------------------------------------------------------------ diagnostics */

/* has this been reported for this place before? */
static bool said_before(Front *f, SourceSpan span, const char *format)
{
    for (size_t i = 0; i < f->reports.n; i++) {
        const Report *r = &f->reports.items[i];
        if (r->file == span.file && r->at == span.at && r->format == format)
            return true;
    }
    if (!vec_push(f->alloc, &f->reports, (Report){span.file, span.at, format}))
        f->work.failed = true;
    return false;
}

static void say(Front *f, LiederSeverity severity, SourceSpan span, const Inst *where,
                const char *format, va_list args)
{
    char text[1000], path[300];
    vsnprintf(text, sizeof text, format, args);
    Place place;
    if (span.file)
        place = span_place(span);
    bool has_path = where && where->parent;
    if (has_path)
        inst_path(where, path, sizeof path);
    diag_add(f->diag, severity, span.file ? &place : NULL, has_path ? path : NULL, "%s", text);
}

bool reports_are_full(const Front *f)
{
    return f->reports.n >= MAX_REPORTS;
}

void report_error(Front *f, SourceSpan span, const Inst *where, const char *format, ...)
{
    f->nwrong++;
    if (reports_are_full(f) || said_before(f, span, format))
        return;
    if (reports_are_full(f)) {
        diag_error(f->diag, NULL, NULL, "there are more than %d errors\ncorrect the first ones",
                   MAX_REPORTS - 1);
        return;
    }
    va_list args;
    va_start(args, format);
    say(f, LIEDER_ERROR, span, where, format, args);
    va_end(args);
}

ReportMark report_mark(const Front *f)
{
    return (ReportMark){f->diag->list.n, f->diag->nerrors, f->reports.n, f->nwrong};
}

void report_forget(Front *f, ReportMark mark)
{
    diag_forget(f->diag, mark.said);
    f->diag->nerrors = mark.nerrors;
    f->reports.n = mark.nreport;
    f->nwrong = mark.nwrong;
}

void warn(Front *f, SourceSpan span, const Inst *where, const char *format, ...)
{
    if (f->reports.n >= MAX_REPORTS || said_before(f, span, format))
        return;
    va_list args;
    va_start(args, format);
    say(f, LIEDER_WARNING, span, where, format, args);
    va_end(args);
}

char *inst_path(const Inst *inst, char *buffer, size_t size)
{
    const Inst *chain[INSTANCE_DEPTH + 2];
    size_t n = 0, at = 0;
    for (; inst && inst->parent && n < sizeof chain / sizeof *chain; inst = inst->parent)
        chain[n++] = inst;
    buffer[0] = '\0';
    while (n-- > 0 && at < size) {
        const Inst *in = chain[n];
        const Axis *axis = in->axis != in->parent->axis ? in->axis : NULL;
        char index[INDEX_LENGTH] = "";
        if (axis && axis->index > 0)
            index_text(axis->ndim, axis->dim, axis->index, index);
        at += (size_t)snprintf(buffer + at, size - at, "%s%s%s", at ? "." : "", in->member->name,
                               index);
    }
    return buffer;
}

char *ref_text(const Ref *ref, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    for (; ref && at < size; ref = ref->rest)
        at += (size_t)snprintf(buffer + at, size - at, "%s%s%s", ref->global ? "." : "", ref->name,
                               ref->rest ? "." : "");
    return buffer;
}

/* ------------------------------------------------------------------ limits */

/* Whether the cell that is being made fits the limit. Its memory is the session's, since what
 * becomes of it outlives the front end, so that it is estimated by its lists. */
static bool cell_fits(Front *f)
{
    if (!f->lowering)
        return true;
    const Cell *c = &f->lowering->cell;
    size_t held = c->graph.nodes.n * (sizeof(NodeData) + 3 * sizeof(Node)) +
                  c->variables.n * (sizeof(CellVariable) + sizeof(LowerVariable)) +
                  c->equations.n * sizeof(CellEquation);
    size_t used = f->bytes > f->bytes_before ? f->bytes - f->bytes_before : 0;
    if (held <= f->limits.memory && used <= f->limits.memory - held)
        return true;
    f->over_memory = f->work.failed = true;
    return false;
}

/* what was spent on nodes of the cell under way */
static void count_nodes(Front *f)
{
    struct Lower *l = f->lowering;
    if (!l)
        return;
    f->steps += l->cell.graph.effort - l->counted;
    l->counted = l->cell.graph.effort;
}

void report_exhausted(Front *f, SourceSpan span)
{
    char grew[600] = "";
    if (f->lowering)
        lower_what_grew(f->lowering, grew, sizeof grew);
    if (!f->exhausted && !f->work.failed && !f->syntax.failed)
        report_error(f, span, NULL,
                     "the model takes more than %zu steps to build, and this is where they "
                     "ended%s%s\n%s --limit steps=%zu allows ten times as many",
                     f->limits.steps, *grew ? ": " : "", grew,
                     *grew ? "make it smaller, or" : "is there a loop that does not end?",
                     10 * f->limits.steps);
    f->exhausted = true;
}

bool spend(Front *f, SourceSpan span, size_t steps)
{
    enum { BETWEEN = 4096 }; /* steps between two looks at the memory */
    size_t before = f->steps;
    count_nodes(f);
    f->steps = steps > f->limits.steps ? f->limits.steps + 1 : f->steps + steps;
    if (span.file)
        f->now = span;
    if (f->steps / BETWEEN != before / BETWEEN && !cell_fits(f))
        return false;
    if (f->steps <= f->limits.steps && !f->work.failed && !f->syntax.failed)
        return true;
    report_exhausted(f, span);
    return false;
}

bool report_memory(Front *f)
{
    if (!f->over_memory)
        return false;
    Place place;
    char grew[600] = "";
    if (f->now.file)
        place = span_place(f->now);
    if (f->lowering)
        lower_what_grew(f->lowering, grew, sizeof grew);
    diag_error(f->diag, f->now.file ? &place : NULL, NULL,
               "the model takes more than %zu MB to build, and this is where they ended%s%s\n"
               "make it smaller, or allow more as in --limit memory=%zuM",
               f->limits.memory >> 20, *grew ? ": " : "", grew, f->limits.memory >> 19);
    f->nwrong++;
    return true;
}

bool enter(Front *f, SourceSpan span)
{
    if (f->depth >= EVALUATE_DEPTH || stack_is_used_up(f->floor)) {
        f->nwrong++;
        if (!f->too_deep)
            report_error(f, span, NULL,
                         "expressions depend on each other more than %d deep\n"
                         "does a function call itself without end?",
                         f->depth);
        f->too_deep = true;
        return false;
    }
    if (!spend(f, span, 1))
        return false;
    f->depth++;
    return true;
}

void leave(Front *f)
{
    f->depth--;
}

void *work_zeroed(Front *f, size_t size)
{
    return arena_zeroed(&f->work, size);
}

void *scratch_zeroed(Front *f, size_t size)
{
    void *block = arena_zeroed(&f->scratch, size);
    if (!block)
        f->work.failed = true;
    return block;
}

/* "" instead of NULL when memory ran out, so that nobody follows it */
const char *intern(Front *f, const char *text)
{
    const char *name = intern_text(&f->names, text);
    if (!name)
        f->work.failed = true;
    return name ? name : "";
}
