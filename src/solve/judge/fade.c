/* fade.c - oscillations that fixed steps damp and the model does not.
 *
 * A step h multiplies a motion with the eigenvalue lambda by R(z), z = h lambda, where the model
 * multiplies it by e^z. In the region of stability |R| < 1: rk3, rk4 and backward Euler let an
 * undamped oscillation fade, and nothing looks wrong. Per step the amplitude loses
 *
 *   a = Re z - ln |R(z)|  by the method,   d = max(0, -Re z)  by the model, as logarithms.
 *
 * The share L of the amplitude that is missing follows dL/dn = -d L + a p, where p is the amplitude
 * that is left: of free motions p e^(-d n) (1 - e^(-a n)) after n steps, of driven ones a p / d.
 * Damping of the model makes the model forget what the method has taken, so that only a > d / 20 is
 * seen at all. L > LOST is reported at the end of the run.
 *
 * z and p are found by examining subsystems at the begin, after 16, 32, 64, 128 and 256 steps, and
 * then each time after 256 steps or a sixteenth of those so far, whichever is more. With x'' along
 * the solution and the vectors
 *
 *   r_k = h^(k+2) J^k x'',   k = 0 ... 6 (J^k by differences of slopes)
 *
 * each state s has one oscillation if three successive equations agree,
 *
 *   r_(k+2) = beta r_(k+1) + alpha r_k,   z^2 = beta z + alpha,
 *
 * from k = 0 or, where slower motions are in the way, from k = 1 or 2. Its amplitude is |C| /
 * |z|^(k+2) with r_k = Re C, r_(k+1) = Re (C z), and p its part of the largest |x_s| or amplitude
 * so far. Motions that a slow drive prescribes are a small part of x'', whatever the eigenvalues
 * are. The state with the largest a p stands for the subsystem.
 *
 * The steps between two examinations count if the vector r_k of the first is still such an
 * oscillation at the second (after a contact has opened it is not), by the smaller a of both.
 *
 * Up to FADES_WATCHED subsystems are watched, those that lose most; of the others as many are
 * examined each time, in turn. Nets that are cut among ranks are not examined. Growth by the
 * method: growth.c, stability.c.
 */
#include "solve/judge/fade.h"

#include <math.h>
#include <string.h>

static const double LOST = 0.05, KEPT = 0.01;
/* REST: largest residual of a fit; SLOWEST: least |Im z| of an oscillation; NOTHING: part of a
 * nominal value that is no amplitude */
static const double REST = 0.05, SLOWEST = 1e-3, NOTHING = 1e-5;
enum { AT_FIRST = 16, STRIDE = 256, PART = 16, POWERS = 7, ROOMS = POWERS + 4 };

/* ------------------------------------------------------------------ creation */

LiederStatus fade_fit(Fade *f)
{
    size_t largest = subsystem_largest(f->system);
    if (f->room && largest <= f->largest)
        return LIEDER_DONE;
    size_t before = f->room ? ROOMS * f->largest * sizeof(double) + 1 : 0;
    double *room = memory_resize(SYSTEM_ALLOC(f->system), f->room, before,
                                 ROOMS * largest * sizeof(double) + 1);
    if (!room)
        return LIEDER_NO_MEMORY;
    f->room = room;
    f->largest = largest;
    return LIEDER_DONE;
}

LiederStatus fade_create(Fade *f, LiederSystem *system, LiederSolver solver, double h)
{
    *f = (Fade){.system = system, .solver = solver, .h = h, .nstate = system->nstate};
    size_t bytes = 2 * f->nstate * sizeof(double);
    f->direction = memory_resize(SYSTEM_ALLOC(system), NULL, 0, bytes + 1);
    if (!f->direction)
        return LIEDER_NO_MEMORY;
    memset(f->direction, 0, bytes);
    f->level = f->direction + f->nstate;
    return fade_fit(f);
}

void fade_drop(Fade *f)
{
    if (!f->system)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(f->system);
    if (f->direction)
        memory_free(alloc, f->direction, 2 * f->nstate * sizeof(double) + 1);
    if (f->room)
        memory_free(alloc, f->room, ROOMS * f->largest * sizeof(double) + 1);
    *f = (Fade){0};
}

/* ------------------------------------------------------------------ an oscillation */

/* what the method and the model take in a step of z, as logarithms */
static double method_loss(LiederSolver solver, double complex z)
{
    const LiederSolverInfo *info = lieder_solver_info(solver);
    double R = info->implicit ? -log(cabs(1 - z)) : log(cabs(method_factor(info->order, z)));
    return creal(z) - R;
}

static double model_loss(double complex z)
{
    return fmax(0, -creal(z));
}

/* the share of an amplitude that the method has taken after n steps at rates a and d, or before
 * that if it was larger */
static double largest_loss(double a, double d, double n)
{
    double best = d > 0 ? fmin(n, log1p(a / d) / a) : n;
    return exp(-d * best) * -expm1(-a * best);
}

/* z and amplitude from `count` numbers r_0 ... of a state, n apart; false: they are not those of a
 * single oscillation */
static bool fit_oscillation(const double *r, size_t n, int count, double complex *z,
                            double *amplitude)
{
    for (int k = 0; k + 4 < count; k++, r += n) {
        double p = r[0], q = r[n], u = r[2 * n], v = r[3 * n], w = r[4 * n], det = q * q - p * u;
        double alpha = (q * v - u * u) / det, beta = (q * u - p * v) / det;
        double size = pow(fabs(alpha), 1.5) * fabs(q) + fabs(alpha * u) + fabs(w);
        if (!isfinite(alpha) || !isfinite(beta) || !(size > 0) ||
            !(fabs(w - beta * v - alpha * u) <= REST * size))
            continue;
        double squared = -alpha - beta * beta / 4;
        if (!(squared > SLOWEST * SLOWEST))
            continue;
        *z = beta / 2 + I * sqrt(squared);
        *amplitude = hypot(p, (p * creal(*z) - q) / cimag(*z)) / pow(cabs(*z), k + 2);
        return isfinite(*amplitude);
    }
    return false;
}

/* to = h^2 x'' at x along the solution. room: two */
static bool second_derivative(const SubsystemStep *l, const double *x, double *to, double *room)
{
    double *slope = room, *moved = room + l->n, size = 0;
    if (!subsystem_slope(l, l->t, x, slope))
        return false;
    for (size_t i = 0; i < l->n; i++)
        size = fmax(size, fabs(slope[i]) / (subsystem_nominal(l, i) + fabs(x[i])));
    if (!(size > 0) || !isfinite(size))
        return false;
    double part = fmin(1e-6 / size, l->h / 64);
    for (size_t i = 0; i < l->n; i++)
        moved[i] = x[i] + part * slope[i];
    if (!subsystem_slope(l, l->t + part, moved, to))
        return false;
    for (size_t i = 0; i < l->n; i++)
        to[i] = (to[i] - slope[i]) / part * l->h * l->h;
    return true;
}

/* r_1 ... from r_0 */
static bool make_powers(const SubsystemStep *l, const double *x, double *r, int count, double *room)
{
    for (int k = 1; k < count; k++, r += l->n) {
        if (!subsystem_product(l, x, r, r + l->n, room))
            return false;
        for (size_t i = 0; i < l->n; i++)
            r[l->n + i] *= l->h;
    }
    return true;
}

/* ------------------------------------------------------------------ examinations */

static SubsystemStep lane_here(const Fade *f, size_t state, double t, const Moment *moment,
                               double *scratch)
{
    SubsystemStep l = subsystem_find(f->system, state, scratch);
    l.h = f->h;
    l.t = t;
    l.decided = t + STEP_MARGIN * f->h;
    l.moment = moment;
    return l;
}

/* the largest values of the subsystem so far */
static void raise_levels(Fade *f, const SubsystemStep *l, const double *whole)
{
    for (size_t s = 0; s < l->n; s++) {
        size_t at = home_state(l->ss, s, l->lane);
        f->level[at] = fmax(f->level[at], fabs(whole[at]));
    }
}

static double level_of(const Fade *f, size_t state)
{
    return fmax(f->level[state], NOTHING * state_nominal(f->system, state));
}

/* *w: the oscillation of the subsystem at x that loses most; keeps its vector r in f->direction */
static void read_oscillation(Fade *f, const SubsystemStep *l, const double *whole, Fading *w)
{
    double *x = f->room, *room = x + l->n, *r = room + 2 * l->n, best = 0;
    w->z = 0;
    subsystem_get(l, whole, x);
    if (!second_derivative(l, x, r, room) || !make_powers(l, x, r, POWERS, room))
        return;
    for (size_t s = 0; s < l->n; s++) {
        size_t at = home_state(l->ss, s, l->lane);
        double complex z;
        double amplitude;
        f->direction[at] = r[(POWERS - 5) * l->n + s];
        if (!fit_oscillation(r + s, l->n, POWERS, &z, &amplitude))
            continue;
        f->level[at] = fmax(f->level[at], amplitude);
        double loss = amplitude / level_of(f, at) * method_loss(f->solver, z);
        if (loss > best) {
            best = loss;
            w->state = at;
            w->z = z;
            w->amplitude = amplitude;
        }
    }
}

/* is the oscillation of the last examination still one of the subsystem at x? *z: its z now */
static bool read_again(const Fade *f, const SubsystemStep *l, const double *whole, const Fading *w,
                       double complex *z)
{
    double *x = f->room, *room = x + l->n, *r = room + 2 * l->n, unused;
    subsystem_get(l, whole, x);
    subsystem_get(l, f->direction, r);
    if (!make_powers(l, x, r, 5, room))
        return false;
    for (size_t s = 0; s < l->n; s++)
        if (home_state(l->ss, s, l->lane) == w->state)
            return fit_oscillation(r + s, l->n, 5, z, &unused);
    return false;
}

/* shares are parts of the largest value of a state, which may have risen since */
static void rescale(const Fade *f, Fading *w)
{
    if (!(w->level > 0))
        return;
    double level = level_of(f, w->shown);
    w->taken *= w->level / level;
    w->most *= w->level / level;
    w->level = level;
}

/* adds the loss by n steps to an oscillation that is there at both of their ends */
static void account(const Fade *f, Fading *w, double complex end, double n)
{
    double a = fmin(method_loss(f->solver, w->z), method_loss(f->solver, end));
    double d = fmax(model_loss(w->z), model_loss(end));
    rescale(f, w);
    if (!(a > 0))
        return;
    w->shown = w->state;
    w->shown_z = w->z;
    w->level = level_of(f, w->state);
    double share = w->amplitude / w->level;
    w->most = fmax(w->most, w->taken * exp(-d * n) + share * largest_loss(a, d, n));
    w->most = fmin(w->most, 1);
    w->taken = (w->taken - share * expm1(-a * n)) * exp(-d * n);
}

/* examines the subsystems that are watched */
static void examine_watched(Fade *f, double t, const Moment *moment, const double *x,
                            double *scratch)
{
    for (size_t i = 0; i < f->n; i++) {
        Fading *w = &f->watched[i];
        SubsystemStep l = lane_here(f, w->lane, t, moment, scratch);
        double complex z;
        raise_levels(f, &l, x);
        if (w->z != 0 && read_again(f, &l, x, w, &z))
            account(f, w, z, (double)f->since);
        w->z = 0;
        if (l.n > 0)
            read_oscillation(f, &l, x, w);
    }
}

/* what an oscillation loses in a step */
static double loss_of(const Fade *f, const Fading *w)
{
    return w->z != 0 ? w->amplitude / level_of(f, w->state) * method_loss(f->solver, w->z) : 0;
}

/* where an oscillation is kept: a free place, else that of one which loses less; or NULL */
static Fading *find_place(Fade *f, const Fading *w)
{
    double least = loss_of(f, w);
    Fading *found = NULL;
    if (f->n < FADES_WATCHED)
        return &f->watched[f->n++];
    for (size_t i = 0; i < f->n; i++)
        if (f->watched[i].most <= LOST / 2 && loss_of(f, &f->watched[i]) < least) {
            found = &f->watched[i];
            least = loss_of(f, found);
        }
    return found;
}

/* examines as many of the others, which take turns */
static void examine_others(Fade *f, double t, const Moment *moment, const double *x,
                           double *scratch)
{
    size_t first = f->turn;
    for (size_t k = 0; k < FADES_WATCHED; k++) {
        Fading w = {.lane = f->turn};
        bool known = false;
        for (size_t i = 0; i < f->n && !known; i++)
            known = f->watched[i].lane == f->turn;
        SubsystemStep l = lane_here(f, f->turn, t, moment, scratch);
        if (!known)
            raise_levels(f, &l, x);
        if (!known && l.n > 0)
            read_oscillation(f, &l, x, &w);
        Fading *place = !known && w.z != 0 ? find_place(f, &w) : NULL;
        if (place)
            *place = w;
        f->turn = subsystem_next(f->system, f->turn);
        if (f->turn == first)
            return;
    }
}

void fade_examine(Fade *f, size_t n, double t, const Moment *moment, const double *x,
                  double *scratch)
{
    if (!f->system || f->nstate == 0 || f->system->cut)
        return;
    f->since += n;
    size_t part = f->done / PART, pause = f->done < AT_FIRST ? AT_FIRST
                                          : f->done < STRIDE ? f->done
                                          : part > STRIDE    ? part
                                                             : STRIDE;
    if (n > 0 && f->since < pause)
        return;
    examine_watched(f, t, moment, x, scratch);
    examine_others(f, t, moment, x, scratch);
    f->done += f->since;
    f->since = 0;
}

/* ------------------------------------------------------------------ report */

/* the step that keeps the loss over the time of the run to KEPT, rounded down to two digits */
static double sufficient_step(const Fade *f, const Fading *w)
{
    double part = 1;
    for (int i = 0; i < 1000; i++, part *= 0.95) {
        double a = method_loss(f->solver, w->shown_z * part);
        if (!(a > 0) ||
            largest_loss(a, model_loss(w->shown_z * part), (double)f->done / part) <= KEPT)
            break;
    }
    double digit = pow(10, floor(log10(part * f->h)) - 1);
    return floor(part * f->h / digit) * digit;
}

void fade_report(Fade *f)
{
    Fading none = {0}, *w = &none;
    char name[600];
    for (size_t i = 0; i < f->n; i++) {
        rescale(f, &f->watched[i]);
        w = f->watched[i].most > w->most ? &f->watched[i] : w;
    }
    if (!(w->most > LOST))
        return;
    lieder_system_state_name(f->system, w->shown, name, sizeof name);
    diag_warning(
        &f->system->session->diag, NULL, name,
        "%s in steps of %g s damps a motion that the model does not: an oscillation of %.4g "
        "rad/s has lost an amplitude of %.3g by the method alone, %.3g %% of the largest "
        "value\nsteps of at most %.2g s take less than %g %% of it; a step that 'lieder "
        "eigen' calls stable only lets nothing grow; solvers that choose their step keep to "
        "their tolerance",
        lieder_solver_name(f->solver), f->h, cimag(w->shown_z) / f->h, w->most * w->level,
        100 * w->most, sufficient_step(f, w), 100 * KEPT);
}
