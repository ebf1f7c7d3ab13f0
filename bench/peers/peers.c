/* peers.c - other programs on the same mechanisms, in one run: do they find the same accelerations,
 * and how long does it take them.
 *
 * Classical mechanics (T_D = 0), which all of them know. The exit code is 1 if a difference in a
 * chain of 1 ... 200 links, or in any number of cart-poles, exceeds 1e-8 of the largest
 * acceleration. In longer chains MuJoCo loses digits, with a mass matrix whose condition grows with
 * n; Simbody, which eliminates link by link as we do, still agrees to 1e-14. Times are of the
 * processor, for one evaluation from positions and velocities to accelerations, per link or
 * cart-pole.
 *
 *   lieder-bench-peers
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"
#include "tree.h"

static const double ADMISSIBLE = 1e-8;
enum { JUDGED = 200 }; /* links */
static const Peer *const peers[] = {&peer_mujoco, &peer_mujoco_bare, &peer_simbody};
enum { NPEER = sizeof peers / sizeof *peers };

static const PeerLink link = {.l = 1, .m = 1, .I = 1e-2};
static const PeerCart cart = {.cart = 2, .load = 1, .I = 1e-2, .l = 1};

/* ------------------------------------------------------------------ Lieder's side */

/* a mechanism with the places of positions and velocities in its state, in the order of peers */
typedef struct Ours {
    Subject subject, compiled;
    size_t ncoordinate;
    size_t *position, *velocity;
} Ours;

static void build_chain(Subject *s, size_t n)
{
    int *parent = malloc(n * sizeof *parent);
    for (size_t i = 0; i < n; i++)
        parent[i] = (int)i - 1;
    lieder_model_set(tree_build(s->session, "Links", parent, n, link.l, link.m), "body.I", link.I);
    LiederModel *m = lieder_model_create(s->session, "Hanging", "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add(m, "unit", "Links");
    subject_ready(s, "Hanging", LIEDER_METHOD_AUTO, -1, 1);
    free(parent);
}

static void build_carts(Subject *s, size_t n)
{
    LiederModel *m = lieder_model_create(s->session, "Carts", "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add_array(m, "unit", "Examples.CraneCrab", n);
    lieder_model_set(m, "unit.cart.m", cart.cart);
    lieder_model_set(m, "unit.load.m", cart.load);
    lieder_model_set(m, "unit.load.I", cart.I);
    lieder_model_set(m, "unit.rod.r[2]", -cart.l);
    subject_ready(s, "Carts", LIEDER_METHOD_AUTO, -1, 1);
}

static Ours ours_new(bool carts, size_t n)
{
    static const char *const paths[2][2] = {{"unit.revolute[%zu].phi", "unit.revolute[%zu].w"},
                                            {"unit[%zu].prismatic.s", "unit[%zu].prismatic.v"}};
    Ours o = {.ncoordinate = carts ? 2 * n : n};
    void (*build)(Subject * s, size_t n) = carts ? build_carts : build_chain;
    subject_begin(&o.subject, "", "", n);
    build(&o.subject, n);
    subject_begin(&o.compiled, "", "", n);
    build(&o.compiled, n);
    subject_compile(&o.compiled);
    o.position = subject_states(&o.subject, paths[carts][0], n);
    o.velocity = subject_states(&o.subject, paths[carts][1], n);
    if (!carts)
        return o;
    /* slider, hinge, slider ... */
    size_t *hinge[2] = {subject_states(&o.subject, "unit[%zu].revolute.phi", n),
                        subject_states(&o.subject, "unit[%zu].revolute.w", n)};
    size_t *all[2] = {malloc(2 * n * sizeof(size_t)), malloc(2 * n * sizeof(size_t))};
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            all[k][2 * i] = k ? o.velocity[i] : o.position[i];
            all[k][2 * i + 1] = hinge[k][i];
        }
    free(o.position);
    free(o.velocity);
    free(hinge[0]);
    free(hinge[1]);
    o.position = all[0];
    o.velocity = all[1];
    return o;
}

static void ours_drop(Ours *o)
{
    subject_drop(&o->subject);
    subject_drop(&o->compiled);
    free(o->position);
    free(o->velocity);
}

/* ------------------------------------------------------------------ comparing */

/* gives a peer our state; the difference of accelerations, relative to the largest */
static double compare(Ours *o, const Peer *peer, void *theirs)
{
    size_t n = o->ncoordinate;
    double *q = calloc(4 * n, sizeof *q), *v = q + n, *a = v + n, *b = a + n;
    for (size_t i = 0; i < n; i++) {
        q[i] = o->subject.x[o->position[i]];
        v[i] = o->subject.x[o->velocity[i]];
    }
    peer->set(theirs, q, v);
    peer->evaluate(theirs);
    peer->accelerations(theirs, b);
    subject_evaluate(&o->subject);
    for (size_t i = 0; i < n; i++)
        a[i] = o->subject.dx[o->velocity[i]];
    double most = difference(a, b, n);
    free(q);
    return most;
}

/* largest differences over chains of 1 ... 200 links */
static bool agree(void)
{
    double worst[NPEER] = {0};
    size_t where[NPEER] = {0};
    for (size_t n = 1; n <= JUDGED; n++) {
        Ours o = {.ncoordinate = n};
        subject_begin(&o.subject, "chain", "", n);
        build_chain(&o.subject, n);
        o.position = subject_states(&o.subject, "unit.revolute[%zu].phi", n);
        o.velocity = subject_states(&o.subject, "unit.revolute[%zu].w", n);
        for (int i = 0; i < NPEER; i++) {
            void *theirs = peers[i]->chain(n, link);
            double most = compare(&o, peers[i], theirs);
            if (!(most <= worst[i])) {
                worst[i] = most;
                where[i] = n;
            }
            peers[i]->drop(theirs);
        }
        ours_drop(&o);
    }
    bool ok = true;
    printf("chains of 1 ... %d links, largest difference of accelerations to Lieder\n", JUDGED);
    for (int i = 0; i < NPEER; i++) {
        printf("  %-12s %.1e at n = %zu\n", peers[i]->name, worst[i], where[i]);
        ok &= worst[i] <= ADMISSIBLE;
    }
    return ok;
}

static bool measure(bool carts, size_t n)
{
    Ours o = ours_new(carts, n);
    enum { OURS = 2 };
    Runner runners[OURS + NPEER] = {{.evaluate = subject_evaluate, .user = &o.subject},
                                    {.evaluate = subject_evaluate, .user = &o.compiled}};
    double worst = 0;
    for (int i = 0; i < NPEER; i++) {
        void *theirs = (carts ? peers[i]->carts(n, cart) : peers[i]->chain(n, link));
        worst = fmax(worst, compare(&o, peers[i], theirs));
        runners[OURS + i] = (Runner){.evaluate = peers[i]->evaluate, .user = theirs};
    }
    race(runners, OURS + NPEER, (double)n);
    double best = runners[OURS - 1].ns;
    printf("%-10s %6zu %9.1f %9.1f", carts ? "cart-poles" : "chain", n, runners[0].ns, best);
    for (int i = 0; i < NPEER; i++) {
        printf(" %11.1f %7.1f", runners[OURS + i].ns, runners[OURS + i].ns / best);
        peers[i]->drop(runners[OURS + i].user);
    }
    printf("   %.1e\n", worst);
    fflush(stdout);
    ours_drop(&o);
    return worst <= ADMISSIBLE || (!carts && n > JUDGED);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* bench_fail leaves at once */
    static const size_t chains[] = {1, 8, 32, 128, 512}, carts[] = {1, 16, 256, 1024};
    bool ok = agree();
    printf("\nns per link or cart-pole, and times the faster of Lieder's two\n"
           "%-10s %6s %9s %9s",
           "", "n", "kernels", "compiled");
    for (int i = 0; i < NPEER; i++)
        printf(" %11s %7s", peers[i]->name, "times");
    printf("   difference\n");
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        ok &= measure(false, chains[i]);
    for (size_t i = 0; i < sizeof carts / sizeof *carts; i++)
        ok &= measure(true, carts[i]);
    if (!ok)
        printf("accelerations differ by more than %g\n", ADMISSIBLE);
    return !ok;
}
