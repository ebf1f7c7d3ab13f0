/* circuit_components.c - the switching RLC circuit from components (paper 002, case study 2).
 *
 *         L
 *   +----UUUU----+-----+------+       Beside the capacitor stand R1 and a branch of R2 and
 *   |            |     |      |       X: nothing, a resistor that changes with time, an
 *  u_s           C     R1     X       ideal diode without and with forward voltage, a diode
 *   |            |     |      |       with Shockley's law. The diode conducts from below,
 *   +------------+-----+--R2--+       while the voltage of the capacitor is negative.
 *
 * circuit_equations.c has the same circuits as plain equations and prints the same table. Here
 * nobody has solved the equations of the branch by hand: the potentials of the nodes are unknowns
 * of the model.
 */
#include <stdio.h>

#include <lieder/simulate.h>

enum { BRANCH_NONE, BRANCH_RESISTOR, BRANCH_IDEAL, BRANCH_FORWARD, BRANCH_SHOCKLEY, BRANCH_COUNT };

static const struct {
    const char *name, *class_;
} branches[BRANCH_COUNT] = {{"basic", NULL},
                            {"resistor", "Electrical.VariableResistor"},
                            {"ideal diode", "Electrical.IdealDiode"},
                            {"forward voltage 0.7 V", "Electrical.IdealDiode"},
                            {"Shockley", "Electrical.ShockleyDiode"}};

/* time and resistance of the one that switches: off, on, off */
static const double switching[] = {0, 1e5, 20e-6, 1e5, 20.1e-6, 1, 60e-6, 1, 60.1e-6, 1e5};

static void branch_build(LiederModel *m, int branch)
{
    lieder_model_add(m, "source", "Electrical.SineVoltage");
    lieder_model_add(m, "coil", "Electrical.Inductor");
    lieder_model_add(m, "capacitor", "Electrical.Capacitor");
    lieder_model_add(m, "R1", "Electrical.Resistor");
    lieder_model_add(m, "ground", "Electrical.Ground");
    lieder_model_set(m, "source.V", 5);
    lieder_model_set(m, "source.f", 0.15e6);
    lieder_model_set(m, "coil.L", 25.3e-6);
    lieder_model_set(m, "capacitor.C", 100e-9);
    lieder_model_set(m, "R1.R", 1000);
    lieder_model_connect(m, "source.p", "coil.p");
    lieder_model_connect(m, "coil.n", "capacitor.p");
    lieder_model_connect(m, "coil.n", "R1.p");
    lieder_model_connect(m, "source.n", "ground.p");
    lieder_model_connect(m, "capacitor.n", "ground.p");
    lieder_model_connect(m, "R1.n", "ground.p");
    if (branch == BRANCH_NONE)
        return;
    lieder_model_add(m, "R2", "Electrical.Resistor");
    lieder_model_add(m, "X", branches[branch].class_);
    lieder_model_set(m, "R2.R", 20);
    lieder_model_connect(m, "ground.p", "R2.p");
    lieder_model_connect(m, "R2.n", "X.p");
    lieder_model_connect(m, "X.n", "capacitor.p");
    if (branch == BRANCH_FORWARD)
        lieder_model_set(m, "X.Vforward", 0.7);
    if (branch == BRANCH_RESISTOR) {
        lieder_model_add(m, "resistance", "Signals.TimeTable");
        lieder_model_set_vector(m, "resistance.table", switching,
                                sizeof switching / sizeof *switching);
        lieder_model_connect(m, "resistance.y", "X.R");
    }
}

/* the states of the last row, coil.i and capacitor.v */
typedef struct BranchEnd {
    size_t coil, capacitor;
    double i, u_C;
} BranchEnd;

static bool branch_row(void *user, double t, const double *x, LiederRow kind)
{
    (void)t;
    (void)kind;
    BranchEnd *end = user;
    end->i = x[end->coil];
    end->u_C = x[end->capacitor];
    return true;
}

/* 100 us of one circuit in a session of its own */
static LiederStatus branch_run(int branch, BranchEnd *end, LiederStatistics *statistics)
{
    Lieder *session = lieder_create(NULL);
    if (!session)
        return LIEDER_NO_MEMORY;
    branch_build(lieder_model_create(session, "Circuit", "switching RLC circuit"), branch);
    LiederSystem *system = lieder_system_create(session, "Circuit", NULL);
    LiederStatus status = LIEDER_BAD_MODEL;
    if (system) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = LIEDER_BDF;
        o.tolerance = 1e-10;
        o.stop = 100e-6;
        o.output = branch_row;
        o.user = end;
        end->coil = (size_t)lieder_system_state_index(system, "coil.i");
        end->capacitor = (size_t)lieder_system_state_index(system, "capacitor.v");
        status = lieder_simulate(system, &o, statistics);
    }
    lieder_diagnostic_print_all(session, stderr);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return status;
}

int main(void)
{
    printf("circuit at 100 us              i/mA        u_C/V  state and time events  steps\n");
    for (int k = 0; k < BRANCH_COUNT; k++) {
        LiederStatistics s;
        BranchEnd end;
        if (branch_run(k, &end, &s) != LIEDER_DONE)
            return 1;
        printf("%-22s %12.7f %12.9f %15zu %6zu %6zu\n", branches[k].name, 1e3 * end.i, end.u_C,
               s.state_events, s.time_events, s.steps);
    }
    return 0;
}
