/* linear_map.c - see linear_map.h. */
#include "model/class/linear_map.h"

#include <string.h>

/* ------------------------------------------------------------------ inputs and outputs */

/* the variables of a map while they are listed; n counts also those for which there is no room
 */
typedef struct MapList {
    MapVariable *to;
    size_t n, room;
} MapList;

static void add_variable(MapList *list, MapVariable v)
{
    if (list->n < list->room)
        list->to[list->n] = v;
    list->n++;
}

static void add_potentials(MapList *list, const LiederDomain *d, int port, const uint32_t *at)
{
    for (int i = 0; i < d->npotential; i++)
        add_variable(
            list, (MapVariable){MAP_POTENTIAL, port, i, 1, 0, at[LIEDER_POTENTIALS] + (uint32_t)i});
}

/* n flows; each is the sum of some regimes */
static void add_flows(MapList *list, const LiederDomain *d, int port, const uint32_t *at, int n,
                      int regimes)
{
    for (int i = 0; i < n; i++)
        add_variable(list, (MapVariable){MAP_FLOW, port, i % d->nflow, regimes, d->nflow,
                                         at[LIEDER_FLOWS] + (uint32_t)i});
}

/* appends the unknowns of a class to a list of map variables, or its residuals */
static void add_unknowns(MapList *list, const LiederClassDef *def, uint32_t self, bool residuals)
{
    int count = 0;
    const LiederMember *u;
    for (int m = 0; (u = next_unknown(def, &m));)
        add_variable(list, (MapVariable){MAP_UNKNOWN, -1, count++, 1, 0,
                                         self + (uint32_t)(residuals ? u->other : u->index)});
}

size_t map_inputs(const LiederClassDef *def, const uint32_t *at, bool reversed, MapRegimes regimes,
                  MapVariable *to, size_t room)
{
    MapList list = {to, 0, room};
    for (int p = 0; p < def->nport; p++) {
        const LiederDomain *d = def->ports[p].domain;
        const uint32_t *port = at + LIEDER_AT_PORT + LIEDER_PER_PORT * p;
        if (class_port_incoming(def, reversed, p))
            add_potentials(&list, d, p, port);
        else
            add_flows(&list, d, p, port, d->nflow * (regimes == MAP_REGIMES_APART ? d->nregime : 1),
                      1);
    }
    add_unknowns(&list, def, at[LIEDER_AT_SELF], false);
    return list.n;
}

size_t map_outputs(const LiederClassDef *def, const uint32_t *at, bool reversed, MapRegimes regimes,
                   MapVariable *to, size_t room)
{
    MapList list = {to, 0, room};
    bool apart = regimes == MAP_REGIMES_APART;
    for (int p = 0; p < def->nport; p++) {
        const LiederDomain *d = def->ports[p].domain;
        const uint32_t *port = at + LIEDER_AT_PORT + LIEDER_PER_PORT * p;
        if (!class_port_incoming(def, reversed, p))
            add_potentials(&list, d, p, port);
        else
            add_flows(&list, d, p, port, d->nflow * (apart ? d->nregime : 1),
                      apart ? 1 : d->nregime);
    }
    add_unknowns(&list, def, at[LIEDER_AT_SELF], true);
    return list.n;
}

void map_run(const LiederKernels *k, bool reversed, const uint32_t *at, const LiederStrip *strip)
{
    if (k->outward[reversed].run)
        lieder_run(k->outward[reversed], strip, at, 0);
    if (k->inward[reversed].run)
        lieder_run(k->inward[reversed], strip, at, 0);
}

/* ------------------------------------------------------------------ a class alone */

size_t class_lay_out(const LiederClassDef *def, const LiederKernels *k, uint32_t *at)
{
    uint32_t next = LIEDER_ALARM + 1;
    at[LIEDER_AT_SELF] = next;
    at[LIEDER_AT_SAVE] = LIEDER_ALARM; /* of reduce and solve, which do not run here */
    next += (uint32_t)k->nreal;
    for (int p = 0; p < def->nport; p++) {
        const LiederDomain *d = def->ports[p].domain;
        uint32_t *port = at + LIEDER_AT_PORT + LIEDER_PER_PORT * p;
        port[LIEDER_SIGNALS] = next;
        port[LIEDER_POTENTIALS] = port[LIEDER_SIGNALS] + (uint32_t)d->nsignal;
        port[LIEDER_FLOWS] = port[LIEDER_POTENTIALS] + (uint32_t)d->npotential;
        next = port[LIEDER_FLOWS] + (uint32_t)(d->nflow * d->nregime);
    }
    return next;
}

void class_fill_tables(const LiederClassDef *def, const uint32_t *at, double *records, size_t nvec,
                       size_t nreal, size_t lanes)
{
    static const double numbers[] = {0, 0, 1, 1};
    static const LiederTable table = {.rows = 2, .columns = 2, .data = numbers};
    const LiederTable *pointer = &table;
    for (int i = 0; i < def->nmember; i++) {
        const LiederMember *m = &def->members[i];
        size_t place = at[LIEDER_AT_SELF] + (size_t)m->index;
        for (size_t v = 0; m->kind == LIEDER_PARAMETER && m->length == 0 && v < nvec; v++)
            memcpy(records + (v * nreal + place) * lanes, &pointer, sizeof pointer);
    }
}
