/* test_overload.c - operator records: constructors and operators of every kind, on scalars and
 * arrays, in equations and for parameters; connectors that are records. */
#include <stdlib.h>

#include "equation_help.h"
#include "help/meter.h"
#include "help/observe.h"

static const char text[] =
    "package P\n"
    "  operator record C Real re; Real im;\n"
    "    encapsulated operator 'constructor'\n"
    "      function fromReal import P.C; input Real re; input Real im = 0;\n"
    "        output C r(re = re, im = im); algorithm end fromReal;\n"
    "      function fromText import P.C; input String s; output C r; algorithm\n"
    "        r.re := if s == \"j\" then 0 else 1; r.im := 1 - r.re; end fromText;\n"
    "    end 'constructor';\n"
    "    encapsulated operator function '0' import P.C; output C r; algorithm r := C(0); end '0';\n"
    "    encapsulated operator '-'\n"
    "      function negate import P.C; input C a; output C r; algorithm\n"
    "        r := C(-a.re, -a.im); end negate;\n"
    "      function subtract import P.C; input C a; input C b; output C r; algorithm\n"
    "        r := C(a.re - b.re, a.im - b.im); end subtract;\n"
    "    end '-';\n"
    "    encapsulated operator function '+' import P.C; input C a; input C b; output C r;\n"
    "    algorithm r := C(a.re + b.re, a.im + b.im); end '+';\n"
    "    encapsulated operator '*'\n"
    "      function times import P.C; input C a; input C b; output C r; algorithm\n"
    "        r := C(a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re); end times;\n"
    "      function dot import P.C; input C a[:]; input C b[size(a, 1)]; output C r; algorithm\n"
    "        r := C(0); for i in 1:size(a, 1) loop r := r + a[i]*b[i]; end for; end dot;\n"
    "    end '*';\n"
    "    encapsulated operator function '/' import P.C; input C a; input C b; output C r;\n"
    "    protected Real n = b.re^2 + b.im^2;\n"
    "    algorithm r := C((a.re*b.re + a.im*b.im)/n, (a.im*b.re - a.re*b.im)/n); end '/';\n"
    "    encapsulated operator function '^' import P.C; input C a; input Integer n; output C r;\n"
    "    algorithm r := C(1); for i in 1:n loop r := r*a; end for; end '^';\n"
    "    encapsulated operator function '==' import P.C; input C a; input C b; output Boolean r;\n"
    "    algorithm r := a.re == b.re and a.im == b.im; end '==';\n"
    "    encapsulated operator function 'String' import P.C; input C a; input Integer digits = 3;\n"
    "      output String s; algorithm\n"
    "      s := String(a.re, significantDigits = digits) + \" + \" + String(a.im) + \"j\";\n"
    "    end 'String';\n"
    "  end C;\n"
    "  operator record Volt = C(re(unit = \"V\"), im(unit = \"V\"));\n"
    "  connector In = input C; connector Out = output C;\n"
    "  connector Pin Volt v; flow C i; end Pin;\n"
    "  block Twice In u; Out y; equation y = 2*u; end Twice;\n"
    "  model Z Pin p, n; parameter C z; equation p.v - n.v = z*p.i; p.i + n.i = C(0); end Z;\n"
    "  model Source Pin p, n; equation p.v - n.v = C(time, 1); p.i + n.i = C(0); end Source;\n"
    "  model Ground Pin p; equation p.v = C(0); end Ground;\n"
    "  model M\n"
    "    parameter C w = C(1, 2), k = C(im = 3, re = 1), j = C(\"j\"), one = C(4);\n"
    "    constant C e[2] = {C(1, 1), C(2, 0)};\n"
    "    parameter Boolean same = w == C(1, 2), other = w == k;\n"
    "    parameter Integer length = if String(w) == \"1 + 2j\" then 7 else 0;\n"
    "    C z = C(time, 1), s = z*w + 2*z - z/C(1, 1), n = -z, p = z^3, q, t = if time > 1 then z "
    "else w;\n"
    "    C used = k + 10*j + one;\n"
    "    C v[2] = {z, 2*z}, sum_ = sum(v), dot = v*v, row[2] = 2*v, m[2, 2] = [z, w; w, z];\n"
    "    C mv[2] = m*v, mm[2, 2] = m*m, diff[2] = v - {w, w}, ratio[2] = v/w, neg[2] = -v;\n"
    "    C each_[2] = v.*{w, z};\n"
    "    Twice a, b;\n"
    "    Source source; Ground ground; Z z1(z = C(1, 1)), z2(z = w);\n"
    "  equation\n"
    "    q*w = z;\n"
    "    connect(a.y, b.u); a.u = z;\n"
    "    connect(source.p, z1.p); connect(z1.n, z2.p); connect(z2.n, source.n);\n"
    "    connect(source.n, ground.p);\n"
    "  end M;\n"
    "end P;\n";

static void test_operators(void **state)
{
    (void)state;
    Built b = build_class(text, "P.M");
    const struct {
        const char *name;
        double value; /* at t = 2, where z = 2 + j */
    } cases[] = {
        {"w.im", 2},
        /* 1 + 3j + 10j + 4 */
        {"used.re", 5},
        {"used.im", 13},
        /* (2 + j)(1 + 2j) + 2 (2 + j) - (2 + j)/(1 + j) = 5j + 4 + 2j - (1.5 - 0.5 j) */
        {"s.re", 2.5},
        {"s.im", 7.5},
        {"n.re", -2},
        {"n.im", -1},
        /* (2 + j)^3 = 2 + 11 j */
        {"p.re", 2},
        {"p.im", 11},
        /* (2 + j)/(1 + 2j) = (4 - 3j)/5 */
        {"q.re", 0.8},
        {"q.im", -0.6},
        {"t.re", 2},
        {"t.im", 1},
        {"sum_.re", 6},
        {"sum_.im", 3},
        /* z^2 + 4 z^2 = 5 (3 + 4j) */
        {"dot.re", 15},
        {"dot.im", 20},
        {"row[2].re", 8},
        {"row[2].im", 4},
        {"m[1,2].im", 2},
        {"m[2,2].re", 2},
        /* z z + 2 w z = 3 + 4j + 10j; w z + 2 z z = 5j + 6 + 8j */
        {"mv[1].re", 3},
        {"mv[1].im", 14},
        {"mv[2].re", 6},
        {"mv[2].im", 13},
        /* z z + w w = 3 + 4j - 3 + 4j; 2 z w = 10j */
        {"mm[1,1].re", 0},
        {"mm[1,1].im", 8},
        {"mm[1,2].re", 0},
        {"mm[2,1].im", 10},
        /* z w and 2 z z, though a function takes the product of the two vectors */
        {"each_[1].re", 0},
        {"each_[1].im", 5},
        {"each_[2].re", 6},
        {"each_[2].im", 8},
        {"diff[2].re", 3},
        {"diff[2].im", 0},
        {"ratio[1].re", 0.8},
        {"ratio[2].im", -1.2},
        {"neg[2].re", -4},
        {"b.y.re", 8},
        {"b.y.im", 4},
        /* the current (2 + j)/(2 + 3j) = (7 - 4j)/13 */
        {"z1.p.i.re", 7.0 / 13},
        {"z2.p.i.im", -4.0 / 13},
        {"source.p.i.re", -7.0 / 13},
        {"ground.p.i.re", 0},
        {"z2.p.v.re", 15.0 / 13},
        {"z2.p.v.im", 10.0 / 13},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_observed(&b, 2, cases[i].name, cases[i].value);
    drop(&b);
}

/* Booleans and texts made of operators decide the structure */
static void test_parameters(void **state)
{
    (void)state;
    char whole[8000];
    snprintf(whole, sizeof whole,
             "%.*smodel N extends M;\nReal y[length] = fill(time, length);\n"
             "Real u if same; Real x if other;\nend N;\nend P;\n",
             (int)(sizeof text - 1 - strlen("end P;\n")), text);
    Built b = build_with(whole, "P.N", NULL, 0);
    assert_int_not_equal(b.status, LIEDER_DONE); /* u has no equation, x is not there */
    bool found = false;
    for (size_t i = 0; i < lieder_diagnostic_count(b.session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(b.session, i);
        found |= strstr(d->message, "'u'") || strstr(d->message, " u");
        assert_null(strstr(d->message, "'x'"));
    }
    assert_true(found);
    drop(&b);
}

static void test_refused(void **state)
{
    (void)state;
    const struct {
        const char *line, *message;
    } cases[] = {
        {"C bad = z + true", "cannot be applied to these operands"},
        {"C bad = m*m*z*{z}", "cannot be applied"},
        {"Boolean bad = z < w", "cannot be applied to these operands"},
        {"C bad = v + z", "cannot be applied to these operands"},
        {"parameter String bad = String(e)", "does not fit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char whole[8000];
        snprintf(whole, sizeof whole, "%.*smodel N extends M;\n%s;\nend N;\nend P;\n",
                 (int)(sizeof text - 1 - strlen("end P;\n")), text, cases[i].line);
        Built b = build_with(whole, "P.N", NULL, 0);
        bool found = false;
        for (size_t k = 0; k < lieder_diagnostic_count(b.session); k++)
            found |= strstr(lieder_diagnostic_get(b.session, k)->message, cases[i].message) != NULL;
        if (!found) {
            print_error("%s: \n", cases[i].line);
            lieder_diagnostic_print_all(b.session, stderr);
        }
        assert_true(found);
        drop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
