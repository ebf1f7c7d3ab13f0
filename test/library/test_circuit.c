/* test_circuit.c - the circuit of paper 002 once from components and once as plain equations: the
 * two examples agree, to the tolerance that both ask for and with the same events. */
#include "help/engine.h"

int circuit_components_main(void);
int circuit_equations_main(void);

#define main circuit_components_main
#include "../../examples/circuit_components.c"
#undef main
#define main circuit_equations_main
#include "../../examples/circuit_equations.c"
#undef main

static void components_agree_with_equations(void **state)
{
    (void)state;
    static const struct {
        int circuit;
        double U;
    } same[BRANCH_COUNT] = {{CIRCUIT_BASIC, 0},
                            {CIRCUIT_RESISTOR, 0},
                            {CIRCUIT_DIODE, 0},
                            {CIRCUIT_DIODE, 0.7},
                            {CIRCUIT_SHOCKLEY, 0}};
    for (int k = 0; k < BRANCH_COUNT; k++) {
        Lieder *session = session_new();
        LiederSystem *equations = circuit_create(session, same[k].circuit);
        assert_non_null(equations);
        lieder_system_set(equations, "c.U", same[k].U);
        double x[2];
        BranchEnd end;
        LiederStatistics plain, components;
        assert_int_equal(circuit_run(equations, LIEDER_BDF, 1e-10, x, &plain), LIEDER_DONE);
        assert_int_equal(branch_run(k, &end, &components), LIEDER_DONE);
        /* twice the tolerance relative to 1 + |value| */
        assert_near(end.i, x[state_at(equations, "c.i")], 3e-10);
        assert_near(end.u_C, x[state_at(equations, "c.u_C")], 6e-10);
        assert_int_equal(components.state_events, plain.state_events);
        assert_int_equal(components.time_events, plain.time_events);
        lieder_system_destroy(equations);
        lieder_destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(components_agree_with_equations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
