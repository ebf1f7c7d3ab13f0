/* test_express.c - parameter expressions: each case is an expression and the number it gives.
 *
 * Texts, Booleans and arrays are turned into a number by the expression itself. */
#include "block/function.h"
#include "front_help.h"

typedef struct Case {
    const char *text;
    double value;
} Case;

/* evaluates through the mass of a body */
static double value_of(const char *expression)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "package P\n"
        "  constant Real pi = 3.141592653589793;\n"
        "  type Size = enumeration(small, medium, large);\n"
        "  function twice input Real x; output Real y; algorithm y := 2 * x; end twice;\n"
        "  function fib input Integer n; output Integer f;\n"
        "  algorithm if n < 2 then f := n; else f := fib(n - 1) + fib(n - 2); end if; end fib;\n"
        "  function split input Real v[:]; output Real low; output Real high;\n"
        "  algorithm low := min(v); high := max(v); end split;\n"
        "  function spread input Real v[:]; output Real s; protected Real a; Real b;\n"
        "  algorithm (a, b) := split(v); s := b - a; end spread;\n"
        "  function sorted input Real v[:]; output Real w[size(v, 1)] = v; protected Real t;\n"
        "  algorithm for i in 1:size(v, 1) loop for j in 1:size(v, 1) - 1 loop\n"
        "    if w[j] > w[j + 1] then t := w[j]; w[j] := w[j + 1]; w[j + 1] := t; end if;\n"
        "  end for; end for; end sorted;\n"
        "  function first input Integer n; output Integer k = 0;\n"
        "  algorithm while true loop k := k + 1; if k * k >= n then break; end if; end while;\n"
        "    if k > 100 then return; end if; end first;\n"
        "  model M\n"
        "    parameter Integer n = 3;\n"
        "    parameter Real v[:] = {1, 2, 3, 4};\n"
        "    parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6];\n"
        "    parameter Size s = Size.medium;\n"
        "    parameter String t = \"abc\";\n"
        "    parameter Boolean on = true;\n"
        "    Signals.Constant c(k = %s);\n"
        "  end M;\n"
        "end P;\n",
        expression);
    Built b = build_with(text, NULL, NULL, 0);
    if (b.status != LIEDER_DONE)
        lieder_diagnostic_print_all(b.session, stderr);
    assert_int_equal(b.status, LIEDER_DONE);
    double value = get(&b, "c.k");
    drop(&b);
    return value;
}

static const Case cases[] = {
    {"1 + 2 * 3 - 4 / 8", 6.5},
    {"-2 ^ 2", -4},
    {"2 ^ 0.5 * 2 ^ 0.5", 2},
    {"if n > 2 and not n == 4 then 1 else 2", 1},
    {"if on or 1 / 0 > 1 then 7 else 8", 7},
    {"if false then 1 elseif n == 3 then 5 else 2", 5},
    {"v[2] + v[end]", 6},
    {"sum(v[2:3])", 5},
    {"sum(v[{1, 4}])", 5},
    {"A[2, 1] + sum(A[1, :]) + sum(A[:, 3])", 19},
    {"sum(A)", 21},
    {"product(v)", 24},
    {"sum(i ^ 2 for i in 1:n)", 14},
    {"max(i * j for i in 1:3, j in {2, 5})", 15},
    {"min({3, 1, 2}) + max(4, 9)", 10},
    {"sum(({i + 10 * j for i in 1:2, j in 1:3})[3, :])", 63},
    {"size({i + 10 * j for i in 1:2, j in 1:3}, 1)", 3},
    {"v * v", 30},
    {"sum(A * {1, 1, 1})", 21},
    {"sum({1, 1} * A)", 21},
    {"sum(A * transpose(A))", 14 + 32 + 32 + 77},
    {"sum([1, 1; 0, 1] ^ 5)", 7},
    {"sum(v .* v) + sum(2 .* v) + sum(v .^ 2) + sum(v ./ v) + sum(v .+ 1) + sum(v .- 1)",
     30 + 20 + 30 + 4 + 14 + 6},
    {"sum(v / 2) + sum(2 * v) + sum(-v) + sum(v + v) + sum(v - v)", 5 + 20 - 10 + 20},
    {"abs(-2) + sign(-3) + sqrt(16) + floor(-1.5) + ceil(-1.5) + integer(2.7)",
     2 - 1 + 4 - 2 - 1 + 2},
    {"sin(pi / 2) + cos(0) + tan(0) + asin(1) / pi + acos(1) + atan(1) / pi", 1 + 1 + 0.5 + 0.25},
    {"atan2(1, 0) / pi + sinh(0) + cosh(0) + tanh(0) + exp(0) + log(exp(2)) + log10(1000)",
     0.5 + 1 + 1 + 2 + 3},
    {"div(-7, 2) + mod(-7, 2) + rem(-7, 2)", -3 + 1 - 1},
    {"size(A, 1) * 10 + size(A, 2) + ndims(A) + sum(size(v))", 20 + 3 + 2 + 4},
    {"sum(fill(2.5, 2, 3)) + sum(zeros(3)) + sum(ones(2, 2)) + sum(identity(3))", 15 + 4 + 3},
    {"(linspace(0, 1, 5))[2] + sum(diagonal({1, 2})) + sum(cross({1, 0, 0}, {0, 1, 0}))",
     0.25 + 3 + 1},
    {"(cat(1, {1, 2}, {3}))[3] + sum(cat(2, A, A))", 3 + 42},
    {"(vector([1; 2; 3]))[2] + (matrix(v))[2, 1] + scalar({{4}})", 2 + 2 + 4},
    {"sum(symmetric([1, 2; 0, 3])) + sum(skew({1, 2, 3})) + sum(outerProduct({1, 2}, {3, 4}))",
     8 + 21},
    {"array(1, 2.5, 3) * array(2, 2, 1)", 10},
    {"noEvent(3) + smooth(0, 4) + semiLinear(-2, 1, 5) + homotopy(1, 2)", 3 + 4 - 10 + 1},
    {"if s == Size.medium and s < Size.large then Integer(s) else 0", 2},
    {"if t + \"d\" == \"abcd\" and String(n) == \"3\" and String(true) == \"true\" and String(2.5) "
     "== \"2.5\" then 1 else 0",
     1},
    {"sum(1:2:7) + sum(0.5:0.5:2) + size(3:1, 1) + sum(3:-1:1)", 16 + 5 + 6},
    {"sum(if e then 1 else 10 for e in {true, false})", 11},
    {"sum(Integer(e) for e in Size.small:Size.large)", 6},
    {"twice(x = 4) + fib(10) + spread({3, -1, 7}) + (sorted({3, 1, 2}))[3] + first(17)",
     8 + 55 + 8 + 3 + 5},
    {"({10, 20, 30})[2]", 20},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_value(value_of(cases[i].text), cases[i].value, cases[i].text, __FILE__, __LINE__);
}

/* arrays of size zero, and a loop that does not run */
static void test_empty(void **state)
{
    (void)state;
    assert_number(value_of("sum(fill(1.0, 0)) + size(zeros(0, 3), 2)"), 3);
    assert_number(value_of("sum(i for i in 1:0) + product(fill(2, 0))"), 1);
    Built b = build("model M parameter Integer n = 0; Dialectic.Planar.Fixed f[n]; "
                    "Dialectic.Examples.SpringMass s[n](body(m = ones(n)));\n"
                    "Dialectic.Examples.SpringMass one; equation for i in 1:n loop "
                    "connect(f[i].frame, f[i + 1].frame); end for; end M;");
    assert_int_equal(lieder_system_state_count(b.system), 2);
    drop(&b);
}

/* a parameter has the bits that a block computes, which libm has not */
static void test_bits(void **state)
{
    (void)state;
    int different = 0;
    for (int f = 0; f < FUNCTION_HISTORY_READY; f++) { /* from there on they read the past */
        if (f == FUNCTION_POW || f == FUNCTION_XOR)    /* without a name in the language */
            continue;
        char text[64];
        snprintf(text, sizeof text, "%s(0.7%s)", function_table[f].name,
                 function_table[f].arity == 2 ? ", 0.3" : "");
        assert_true(value_of(text) == function_value((Function)f, 0.7, 0.3));
    }
    for (int i = 1; i < 200; i++) {
        double x = 0.1 * i;
        different += function_value(FUNCTION_SINH, x, 0) != sinh(x);
    }
    assert_true(different > 0);
    assert_true(value_of("2.7 ^ 1.3") == function_value(FUNCTION_POW, 2.7, 1.3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_empty),
                                       cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
