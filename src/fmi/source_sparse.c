/* source_sparse.c - the plan of a shape's sparse system (src/model/linear/sparse.c, lu.c) as tables
 * of an FMU: runtime/sparse.h. The pattern and its order are found here, so that an FMU needs no
 * KLU. */
#include <stdio.h>

#include "fmi/writer.h"
#include "model/linear/sparse.h"

/* the function of a call, or NULL if the class has no such block; written if it is new */
static void write_block(SourceWriter *w, bool exists, const char *call, bool name)
{
    if (!exists) {
        if (name)
            WRITE(w, "NULL");
        return;
    }
    size_t before = w->calls.n, number = call_number(w, call);
    if (name)
        WRITE(w, "op_%zu", number);
    else if (w->calls.n > before)
        WRITE(w, "FMU_OP op_%zu(real *rec, const uint32_t *at, Call call)\n{\n    %s;\n}\n", number,
              call);
}

/* outward or inward block of a component */
static void write_linear_block(SourceWriter *w, uint32_t component, OpKind kind, bool name)
{
    const Program *p = &w->ss->plan.full;
    const Component *c = &p->shape->components.items[component];
    const LiederKernels *k = kernels_of(p, c);
    const LiederCode *code = kind == OP_OUTWARD ? k->outward : k->inward;
    Op op = {.component = component,
             .kind = (uint8_t)kind,
             .variant = (uint8_t)(c->reversed ? LIEDER_REVERSED : 0)};
    char call[CALL];
    write_block(w, code[c->reversed].run, op_call(p, &op, call, sizeof call), name);
}

/* functions of the components that iterate, or the list of them */
static void write_iterates(SourceWriter *w, bool names)
{
    const Program *p = &w->ss->plan.full;
    char call[CALL];
    size_t n = 0;
    if (names)
        WRITE(w, "static const FmuIterate iterates[] = {");
    for (uint32_t i = 0; i < p->shape->components.n && w->ok; i++) {
        const Component *c = &p->shape->components.items[i];
        const LiederKernels *k = kernels_of(p, c);
        if (!k->iterate.run)
            continue;
        snprintf(call, sizeof call, "%s_iterate_one(rec, at, call)", k->tag);
        if (names)
            WRITE(w, n++ ? ", {" : "{");
        write_block(w, true, call, names);
        if (names)
            WRITE(w, ", %u, %s}", p->at_of.items[i],
                  class_has_member(c->class_->def, LIEDER_CROSSING) ? "true" : "false");
    }
    if (names)
        WRITE(w, n ? "};\nenum { NITERATE = %zu };\n" : "{0}};\nenum { NITERATE = %zu };\n", n);
}

static void write_ints(SourceWriter *w, const char *name, const int *items, size_t n)
{
    WRITE(w, "static const int sparse_%s[] = {", name);
    for (size_t i = 0; i < n && w->ok; i++)
        WRITE(w, "%s%d", table_separator(i, 16), items[i]);
    WRITE(w, n ? "};\n" : "0};\n");
}

/* flows at outgoing ports of a component, or known potentials at the others */
static bool list_ports(const SourceWriter *w, const Component *c, const uint32_t *at, bool flows,
                       PlaceList *to)
{
    bool ok = true;
    for (int port = 0; port < c->class_->def->nport; port++) {
        const ShapeNode *node = &w->ss->shape->nodes.items[c->node[port]];
        const LiederDomain *d = node->domain;
        if (port_incoming(c, port) == flows || (!flows && !node->grounded))
            continue;
        uint32_t place = at[LIEDER_AT_PORT + LIEDER_PER_PORT * port +
                            (flows ? LIEDER_FLOWS : LIEDER_POTENTIALS)];
        for (int k = 0; k < (flows ? d->nflow * d->nregime : d->npotential) && ok; k++)
            ok = vec_push(w->alloc, to, place + (uint32_t)k);
    }
    return ok;
}

/* the linear maps of components as tables: their blocks, and the places of inputs and outputs */
static void write_maps(SourceWriter *w, const Sparse *s)
{
    PlaceList places = {0};
    WRITE(w, "static const FmuMap maps[] = {");
    for (size_t m = 0; m < s->maps.n && w->ok; m++) {
        const SparseMap *map = &s->maps.items[m];
        const Component *c = &w->ss->shape->components.items[map->component];
        const uint32_t *at = at_of(&w->ss->plan.full, map->component);
        size_t flow = places.n;
        w->ok = list_ports(w, c, at, true, &places);
        size_t known = places.n;
        w->ok = w->ok && list_ports(w, c, at, false, &places);
        WRITE(w, m ? ",\n    {" : "{");
        write_linear_block(w, map->component, OP_OUTWARD, true);
        WRITE(w, ", ");
        write_linear_block(w, map->component, OP_INWARD, true);
        WRITE(w, ", %u, %u, %u, %u, %u, %zu, %zu, %zu, %zu}",
              w->ss->plan.full.at_of.items[map->component], map->first_input, map->ninput,
              map->first_output, map->noutput, flow, known - flow, known, places.n - known);
    }
    WRITE(w, s->maps.n ? "};\n" : "{0}};\n");
    write_places(w, "map_places", places.items, places.n);
    vec_drop(w->alloc, &places);
    WRITE(w, "static const FmuQuantity quantities[] = {");
    for (size_t q = 0; q < s->quantities.n && w->ok; q++) {
        const SparseQuantity *it = &s->quantities.items[q];
        WRITE(w, "%s{%u, %d, %d, %d, %d}", table_separator(q, 4), it->variable.place, it->number,
              (int)it->sign, it->variable.regimes, it->variable.stride);
    }
    WRITE(w, s->quantities.n ? "};\n" : "{0}};\n");
}

void sparse_source(SourceWriter *w)
{
    const Sparse *s = w->ss->plan.sparse;
    const LuPlan *p = &s->plan;
    size_t n = (size_t)s->n;
    for (size_t m = 0; m < s->maps.n; m++)
        for (int kind = 0; kind < 2; kind++)
            write_linear_block(w, s->maps.items[m].component, kind ? OP_INWARD : OP_OUTWARD, false);
    write_iterates(w, false);
    write_iterates(w, true);
    write_maps(w, s);
    write_places(w, "map_entries", s->entry.items, s->entry.n);
    write_places(w, "sparse_diagonal", s->diagonal.items, s->diagonal.n);
    write_ints(w, "columns", s->columns.items, n + 1);
    write_ints(w, "rows", s->rows.items, s->rows.n);
    write_ints(w, "row_order", p->row_order, n);
    write_ints(w, "row_position", p->row_position, n);
    write_ints(w, "column_order", p->column_order, n);
    write_ints(w, "block", p->block, n ? (size_t)p->nblock + 1 : 0);
    write_ints(w, "above_first", p->above_first, n ? n + 1 : 0);
    write_ints(w, "above", p->above, n ? (size_t)p->above_first[n] : 0);
    WRITE(w,
          "static const FmuSparse sparse = {\n    .plan = {.n = %zu, .nblock = %d, .columns = "
          "sparse_columns, .rows = sparse_rows,\n             .row_order = sparse_row_order, "
          ".row_position = sparse_row_position,\n             .column_order = sparse_column_order, "
          ".block = sparse_block, .most = %zu,\n             .above_first = sparse_above_first, "
          ".above = sparse_above},\n    .quantities = quantities, .maps = maps, .nmap = %zu, "
          ".entries = map_entries,\n    .places = map_places, .diagonal = sparse_diagonal, "
          ".ndiagonal = %zu, .nknown = %zu,\n    .iterates = iterates, .niterate = NITERATE};\n",
          n, p->nblock, p->most, s->maps.n, s->diagonal.n, s->nkept);
}
