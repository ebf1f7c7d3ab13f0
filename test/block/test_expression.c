/* test_expression.c - equal expressions are one node, derivatives against differences, affine
 * parts. */
#include "help/engine.h"
#include "help/meter.h"

#include "block/expression.h"

static uint64_t dice = 0x9e3779b97f4a7c15u;

static uint32_t draw(uint32_t n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (uint32_t)(dice >> 33) % n;
}

static double draw_number(void)
{
    return 0.25 + (double)draw(1000) / 400;
}

enum { NSYMBOL = 4 };

static double symbol_value(void *user, uint64_t symbol)
{
    return ((const double *)user)[symbol];
}

/* an expression that is smooth and bounded where its symbols are between 0.25 and 2.75 */
static Node random_smooth(Graph *g, int depth)
{
    if (depth == 0)
        return draw(4) ? node_symbol(g, draw(NSYMBOL)) : node_constant(g, draw_number());
    Node a = random_smooth(g, depth - 1), b = random_smooth(g, depth - 1);
    Node one = node_constant(g, 1), square = node_multiply(g, b, b);
    switch (draw(9)) {
    case 0:
        return node_add(g, a, b);
    case 1:
        return node_subtract(g, a, b);
    case 2:
        return node_multiply(g, a, node_call(g, FUNCTION_COS, b, NO_NODE));
    case 3:
        return node_divide(g, a, node_add(g, one, square));
    case 4:
        return node_call(g, FUNCTION_SIN, a, NO_NODE);
    case 5:
        return node_call(g, FUNCTION_SQRT, node_add(g, one, square), NO_NODE);
    case 6:
        return node_call(g, FUNCTION_ATAN2, a, node_add(g, one, square));
    case 7:
        return node_make(g, NODE_FUSED, node_call(g, FUNCTION_SIN, a, NO_NODE), b, one);
    default:
        return node_negate(g, a);
    }
}

static void equal_expressions_are_one(void **state)
{
    (void)state;
    Graph g;
    graph_init(&g, &memory_default);
    Node x = node_symbol(&g, 7), y = node_symbol(&g, 8), zero = node_constant(&g, 0);
    assert_int_equal(node_add(&g, x, y), node_add(&g, x, y));
    assert_int_not_equal(node_add(&g, x, y), node_add(&g, y, x)); /* never reordered */
    assert_int_equal(node_add(&g, x, zero), x);
    assert_int_equal(node_multiply(&g, zero, y), zero);
    assert_int_equal(node_constant(&g, -0.0), zero);
    assert_int_equal(node_multiply(&g, x, node_constant(&g, 1)), x);
    assert_int_equal(node_negate(&g, node_negate(&g, x)), x);
    assert_int_equal(node_subtract(&g, x, node_negate(&g, y)), node_add(&g, x, y));
    assert_int_equal(node_call(&g, FUNCTION_POW, x, node_constant(&g, 2)), node_multiply(&g, x, x));
    assert_int_equal(node_select(&g, node_constant(&g, 1), x, y), x);
    Node third = node_divide(&g, node_constant(&g, 1), node_constant(&g, 3));
    assert_true(node_is_constant(&g, third, 1.0 / 3.0));
    /* a quotient stays one */
    assert_int_equal(node_data(&g, node_divide(&g, x, node_constant(&g, 3)))->kind, NODE_DIVIDE);
    graph_drop(&g);
}

/* Central differences of h = 1e-5 have errors of 1e-10 for derivatives of order one; the bound
 * leaves room for the sixth power of two that products of six levels may reach. */
static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        Graph g;
        graph_init(&g, &memory_default);
        Node f = random_smooth(&g, 1 + (int)draw(5));
        double x[NSYMBOL];
        for (int k = 0; k < NSYMBOL; k++)
            x[k] = draw_number();
        for (int k = 0; k < NSYMBOL; k++) {
            double h = 1e-5, at = x[k];
            x[k] = at + h;
            double high = node_evaluate(&g, f, symbol_value, x);
            x[k] = at - h;
            double low = node_evaluate(&g, f, symbol_value, x);
            x[k] = at;
            double exact = node_evaluate(&g, node_partial(&g, f, (uint64_t)k), symbol_value, x);
            double difference = (high - low) / (2 * h);
            assert_true(fabs(exact - difference) < 1e-6 * (1 + fabs(exact)));
        }
        assert_false(g.failed);
        graph_drop(&g);
    }
}

static Node own_derivative(void *user, uint64_t symbol, Node node)
{
    (void)node;
    return symbol < 100 ? node_symbol(user, symbol + 100) : NO_NODE;
}

/* the derivative by time is the sum of partial derivatives times those of the symbols */
static void derivatives_by_time(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        Graph g;
        graph_init(&g, &memory_default);
        Node f = random_smooth(&g, 4);
        GraphPass pass = {.graph = &g, .of_symbol = own_derivative, .user = &g};
        Node whole = differentiate(&pass, f);
        double x[100 + NSYMBOL], sum = 0;
        for (int k = 0; k < NSYMBOL; k++) {
            x[k] = draw_number();
            x[100 + k] = draw_number();
        }
        for (int k = 0; k < NSYMBOL; k++)
            sum +=
                node_evaluate(&g, node_partial(&g, f, (uint64_t)k), symbol_value, x) * x[100 + k];
        double value = node_evaluate(&g, whole, symbol_value, x);
        assert_true(fabs(value - sum) < 1e-12 * (1 + fabs(sum)));
        pass_drop(&pass);
        graph_drop(&g);
    }
}

/* sums of symbol times smooth function of the other symbols, hidden under divisions and selections
 */
static void affine_parts(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        Graph g;
        graph_init(&g, &memory_default);
        const uint64_t symbols[] = {50, 51};
        Node f = random_smooth(&g, 2), coefficients[2], rest;
        for (int k = 0; k < 4; k++) {
            Node u = node_symbol(&g, symbols[draw(2)]), c = random_smooth(&g, 2);
            Node term = node_multiply(&g, c, u);
            f = draw(2) ? node_add(&g, term, f) : node_subtract(&g, f, term);
            if (draw(3) == 0)
                f = node_divide(&g, f, node_constant(&g, draw_number()));
            if (draw(3) == 0)
                f = node_select(&g, node_make(&g, NODE_LESS, c, node_symbol(&g, 1), NO_NODE), f, c);
        }
        assert_int_equal(node_affine(&g, f, symbols, 2, coefficients, &rest), 1);
        double x[52];
        for (int k = 0; k < 52; k++)
            x[k] = draw_number();
        double sum = node_evaluate(&g, rest, symbol_value, x);
        for (int k = 0; k < 2; k++)
            sum += node_evaluate(&g, coefficients[k], symbol_value, x) * x[50 + k];
        double value = node_evaluate(&g, f, symbol_value, x);
        assert_true(fabs(value - sum) < 1e-11 * (1 + fabs(value)));
        /* not affine: a product of both, a function, a condition, a step */
        Node u = node_symbol(&g, 50), v = node_symbol(&g, 51);
        Node less = node_make(&g, NODE_LESS, u, f, NO_NODE);
        const Node wrong[] = {node_multiply(&g, u, v), node_call(&g, FUNCTION_SIN, u, NO_NODE),
                              node_select(&g, less, v, u),
                              node_call(&g, FUNCTION_FLOOR, u, NO_NODE), node_divide(&g, v, u)};
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
            assert_int_equal(
                node_affine(&g, node_add(&g, wrong[k], v), symbols, 2, coefficients, &rest), 0);
        graph_drop(&g);
    }
}

/* a chain of 200000 nodes needs no deep stack, and walks on small parts do not pay for it */
static void long_expressions(void **state)
{
    (void)state;
    Graph g;
    graph_init(&g, &memory_default);
    Node sum = node_symbol(&g, 0);
    for (int k = 0; k < 200000; k++)
        sum = node_add(&g, sum, node_symbol(&g, (uint64_t)(k % 1000)));
    assert_int_not_equal(node_partial(&g, sum, 0), NO_NODE);
    Node small = node_multiply(&g, node_symbol(&g, 1), node_symbol(&g, 2));
    for (int k = 0; k < 20000; k++)
        assert_int_equal(node_partial(&g, small, 1), node_symbol(&g, 2));
    graph_drop(&g);
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t k = 1;; k++) {
        Meter meter = {.fail_at = k};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        Graph g;
        graph_init(&g, &alloc);
        dice = 12345;
        Node f = random_smooth(&g, 5), coefficients[1], rest;
        const uint64_t symbol = 0;
        Node d = node_partial(&g, f, 0);
        int affine = node_affine(&g, f, &symbol, 1, coefficients, &rest);
        bool failed = g.failed || affine < 0;
        graph_drop(&g);
        assert_int_equal(meter.bytes, 0);
        assert_true(failed == (meter.calls >= k));
        if (!failed) {
            assert_int_not_equal(d, NO_NODE);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_expressions_are_one),
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(derivatives_by_time),
        cmocka_unit_test(affine_parts),
        cmocka_unit_test(long_expressions),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
