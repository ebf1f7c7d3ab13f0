/* test_cell.c - equations in any order and form, solved: states, derivatives and every other
 * variable against systems written by hand. */
#include "help/engine.h"
#include "help/meter.h"

#include "equation/cell/cell.h"

/* a cell under construction, with short names for its parts */
typedef struct Text {
    Cell cell;
    CellPlan plan;
    Diagnostics diag;
} Text;

static void text_init(Text *t, const LiederAllocator *alloc)
{
    t->plan = (CellPlan){0};
    diag_init(&t->diag, alloc);
    cell_init(&t->cell, alloc, &t->diag);
}

static void text_drop(Text *t)
{
    plan_drop(&t->plan, t->cell.alloc);
    cell_drop(&t->cell);
    diag_drop(&t->diag);
}

static uint32_t declare(Text *t, const char *name, CellRole role)
{
    return cell_add_variable(&t->cell,
                             (CellVariable){.name = name, .role = role, .select = SELECT_DEFAULT});
}

static Node var(Text *t, uint32_t v)
{
    return cell_variable(&t->cell, v, 0);
}

static Node der(Text *t, Node node)
{
    return cell_derivative(&t->cell, node);
}

static void equate(Text *t, Node left, Node right)
{
    cell_add_equation(&t->cell, (CellEquation){.left = left, .right = right});
}

#define G               (&t.cell.graph)
#define MUL(a, b)       node_multiply(G, a, b)
#define ADD(a, b)       node_add(G, a, b)
#define SUB(a, b)       node_subtract(G, a, b)
#define NUM(x)          node_constant(G, x)
#define VALUE(v, order) t.plan.values.items[v].items[order]

/* numbers of known symbols: by symbol */
typedef struct Numbers {
    uint64_t symbol[16];
    double value[16];
    size_t n;
} Numbers;

static double number_of_symbol(void *user, uint64_t symbol)
{
    const Numbers *numbers = user;
    for (size_t k = 0; k < numbers->n; k++)
        if (numbers->symbol[k] == symbol)
            return numbers->value[k];
    fail_msg("a value depends on symbol %llu, which is not known", (unsigned long long)symbol);
    return 0;
}

static void put(Numbers *numbers, uint64_t symbol, double value)
{
    numbers->symbol[numbers->n] = symbol;
    numbers->value[numbers->n++] = value;
}

static void van_der_pol(void **state)
{
    (void)state;
    Text t;
    text_init(&t, &memory_default);
    uint32_t mu = declare(&t, "mu", CELL_PARAMETER), x = declare(&t, "x", CELL_UNKNOWN),
             y = declare(&t, "y", CELL_UNKNOWN);
    /* y = der(x); 0 = der(y) - mu (1 - x^2) y + x */
    equate(&t, var(&t, y), der(&t, var(&t, x)));
    Node damping = MUL(MUL(var(&t, mu), SUB(NUM(1), MUL(var(&t, x), var(&t, x)))), var(&t, y));
    equate(&t, NUM(0), ADD(SUB(der(&t, var(&t, y)), damping), var(&t, x)));
    assert_int_equal(cell_solve(&t.cell, 0, &t.plan), LIEDER_DONE);
    assert_int_equal(t.plan.states.n, 2);
    Numbers numbers = {0};
    put(&numbers, cell_symbol(mu, 0), 3);
    put(&numbers, cell_symbol(x, 0), 1.5);
    put(&numbers, cell_symbol(y, 0), -0.7);
    /* whichever of y and der(x) is integrated: they are the same number */
    for (size_t k = 0; k < t.plan.states.n; k++)
        if (t.plan.states.items[k].variable == x && t.plan.states.items[k].order == 1)
            put(&numbers, cell_symbol(x, 1), -0.7);
    assert_true(node_evaluate(G, VALUE(x, 1), number_of_symbol, &numbers) == -0.7);
    assert_float_equal(node_evaluate(G, VALUE(y, 1), number_of_symbol, &numbers),
                       3 * (1 - 1.5 * 1.5) * -0.7 - 1.5, 1e-14);
    text_drop(&t);
}

/* two masses on a rigid rod: index 3; one of them keeps its states, and the force comes out */
static void rigid_rod(void **state)
{
    (void)state;
    Text t;
    text_init(&t, &memory_default);
    uint32_t m1 = declare(&t, "m1", CELL_PARAMETER), m2 = declare(&t, "m2", CELL_PARAMETER),
             s1 = declare(&t, "s1", CELL_UNKNOWN), s2 = declare(&t, "s2", CELL_UNKNOWN),
             v1 = declare(&t, "v1", CELL_UNKNOWN), v2 = declare(&t, "v2", CELL_UNKNOWN),
             f = declare(&t, "f", CELL_UNKNOWN);
    t.cell.variables.items[s2].select = t.cell.variables.items[v2].select = SELECT_PREFER;
    equate(&t, der(&t, var(&t, s1)), var(&t, v1));
    equate(&t, der(&t, var(&t, s2)), var(&t, v2));
    equate(&t, MUL(var(&t, m1), der(&t, var(&t, v1))), SUB(var(&t, f), MUL(NUM(100), var(&t, s1))));
    equate(&t, MUL(var(&t, m2), der(&t, var(&t, v2))),
           SUB(node_negate(G, var(&t, f)), MUL(NUM(20), var(&t, s2))));
    equate(&t, SUB(var(&t, s2), var(&t, s1)), NUM(0.3));
    assert_int_equal(cell_solve(&t.cell, 0, &t.plan), LIEDER_DONE);
    assert_int_equal(t.plan.states.n, 2);
    assert_int_equal(t.plan.states.items[0].variable, s2);
    assert_true(t.plan.states.items[1].variable == v2 || t.plan.states.items[1].variable == s2);
    Numbers numbers = {0};
    double s = 0.5, v = 0.2;
    put(&numbers, cell_symbol(m1, 0), 2);
    put(&numbers, cell_symbol(m2, 0), 3);
    put(&numbers, cell_symbol(s2, 0), s);
    put(&numbers, cell_symbol(v2, 0), v);
    put(&numbers, cell_symbol(s2, 1), v);
    double a = (-100 * (s - 0.3) - 20 * s) / 5, force = -20 * s - 3 * a;
    assert_float_equal(node_evaluate(G, VALUE(v2, 1), number_of_symbol, &numbers), a, 1e-13);
    assert_float_equal(node_evaluate(G, VALUE(f, 0), number_of_symbol, &numbers), force, 1e-12);
    assert_float_equal(node_evaluate(G, VALUE(s1, 0), number_of_symbol, &numbers), s - 0.3, 1e-15);
    assert_float_equal(node_evaluate(G, VALUE(v1, 0), number_of_symbol, &numbers), v, 0);
    text_drop(&t);
}

/* random regular linear systems with unknowns in every equation, against Cramer's rule by pivoted
 * elimination; the bound is the condition of such matrices (below 1e4) times rounding */
static void linear_components(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 50; round++) {
        enum { N = 5 };
        Text t;
        text_init(&t, &memory_default);
        uint32_t u[N], p[N];
        double A[N][N + 1], x[N];
        for (int j = 0; j < N; j++) {
            u[j] = declare(&t, "u", CELL_UNKNOWN);
            p[j] = declare(&t, "p", CELL_PARAMETER);
        }
        Numbers numbers = {0};
        for (int i = 0; i < N; i++) {
            Node sum = NUM(0);
            double right = (double)(rand() % 100) / 10;
            for (int j = 0; j < N; j++) {
                A[i][j] = i == j ? 3 + rand() % 5 : rand() % 3 - 1;
                Node factor = i == j ? var(&t, p[j]) : NUM(A[i][j]);
                sum = ADD(sum, MUL(factor, var(&t, u[j])));
            }
            A[i][N] = right;
            put(&numbers, cell_symbol(p[i], 0), A[i][i]);
            equate(&t, sum, NUM(right));
        }
        assert_int_equal(cell_solve(&t.cell, 0, &t.plan), LIEDER_DONE);
        /* diagonally dominant enough to need no exchange */
        for (int k = 0; k < N; k++)
            for (int i = k + 1; i < N; i++)
                for (int j = N; j >= k; j--)
                    A[i][j] -= A[i][k] / A[k][k] * A[k][j];
        for (int i = N; i-- > 0;) {
            x[i] = A[i][N];
            for (int j = i + 1; j < N; j++)
                x[i] -= A[i][j] * x[j];
            x[i] /= A[i][i];
        }
        double scale = 0;
        for (int i = 0; i < N; i++)
            scale = fmax(scale, fabs(x[i]));
        for (int i = 0; i < N; i++)
            assert_true(fabs(node_evaluate(G, VALUE(u[i], 0), number_of_symbol, &numbers) - x[i]) <
                        1e-10 * (1 + scale));
        text_drop(&t);
    }
}

/* T der(v) = w - v, solved for w: T = 0 stays regular because a factor of one is preferred */
static void small_time_constants(void **state)
{
    (void)state;
    Text t;
    text_init(&t, &memory_default);
    uint32_t T = declare(&t, "T", CELL_PARAMETER), w = declare(&t, "w", CELL_UNKNOWN),
             v = declare(&t, "v", CELL_UNKNOWN), s = declare(&t, "s", CELL_UNKNOWN);
    equate(&t, MUL(var(&t, T), der(&t, var(&t, v))), SUB(var(&t, w), var(&t, v)));
    equate(&t, der(&t, var(&t, s)), var(&t, w));
    equate(&t, der(&t, var(&t, v)), node_negate(G, var(&t, s)));
    assert_int_equal(cell_solve(&t.cell, 0, &t.plan), LIEDER_DONE);
    Numbers numbers = {0};
    put(&numbers, cell_symbol(T, 0), 0);
    put(&numbers, cell_symbol(v, 0), 2);
    put(&numbers, cell_symbol(s, 0), 5);
    assert_true(node_evaluate(G, VALUE(w, 0), number_of_symbol, &numbers) == 2);
    assert_true(node_evaluate(G, VALUE(v, 1), number_of_symbol, &numbers) == -5);
    assert_int_equal(t.plan.pivots.n, 0);
    text_drop(&t);
}

/* ------------------------------------------------------------------ ports */

static uint32_t declare_port(Text *t, const char *name, CellRole role, uint32_t port)
{
    if (port >= t->cell.nport)
        t->cell.nport = port + 1;
    return cell_add_variable(
        &t->cell,
        (CellVariable){
            .name = name, .role = role, .select = SELECT_DEFAULT, .port = port, .contract = 1});
}

/* a flange of dialectic mechanics: position and velocity outward, two forces inward */
typedef struct Flange1D {
    uint32_t s, v, f_el, f_ki;
} Flange1D;

static Flange1D flange(Text *t, uint32_t port)
{
    return (Flange1D){
        declare_port(t, "s", CELL_OUTWARD, port), declare_port(t, "v", CELL_OUTWARD, port),
        declare_port(t, "f_el", CELL_INWARD, port), declare_port(t, "f_ki", CELL_INWARD, port)};
}

/* The sliding joint of dialectic mechanics, from either side: the position and the velocity are
 * states, the acceleration is the unknown (not v_el: T_D may be zero), the free force the residual.
 */
static void joint_either_way(void **state)
{
    (void)state;
    for (int reversed = 0; reversed < 2; reversed++) {
        Text t;
        text_init(&t, &memory_default);
        Flange1D a = flange(&t, 0), b = flange(&t, 1);
        uint32_t T = declare(&t, "TD", CELL_PARAMETER), s = declare(&t, "s", CELL_UNKNOWN),
                 v = declare(&t, "v", CELL_UNKNOWN), v_el = declare(&t, "v_el", CELL_UNKNOWN);
        equate(&t, var(&t, b.s), ADD(var(&t, a.s), var(&t, s)));
        equate(&t, var(&t, b.v), ADD(var(&t, a.v), var(&t, v)));
        equate(&t, der(&t, var(&t, s)), var(&t, v_el));
        equate(&t, MUL(der(&t, var(&t, v)), var(&t, T)), SUB(var(&t, v_el), var(&t, v)));
        equate(&t, ADD(var(&t, a.f_el), var(&t, b.f_el)), NUM(0));
        equate(&t, ADD(var(&t, a.f_ki), var(&t, b.f_ki)), NUM(0));
        equate(&t, ADD(var(&t, b.f_el), var(&t, b.f_ki)), NUM(0));
        assert_int_equal(cell_solve(&t.cell, reversed ? 1 : 2, &t.plan), LIEDER_DONE);
        assert_int_equal(t.plan.states.n, 2);
        assert_int_equal(t.plan.unknowns.n, 1);
        assert_int_equal(t.plan.unknowns.items[0].variable, v);
        assert_int_equal(t.plan.unknowns.items[0].order, 1);
        assert_int_equal(t.plan.residuals.n, 1);
        Flange1D in = reversed ? b : a, out = reversed ? a : b;
        Numbers numbers = {0};
        put(&numbers, cell_symbol(T, 0), 0.25);
        put(&numbers, cell_symbol(s, 0), 2);
        put(&numbers, cell_symbol(v, 0), 3);
        put(&numbers, cell_symbol(v, 1), 8); /* the unknown */
        put(&numbers, cell_symbol(in.s, 0), 10);
        put(&numbers, cell_symbol(in.v, 0), 20);
        put(&numbers, cell_symbol(in.s, 1), 100);
        put(&numbers, cell_symbol(in.v, 1), 200);
        put(&numbers, cell_symbol(out.f_el, 0), 7);
        put(&numbers, cell_symbol(out.f_ki, 0), -4);
        double sign = reversed ? -1 : 1;
        const double expected[] = {
            10 + sign * 2, 20 + sign * 3, 100 + sign * (3 + 0.25 * 8), 200 + sign * 8, -7, 4, 5, 8};
        const Node found[] = {VALUE(out.s, 0), VALUE(out.v, 0),   VALUE(out.s, 1),
                              VALUE(out.v, 1), VALUE(in.f_el, 0), VALUE(in.f_ki, 0),
                              VALUE(s, 1),     VALUE(v, 1)};
        for (size_t k = 0; k < sizeof found / sizeof *found; k++)
            assert_float_equal(node_evaluate(G, found[k], number_of_symbol, &numbers), expected[k],
                               1e-14);
        assert_float_equal(
            fabs(node_evaluate(G, t.plan.residuals.items[0], number_of_symbol, &numbers)), 3,
            1e-14);
        /* both flanges driven: the joint is no leaf */
        plan_drop(&t.plan, &memory_default);
        assert_int_equal(cell_solve(&t.cell, 0, &t.plan), LIEDER_BAD_MODEL);
        text_drop(&t);
    }
}

/* a mass is a leaf: f_ki = m v' */
static void mass_is_a_leaf(void **state)
{
    (void)state;
    Text t;
    text_init(&t, &memory_default);
    Flange1D a = flange(&t, 0);
    uint32_t m = declare(&t, "m", CELL_PARAMETER);
    equate(&t, var(&t, a.f_ki), MUL(var(&t, m), der(&t, var(&t, a.v))));
    equate(&t, var(&t, a.f_el), NUM(0));
    assert_int_equal(cell_solve(&t.cell, 0, &t.plan), LIEDER_DONE);
    assert_int_equal(t.plan.states.n, 0);
    Numbers numbers = {0};
    put(&numbers, cell_symbol(m, 0), 3);
    put(&numbers, cell_symbol(a.v, 1), 5);
    assert_float_equal(node_evaluate(G, VALUE(a.f_ki, 0), number_of_symbol, &numbers), 15, 0);
    assert_float_equal(node_evaluate(G, VALUE(a.f_el, 0), number_of_symbol, &numbers), 0, 0);
    text_drop(&t);
}

static void expect_message(Text *t, const char *part)
{
    assert_int_equal(cell_solve(&t->cell, 0, &t->plan), LIEDER_BAD_MODEL);
    for (size_t k = 0; k < t->diag.list.n; k++)
        if (strstr(t->diag.list.items[k].message, part))
            return;
    fail_msg("no message has \"%s\"", part);
}

static void wrong_sets_of_equations(void **state)
{
    (void)state;
    /* one equation too few: the variable is named */
    Text t;
    text_init(&t, &memory_default);
    uint32_t x = declare(&t, "x", CELL_UNKNOWN), q = declare(&t, "q", CELL_UNKNOWN);
    (void)q;
    equate(&t, der(&t, var(&t, x)), NUM(1));
    expect_message(&t, "nothing decides 'q'");
    text_drop(&t);
    /* one too many */
    text_init(&t, &memory_default);
    x = declare(&t, "x", CELL_UNKNOWN);
    equate(&t, der(&t, var(&t, x)), NUM(1));
    equate(&t, var(&t, x), NUM(1));
    expect_message(&t, "too many equations");
    text_drop(&t);
    /* balanced, but x is decided twice and y never */
    text_init(&t, &memory_default);
    x = declare(&t, "x", CELL_UNKNOWN);
    declare(&t, "y", CELL_UNKNOWN);
    equate(&t, der(&t, var(&t, x)), NUM(1));
    equate(&t, var(&t, x), NUM(1));
    expect_message(&t, "nothing decides 'y'");
    text_drop(&t);
    /* the same equation in other words */
    text_init(&t, &memory_default);
    x = declare(&t, "x", CELL_UNKNOWN);
    uint32_t y = declare(&t, "y", CELL_UNKNOWN);
    equate(&t, ADD(var(&t, x), var(&t, y)), NUM(1));
    equate(&t, ADD(MUL(NUM(2), var(&t, x)), MUL(NUM(2), var(&t, y))), NUM(2));
    expect_message(&t, "no unique solution");
    text_drop(&t);
}

/* x + sin(x) = 1 is a system of its own; z follows from it, and w = exp(w) - 3 z with one unknown
 * of two equations */
static void nonlinear_equations(void **state)
{
    (void)state;
    Text t;
    text_init(&t, &memory_default);
    uint32_t x = declare(&t, "x", CELL_UNKNOWN), z = declare(&t, "z", CELL_UNKNOWN),
             w = declare(&t, "w", CELL_UNKNOWN), u = declare(&t, "u", CELL_UNKNOWN);
    equate(&t, ADD(var(&t, x), node_call(G, FUNCTION_SIN, var(&t, x), NO_NODE)), NUM(1));
    equate(&t, var(&t, z), MUL(NUM(2), var(&t, x)));
    equate(&t, var(&t, w), SUB(var(&t, u), MUL(NUM(3), var(&t, z))));
    equate(&t, var(&t, u), node_call(G, FUNCTION_EXP, var(&t, w), NO_NODE));
    assert_int_equal(cell_solve(&t.cell, 0, &t.plan), LIEDER_DONE);
    assert_int_equal(t.cell.systems.n, 2);
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(t.cell.systems.items[k].symbols.n, 1);
    assert_int_equal(t.cell.systems.items[0].nequation + t.cell.systems.items[1].nequation, 3);
    assert_int_equal(node_data(G, VALUE(x, 0))->kind, NODE_PART);
    text_drop(&t);
}

/* x' = a - b x, y' = x - y at rest: x = a / b, y = x; and one start value given by an equation */
static void initial_equations(void **state)
{
    (void)state;
    Text t;
    text_init(&t, &memory_default);
    uint32_t a = declare(&t, "a", CELL_PARAMETER), b = declare(&t, "b", CELL_PARAMETER),
             x = declare(&t, "x", CELL_UNKNOWN), y = declare(&t, "y", CELL_UNKNOWN),
             z = declare(&t, "z", CELL_UNKNOWN);
    equate(&t, der(&t, var(&t, x)), SUB(var(&t, a), MUL(var(&t, b), var(&t, x))));
    equate(&t, der(&t, var(&t, y)), SUB(var(&t, x), var(&t, y)));
    equate(&t, der(&t, var(&t, z)), NUM(1));
    t.cell.variables.items[z].start_fixed = t.cell.variables.items[z].start_given = true;
    cell_add_initial(&t.cell, (CellEquation){.left = der(&t, var(&t, x)), .right = NUM(0)});
    cell_add_initial(&t.cell,
                     (CellEquation){.left = der(&t, var(&t, y)), .right = MUL(NUM(2), var(&t, z))});
    assert_int_equal(cell_solve(&t.cell, 0, &t.plan), LIEDER_DONE);
    assert_int_equal(cell_solve_initial(&t.cell, &t.plan), LIEDER_DONE);
    Numbers numbers = {0};
    put(&numbers, cell_symbol(a, 0), 3);
    put(&numbers, cell_symbol(b, 0), 4);
    put(&numbers, cell_symbol(z, 0), 0.5);
    for (size_t k = 0; k < 3; k++) {
        const CellState *s = &t.plan.states.items[k];
        double expected = s->variable == x ? 0.75 : 0.75 - 1;
        if (s->variable == z)
            assert_int_equal(s->initial, NO_NODE);
        else
            assert_float_equal(node_evaluate(G, s->initial, number_of_symbol, &numbers), expected,
                               1e-15);
    }
    /* one more than there are states to decide: it is compared with what the others give */
    cell_add_initial(&t.cell, (CellEquation){.left = var(&t, x), .right = NUM(0)});
    assert_int_equal(cell_solve_initial(&t.cell, &t.plan), LIEDER_DONE);
    assert_int_equal(t.plan.checks.n, 1);
    assert_float_equal(node_evaluate(G, t.plan.checks.items[0].left, number_of_symbol, &numbers),
                       0.75, 1e-15);
    text_drop(&t);
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t k = 1;; k++) {
        Meter meter = {.fail_at = k};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        Text t;
        text_init(&t, &alloc);
        uint32_t s = declare(&t, "s", CELL_UNKNOWN), r = declare(&t, "r", CELL_UNKNOWN),
                 f = declare(&t, "f", CELL_UNKNOWN);
        if (!t.cell.graph.failed) {
            equate(&t, der(&t, der(&t, var(&t, s))), var(&t, f));
            equate(&t, der(&t, der(&t, var(&t, r))), SUB(NUM(1), var(&t, f)));
            equate(&t, var(&t, s), var(&t, r));
        }
        LiederStatus status =
            t.cell.graph.failed ? LIEDER_NO_MEMORY : cell_solve(&t.cell, 0, &t.plan);
        text_drop(&t);
        assert_int_equal(meter.bytes, 0);
        assert_int_equal(status, meter.calls >= k ? LIEDER_NO_MEMORY : LIEDER_DONE);
        if (status == LIEDER_DONE)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(van_der_pol),
        cmocka_unit_test(rigid_rod),
        cmocka_unit_test(linear_components),
        cmocka_unit_test(small_time_constants),
        cmocka_unit_test(wrong_sets_of_equations),
        cmocka_unit_test(nonlinear_equations),
        cmocka_unit_test(initial_equations),
        cmocka_unit_test(joint_either_way),
        cmocka_unit_test(mass_is_a_leaf),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
