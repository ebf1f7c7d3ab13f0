/* table_plane.c - tables in two dimensions: rows are abscissas of u1, columns of u2.
 *
 * Linear: between four points along the columns for two rows, then between these. Constant: the
 * value at the lower corner. Splines have in each cell a polynomial that is cubic in both
 * directions,
 *
 *   y = sum a_ij d1^i d2^j,   d = u - corner
 *
 * with the values and the derivatives by u1, by u2 and by both at its four corners (Akima, A method
 * of bivariate interpolation and smooth surface fitting based on local procedures, Comm. ACM 17,
 * 1974): derivatives in one direction are those of the spline along it, the mixed one is the mean
 * of the second differences of the four cells around a point with the weights of both directions.
 *
 * Beyond the ends: held; periodic; or going on as straight lines do, from the last two points or,
 * of a spline, with the derivatives at the edge. Constant segments go on from the last two points
 * as well, as in the tables of the Modelica Standard Library. Of expressions the cell is chosen by
 * comparisons, as in table.c.
 */
#include "front/external/table.h"

#include <string.h>

#include "front/lower/lower.h"

/* abscissa i of the rows or of the columns */
static double plane_at(const Table *t, bool of_row, size_t i)
{
    return of_row ? table_at(t, i + 1, 0) : table_at(t, 0, i + 1);
}

static double plane_number(const Table *t, size_t i, size_t j)
{
    return table_at(t, i + 1, j + 1);
}

typedef struct PlaneSearch {
    const ExternalCall *c;
    const Table *t;
    bool constant;
    double u1, u2;
    size_t n1, n2;
} PlaneSearch;

/* ------------------------------------------------------------------ straight and constant */

/* the value of row i at u2, columns first ... last - 1 being the left end of the interval */
static double plane_row(const PlaneSearch *s, size_t i, size_t first, size_t last)
{
    Front *f = s->c->f;
    if (s->n2 == 1)
        return plane_number(s->t, i, 0);
    if (last - first == 1) {
        double x = plane_at(s->t, false, first), h = plane_at(s->t, false, first + 1) - x;
        double y = plane_number(s->t, i, first), z = plane_number(s->t, i, first + 1);
        double part = number_operate(f, OP_SUB, s->u2, x);
        if (!s->constant)
            return number_operate(f, OP_ADD, y, number_operate(f, OP_MUL, (z - y) / h, part));
        /* the last point is one of its own */
        return first + 2 == s->n2 ? element_choose(f, element_less(f, part, h), y, z) : y;
    }
    size_t middle = (first + last) / 2;
    double left = element_less(f, s->u2, plane_at(s->t, false, middle));
    return element_choose(f, left, plane_row(s, i, first, middle), plane_row(s, i, middle, last));
}

/* a value between four corners of a table, or on its edge */
static double plane_between(const PlaneSearch *s, size_t first, size_t last)
{
    Front *f = s->c->f;
    if (s->n1 == 1)
        return plane_row(s, 0, 0, s->n2 - 1);
    if (last - first == 1) {
        double x = plane_at(s->t, true, first), h = plane_at(s->t, true, first + 1) - x;
        double y = plane_row(s, first, 0, s->n2 - 1);
        double part = number_operate(f, OP_SUB, s->u1, x);
        if (s->constant && first + 2 < s->n1)
            return y;
        double z = plane_row(s, first + 1, 0, s->n2 - 1);
        if (s->constant)
            return element_choose(f, element_less(f, part, h), y, z);
        part = number_operate(f, OP_DIV, part, h);
        return number_operate(f, OP_ADD, y,
                              number_operate(f, OP_MUL, part, number_operate(f, OP_SUB, z, y)));
    }
    size_t middle = (first + last) / 2;
    double left = element_less(f, s->u1, plane_at(s->t, true, middle));
    return element_choose(f, left, plane_between(s, first, middle), plane_between(s, middle, last));
}

/* ------------------------------------------------------------------ splines */

/* at a point: the value, its derivatives by u1 and u2, and by both */
typedef struct Corner {
    double z, by1, by2, by12;
} Corner;

/* the second difference of a cell; beyond the table it goes on as a line does */
static double second_difference(const Table *t, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t m1 = (ptrdiff_t)t->nrow - 2, m2 = (ptrdiff_t)t->ncolumn - 2;
    if (i < 0 || i >= m1) {
        ptrdiff_t edge = i < 0 ? 0 : m1 - 1, inside = i < 0 ? 1 : m1 - 2;
        double at_edge = second_difference(t, edge, j);
        double step = m1 > 1 ? second_difference(t, inside, j) - at_edge : 0;
        return at_edge - (double)(i < 0 ? -i : i - edge) * step;
    }
    if (j < 0 || j >= m2) {
        ptrdiff_t edge = j < 0 ? 0 : m2 - 1, inside = j < 0 ? 1 : m2 - 2;
        double at_edge = second_difference(t, i, edge);
        double step = m2 > 1 ? second_difference(t, i, inside) - at_edge : 0;
        return at_edge - (double)(j < 0 ? -j : j - edge) * step;
    }
    const size_t a = (size_t)i, b = (size_t)j;
    double h1 = plane_at(t, true, a + 1) - plane_at(t, true, a);
    double h2 = plane_at(t, false, b + 1) - plane_at(t, false, b);
    return (plane_number(t, a + 1, b + 1) - plane_number(t, a, b + 1) - plane_number(t, a + 1, b) +
            plane_number(t, a, b)) /
           (h1 * h2);
}

/* one line of a table: abscissas and values */
typedef struct Line {
    double *x, *y;
    size_t n;
} Line;

static void line_fill(Line *line, const Table *t, bool along_rows, size_t at)
{
    for (size_t k = 0; k < line->n; k++) {
        line->x[k] = plane_at(t, along_rows, k);
        line->y[k] = along_rows ? plane_number(t, k, at) : plane_number(t, at, k);
    }
}

/* slope at point k of a line, with the shares of the intervals on both sides */
static double line_slope(const Line *line, size_t k, double share[2])
{
    double s[4];
    share[0] = share[1] = 0.5;
    if (line->n < 2)
        return 0;
    slopes_around(line->x, line->y, line->n, k, false, s);
    akima_weights(s, false, &share[0], &share[1]);
    double sum = share[0] + share[1];
    share[0] = sum > 0 ? share[0] / sum : 0.5;
    share[1] = 1 - share[0];
    return share[0] * s[1] + share[1] * s[2];
}

/* all corners of a table, row by row; NULL: memory ran out */
static Corner *make_corners(const ExternalCall *c, const Table *t)
{
    const size_t n1 = t->nrow - 1, n2 = t->ncolumn - 1;
    Corner *corners = scratch_zeroed(c->f, n1 * n2 * sizeof *corners);
    double *room = scratch_zeroed(c->f, 2 * (n1 + n2) * sizeof *room);
    if (!corners || !room)
        return NULL;
    Line down = {room, room + n1, n1}, across = {room + 2 * n1, room + 2 * n1 + n2, n2};
    for (size_t i = 0; i < n1; i++)
        for (size_t j = 0; j < n2; j++) {
            double share1[2], share2[2], mixed = 0;
            Corner *corner = &corners[i * n2 + j];
            line_fill(&down, t, true, j);
            line_fill(&across, t, false, i);
            corner->z = plane_number(t, i, j);
            corner->by1 = line_slope(&down, i, share1);
            corner->by2 = line_slope(&across, j, share2);
            for (int p = 0; p < 2 && n1 > 1 && n2 > 1; p++)
                for (int q = 0; q < 2; q++)
                    mixed += share1[p] * share2[q] *
                             second_difference(t, (ptrdiff_t)i + p - 1, (ptrdiff_t)j + q - 1);
            corner->by12 = mixed;
        }
    return corners;
}

/* the cubic polynomial with values and slopes at both ends of an interval of length h */
static void hermite(double y, double z, double slope_y, double slope_z, double h, double c[4])
{
    double s = (z - y) / h;
    c[0] = y;
    c[1] = slope_y;
    c[2] = (3 * s - 2 * slope_y - slope_z) / h;
    c[3] = (slope_y + slope_z - 2 * s) / (h * h);
}

/* where a polynomial begins, and its coefficients, that of d1^i d2^j at 4 i + j */
typedef struct Patch {
    double x1, x2, a[16];
} Patch;

/* the polynomial of the cell with this lower corner */
static Patch make_patch(const Table *t, const Corner *corners, size_t i, size_t j)
{
    const size_t n1 = t->nrow - 1, n2 = t->ncolumn - 1;
    Patch p = {.x1 = plane_at(t, true, i), .x2 = plane_at(t, false, j)};
    double value[2][4] = {{0}}, slope[2][4] = {{0}}, c[4];
    for (size_t k = 0; k < 2 && i + k < n1; k++) {
        const Corner *low = &corners[(i + k) * n2 + j];
        value[k][0] = low->z;
        slope[k][0] = low->by1;
        if (n2 == 1)
            continue;
        const Corner *high = low + 1;
        double h = plane_at(t, false, j + 1) - p.x2;
        hermite(low->z, high->z, low->by2, high->by2, h, value[k]);
        hermite(low->by1, high->by1, low->by12, high->by12, h, slope[k]);
    }
    for (size_t k = 0; k < 4; k++) {
        p.a[k] = value[0][k];
        if (n1 == 1)
            continue;
        hermite(value[0][k], value[1][k], slope[0][k], slope[1][k], plane_at(t, true, i + 1) - p.x1,
                c);
        for (size_t q = 0; q < 4; q++)
            p.a[4 * q + k] = c[q];
    }
    return p;
}

/* cells first ... last - 1 of a direction, those of the other one are chosen below */
static Patch choose_patch(const PlaneSearch *s, const Corner *corners, size_t i0, size_t i1,
                          size_t j0, size_t j1)
{
    bool rows = i1 - i0 > 1;
    if (!rows && j1 - j0 <= 1)
        return make_patch(s->t, corners, i0, j0);
    Front *f = s->c->f;
    size_t middle = rows ? (i0 + i1) / 2 : (j0 + j1) / 2;
    double left = element_less(f, rows ? s->u1 : s->u2, plane_at(s->t, rows, middle));
    Patch a, b;
    if (!is_symbolic(left) && left == 0)
        return rows ? choose_patch(s, corners, middle, i1, j0, j1)
                    : choose_patch(s, corners, i0, i1, middle, j1);
    a = rows ? choose_patch(s, corners, i0, middle, j0, j1)
             : choose_patch(s, corners, i0, i1, j0, middle);
    if (!is_symbolic(left))
        return a;
    b = rows ? choose_patch(s, corners, middle, i1, j0, j1)
             : choose_patch(s, corners, i0, i1, middle, j1);
    a.x1 = element_choose(f, left, a.x1, b.x1);
    a.x2 = element_choose(f, left, a.x2, b.x2);
    for (int k = 0; k < 16; k++)
        a.a[k] = element_choose(f, left, a.a[k], b.a[k]);
    return a;
}

/* c0 + d (c1 + d (c2 + d c3)), or its derivative */
static double cubic(Front *f, const double c[4], double d, bool derivative)
{
    double y = derivative ? number_operate(f, OP_MUL, 3, c[3]) : c[3];
    for (int k = 2; k >= (derivative ? 1 : 0); k--) {
        double factor = derivative ? number_operate(f, OP_MUL, k, c[k]) : c[k];
        y = number_operate(f, OP_ADD, factor, number_operate(f, OP_MUL, d, y));
    }
    return y;
}

/* the value at the clamped point and, beyond the edges, what the derivatives there add */
static double patch_value(const PlaneSearch *s, const Patch *p, double u1, double u2, bool goes_on)
{
    Front *f = s->c->f;
    double d1 = number_operate(f, OP_SUB, s->u1, p->x1);
    double d2 = number_operate(f, OP_SUB, s->u2, p->x2), row[4], by2[4];
    for (int i = 0; i < 4; i++) {
        row[i] = cubic(f, &p->a[4 * i], d2, false);
        by2[i] = goes_on ? cubic(f, &p->a[4 * i], d2, true) : 0;
    }
    double y = cubic(f, row, d1, false);
    if (!goes_on)
        return y;
    double e1 = number_operate(f, OP_SUB, u1, s->u1), e2 = number_operate(f, OP_SUB, u2, s->u2);
    double both = number_operate(f, OP_MUL, e2, cubic(f, by2, d1, true));
    both = number_operate(f, OP_ADD, cubic(f, row, d1, true), both);
    y = number_operate(f, OP_ADD, y, number_operate(f, OP_MUL, e1, both));
    return number_operate(f, OP_ADD, y, number_operate(f, OP_MUL, e2, cubic(f, by2, d1, false)));
}

/* ------------------------------------------------------------------ the value */

static double clamp(Front *f, double u, double least, double most)
{
    u = element_choose(f, element_less(f, u, least), least, u);
    return element_choose(f, element_less(f, most, u), most, u);
}

/* u is beyond the ends of an axis; a table of one row or column has none */
static double is_beyond(Front *f, const Table *t, bool of_row, double u, size_t n)
{
    if (n < 2)
        return 0;
    return element_or(f, element_less(f, u, plane_at(t, of_row, 0)),
                      element_less(f, plane_at(t, of_row, n - 1), u));
}

/* what a table of these numbers cannot do; false after reporting it */
static bool check_plane(const ExternalCall *c, const Table *t, const double u[2])
{
    if (t->smoothness != SMOOTH_LINEAR && t->smoothness != SMOOTH_CONSTANT &&
        t->smoothness != SMOOTH_AKIMA)
        return external_fail(c, "monotone splines in two dimensions are not supported\n"
                                "choose ContinuousDerivative, LinearSegments or ConstantSegments");
    if (t->extrapolation == BEYOND_NOTHING && (is_symbolic(u[0]) || is_symbolic(u[1])))
        return external_fail(c, "a table without extrapolation is not supported yet\n"
                                "choose what holds beyond its ends");
    if (t->nrow * t->ncolumn > MAX_PIECES && (is_symbolic(u[0]) || is_symbolic(u[1])))
        return external_fail(c, "a table of %zu numbers is not supported yet\nat most %d",
                             t->nrow * t->ncolumn, MAX_PIECES);
    for (int of_row = 0; of_row < 2; of_row++)
        for (size_t k = 1; k + 1 < (of_row ? t->nrow : t->ncolumn); k++)
            if (!(plane_at(t, of_row, k) > plane_at(t, of_row, k - 1)))
                return external_fail(c, "abscissa %g follows %g\nsort the table, each once",
                                     plane_at(t, of_row, k), plane_at(t, of_row, k - 1));
    return true;
}

bool plane_value(const ExternalCall *c, const Table *t, const double u[2], double *y)
{
    Front *f = c->f;
    PlaneSearch s = {.c = c, .t = t, .n1 = t->nrow - 1, .n2 = t->ncolumn - 1};
    double u1 = u[0], u2 = u[1];
    if (!check_plane(c, t, u))
        return false;
    const double first1 = plane_at(t, true, 0), last1 = plane_at(t, true, s.n1 - 1);
    const double first2 = plane_at(t, false, 0), last2 = plane_at(t, false, s.n2 - 1);
    if (t->extrapolation == BEYOND_PERIODIC) {
        u1 = s.n1 > 1 ? period_first(f, first1, last1 - first1, u1) : first1;
        u2 = s.n2 > 1 ? period_first(f, first2, last2 - first2, u2) : first2;
    }
    bool goes_on = t->extrapolation == BEYOND_LINEAR;
    s.u1 = goes_on && s.n1 > 1 ? u1 : clamp(f, u1, first1, last1);
    s.u2 = goes_on && s.n2 > 1 ? u2 : clamp(f, u2, first2, last2);
    if (t->smoothness == SMOOTH_AKIMA) {
        const Corner *corners = make_corners(c, t);
        if (!corners)
            return false;
        s.u1 = clamp(f, u1, first1, last1);
        s.u2 = clamp(f, u2, first2, last2);
        Patch p = choose_patch(&s, corners, 0, s.n1 - 1, 0, s.n2 - 1);
        *y = patch_value(&s, &p, s.n1 > 1 ? u1 : s.u1, s.n2 > 1 ? u2 : s.u2, goes_on);
        return true;
    }
    s.constant = false;
    *y = t->smoothness == SMOOTH_LINEAR || goes_on ? plane_between(&s, 0, s.n1 - 1) : 0;
    if (t->smoothness == SMOOTH_LINEAR)
        return true;
    PlaneSearch inside = s;
    inside.constant = true;
    double held = plane_between(&inside, 0, s.n1 - 1);
    double beyond =
        element_or(f, is_beyond(f, t, true, u1, s.n1), is_beyond(f, t, false, u2, s.n2));
    *y = goes_on ? element_choose(f, beyond, *y, held) : held;
    return true;
}
