/* test_external.c - built-in external functions: tables of one and two dimensions and of time, from
 * matrices and files; texts. */
#define _GNU_SOURCE /* mkstemps */
#include <stdlib.h>
#include <unistd.h>

#include <lieder/variables.h>

#include "front_help.h"
#include "help/observe.h"

#define TABLES                                                                                     \
    "  type Smooth = enumeration(linear, akima, constant_, fritsch, steffen, makima);\n"           \
    "  type Beyond = enumeration(hold, line, periodic, nothing);\n"                                \
    "  class Table extends ExternalObject;\n"                                                      \
    "    function constructor input String file; input String name; input Real x[:, :];\n"         \
    "      input Smooth s = Smooth.linear; input Beyond b = Beyond.line; output Table t;\n"        \
    "      external \"C\" t = ModelicaStandardTables_CombiTable1D_init3(file, name, x,\n"          \
    "        size(x, 1), size(x, 2), {2, 3}, 2, s, b, false, \",\", 1); end constructor;\n"        \
    "    function destructor input Table t;\n"                                                     \
    "      external \"C\" ModelicaStandardTables_CombiTable1D_close(t); end destructor;\n"         \
    "  end Table;\n"                                                                               \
    "  function value input Table t; input Integer i; input Real u; output Real y;\n"              \
    "    external \"C\" y = ModelicaStandardTables_CombiTable1D_getValue(t, i, u); end value;\n"   \
    "  function last input Table t; output Real y; external \"C\" y = \n"                          \
    "    ModelicaStandardTables_CombiTable1D_maximumAbscissa(t); end last;\n"

#define MATRIX "[0, 0, 0; 1, 1, 1; 2, 4, 1; 4, 16, 2; 5, 20, 0]"
#define LOOK_UP(name, smooth, beyond)                                                              \
    "    parameter Table " name "_t = Table(\"NoName\", \"NoName\", " MATRIX ", Smooth." smooth    \
    ", Beyond." beyond ");\n    Real " name " = value(" name "_t, 1, time), " name                 \
    "2 = value(" name "_t, 2, time), " name "_known = value(" name "_t, 1, 3);\n"

static void test_one_dimension(void **state)
{
    (void)state;
    Built b = build("package P\n" TABLES "  model M\n"     //
                    LOOK_UP("line", "linear", "line")      //
                    LOOK_UP("hold", "linear", "hold")      //
                    LOOK_UP("step", "constant_", "line")   //
                    LOOK_UP("akima", "akima", "line")      //
                    LOOK_UP("again", "linear", "periodic") //
                    LOOK_UP("fritsch", "fritsch", "line")  //
                    LOOK_UP("steffen", "steffen", "line")  //
                    "    Real slope = der(akima), bend = der(slope), end_ = last(line_t);\n"
                    "    parameter Table jump = Table(\"NoName\", \"NoName\", [0, 1, 1; 1, 1, 1; "
                    "1, 5, 5; 2, 5, 5]);\n"
                    "    Real jumped = value(jump, 1, time);\n"
                    "    parameter Table corner = Table(\"NoName\", \"NoName\", [0, 1, 3; 0, 2, 3; "
                    "1, 3, 2; 1, 7, 3]);\n"
                    "    Real cornered = value(corner, 1, time);\n"
                    "  end M;\n"
                    "end P;\n");
    static const double times[] = {-0.5, 0.25, 1, 1.75, 2.5, 4.75, 5.5};
    static const struct {
        const char *name;
        double y[7];
    } cases[] = {
        {"line", {-0.5, 0.25, 1, 3.25, 7, 19, 22}},
        {"hold", {0, 0.25, 1, 3.25, 7, 19, 20}},
        /* beyond the ends a line through the last two points, as the Modelica Standard Library does
         */
        {"step", {-0.5, 0, 1, 1, 4, 16, 22}},
        /* slopes 0, 1.8, 4.5, 4.8, 3 by hand from the weights of Akima */
        {"akima", {0, 0.071875, 1, 2.9828125, 6.690625, 19.178125, 21.5}},
        {"line2", {-0.5, 0.25, 1, 1, 1.25, 0.5, -1}},
        {"again", {18, 0.25, 1, 3.25, 7, 19, 0.5}},
        {"line_known", {10, 10, 10, 10, 10, 10, 10}},
        {"jumped", {1, 1, 5, 5, 5, 5, 5}},
        /* a jump at an end says nothing about how it goes on */
        {"cornered", {1, 2.25, 7, 7, 7, 7, 7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 7; k++)
            assert_observed(&b, times[k], cases[i].name, cases[i].y[k]);
    assert_observed(&b, 0, "end_", 5);
    /* through the points, monotone where these are, flat at an extremum */
    static const double x[] = {0, 1, 2, 4, 5}, y[] = {0, 1, 4, 16, 20}, z[] = {0, 1, 1, 2, 0};
    for (size_t k = 0; k < 5; k++) {
        assert_observed(&b, x[k], "akima", y[k]);
        assert_observed(&b, x[k], "fritsch", y[k]);
        assert_observed(&b, x[k], "steffen", y[k]);
        assert_observed(&b, x[k], "steffen2", z[k]);
    }
    double before[2] = {0, 0};
    for (double t = 0; t <= 5; t += 1.0 / 64) {
        double now[] = {observe_at(&b, t, "fritsch"), observe_at(&b, t, "steffen")};
        assert_true(now[0] >= before[0] && now[1] >= before[1]);
        memcpy(before, now, sizeof now);
        double flat = observe_at(&b, t, "steffen2");
        assert_true(flat <= 2 && (t < 1 || t > 2 || flat == 1));
    }
    /* the derivative is that of the expression */
    for (double t = -0.7; t < 6; t += 0.31) {
        double h = 1e-5, rise = observe_at(&b, t + h, "akima") - observe_at(&b, t - h, "akima");
        assert_true(fabs(observe_at(&b, t, "slope") - rise / (2 * h)) < 1e-8);
    }
    /* at its end a spline still has its own curvature, beyond it that of a line */
    assert_observed(&b, 5, "bend", -2.4);
    assert_observed(&b, 5.5, "bend", 0);
    drop(&b);
}

static void test_two_dimensions(void **state)
{
    (void)state;
    Built b = build(
        "package P\n"
        "  class Table extends ExternalObject;\n"
        "    function constructor input Real x[:, :]; input Integer s; input Integer b; output "
        "Table t;\n"
        "      external \"C\" t = ModelicaStandardTables_CombiTable2D_init3(\"NoName\", "
        "\"NoName\", x,\n"
        "        size(x, 1), size(x, 2), s, b, false, \",\", 0); end constructor;\n"
        "    function destructor input Table t;\n"
        "      external \"C\" ModelicaStandardTables_CombiTable2D_close(t); end destructor;\n"
        "  end Table;\n"
        "  function value input Table t; input Real u; input Real v; output Real y;\n"
        "    external \"C\" y = ModelicaStandardTables_CombiTable2D_getValue(t, u, v); end value;\n"
        "  function least input Table t; output Real u[2];\n"
        "    external \"C\" ModelicaStandardTables_CombiTable2D_minimumAbscissa(t, u); end least;\n"
        "  model M\n"
        "    parameter Real x[4, 4] = [0, 0, 1, 3; 1, 0, 1, 3; 2, 0, 2, 6; 4, 0, 4, 12];\n"
        "    parameter Table line = Table(x, 1, 2), hold = Table(x, 1, 1), step = Table(x, 3, 1);\n"
        "    Real u = 1 + time, v = 3 - time, y = value(line, u, v), h = value(hold, u, v), s = "
        "value(step, u, v);\n"
        "    Real known = value(line, 3, 2), l[2] = least(line);\n"
        "  end M;\n"
        "end P;\n");
    /* the numbers are the product, which bilinear interpolation gives back, also outside */
    for (double t = -1; t < 4; t += 0.3)
        assert_observed(&b, t, "y", (1 + t) * (3 - t));
    assert_observed(&b, 3.5, "h", 0);
    assert_observed(&b, -0.5, "h", 1 * 3);
    assert_observed(&b, 1.5, "s", 2 * 1);
    assert_observed(&b, 0, "known", 6);
    assert_observed(&b, 0, "l[1]", 1);
    drop(&b);
}

/* Splines in two dimensions: x^2 y + y^2 on equal distances has second differences that are equal
 * everywhere, so the means of all weights are its derivatives, and it comes back between the
 * points. Beyond the edges it goes on with the derivatives there. The weights by another table,
 * turned over; one row, two columns and one number are tables, too. */
static void test_splines_in_two_dimensions(void **state)
{
    (void)state;
    Built b = build(
        "package P\n"
        "  class Table extends ExternalObject;\n"
        "    function constructor input Real x[:, :]; input Integer s; input Integer b; output "
        "Table t;\n"
        "      external \"C\" t = ModelicaStandardTables_CombiTable2D_init3(\"NoName\", "
        "\"NoName\", x,\n"
        "        size(x, 1), size(x, 2), s, b, false, \",\", 0); end constructor;\n"
        "    function destructor input Table t;\n"
        "      external \"C\" ModelicaStandardTables_CombiTable2D_close(t); end destructor;\n"
        "  end Table;\n"
        "  function value input Table t; input Real u; input Real v; output Real y;\n"
        "    external \"C\" y = ModelicaStandardTables_CombiTable2D_getValue(t, u, v); end value;\n"
        "  model M\n"
        "    parameter Real g[6, 5] = {{if i == 0 and j == 0 then 0 else if i == 0 then j/2 else "
        "if "
        "j == 0 then i else i^2*j/2 + j^2/4 for j in 0:4} for i in 0:5};\n"
        "    parameter Real r[5, 4] = [0, 1, 2, 4; 0, 5, 1, 2; 1, 3, 3, 0; 3, -2, 8, 1; 4, 1, 1, "
        "7];\n"
        "    parameter Table t = Table(g, 2, 2), turned = Table(transpose(g), 2, 2), held = "
        "Table(g, 2, 1),\n"
        "      any_ = Table(r, 2, 2), over = Table(transpose(r), 2, 2), row = Table([0, 1, 2, 3; "
        "5, "
        "1, 4, 9], 2, 2),\n"
        "      round_ = Table(r, 2, 3), step = Table(r, 3, 2), one = Table([0, 1; 1, 7], 2, 2);\n"
        "    Real u = 1.3 + time, v = 0.7 + time/2, y = value(t, u, v), z = value(turned, v, u), h "
        "= value(held, u, v);\n"
        "    Real a = value(any_, u, v), o = value(over, v, u), k = value(row, u, v), s = value("
        "step, u, v);\n"
        "    Real p = value(round_, u + 4, v - 6), q = value(round_, u, v), w = value(one, u, v);\n"
        "    Real slope = der(a), known = value(t, 2.5, 1.25);\n"
        "  end M;\n"
        "end P;\n");
    for (double t = -2.01; t < 6; t += 0.37) { /* never at a point */
        double u = 1.3 + t, v = 0.7 + t / 2;
        double x = fmin(fmax(u, 1), 5), y = fmin(fmax(v, 0.5), 2); /* on the edge */
        double inside = x * x * y + y * y, by_u = 2 * x * y, by_v = x * x + 2 * y;
        double beyond = inside + (u - x) * by_u + (v - y) * by_v + (u - x) * (v - y) * 2 * x;
        assert_observed(&b, t, "y", beyond);
        assert_observed(&b, t, "z", beyond);
        assert_observed(&b, t, "h", inside);
        assert_observed(&b, t, "o", observe_at(&b, t, "a"));
        assert_observed(&b, t, "w", 7);
        assert_observed(&b, t, "p", observe_at(&b, t, "q"));
        /* one row of 1, 4, 9 is a spline of v, which gives v^2 back */
        double e = fmin(fmax(v, 1), 3);
        assert_observed(&b, t, "k", e * e + (v - e) * 2 * e);
        double d = 1e-5, rise = observe_at(&b, t + d, "a") - observe_at(&b, t - d, "a");
        assert_true(fabs(observe_at(&b, t, "slope") - rise / (2 * d)) < 1e-7);
    }
    assert_observed(&b, 0, "known", 2.5 * 2.5 * 1.25 + 1.25 * 1.25);
    /* constant segments: inside the value at the lower corner, beyond lines through two points */
    assert_observed(&b, 2, "s", -2);  /* at 3.3, 1.7 */
    assert_observed(&b, 1.2, "s", 3); /* at 2.5, 1.3 */
    /* at 5, 2.55: beyond the last row */
    double row3 = 8 - 0.275 * 7, row4 = 1 + 0.275 * 6;
    assert_observed(&b, 3.7, "s", 2 * row4 - row3);
    drop(&b);
}

/* two tables in a text file, and rows in a .csv file */
static void test_files(void **state)
{
    (void)state;
    char name[] = "/tmp/lieder-table-XXXXXX", text[6000], csv[64];
    int file = mkstemp(name);
    assert_true(file >= 0);
    static const char numbers[] = "#1\n# two tables\ndouble first(2,2)\n 0 1\n 1 2 # rest\n"
                                  "double second (2, 3) # more\n 0, 5, 7\n 2; 6; 8\n";
    assert_true(write(file, numbers, sizeof numbers - 1) > 0);
    close(file);
    snprintf(csv, sizeof csv, "%s.csv", name);
    FILE *out = fopen(csv, "w");
    assert_non_null(out);
    fprintf(out, "time,value,other\n0,10,1\n1,12,2\n");
    fclose(out);
    snprintf(text, sizeof text,
             "package P\n" TABLES "  model M\n"
             "    parameter Table a = Table(\"%s\", \"second\", zeros(0, 2)), c = Table(\"%s\", "
             "\"\", zeros(0, 2));\n"
             "    Real y = value(a, 2, time), z = value(c, 1, time);\n"
             "  end M;\n"
             "end P;\n",
             name, csv);
    Built b = build(text);
    assert_observed(&b, 1, "y", 7.5);
    assert_observed(&b, 0.5, "z", 11);
    drop(&b);
    unlink(name);
    unlink(csv);
    b = build_with(text, "P.M", NULL, 0);
    assert_int_not_equal(b.status, LIEDER_DONE); /* the file is gone */
    drop(&b);
}

/* what the program makes of a table in a file: its value at 1, or NAN, and what it says */
static double read_table(const char *extension, const char *numbers, char *said, size_t size)
{
    char name[] = "/tmp/lieder-table-XXXXXX", path[64], text[6000];
    close(mkstemp(name));
    snprintf(path, sizeof path, "%s%s", name, extension);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(numbers, out);
    fclose(out);
    snprintf(text, sizeof text,
             "package P\n" TABLES "  model M\n"
             "    parameter Table a = Table(\"%s\", \"t\", zeros(0, 2));\n"
             "    Real y = value(a, 2, time);\n"
             "  end M;\n"
             "end P;\n",
             path);
    Built b = build_with(text, "P.M", NULL, 0);
    FILE *log = fmemopen(said, size, "w");
    lieder_diagnostic_print_all(b.session, log);
    fclose(log);
    double y = b.status == LIEDER_DONE ? observe_at(&b, 1, "y") : NAN;
    drop(&b);
    unlink(name);
    unlink(path);
    return y;
}

/* A table is what its file says: a number that is cut off is none, or reported where it may be one;
 * two numbers without anything between them, empty fields, nan and inf are refused. */
static void test_wrong_tables(void **state)
{
    (void)state;
#define HEAD "t,x,z\n0,9,10\n1,9,"
#define TEXT "#1\ndouble t(2,3)\n0 9 1\n1 9 "
    static const struct {
        const char *extension, *numbers, *message; /* "": nothing is said */
        double y;
    } cases[] = {
        {".csv", HEAD "3.5\n", "", 3.5},
        {".csv", "\xEF\xBB\xBF" HEAD "3.5\n", "", 3.5},
        {".txt", "\xEF\xBB\xBF" TEXT "3.5\n", "", 3.5},
        {".csv", HEAD "3.\n", "", 3},
        {".csv", HEAD "3.", "cut off", NAN},
        {".csv", HEAD "3", "without the end of the line", 3},
        {".csv", HEAD "3e", "cut off", NAN},
        {".csv", HEAD "-", "cut off", NAN},
        {".csv", HEAD, "rows of 3 and 2 numbers", NAN},
        {".csv", HEAD "3.5.1\n", "no number", NAN},
        {".csv", HEAD "3-5\n", "no number", NAN},
        {".csv", "t,x,y,z\n0,,9,10\n1,,9,3\n", "empty field", NAN},
        {".csv", HEAD "inf\n", "no number", NAN},
        {".csv", HEAD "1e999\n", "no number", NAN},
        {"", TEXT "3.5\n", "", 3.5},
        {"", TEXT "3.", "cut off", NAN},
        {"", TEXT "3", "without the end of the line", 3},
        {"", TEXT, "5 of 6 numbers", NAN},
        {"", TEXT "nan\n", "no number", NAN},
    };
#undef HEAD
#undef TEXT
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[4000] = "";
        double y = read_table(cases[i].extension, cases[i].numbers, said, sizeof said);
        if (*cases[i].message ? !strstr(said, cases[i].message) : *said != 0)
            fail_msg("case %zu: \"%s\" instead of \"%s\"", i, said, cases[i].message);
        if (isnan(cases[i].y) ? !isnan(y) : !(fabs(y - cases[i].y) < 1e-12))
            fail_msg("case %zu: %g instead of %g", i, y, cases[i].y);
    }
}

static void test_texts(void **state)
{
    (void)state;
    Built b = build(
        "package P\n"
        "  function length input String s; output Integer n; external \"C\" n = "
        "ModelicaStrings_length(s); end length;\n"
        "  function part input String s; input Integer a; input Integer b; output String r;\n"
        "    external \"C\" r = ModelicaStrings_substring(s, a, b); end part;\n"
        "  type Order = enumeration(less, equal, greater);\n"
        "  function compare input String a; input String b; input Boolean exact = true; output "
        "Order o;\n"
        "    external \"C\" o = ModelicaStrings_compare(a, b, exact); end compare;\n"
        "  function skip input String s; input Integer i; output Integer n;\n"
        "    external \"C\" n = ModelicaStrings_skipWhiteSpace(s, i); end skip;\n"
        "  model M\n"
        "    parameter Real n = length(part(\"abcdef\", 2, 4)), k = skip(\"a  b\", 2);\n"
        "    parameter Real o = if compare(\"Ab\", \"ab\") == Order.less then 1 else 0;\n"
        "    parameter Real p = if compare(\"Ab\", \"aB\", false) == Order.equal then 1 else 0;\n"
        "    parameter Real q = if compare(\"b\", \"abc\") == Order.greater then 1 else 0;\n"
        "    Real x = n + 10*k + 100*o + 1000*p + 10000*q;\n"
        "  end M;\n"
        "end P;\n");
    assert_observed(&b, 0, "x", 3 + 40 + 100 + 1000 + 10000);
    drop(&b);
}

/* ------------------------------------------------------------------ files of MATLAB, level 5 */

typedef struct Bytes {
    unsigned char at[2000];
    size_t n;
} Bytes;

static void put(Bytes *b, const void *from, size_t n)
{
    assert_true(b->n + n <= sizeof b->at);
    memcpy(b->at + b->n, from, n);
    b->n += n;
}

/* an element with its tag, filled up to a multiple of eight */
static void put_element(Bytes *b, uint32_t type, const void *data, size_t n)
{
    static const unsigned char zeros[8];
    put(b, (const uint32_t[]){type, (uint32_t)n}, 8);
    put(b, data, n);
    put(b, zeros, (8 - n % 8) % 8);
}

/* flags, sizes and name of a matrix */
static void put_begin(Bytes *b, uint32_t class_, int32_t nrow, int32_t ncolumn, const char *name)
{
    put_element(b, 6, (const uint32_t[]){class_, 0}, 8);
    put_element(b, 5, (const int32_t[]){nrow, ncolumn}, 8);
    put_element(b, 1, name, strlen(name));
}

/* columns 0, 1, 2; 10, 20, -30 and zeros as 16 bits */
static void put_matrix(Bytes *b, const char *name)
{
    Bytes inside = {.n = 0};
    put_begin(&inside, 6, 3, 3, name);
    put_element(&inside, 3, (const int16_t[]){0, 1, 2, 10, 20, -30, 0, 0, 0}, 18);
    put_element(b, 14, inside.at, inside.n);
}

/* a structure with two fields */
static void put_structure(Bytes *b, const char *name)
{
    static const char names[2][8] = {"one", "two"};
    Bytes inside = {.n = 0};
    put_begin(&inside, 2, 1, 1, name);
    put(&inside, (const uint16_t[]){5, 4}, 4); /* small: the length of a name */
    put(&inside, (const int32_t[]){8}, 4);
    put_element(&inside, 1, names, sizeof names);
    Bytes other = {.n = 0};
    put_begin(&other, 6, 1, 1, "");
    put_element(&other, 9, (const double[]){7}, 8);
    put_element(&inside, 14, other.at, other.n);
    put_matrix(&inside, "");
    put_element(b, 14, inside.at, inside.n);
}

/* an element as zlib has it, in one block that is stored as it is */
static void put_packed(Bytes *b, const Bytes *inside)
{
    Bytes packed = {.n = 0};
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < inside->n; i++) {
        low = (low + inside->at[i]) % 65521;
        high = (high + low) % 65521;
    }
    put(&packed, (const unsigned char[]){0x78, 0x01, 0x01}, 3);
    put(&packed, (const uint16_t[]){(uint16_t)inside->n, (uint16_t)~inside->n}, 4);
    put(&packed, inside->at, inside->n);
    put(&packed,
        (const unsigned char[]){(unsigned char)(high >> 8), (unsigned char)high,
                                (unsigned char)(low >> 8), (unsigned char)low},
        4);
    put(b, (const uint32_t[]){15, (uint32_t)packed.n}, 8);
    put(b, packed.at, packed.n);
}

/* the value of a table of the file between its last two rows; NAN: it is refused */
static double between_rows(const char *path, const char *table)
{
    char text[6000];
    snprintf(text, sizeof text,
             "package P\n" TABLES "  model M\n    parameter Table t = Table(\"%s\", \"%s\", "
             "fill(0, 0, 2));\n    Real y = value(t, 1, 1.5 + 0*time);\n  end M;\nend P;\n",
             path, table);
    Built b = build_with(text, "P.M", NULL, 0);
    double y = b.status == LIEDER_DONE ? observe_at(&b, 0, "y") : NAN;
    assert_true(b.status == LIEDER_DONE || lieder_diagnostic_count(b.session) > 0);
    drop(&b);
    return y;
}

static void write_file(const char *path, const Bytes *b, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b->at, 1, n, file), n);
    fclose(file);
}

/* matrices, fields of structures and compressed ones; a file that ends anywhere, and one with
 * bytes changed, are read rightly or refused */
static void test_matlab_files(void **state)
{
    (void)state;
    char path[] = "/tmp/lieder-table-XXXXXX.mat";
    int handle = mkstemps(path, 4);
    assert_true(handle >= 0);
    close(handle);
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "MATLAB 5.0 MAT-file", 19);
    memcpy(header + 124, (const char[]){0, 1, 'I', 'M'}, 4);
    Bytes whole = {.n = 0}, packed = {.n = 0};
    put(&whole, header, sizeof header);
    put_structure(&whole, "s");
    put_matrix(&whole, "a");
    put_matrix(&packed, "b");
    put_packed(&whole, &packed);
    write_file(path, &whole, whole.n);
    static const char *const names[] = {"a", "b", "s.two"};
    for (size_t k = 0; k < 3; k++)
        assert_true(between_rows(path, names[k]) == -5);
    static const char *const wrong[] = {"c", "s", "s.three", "a.one", "s.one", "s.two.x", "."};
    for (size_t k = 0; k < 7; k++)
        assert_true(isnan(between_rows(path, wrong[k])));
    for (size_t n = 0; n < whole.n; n += 3) {
        write_file(path, &whole, n);
        double y = between_rows(path, names[n % 9 / 3]);
        assert_true(isnan(y) || y == -5);
    }
    for (size_t i = 128; i < whole.n; i += 5) {
        Bytes damaged = whole;
        damaged.at[i] ^= 0x5b;
        write_file(path, &damaged, damaged.n);
        between_rows(path, names[i % 3]);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_dimension),
        cmocka_unit_test(test_two_dimensions),
        cmocka_unit_test(test_splines_in_two_dimensions),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_matlab_files),
        cmocka_unit_test(test_wrong_tables),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
