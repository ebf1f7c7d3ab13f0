/* source.c - the generated texts of an FMU: model.c and model.h, a shape_N.c for each shape.
 *
 * A shape has the function of src/compile/generate.c, if it is not too long for a compiler, and the
 * lists of ops of its full layout. Equal calls (class, block, variant) are one small function; an
 * op is that function with a row of places. runtime/fmu.h explains the tables. */
#include "compile/compile.h"
#include "fmi/fmi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fmi/runtime/kinds.h"
#include "fmi/writer.h"
#include "model/linear/sparse.h"

/* Beyond so many ops a compiler takes seconds, and the lists alone are used. Beyond so many
 * unknowns the tables of a sparse system have megabytes. */
enum { MAX_FUNCTION_OPS = 160, MAX_SPARSE = 20000 };

static void write_double(SourceWriter *w, double x)
{
    if (isnan(x))
        WRITE(w, "__builtin_nan(\"\")");
    else if (isinf(x))
        WRITE(w, "%s__builtin_inf()", x < 0 ? "-" : "");
    else
        WRITE(w, x == floor(x) && fabs(x) < 1e6 ? "%.1f" : "%a", x);
}

/* a text in quotes */
static void write_c_text(SourceWriter *w, const char *text)
{
    WRITE(w, "\"");
    for (const char *c = text ? text : ""; *c; c++)
        WRITE(w, *c == '"' || *c == '\\' ? "\\%c" : (unsigned char)*c < ' ' ? " " : "%c", *c);
    WRITE(w, "\"");
}

static void write_doubles(SourceWriter *w, const char *name, const double *values, size_t n)
{
    WRITE(w, "static const double %s[] = {", name);
    for (size_t i = 0; i < n && w->ok; i++) {
        WRITE(w, "%s", table_separator(i, 8));
        write_double(w, values[i]);
    }
    WRITE(w, n ? "};\n" : "0};\n");
}

void write_places(SourceWriter *w, const char *name, const uint32_t *places, size_t n)
{
    WRITE(w, "static const uint32_t %s[] = {", name);
    for (size_t i = 0; i < n && w->ok; i++)
        WRITE(w, places[i] == NOWHERE ? "%s~0u" : "%s%u", table_separator(i, 16), places[i]);
    WRITE(w, n ? "};\n" : "0};\n");
}

/* ------------------------------------------------------------------ functions of ops */

size_t call_number(SourceWriter *w, const char *call)
{
    for (size_t i = 0; i < w->calls.n; i++)
        if (strcmp(w->calls.items[i], call) == 0)
            return i;
    char *copy = memory_text(w->alloc, call);
    w->ok = w->ok && copy && vec_push(w->alloc, &w->calls, copy);
    return w->calls.n - 1;
}

/* writes functions for the calls of a list that have none yet */
static void write_functions(SourceWriter *w, const Program *p, const OpList *list)
{
    char call[CALL];
    for (size_t i = 0; i < list->n && w->ok; i++) {
        size_t before = w->calls.n;
        op_call(p, &list->items[i], call, sizeof call);
        size_t number = call_number(w, call);
        if (w->calls.n > before)
            WRITE(w,
                  "FMU_OP op_%zu(real *rec, const uint32_t *at, Call call)\n{\n    (void)call;\n"
                  "    %s;\n}\n",
                  number, call);
    }
}

/* ------------------------------------------------------------------ flows */

/* as move_flows of src/model/system/evaluate.c: flows at outgoing ports are minus what others
 * take */
static bool list_gathers(SourceWriter *w, uint32_t component, PlaceList *to)
{
    const Program *p = &w->ss->plan.full;
    const Component *c = &p->shape->components.items[component];
    bool ok = true;
    for (int port = 0; port < c->class_->def->nport; port++) {
        const ShapeNode *node = &p->shape->nodes.items[c->node[port]];
        int n = node->domain->nflow * node->domain->nregime;
        if (n == 0 || port_incoming(c, port) || node->driver != (int)component ||
            node->driver_port != port)
            continue;
        ok =
            ok &&
            vec_push(w->alloc, to,
                     at_of(p, component)[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS]) &&
            vec_push(w->alloc, to, (uint32_t)n) && vec_push(w->alloc, to, 0);
        size_t count = to->n - 1;
        for (uint32_t t = node->first_taker; ok && t < node->first_taker + node->ntaker; t++) {
            const Taker *taker = &p->shape->takers.items[t];
            if (taker->component == component && taker->port == port)
                continue;
            ok = vec_push(w->alloc, to,
                          at_of(p, taker->component)[LIEDER_AT_PORT +
                                                     LIEDER_PER_PORT * taker->port + LIEDER_FLOWS]);
            to->items[count]++;
        }
    }
    return ok && vec_push(w->alloc, to, NOWHERE);
}

/* ------------------------------------------------------------------ lists */

/* a list of ops as a table of calls; those of links with the flows that they gather */
static void write_list(SourceWriter *w, const char *name, const Program *p, const OpList *list,
                       PlaceList *gathers)
{
    char call[CALL];
    WRITE(w, "static const FmuOp %s[] = {", name);
    for (size_t i = 0; i < list->n && w->ok; i++) {
        const Op *op = &list->items[i];
        uint32_t gather = NOWHERE;
        if (gathers && p->shape->components.items[op->component].link) {
            gather = (uint32_t)gathers->n;
            w->ok = w->ok && list_gathers(w, op->component, gathers);
        }
        op_call(p, op, call, sizeof call);
        WRITE(w, gather == NOWHERE ? "%s{op_%zu, %u, ~0u}" : "%s{op_%zu, %u, %u}",
              table_separator(i, 4), call_number(w, call), op->at, gather);
    }
    WRITE(w, list->n ? "};\n" : "{0}};\n");
}

/* start blocks, in the order of the explicit ones */
static void write_starts(SourceWriter *w)
{
    const Program *p = &w->ss->plan.full;
    const Shape *shape = w->ss->shape;
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            WRITE(w, "static const FmuOp start_ops[] = {");
        for (size_t q = 0; q < shape->order.n; q++) {
            uint32_t i = shape->order.items[q].component;
            const LiederKernels *k = kernels_of(p, &shape->components.items[i]);
            char call[CALL];
            if (!k->start.run || shape->order.items[q].unit != 0)
                continue;
            snprintf(call, sizeof call, "%s_start_one(rec, at, call)", k->tag);
            size_t before = w->calls.n, number = call_number(w, call);
            if (pass)
                WRITE(w, "%s{op_%zu, %u, ~0u}", n++ ? ", " : "", number, p->at_of.items[i]);
            else if (w->calls.n > before)
                WRITE(w, "FMU_OP op_%zu(real *rec, const uint32_t *at, Call call)\n{\n    %s;\n}\n",
                      number, call);
        }
    }
    WRITE(w, n ? "};\nenum { NSTART = %zu };\n" : "{0}};\nenum { NSTART = %zu };\n", n);
}

/* ------------------------------------------------------------------ a layout */

/* the smallest admissible pivots, and where they stand in the record */
static void write_limits(SourceWriter *w, const char *layout, const Program *p)
{
    const Shape *shape = w->ss->shape;
    size_t at = 0, n = 0;
    WRITE(w, "static const FmuNumber %s_limits[] = {", layout);
    for (size_t q = 0; q < shape->links.n; q++) {
        uint32_t i = shape->links.items[q];
        const LiederKernels *k = kernels_of(p, &shape->components.items[i]);
        for (int u = 0; u < k->nunknown; u++, n++) {
            WRITE(w, "%s{%u, ", n ? ", " : "",
                  at_of(p, i)[LIEDER_AT_SAVE] + (uint32_t)(k->save_limit + u));
            write_double(w, at < w->ss->limit.n ? w->ss->limit.items[at++] : 0.0);
            WRITE(w, "}");
        }
    }
    WRITE(w, n ? "};\n" : "{0, 0}};\n");
    WRITE(w, "enum { %s_NLIMIT = %zu };\n", layout, n);
}

/* tables of a shape stand in the order of components and slots */
static void write_table_places(SourceWriter *w, const char *layout, const Program *p)
{
    const Shape *shape = w->ss->shape;
    size_t n = 0;
    WRITE(w, "static const FmuTablePlace %s_tables[] = {", layout);
    for (uint32_t i = 0; i < shape->components.n; i++) {
        const LiederClass *class_ = shape->components.items[i].class_;
        for (int s = 0; s < class_->nslot; s++) {
            const LiederMember *m = class_->slots[s].member;
            if (!m || m->kind != LIEDER_PARAMETER || m->length != 0)
                continue;
            WRITE(w, "%s{%u, &table_%zu}", n ? ", " : "",
                  at_of(p, i)[LIEDER_AT_SELF] + (uint32_t)m->index, n);
            n++;
        }
    }
    WRITE(w, n ? "};\n" : "{0, NULL}};\n");
    WRITE(w, "enum { %s_NTABLE = %zu };\n", layout, n);
}

/* by slot, where a parameter stands in the record */
static void write_slot_places(SourceWriter *w, const char *name, const Program *p)
{
    PlaceList places = {0};
    w->ok = w->ok && vec_resize(w->alloc, &places, w->ss->values.slots.n + 1);
    if (w->ok)
        memset(places.items, 0xff, places.n * sizeof(uint32_t));
    for (size_t i = 0; w->ok && i < p->parameters.n; i++) {
        const ParameterPlace *pp = &p->parameters.items[i];
        const LiederMember *m =
            p->shape->components.items[pp->component].class_->slots[pp->slot].member;
        if (!m || m->kind != LIEDER_PARAMETER || m->length != 0)
            places.items[w->ss->values.slot_first.items[pp->component] + pp->slot] = pp->place;
    }
    write_places(w, name, places.items, w->ok ? places.n - 1 : 0);
    vec_drop(w->alloc, &places);
}

/* places of crossings, or of their choices */
static void write_crossings(SourceWriter *w, const char *name, const Program *p, bool choices)
{
    PlaceList places = {0};
    for (size_t k = 0; k < w->ss->held.crossings.n && w->ok; k++) {
        const CrossingRef *ref = &w->ss->held.crossings.items[k];
        w->ok = vec_push(w->alloc, &places,
                         at_of(p, ref->component)[LIEDER_AT_SELF] +
                             (uint32_t)(choices ? ref->member->other : ref->member->index));
    }
    write_places(w, name, places.items, places.n);
    vec_drop(w->alloc, &places);
}

/* everything that both layouts have */
static void write_layout(SourceWriter *w, const char *layout, const Program *p)
{
    char name[64];
    snprintf(name, sizeof name, "%s_at", layout);
    write_places(w, name, p->at.items, p->at.n);
    snprintf(name, sizeof name, "%s_slots", layout);
    write_slot_places(w, name, p);
    write_limits(w, layout, p);
    write_table_places(w, layout, p);
    snprintf(name, sizeof name, "%s_choices", layout);
    write_crossings(w, name, p, true);
    snprintf(name, sizeof name, "%s_constant", layout);
    write_list(w, name, p, &p->constant, NULL);
}

static void write_layout_row(SourceWriter *w, const char *layout, const Program *p)
{
    WRITE(w,
          "{.nreal = %u,\n             .at = %s_at,\n             .constant = {%s_constant, %zu},\n"
          "             .slot_place = %s_slots,\n             .limits = %s_limits,\n"
          "             .nlimit = %s_NLIMIT,\n             .tables = %s_tables,\n"
          "             .ntable = %s_NTABLE,\n             .choice_place = %s_choices}",
          p->nreal, layout, layout, p->constant.n, layout, layout, layout, layout, layout, layout);
}

/* ------------------------------------------------------------------ numbers of a shape */

static void write_tables(SourceWriter *w)
{
    const Shape *shape = w->ss->shape;
    char name[32];
    for (size_t i = 0; i < shape->tables.n; i++) {
        const LiederTable *t = shape->tables.items[i];
        snprintf(name, sizeof name, "table_%zu_data", i);
        write_doubles(w, name, t->data, t->rows * t->columns);
        WRITE(w, "static const LiederTable table_%zu = {%zu, %zu, %s};\n", i, t->rows, t->columns,
              name);
    }
}

/* values and ranges of all parameters, by lane where they differ, and the slots of start values */
static void write_slots(SourceWriter *w)
{
    const Shape *shape = w->ss->shape;
    const SystemShape *ss = w->ss;
    char name[32];
    for (size_t k = 0; k < ss->values.slots.n && w->ok && !w->t->any_lanes; k++)
        if (ss->values.slots.items[k].lanes) {
            snprintf(name, sizeof name, "lanes_%zu", k);
            write_doubles(w, name, ss->values.slots.items[k].lanes, shape->nlane);
        }
    WRITE(w, "static const FmuSlotInfo slots[] = {");
    for (uint32_t i = 0; i < shape->components.n; i++) {
        const LiederClass *class_ = shape->components.items[i].class_;
        for (int s = 0; s < class_->nslot && w->ok; s++) {
            size_t k = ss->values.slot_first.items[i] + (size_t)s;
            const LiederMember *m = class_->slots[s].member;
            bool number = m && m->kind == LIEDER_PARAMETER;
            WRITE(w, "\n    {");
            write_double(w, w->t->any_lanes ? 0 : ss->values.slots.items[k].value);
            WRITE(w, ", ");
            write_double(w, number ? m->min : -INFINITY);
            WRITE(w, ", ");
            write_double(w, number ? m->max : INFINITY);
            if (ss->values.slots.items[k].lanes && !w->t->any_lanes)
                WRITE(w, ", lanes_%zu", k);
            else
                WRITE(w, ", NULL");
            WRITE(w, ", %s},", m ? "false" : "true");
        }
    }
    WRITE(w, ss->values.slots.n ? "\n};\n" : "{0}};\n");
    PlaceList starts = {0};
    for (size_t s = 0; s < shape->states.n; s++) {
        const StateRef *ref = &shape->states.items[s];
        w->ok = w->ok && vec_push(w->alloc, &starts,
                                  ss->values.slot_first.items[ref->component] + ref->slot);
    }
    write_places(w, "start_slots", starts.items, starts.n);
    vec_drop(w->alloc, &starts);
}

/* event blocks of components; *of: by component, its number or NOWHERE */
static void write_event_ops(SourceWriter *w, PlaceList *of)
{
    const Program *p = &w->ss->plan.full;
    const Shape *shape = w->ss->shape;
    size_t n = 0;
    char call[CALL];
    w->ok = w->ok && vec_resize(w->alloc, of, shape->components.n + 1);
    for (int pass = 0; pass < 2 && w->ok; pass++) {
        if (pass)
            WRITE(w, "static const FmuEvent event_ops[] = {");
        n = 0;
        for (uint32_t i = 0; i < shape->components.n && w->ok; i++) {
            const LiederKernels *k = kernels_of(p, &shape->components.items[i]);
            of->items[i] = NOWHERE;
            if (!k->event.run)
                continue;
            snprintf(call, sizeof call, "%s_event_one(rec, at, call)", k->tag);
            size_t before = w->calls.n, number = call_number(w, call);
            of->items[i] = (uint32_t)n;
            bool alert = false;
            for (size_t a = 0; a < w->ss->held.alert.n; a++)
                alert |= w->ss->held.alert.items[a] == i;
            if (pass)
                WRITE(w, "%s{op_%zu, %u, %s}", n ? ", " : "", number, p->at_of.items[i],
                      alert ? "true" : "false");
            else if (w->calls.n > before)
                WRITE(w, "FMU_OP op_%zu(real *rec, const uint32_t *at, Call call)\n{\n    %s;\n}\n",
                      number, call);
            n++;
        }
    }
    WRITE(w, n ? "};\nenum { NEVENT = %zu };\n" : "{0}};\nenum { NEVENT = %zu };\n", n);
}

/* the message, with the component's path where there is one lane of it */
static void write_request_text(SourceWriter *w, const CrossingRef *ref)
{
    char path[512] = "", text[1024];
    const char *message =
        ref->member->text && *ref->member->text ? ref->member->text : "no message";
    if (w->ss->shape->nlane == 1)
        lane_path(w->t->rows->system, w->ss, ref->component, 0, path, sizeof path);
    snprintf(text, sizeof text, "%s%s%s", path, *path ? ": " : "", message);
    write_c_text(w, text);
}

/* tables of memory and of requests */
static void write_memories(SourceWriter *w, bool function)
{
    const SystemShape *ss = w->ss;
    size_t n = 0, requests = 0;
    WRITE(w, "static const FmuMemory memories[] = {");
    for (size_t k = 0; k < ss->held.memories.n && w->ok; k++) {
        const CrossingRef *ref = &ss->held.memories.items[k];
        const LiederMember *m = ref->member;
        const LiederClass *class_ = ss->shape->components.items[ref->component].class_;
        bool timer = m->kind == LIEDER_TIMER, past = m->kind == LIEDER_HISTORY,
             guess = m->kind == LIEDER_GUESS;
        uint32_t full = at_of(&ss->plan.full, ref->component)[LIEDER_AT_SELF],
                 lean = at_of(&ss->plan.lean, ref->component)[LIEDER_AT_SELF] + (uint32_t)m->index;
        if (m->kind == LIEDER_REQUEST)
            continue;
        WRITE(w, "%s{%u, %u, %u, %u, %d, %s, %s}", n++ ? ", " : "", full + (uint32_t)m->index,
              full + (uint32_t)(timer ? m->index : m->other), function && !timer ? lean : NOWHERE,
              timer || past || guess ? 0
                                     : ss->values.slot_first.items[ref->component] +
                                           (uint32_t)class_slot_of_member(class_, m),
              timer   ? FMU_TIMER
              : past  ? FMU_PAST
              : guess ? FMU_GUESS
                      : FMU_NUMBER,
              past && m->type != LIEDER_TYPE_REAL ? "true" : "false",
              past && m->varies ? "true" : "false");
    }
    WRITE(w, n ? "};\nenum { NMEMORY = %zu };\n" : "{0}};\nenum { NMEMORY = %zu };\n", n);
    WRITE(w, "enum { NGUESS = %zu };\n", ss->held.nguess);
    WRITE(w, "static const FmuRequest requests[] = {");
    for (size_t k = ss->held.nmemory; k < ss->held.memories.n && w->ok; k++) {
        const CrossingRef *ref = &ss->held.memories.items[k];
        if (ref->member->kind != LIEDER_REQUEST)
            continue;
        WRITE(w, "%s{%u, %d, ", requests++ ? ", " : "",
              at_of(&ss->plan.full, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->index,
              (int)ref->member->request);
        write_request_text(w, ref);
        WRITE(w, "}");
    }
    WRITE(w, requests ? "};\nenum { NREQUEST = %zu };\n" : "{0}};\nenum { NREQUEST = %zu };\n",
          requests);
}

static void write_kinds(SourceWriter *w)
{
    const SystemShape *ss = w->ss;
    WRITE(w, "static const uint8_t crossing_kinds[] = {");
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        WRITE(w, "%s%d", k ? ", " : "", (int)ss->held.crossings.items[k].member->crossing);
    WRITE(w, ss->held.crossings.n ? "};\n" : "0};\n");
    WRITE(w, "static const uint8_t first_choices[] = {");
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        WRITE(w, "%s%d", k ? ", " : "", ss->held.crossings.items[k].member->fallback > 0.5);
    WRITE(w, ss->held.crossings.n ? "};\n" : "0};\n");
}

static size_t count_modes(const SystemShape *ss)
{
    size_t n = 0;
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        n += ss->held.crossings.items[k].member->crossing != LIEDER_EDGE;
    return n;
}

/* tables of kinds, event ops and memory; by crossing and by state the event op */
static void write_events(SourceWriter *w, bool function)
{
    const SystemShape *ss = w->ss;
    PlaceList of = {0}, list = {0};
    write_kinds(w);
    write_event_ops(w, &of);
    write_memories(w, function);
    for (size_t k = 0; k < ss->held.crossings.n && w->ok; k++) {
        uint32_t component = ss->held.crossings.items[k].component, event = of.items[component];
        for (size_t a = 0; a < ss->held.alert.n; a++)
            if (ss->held.alert.items[a] == component)
                event = NOWHERE;
        w->ok = vec_push(w->alloc, &list, event);
    }
    write_places(w, "crossing_events", list.items, list.n);
    list.n = 0;
    for (size_t i = 0; i < ss->shape->states.n && w->ok; i++)
        w->ok = vec_push(w->alloc, &list, of.items[ss->shape->states.items[i].component]);
    write_places(w, "state_events", list.items, list.n);
    vec_drop(w->alloc, &of);
    vec_drop(w->alloc, &list);
}

/* components that jump or bend; a class of the library has the function CLASS_next_time */
static void write_timed(SourceWriter *w)
{
    const Shape *shape = w->ss->shape;
    size_t n = 0, table = 0;
    WRITE(w, "static const FmuTimed timed[] = {");
    for (uint32_t i = 0; i < shape->components.n; i++) {
        const LiederClass *class_ = shape->components.items[i].class_;
        size_t ntable = 0;
        for (int s = 0; s < class_->nslot; s++)
            ntable += class_->slots[s].member &&
                      class_->slots[s].member->kind == LIEDER_PARAMETER &&
                      class_->slots[s].member->length == 0;
        if (class_->def->next_time) {
            WRITE(w, "%s{%s_next_time, %u, %d, ", n++ ? ", " : "", class_any_kernels(class_)->tag,
                  w->ss->values.slot_first.items[i], class_->nslot);
            if (ntable)
                WRITE(w, "&table_%zu}", table);
            else
                WRITE(w, "NULL}");
        }
        table += ntable;
    }
    WRITE(w, n ? "};\nenum { NTIMED = %zu };\n" : "{0}};\nenum { NTIMED = %zu };\n", n);
}

static void write_known(SourceWriter *w)
{
    const KnownList *known = &w->ss->code.known.places;
    WRITE(w, "static const FmuNumber known[] = {");
    for (size_t i = 0; i < known->n && w->ok; i++)
        WRITE(w, "%s{%u, %.1f}", table_separator(i, 8), known->items[i].place,
              known->items[i].value);
    WRITE(w, known->n ? "};\n" : "{0}};\n");
}

/* ------------------------------------------------------------------ a shape */

/* the flows of roots, after all others */
static void write_last_gathers(SourceWriter *w, PlaceList *gathers)
{
    const Shape *shape = w->ss->shape;
    PlaceList last = {0};
    for (uint32_t i = 0; i < shape->components.n && w->ok; i++)
        if (shape->components.items[i].root)
            w->ok = vec_push(w->alloc, &last, (uint32_t)gathers->n) && list_gathers(w, i, gathers);
    w->ok = w->ok && vec_push(w->alloc, &last, NOWHERE);
    write_places(w, "last_gathers", last.items, last.n);
    write_places(w, "gathers", gathers->items, gathers->n);
    vec_drop(w->alloc, &last);
}

/* all tables of a shape, after the functions that they call */
static void write_lists(SourceWriter *w, bool function)
{
    const Program *p = &w->ss->plan.full, *lean = &w->ss->plan.lean;
    const OpList *all[] = {&p->constant, &p->explicit_, &p->reduce,
                           &p->solve,    &p->outward,   &p->inward};
    PlaceList gathers = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        write_functions(w, p, all[i]);
    if (function)
        write_functions(w, lean, &lean->constant);
    write_starts(w);
    write_events(w, function);
    write_layout(w, "full", p);
    if (function)
        write_layout(w, "lean", lean);
    write_list(w, "explicit_ops", p, &p->explicit_, NULL);
    write_list(w, "reduce_ops", p, &p->reduce, NULL);
    write_list(w, "solve_ops", p, &p->solve, NULL);
    write_list(w, "outward_ops", p, &p->outward, NULL);
    write_list(w, "inward_ops", p, &p->inward, &gathers);
    write_last_gathers(w, &gathers);
    write_crossings(w, "crossings", p, false);
    write_places(w, "states", p->state_place.items, p->state_place.n);
    write_places(w, "derivatives", p->derivative_place.items, p->derivative_place.n);
    if (p->complements.n) {
        WRITE(w, "static void complement(real *rec, Call call)\n{\n");
        w->ok = w->ok && complements_generate(w->t->rows->system, w->ss, p, w->to);
        WRITE(w, "}\n");
    }
    vec_drop(w->alloc, &gathers);
}

/* some variable has an element for each lane of it, whose number can be chosen */
static bool shape_scales(const SourceWriter *w)
{
    const FmiRows *rows = w->t->rows;
    for (size_t i = 0; i < rows->list.n && !w->t->any_lanes; i++) {
        const FmiRow *row = &rows->list.items[i];
        if (row->scales && row->kind != FMU_CONSTANT &&
            rows->pieces.items[row->first_piece].shape == w->number)
            return true;
    }
    return false;
}

/* the struct of a shape, which names its tables */
static void write_shape_row(SourceWriter *w, bool function)
{
    const Program *p = &w->ss->plan.full;
    WRITE(w,
          "\nextern const FmuShape fmu_shape_%zu;\nconst FmuShape fmu_shape_%zu = {\n"
          "    .nlane = %zu,\n    .nstate = %zu,\n    .nslot = %zu,\n    .ncrossing = %zu,\n"
          "    .nmode = %zu,\n    .nheld = %zu,\n    .linear_crossings = %s,\n    .scales = %s,\n"
          "    .crossing_kind = crossing_kinds,\n    .first_choice = first_choices,\n"
          "    .slots = slots,\n    .start_slot = start_slots,\n    .full = ",
          w->number, w->number, w->t->any_lanes ? 0 : w->ss->shape->nlane, w->ss->shape->states.n,
          w->ss->values.slots.n, w->ss->held.crossings.n, count_modes(w->ss), w->ss->held.nheld,
          w->ss->held.linear_crossings ? "true" : "false", shape_scales(w) ? "true" : "false");
    write_layout_row(w, "full", p);
    if (function) {
        WRITE(w, ",\n    .lean = ");
        write_layout_row(w, "lean", &w->ss->plan.lean);
        WRITE(w, ",\n    .function = lieder_shape,\n    .known = known,\n    .nknown = %zu",
              w->ss->code.known.places.n);
    }
    WRITE(w,
          ",\n    .explicit_ = {explicit_ops, %zu},\n    .reduce = {reduce_ops, %zu},\n"
          "    .solve = {solve_ops, %zu},\n    .outward = {outward_ops, %zu},\n"
          "    .inward = {inward_ops, %zu},\n    .start = {start_ops, NSTART},\n"
          "    .complement = %s,\n    .sparse = %s,\n    .general = %s,\n    .gathers = gathers,\n "
          "   .last_gathers = last_gathers,\n"
          "    .state_place = states,\n    .derivative_place = derivatives,\n"
          "    .crossing_place = crossings,\n    .timed = timed,\n    .ntimed = NTIMED,\n"
          "    .memories = memories,\n    .events = event_ops,\n    .requests = requests,\n"
          "    .nmemory = NMEMORY,\n    .nevent = NEVENT,\n    .nrequest = NREQUEST,\n"
          "    .nguess = NGUESS,\n"
          "    .crossing_event = crossing_events,\n    .state_event = state_events};\n",
          p->explicit_.n, p->reduce.n, p->solve.n, p->outward.n, p->inward.n,
          p->complements.n ? "complement" : "NULL", w->ss->plan.sparse ? "&sparse" : "NULL",
          w->ss->shape->general ? "true" : "false");
}

bool shape_source(const FmiTexts *t, size_t number, TextBuffer *to)
{
    LiederSystem *system = t->rows->system;
    SourceWriter w = {.t = t,
                      .ss = &system->shapes.items[number],
                      .number = number,
                      .alloc = t->alloc,
                      .to = to,
                      .ok = true};
    bool tree = w.ss->plan.method == LIEDER_METHOD_TREE;
    bool function = tree && shape_ops(w.ss) <= MAX_FUNCTION_OPS;
    WRITE(&w, tree ? "#include \"fmu.h\"\n" : "#include \"sparse.h\"\n");
    if (function) {
        WRITE(&w,
              "#undef LIEDER_LANES\n#define lieder_shape fmu_function_%zu\n"
              "#define lieder_shape_key fmu_key_%zu\n#define SHAPE_KEY \"\"\n",
              number, number);
        w.ok = w.ok && known_find(w.ss, w.alloc, &w.ss->code.known) &&
               shape_generate(system, w.ss, true, w.to);
    } else {
        w.ok = w.ok && head_generate(system, &w.ss->plan.full, w.to);
        if (w.ss->plan.full.complements.n)
            WRITE(&w, "#include \"compile/complement.inc\"\n");
    }
    WRITE(&w, "\n/* ---- the lists of ops of its full layout */\n\n");
    write_tables(&w);
    write_slots(&w);
    write_timed(&w);
    if (function)
        write_known(&w);
    write_lists(&w, function);
    if (!tree)
        sparse_source(&w);
    write_shape_row(&w, function);
    for (size_t i = 0; i < w.calls.n; i++)
        memory_free_text(w.alloc, w.calls.items[i]);
    vec_drop(w.alloc, &w.calls);
    return w.ok;
}

static bool has_events(const SystemShape *ss)
{
    for (size_t i = 0; i < ss->shape->components.n; i++)
        if (kernels_of(&ss->plan.lean, &ss->shape->components.items[i])->event.run)
            return true;
    return ss->held.nheld > 0 || ss->held.memories.n > 0;
}

bool system_has_pasts(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].held.nhistory)
            return true;
    return false;
}

bool system_has_instants(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = 0; k < ss->held.memories.n; k++)
            if (ss->held.memories.items[k].member->kind == LIEDER_TIMER)
                return true;
        for (size_t k = 0; k < ss->shape->components.n; k++)
            if (ss->shape->components.items[k].class_->def->next_time)
                return true;
    }
    return false;
}

bool system_has_net(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].plan.net)
            return true;
    return false;
}

bool system_has_sparse(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].plan.sparse)
            return true;
    return false;
}

bool system_has_events(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (has_events(&system->shapes.items[i]))
            return true;
    return false;
}

const char *shape_unfit(const SystemShape *ss)
{
    if (ss->plan.method == LIEDER_METHOD_NET || ss->plan.net)
        return "it is a net, which the engine solves by iteration or a sparse factorisation";
    if (ss->plan.method == LIEDER_METHOD_SPARSE && ss->plan.sparse->n > MAX_SPARSE)
        return "its linear group is a sparse system of more than 20000 unknowns, the most that "
               "an FMU carries";
    return shape_without_text(ss);
}

/* ------------------------------------------------------------------ the model */

/* the variables of the FMU: kind, type, pieces */
static void write_model_rows(SourceWriter *w)
{
    const FmiRows *rows = w->t->rows;
    WRITE(w, "const FmuRow fmu_rows[] = {\n    {FMU_TIME, FMU_REAL, false, false, false, 0, 0, 1}");
    for (size_t i = 0; i < rows->list.n && w->ok; i++) {
        const FmiRow *row = &rows->list.items[i];
        bool settable = row->causality == ROW_INPUT || row->causality == ROW_PARAMETER ||
                        (row->kind == FMU_STATE && !row->solved_start);
        WRITE(w, ",\n    {%d, %d, %s, %s, %s, %u, %u, %zu}", row->kind,
              row->causality == ROW_SIZE ? FMU_COUNT : (int)row->info.type,
              row->causality == ROW_INPUT ? "true" : "false", settable ? "true" : "false",
              row->scales ? "true" : "false", row->first_piece, row->npiece, row->n);
    }
    WRITE(w, "};\nconst size_t fmu_nrow = %zu, fmu_lanes = %zu, fmu_most_lanes = %zu;\n",
          rows->list.n + 1, rows->lanes, rows->most_lanes);
    WRITE(w, "const FmuPiece fmu_pieces[] = {");
    for (size_t i = 0; i < rows->pieces.n && w->ok; i++) {
        const RowPiece *p = &rows->pieces.items[i];
        WRITE(w, "%s{%u, %u, %u, %u, %u}", table_separator(i, 4),
              p->shape == NOWHERE ? 0 : p->shape, p->place, p->lane, p->length, p->n);
    }
    WRITE(w, rows->pieces.n ? "};\n" : "{0}};\n");
    if (w->t->e->version == 3)
        return;
    WRITE(w, "const uint32_t fmu_row_first[] = {0");
    for (size_t i = 0; i < rows->list.n && w->ok; i++)
        WRITE(w, ", %zu", rows->list.items[i].first);
    WRITE(w, ", %zu};\n", rows->n);
}

static void write_row_list(SourceWriter *w, const char *name, const uint32_t *items, size_t n)
{
    WRITE(w, "const uint32_t fmu_%s_rows[] = {", name);
    for (size_t i = 0; i < n && w->ok; i++)
        WRITE(w, "%s%u", i ? ", " : "", items[i] + 1);
    WRITE(w, n ? "};\n" : "0};\n");
    WRITE(w, "const size_t fmu_n%s_row = %zu;\n", name, n);
}

bool model_source(const FmiTexts *t, TextBuffer *to)
{
    SourceWriter w = {.t = t, .alloc = t->alloc, .to = to, .ok = true};
    const LiederSystem *system = t->rows->system;
    WRITE(&w, "/* Written by Lieder " LIEDER_VERSION ": variables and shapes of %s. */\n",
          t->identifier);
    WRITE(&w, "const char fmu_token[] = \"%s\", fmu_model[] = \"%s\";\n", t->token, t->identifier);
    for (size_t i = 0; i < system->shapes.n; i++)
        WRITE(&w, "extern const FmuShape fmu_shape_%zu;\n", i);
    WRITE(&w, "const FmuShape *const fmu_shapes[] = {");
    for (size_t i = 0; i < system->shapes.n; i++)
        WRITE(&w, "&fmu_shape_%zu, ", i);
    WRITE(&w, "NULL};\nconst size_t fmu_nshape = %zu;\n", system->shapes.n);
    write_model_rows(&w);
    write_row_list(&w, "state", t->rows->states.items, t->rows->states.n);
    write_row_list(&w, "crossing", t->rows->crossings.items, t->rows->crossings.n);
    WRITE(&w, "const double fmu_constants[] = {");
    for (size_t i = 0; i < t->rows->constants.n && w.ok; i++) {
        WRITE(&w, i ? ", " : "");
        write_double(&w, t->rows->constants.items[i]);
    }
    WRITE(&w, t->rows->constants.n ? "};\n" : "0};\n");
    if (system->scales.nominal) {
        write_doubles(&w, "nominals", system->scales.nominal, system->nstate);
        WRITE(&w, "const double *const fmu_nominals = nominals;\n");
    } else {
        WRITE(&w, "const double *const fmu_nominals = NULL;\n");
    }
    WRITE(&w, "const FmuEvents *const fmu_events = %s;\n",
          system_has_events(system) ? "&fmu_event_functions" : "NULL");
    WRITE(&w, "const FmuSparseFunctions *const fmu_sparse = %s;\n",
          system_has_sparse(system) ? "&fmu_sparse_functions" : "NULL");
    WRITE(&w, "FmuLate *const fmu_late = %s;\n",
          system_has_instants(system) ? "late_check" : "NULL");
    WRITE(&w, "const int fmu_solver = %d;\nconst double fmu_step = %a; /* %g s */\n",
          (int)t->e->solver - (int)LIEDER_RK1 + 1, t->e->step, t->e->step);
    return w.ok;
}
