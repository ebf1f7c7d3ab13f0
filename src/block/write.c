/* write.c - a class made of instructions as C text, as if it had been written by hand: a struct, a
 * type for each port, its blocks, and an include of kernels.inc. Generated code takes it like a
 * file of the library. Every value is one statement, so that the C compiler does the operations of
 * the tape; it never contracts or reassociates, hence the same bits. */
#include <math.h>
#include <stdlib.h>
#include "block/class.h"

typedef struct ClassWriter {
    const BlockClass *c;
    const LiederAllocator *alloc;
    TextBuffer *to;
    bool ok;
    BlockKind kind; /* of the block at hand */
} ClassWriter;

/* from this instant on there is none: EVENT_NEVER of equation/event/event.h */
#define NEVER 1e300

#define WRITE(w, ...) ((w)->ok = (w)->ok && text_add((w)->alloc, (w)->to, __VA_ARGS__))

/* ------------------------------------------------------------------ values */

static const char *const energies[LIEDER_ENERGIES] = {"kinetic", "potential", "dissipated",
                                                      "filter", "supplied"};

/* a place of the class, or what a symbol of a tape stands for */
static void write_place(ClassWriter *w, BlockPlace place)
{
    const LiederDomain *d = place.kind <= PLACE_FLOW && place.kind != PLACE_MEMBER
                                ? w->c->info.def.ports[place.port].domain
                                : NULL;
    switch (place.kind) {
    case PLACE_MEMBER: /* parameters stand first in the struct */
        WRITE(w, w->kind >= BLOCK_CHECK ? "real_splat(parameters[%d])" : "c->v[%d]", place.index);
        break;
    case PLACE_SIGNAL:
        WRITE(w, "port%d->v[%d]", place.port, place.index);
        break;
    case PLACE_POTENTIAL:
        WRITE(w, "port%d->v[%d]", place.port, d->nsignal + place.index);
        break;
    case PLACE_FLOW:
        WRITE(w, "port%d->v[%d]", place.port, d->nsignal + d->npotential + place.index);
        break;
    case PLACE_TIME:
        WRITE(w, "call.time");
        break;
    case PLACE_EVENT_TIME:
        WRITE(w, w->kind == BLOCK_NEXT_TIME ? "real_splat(t)" : "call.event_time");
        break;
    case PLACE_HOLD:
        /* energies are those of the choices that the explicit block has made */
        WRITE(w, w->kind == BLOCK_ENERGY ? "REAL(1.0)" : "REAL((double)call.hold)");
        break;
    case PLACE_INITIAL:
        WRITE(w, "REAL((double)call.initial)");
        break;
    case PLACE_TERMINAL:
        WRITE(w, "REAL((double)call.terminal)");
        break;
    case PLACE_DIRECTION:
        WRITE(w, "REAL(call.dir)");
        break;
    case PLACE_RESULT:
        WRITE(w, "result");
        if (w->kind == BLOCK_ENERGY)
            WRITE(w, ".%s", energies[place.index]);
        break;
    }
}

static void write_symbol(ClassWriter *w, uint64_t symbol)
{
    const BlockPlace *place = block_place_of(w->c, symbol);
    if (place)
        write_place(w, *place);
    else if (is_bound_symbol(symbol)) /* a system, see write_residuals */
        WRITE(w, "w[%u]", (uint32_t)symbol);
    else /* the only symbol that has none, see trace.c */
        WRITE(w, "REAL(call.bias_scale)");
}

static void write_call(ClassWriter *w, const NodeData *n)
{
    const FunctionInfo *f = &function_table[n->function];
    if (f->arity == 1)
        WRITE(w, "%s(t%u)", f->lanes, n->a);
    else
        WRITE(w, "%s(t%u, t%u)", f->lanes, n->a, n->b);
}

/* an operation as C, with its operands put into the text of the table */
static void write_operation(ClassWriter *w, const NodeData *n)
{
#define TEXT(id, n, lanes, text) [NODE_##id] = text,
    static const char *const texts[] = {BASIC_OPERATIONS(TEXT)};
#undef TEXT
    const Node operands[] = {n->a, n->b, n->c};
    int next = 0;
    for (const char *s = texts[n->kind]; *s; s++)
        if (s[0] == '%' && s[1] == 's') {
            WRITE(w, "t%u", operands[next++]);
            s++;
        } else {
            WRITE(w, "%c", *s);
        }
}

/* ------------------------------------------------------------------ systems */

/* a call is left out where no lane needs it, see guard.c */
static void write_guards(ClassWriter *w, const CallGuards *guards, Node system)
{
    const char *before = "        if (mask_any(";
    for (size_t k = 0; k < guards->n; k++) {
        const CallGuard *guard = &guards->items[k];
        if (guard->system != system)
            continue;
        WRITE(w, "%s(t%u %s 0.0)", before, guard->condition, guard->wanted ? "!=" : "==");
        before = " & ";
    }
    WRITE(w, "))\n    ");
}

/* its workspace, operands, and the call that solves it */
static void write_system(ClassWriter *w, const Graph *g, Node i, const CallGuards *guards)
{
    const NodeData *d = node_data(g, i);
    uint32_t number = system_number(g, i);
    const GraphSystem *system = &g->systems.items[number];
    LiederPattern s = tape_pattern(system);
    static const char *const steps[] = {[SYSTEM_WHOLE] = "solve_linear",
                                        [SYSTEM_FACTORS] = "factor_linear",
                                        [SYSTEM_FACTORED] = "solve_factored"};
    NodeList operands = {0};
    w->ok = w->ok && list_items(g, d->a, &operands) && list_items(g, d->c, &operands);
    bool guarded = false;
    for (size_t k = 0; k < guards->n && !guarded; k++)
        guarded = guards->items[k].system == i;
    WRITE(w, "        real s%u[%zu]%s;\n", i,
          system->call ? system->ninput + system->call->output.n : lieder_system_size(&s),
          guarded ? " = {0}" : "");
    for (size_t k = 0; k < operands.n && w->ok; k++)
        WRITE(w, "        s%u[%u] = t%u;\n", i, tape_operand_place(system, k), operands.items[k]);
    if (guarded)
        write_guards(w, guards, i);
    if (system->call)
        WRITE(w, "        %s_call%u(s%u);\n", w->c->info.tag, number, i);
    else if (system->linear)
        WRITE(w, "        lieder_%s(&%s_solver%u, s%u, 1);\n", steps[system->step], w->c->info.tag,
              number, i);
    else
        WRITE(w, "        lieder_solve_nonlinear(&%s_solver%u, s%u, 1, %s_residuals%u, NULL);\n",
              w->c->info.tag, number, i, w->c->info.tag, number);
    vec_drop(w->alloc, &operands);
}

static void write_part(ClassWriter *w, const Graph *g, Node i)
{
    const NodeData *n = node_data(g, i);
    const GraphSystem *s = &g->systems.items[system_number(g, n->a)];
    WRITE(w, "        const real t%u = s%u[%u];\n", i, n->a,
          tape_part_place(s, (uint32_t)node_data(g, n->b)->value));
}

/* a node as a constant of the C function */
static void write_node(ClassWriter *w, const Graph *g, Node i, const CallGuards *guards)
{
    const NodeData *n = node_data(g, i);
    if (n->kind == NODE_LIST)
        return;
    if (n->kind == NODE_SYSTEM) {
        write_system(w, g, i, guards);
        return;
    }
    if (n->kind == NODE_PART) {
        write_part(w, g, i);
        return;
    }
    WRITE(w, "        const real t%u = ", i);
    if (n->kind == NODE_CONSTANT && isfinite(n->value))
        WRITE(w, "REAL(%a)", n->value);
    else if (n->kind == NODE_CONSTANT) /* by its bits: compilers may take it for granted that */
        WRITE(w, "real_from_bits((mask){0} + 0x%llx)", /* numbers are finite */
              (unsigned long long)n->symbol);
    else if (n->kind == NODE_SYMBOL)
        write_symbol(w, n->symbol);
    else if (n->kind == NODE_CALL)
        write_call(w, n);
    else
        write_operation(w, n);
    WRITE(w, ";\n");
}

/* a sine or cosine among the nodes in order */
typedef struct SinePlace {
    Node argument;
    uint32_t at;
} SinePlace;
typedef VEC(SinePlace) SinePlaces;

static int compare_sines(const void *x, const void *y)
{
    const SinePlace *a = x, *b = y;
    if (a->argument != b->argument)
        return a->argument < b->argument ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static bool is_sine(const NodeData *n)
{
    return n->kind == NODE_CALL && (n->function == FUNCTION_SIN || n->function == FUNCTION_COS);
}

/* Finds sines and cosines of one argument: by place in `order`, the place of the other one, which
 * comes later, or 0. Sorted by argument: a search for each would be quadratic in long blocks. */
static bool pair_sines(ClassWriter *w, const Graph *g, const NodeList *order, NodeList *partner)
{
    SinePlaces sines = {0};
    bool ok = vec_resize(w->alloc, partner, order->n);
    for (uint32_t k = 0; k < order->n && ok; k++) {
        const NodeData *n = node_data(g, order->items[k]);
        if (is_sine(n))
            ok = vec_push(w->alloc, &sines, ((SinePlace){n->a, k}));
    }
    if (ok && sines.n)
        qsort(sines.items, sines.n, sizeof sines.items[0], compare_sines);
    for (size_t i = 0; i + 1 < sines.n && ok; i++)
        if (sines.items[i].argument == sines.items[i + 1].argument) {
            partner->items[sines.items[i].at] = sines.items[i + 1].at;
            i++;
        }
    vec_drop(w->alloc, &sines);
    return ok;
}

/* sine and cosine of one argument together */
static void write_sines(ClassWriter *w, const Graph *g, NodeList *order, size_t k, size_t j)
{
    const NodeData *n = node_data(g, order->items[k]);
    Node sine = n->function == FUNCTION_SIN ? order->items[k] : order->items[j];
    Node cosine = n->function == FUNCTION_SIN ? order->items[j] : order->items[k];
    WRITE(w, "        real t%u, t%u;\n        real_sincos(t%u, &t%u, &t%u);\n", sine, cosine, n->a,
          sine, cosine);
    order->items[j] = NO_NODE;
}

/* ------------------------------------------------------------------ blocks */

/* statements for everything below some nodes */
static void write_values(ClassWriter *w, const NodeList *roots)
{
    Graph *g = w->c->info.graph;
    NodeList order = {0}, partner = {0};
    CallGuards guards = {0};
    w->ok = w->ok && graph_reach(g, roots->items, roots->n, NULL, &order) &&
            graph_guards(g, &order, roots->items, roots->n, &guards) &&
            pair_sines(w, g, &order, &partner);
    for (size_t k = 0; k < order.n && w->ok; k++)
        if (order.items[k] && partner.items[k])
            write_sines(w, g, &order, k, partner.items[k]);
        else if (order.items[k])
            write_node(w, g, order.items[k], &guards);
    vec_drop(w->alloc, &guards);
    vec_drop(w->alloc, &partner);
    vec_drop(w->alloc, &order);
}

/* the statements of a block for one direction; all is read before anything is assigned */
static void write_statements(ClassWriter *w, BlockKind kind, int reversed)
{
    const BlockAssignments *block = &w->c->blocks[kind][reversed];
    NodeList roots = {0};
    for (size_t i = 0; i < block->n; i++)
        w->ok = w->ok && vec_push(w->alloc, &roots, block->items[i].node);
    write_values(w, &roots);
    for (size_t i = 0; i < block->n && w->ok; i++) {
        WRITE(w, "        ");
        write_place(w, block->items[i].place);
        WRITE(w, " = t%u;\n", block->items[i].node);
    }
    vec_drop(w->alloc, &roots);
}

static const char *const names[BLOCK_KINDS] = {
    [BLOCK_CONSTANT] = "constant", [BLOCK_INCOMING] = "incoming",
    [BLOCK_EXPLICIT] = "explicit", [BLOCK_EXPLICIT_SECOND] = "second",
    [BLOCK_OUTWARD] = "outward",   [BLOCK_INWARD] = "inward",
    [BLOCK_START] = "start",       [BLOCK_EVENT] = "event",
    [BLOCK_ITERATE] = "iterate",   [BLOCK_ENERGY] = "energy"};
static const char *const macros[BLOCK_KINDS] = {
    [BLOCK_CONSTANT] = "CONSTANT", [BLOCK_INCOMING] = "INCOMING",
    [BLOCK_EXPLICIT] = "EXPLICIT", [BLOCK_EXPLICIT_SECOND] = "MORE_EXPLICIT(X)",
    [BLOCK_OUTWARD] = "OUTWARD",   [BLOCK_INWARD] = "INWARD",
    [BLOCK_START] = "START",       [BLOCK_EVENT] = "EVENT",
    [BLOCK_ITERATE] = "ITERATE",   [BLOCK_ENERGY] = "ENERGY"};

/* a block as an inline function on struct and ports */
static void write_block(ClassWriter *w, BlockKind kind)
{
    const char *tag = w->c->info.tag;
    bool iterate = kind == BLOCK_ITERATE, energy = kind == BLOCK_ENERGY;
    bool turns = w->c->info.reversible && kind != BLOCK_CONSTANT && !energy;
    w->kind = kind;
    WRITE(w, "LIEDER_INLINE %s %s_%s(%s *c",
          iterate  ? "real"
          : energy ? "Energy"
                   : "void",
          tag, names[kind], tag);
    for (int i = 0; i < w->c->info.def.nport && kind != BLOCK_CONSTANT; i++)
        WRITE(w, ", %s_port%d *port%d", tag, i, i);
    WRITE(w, kind == BLOCK_CONSTANT ? ")\n{\n" : ", Call call)\n{\n");
    if (iterate)
        WRITE(w, "    real result = REAL(0.0);\n");
    if (energy)
        WRITE(w, "    Energy result = {0};\n");
    WRITE(w, turns ? "    if (call.dir > 0) {\n" : "    {\n");
    write_statements(w, kind, 0);
    if (turns) {
        WRITE(w, "    } else {\n");
        write_statements(w, kind, 1);
    }
    WRITE(w, iterate || energy ? "    }\n    return result;\n}\n\n" : "    }\n}\n\n");
}

/* the conditions on parameters, on numbers: one lane is read */
static void write_check(ClassWriter *w)
{
    const BlockAssignments *block = &w->c->blocks[BLOCK_CHECK][0];
    w->kind = BLOCK_CHECK;
    WRITE(w, "static const char *%s_check(const double *parameters)\n{\n", w->c->info.tag);
    for (size_t i = 0; i < block->n && w->ok; i++) {
        NodeList root = {0};
        w->ok = vec_push(w->alloc, &root, block->items[i].node);
        WRITE(w, "    {\n");
        write_values(w, &root);
        WRITE(w, "        if (!mask_any(t%u != 0.0))\n            return \"%s\";\n    }\n",
              root.items[0], w->c->info.assertions[block->items[i].place.index]);
        vec_drop(w->alloc, &root);
    }
    WRITE(w, "    return NULL;\n}\n\n");
}

/* the values of a function of parameters; the node of its only assignment */
static Node write_function(ClassWriter *w, BlockKind kind)
{
    const BlockAssignments *block = &w->c->blocks[kind][0];
    NodeList root = {0};
    w->kind = kind;
    w->ok = w->ok && vec_push(w->alloc, &root, block->items[0].node);
    write_values(w, &root);
    vec_drop(w->alloc, &root);
    return block->items[0].node;
}

static void write_couples(ClassWriter *w)
{
    WRITE(w, "static bool %s_couples(const double *parameters)\n{\n    (void)parameters;\n    {\n",
          w->c->info.tag);
    Node node = write_function(w, BLOCK_COUPLES);
    WRITE(w, "        return mask_any(t%u != 0.0);\n    }\n}\n\n", node);
}

/* exported models (src/fmi) call it by this name */
static void write_next_time(ClassWriter *w)
{
    WRITE(w,
          "static __attribute__((unused)) double %s_next_time(const double *parameters,\n"
          "    const LiederTable *table, double t)\n{\n    (void)parameters;\n    (void)table;\n   "
          " {\n",
          w->c->info.tag);
    Node node = write_function(w, BLOCK_NEXT_TIME);
    WRITE(w,
          "        double next = LIEDER_LANE(t%u, 0);\n"
          "        return next < %a ? next : INFINITY;\n    }\n}\n\n",
          node, NEVER);
}

/* ------------------------------------------------------------------ systems of the class */

/* the systems and the results of calls that the blocks of a class use */
typedef struct UsedSystems {
    VEC(uint8_t) system;
    VEC(uint32_t) first; /* by system: of its results in the following list */
    VEC(uint8_t) result;
} UsedSystems;

static bool used_begin(const Graph *g, UsedSystems *used)
{
    uint32_t n = 0;
    bool ok = vec_resize(g->alloc, &used->system, g->systems.n + 1);
    for (size_t i = 0; ok && i < g->systems.n; i++) {
        ok = vec_push(g->alloc, &used->first, n);
        n += g->systems.items[i].call ? (uint32_t)g->systems.items[i].call->plain.n : 0;
    }
    return ok && vec_resize(g->alloc, &used->result, n + 1);
}

/* marks the systems that nodes solve, and those that their residuals and functions solve */
static bool mark_systems(Graph *g, const Node *nodes, size_t n, UsedSystems *used)
{
    NodeList order = {0};
    bool ok = graph_reach(g, nodes, n, NULL, &order);
    for (size_t k = 0; ok && k < order.n; k++) {
        const NodeData *d = node_data(g, order.items[k]);
        const GraphCall *call = d->kind == NODE_PART ? node_called(g, order.items[k]) : NULL;
        if (call) {
            uint32_t which = (uint32_t)node_data(g, d->b)->value;
            uint8_t *is_used =
                &used->result.items[used->first.items[system_number(g, d->a)] + which];
            if (!*is_used) {
                *is_used = 1;
                ok = mark_systems(g, &call->plain.items[which], 1, used);
            }
        }
        if (d->kind != NODE_SYSTEM)
            continue;
        uint32_t number = system_number(g, order.items[k]);
        const GraphSystem *s = &g->systems.items[number];
        if (used->system.items[number])
            continue;
        used->system.items[number] = 1;
        ok = mark_systems(g, s->residual.items, s->residual.n, used) &&
             mark_systems(g, s->entry.items, s->entry.n, used) &&
             mark_systems(g, s->size.items, s->size.n, used);
    }
    vec_drop(g->alloc, &order);
    return ok;
}

static void write_pattern(ClassWriter *w, const char *what, uint32_t number, const uint32_t *items,
                          size_t n)
{
    WRITE(w, "static const unsigned %s_%s%u[] = {", w->c->info.tag, what, number);
    for (size_t k = 0; k < n && w->ok; k++)
        WRITE(w, "%s%u", k ? ", " : "", items[k]);
    WRITE(w, "%s};\n", n ? "" : "0");
}

/* nominal values of the unknowns of a system, or nothing */
static void write_nominal(ClassWriter *w, uint32_t number, const GraphSystem *s)
{
    if (!s->nominal.n)
        return;
    WRITE(w, "static const double %s_nominal%u[] = {", w->c->info.tag, number);
    for (size_t k = 0; k < s->nominal.n && w->ok; k++)
        WRITE(w, "%s%a", k ? ", " : "", s->nominal.items[k]);
    WRITE(w, "};\n");
}

/* r and e of a nonlinear system from z and p */
static void write_residuals(ClassWriter *w, uint32_t number)
{
    const GraphSystem *s = &w->c->info.graph->systems.items[number];
    NodeList roots = {0};
    LiederPattern solver = tape_pattern(s);
    WRITE(w,
          "static void %s_residuals%u(const void *code, real *w, int nvec)\n{\n"
          "    (void)code;\n    (void)nvec;\n    {\n",
          w->c->info.tag, number);
    for (size_t k = 0; k < system_outputs(s); k++)
        w->ok = w->ok && vec_push(w->alloc, &roots, system_output(s, k));
    write_values(w, &roots);
    for (size_t k = 0; k < roots.n && w->ok; k++)
        WRITE(w, "        w[%zu] = t%u;\n", LIEDER_SYSTEM_R(&solver) + k, roots.items[k]);
    WRITE(w, "    }\n}\n");
    vec_drop(w->alloc, &roots);
}

/* a function that computes those of its results that are read; they stand behind the arguments */
static void write_called(ClassWriter *w, uint32_t number, const UsedSystems *used)
{
    const GraphCall *c = w->c->info.graph->systems.items[number].call;
    const uint8_t *is_used = used->result.items + used->first.items[number];
    NodeList roots = {0};
    WRITE(w, "static void %s_call%u(real *w)\n{\n    {\n", w->c->info.tag, number);
    for (size_t k = 0; k < c->plain.n; k++)
        w->ok = w->ok && (!is_used[k] || vec_push(w->alloc, &roots, c->plain.items[k]));
    write_values(w, &roots);
    for (size_t k = 0; k < c->plain.n && w->ok; k++)
        if (is_used[k])
            WRITE(w, "        w[%zu] = t%u;\n", c->ninput + k, c->plain.items[k]);
    WRITE(w, "    }\n}\n");
    vec_drop(w->alloc, &roots);
}

/* the pattern of a system, and its residuals */
static void write_solver(ClassWriter *w, uint32_t number)
{
    const GraphSystem *s = &w->c->info.graph->systems.items[number];
    LiederPattern solver = tape_pattern(s);
    const char *tag = w->c->info.tag;
    write_pattern(w, "row", number, s->row.items, s->row.n);
    write_pattern(w, "column", number, s->column.items, s->column.n);
    if (s->table.n)
        write_pattern(w, "sparse", number, s->table.items, s->table.n);
    write_nominal(w, number, s);
    WRITE(w,
          "static const LiederPattern %s_solver%u = {%d, %d, %d, %s_row%u, %s_column%u, %d, "
          "%d, %d, %d, %d, ",
          tag, number, solver.n, solver.noperand, solver.nentry, tag, number, tag, number,
          s->lenient, s->near, solver.sized, solver.homotopy, solver.guess);
    if (s->table.n)
        WRITE(w, "%s_sparse%u, ", tag, number);
    else
        WRITE(w, "NULL, ");
    if (s->nominal.n)
        WRITE(w, "%s_nominal%u};\n", tag, number);
    else
        WRITE(w, "NULL};\n");
    if (!s->linear)
        write_residuals(w, number);
}

/* what systems of equations and calls in the blocks need; an inner system stands before the outer
 * one, functions are declared before */
static void write_systems(ClassWriter *w)
{
    Graph *g = w->c->info.graph;
    UsedSystems used = {0};
    NodeList all = {0};
    w->ok = w->ok && used_begin(g, &used);
    for (int kind = 0; kind < BLOCK_KINDS; kind++)
        for (int r = 0; r < 2; r++)
            for (size_t i = 0; w->ok && i < w->c->blocks[kind][r].n; i++)
                w->ok = vec_push(w->alloc, &all, w->c->blocks[kind][r].items[i].node);
    w->ok = w->ok && mark_systems(g, all.items, all.n, &used);
    vec_drop(w->alloc, &all);
    bool any = false;
    for (uint32_t number = 0; w->ok && number < g->systems.n; number++) {
        if (!used.system.items[number])
            continue;
        if (!any)
            WRITE(w, "#include <lieder/systems.h>\n\n");
        any = true;
        if (g->systems.items[number].call)
            WRITE(w, "static void %s_call%u(real *w);\n", w->c->info.tag, number);
    }
    for (uint32_t number = 0; w->ok && number < g->systems.n; number++) {
        if (used.system.items[number] && g->systems.items[number].call)
            write_called(w, number, &used);
        else if (used.system.items[number])
            write_solver(w, number);
    }
    vec_drop(w->alloc, &used.system);
    vec_drop(w->alloc, &used.first);
    vec_drop(w->alloc, &used.result);
}

/* ------------------------------------------------------------------ the class */

/* struct and sizes of a port */
static void write_port(ClassWriter *w, int port)
{
    const char *tag = w->c->info.tag;
    const LiederDomain *d = w->c->info.def.ports[port].domain;
    const struct {
        const char *name;
        int value;
    } sizes[] = {{"NS", d->nsignal},
                 {"NP", d->npotential},
                 {"NF", d->nflow},
                 {"NR", d->nregime},
                 {"INERTIAL", (int)d->inertial},
                 {"BASIC", w->c->info.basic ? (int)w->c->info.basic[port] : 0}};
    WRITE(w, "typedef struct %s_port%d {\n    real v[%d];\n} %s_port%d;\nenum {", tag, port,
          d->nsignal + d->npotential + d->nregime * d->nflow, tag, port);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        WRITE(w, "%s%s_port%d_%s = %d", i ? ", " : " ", tag, port, sizes[i].name, sizes[i].value);
    WRITE(w, " };\n\n");
}

/* whether a block is written here */
static bool is_written(const BlockClass *c, BlockKind kind, bool whole)
{
    return block_has(c, kind) && kind < BLOCK_CHECK && (whole || kind != BLOCK_ENERGY);
}

bool block_class_write(const BlockClass *c, bool whole, TextBuffer *to)
{
    ClassWriter w = {.c = c, .alloc = c->alloc, .to = to, .ok = true};
    const char *tag = c->info.tag;
    WRITE(&w, "\n/* ---- %s */\n\ntypedef struct %s {\n    real v[%d];\n} %s;\n\n",
          c->info.def.name, tag, c->info.nreal, tag);
    for (int i = 0; i < c->info.def.nport; i++)
        write_port(&w, i);
    write_systems(&w);
    for (int kind = 0; kind < BLOCK_KINDS; kind++)
        if (is_written(c, (BlockKind)kind, whole))
            write_block(&w, (BlockKind)kind);
    if (whole && block_has(c, BLOCK_CHECK))
        write_check(&w);
    if (whole && block_has(c, BLOCK_COUPLES))
        write_couples(&w);
    if (block_has(c, BLOCK_NEXT_TIME))
        write_next_time(&w);
    WRITE(&w, "#define CLASS %s\n#define PORTS(X)", tag);
    for (int i = 0; i < c->info.def.nport; i++)
        WRITE(&w, " X(%d, %s, %s_port%d)", i, c->info.def.ports[i].role == LIEDER_IN ? "IN" : "OUT",
              tag, i);
    WRITE(&w, "\n");
    if (c->nunknown) {
        WRITE(&w, "#define UNKNOWNS(X)");
        for (int i = 0; i < c->nunknown; i++)
            WRITE(&w, " X(%d, v[%d], v[%d])", i, c->unknown.items[i], c->residual.items[i]);
        WRITE(&w, "\n");
    }
    for (int kind = 0; kind < BLOCK_KINDS; kind++)
        if (is_written(c, (BlockKind)kind, whole))
            WRITE(&w,
                  kind == BLOCK_EXPLICIT_SECOND ? "#define %s X(1, %s_%s)\n" : "#define %s %s_%s\n",
                  macros[kind], tag, names[kind]);
    if (c->info.reversible)
        WRITE(&w, "#define REVERSIBLE\n");
    if (whole)
        WRITE(&w, "#define TAPES\n");
    WRITE(&w, "#include <lieder/kernels.inc>\n");
    return w.ok;
}
