/* balls.c - fleets of bouncing balls with different restitutions: every lane has its own clock and
 * its own impacts. What one ball costs must not depend on how many there are: 64, 1000, 100 000 are
 * measured in turn, in one process. The ball of examples/bouncing_ball.c and the same as text, with
 * and without drag; ns are per ball and evaluation of its right-hand side, events included. */
#include <math.h>
#include <stdlib.h>

#include "front/front.h"

#include "bench.h"

#define main bouncing_ball_main
int bouncing_ball_main(void);
#include "../examples/bouncing_ball.c"
#undef main

enum { NSIZE = 3 };
static const size_t SIZES[NSIZE] = {64, 1000, 100000};

static const char TEXT[] = "model TextBall\n"
                           "  parameter Real g = 9.81, e = 0.9, beta = 0;\n"
                           "  Real x(start = 10, fixed = true), v(start = 0, fixed = true);\n"
                           "  Integer impacts(start = 0, fixed = true);\n"
                           "equation\n"
                           "  der(x) = v;\n"
                           "  der(v) = -g - beta*v*noEvent(abs(v));\n"
                           "  when x < 0 then\n"
                           "    reinit(x, 0);\n"
                           "    reinit(v, -e*pre(v));\n"
                           "    impacts = pre(impacts) + 1;\n"
                           "  end when;\n"
                           "end TextBall;\n";

typedef struct Balls {
    const char *case_, *tier;
    double beta;
    size_t nsize;
} Balls;

typedef struct Fleet {
    Subject s;
    Front *front;
    LiederStatistics statistics;
    size_t rows;
} Fleet;

static const char *class_from_text(Fleet *f)
{
    const char *name = NULL;
    f->front = front_create(f->s.session);
    if (front_load_text(f->front, "balls", TEXT) != LIEDER_DONE ||
        front_instantiate(f->front, "TextBall", NULL, 0, NULL, &name) != LIEDER_DONE)
        bench_fail("the text of the ball is wrong");
    return name;
}

static void prepare(Fleet *f, const Balls *job, size_t n)
{
    Subject *s = &f->s;
    *f = (Fleet){0};
    subject_begin(s, job->case_, job->tier, n);
    lieder_class_register(s->session, &ball_class);
    bool text = job->tier[0] == 't';
    LiederModel *m = lieder_model_create(s->session, "Fleet", "");
    lieder_model_add_array(m, "ball", text ? class_from_text(f) : "Ball", n);
    double *e = malloc(n * sizeof *e);
    for (size_t i = 0; e && i < n; i++)
        e[i] = 0.8 + 0.1 * (double)(i * 7919 % n) / (double)n;
    lieder_model_set_each(m, "ball.e", e, n);
    lieder_model_set(m, "ball.beta", job->beta);
    lieder_model_set(m, "ball.x", 1);
    free(e);
    s->system = lieder_system_create(s->session, "Fleet", NULL);
    if (!s->system)
        bench_fail("no fleet of balls");
}

static bool count_row(void *user, double t, const double *x, LiederRow kind)
{
    (void)t;
    (void)x;
    (void)kind;
    ((Fleet *)user)->rows++;
    return true;
}

static void simulate(void *user)
{
    Fleet *f = user;
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = 3.5;
    o.interval = 0.175;
    o.solver = LIEDER_RK45;
    o.output = count_row;
    o.user = f;
    if (lieder_simulate(f->s.system, &o, &f->statistics) != LIEDER_DONE) {
        lieder_diagnostic_print_all(f->s.session, stderr);
        bench_fail("balls do not bounce");
    }
}

static void compare(Bench *bench, const void *argument)
{
    const Balls *job = argument;
    Fleet fleets[NSIZE];
    Runner runners[NSIZE];
    for (size_t i = 0; i < job->nsize; i++) {
        prepare(&fleets[i], job, SIZES[i]);
        runners[i] = (Runner){.evaluate = simulate, .user = &fleets[i]};
    }
    race(runners, job->nsize, 1);
    for (size_t i = 0; i < job->nsize; i++) {
        Record *r = &fleets[i].s.record;
        r->ns = runners[i].ns / (double)fleets[i].statistics.evaluations;
        r->steps = fleets[i].statistics.steps;
        r->threads = 1;
        snprintf(r->solver, sizeof r->solver, "rk45");
        if (fleets[i].statistics.lanes != SIZES[i] ||
            fleets[i].statistics.state_events < 4 * SIZES[i])
            bench_fail("balls have no clocks of their own");
        bench_report(bench, r);
    }
    for (size_t i = 0; i < job->nsize; i++) {
        front_destroy(fleets[i].front);
        subject_drop(&fleets[i].s);
    }
}

void bench_balls(Bench *bench)
{
    for (int drag = 0; drag < 2; drag++)
        for (int text = 0; text < 2; text++)
            bench_run(bench, compare,
                      &(Balls){.case_ = drag ? "bouncing balls with drag" : "bouncing balls",
                               .tier = text ? "text" : "kernels",
                               .beta = drag ? 0.05 : 0,
                               .nsize = bench->scope == BENCH_QUICK ? 2 : NSIZE});
}
