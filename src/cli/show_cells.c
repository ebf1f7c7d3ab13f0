/* show_cells.c - what lieder show says about classes that were made of equations: which components
 * were solved together and why, the states and why they were chosen, the systems before and after
 * tearing. */
#include <stdio.h>

#include "cli/show.h"
#include "equation/class/summary.h"

enum { FEW = 12 }; /* states and systems of one class; more are counted */

/* components of a class, over all lanes */
static size_t count_instances(const LiederSystem *system, const char *class_name)
{
    const LiederClass *class_ = lieder_class_find(system->session, class_name);
    size_t n = 0;
    for (size_t s = 0; s < system->flat.sheets.n; s++) {
        const Sheet *sheet = &system->flat.sheets.items[s];
        for (size_t i = 0; i < sheet->rows.n; i++) {
            const InstanceRow *row = &sheet->rows.items[i];
            size_t end = i + 1 < sheet->rows.n ? row[1].first : sheet->ninstance;
            n += row->class_ == class_ ? (end - row->first) * sheet->nlane : 0;
        }
    }
    return n;
}

/* the states of a class made of equations, and why each is one */
static void print_states(const CellSummary *c)
{
    for (size_t k = 0; k < c->nstate && k < FEW; k++) {
        const CellStateSummary *s = &c->states[k];
        printf("    state %s: %s", s->name, s->why);
        if (s->nconstraint)
            printf("; %u equation%s tie%s %u variables together%s%s%s", s->nconstraint,
                   s->nconstraint == 1 ? "" : "s", s->nconstraint == 1 ? "s" : "", s->ntied,
                   s->instead ? ", so that " : "", s->instead ? s->instead : "",
                   s->instead ? " is computed" : "");
        putchar('\n');
    }
    if (c->nstate > FEW)
        printf("    ... and %zu more states\n", c->nstate - FEW);
}

/* how the matrix is kept and how often it is factored */
static void print_matrix(const CellSystemSummary *s)
{
    if (s->solution != SOLVED_SYMBOLIC && s->is_sparse)
        printf("; a sparse matrix of %u coefficients", s->nentry);
    else if (s->solution != SOLVED_SYMBOLIC && s->nleft > 1)
        printf("; a dense matrix");
    if (s->solution == SOLVED_LINEAR)
        printf(", factored %s",
               s->is_constant ? "once: its coefficients never change" : "in every evaluation");
    putchar('\n');
}

/* the systems of equations that are solved together, and how */
static void print_systems(const CellSummary *c)
{
    for (size_t k = 0; k < c->nsystem && k < FEW; k++) {
        const CellSystemSummary *s = &c->systems[k];
        printf("    ");
        if (s->times > 1)
            printf("%zu x ", s->times);
        printf("%u equation%s solved together for %s%s: ", s->nequation,
               s->nequation == 1 ? "" : "s", s->variable, s->nequation > 1 ? " and others" : "");
        if (s->solution == SOLVED_SYMBOLIC)
            printf("linear, eliminated while the class was made");
        else if (s->solution == SOLVED_LINEAR)
            printf("linear, %u left after elimination", s->nleft);
        else
            printf("nonlinear, %u iterated after tearing", s->nleft);
        print_matrix(s);
    }
    if (c->nsystem > FEW)
        printf("    ... and %zu more\n", c->nsystem - FEW);
}

/* the loops of a class whose code does not grow with its arrays */
static void print_loops(const CellSummary *c)
{
    if (!c->loops)
        return;
    printf("    arrays stay loops: %zu loops and %zu single equations, %zu instructions, whatever "
           "the size\n",
           c->nloop, c->npoint, c->ncode);
    for (size_t k = 0; k < c->nloop && k < FEW; k++)
        printf("      %s: %s, %zu turns\n", c->loops[k].name, c->loops[k].kind, c->loops[k].nturn);
    if (c->nloop > FEW)
        printf("      ... and %zu more loops\n", c->nloop - FEW);
}

/* one class made of equations: sizes, what was merged into it, states, systems */
static void print_cell(const LiederSystem *system, const CellSummary *c)
{
    size_t n = count_instances(system, c->name);
    printf("  %s  (%zu instance%s, %s", c->name, n, n == 1 ? "" : "s", c->role);
    if (c->nport)
        printf(" with %zu port%s", c->nport, c->nport == 1 ? "" : "s");
    printf("): %zu equation%s", c->nequation, c->nequation == 1 ? "" : "s");
    if (c->ndifferentiated)
        printf(", %zu of them differentiated", c->ndifferentiated);
    size_t nstate = c->loops ? c->nelement : c->nstate;
    printf("; %zu state%s", nstate, nstate == 1 ? "" : "s");
    if (c->nunknown)
        printf(", %zu unknown%s of the linear group", c->nunknown, c->nunknown == 1 ? "" : "s");
    putchar('\n');
    if (c->nmerged)
        printf("    merged %zu component%s: %s\n      because %s\n", c->nmerged,
               c->nmerged == 1 ? "" : "s", c->merged, c->merged_why);
    if (c->nkept)
        printf("    %zu constraint%s not linear: kept, with all variables as states, which are "
               "read as the nearest point of %s\n",
               c->nkept, c->nkept == 1 ? " is" : "s are", c->nkept == 1 ? "it" : "them");
    print_loops(c);
    print_states(c);
    print_systems(c);
}

void show_cells(const LiederSystem *system, const Front *front)
{
    size_t n = front_cell_count(front);
    if (n)
        printf("\nCells (classes made of equations; each is compiled once, its instances are "
               "data)\n");
    for (size_t i = 0; i < n; i++) /* attempts that were given up have no instances */
        if (count_instances(system, front_cell(front, i)->name))
            print_cell(system, front_cell(front, i));
    if (*front_scalars_why(front))
        printf("  large arrays were written out as scalars: %s\n", front_scalars_why(front));
}

void show_cells_json(const LiederSystem *system, const Front *front)
{
    static const char *const solutions[] = {"eliminated", "linear", "iterated"};
    for (size_t i = 0; i < front_cell_count(front); i++) {
        const CellSummary *c = front_cell(front, i);
        json_begin(stdout, "cell");
        json_text(stdout, "name", c->name);
        json_text(stdout, "role", c->role);
        json_count(stdout, "instances", count_instances(system, c->name));
        json_count(stdout, "equations", c->nequation);
        json_count(stdout, "differentiated", c->ndifferentiated);
        json_count(stdout, "merged", c->nmerged);
        json_text(stdout, "merged_why", c->merged_why);
        json_count(stdout, "states", c->loops ? c->nelement : c->nstate);
        json_count(stdout, "loops", c->nloop);
        json_count(stdout, "loop_instructions", c->ncode);
        json_text(stdout, "scalars_why", front_scalars_why(front));
        json_end(stdout);
        for (size_t k = 0; k < c->nloop; k++) {
            json_begin(stdout, "cell_loop");
            json_text(stdout, "cell", c->name);
            json_text(stdout, "name", c->loops[k].name);
            json_text(stdout, "kind", c->loops[k].kind);
            json_count(stdout, "turns", c->loops[k].nturn);
            json_end(stdout);
        }
        for (size_t k = 0; k < c->nstate; k++) {
            json_begin(stdout, "cell_state");
            json_text(stdout, "cell", c->name);
            json_text(stdout, "name", c->states[k].name);
            json_text(stdout, "why", c->states[k].why);
            json_end(stdout);
        }
        for (size_t k = 0; k < c->nsystem; k++) {
            json_begin(stdout, "cell_system");
            json_text(stdout, "cell", c->name);
            json_text(stdout, "variable", c->systems[k].variable);
            json_text(stdout, "solution", solutions[c->systems[k].solution]);
            json_count(stdout, "equations", c->systems[k].nequation);
            json_count(stdout, "left", c->systems[k].nleft);
            json_count(stdout, "coefficients", c->systems[k].nentry);
            json_text(stdout, "matrix",
                      c->systems[k].solution == SOLVED_SYMBOLIC ? "none"
                      : c->systems[k].is_sparse                 ? "sparse"
                                                                : "dense");
            json_text(stdout, "factored", c->systems[k].is_constant ? "once" : "always");
            json_count(stdout, "times", c->systems[k].times);
            json_end(stdout);
        }
    }
}
