/* net_plan.h - the plan of a net and the numbers of one thread, which the files of this folder
 * share: see net.c for the idea, net_solve.c for the equations.
 *
 * A Net is the plan: how a shape was taken apart, which cells are tied, how the linear system is
 * laid out and solved. It is made once for all lanes of the shape and all threads. A NetWork has
 * the numbers of one thread: coefficients, vectors, factors. Evaluations write to it alone.
 *
 * A cell is one part in one lane: a handful of unknowns u_i (padded to `block` of them). A point is
 * a node of a cell to which ties are connected. The numbers of a point that a tie reads stand
 * together, so that they are gathered at once:
 *
 *   signals (ns), potentials without unknowns p0 (np)
 *
 * and beside it P = dp/du (np x block) and Q = d residual / d flow taken there (block x NET_FLOWS).
 */
#ifndef LIEDER_MODEL_NET_PLAN_H
#define LIEDER_MODEL_NET_PLAN_H

#include "model/net/net.h"

enum {
    NET_BLOCK = 6,      /* most unknowns of a cell */
    NET_POTENTIALS = 6, /* most of a tie's port */
    NET_FLOWS = 3,
    NET_STRIP = 256, /* most cells or ties of a strip */
    NET_WIDTH = 8    /* rows of a band matrix that are worked on together, whatever the machine */
};

/* ------------------------------------------------------------------ parts and ties */

/* one plain run of a linear block: with the bias; and without it, with known potentials zero */
typedef struct PartOp {
    LiederCode code;
    uint32_t on, off; /* at[] in NetPart.at */
    uint32_t first_move, nmove;
} PartOp;

typedef struct PartUnknown {
    uint32_t place, residual, component;
} PartUnknown;

/* a link on the way from a point to the ground */
typedef struct GroundStep {
    LiederCode code;
    uint32_t at;                      /* all potentials zero */
    uint32_t first_zero, nzero;       /* moves that clear the flows at its ports */
    bool open;                        /* nothing else is connected where it is entered */
    uint32_t out, in;                 /* flows at the port it is entered through, and at `in` */
    uint32_t nout, nin, in_regimes;   /* flows of one regime */
    uint32_t first_unknown, nunknown; /* of the part */
} GroundStep;

typedef struct TiePoint {
    uint32_t signals, potentials;
    uint32_t ns, np, nf;
    uint32_t first_step, nstep;
    uint32_t first_map; /* in NetPart.maps */
} TiePoint;

/* equal cells, which are the lanes of `ss` */
typedef struct NetPart {
    SystemShape ss;
    Shape shape;
    VEC(uint32_t) components; /* of the whole shape, component by component within a lane */
    VEC(uint32_t) cells;      /* by lane */
    VEC(uint32_t) states;     /* of the whole shape: state s of lane l at [s * nlane + l] */
    VEC(PartOp) outward, inward;
    VEC(FlowMove) moves;
    VEC(uint32_t) at;
    VEC(PartUnknown) unknowns;
    VEC(TiePoint) points;
    VEC(GroundStep) steps;
    VEC(uint64_t) signature;
    uint64_t hash;
    uint32_t number;
    uint32_t nmap;     /* numbers of a lane in NetPartWork.maps */
    size_t only_strip; /* lanes of a strip, if maps are kept for the strip at hand only; else 0 */
} NetPart;

/* in NetTie.pairs: the tie's second cell is the first of the pair; the first tie of a pair */
enum { PAIR_TURNED = 1, PAIR_FIRST = 2, PAIR_BITS = 2 };

/* ties of one class; they are the lanes of `ss`, a shape of one component */
typedef struct NetTie {
    SystemShape ss;
    Shape shape;
    VEC(uint32_t) components; /* of the whole shape */
    VEC(uint32_t) points;     /* two by two */
    VEC(uint32_t) cells;      /* two by two */
    VEC(uint32_t) pairs;      /* off-diagonal block and the bits below; or NOWHERE */
    size_t answer_size;       /* of one flow, in NetTieWork.answer */
    uint32_t save;            /* of K and k0 in the record */
    uint32_t ns, np, nf;
} NetTie;

/* ------------------------------------------------------------------ the linear system */

/* Rows of k x k blocks in chunks of NET_WIDTH. A slot of a chunk holds one block per row; its
 * column is row + shift, the same for all rows of the chunk, or as `columns` says where shift is
 * NET_SCATTERED. On a mesh in its natural order nearly all slots are of the first kind. */
enum { NET_SCATTERED = INT32_MIN };
typedef struct Bands {
    uint32_t nrow, nchunk, nslot;
    uint32_t *first; /* by chunk: first slot; nchunk + 1 */
    int32_t *shift;
    uint32_t *columns; /* NET_WIDTH a slot; NULL: no slot is scattered */
    bool scattered;
    size_t plane; /* values of one entry of all blocks; k x k planes are in NetWork.bands */
} Bands;

typedef enum NetMethod { NET_ITERATE, NET_CHOLESKY, NET_LU } NetMethod;

typedef struct NetDirect NetDirect; /* net_direct.c */
typedef struct NetLuPlan NetLuPlan; /* net_direct.c */
typedef struct NetShare NetShare;   /* net_share.c */
typedef struct NetSubstructure NetSubstructure;

/* memory that goes all at once */
typedef struct NetPool {
    const LiederAllocator *alloc;
    bool failed; /* there was none */
    VEC(struct NetMemory {
        void *block;
        size_t bytes;
    })
    blocks;
} NetPool;

/* the plan */
typedef struct Net {
    NetPool pool;
    VEC(NetPart *) parts;
    VEC(NetTie *) ties;
    const struct NetOps *ops;
    const struct NetVectors *vectors;
    uint32_t ncell, npoint, ntie, block;
    uint32_t point_size, at_p0; /* in a point */
    uint32_t P_size;            /* of a point */
    size_t widest;              /* states of the largest strip of a part */
    uint32_t *point_cell;       /* by point */
    uint32_t *cell_point;       /* by cell: first point; ncell + 1 */
    uint32_t *cell_part, *cell_lane;
    uint32_t npair;
    uint32_t *pair_cells;
    /* iteration: cells of an independent set ("red") are eliminated, the others iterated on */
    uint32_t nred, nblack;
    uint32_t *position;    /* by cell: red ones first, then the others, then those of the halo from
                              net_halo_begin on */
    uint32_t *entry;       /* by pair: places of its two blocks in the band matrices; or NOWHERE */
    uint8_t *entry_matrix; /* 0: red row, black column; 1: black, red; 2: black, black */
    Bands bands[3];
    size_t vector_bytes;
    size_t stride[2]; /* of red and black vectors, from component to component */
    /* how it is solved: chosen by net_check from the system at the start */
    NetMethod method;
    size_t start_iterations;
    bool start_converged;
    double start_stiffest;            /* NetWork.stiffest there */
    double iterate_cost, direct_cost; /* estimates, in seconds */
    bool constant;                    /* the matrix did not change when the states moved */
    uint64_t couples;                 /* NetWork.couples that factors are made ready for: what the
                                         start and other states show, or all */
    bool needs_factors;               /* the matrix changes: iteration may give up */
    bool needs_lu;                    /* and loses its symmetry in some states */
    int *factor_order;                /* of the unknowns, for Cholesky factors; or NULL */
    NetLuPlan *lu;                    /* of a matrix without symmetry, or NULL */
    /* Parameters of parts and ties are those of a lane of the whole: lists for what differs, set by
     * net_reserve when parameters of the whole have been set */
    bool reserved;  /* the lists are there */
    size_t numbers; /* how often they were made */
    /* of ranks that share the net, which has one lane then and is used by one thread; NULL: no
     * other ranks */
    NetShare *share;
    uint8_t *halo; /* then, by cell: 1 if its unknowns come from another rank */
    uint32_t nhalo;
} Net;

/* a part in one thread */
typedef struct NetPartWork {
    const NetPart *part;
    Workspace *workspace; /* a strip of its lanes */
    /* Q and P of its points and M of every lane, strip by strip, as they were last found; or of the
     * strip at hand only, where memory counts more than time */
    double *maps;
} NetPartWork;

/* the ties of one class in one thread */
typedef struct NetTieWork {
    const NetTie *tie;
    Workspace *workspace;
    double *answer;       /* flow by flow; for NET_WIDTH ties each Lambda (2 x block), lambda0 */
    bool live[NET_FLOWS]; /* flows that answer to anything at all */
} NetTieWork;

/* the numbers of one thread */
struct NetWork {
    const Net *net;
    NetPool pool;
    NetPartWork *parts;
    NetTieWork *ties;
    double *points, *P, *Q;
    double *flows;        /* npoint x NET_FLOWS: sums at the points */
    double *own;          /* M: block x block for each cell, without ties */
    double *diagonal;     /* with them */
    double *factor;       /* its Cholesky factor, inverse diagonal */
    double *bias;         /* residuals at u = 0 without ties */
    size_t version;       /* of the matrix: grows whenever a coefficient has changed */
    bool changed;         /* one has, in the evaluation at hand */
    bool live[NET_FLOWS]; /* flows that some tie answers with: the others need no Q */
    double *u, *residual, *scaled;
    bool fresh;         /* the residual is that at u = 0 */
    double *pair_block; /* A_ij, i the first cell of the pair */
    double stiffest;    /* largest ratio of a diagonal with ties to that without */
    double lopsided;    /* largest |A_ij - A_ji^T| over the largest |A_ij| of the tie */
    double *states;     /* of a strip */
    size_t numbers;     /* Net.numbers when the workspaces were filled with parameters, */
    size_t loaded;      /* and the lane of the whole that they belong to */

    size_t scaled_version; /* of the matrix that `factor` and the bands belong to */
    uint64_t couples; /* bit i * block + j: unknowns i and j of some cells answer to each other */
    float *bands[3];  /* k x k planes; in each (slot, row of the chunk) */
    float *red, *red_right, *right, *x, *r, *p, *q;
    NetDirect *direct;
    NetSubstructure *substructure;
    size_t iterations, rounds; /* of the last solve */
    bool unsettled;            /* ranks share it, and have no way to solve it */
};

/* zeroed and aligned memory that lives as long as its pool; NULL if there is none */
void *net_get(NetPool *pool, size_t n, size_t size);

/* ------------------------------------------------------------------ loops over lanes */

/* net_lanes.c */
typedef struct NetOps {
    /* linear maps of n cells out of a strip whose explicit blocks have run */
    void (*cells)(NetWork *w, const NetPartWork *part, const LiederStrip *strip, size_t lane,
                  size_t n);
    /* unknowns into the records of n cells, and outward */
    void (*outward)(NetWork *w, const NetPartWork *part, const LiederStrip *strip, size_t lane,
                    size_t n);
    /* signals of the points into n ties; then their answers out of K and k0, summed at the points
     */
    void (*gather)(NetWork *w, const NetTieWork *tie, const LiederStrip *strip, size_t first,
                   size_t n);
    void (*answer)(NetWork *w, NetTieWork *tie, const LiederStrip *strip, size_t first, size_t n);
    /* what ties add to the matrix */
    void (*add_blocks)(NetWork *w, const NetTieWork *tie);
} NetOps;

/* net_vectors.c */
typedef struct NetVectors {
    /* the residual at u = 0 out of the bias and the sums at the points; returns 0 if all of it is
     * finite */
    double (*start)(NetWork *w);
    /* y = A x tie by tie, or what is missing: y = -(r + A x), r at u = 0 */
    void (*multiply)(NetWork *w, const double *x, bool missing, double *y);
    /* scaled blocks into the band matrices; false: a diagonal block is not positive definite */
    bool (*scale)(NetWork *w, uint32_t *cell);
    /* scaled = L^-1 r; returns its squared length */
    double (*into_scale)(const NetWork *w, const double *r, double *scaled);
    /* u += L^-T (size z), z in the order of the bands; returns the squared length of size z */
    double (*out_of_scale)(NetWork *w, double size);
    /* the right-hand side: red_right and right out of `scaled` / size */
    void (*split)(NetWork *w, double size);
    void (*band_red)(NetWork *w, const float *x, float *y, const float *base); /* y = base - A x */
    double (*band_black)(NetWork *w);           /* q = S p; returns p q */
    double (*descend)(NetWork *w, float alpha); /* x += alpha p, r -= alpha q; returns r r */
    void (*turn)(NetWork *w, float beta);       /* p = r + beta p */
} NetVectors;

extern const NetOps net_ops_scalar, net_ops_scalar_fma, net_ops_sse2, net_ops_avx2, net_ops_avx512;
extern const NetVectors net_vectors_scalar, net_vectors_scalar_fma, net_vectors_sse2,
    net_vectors_avx2, net_vectors_avx512;

const NetOps *net_ops_of(LiederIsa isa);
const NetVectors *net_vectors_of(LiederIsa isa);

/* net.c: room for numbers that cells or ties do not share; false: no memory */
bool net_reserve(const SystemShape *ss, Net *net);

/* net_divide.c */
typedef struct Division {
    VEC(uint8_t) shared;            /* by component */
    VEC(uint32_t) part;             /* by component: number of its part; NOWHERE: shared or a tie */
    VEC(uint32_t) unknowns, states; /* by part */
    size_t nunknown, largest, npart, ntie;
} Division;

bool net_divide(const Shape *shape, Division *d, const LiederAllocator *alloc);
void net_division_drop(Division *d, const LiederAllocator *alloc);
/* a leaf between two nodes that move */
bool net_is_tie(const Shape *shape, const Component *c);

/* net_wire.c: wires the linear passes of a part whose program is there; tied: by node */
bool net_wire(NetPart *part, const uint8_t *tied, const LiederAllocator *alloc);

/* net_solve.c */
LiederStatus net_linear_plan(Net *net);
bool net_linear_create(NetWork *w); /* its numbers; false: no memory */
/* Finds u from own, pair_block, diagonal, bias and answers. *cell: where it failed. */
bool net_linear_solve(NetWork *w, uint32_t *cell);
/* After a change of the matrix: stiffest, by the diagonals with and without ties, and lopsided,
 * since a part's own block may lack symmetry, too. */
void net_compare_diagonals(NetWork *w);
/* decides between iteration and factorisation by trying them on the system at hand */
bool net_linear_choose(Net *net, NetWork *w, uint32_t *cell);
/* Which unknowns of cells answer to each other in the system at hand; all of them where that cannot
 * be found. *symmetric: whether its matrix is. */
uint64_t net_find_couples(NetWork *w, bool *symmetric);
/* whether the unknowns i and j of some cells, the same or tied ones, answer to each other */
static inline bool net_couples(const Net *net, uint64_t couples, size_t i, size_t j)
{
    return i == j || (couples >> (i * net->block + j) & 1);
}
static inline uint64_t net_all_couples(const Net *net)
{
    return ((uint64_t)1 << net->block * net->block) - 1;
}

/* what both ways of solving share */
size_t net_order(const Net *net);
void net_start(NetWork *w);         /* u = 0 and the residual there */
void net_find_residual(NetWork *w); /* what is missing at u */
/* part of the mass that is lost in a matrix whose numbers are `unit` apart */
double net_mass_lost(const NetWork *w, double unit);
/* whether the error after a correction is rounding */
bool net_settled(const NetWork *w, double step, double before, double whole, double unit);

/* Places of black vectors where the halo begins: a chunk of its own. */
static inline uint32_t net_halo_begin(const Net *net)
{
    return (net->nblack + NET_WIDTH - 1) / NET_WIDTH * NET_WIDTH;
}

/* net_share.c: what ranks that share a net do together. Without other ranks these cost nothing. */
LiederStatus net_share_create(Net *net, const LiederSystem *system, const SystemShape *ss);
void net_share_drop(Net *net);
void net_share_pairs(Net *net, uint8_t *black); /* cells that other ranks read are black */
double net_total(const Net *net, double here);  /* sum over the ranks, in their order */
void net_greatest(const Net *net, double *values, size_t n);
bool net_any(const Net *net, bool here);
LiederStatus net_status(const Net *net, LiederStatus here);   /* the worst one */
void net_fetch(const Net *net, double *vector, size_t width); /* of the halo, `width` for a cell */
void net_fetch_black(const Net *net, float *vector);
bool net_is_own(const Net *net, size_t cell);
/* sets the numbers of cells of the halo that a rank behind this one owns */
void net_mark_behind(const Net *net, double *vector, double mark);
/* the ranks of a net that is cut, or NULL */
const LiederRanks *net_ranks(const Net *net);
/* the sum of `here` over the ranks before this one; *all: over all ranks */
size_t net_count_before(const Net *net, size_t here, size_t *all);

/* net_substructure.c: factors of ranks that share a net. All of them call each of these together,
 * and come to the same result. */
/* entries and flops: of the slowest rank; false: no memory */
bool substructure_analyse(NetWork *w, double *entries, double *flops);
/* the factors, with the diagonal lifted; false: it is not positive definite, or no memory */
bool substructure_factorise(NetWork *w, double lift);
/* z of own cells and of the halo for the right-hand side r of own cells */
void substructure_solve(NetWork *w, const double *r, double *z);
void substructure_drop(NetWork *w);

/* net_direct.c */
bool net_solve_cholesky(NetWork *w, uint32_t *cell);
bool net_solve_lu(NetWork *w, uint32_t *cell);
/* seconds that a solution takes, analysing the matrix first, whose order the net keeps; false: no
 * memory */
bool net_direct_cost(Net *net, NetWork *w, double *seconds);
/* makes what the factors of a thread need by the method of the net, so that evaluations allocate
 * nothing; false: no memory */
bool net_direct_prepare(NetWork *w);
void net_direct_destroy(NetWork *w);
/* pattern and order of the matrix without symmetry; false: no memory */
bool net_plan_lu(Net *net);
void net_plan_lu_drop(Net *net);

#endif
