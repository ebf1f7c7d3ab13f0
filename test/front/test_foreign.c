/* test_foreign.c - built-in external functions beside tables: texts, files, random numbers,
 * matrices by LAPACK. The numbers come from formulas and from a program of a few lines in another
 * language. */
#include <stdlib.h>
#include <unistd.h>

#include "equation_help.h"
#include "help/meter.h"
#include "help/observe.h"

/* ------------------------------------------------------------------ texts */

static void test_texts(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function hash input String s; output Integer h;\n"
        "    external \"C\" h = ModelicaStrings_hashString(s); end hash;\n"
        "  function real input String s; input Integer i; input Boolean u = false;\n"
        "    output Integer next; output Real x;\n"
        "    external \"C\" ModelicaStrings_scanReal(s, i, u, next, x); end real;\n"
        "  function whole input String s; input Integer i; input Boolean u = false;\n"
        "    output Integer next; output Integer x;\n"
        "    external \"C\" ModelicaStrings_scanInteger(s, i, u, next, x); end whole;\n"
        "  function word input String s; input Integer i; output Integer next; output String w;\n"
        "    external \"C\" ModelicaStrings_scanIdentifier(s, i, next, w); end word;\n"
        "  function quoted input String s; input Integer i; output Integer next; output String w;\n"
        "    external \"C\" ModelicaStrings_scanString(s, i, next, w); end quoted;\n"
        "  function skip input String s; input Integer i; output Integer next;\n"
        "    external \"C\" next = ModelicaStrings_skipWhiteSpace(s, i); end skip;\n"
        "  function second input String s; input Integer i; output Real y; protected Integer n;\n"
        "    algorithm (n, y) := real(s, i); end second;\n"
        "  function number input String s; input Integer i; output Integer y; protected Integer "
        "n;\n"
        "    algorithm (n, y) := whole(s, i); end number;\n"
        "  function name input String s; input Integer i; output String y; protected Integer n;\n"
        "    algorithm (n, y) := word(s, i); end name;\n"
        "  function inside input String s; input Integer i; output String y; protected Integer n;\n"
        "    algorithm (n, y) := quoted(s, i); end inside;\n"
        "  model M\n"
        "    Real h[2] = {hash(\"hello\"), hash(\"block.noise\")};\n"
        "    Real r[4] = {real(\"  -3.5e2abc\", 1), second(\"  -3.5e2abc\", 1), real(\"x\", 1), "
        "real(\" -1\", 1, true)};\n"
        "    Real i[4] = {whole(\"a 12,\", 2), number(\"a 12,\", 2), whole(\"1.5\", 1), "
        "whole(\"99999999999\", 1)};\n"
        "    Real w[3] = {word(\" ab_1-\", 1), word(\"1a\", 1), skip(\"a   b\", 2)};\n"
        "    Real q[3] = {quoted(\" \\\"ab\\\" c\", 1), quoted(\"\\\"open\", 1), quoted(\"x\", "
        "1)};\n"
        "    Real same[2] = {if name(\" ab_1-\", 1) == \"ab_1\" then 1 else 0, if inside(\" "
        "\\\"ab\\\" c\", 1) == \"ab\" then 1 else 0};\n"
        "    Real s[4] = {if String(1.23456789) == \"1.23457\" then 1 else 0, if String(12, "
        "minimumLength = 5, leftJustified = false) == \"   12\" then 1 else 0, if String(2.5, "
        "format "
        "= \".3f\") == \"2.500\" then 1 else 0, if String(true) + String(1e-9, significantDigits = "
        "2, minimumLength = 7) + \"|\" == \"true1e-09  |\" then 1 else 0};\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    const struct {
        const char *name;
        double value;
    } cases[] = {
        {"h[1]", 994191309}, {"h[2]", -1861794222}, {"r[1]", 9},    {"r[2]", -350}, {"r[3]", 1},
        {"r[4]", 2},         {"i[1]", 5},           {"i[2]", 12},   {"i[3]", 1},    {"i[4]", 1},
        {"w[1]", 6},         {"w[2]", 1},           {"w[3]", 5},    {"q[1]", 6},    {"q[2]", 1},
        {"q[3]", 1},         {"same[1]", 1},        {"same[2]", 1}, {"s[1]", 1},    {"s[2]", 1},
        {"s[3]", 1},         {"s[4]", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_observed(&b, 1, cases[i].name, cases[i].value);
    drop(&b);
}

/* ------------------------------------------------------------------ files */

static void put_matrix(FILE *out, int type, const char *name, int rows, int columns,
                       const double *by_columns)
{
    int header[5] = {type, rows, columns, 0, (int)strlen(name) + 1};
    fwrite(header, sizeof *header, 5, out);
    fwrite(name, 1, strlen(name) + 1, out);
    for (int i = 0; i < rows * columns; i++) {
        float small = (float)by_columns[i];
        fwrite(type == 10 ? (const void *)&small : &by_columns[i], type == 10 ? 4 : 8, 1, out);
    }
}

static void test_files(void **state)
{
    (void)state;
    char mat[] = "/tmp/lieder_matrixXXXXXX.mat", lines[] = "/tmp/lieder_linesXXXXXX", text[4000];
    int file = mkstemps(mat, 4), other = mkstemp(lines);
    FILE *out = fdopen(file, "wb"), *more = fdopen(other, "wb");
    put_matrix(out, 0, "first", 1, 2, (double[]){7, 8});
    put_matrix(out, 10, "small", 2, 1, (double[]){0.5, 0.25});
    put_matrix(out, 0, "a", 2, 3, (double[]){1, 2, 3, 4, 5, 6});
    fclose(out);
    fprintf(more, "one\r\ntwo = 2\n\nlast");
    fclose(more);
    snprintf(
        text, sizeof text,
        "package P\n"
        "  function sizes input String f; input String n; output Integer d[2];\n"
        "    external \"C\" ModelicaIO_readMatrixSizes(f, n, d); end sizes;\n"
        "  function matrix input String f; input String n; input Integer r; input Integer c;\n"
        "    output Real m[r, c];\n"
        "    external \"C\" ModelicaIO_readRealMatrix(f, n, m, size(m, 1), size(m, 2), true);\n"
        "  end matrix;\n"
        "  function count input String f; output Integer n;\n"
        "    external \"C\" n = ModelicaInternal_countLines(f); end count;\n"
        "  function all input String f; output String s[count(f)];\n"
        "    external \"C\" ModelicaInternal_readFile(f, s, size(s, 1)); end all;\n"
        "  function line input String f; input Integer i; output String s; output Boolean e;\n"
        "    external \"C\" s = ModelicaInternal_readLine(f, i, e); end line;\n"
        "  function kind input String f; output Integer k;\n"
        "    external \"C\" k = ModelicaInternal_stat(f); end kind;\n"
        "  model M\n"
        "    constant String f = \"%s\", l = \"%s\";\n"
        "    parameter Integer d[2] = sizes(f, \"a\");\n"
        "    parameter Real m[:, :] = matrix(f, \"a\", d[1], d[2]), s[2, 1] = matrix(f, \"small\", "
        "2, 1);\n"
        "    Real y = m[1, 3] + 10*m[2, 1] + 100*s[2, 1];\n"
        "    parameter String t[:] = all(l);\n"
        "    Real n = size(t, 1), same = if t[1] == \"one\" and t[4] == \"last\" and line(l, 2) == "
        "\"two = 2\" then 1 else 0, k[3] = {kind(l), kind(\"/tmp\"), kind(l + \".none\")};\n"
        "  end M;\n"
        "end P;\n",
        mat, lines);
    Built b = build_class(text, "P.M");
    assert_observed(&b, 0, "y", 5 + 20 + 25);
    assert_observed(&b, 0, "n", 4);
    assert_observed(&b, 0, "same", 1);
    assert_observed(&b, 0, "k[1]", 2);
    assert_observed(&b, 0, "k[2]", 3);
    assert_observed(&b, 0, "k[3]", 1);
    drop(&b);
    unlink(mat);
    unlink(lines);
}

/* ------------------------------------------------------------------ random numbers */

static void test_random(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function r64 input Integer s[2]; output Real r; output Integer n[2];\n"
        "    external \"C\" ModelicaRandom_xorshift64star(s, n, r); end r64;\n"
        "  function r128 input Integer s[4]; output Real r; output Integer n[4];\n"
        "    external \"C\" ModelicaRandom_xorshift128plus(s, n, r); end r128;\n"
        "  function r1024 input Integer s[33]; output Real r; output Integer n[33];\n"
        "    external \"C\" ModelicaRandom_xorshift1024star(s, n, r); end r1024;\n"
        "  function n64 input Integer s[2]; output Integer n[2]; protected Real r;\n"
        "    algorithm (r, n) := r64(s); end n64;\n"
        "  function n128 input Integer s[4]; output Integer n[4]; protected Real r;\n"
        "    algorithm (r, n) := r128(s); end n128;\n"
        "  function n1024 input Integer s[33]; output Integer n[33]; protected Real r;\n"
        "    algorithm (r, n) := r1024(s); end n1024;\n"
        "  model M\n"
        "    constant Integer a[2] = {-1698898191, 305419896}, b[4] = {1985229328, -19088744, "
        "1264216440, 253635900}, c[33] = {2135587861, -1640531527, -23791574, 1013904242, "
        "2111796287, -626627284, -47583148, 2027808485, 2088004713, 387276959, -71374722, "
        "-1253254568, 2064213139, 1401181202, -95166296, -239350325, 2040421565, -1879881851, "
        "-118957870, 774553918, 2016629991, -865977608, -142749444, 1788458161, 1992838417, "
        "147926635, -166541018, -1492604892, 1969046843, 1161830878, -190332592, -478700649, 15};\n"
        "    constant Integer na[2] = n64(a), nb[4] = n128(b), nc[33] = n1024(c);\n"
        "    Real ra = r64(a), rb = r128(b), rc = r1024(c), sa[2] = na, sb[4] = nb, sc[3] = "
        "nc[{1, 2, 33}];\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    const struct {
        const char *name;
        double value;
    } cases[] = {
        {"ra", 0.937838807058602}, {"sa[1]", 1015113244},  {"sa[2]", 1880503357},
        {"rb", 0.301148536038568}, {"sb[1]", 1264216440},  {"sb[2]", 253635900},
        {"sb[3]", -2044717880},    {"sb[4]", -854060535},  {"rc", 0.12176145707024322},
        {"sc[1]", 1884043861},     {"sc[2]", -1025380753}, {"sc[3]", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_observed(&b, 0, cases[i].name, cases[i].value);
    drop(&b);
}

/* ------------------------------------------------------------------ spectra */

/* |X[k]| / (n/2 + 1) and the angle of X[k], by the sum itself */
static void spectrum(const double *u, int n, int k, double *amplitude, double *phase)
{
    double re = 0, im = 0;
    for (int i = 0; i < n; i++) {
        re += u[i] * cos(2 * M_PI * (double)((long)i * k % n) / n);
        im -= u[i] * sin(2 * M_PI * (double)((long)i * k % n) / n);
    }
    *amplitude = sqrt(re * re + im * im) / (n / 2 + 1);
    *phase = atan2(im, re);
}

/* of numbers, and of what varies; all kinds of factors */
static void test_spectrum(void **state)
{
    (void)state;
    static const int sizes[] = {2, 8, 30, 14};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        char text[2000];
        const int n = sizes[s];
        snprintf(
            text, sizeof text,
            "package P\n"
            "  function fft input Real u[:]; output Integer info;\n"
            "    output Real a[div(size(u, 1), 2) + 1]; output Real p[div(size(u, 1), 2) + 1];\n"
            "  protected Real work[3*size(u, 1) + 2*(div(size(u, 1), 2) + 1)];\n"
            "    external \"C\" info = ModelicaFFT_kiss_fftr(u, size(u, 1), work, size(work, "
            "1), a, p); end fft;\n"
            "  function amplitude input Real u[:]; output Real a[div(size(u, 1), 2) + 1];\n"
            "  protected Integer info; algorithm (info, a) := fft(u); end amplitude;\n"
            "  function phase input Real u[:]; output Real p[div(size(u, 1), 2) + 1];\n"
            "  protected Integer info; Real a[div(size(u, 1), 2) + 1];\n"
            "    algorithm (info, a, p) := fft(u); end phase;\n"
            "  model M\n"
            "    constant Real v[%d] = {sin(0.7*i) + i*i/100 for i in 1:%d};\n"
            "    Real u[%d] = time*v, a[%d] = amplitude(u), p[%d] = phase(u);\n"
            "    Real b[%d] = amplitude(v);\n"
            "  end M;\n"
            "end P;\n",
            n, n, n, n / 2 + 1, n / 2 + 1, n / 2 + 1);
        Built b = build_class(text, "P.M");
        double v[30];
        for (int i = 0; i < n; i++)
            v[i] = sin(0.7 * (i + 1)) + (i + 1) * (i + 1) / 100.0;
        for (int k = 0; k <= n / 2; k += n > 10 ? 3 : 1) {
            double amplitude, phase;
            char name[20];
            spectrum(v, n, k, &amplitude, &phase);
            snprintf(name, sizeof name, "a[%d]", k + 1);
            assert_true(fabs(observe(&b, 3, NULL, name) - 3 * amplitude) < 1e-12 * n);
            *name = 'b';
            assert_true(fabs(observe(&b, 3, NULL, name) - amplitude) < 1e-12 * n);
            *name = 'p';
            if (k > 0 && k < n / 2)
                assert_true(fabs(observe(&b, 3, NULL, name) - phase) < 1e-10);
        }
        drop(&b);
    }
}

/* ------------------------------------------------------------------ LAPACK */

static void test_matrices(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function solve input Real A[:, size(A, 1)]; input Real B[size(A, 1)];\n"
        "    output Real X[size(A, 1)] = B; output Integer info;\n"
        "  protected Real work[size(A, 1), size(A, 1)] = A; Integer n = size(A, 1), pivots[n];\n"
        "    external \"FORTRAN 77\" dgesv(n, 1, work, n, pivots, X, n, info); end solve;\n"
        "  function singular input Real A[:, :]; output Integer info; protected Real x[size(A, "
        "1)];\n"
        "    algorithm (x, info) := solve(A, ones(size(A, 1))); end singular;\n"
        "  function eigen input Real A[:, size(A, 1)]; output Real re[n]; output Real im[n];\n"
        "    output Integer info;\n"
        "  protected Integer n = size(A, 1), lwork = 12*n; Real a[n, n] = A, v[n, n], w[lwork];\n"
        "    external \"Fortran 77\" dgeev(\"N\", \"N\", n, a, n, re, im, v, n, v, n, w, lwork, "
        "info); end eigen;\n"
        "  function imaginary input Real A[:, :]; output Real im[size(A, 1)];\n"
        "  protected Real re[size(A, 1)]; algorithm (re, im) := eigen(A); end imaginary;\n"
        "  function least input Real A[:, :]; input Real b[:]; output Real x[size(A, 2)];\n"
        "  protected Real r[size(A, 1)]; Integer info;\n"
        "    algorithm (r, info) := gels(A, b); x := r[1:size(A, 2)]; end least;\n"
        "  function gels input Real A[:, :]; input Real b[size(A, 1)]; output Real x[size(A, 1)] "
        "= b; output Integer info;\n"
        "  protected Integer m = size(A, 1), n = size(A, 2), lwork = 20*(m + n);\n"
        "    Real a[m, n] = A, w[lwork];\n"
        "    external \"FORTRAN 77\" dgels(\"N\", m, n, 1, a, m, x, m, w, lwork, info); end "
        "gels;\n"
        "  function norm input Real A[:, :]; output Real y; protected Real w[size(A, 1)];\n"
        "    external \"FORTRAN 77\" y = dlange(\"I\", size(A, 1), size(A, 2), A, size(A, 1), w);\n"
        "  end norm;\n"
        "  model M\n"
        "    parameter Real A[3, 3] = [4, 1, 0; 2, 3, 1; 0, 1, 2], x[3] = solve(A, {6, 11, 8});\n"
        "    Real y[3] = x, bad = singular([1, 2; 2, 4]);\n"
        "    Real re[2] = eigen([1, -2; 2, 1]), im[2] = imaginary([1, -2; 2, 1]);\n"
        "    Real line[2] = least([1, 0; 1, 1; 1, 2], {1, 3, 5}), rows = norm(A);\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    const struct {
        const char *name;
        double value;
    } cases[] = {
        {"y[1]", 1},  {"y[2]", 2},   {"y[3]", 3},    {"bad", 2},     {"re[1]", 1}, {"re[2]", 1},
        {"im[1]", 2}, {"im[2]", -2}, {"line[1]", 1}, {"line[2]", 2}, {"rows", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(fabs(observe(&b, 0, NULL, cases[i].name) - cases[i].value) < 1e-12);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),    cmocka_unit_test(test_files),
        cmocka_unit_test(test_random),   cmocka_unit_test(test_spectrum),
        cmocka_unit_test(test_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
