/* class_help.h - library classes written as expressions, by hand and in the order of their C, for
 * the tests of classes made of instructions: "OraclePlanar.Revolute" becomes
 * "Block.Revolute", with the ports and members of the class in C (planar_oracle.h). */
#ifndef TEST_BLOCK_CLASS_HELP_H
#define TEST_BLOCK_CLASS_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block/class.h"
#include "library/planar_oracle.h"
#include "model/class/session.h"

typedef struct Maker {
    BlockClass *c;
    Graph *g;
    BlockSymbol symbols[256];
    size_t n;
} Maker;

/* a symbol for every place of a class; its number tells the place */
static uint64_t place_symbol(BlockPlace p)
{
    return (uint64_t)p.kind << 32 | (uint64_t)p.port << 16 | (uint64_t)p.index;
}

static void add_place(Maker *m, PlaceKind kind, int port, int index)
{
    BlockPlace place = {kind, port, index};
    m->symbols[m->n++] = (BlockSymbol){place_symbol(place), place};
}

static void add_places(Maker *m, const LiederClassDef *def, int nreal)
{
    for (int i = 0; i < nreal; i++)
        add_place(m, PLACE_MEMBER, 0, i);
    for (int port = 0; port < def->nport; port++) {
        const LiederDomain *d = def->ports[port].domain;
        for (int i = 0; i < d->nsignal; i++)
            add_place(m, PLACE_SIGNAL, port, i);
        for (int i = 0; i < d->npotential; i++)
            add_place(m, PLACE_POTENTIAL, port, i);
        for (int i = 0; i < d->nflow * d->nregime; i++)
            add_place(m, PLACE_FLOW, port, i);
    }
    add_place(m, PLACE_DIRECTION, 0, 0);
}

static Node get_place(Maker *m, PlaceKind kind, int port, int index)
{
    return node_symbol(m->g, place_symbol((BlockPlace){kind, port, index}));
}
static Node own(Maker *m, int index)
{
    return get_place(m, PLACE_MEMBER, 0, index);
}
static Node signal_of(Maker *m, int port, int i)
{
    return get_place(m, PLACE_SIGNAL, port, i);
}
static Node potential_of(Maker *m, int port, int i)
{
    return get_place(m, PLACE_POTENTIAL, port, i);
}
static Node flow_of(Maker *m, int port, int i)
{
    return get_place(m, PLACE_FLOW, port, i);
}
/* dir * x */
static Node turned(Maker *m, Node x)
{
    return node_multiply(m->g, get_place(m, PLACE_DIRECTION, 0, 0), x);
}
static void put(Maker *m, BlockKind kind, PlaceKind what, int port, int index, Node node)
{
    block_assign(m->c, kind, BLOCK_BOTH, (BlockPlace){what, port, index}, node);
}

#define ADD(a, b) node_add(m->g, a, b)
#define SUB(a, b) node_subtract(m->g, a, b)
#define MUL(a, b) node_multiply(m->g, a, b)
#define NEG(a)    node_negate(m->g, a)
#define ZERO      node_constant(m->g, 0)

enum { X, Y, PHI, VX, VY, W };                   /* signals of a frame */
enum { VX_EL, VY_EL, W_EL, AX, AY, AZ };         /* potentials */
enum { EL_FX, EL_FY, EL_T, KI_FX, KI_FY, KI_T }; /* flows */

/* ------------------------------------------------------------------ shared pieces of planar.c */

/* flows of `out` back through a lever, both regimes */
static void through_lever(Maker *m, Node rx, Node ry)
{
    for (int regime = 0; regime < 2; regime++) {
        int at = 3 * regime;
        Node fx = flow_of(m, 1, at), fy = flow_of(m, 1, at + 1), t = flow_of(m, 1, at + 2);
        put(m, BLOCK_INWARD, PLACE_FLOW, 0, at, NEG(fx));
        put(m, BLOCK_INWARD, PLACE_FLOW, 0, at + 1, NEG(fy));
        put(m, BLOCK_INWARD, PLACE_FLOW, 0, at + 2, NEG(SUB(ADD(t, MUL(rx, fy)), MUL(ry, fx))));
    }
}

static void same_signals_but(Maker *m, int one, int other)
{
    for (int i = 0; i < 6; i++)
        if (i != one && i != other)
            put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, i, signal_of(m, 0, i));
}

static void same_potentials_but(Maker *m, int one, int other)
{
    for (int i = 0; i < 6; i++)
        if (i != one && i != other)
            put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, i, potential_of(m, 0, i));
}

/* the flange of a joint moves with its coordinate, the support rests */
static void axis_of(Maker *m, Node s, Node v, Node v_el, Node a)
{
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 2, 0, s);
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 2, 1, v);
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 2, 0, v_el);
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 2, 1, a);
    for (int i = 0; i < 2; i++) {
        put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 3, i, ZERO);
        put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 3, i, ZERO);
    }
}

/* ------------------------------------------------------------------ classes */

static void make_revolute(Maker *m)
{
    enum { TD, ANGLE, SPEED, Z, ANGLE_DER, RESIDUAL };
    same_signals_but(m, PHI, W);
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, PHI,
        ADD(signal_of(m, 0, PHI), turned(m, own(m, ANGLE))));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, W, ADD(signal_of(m, 0, W), turned(m, own(m, SPEED))));
    Node w_el = ADD(own(m, SPEED), MUL(own(m, TD), own(m, Z)));
    put(m, BLOCK_OUTWARD, PLACE_MEMBER, 0, ANGLE_DER, w_el);
    same_potentials_but(m, W_EL, AZ);
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, W_EL, ADD(potential_of(m, 0, W_EL), turned(m, w_el)));
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, AZ,
        ADD(potential_of(m, 0, AZ), turned(m, own(m, Z))));
    axis_of(m, own(m, ANGLE), own(m, SPEED), w_el, own(m, Z));
    through_lever(m, ZERO, ZERO);
    Node torque = turned(m, ADD(flow_of(m, 1, EL_T), flow_of(m, 1, KI_T)));
    put(m, BLOCK_INWARD, PLACE_MEMBER, 0, RESIDUAL,
        ADD(ADD(torque, flow_of(m, 2, 0)), flow_of(m, 2, 1)));
}

static void make_prismatic(Maker *m)
{
    enum { TD, R0, R1, E0, E1, S, V, A, V_DER, RESIDUAL, EX, EY };
    Node r0 = own(m, R0), r1 = own(m, R1);
    Node length = node_call(m->g, FUNCTION_SQRT, ADD(MUL(r0, r0), MUL(r1, r1)), NO_NODE);
    put(m, BLOCK_CONSTANT, PLACE_MEMBER, 0, E0, node_divide(m->g, r0, length));
    put(m, BLOCK_CONSTANT, PLACE_MEMBER, 0, E1, node_divide(m->g, r1, length));
    Node phi = signal_of(m, 0, PHI), s = node_call(m->g, FUNCTION_SIN, phi, NO_NODE),
         k = node_call(m->g, FUNCTION_COS, phi, NO_NODE), e0 = own(m, E0), e1 = own(m, E1);
    put(m, BLOCK_INCOMING, PLACE_MEMBER, 0, EX, turned(m, SUB(MUL(k, e0), MUL(s, e1))));
    put(m, BLOCK_INCOMING, PLACE_MEMBER, 0, EY, turned(m, ADD(MUL(s, e0), MUL(k, e1))));
    Node ex = own(m, EX), ey = own(m, EY), rx = MUL(own(m, S), ex), ry = MUL(own(m, S), ey);
    Node v = own(m, V), w = signal_of(m, 0, W), a = own(m, A);
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, X, ADD(signal_of(m, 0, X), rx));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, Y, ADD(signal_of(m, 0, Y), ry));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, PHI, phi);
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, VX,
        ADD(SUB(signal_of(m, 0, VX), MUL(w, ry)), MUL(v, ex)));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, VY,
        ADD(ADD(signal_of(m, 0, VY), MUL(w, rx)), MUL(v, ey)));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, W, w);
    Node v_el = ADD(v, MUL(own(m, TD), a)), turn = potential_of(m, 0, W_EL);
    put(m, BLOCK_OUTWARD, PLACE_MEMBER, 0, V_DER, v_el);
    Node rx_ = SUB(MUL(ex, v_el), MUL(turn, ry)), ry_ = ADD(MUL(ey, v_el), MUL(turn, rx));
    Node z = potential_of(m, 0, AZ);
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, VX_EL, ADD(potential_of(m, 0, VX_EL), rx_));
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, VY_EL, ADD(potential_of(m, 0, VY_EL), ry_));
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, W_EL, turn);
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, AX,
        SUB(ADD(SUB(SUB(potential_of(m, 0, AX), MUL(z, ry)), MUL(w, ry_)), MUL(a, ex)),
            MUL(turn, MUL(v, ey))));
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, AY,
        ADD(ADD(ADD(ADD(potential_of(m, 0, AY), MUL(z, rx)), MUL(w, rx_)), MUL(a, ey)),
            MUL(turn, MUL(v, ex))));
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, AZ, z);
    axis_of(m, own(m, S), v, v_el, a);
    through_lever(m, rx, ry);
    Node fx = ADD(flow_of(m, 1, EL_FX), flow_of(m, 1, KI_FX));
    Node fy = ADD(flow_of(m, 1, EL_FY), flow_of(m, 1, KI_FY));
    put(m, BLOCK_INWARD, PLACE_MEMBER, 0, RESIDUAL,
        ADD(ADD(ADD(MUL(fx, ex), MUL(fy, ey)), flow_of(m, 2, 0)), flow_of(m, 2, 1)));
}

static void make_translation(Maker *m)
{
    enum { R0, R1, RX, RY };
    Node phi = signal_of(m, 0, PHI), s = node_call(m->g, FUNCTION_SIN, phi, NO_NODE),
         k = node_call(m->g, FUNCTION_COS, phi, NO_NODE), r0 = own(m, R0), r1 = own(m, R1);
    Node rx = turned(m, SUB(MUL(k, r0), MUL(s, r1))), ry = turned(m, ADD(MUL(s, r0), MUL(k, r1)));
    Node w = signal_of(m, 0, W);
    put(m, BLOCK_EXPLICIT, PLACE_MEMBER, 0, RX, rx);
    put(m, BLOCK_EXPLICIT, PLACE_MEMBER, 0, RY, ry);
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, X, ADD(signal_of(m, 0, X), rx));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, Y, ADD(signal_of(m, 0, Y), ry));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, PHI, phi);
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, VX, SUB(signal_of(m, 0, VX), MUL(w, ry)));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, VY, ADD(signal_of(m, 0, VY), MUL(w, rx)));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, W, w);
    rx = own(m, RX);
    ry = own(m, RY);
    Node turn = potential_of(m, 0, W_EL), z = potential_of(m, 0, AZ);
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, VX_EL, SUB(potential_of(m, 0, VX_EL), MUL(turn, ry)));
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, VY_EL, ADD(potential_of(m, 0, VY_EL), MUL(turn, rx)));
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, W_EL, turn);
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, AX,
        SUB(SUB(potential_of(m, 0, AX), MUL(z, ry)), MUL(turn, MUL(w, rx))));
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, AY,
        SUB(ADD(potential_of(m, 0, AY), MUL(z, rx)), MUL(turn, MUL(w, ry))));
    put(m, BLOCK_OUTWARD, PLACE_POTENTIAL, 1, AZ, z);
    through_lever(m, rx, ry);
}

static void make_body(Maker *m)
{
    enum { M, I, G };
    put(m, BLOCK_INWARD, PLACE_FLOW, 0, KI_FX, MUL(own(m, M), potential_of(m, 0, AX)));
    put(m, BLOCK_INWARD, PLACE_FLOW, 0, KI_FY, MUL(own(m, M), potential_of(m, 0, AY)));
    put(m, BLOCK_INWARD, PLACE_FLOW, 0, KI_T, MUL(own(m, I), potential_of(m, 0, AZ)));
    put(m, BLOCK_INWARD, PLACE_FLOW, 0, EL_FX, ZERO);
    put(m, BLOCK_INWARD, PLACE_FLOW, 0, EL_FY, MUL(own(m, M), own(m, G)));
    put(m, BLOCK_INWARD, PLACE_FLOW, 0, EL_T, ZERO);
}

/* ------------------------------------------------------------------ all of them */

static const struct {
    const char *oracle, *name, *tag;
    void (*make)(Maker *m);
} block_classes[] = {
    {"OraclePlanar.Revolute", "Block.Revolute", "BlockRevolute", make_revolute},
    {"OraclePlanar.Prismatic", "Block.Prismatic", "BlockPrismatic", make_prismatic},
    {"OraclePlanar.FixedTranslation", "Block.FixedTranslation", "BlockTranslation",
     make_translation},
    {"OraclePlanar.Body", "Block.Body", "BlockBody", make_body}};
enum { BLOCK_CLASSES = sizeof block_classes / sizeof *block_classes };

/* the class of this number; NULL: it could not be made */
static inline BlockClass *block_class_make(int i, const LiederAllocator *alloc)
{
    static const unsigned basic[] = {1 << PHI | 1 << W, 1 << PHI | 1 << W, 0, 0};
    const LiederClassDef *oracle = planar_oracle;
    while (strcmp(oracle->name, block_classes[i].oracle) != 0)
        oracle++;
    const LiederKernels *k = oracle->kernels;
    Graph graph;
    graph_init(&graph, alloc);
    Maker m = {.g = &graph};
    add_places(&m, oracle, k->nreal);
    BlockClassInfo info = {.def = *oracle,
                           .tag = block_classes[i].tag,
                           .nreal = k->nreal,
                           .reversible = k->reversible,
                           .basic = basic,
                           .graph = &graph,
                           .symbols = m.symbols,
                           .nsymbol = m.n};
    info.def.name = block_classes[i].name;
    info.def.kernels = NULL;
    m.c = block_class_create(alloc, &info);
    if (m.c)
        block_classes[i].make(&m);
    if (m.c && block_class_finish(m.c) != TAPE_DONE) {
        block_class_destroy(m.c);
        m.c = NULL;
    }
    graph_drop(&graph);
    return m.c;
}

#endif
