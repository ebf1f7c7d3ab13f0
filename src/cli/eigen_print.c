/* eigen_print.c - eigenvalues as a table, subsystem by subsystem, or as JSON; what the model does
 * by itself. */
#include <math.h>
#include <stdio.h>

#include "cli/eigen.h"

/* ------------------------------------------------------------------ names */

const char *eigen_state_name(const Analysis *a, const Block *b, size_t s, char *buffer, size_t size)
{
    const SystemShape *ss = &a->system->shapes.items[b->shape];
    return lieder_system_state_name(a->system, home_state(ss, s, b->lane), buffer, size);
}

const char *eigen_value_text(const Eigenvalue *v, char *buffer, size_t size)
{
    Motion motion = eigen_motion(v);
    double re = motion == MOTION_UNDAMPED || motion == MOTION_REST ? 0 : v->re;
    if (motion == MOTION_REST)
        snprintf(buffer, size, "0");
    else if (v->im != 0 && re == 0)
        snprintf(buffer, size, "+-%.6gi", fabs(v->im));
    else if (v->im != 0)
        snprintf(buffer, size, "%.6g +-%.6gi", re, fabs(v->im));
    else
        snprintf(buffer, size, "%.6g", re);
    return buffer;
}

/* ------------------------------------------------------------------ text */

enum { MANY = 40, MAX_SHOWN_SHAPES = 20 };
static const float SHOWN_SHARE = 0.02F;

/* the other half of a pair is not printed */
static bool is_shown(const Eigenvalue *v)
{
    return v->im >= 0;
}

/* the states that take part in a mode, with the share of each in percent */
static void print_shares(const Analysis *a, const Block *b, const Eigenvalue *v)
{
    char name[512];
    const char *between = "";
    for (int i = 0; i < SHARES; i++) {
        if (v->shares[i].part < SHOWN_SHARE)
            break;
        printf("%s%s %.0f%%", between,
               eigen_state_name(a, b, v->shares[i].state, name, sizeof name),
               100 * (double)v->shares[i].part);
        between = ", ";
    }
}

/* one eigenvalue with frequency, damping and time constant; several: its range over lanes */
static void print_row(const Analysis *a, const Block *b, size_t k, bool several)
{
    const Eigenvalue *v = &a->spectrum.values.items[b->first + k];
    char text[64], hertz[32] = "-", rate[32] = "-", damping[32] = "-", constant[32] = "-";
    Motion motion = eigen_motion(v);
    double size = hypot(v->re, v->im);
    if (v->im != 0 && motion != MOTION_REST) {
        snprintf(hertz, sizeof hertz, "%.5g", size / (2 * acos(-1)));
        snprintf(rate, sizeof rate, "%.5g", size);
        snprintf(damping, sizeof damping, "%.4g", motion == MOTION_UNDAMPED ? 0.0 : -v->re / size);
    }
    if (motion == MOTION_DECAYING || motion == MOTION_GROWING)
        snprintf(constant, sizeof constant, "%.4g%s", 1 / fabs(v->re),
                 motion == MOTION_GROWING ? "!" : "");
    printf("  %-24s %10s %10s %9s %10s  ", eigen_value_text(v, text, sizeof text), hertz, rate,
           damping, constant);
    if (several) {
        double least, most;
        spectrum_range(&a->spectrum, b->shape, k, &least, &most);
        snprintf(text, sizeof text, "%.4g..%.4g", least, most);
        printf("%-19s  ", text);
    }
    print_shares(a, b, v);
    putchar('\n');
}

/* the table of one kind of subsystem: its fastest lane, and how many eigenvalues are left out */
static void print_shape(const Analysis *a, uint32_t shape)
{
    const Spectrum *s = &a->spectrum;
    const LinearShape *ls = &a->linear.shapes.items[shape];
    size_t count, shown = 0, skipped = 0;
    const Block *b = spectrum_fastest(s, shape, &count);
    char name[512];
    if (!b)
        return;
    putchar('\n');
    if (ls->nlane > 1)
        printf("%zu subsystems of %zu states, %zu different; the fastest one is that of %s\n",
               ls->nlane, ls->n, count, eigen_state_name(a, b, 0, name, sizeof name));
    else if (a->linear.shapes.n > 1)
        printf("Subsystem of %zu states, with %s\n", ls->n,
               eigen_state_name(a, b, 0, name, sizeof name));
    if (!b->complete)
        printf("The %zu fastest of %zu eigenvalues, by %zu products; shares are |v|^2 of the "
               "states\n",
               b->n, ls->n, s->products);
    printf("  %-24s %10s %10s %9s %10s  ", "eigenvalue 1/s", "Hz", "rad/s", "damping",
           "constant s");
    if (count > 1)
        printf("%-19s  ", "|.| over all lanes");
    printf("%s\n", b->complete ? "takes part" : "moves most");
    for (size_t k = 0; k < b->n; k++) {
        if (!is_shown(&s->values.items[b->first + k]))
            continue;
        if (shown < MANY || a->settings->all) {
            print_row(a, b, k, count > 1);
            shown++;
        } else {
            skipped++;
        }
    }
    if (skipped)
        printf("  ... and %zu slower ones; --all prints them\n", skipped);
}

/* what the model does by itself */
static void print_motion(const Analysis *a)
{
    const Spectrum *s = &a->spectrum;
    size_t count[4] = {0};
    for (size_t i = 0; i < s->blocks.n; i++) {
        const Block *b = &s->blocks.items[i];
        for (size_t k = 0; k < b->n; k++)
            count[eigen_motion(&s->values.items[b->first + k])] += b->nlane;
    }
    const char *verdict = count[MOTION_GROWING]    ? "grows"
                          : count[MOTION_UNDAMPED] ? "swings on"
                          : count[MOTION_REST]     ? "decays but for motions at rest"
                                                   : "decays";
    if (spectrum_complete(s))
        printf("\nBy itself the model %s: ", verdict);
    else
        printf("\nOf the eigenvalues that were found ");
    printf("%zu decay, %zu are undamped, %zu grow, %zu are 0\n", count[MOTION_DECAYING],
           count[MOTION_UNDAMPED], count[MOTION_GROWING], count[MOTION_REST]);
}

/* the report as text: subsystems, what moves how, limits of steps */
static void print_text(const Analysis *a)
{
    printf("%s at t = %g s: %zu states\n", a->loaded.title, a->point.t, a->system->nstate);
    if (a->system->nstate == 0)
        return;
    uint32_t shown = 0, left = 0;
    for (uint32_t i = 0; i < a->linear.shapes.n; i++) {
        if (a->linear.shapes.items[i].n == 0)
            continue;
        if (shown++ < MAX_SHOWN_SHAPES || a->settings->all)
            print_shape(a, i);
        else
            left++;
    }
    if (left)
        printf("\n... and %u subsystems more; --all prints them\n", left);
    print_motion(a);
    eigen_print_steps(a);
}

/* ------------------------------------------------------------------ JSON */

/* one eigenvalue as a JSON object */
static void json_eigenvalue(const Analysis *a, const Block *b, const Eigenvalue *v)
{
    static const char *const motions[] = {"rest", "decaying", "undamped", "growing"};
    char names[SHARES][512];
    const char *texts[SHARES];
    double parts[SHARES], size = hypot(v->re, v->im);
    size_t n = 0;
    for (; n < SHARES && v->shares[n].part > 0; n++) {
        texts[n] = eigen_state_name(a, b, v->shares[n].state, names[n], sizeof names[n]);
        parts[n] = (double)v->shares[n].part;
    }
    json_begin(a->to, "eigenvalue");
    json_count(a->to, "shape", b->shape + 1);
    json_count(a->to, "lane", b->lane + 1);
    json_count(a->to, "lanes", b->nlane);
    json_number(a->to, "real", v->re);
    json_number(a->to, "imaginary", v->im);
    json_number(a->to, "error", v->error);
    json_text(a->to, "motion", motions[eigen_motion(v)]);
    json_number(a->to, "rate", size);
    json_number(a->to, "frequency", v->im != 0 ? size / (2 * acos(-1)) : 0);
    json_number(a->to, "damping", size > 0 ? -v->re / size : NAN);
    json_number(a->to, "time_constant", v->re != 0 ? 1 / fabs(v->re) : NAN);
    json_texts(a->to, "states", texts, n);
    json_numbers(a->to, "participation", parts, n);
    json_end(a->to);
}

/* the report as JSON, one object a line */
static void print_json(const Analysis *a)
{
    const Spectrum *s = &a->spectrum;
    json_begin(a->to, "linearisation");
    json_text(a->to, "model", a->loaded.title);
    json_number(a->to, "time", a->point.t);
    json_count(a->to, "states", a->system->nstate);
    json_count(a->to, "blocks", s->blocks.n);
    json_end(a->to);
    for (size_t i = 0; i < s->blocks.n; i++)
        for (size_t k = 0; k < s->blocks.items[i].n; k++)
            json_eigenvalue(a, &s->blocks.items[i], &s->values.items[s->blocks.items[i].first + k]);
    eigen_print_steps(a);
}

void eigen_print(const Analysis *a)
{
    if (a->log->json)
        print_json(a);
    else
        print_text(a);
}
