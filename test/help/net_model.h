/* net_model.h - n x n cells tied to their neighbours by damped springs. */
#ifndef TEST_HELP_NET_MODEL_H
#define TEST_HELP_NET_MODEL_H

#include "help/engine.h"

typedef enum NetCell {
    CELL_SLIDES, /* two sliding joints along x and y */
    CELL_TURNED, /* two sliding joints along directions that differ from cell to cell */
    CELL_ARM,    /* a turning joint, a rod and a body at its end */
    CELL_FREE,   /* three degrees of freedom */
    CELL_MIXED,  /* one of these, cell by cell */
    CELL_LINE    /* one sliding joint, in one dimension */
} NetCell;

typedef struct NetOptions {
    size_t n;
    NetCell cell;
    double mass, stiffness, damping, TD;
    double other_TD; /* of every third cell, if not zero */
    bool held;       /* the first row hangs on the ground */
    bool unequal;    /* masses and stiffnesses differ */
} NetOptions;

static inline void net_set(LiederModel *m, const char *kind, size_t i, size_t j, const char *what,
                           double value)
{
    char path[96];
    snprintf(path, sizeof path, "%s_%zu_%zu.%s", kind, i, j, what);
    lieder_model_set(m, path, value);
}

static inline void net_set_vector(LiederModel *m, const char *kind, size_t i, size_t j,
                                  const char *what, double x, double y)
{
    char path[96];
    snprintf(path, sizeof path, "%s_%zu_%zu.%s", kind, i, j, what);
    lieder_model_set_vector(m, path, (double[]){x, y}, 2);
}

static inline void net_add(LiederModel *m, const char *kind, size_t i, size_t j,
                           const char *class_name)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%zu_%zu", kind, i, j);
    lieder_model_add(m, name, class_name);
}

/* from and to are ports of cells (i, j) and (k, l), or of the ground (no kind) */
static inline void net_connect(LiederModel *m, const char *kind, size_t i, size_t j,
                               const char *port, const char *to_kind, size_t k, size_t l,
                               const char *to_port)
{
    char a[96], b[96];
    snprintf(a, sizeof a, "%s_%zu_%zu.%s", kind, i, j, port);
    if (to_kind)
        snprintf(b, sizeof b, "%s_%zu_%zu.%s", to_kind, k, l, to_port);
    else
        snprintf(b, sizeof b, "ground.%s", to_port);
    lieder_model_connect(m, a, b);
}

/* the last component of a cell: its frame_b (flange_b) is where springs take hold */
static inline const char *net_end(NetCell cell)
{
    return cell == CELL_ARM ? "rod" : "end";
}

static inline NetCell net_cell(const NetOptions *o, size_t i, size_t j)
{
    static const NetCell kinds[] = {CELL_SLIDES, CELL_ARM, CELL_FREE, CELL_TURNED};
    return o->cell == CELL_MIXED ? kinds[(3 * i + j) % 4] : o->cell;
}

static inline void net_add_cell(LiederModel *m, const NetOptions *o, size_t i, size_t j)
{
    NetCell cell = net_cell(o, i, j);
    double TD = o->other_TD != 0 && (i + 2 * j) % 3 == 0 ? o->other_TD : o->TD;
    double mass = o->mass * (o->unequal ? 1 + 0.5 * sin((double)(i + 7 * j)) : 1);
    if (cell == CELL_LINE) {
        net_add(m, "end", i, j, "Translational.Joint");
        net_add(m, "body", i, j, "Translational.Body");
        net_connect(m, "end", i, j, "flange_a", NULL, 0, 0, "flange_b");
        net_connect(m, "body", i, j, "flange_a", "end", i, j, "flange_b");
        net_set(m, "end", i, j, "TD", TD);
        net_set(m, "body", i, j, "m", mass);
        return;
    }
    net_add(m, "body", i, j, "Planar.Body");
    net_set(m, "body", i, j, "m", mass);
    if (cell == CELL_SLIDES || cell == CELL_TURNED) {
        double angle = cell == CELL_TURNED ? sin((double)(3 * i + 5 * j)) : 0;
        net_add(m, "first", i, j, "Planar.Prismatic");
        net_add(m, "end", i, j, "Planar.Prismatic");
        net_set_vector(m, "first", i, j, "r", cos(angle), sin(angle));
        net_set_vector(m, "end", i, j, "r", -sin(angle), cos(angle));
        net_connect(m, "first", i, j, "frame_a", NULL, 0, 0, "frame");
        net_connect(m, "first", i, j, "frame_b", "end", i, j, "frame_a");
        net_set(m, "first", i, j, "TD", TD);
        net_set(m, "end", i, j, "TD", TD);
    } else if (cell == CELL_ARM) {
        net_add(m, "first", i, j, "Planar.Revolute");
        net_add(m, "rod", i, j, "Planar.FixedTranslation");
        net_set_vector(m, "rod", i, j, "r", 0.5, 0.1 * (double)(j % 3));
        net_connect(m, "first", i, j, "frame_a", NULL, 0, 0, "frame");
        net_connect(m, "first", i, j, "frame_b", "rod", i, j, "frame_a");
        net_set(m, "first", i, j, "TD", TD);
    } else {
        net_add(m, "end", i, j, "Planar.FreeMotion");
        net_set(m, "body", i, j, "I", 0.1 * mass);
        net_connect(m, "end", i, j, "frame_a", NULL, 0, 0, "frame");
        net_set(m, "end", i, j, "TD", TD);
    }
    net_connect(m, "body", i, j, "frame_a", net_end(cell), i, j, "frame_b");
}

static inline void net_add_spring(LiederModel *m, const NetOptions *o, const char *kind, size_t i,
                                  size_t j, size_t k, size_t l)
{
    bool line = o->cell == CELL_LINE, ground = k >= o->n;
    const char *a = line ? "flange_a" : "frame_a", *b = line ? "flange_b" : "frame_b";
    double c = o->stiffness * (o->unequal ? 1 + 0.5 * cos((double)(3 * i + j)) : 1);
    net_add(m, kind, i, j, line ? "Translational.SpringDamper" : "Planar.SpringDamper");
    net_set(m, kind, i, j, "TD", o->TD);
    if (line) {
        net_set(m, kind, i, j, "c", c);
        net_set(m, kind, i, j, "d", o->damping);
    } else {
        net_set(m, kind, i, j, "c_x", c);
        net_set(m, kind, i, j, "c_y", 0.7 * c);
        net_set(m, kind, i, j, "c_phi", 0.01 * c);
        net_set(m, kind, i, j, "d_x", o->damping);
        net_set(m, kind, i, j, "d_y", o->damping);
    }
    net_connect(m, kind, i, j, a, net_end(net_cell(o, i, j)), i, j, b);
    net_connect(m, kind, i, j, b, ground ? NULL : net_end(net_cell(o, k, l)), k, l,
                ground && !line ? "frame" : b);
}

static inline LiederModel *net_model(Lieder *session, const char *name, NetOptions o)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "ground", o.cell == CELL_LINE ? "Translational.Fixed" : "Planar.Fixed");
    for (size_t i = 0; i < o.n; i++)
        for (size_t j = 0; j < o.n; j++)
            net_add_cell(m, &o, i, j);
    for (size_t i = 0; i < o.n; i++)
        for (size_t j = 0; j < o.n; j++) {
            if (j + 1 < o.n)
                net_add_spring(m, &o, "weft", i, j, i, j + 1);
            if (i + 1 < o.n)
                net_add_spring(m, &o, "warp", i, j, i + 1, j);
            if (i == 0 && o.held)
                net_add_spring(m, &o, "edge", i, j, o.n, j);
        }
    return m;
}

#endif
