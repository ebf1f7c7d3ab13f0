/* generate.c - one C function for a whole shape.
 *
 * The kernels of the library work on records in memory and know nothing of each other: a law that
 * one component hands to the next is stored and loaded. Here the same blocks are called one after
 * the other on a record that is a local array, with every place a constant. Inlined, its elements
 * become registers, what is zero or one is folded, and what no derivative needs disappears. The
 * operations that remain are those of the kernels, in the same order and without contraction, so
 * the results have the same bits.
 *
 * Places of the record that no block has set yet come from outside: states from x, everything else
 * (parameters, constants, choices) from the record that the workspace holds. The generator keeps
 * book of what is set, and copies a place just before the first block that may look at it. The
 * number of lanes does not appear, only whether they all have the same parameters (lanes.inc).
 */
#include "compile/compile.h"

#include <string.h>

typedef struct Generator {
    const LiederSystem *system;
    const SystemShape *ss;
    const Program *p;
    const LiederAllocator *alloc;
    TextBuffer *to;
    VEC(uint8_t) set;       /* by place: the local record has it */
    VEC(uint32_t) state_at; /* by place: state, or NOWHERE */
    uint32_t component;     /* the last one that was commented */
    bool ok;
} Generator;

#define WRITE(g, ...) ((g)->ok = (g)->ok && text_add((g)->alloc, (g)->to, __VA_ARGS__))

/* ------------------------------------------------------------------ what blocks look at */

/* makes sure that n places from `first` are in the local record */
static void want(Generator *g, uint32_t first, uint32_t n)
{
    if (first == NOWHERE)
        return;
    for (uint32_t i = first; i < first + n && i < g->p->nreal; i++) {
        if (g->set.items[i])
            continue;
        g->set.items[i] = 1;
        if (g->state_at.items[i] != NOWHERE) {
            WRITE(g, "    rec[%u] = x[%u];\n", i, g->state_at.items[i]);
            continue;
        }
        if (i - g->p->zero < g->p->nzero)
            WRITE(g, "    rec[%u] = REAL(0.0);\n", i);
        else
            WRITE(g, "    rec[%u] = OUTSIDE(%u);\n", i, i);
    }
}

static void want_ports(Generator *g, const Op *op)
{
    const Component *c = &g->p->shape->components.items[op->component];
    const LiederClassDef *def = c->class_->def;
    const uint32_t *at = g->p->at.items + op->at;
    for (int port = 0; port < def->nport; port++) {
        const LiederDomain *d = def->ports[port].domain;
        const uint32_t *place = at + LIEDER_AT_PORT + LIEDER_PER_PORT * port;
        want(g, place[LIEDER_SIGNALS], (uint32_t)d->nsignal);
        if (op->kind >= OP_OUTWARD)
            want(g, place[LIEDER_POTENTIALS], (uint32_t)d->npotential);
        if (op->kind == OP_REDUCE)
            want(g, place[LIEDER_LAW], (uint32_t)(d->nflow * (d->npotential + 1)));
    }
}

/* ------------------------------------------------------------------ calls */

static void write_comment(Generator *g, uint32_t component)
{
    char path[512];
    if (component == g->component)
        return;
    g->component = component;
    WRITE(g, "\n    /* %s: %s */\n", lane_path(g->system, g->ss, component, 0, path, sizeof path),
          g->p->shape->components.items[component].class_->def->name);
}

static void write_call(Generator *g, const Op *op)
{
    static const char *const names[] = {
        [OP_CONSTANT] = "constant", [OP_INCOMING] = "incoming", [OP_EXPLICIT] = "explicit",
        [OP_BASIC] = "explicit",    [OP_OUTWARD] = "outward",   [OP_INWARD] = "inward",
        [OP_REDUCE] = "reduce",     [OP_SOLVE] = "solve"};
    const Component *c = &g->p->shape->components.items[op->component];
    const LiederKernels *k = kernels_of(g->p, c);
    const uint32_t *at = g->p->at.items + op->at;
    int n = LIEDER_AT_PORT + LIEDER_PER_PORT * c->class_->def->nport;
    write_comment(g, op->component);
    want(g, at[LIEDER_AT_SELF], (uint32_t)k->nreal);
    if (op->kind == OP_REDUCE || op->kind == OP_SOLVE)
        want(g, at[LIEDER_AT_SAVE], (uint32_t)k->nsave);
    want_ports(g, op);
    WRITE(g, "    { static const uint32_t at[] = {");
    for (int i = 0; i < n; i++)
        WRITE(g, at[i] == NOWHERE ? "%s~0u" : "%s%u", i ? ", " : "", at[i]);
    WRITE(g, "}; %s_%s_one(rec, at", k->tag, names[op->kind]);
    int dir = op->variant & LIEDER_REVERSED ? -1 : 1;
    switch ((OpKind)op->kind) {
    case OP_CONSTANT:
        break;
    case OP_EXPLICIT:
    case OP_BASIC:
        WRITE(g, ", call, %d, %d", dir, op->kind == OP_BASIC);
        break;
    case OP_INCOMING:
    case OP_OUTWARD:
    case OP_INWARD:
        WRITE(g, ", call, %d", dir);
        break;
    case OP_REDUCE:
        WRITE(g, ", %d, %d", op->variant, op->add);
        break;
    case OP_SOLVE:
        WRITE(g, ", call, %d", op->variant);
        break;
    }
    WRITE(g, "); }\n");
}

static void write_list(Generator *g, const OpList *list)
{
    g->component = NOWHERE;
    for (size_t i = 0; i < list->n; i++)
        write_call(g, &list->items[i]);
}

/* Constants of a root are numbers in its block, mostly zeros, and worth seeing for the compiler. */
static void write_roots(Generator *g)
{
    for (size_t i = 0; i < g->p->constant.n; i++) {
        const Op *op = &g->p->constant.items[i];
        if (g->p->shape->components.items[op->component].root)
            write_call(g, op);
    }
}

/* the files of the library that the classes are from, each once, in the order of first use */
static void write_includes(Generator *g)
{
    const Shape *shape = g->p->shape;
    for (size_t i = 0; i < shape->components.n; i++) {
        const char *tag = kernels_of(g->p, &shape->components.items[i])->tag;
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strcmp(kernels_of(g->p, &shape->components.items[j])->tag, tag) == 0;
        if (!seen)
            WRITE(g, "#define LIEDER_USES_%s 1\n", tag);
    }
    for (size_t i = 0; i < shape->components.n; i++) {
        const char *source = kernels_of(g->p, &shape->components.items[i])->source;
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strcmp(kernels_of(g->p, &shape->components.items[j])->source, source) == 0;
        if (!seen)
            WRITE(g, "#include \"%s\"\n", source);
    }
}

const char *shape_uncompilable(const SystemShape *ss)
{
    if (ss->method != LIEDER_METHOD_TREE)
        return "its linear group is not a tree";
    if (ss->lean.complements.n)
        return "its linear group has loops";
    if (ss->lean.explicit_.n + ss->lean.reduce.n + ss->lean.solve.n > COMPILE_MOST_OPS)
        return "it has too many components for one function";
    for (size_t i = 0; i < ss->shape->components.n; i++)
        if (!kernels_of(&ss->lean, &ss->shape->components.items[i])->source)
            return "it has classes of which the library has no source";
    return NULL;
}

bool shape_generate(const LiederSystem *system, const SystemShape *ss, TextBuffer *to)
{
    const Program *p = &ss->lean;
    Generator g = {.system = system,
                   .ss = ss,
                   .p = p,
                   .alloc = SYSTEM_ALLOC(system),
                   .to = to,
                   .component = NOWHERE,
                   .ok = true};
    g.ok = vec_resize(g.alloc, &g.set, p->nreal) && vec_resize(g.alloc, &g.state_at, p->nreal);
    if (g.ok) {
        memset(g.state_at.items, 0xff, p->nreal * sizeof(uint32_t));
        for (uint32_t s = 0; s < p->state_place.n; s++)
            g.state_at.items[p->state_place.items[s]] = s;
        g.set.items[LIEDER_ALARM] = 1;
    }
    WRITE(&g,
          "/* Written by Lieder " LIEDER_VERSION
          " for one shape of %zu components and %zu states;\n"
          " * paths are those of its first lane. */\n"
          "#define NSTATE %zu\n"
          "#define RECORD_LANES %d\n"
          "#define UNIFORM %d\n"
          "#include \"compile/lanes.inc\"\n\n",
          p->shape->components.n, p->shape->states.n, p->shape->states.n, p->lanes,
          shape_uniform(ss));
    write_includes(&g);
    WRITE(&g,
          "\nLIEDER_INLINE void shape_record(Outside outside, const Call call, const real *x,\n"
          "                                real *dx, real *alarm)\n{\n"
          "    real rec[%u];\n"
          "    rec[LIEDER_ALARM] = *alarm;\n\n"
          "    /* ---- explicit, outward from the roots */\n",
          p->nreal);
    write_roots(&g);
    write_list(&g, &p->explicit_);
    WRITE(&g, "\n    /* ---- elimination, inward */\n");
    write_list(&g, &p->reduce);
    WRITE(&g, "\n    /* ---- unknowns, outward */\n");
    write_list(&g, &p->solve);
    WRITE(&g, "\n    *alarm = rec[LIEDER_ALARM];\n");
    for (uint32_t s = 0; s < p->derivative_place.n; s++) {
        want(&g, p->derivative_place.items[s], 1);
        WRITE(&g, "    dx[%u] = rec[%u];\n", s, p->derivative_place.items[s]);
    }
    WRITE(&g, "}\n\n#include \"compile/evaluate.inc\"\n");
    vec_drop(g.alloc, &g.set);
    vec_drop(g.alloc, &g.state_at);
    return g.ok;
}
