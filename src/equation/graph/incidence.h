/* incidence.h - which unknown occurs in which equation, and the graph algorithms on that.
 *
 * Rows are equations, columns are unknowns. An entry says how often the unknown is differentiated
 * there (`order`) and what it costs to solve the equation for it (`cost`). Nothing here knows
 * expressions: a caller fills the table and reads back numbers of rows and columns.
 *
 *   assign.c   a column for each row so that the sum of costs is smallest
 *   offsets.c  how often each equation is to be differentiated (Pryce, A simple structural analysis
 *              method for DAEs, BIT 41, 2001)
 *   sort.c     the order of evaluation: strongly connected components (Tarjan, SIAM J. Comput. 1,
 *              1972)
 *   tear.c     a component as assignments and few equations that stay implicit (Elmqvist, Otter,
 *              Methods for tearing systems of equations in object-oriented modeling, ESM 1994)
 *
 * All results depend on the order of rows, columns and entries alone. Every function returns false
 * when memory ran out and leaves nothing behind.
 */
#ifndef LIEDER_EQUATION_INCIDENCE_H
#define LIEDER_EQUATION_INCIDENCE_H

#include <stdint.h>

#include "base/memory.h"

enum { NO_ROW = UINT32_MAX, NO_COLUMN = UINT32_MAX, NEVER = INT32_MAX };

typedef struct IncidenceEntry {
    uint32_t column;
    int32_t order; /* highest derivative of the unknown in the equation */
    int32_t cost;  /* of solving for it, 0 or more; NEVER: the equation is not solved for it */
} IncidenceEntry;

typedef struct Incidence {
    uint32_t ncolumn;
    VEC(uint32_t) first;         /* by row, and one more: its entries in `entries` */
    VEC(IncidenceEntry) entries; /* a column stands at most once in a row */
} Incidence;

/* rows are filled one after the other: entries of the open row, then the end of the row */
bool incidence_add(Incidence *table, const LiederAllocator *alloc, uint32_t column, int32_t order,
                   int32_t cost);
bool incidence_end_row(Incidence *table, const LiederAllocator *alloc);
void incidence_drop(Incidence *table, const LiederAllocator *alloc);

static inline uint32_t incidence_rows(const Incidence *table)
{
    return table->first.n ? (uint32_t)table->first.n - 1 : 0;
}
#define FOR_ENTRIES(table, row, e)                                                                 \
    for (const IncidenceEntry *e = (table)->entries.items + (table)->first.items[row],             \
                              *e##_end = (table)->entries.items + (table)->first.items[(row) + 1]; \
         e < e##_end; e++)

typedef VEC(uint32_t) RowList;
/* the rows of each column: those of column j are rows[first[j]] ... rows[first[j + 1] - 1] */
bool incidence_by_column(const Incidence *table, const LiederAllocator *alloc, RowList *first,
                         RowList *rows);

/* Columns that hang together by rows: set_of[column] is the same number, below the number of
 * columns, for all of a set. */
bool incidence_column_sets(const Incidence *table, const LiederAllocator *alloc, RowList *set_of);

/* A column of its own for each row, with the smallest sum of costs. column_of[row] is NO_COLUMN
 * where none is left; such a row and `over` (NULL, or a list that it is appended to, a set for each
 * such row, ended by NO_ROW) say which rows compete for too few columns. */
bool assign_columns(const Incidence *table, const LiederAllocator *alloc, uint32_t *column_of,
                    RowList *over);

/* The rows reachable from columns that no row has taken: with fewer rows than columns these decide
 * which columns may stay free. under[column] is set to 1 for every such column. */
bool assign_free_columns(const Incidence *table, const LiederAllocator *alloc,
                         const uint32_t *column_of, uint8_t *under);

/* Offsets of structural analysis. transversal[row] is the column with the highest sum of orders
 * (rows and columns equal in number); c[row] is how often the row is to be differentiated,
 * d[column] the highest derivative of the column afterwards:
 *
 *   d_j >= order_ij + c_i, with equality on the transversal; c >= 0; d_j >= least_j
 *
 * the smallest such numbers. `least` NULL: zeros. *regular is false if no transversal exists; rows
 * without a column then have NO_COLUMN, and c and d are not set. */
bool structural_offsets(const Incidence *table, const LiederAllocator *alloc, const int32_t *least,
                        uint32_t *transversal, int32_t *c, int32_t *d, bool *regular,
                        RowList *over);

/* d of a column raised beyond that, with everything that follows */
typedef struct OffsetChange {
    bool is_row;
    uint32_t index;
    int32_t before;
} OffsetChange;
typedef struct OffsetRaise {
    const Incidence *table;
    const LiederAllocator *alloc;
    const uint32_t *transversal; /* these four are given, c and d are changed */
    int32_t *c, *d;
    /* may a row be differentiated so often? NULL: every one */
    bool (*allows)(void *user, uint32_t row, int32_t c);
    void *user;
    RowList row_of;            /* by column: its row */
    VEC(int32_t) own;          /* by row: the order of its column there */
    RowList work;              /* rows whose column has been raised */
    VEC(OffsetChange) changes; /* of the last call */
    bool notes;
} OffsetRaise;
bool offset_raise_init(OffsetRaise *raise);
void offset_raise_drop(OffsetRaise *raise);
/* *allowed: no row stands against it; else it is half done and has to be taken back */
bool offset_raise(OffsetRaise *raise, uint32_t column, int32_t d, bool *allowed);
/* c and d are what they were before the last call */
void offset_take_back(OffsetRaise *raise);

/* Strongly connected components of the rows, where a row depends on the rows that the other columns
 * of its entries are taken by; those depended on come first. Columns without a row are known.
 * rows[] holds the rows, component by component; first[k] is where component k begins, and one
 * more. */
bool sort_rows(const Incidence *table, const LiederAllocator *alloc, const uint32_t *column_of,
               RowList *rows, RowList *first);

/* A component, given as a table of its own: a sequence of assignments row -> column in which all
 * other columns of the row are assigned before or torn, and the rest. The number of residual rows
 * equals that of torn columns if rows and columns are equal in number. Rows are only solved for
 * entries of cost `limit` or less. */
typedef struct Torn {
    RowList row, column;    /* the assignments, in order */
    RowList residual, torn; /* rows that stay, columns that are iterated or solved for */
} Torn;
bool tear_component(const Incidence *table, const LiederAllocator *alloc, int32_t limit,
                    const uint8_t *prefers, Torn *torn);
void torn_drop(Torn *torn, const LiederAllocator *alloc);

#endif
