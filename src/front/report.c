/* report.c - what is said about a model: places, component paths, suggestions, limits. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "front/semantic.h"

enum { MAX_REPORTS = 200, GUESS_LENGTH = 40 };

/* ------------------------------------------------------------------ diagnostics */

/* has this been said about this place before? */
static bool said_before(Front *f, Spot spot, const char *format)
{
    for (size_t i = 0; i < f->reports.n; i++) {
        const Report *r = &f->reports.items[i];
        if (r->file == spot.file && r->at == spot.at && r->format == format)
            return true;
    }
    if (!vec_push(f->alloc, &f->reports, (Report){spot.file, spot.at, format}))
        f->work.failed = true;
    return false;
}

static void say(Front *f, LiederSeverity severity, Spot spot, const Inst *where, const char *format,
                va_list args)
{
    char text[1000], path[300];
    vsnprintf(text, sizeof text, format, args);
    Place place;
    if (spot.file)
        place = spot_place(spot);
    bool has_path = where && where->parent;
    if (has_path)
        inst_path(where, path, sizeof path);
    diag_add(f->diag, severity, spot.file ? &place : NULL, has_path ? path : NULL, "%s", text);
}

void wrong(Front *f, Spot spot, const Inst *where, const char *format, ...)
{
    f->nwrong++;
    if (f->reports.n >= MAX_REPORTS || said_before(f, spot, format))
        return;
    va_list args;
    va_start(args, format);
    say(f, LIEDER_ERROR, spot, where, format, args);
    va_end(args);
}

void warn(Front *f, Spot spot, const Inst *where, const char *format, ...)
{
    if (f->reports.n >= MAX_REPORTS || said_before(f, spot, format))
        return;
    va_list args;
    va_start(args, format);
    say(f, LIEDER_WARNING, spot, where, format, args);
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
        const char *dot = at ? "." : "";
        if (axis && axis->index > 0)
            at += (size_t)snprintf(buffer + at, size - at, "%s%s[%zu]", dot, in->member->name,
                                   axis->index + 1);
        else
            at += (size_t)snprintf(buffer + at, size - at, "%s%s", dot, in->member->name);
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

/* ------------------------------------------------------------------ did you mean */

/* letters to insert, drop or change, and neighbours to swap, to make b of a; case is ignored */
static int edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > GUESS_LENGTH || nb > GUESS_LENGTH)
        return 1000;
    int row[3][GUESS_LENGTH + 1];
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int same = (a[i - 1] | 32) == (b[j - 1] | 32);
            int best = up[j - 1] + !same;
            if (up[j] + 1 < best)
                best = up[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                up2[j - 2] + 1 < best)
                best = up2[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

void guess_try(Guess *guess, const char *candidate)
{
    int d = edit_distance(guess->name, candidate);
    int bound = strlen(guess->name) <= 4 ? 1 : strlen(guess->name) <= 7 ? 2 : 3;
    if (d <= bound && strcmp(candidate, guess->name) != 0 && d < (int)strlen(guess->name) &&
        (!guess->best || d < guess->distance)) {
        guess->best = candidate;
        guess->distance = d;
    }
}

const char *guess_text(const Guess *guess, char *buffer, size_t size)
{
    if (guess->best)
        snprintf(buffer, size, "did you mean '%.100s'?", guess->best);
    else
        buffer[0] = '\0';
    return buffer;
}

/* ------------------------------------------------------------------ limits */

bool spend(Front *f, Spot spot, size_t steps)
{
    f->steps += steps;
    if (f->steps <= f->limits.steps && !f->work.failed && !f->syntax.failed)
        return true;
    if (!f->exhausted && !f->work.failed && !f->syntax.failed)
        wrong(f, spot, NULL,
              "the model takes more than %zu evaluations to build\n"
              "is there a loop that does not end?",
              f->limits.steps);
    f->exhausted = true;
    return false;
}

bool enter(Front *f, Spot spot)
{
    if (f->depth >= EVALUATE_DEPTH) {
        f->nwrong++;
        if (!f->too_deep)
            wrong(f, spot, NULL,
                  "expressions depend on each other more than %d deep\n"
                  "does a function call itself without end?",
                  EVALUATE_DEPTH);
        f->too_deep = true;
        return false;
    }
    if (!spend(f, spot, 1))
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
