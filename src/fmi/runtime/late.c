/* late.c - instants that lie between two steps of co-simulation, which take effect at the end of
 * their step: reported once, as src/solve/run/late.c does. */
#include "fmu.h"

#include <math.h>
#include <stdio.h>

enum { MAX_INSTANTS = 16 };

/* do derivatives differ on both sides of an instant? */
static bool jumps_at(Values *v, double due, double h)
{
    double most = 0, change = 0, *sides[2] = {v->scratch, v->dx};
    bool good = true;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < fmu_nshape && good; i++) {
            ShapeValues *s = &v->shapes[i];
            double side = due + (k ? 2 : -2) * STEP_MARGIN * h;
            good = lanes_derivatives(v, s, due, side, 0, s->nlane, v->x + s->first_state, s->nlane,
                                     sides[k] + s->first_state, s->nlane);
        }
    values_moved(v);
    for (size_t i = 0; i < v->nstate && good; i++) {
        most = fmax(most, fmax(fabs(sides[0][i]), fabs(sides[1][i])));
        change = fmax(change, fabs(sides[1][i] - sides[0][i]));
    }
    return good && change > 1e-6 * most;
}

void late_check(Values *v, double from, double h)
{
    const double margin = 1e-6 * h;
    double due = from;
    for (int k = 0; k < MAX_INSTANTS && !v->reported_late; k++) {
        double before = due;
        due = next_time(v, before);
        if (!fmu_finite(due) || due > v->t + margin)
            return;
        double steps = (due - from) / h,
               late = fmin((ceil(steps - 1e-6) - steps) * h, v->t + margin - due);
        if (late <= margin ||
            !((fmu_events && fmu_events->next_time(v, before) == due) || jumps_at(v, due, h)))
            continue;
        snprintf(v->wrong, sizeof v->wrong,
                 "something happens at t = %.9g, between two steps of %g s: it takes effect at the "
                 "end of its step, %.3g s late; export with a step that divides such times",
                 due, h, late);
        v->reported_late = true;
        if (v->warn)
            v->warn(v->user, v->wrong);
    }
}
