/* watch.c - the selected variables of a system as numbers at (t, x). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/select.h"

/* "cart.s" of the third member: "member[3].cart.s"; der(cart.s): der(member[3].cart.s) */
static const char *path_of_member(const char *path, size_t member, char *buffer, size_t size)
{
    int der = strncmp(path, "der(", 4) == 0 ? 4 : 0;
    int n = snprintf(buffer, size, "%.*smember[%zu].%s", der, path, member + 1, path + der);
    return n > 0 && (size_t)n < size ? buffer : NULL;
}

/* the handle of a column in the system of the watch, which may be another one than that of the
 * selection */
static bool watch_find(LiederSystem *system, const Selection *selection, const Selected *s,
                       size_t nmember, size_t member, LiederHandle *handle)
{
    char path[1100];
    if (nmember)
        return path_of_member(s->name, member, path, sizeof path) &&
               lieder_handle_search(system, NULL, path, handle);
    if (selection->system != system)
        return lieder_handle_search(system, NULL, s->name, handle);
    *handle = s->handle;
    return true;
}

/* a constant is read once, another variable is added to the observer */
static void watch_add(Watch *w, LiederSystem *system, bool constant, const LiederHandle *handle,
                      size_t place)
{
    if (!lieder_handle_here(system, handle)) {
        w->values[place] = NAN; /* another rank has it */
        return;
    }
    if (constant && lieder_handle_get(system, handle, &w->values[place]) == LIEDER_DONE)
        return;
    ptrdiff_t at = constant ? -1 : lieder_observer_watch(w->observer, handle);
    if (at >= 0) {
        w->index[at] = place;
        return;
    }
    w->values[place] = NAN;
    w->nmissing++;
}

bool watch_open(Watch *w, LiederSystem *system, const Selection *selection, size_t nmember)
{
    size_t ncolumn = selection->list.n, n = ncolumn * (nmember ? nmember : 1) + 1;
    *w = (Watch){.observer = lieder_observer_create(system),
                 .values = calloc(n, sizeof *w->values),
                 .observed = calloc(n, sizeof *w->observed),
                 .index = calloc(n, sizeof *w->index),
                 .selection = selection};
    if (!w->observer || !w->values || !w->observed || !w->index)
        return false;
    for (size_t place = 0; place + 1 < n; place++) {
        const Selected *s = &selection->list.items[place % ncolumn];
        LiederHandle handle;
        if (s->own) {
            w->values[place] = s->value;
        } else if (s->energy) {
            w->energies = true;
        } else if (watch_find(system, selection, s, nmember, place / ncolumn, &handle)) {
            watch_add(w, system, s->constant, &handle, place);
        } else {
            w->values[place] = NAN;
            w->nmissing++;
        }
    }
    return true;
}

/* the order of select_energies */
static double energy_number(const LiederEnergy *e, int number)
{
    const double list[] = {e->kinetic, e->potential, e->dissipated, e->filter, e->supplied};
    return list[number - 1];
}

LiederStatus watch_row(Watch *w, double t, const double *x)
{
    LiederStatus status = lieder_observer_evaluate(w->observer, t, x, w->observed);
    if (status < 0)
        return status;
    for (size_t i = 0; i < lieder_observer_count(w->observer); i++) {
        w->values[w->index[i]] = w->observed[i];
        if (!isfinite(w->observed[i]) && status == LIEDER_DONE &&
            !lieder_observer_ended(w->observer, i)) {
            w->wrong = i;
            status = LIEDER_NOT_FINITE;
        }
    }
    for (size_t i = 0; w->energies && i < w->selection->list.n; i++)
        if (w->selection->list.items[i].energy)
            w->values[i] = energy_number(w->energy, w->selection->list.items[i].energy);
    return status;
}

void watch_close(Watch *w)
{
    lieder_observer_destroy(w->observer);
    free(w->values);
    free(w->observed);
    free(w->index);
    *w = (Watch){0};
}
