/* generate.c - one C function for a whole shape.
 *
 * Where the ops of a shape can be joined to one short tape (block/join.c), the function is that
 * tape, statement by statement (block/straight.c): any compiler makes good code of it, and soon.
 * Else:
 *
 * The kernels of the library work on records in memory, each for itself: a law that goes from one
 * component to the next is stored and loaded. Here the same blocks are called one after the other
 * on a record that is a local array, with every place a constant. Inlined, its elements become
 * registers, zeros and ones are folded, and operations that no derivative needs disappear. The
 * operations that remain are those of the kernels, in the same order and without contraction, so
 * the results have the same bits.
 *
 * Places of the record that no block has set yet come from outside: states from x, everything else
 * (parameters, constants, choices) from the record of the workspace, unless it is always 0, 1 or -1
 * (model/program/known.c). The generator notes which places are set, and copies a place just before
 * the first block that may read it. The number of lanes does not appear, only whether they all have
 * the same parameters (lanes.inc). The local record starts as zeros, since numbers that are never
 * set are undefined in C.
 */
#include "compile/compile.h"
#include "block/joined.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Generator {
    const LiederSystem *system;
    const SystemShape *ss;
    const Program *p;
    const LiederAllocator *alloc;
    TextBuffer *to;
    const FusedKernel *kernel;      /* the kernel of a sequence; NULL: the whole shape */
    VEC(uint8_t) set;               /* by place: the local record has it */
    VEC(uint32_t) state_at;         /* by place: state, or NOWHERE; whole shape only */
    VEC(const LiederKnown *) known; /* by place, or NULL; whole shape only */
    uint32_t component;             /* of the last comment */
    bool ok;
} Generator;

#define WRITE(g, ...) ((g)->ok = (g)->ok && text_add((g)->alloc, (g)->to, __VA_ARGS__))

/* ------------------------------------------------------------------ what blocks read */

/* the place of a fused kernel's local record, as it stands in the record of the strip */
static void write_outside(Generator *g, uint32_t place)
{
    const FusedKernel *k = g->kernel;
    size_t b = k->blocks.n;
    while (k->blocks.items[--b] > place)
        ;
    WRITE(g, "block%u[%u]", k->argument.items[b], place - k->blocks.items[b]);
}

/* writes statements that copy those of n places from `first` that are not in the local record
 * yet */
static void want(void *user, uint32_t first, uint32_t n)
{
    Generator *g = user;
    for (uint32_t i = first; i < first + n && i < g->p->nreal; i++) {
        if (g->set.items[i])
            continue;
        g->set.items[i] = 1;
        WRITE(g, "    rec[%u] = ", i);
        if (i - g->p->zero < g->p->nzero)
            WRITE(g, "REAL(0.0)");
        else if (g->kernel && isfinite(g->kernel->known.items[i]))
            WRITE(g, "REAL(%.1f)", g->kernel->known.items[i]);
        else if (g->kernel)
            write_outside(g, i);
        else if (g->state_at.items[i] != NOWHERE)
            WRITE(g, "x[%u]", g->state_at.items[i]);
        else if (g->known.items[i])
            WRITE(g, "REAL(%.1f)", g->known.items[i]->value);
        else
            WRITE(g, "OUTSIDE(%u)", i);
        WRITE(g, ";\n");
    }
}

static void want_read(void *user, uint32_t place, uint32_t n, int how)
{
    if (how & ACCESS_READS)
        want(user, place, n);
}

static void note_set(void *user, uint32_t place, uint32_t n, int how)
{
    Generator *g = user;
    if (how & ACCESS_SETS)
        memset(g->set.items + place, 1, n);
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

static void write_at(Generator *g, const Component *c, const uint32_t *at)
{
    WRITE(g, "    { static const uint32_t at[] = {");
    for (uint32_t i = 0; i < at_length(c); i++)
        WRITE(g, at[i] == NOWHERE ? "%s~0u" : "%s%u", i ? ", " : "", at[i]);
    WRITE(g, "}; ");
}

/* "{ static const uint32_t at[] = {...}; Class_name_one(rec, at": the arguments follow */
static void begin_call(Generator *g, const Component *c, const uint32_t *at, const char *name)
{
    write_at(g, c, at);
    WRITE(g, "%s_%s_one(rec, at", kernels_of(g->p, c)->tag, name);
}

const char *op_call(const Program *p, const Op *op, char *text, size_t size)
{
    static const char *const names[] = {
        [OP_CONSTANT] = "constant", [OP_INCOMING] = "incoming", [OP_EXPLICIT] = "explicit",
        [OP_BASIC] = "explicit",    [OP_OUTWARD] = "outward",   [OP_INWARD] = "inward",
        [OP_REDUCE] = "reduce",     [OP_SOLVE] = "solve"};
    const char *tag = kernels_of(p, &p->shape->components.items[op->component])->tag;
    int dir = op->variant & LIEDER_REVERSED ? -1 : 1;
    char unit[16] = "", arguments[48] = "";
    if (op->unit)
        snprintf(unit, sizeof unit, "_%u", op->unit);
    switch ((OpKind)op->kind) {
    case OP_CONSTANT:
        break;
    case OP_EXPLICIT:
    case OP_BASIC:
        snprintf(arguments, sizeof arguments, ", call, %d, %d", dir, op->kind == OP_BASIC);
        break;
    case OP_INCOMING:
    case OP_OUTWARD:
    case OP_INWARD:
        snprintf(arguments, sizeof arguments, ", call, %d", dir);
        break;
    case OP_REDUCE:
        snprintf(arguments, sizeof arguments, ", %d, %d", op->variant, op->add);
        break;
    case OP_SOLVE:
        snprintf(arguments, sizeof arguments, ", call, %d", op->variant);
        break;
    case OP_OBSERVE: /* of instructions only */
        break;
    }
    snprintf(text, size, "%s_%s%s_one(rec, at%s)", tag, names[op->kind], unit, arguments);
    return text;
}

static void write_call(Generator *g, const Op *op)
{
    char call[256];
    write_comment(g, op->component);
    op_accesses(g->p, op, want_read, g);
    write_at(g, &g->p->shape->components.items[op->component], g->p->at.items + op->at);
    WRITE(g, "%s; }\n", op_call(g->p, op, call, sizeof call));
    op_accesses(g->p, op, note_set, g);
}

static void write_list(Generator *g, const OpList *list)
{
    g->component = NOWHERE;
    for (size_t i = 0; i < list->n; i++)
        write_call(g, &list->items[i]);
}

/* ------------------------------------------------------------------ loops */

/* The dense complement of a group, as in lanes.c and in the same order, with every path written
 * out. complement.inc has the parts that are the same for all classes. */

/* the unknowns of a component, or their residuals, as places: "{12, 15}" */
static void write_places(Generator *g, const Component *c, const uint32_t *at, bool residuals)
{
    const char *before = "{";
    const LiederMember *u;
    for (int m = 0; (u = next_unknown(c->class_->def, &m)); before = ", ")
        WRITE(g, "%s%u", before, at[LIEDER_AT_SELF] + (uint32_t)(residuals ? u->other : u->index));
    WRITE(g, *before == '{' ? "{0}" : "}");
}

/* a unit flow of an elastic element at one port, through all links to the root */
static void write_inward(Generator *g, const Complement *m, const CoupledLeaf *leaf, int port,
                         uint32_t column, uint32_t r)
{
    for (uint32_t s = 0; s < leaf->npath[port]; s++) {
        const LoopStep *step = &m->path.items[leaf->path[port] + s];
        const LoopLink *link = &m->links.items[step->link];
        const Component *c = &g->p->shape->components.items[link->component];
        const LiederKernels *k = kernels_of(g->p, c);
        const uint32_t *at = g->p->at.items + link->inward;
        int in_port = c->reversed ? 1 : 0;
        const LiederDomain *out = c->class_->def->ports[step->port].domain,
                           *in = c->class_->def->ports[in_port].domain;
        uint32_t to = at[LIEDER_AT_PORT + LIEDER_PER_PORT * step->port + LIEDER_FLOWS],
                 from = at[LIEDER_AT_PORT + LIEDER_PER_PORT * in_port + LIEDER_FLOWS];
        if (s == 0)
            WRITE(g, "    loop_start(flow, %d, %u, %d);\n", out->nflow, r, port ? 1 : -1);
        WRITE(g, "    loop_enter(rec, %u, %d, flow);\n", to, out->nflow);
        begin_call(g, c, at, "inward");
        WRITE(g, ", off, %d); }\n    { static const uint32_t residual[] = ", c->reversed ? -1 : 1);
        write_places(g, c, at, true);
        WRITE(g,
              ";\n      loop_leave(rec, %u, %d, %u, %d, %d, %u, %u, %d, residual, response + %u, "
              "flow); }\n",
              to, out->nflow, from, in->nflow, in->nregime,
              at[LIEDER_AT_SAVE] + (uint32_t)k->save_inverse,
              at[LIEDER_AT_SAVE] + (uint32_t)k->save_flow, k->nunknown,
              column * m->nunknown + link->first_unknown);
    }
}

/* potentials from the root back to the elements of the loops */
static void write_outward(Generator *g, const Complement *m, uint32_t column)
{
    for (size_t i = 0; i < m->links.n; i++) {
        const LoopLink *link = &m->links.items[i];
        const Component *c = &g->p->shape->components.items[link->component];
        const uint32_t *at = g->p->at.items + link->outward;
        int in = c->reversed ? 1 : 0, np = c->class_->def->ports[in].domain->npotential;
        WRITE(g, "    { static const uint32_t unknown[] = ");
        write_places(g, c, at, false);
        WRITE(g, ";\n      loop_respond(rec, %u, %d, %u, %d, %d, unknown, response + %u); }\n",
              at[LIEDER_AT_SAVE], np, at[LIEDER_AT_PORT + LIEDER_PER_PORT * in + LIEDER_POTENTIALS],
              link->grounded, kernels_of(g->p, c)->nunknown,
              column * m->nunknown + link->first_unknown);
        begin_call(g, c, at, "outward");
        WRITE(g, ", off, %d); }\n", c->reversed ? -1 : 1);
    }
}

/* what the links and leaves of the group read */
static void want_loops(Generator *g, const Complement *m)
{
    want(g, g->p->zero, g->p->nzero); /* for a unit flow these are the potentials of roots */
    for (size_t e = 0; e < m->leaves.n; e++) {
        uint32_t leaf = m->leaves.items[e].component;
        op_places(g->p, &(Op){.kind = OP_INWARD, .component = leaf, .at = g->p->at_of.items[leaf]},
                  want, g);
    }
    for (size_t i = 0; i < m->links.n; i++) {
        uint32_t link = m->links.items[i].component;
        const LiederClassDef *def = g->p->shape->components.items[link].class_->def;
        const uint32_t *at = at_of(g->p, link);
        op_places(g->p, &(Op){.kind = OP_OUTWARD, .component = link, .at = g->p->at_of.items[link]},
                  want, g);
        for (int port = 0; port < def->nport; port++) {
            const LiederDomain *d = def->ports[port].domain;
            uint32_t flows = at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS];
            for (int f = 0; f < d->nflow * d->nregime; f++)
                WRITE(g, "    rec[%u] = REAL(0.0);\n", flows + (uint32_t)f);
        }
    }
}

static void write_leaf_row(Generator *g, const CoupledLeaf *leaf, uint32_t r)
{
    WRITE(g, "loop_row(rec, %u, %u, %u, %u, %u, %u)", leaf->save, leaf->np, leaf->nf, r,
          leaf->potential[0], leaf->potential[1]);
}

/* matrix and right side of the loops, and the call that solves them */
static void write_complement(Generator *g, const Complement *m)
{
    uint32_t n = m->n, width = n + 1;
    WRITE(g,
          "\n    /* ---- loops: %u flows of elastic elements beside the tree */\n"
          "    {\n    real A[%u], response[%u], base[%u], flow[%u];\n"
          "    Call off = call;\n    off.bias_scale = 0;\n",
          n, n * width, n * m->nunknown + 1, m->nunknown + 1, m->nflow);
    want_loops(g, m);
    g->component = NOWHERE;
    for (size_t e = 0; e < m->leaves.n; e++) {
        const CoupledLeaf *leaf = &m->leaves.items[e];
        const Component *c = &g->p->shape->components.items[leaf->component];
        write_comment(g, leaf->component);
        begin_call(g, c, at_of(g->p, leaf->component), "couple");
        WRITE(g, "); }\n");
        for (uint32_t r = 0; r < leaf->nf; r++) {
            WRITE(g, "    A[%u] = ", (leaf->column + r) * width + n);
            write_leaf_row(g, leaf, r);
            WRITE(g, " + rec[%u];\n", leaf->save + 4 * leaf->np * leaf->nf + leaf->nf + r);
        }
    }
    for (size_t i = 0; i < m->links.n; i++) {
        const LoopLink *link = &m->links.items[i];
        const Component *c = &g->p->shape->components.items[link->component];
        WRITE(g, "    { static const uint32_t unknown[] = ");
        write_places(g, c, at_of(g->p, link->component), false);
        WRITE(g, "; loop_keep(rec, %d, unknown, base + %u); }\n", kernels_of(g->p, c)->nunknown,
              link->first_unknown);
    }
    for (size_t e = 0; e < m->leaves.n; e++)
        for (uint32_t r = 0; r < m->leaves.items[e].nf; r++) {
            const CoupledLeaf *leaf = &m->leaves.items[e];
            uint32_t column = leaf->column + r;
            WRITE(g, "\n    /* a unit flow at column %u */\n", column);
            for (uint32_t i = 0; i < m->nunknown; i++)
                WRITE(g, "    response[%u] = REAL(0.0);\n", column * m->nunknown + i);
            write_inward(g, m, leaf, 1, column, r);
            write_inward(g, m, leaf, 0, column, r);
            write_outward(g, m, column);
            for (size_t q = 0; q < m->leaves.n; q++)
                for (uint32_t row = 0; row < m->leaves.items[q].nf; row++) {
                    uint32_t at = m->leaves.items[q].column + row;
                    WRITE(g, "    A[%u] = -", at * width + column);
                    write_leaf_row(g, &m->leaves.items[q], row);
                    WRITE(g, at == column ? " + 1.0;\n" : ";\n");
                }
        }
    WRITE(g, "\n    loop_eliminate(A, %u);\n", n);
    for (size_t i = 0; i < m->links.n; i++) {
        const LoopLink *link = &m->links.items[i];
        const Component *c = &g->p->shape->components.items[link->component];
        const uint32_t *at = at_of(g->p, link->component);
        write_comment(g, link->component);
        WRITE(g, "    { static const uint32_t unknown[] = ");
        write_places(g, c, at, false);
        WRITE(g, "; loop_unknowns(rec, A, %u, %d, unknown, base + %u, response + %u, %u); }\n", n,
              kernels_of(g->p, c)->nunknown, link->first_unknown, link->first_unknown, m->nunknown);
        begin_call(g, c, at, "outward");
        WRITE(g, ", call, %d); }\n", c->reversed ? -1 : 1);
    }
    WRITE(g, "    }\n");
}

/* ------------------------------------------------------------------ all of it */

static const char *tag_of(const LiederKernels *k)
{
    return k->tag;
}

static const char *source_of(const LiederKernels *k)
{
    return k->text ? NULL : k->source; /* a class that is Modelica text has its C beside it */
}

static const char *text_of(const LiederKernels *k)
{
    return k->text;
}

/* a line for each class of the shape, with a part of its kernels; equal parts once, in the order of
 * first use */
static void write_each(Generator *g, const char *(*part_of)(const LiederKernels *k),
                       const char *before, const char *after)
{
    const Shape *shape = g->p->shape;
    for (size_t i = 0; i < shape->components.n; i++) {
        const char *part = part_of(kernels_of(g->p, &shape->components.items[i]));
        bool seen = !part;
        for (size_t j = 0; j < i && !seen; j++) {
            const char *other = part_of(kernels_of(g->p, &shape->components.items[j]));
            seen = other && strcmp(other, part) == 0;
        }
        if (!seen)
            WRITE(g, "%s%s%s\n", before, part, after);
    }
}

/* the begin of a generated file: macros, includes and texts of its classes */
static void write_head(Generator *g)
{
    write_each(g, tag_of, "#define LIEDER_USES_", " 1");
    write_each(g, source_of, "#include \"", "\"");
    write_each(g, text_of, "", "");
}

bool head_generate(const LiederSystem *system, const Program *p, TextBuffer *to)
{
    Generator g = {.system = system, .p = p, .alloc = SYSTEM_ALLOC(system), .to = to, .ok = true};
    write_head(&g);
    return g.ok;
}

bool complements_generate(const LiederSystem *system, const SystemShape *ss, const Program *p,
                          TextBuffer *to)
{
    Generator g = {
        .system = system, .ss = ss, .p = p, .alloc = SYSTEM_ALLOC(system), .to = to, .ok = true};
    g.ok = vec_resize(g.alloc, &g.set, p->nreal);
    if (g.ok)
        memset(g.set.items, 1, p->nreal); /* the record is all there */
    for (size_t i = 0; g.ok && i < p->complements.n; i++)
        write_complement(&g, &p->complements.items[i]);
    vec_drop(g.alloc, &g.set);
    return g.ok;
}

size_t shape_ops(const SystemShape *ss)
{
    size_t n = ss->plan.lean.explicit_.n + ss->plan.lean.reduce.n + ss->plan.lean.solve.n;
    for (size_t i = 0; i < ss->plan.lean.complements.n; i++)
        n += 2 * ss->plan.lean.complements.items[i].n * ss->plan.lean.complements.items[i].links.n;
    return n;
}

const char *shape_without_text(const SystemShape *ss)
{
    for (size_t i = 0; i < ss->shape->components.n; i++) {
        const LiederKernels *k = kernels_of(&ss->plan.lean, &ss->shape->components.items[i]);
        if (!k->source && !k->text)
            return "it has classes without C text: blocks of a program, or systems of hundreds of "
                   "equations";
    }
    return NULL;
}

const char *shape_uncompilable(const SystemShape *ss)
{
    return ss->plan.method != LIEDER_METHOD_TREE ? "its linear group is not a tree"
                                                 : shape_without_text(ss);
}

const char *shape_form(const SystemShape *ss)
{
    return shape_uncompilable(ss)             ? "-"
           : shape_ops(ss) > COMPILE_SOON_OPS ? "sequences"
                                              : "function";
}

/* the body of the function by calls of the blocks on a local record */
static void write_blocks(Generator *g)
{
    const Program *p = g->p;
    WRITE(g,
          "    real rec[%u] = {0};\n\n"
          "    /* ---- explicit, outward from the roots */\n",
          p->nreal);
    write_list(g, &p->explicit_);
    WRITE(g, "\n    /* ---- elimination, inward */\n");
    write_list(g, &p->reduce);
    WRITE(g, "\n    /* ---- unknowns, outward */\n");
    write_list(g, &p->solve);
    for (size_t i = 0; i < p->complements.n; i++)
        write_complement(g, &p->complements.items[i]);
    WRITE(g, "\n    *alarm = (mask)(rec[LIEDER_ALARM] != 0.0);\n");
    for (uint32_t s = 0; s < p->derivative_place.n; s++) {
        want(g, p->derivative_place.items[s], 1);
        WRITE(g, "    dx[%u] = rec[%u];\n", s, p->derivative_place.items[s]);
    }
    WRITE(g, "    *total = real_splat(0.0);\n    for (int s = 0; s < NSTATE; s++)\n"
             "        *total = *total + dx[s];\n");
}

/* Longer tapes stay with the order of their blocks, in which clang has fewer numbers to keep at a
 * time: an arm of 7 joints in 64 lanes takes 61 ns that way and 68 straight. */
enum { MAX_STRAIGHT = 256 };

bool shape_generate(const LiederSystem *system, const SystemShape *ss, bool blocks, TextBuffer *to)
{
    const Program *p = &ss->plan.lean;
    Generator g = {.system = system,
                   .ss = ss,
                   .p = p,
                   .alloc = SYSTEM_ALLOC(system),
                   .to = to,
                   .component = NOWHERE,
                   .ok = true};
    g.ok = vec_resize(g.alloc, &g.set, p->nreal) && vec_resize(g.alloc, &g.state_at, p->nreal) &&
           vec_resize(g.alloc, &g.known, p->nreal);
    if (g.ok) {
        for (size_t i = 0; i < ss->code.known.places.n; i++)
            g.known.items[ss->code.known.places.items[i].place] = &ss->code.known.places.items[i];
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
    int nscratch = 0;
    LiederJoined joined =
        program_join(p, ss->code.known.places.items, ss->code.known.places.n, &nscratch);
    const size_t ninstruction = joined_instructions(joined);
    const bool straight = ninstruction > 0 && ninstruction <= MAX_STRAIGHT;
    g.ok = g.ok && nscratch >= 0;
    if (blocks || !straight)
        write_head(&g);
    if (p->complements.n)
        WRITE(&g, "#include \"compile/complement.inc\"\n");
    WRITE(&g, "\nLIEDER_INLINE void shape_record(Outside outside, const Call call, const real *x,\n"
              "                                real *dx, real *total, mask *alarm)\n{\n");
    if (straight)
        g.ok = g.ok && joined_write(joined, g.alloc, to);
    else
        write_blocks(&g);
    program_unjoin(p, &joined);
    WRITE(&g, "}\n\n#include \"compile/evaluate.inc\"\n");
    vec_drop(g.alloc, &g.set);
    vec_drop(g.alloc, &g.state_at);
    vec_drop(g.alloc, &g.known);
    return g.ok;
}

/* ------------------------------------------------------------------ sequences of ops */

/* a sequence of ops as one function: loads, blocks, stores */
static void write_kernel(Generator *g, const FusedKernel *k, size_t number)
{
    g->kernel = k;
    g->p = &k->part;
    g->set.n = 0;
    g->ok = g->ok && vec_resize(g->alloc, &g->set, k->part.nreal);
    if (!g->ok)
        return;
    g->set.items[LIEDER_ALARM] = 1;
    WRITE(
        g,
        "\nLIEDER_INLINE void sequence_%zu(real *record, const uint32_t *places, const Call call)\n"
        "{\n    real rec[%u] = {0};\n",
        number, k->part.nreal);
    for (uint32_t i = 0; i < k->narguments; i++)
        WRITE(g, "    real *const block%u = record + places[%u];\n", i, i);
    WRITE(g, "    rec[LIEDER_ALARM] = record[LIEDER_ALARM];\n");
    write_list(g, &k->ops);
    WRITE(g, "\n");
    for (uint32_t i = 0; i < k->part.nreal; i++)
        if (k->how.items[i] & ACCESS_STORED) {
            WRITE(g, "    ");
            write_outside(g, i);
            WRITE(g, " = rec[%u];\n", i);
        }
    if (k->how.items[LIEDER_ALARM] & ACCESS_WRITES)
        WRITE(g, "    record[LIEDER_ALARM] = rec[LIEDER_ALARM];\n");
    WRITE(g, "}\nKERNEL(%zu)\n", number);
}

bool fusion_generate(const LiederSystem *system, const SystemShape *ss, const Fusion *fusion,
                     TextBuffer *to)
{
    Generator g = {.system = system,
                   .ss = ss,
                   .p = &ss->plan.lean,
                   .alloc = SYSTEM_ALLOC(system),
                   .to = to,
                   .component = NOWHERE,
                   .ok = true};
    WRITE(&g,
          "/* Written by Lieder " LIEDER_VERSION " for sequences of ops that recur in a shape;\n"
          " * paths are those of the first one. */\n"
          "#define LIEDER_LANES %d\n"
          "#include \"compile/fused.inc\"\n\n",
          g.p->lanes);
    write_head(&g);
    for (size_t i = 0; i < fusion->kernels.n; i++)
        write_kernel(&g, &fusion->kernels.items[i], i);
    WRITE(&g, "\nLiederKernel *const lieder_kernels[] = {");
    for (size_t i = 0; i < fusion->kernels.n; i++)
        WRITE(&g, "%skernel_%zu", i ? ", " : "", i);
    WRITE(&g, "};\n");
    vec_drop(g.alloc, &g.set);
    return g.ok;
}
