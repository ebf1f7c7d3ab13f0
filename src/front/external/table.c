/* table.c - tables of Modelica.Blocks: one and two dimensions and time.
 *
 * A column of a table becomes pieces, cubic polynomials in d = u - x0:
 *
 *   y = c0 + d (c1 + d (c2 + d c3))      from a breakpoint to the next one
 *
 * linear: slopes between points; constant: the value on the left; splines from slopes t at the
 * points, c1 = t_k, c2 = (3 s_k - 2 t_k - t_k+1)/h, c3 = (t_k + t_k+1 - 2 s_k)/h^2 with s_k =
 * (y_k+1 - y_k)/h: Akima (J. ACM 17, 1970) and his later weights with |s_k+1 + s_k|/2 added,
 * Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5, 1984), Steffen (Astron. Astrophys. 239, 1990).
 * Two equal abscissas are a jump: the value there is that of the right side, and splines begin
 * anew. Beyond the ends come one piece on each side.
 *
 * Of a number the piece is looked up; of an expression its four coefficients and x0 are chosen by a
 * tree of comparisons, n - 1 of them for n pieces, and the polynomial is computed once. No event
 * comes from it, as in the tables of the Modelica Standard Library. Time tables have events: while
 * the next one is held by the model, the piece on its left holds, also at that very time.
 */
#include "front/external/table.h"

#include "front/lower/lower.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct TablePiece {
    double from; /* breakpoint on its left; -inf for the first */
    double x0, c[4];
} TablePiece;

/* ------------------------------------------------------------------ elements, known or not */

double element_less(Front *f, double a, double b)
{
    if (!is_symbolic(a) && !is_symbolic(b))
        return a < b;
    Graph *g = &f->lower->cell.graph;
    return symbolic_element(
        node_make(g, NODE_LESS, symbolic_node(f, a), symbolic_node(f, b), NO_NODE));
}

double element_or(Front *f, double a, double b)
{
    if (!is_symbolic(a))
        return a != 0 ? 1 : b;
    if (!is_symbolic(b))
        return b != 0 ? 1 : a;
    return symbolic_binary(f, OP_OR, a, b);
}

double element_choose(Front *f, double condition, double a, double b)
{
    if (!is_symbolic(condition))
        return condition != 0 ? a : b;
    return a == b ? a : symbolic_select(f, condition, a, b);
}

/* ------------------------------------------------------------------ slopes of splines */

static double sign_of(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

void akima_weights(const double s[4], bool modified, double *left, double *right)
{
    *left = fabs(s[3] - s[2]);
    *right = fabs(s[1] - s[0]);
    if (modified) {
        *left += fabs(s[3] + s[2]) / 2;
        *right += fabs(s[1] + s[0]) / 2;
    }
}

/* with the weights of Akima, the later ones with `modified` */
static double akima_slope(const double s[4], bool modified)
{
    double left, right;
    akima_weights(s, modified, &left, &right);
    if (left + right == 0)
        return modified ? 0 : (s[1] + s[2]) / 2;
    return (left * s[1] + right * s[2]) / (left + right);
}

/* inside, from the slopes and lengths on both sides */
static double monotone_slope(int smoothness, double s0, double s1, double h0, double h1)
{
    if (s0 * s1 <= 0)
        return 0;
    if (smoothness == SMOOTH_FRITSCH)
        return 3 * (h0 + h1) / ((2 * h1 + h0) / s0 + (h1 + 2 * h0) / s1);
    double p = (s0 * h1 + s1 * h0) / (h0 + h1);
    return (sign_of(s0) + sign_of(s1)) * fmin(fmin(fabs(s0), fabs(s1)), fabs(p) / 2);
}

/* slopes of the two intervals before point k of n and of the two behind it, NAN: there is none */
static void slopes_inside(const double *x, const double *y, size_t n, size_t k, bool periodic,
                          double s[4])
{
    ptrdiff_t m = (ptrdiff_t)n - 1; /* intervals */
    for (ptrdiff_t i = -2; i < 2; i++) {
        ptrdiff_t at = (ptrdiff_t)k + i;
        if (periodic)
            at = ((at % m) + m) % m;
        if (at >= 0 && at < m)
            s[i + 2] = (y[at + 1] - y[at]) / (x[at + 1] - x[at]);
        else
            s[i + 2] = NAN;
    }
}

void slopes_around(const double *x, const double *y, size_t n, size_t k, bool periodic, double s[4])
{
    slopes_inside(x, y, n, k, periodic, s);
    if (n == 2)
        s[0] = s[1] = s[2] = s[3] = isnan(s[1]) ? s[2] : s[1];
    if (isnan(s[1]))
        s[1] = 2 * s[2] - s[3];
    if (isnan(s[2]))
        s[2] = 2 * s[1] - s[0];
    if (isnan(s[0]))
        s[0] = 2 * s[1] - s[2];
    if (isnan(s[3]))
        s[3] = 2 * s[2] - s[1];
}

/* slope at point k of n points without a jump */
static double spline_slope(int smoothness, const double *x, const double *y, size_t n, size_t k,
                           bool periodic)
{
    double s[4];
    if (smoothness == SMOOTH_FRITSCH || smoothness == SMOOTH_STEFFEN) {
        slopes_inside(x, y, n, k, periodic, s);
        if (isnan(s[1]) || isnan(s[2]))
            return isnan(s[1]) ? s[2] : s[1];
        double h0 = k > 0 ? x[k] - x[k - 1] : x[n - 1] - x[n - 2];
        double h1 = k + 1 < n ? x[k + 1] - x[k] : x[1] - x[0];
        return monotone_slope(smoothness, s[1], s[2], h0, h1);
    }
    slopes_around(x, y, n, k, periodic, s);
    return n == 2 ? s[1] : akima_slope(s, smoothness == SMOOTH_MAKIMA);
}

/* ------------------------------------------------------------------ pieces */

typedef struct Pieces {
    TablePiece *items;
    size_t n;
    double slope_first, slope_last; /* at the ends */
} Pieces;

/* the pieces between points that have no jump between them */
static void add_run(const Table *t, const double *x, const double *y, size_t n, Pieces *p)
{
    bool periodic = t->extrapolation == BEYOND_PERIODIC && n == t->nrow && n > 2;
    for (size_t k = 0; k + 1 < n; k++) {
        double h = x[k + 1] - x[k], s = (y[k + 1] - y[k]) / h;
        TablePiece piece = {.from = x[k], .x0 = x[k], .c = {y[k]}};
        if (t->smoothness == SMOOTH_LINEAR) {
            piece.c[1] = s;
        } else if (t->smoothness != SMOOTH_CONSTANT) {
            double a = spline_slope(t->smoothness, x, y, n, k, periodic);
            double b = spline_slope(t->smoothness, x, y, n, k + 1, periodic);
            piece.c[1] = a;
            piece.c[2] = (3 * s - 2 * a - b) / h;
            piece.c[3] = (a + b - 2 * s) / (h * h);
        }
        const double *c = piece.c;
        if (p->n == 0)
            p->slope_first = c[1];
        p->slope_last = c[1] + h * (2 * c[2] + 3 * h * c[3]);
        p->items[p->n++] = piece;
    }
}

/* one piece for each interval, and one beyond each end; false after an error */
static bool make_pieces(const ExternalCall *c, const Table *t, size_t column, Pieces *p)
{
    double *x = scratch_zeroed(c->f, 2 * t->nrow * sizeof *x), *y = x + t->nrow;
    *p = (Pieces){.items = scratch_zeroed(c->f, (t->nrow + 2) * sizeof *p->items)};
    if (!x || !p->items)
        return false;
    for (size_t i = 0; i < t->nrow; i++) {
        x[i] = table_at(t, i, 0);
        y[i] = table_at(t, i, column);
        if (i && !(x[i] >= x[i - 1]))
            return external_fail(c,
                                 "abscissa %g of row %zu is less than %g before it\nsort the table",
                                 x[i], i + 1, x[i - 1]);
    }
    for (size_t first = 0, i = 1; i <= t->nrow; i++)
        if (i == t->nrow || x[i] == x[i - 1]) {
            add_run(t, x + first, y + first, i - first, p);
            first = i;
        }
    size_t last = t->nrow - 1;
    bool goes_on = t->extrapolation == BEYOND_LINEAR;
    if (t->smoothness == SMOOTH_LINEAR || t->smoothness == SMOOTH_CONSTANT) {
        /* through the last two points, also of constant segments; a jump there says nothing */
        double h = x[1] - x[0], k = x[last] - x[last - 1];
        p->slope_first = h > 0 ? (y[1] - y[0]) / h : 0;
        p->slope_last = k > 0 ? (y[last] - y[last - 1]) / k : 0;
    }
    TablePiece before = {.from = -INFINITY, .x0 = x[0], .c = {y[0], goes_on ? p->slope_first : 0}};
    TablePiece after = {
        .from = x[last], .x0 = x[last], .c = {y[last], goes_on ? p->slope_last : 0}};
    memmove(p->items + 1, p->items, p->n * sizeof *p->items);
    p->items[0] = before;
    p->items[++p->n] = after;
    p->n++;
    return true;
}

typedef struct PieceSearch {
    Front *f;
    const Pieces *p;
    double u, next; /* next event of a time table; NAN: none is held */
    double tolerance;
    double end; /* of a smooth last piece that is closed; NAN: it is open like the others */
} PieceSearch;

/* is u on the left of the breakpoint? The end of a table that is no jump belongs to its last piece.
 */
static double is_left(const PieceSearch *s, double breakpoint)
{
    double left = element_less(s->f, s->u, breakpoint - s->tolerance);
    if (breakpoint == s->end) {
        double right = element_less(s->f, breakpoint, s->u);
        return is_symbolic(right) ? symbolic_unary(s->f, OP_NOT, right) : right == 0;
    }
    if (!is_symbolic(s->next) && isnan(s->next))
        return left;
    double passed = element_less(s->f, breakpoint + s->tolerance, s->next);
    double held = is_symbolic(passed) ? symbolic_unary(s->f, OP_NOT, passed) : passed == 0;
    return element_or(s->f, left, held);
}

/* x0 and coefficients of the piece that holds, among first ... last */
static void choose_piece(const PieceSearch *s, size_t first, size_t last, double out[5])
{
    if (first == last) {
        const TablePiece *p = &s->p->items[first];
        memcpy(out, (const double[]){p->x0, p->c[0], p->c[1], p->c[2], p->c[3]}, 5 * sizeof *out);
        return;
    }
    size_t middle = (first + last) / 2;
    double left = is_left(s, s->p->items[middle + 1].from), a[5], b[5];
    if (!is_symbolic(left)) {
        choose_piece(s, left != 0 ? first : middle + 1, left != 0 ? middle : last, out);
        return;
    }
    choose_piece(s, first, middle, a);
    choose_piece(s, middle + 1, last, b);
    for (int i = 0; i < 5; i++)
        out[i] = element_choose(s->f, left, a[i], b[i]);
}

/* the polynomial, or its derivative by u */
static double piece_value(Front *f, const double p[5], double u, bool derivative)
{
    double d = number_operate(f, OP_SUB, u, p[0]), c[4], y = 0;
    for (int i = 0; i < 4; i++)
        c[i] = !derivative ? p[i + 1] : i < 3 ? number_operate(f, OP_MUL, i + 1, p[i + 2]) : 0;
    for (int i = 4; i-- > 0;)
        y = y == 0 && !is_symbolic(y)
                ? c[i]
                : number_operate(f, OP_ADD, c[i], number_operate(f, OP_MUL, d, y));
    return y;
}

static double table_last(const Table *t)
{
    return table_at(t, t->nrow - 1, 0);
}

double period_first(Front *f, double from, double period, double u)
{
    double turns = number_operate(f, OP_DIV, number_operate(f, OP_SUB, u, from), period);
    if (is_symbolic(turns)) {
        Graph *g = &f->lower->cell.graph;
        turns = symbolic_element(node_call(g, FUNCTION_FLOOR, symbolic_node(f, turns), NO_NODE));
    } else {
        turns = floor(turns);
    }
    return number_operate(f, OP_SUB, u, number_operate(f, OP_MUL, turns, period));
}

/* what counts as the same time */
static double table_tolerance(const Table *t)
{
    double length = table_last(t) - table_at(t, 0, 0);
    return t->is_time ? 1e-13 * fmax(length, fabs(table_last(t))) : 0;
}

/* u in the first period; the end of a period is the begin of the next, also by rounding */
static double first_period(Front *f, const Table *t, double u)
{
    double from = table_at(t, 0, 0);
    return period_first(f, from - table_tolerance(t), table_last(t) - from, u);
}

/* Splines have their own curvature at their end, not that of the line that follows. */
static double closed_end(const Table *t)
{
    bool smooth = t->smoothness != SMOOTH_CONSTANT && t->extrapolation != BEYOND_PERIODIC;
    bool jumps = table_last(t) == table_at(t, t->nrow - 2, 0);
    return smooth && !jumps && !t->is_time ? table_last(t) : NAN;
}

/* the value of a column at u; next: see PieceSearch */
static bool table_value(const ExternalCall *c, const Table *t, size_t column, double u, double next,
                        bool derivative, double *y)
{
    Pieces p;
    double piece[5];
    if (t->nrow == 1) {
        *y = derivative ? 0 : table_at(t, 0, column);
        return true;
    }
    if (t->extrapolation == BEYOND_NOTHING && is_symbolic(u))
        return external_fail(c, "a table without extrapolation is not supported yet\n"
                                "choose what holds beyond its ends");
    if (t->nrow > MAX_PIECES && is_symbolic(u))
        return external_fail(c, "a table of %zu rows is not supported yet\nat most %d rows",
                             t->nrow, MAX_PIECES);
    if (!make_pieces(c, t, column, &p))
        return false;
    if (t->extrapolation == BEYOND_PERIODIC) {
        u = first_period(c->f, t, u);
        next = NAN;
    }
    PieceSearch s = {c->f, &p, u, next, table_tolerance(t), closed_end(t)};
    choose_piece(&s, 0, p.n - 1, piece);
    *y = piece_value(c->f, piece, u, derivative);
    return true;
}

/* how large the time is at which the table begins to count; from the beginning of time: zero */
static double table_start(const Table *t)
{
    return fabs(t->start) < 1e59 ? fabs(t->start) : 0;
}

/* ------------------------------------------------------------------ events of time */

/* the times at which something happens in the table, rising; jumps and, of straight or constant
 * segments, all breakpoints */
static size_t event_times(const Table *t, double *times)
{
    size_t n = 0;
    for (size_t i = 0; i < t->nrow && t->events != EVENTS_NEVER; i++) {
        double x = table_at(t, i, 0);
        bool jump = i && table_at(t, i - 1, 0) == x;
        bool end = i == 0 || i + 1 == t->nrow;
        bool all = t->smoothness == SMOOTH_CONSTANT ||
                   (t->smoothness == SMOOTH_LINEAR && t->events == EVENTS_ALWAYS);
        if ((jump || end || all) && (n == 0 || times[n - 1] < x))
            times[n++] = x;
    }
    return n;
}

/* the next of the times after u, or infinity; among first ... n - 1 */
static double next_of(Front *f, const double *times, size_t first, size_t n, double u,
                      double tolerance)
{
    if (first == n)
        return 1e60; /* Modelica.Constants.inf: no event */
    return element_choose(f, element_less(f, u, times[first] - tolerance), times[first],
                          next_of(f, times, first + 1, n, u, tolerance));
}

/* the next time at which a table has a corner or a jump */
static bool next_event(ExternalCall *c, const Table *t, double time)
{
    Front *f = c->f;
    double *times = scratch_zeroed(f, (t->nrow + 3) * sizeof *times);
    size_t n = times ? event_times(t, times) : 0;
    if (!times || n > MAX_PIECES)
        return times ? external_fail(c,
                                     "a table with %zu events is not supported yet\n"
                                     "choose NoTimeEvents",
                                     n)
                     : false;
    double u = number_operate(f, OP_SUB, time, t->shift), next;
    double length = table_last(t) - table_at(t, 0, 0);
    double tolerance = 1e-12 * fmax(length, fmax(fabs(table_last(t)), table_start(t)));
    if (t->extrapolation == BEYOND_PERIODIC && t->nrow > 1 && n) {
        /* of this period, or the second of the next one */
        double inside = first_period(f, t, u), turn = number_operate(f, OP_SUB, u, inside);
        times[n] = (n > 1 ? times[1] : times[0]) + length;
        next = next_of(f, times, 0, n + 1, inside, tolerance);
        next = number_operate(f, OP_ADD, next, turn);
    } else {
        next = next_of(f, times, 0, n, u, tolerance);
    }
    next = number_operate(f, OP_ADD, next, t->shift);
    if (t->events != EVENTS_NEVER)
        next = element_choose(f, element_less(f, time, t->start - tolerance), t->start, next);
    c->result = value_number(V_REAL, next);
    return true;
}

/* ------------------------------------------------------------------ functions */

static bool is_scalar(const Value *v)
{
    return (v->kind == V_REAL || v->kind == V_INTEGER || v->kind == V_ENUM ||
            v->kind == V_BOOLEAN) &&
           v->ndim == 0;
}

/* where the arguments of the constructors stand: file, table, matrix, rows, columns, then these */
typedef struct TableArguments {
    size_t start, columns, smoothness, extrapolation, shift, events, delimiter, header;
} TableArguments;
static const TableArguments for_time = {5, 6, 8, 9, 10, 11, 13, 14};
static const TableArguments for_one = {0, 5, 7, 8, 0, 0, 10, 11};
static const TableArguments for_two = {0, 0, 5, 6, 0, 0, 8, 9};

static int whole_argument(const ExternalCall *c, size_t i, int otherwise)
{
    return i && i < c->n && is_scalar(&c->a[i]) ? (int)c->a[i].x : otherwise;
}

/* the numbers: of the argument, or of a file */
static bool read_numbers(ExternalCall *c, const TableArguments *at, Table *t)
{
    const Value *file = &c->a[0], *name = &c->a[1], *matrix = &c->a[2];
    bool on_file = strcmp(value_text(file, 0), "NoName") != 0 && *value_text(file, 0);
    if (!on_file) {
        double *copy = work_zeroed(c->f, (matrix->n + 1) * sizeof *copy);
        if (!copy)
            return false;
        for (size_t i = 0; i < matrix->n; i++)
            copy[i] = value_at(matrix, i);
        t->x = copy;
        t->nrow = matrix->dim[0];
        t->ncolumn = matrix->dim[1];
        return true;
    }
    const char *delimiter =
        at->delimiter < c->n && c->a[at->delimiter].kind == V_STRING ? c->a[at->delimiter].s : ",";
    t->x = table_read(c, value_text(file, 0), value_text(name, 0), delimiter,
                      (size_t)whole_argument(c, at->header, 0), &t->nrow, &t->ncolumn);
    return t->x != NULL;
}

/* the columns that a component reads of a table, counted from 0; false after reporting one that is
 * not there */
static bool read_columns(ExternalCall *c, const TableArguments *at, Table *t)
{
    const Value *columns = &c->a[at->columns];
    size_t *copy = work_zeroed(c->f, (columns->n + 1) * sizeof *copy);
    if (!copy)
        return false;
    for (size_t i = 0; i < columns->n; i++) {
        double k = value_at(columns, i);
        if (!(k >= 1 && k <= (double)t->ncolumn))
            return external_fail(c,
                                 "the table has %zu columns, and there is no column %g\n"
                                 "name columns that it has",
                                 t->ncolumn, k);
        copy[i] = (size_t)k - 1;
    }
    t->columns = copy;
    t->nwanted = columns->n;
    return true;
}

/* a table from its arguments or its file; false after reporting an error */
static bool make_table(ExternalCall *c, const TableArguments *at, int dimensions)
{
    Table *t = work_zeroed(c->f, sizeof *t);
    size_t least = (at->extrapolation > at->columns ? at->extrapolation : at->columns) + 1;
    if (!t)
        return false;
    if (c->n < least || c->a[0].kind != V_STRING || c->a[1].kind != V_STRING || c->a[2].ndim != 2)
        return external_fail(c, "a file, a table and a matrix are needed\nsee its declaration");
    *t = (Table){.dimensions = dimensions,
                 .is_time = at->start > 0,
                 .smoothness = whole_argument(c, at->smoothness, SMOOTH_LINEAR),
                 .extrapolation = whole_argument(c, at->extrapolation, BEYOND_LINEAR),
                 .events = whole_argument(c, at->events, EVENTS_ALWAYS),
                 .start = at->start ? c->a[at->start].x : 0,
                 .shift = at->shift ? c->a[at->shift].x : 0};
    if (!read_numbers(c, at, t))
        return false;
    if (t->nrow < (size_t)dimensions || t->ncolumn < 2)
        return external_fail(c,
                             "a table of %zu rows and %zu columns\n"
                             "give it a column of abscissas and one of values",
                             t->nrow, t->ncolumn);
    if (at->columns && !read_columns(c, at, t))
        return false;
    c->result = (Value){.kind = V_OBJECT, .n = 1, .table = t};
    return true;
}

/* (table, column, u) and, of time, (..., next event, the one before) */
static bool get_value(ExternalCall *c, const Table *t, int order)
{
    double y = 0;
    if (t->dimensions == 2) {
        if (order > 0 || c->n < 3 || !is_scalar(&c->a[1]) || !is_scalar(&c->a[2]))
            return external_fail(c, "a table and two numbers are needed\nsee its declaration");
        if (!plane_value(c, t, (const double[]){c->a[1].x, c->a[2].x}, &y))
            return false;
        c->result = value_number(V_REAL, y);
        return true;
    }
    if (c->n < 3 || !is_scalar(&c->a[1]) || !is_scalar(&c->a[2]) || is_symbolic(c->a[1].x) ||
        c->a[1].x < 1 || c->a[1].x > (double)t->nwanted)
        return external_fail(c, "a table, one of its columns and a number are needed\n"
                                "see its declaration");
    double u = c->a[2].x, next = NAN, started = 1;
    size_t column = t->columns[(size_t)c->a[1].x - 1];
    if (t->is_time) {
        double tolerance = 1e-12 * fmax(fabs(table_last(t)), table_start(t));
        bool held = c->n > 3 && is_scalar(&c->a[3]) && is_symbolic(c->a[3].x);
        PieceSearch s = {
            .f = c->f, .u = u, .next = held ? c->a[3].x : NAN, .tolerance = tolerance, .end = NAN};
        started = is_left(&s, t->start);
        started = is_symbolic(started) ? symbolic_unary(c->f, OP_NOT, started) : started == 0;
        u = number_operate(c->f, OP_SUB, u, t->shift);
        if (held)
            next = number_operate(c->f, OP_SUB, c->a[3].x, t->shift);
    }
    if (!table_value(c, t, column, u, next, order == 1, &y))
        return false;
    y = element_choose(c->f, started, y, 0);
    if (order == 1)
        y = number_operate(c->f, OP_MUL, y, c->a[c->n - 1].x);
    c->result = value_number(V_REAL, y);
    return true;
}

static bool is_suffix(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

bool table_call(ExternalCall *c, const char *function)
{
    bool time = strncmp(function, "CombiTimeTable_", 15) == 0;
    bool one = strncmp(function, "CombiTable1D_", 13) == 0;
    bool two = strncmp(function, "CombiTable2D_", 13) == 0;
    const char *what = time ? function + 15 : one || two ? function + 13 : "";
    if (strncmp(what, "init", 4) == 0)
        return make_table(c, time ? &for_time : one ? &for_one : &for_two, two ? 2 : 1);
    const Table *t = c->n && c->a[0].kind == V_OBJECT ? c->a[0].table : NULL;
    if (!t)
        return external_fail(c, "a table is needed\nsee its declaration");
    if (strcmp(what, "getValue") == 0)
        return get_value(c, t, 0);
    if (strcmp(what, "getDerValue") == 0 && !two)
        return get_value(c, t, 1);
    if (strcmp(what, "nextTimeEvent") == 0 && c->n == 2 && is_scalar(&c->a[1]))
        return next_event(c, t, c->a[1].x);
    bool least = strncmp(what, "minimum", 7) == 0, most = strncmp(what, "maximum", 7) == 0;
    if ((least || most) && (is_suffix(what, "Abscissa") || is_suffix(what, "Time")) && !two) {
        c->result = value_number(V_REAL, least ? table_at(t, 0, 0) : table_last(t));
        return true;
    }
    if ((least || most) && two && is_suffix(what, "Abscissa") && c->n == 2 && c->output[1]) {
        double ends[] = {table_at(t, least ? 1 : t->nrow - 1, 0),
                         table_at(t, 0, least ? 1 : t->ncolumn - 1)};
        Value v = value_array(c->f, c->span, V_REAL, 1, (size_t[]){2});
        if (v.kind != V_NONE)
            memcpy(v.num, ends, sizeof ends);
        c->output[1]->value = v;
        return v.kind != V_NONE;
    }
    return external_fail(
        c, "there is no built-in function of this name\nuse another one of the tables");
}
