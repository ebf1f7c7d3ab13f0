/* project.c - states on the constraints that are kept (cell.h).
 *
 * A constraint g(q) = 0 that is kept leaves all its variables states, which errors of integration
 * take away from it. So nothing but the integrator reads these states: everything else reads
 *
 *   q = x + N(x)' z    with  g(q) = 0         x: positions as integrated, N: unit gradients of g
 *   v = y + M(q)' w    with  g'(q, v) = 0     y: velocities as integrated, M: of g'
 *
 * the nearest point of the constraint to first order, and
 *
 *   x' = v + (q - x),    y' = a + (v - y)
 *
 * so that what is between the two fades. Every evaluation is on the constraint to rounding: a
 * loop is closed at accepted steps, inside of them, at events, in rows, in FMUs that others
 * integrate; no solver knows of it. On the constraint this is the same motion as that of any choice
 * of states, and it is one choice for all places: nothing changes at dead points, for no lane.
 * Rejected: projection after accepted steps, which multistep methods and interpolation between
 * steps do not see.
 *
 * z is found by iteration from zero, so that it depends on x alone; w is linear. The constraints of
 * one stage that share states are one system, of as many unknowns as there are constraints:
 *
 *   g_i(q) / |grad g_i| + e z_i = 0
 *
 * With e = 1e-6 there is a solution where gradients depend on each other (change points), too; away
 * from there it leaves 1e-6 of what errors of integration have left, and a linear step from there
 * 1e-12 of it. Constraints that events change
 * are kept as they are: their states would jump.
 */
#include "equation/cell/stage.h"

#include <math.h>

/* a correction of 1e-14 SIZE is the last one: it is exact to the square of that, and more than what
 * rounding leaves where gradients are nearly dependent */
static const double REGULAR = 1e-6, TINY = 1e-200, SIZE = 1e4;

typedef struct Project {
    Solve *solve;
    Cell *cell;
    CellPlan *plan;
    uint32_t norder;        /* states are differentiated less often than that */
    VEC(uint32_t) state_at; /* by variable and order: 1 + state, or 0 */
    NodeList found;         /* by state: where it is projected to, or NO_NODE */
    NodeList moved;         /* by state: what stands for it in the system at hand, or NO_NODE */
} Project;

/* constraints of a stage that share states */
typedef struct ProjectedSet {
    RowList rows, columns; /* rows of the stage; states */
    NodeList gradient;     /* by row and column: of length 1 in each row */
    NodeList size;         /* by row: the length it had */
} ProjectedSet;

/* the constraints of a stage, with everything known put in */
typedef struct ProjectedStage {
    RowList equations;
    NodeList residuals;
    Incidence table;      /* columns are states */
    RowList set_of;       /* by column */
    VEC(uint8_t) changes; /* by row: events change it */
} ProjectedStage;

/* 1 + the state that a symbol is, or 0 */
static uint32_t state_of_symbol(const Project *p, uint64_t symbol)
{
    if (symbol == CELL_TIME || symbol_order(symbol) >= p->norder)
        return 0;
    return p->state_at.items[symbol_variable(symbol) * p->norder + symbol_order(symbol)];
}

static uint64_t raw_symbol(const Project *p, uint32_t state)
{
    const CellState *s = &p->plan->states.items[state];
    return cell_symbol(s->variable, CELL_RAW + s->order);
}

static Node moved_state(void *user, uint64_t symbol, Node node)
{
    const Project *p = user;
    uint32_t k = state_of_symbol(p, symbol);
    if (!k)
        return node;
    return p->moved.items[k - 1]   ? p->moved.items[k - 1]
           : p->found.items[k - 1] ? p->found.items[k - 1]
                                   : node;
}

static Node found_state(void *user, uint64_t symbol, Node node)
{
    const Project *p = user;
    uint32_t k = state_of_symbol(p, symbol);
    return k && p->found.items[k - 1] ? p->found.items[k - 1] : node;
}

static Node raw_state(void *user, uint64_t symbol, Node node)
{
    const Project *p = user;
    uint32_t k = state_of_symbol(p, symbol);
    return k && p->found.items[k - 1] ? node_symbol(&p->cell->graph, raw_symbol(p, k - 1)) : node;
}

/* ------------------------------------------------------------------ constraints of a stage */

typedef struct StageRow {
    Project *project;
    ProjectedStage *stage;
    int32_t number; /* of the stage */
    bool changes;
} StageRow;

/* a state of the stage stands in the constraint at hand */
static bool note_state(void *user, uint64_t symbol, Node node)
{
    StageRow *row = user;
    const Project *p = row->project;
    const Solve *s = p->solve;
    (void)node;
    if (symbol == CELL_TIME)
        return true;
    uint32_t v = symbol_variable(symbol), k = state_of_symbol(p, symbol);
    row->changes |= p->cell->variables.items[v].role == CELL_DISCRETE;
    bool here = k && s->column.items[v] != NO_COLUMN &&
                (int32_t)symbol_order(symbol) == s->d.items[s->column.items[v]] + row->number;
    return !here || incidence_add(&row->stage->table, p->cell->alloc, k - 1, 0, 0);
}

/* the constraints of a stage with what is known put in, and which states they have */
static bool fill_stage(Project *p, int32_t number, ProjectedStage *stage)
{
    Solve *s = p->solve;
    const LiederAllocator *alloc = p->cell->alloc;
    bool good = true;
    for (size_t k = 0; good && k < p->plan->kept.n; k++) {
        uint32_t i = p->plan->kept.items[k];
        int32_t level = s->c.items[i] + number;
        if (level < 0)
            continue;
        Node node = residual_at(s, i, (uint32_t)level);
        node = node ? known_put_in(p->cell, p->plan, node) : NO_NODE;
        StageRow row = {p, stage, number, false};
        good = node && vec_push(alloc, &stage->equations, i) &&
               vec_push(alloc, &stage->residuals, node) &&
               graph_symbols(&p->cell->graph, &node, 1, note_state, &row) &&
               incidence_end_row(&stage->table, alloc) &&
               vec_push(alloc, &stage->changes, row.changes);
    }
    stage->table.ncolumn = (uint32_t)p->plan->states.n;
    return good && incidence_column_sets(&stage->table, alloc, &stage->set_of);
}

static void drop_stage(ProjectedStage *stage, const LiederAllocator *alloc)
{
    vec_drop(alloc, &stage->equations);
    vec_drop(alloc, &stage->residuals);
    vec_drop(alloc, &stage->set_of);
    vec_drop(alloc, &stage->changes);
    incidence_drop(&stage->table, alloc);
}

/* ------------------------------------------------------------------ one system */

/* unit gradients at the states as they are integrated, with lower stages projected */
static bool fill_gradients(Project *p, const ProjectedStage *stage, ProjectedSet *set)
{
    Graph *g = &p->cell->graph;
    bool good = true;
    for (size_t j = 0; j < set->columns.n; j++)
        p->moved.items[set->columns.items[j]] =
            node_symbol(g, raw_symbol(p, set->columns.items[j]));
    for (size_t i = 0; good && i < set->rows.n; i++) {
        Node sum = node_constant(g, TINY), residual = stage->residuals.items[set->rows.items[i]];
        size_t first = set->gradient.n;
        for (size_t j = 0; good && j < set->columns.n; j++) {
            const CellState *s = &p->plan->states.items[set->columns.items[j]];
            Node slope = node_partial(g, residual, cell_symbol(s->variable, s->order));
            slope = slope ? replace_once(g, moved_state, p, slope) : node_constant(g, 0);
            sum = node_add(g, sum, node_multiply(g, slope, slope));
            good = !g->failed && vec_push(g->alloc, &set->gradient, slope);
        }
        Node size = node_call(g, FUNCTION_SQRT, sum, NO_NODE);
        for (size_t j = first; good && j < set->gradient.n; j++)
            set->gradient.items[j] = node_divide(g, set->gradient.items[j], size);
        good = good && vec_push(g->alloc, &set->size, size);
    }
    return good && !g->failed;
}

/* state j of the set, moved along the gradients by the numbers z of the rows */
static Node moved_along(Project *p, const ProjectedSet *set, size_t j, const Node *z)
{
    Graph *g = &p->cell->graph;
    Node sum = node_symbol(g, raw_symbol(p, set->columns.items[j]));
    for (size_t i = 0; i < set->rows.n; i++)
        sum = node_add(g, sum, node_multiply(g, set->gradient.items[i * set->columns.n + j], z[i]));
    return sum;
}

/* the residuals as a function of z: with the states moved */
static bool fill_residuals(Project *p, const ProjectedStage *stage, const ProjectedSet *set,
                           System *system)
{
    Graph *g = &p->cell->graph;
    NodeList z = {0};
    bool good = true;
    for (size_t i = 0; good && i < set->rows.n; i++) {
        const CellState *s = &p->plan->states.items[set->columns.items[i]];
        uint64_t symbol = cell_symbol(s->variable, CELL_CORRECTION + s->order);
        good = vec_push(g->alloc, &z, node_symbol(g, symbol)) &&
               vec_push(g->alloc, &system->symbols, symbol);
    }
    for (size_t j = 0; good && j < set->columns.n; j++)
        p->moved.items[set->columns.items[j]] = moved_along(p, set, j, z.items);
    for (size_t i = 0; good && i < set->rows.n; i++) {
        Node node = replace_once(g, moved_state, p, stage->residuals.items[set->rows.items[i]]);
        node = node_divide(g, node, set->size.items[i]);
        node = node_add(g, node, node_multiply(g, node_constant(g, REGULAR), z.items[i]));
        good = !g->failed && vec_push(g->alloc, &system->residuals, node) &&
               vec_push(g->alloc, &system->equations, stage->equations.items[set->rows.items[i]]);
    }
    vec_drop(g->alloc, &z);
    return good;
}

/* for messages; false: memory ran out */
static bool describe_projection(Project *p, const System *system, bool is_linear)
{
    const LiederAllocator *alloc = p->cell->alloc;
    CellSystem about = {
        .nequation = system->symbols.n, .is_linear = is_linear, .is_projection = true};
    bool good = true;
    for (size_t i = 0; good && i < system->symbols.n; i++)
        good =
            vec_push(alloc, &about.symbols, system->symbols.items[i]) &&
            vec_push(alloc, &about.sources, p->cell->equations.items[system->equations.items[i]]);
    if (good && vec_push(alloc, &p->cell->systems, about))
        return true;
    vec_drop(alloc, &about.symbols);
    vec_drop(alloc, &about.sources);
    return false;
}

/* entries of an affine system, row by row */
typedef struct AffineRows {
    RowList row, column;
    NodeList entry, right, factors;
} AffineRows;

static void affine_drop(Graph *g, AffineRows *a)
{
    vec_drop(g->alloc, &a->row);
    vec_drop(g->alloc, &a->column);
    vec_drop(g->alloc, &a->entry);
    vec_drop(g->alloc, &a->right);
    vec_drop(g->alloc, &a->factors);
}

/* 1: all residuals are affine; -1: memory ran out */
static int fill_affine(Project *p, const System *system, AffineRows *a)
{
    Graph *g = &p->cell->graph;
    size_t n = system->symbols.n;
    bool good = vec_resize(g->alloc, &a->factors, n);
    for (uint32_t i = 0; good && i < n; i++) {
        Node rest;
        int affine = node_affine(g, system->residuals.items[i], system->symbols.items, n,
                                 a->factors.items, &rest);
        if (affine != 1)
            return affine;
        good = vec_push(g->alloc, &a->right, node_negate(g, rest));
        for (uint32_t j = 0; good && j < n; j++)
            if (!node_is_constant(g, a->factors.items[j], 0))
                good = vec_push(g->alloc, &a->row, i) && vec_push(g->alloc, &a->column, j) &&
                       vec_push(g->alloc, &a->entry, a->factors.items[j]);
    }
    return good && !g->failed ? 1 : -1;
}

/* the node of the system: linear or iterated; NO_NODE: memory ran out */
static Node solve_projection(Project *p, System *system)
{
    Graph *g = &p->cell->graph;
    uint32_t n = (uint32_t)system->symbols.n;
    AffineRows a = {0};
    NodeList starts = {0};
    VEC(double) nominal = {0};
    Node node = NO_NODE;
    int affine = fill_affine(p, system, &a);
    bool good = affine >= 0 && vec_resize(g->alloc, &starts, n) &&
                vec_resize(g->alloc, &nominal, n) && describe_projection(p, system, affine == 1);
    for (uint32_t i = 0; good && i < n; i++) {
        starts.items[i] = node_constant(g, 0);
        nominal.items[i] = SIZE;
    }
    uint32_t source = (uint32_t)p->cell->systems.n - 1;
    if (good && affine)
        node = node_linear_system(g, n, a.row.items, a.column.items, a.entry.items, a.entry.n,
                                  a.right.items, source, false);
    else if (good)
        node = node_nonlinear_system(g, n, system->residuals.items, system->symbols.items,
                                     starts.items, nominal.items, source);
    if (node && !affine)
        g->systems.items[system_number(g, node)].near = true;
    affine_drop(g, &a);
    vec_drop(g->alloc, &starts);
    vec_drop(g->alloc, &nominal);
    return g->failed ? NO_NODE : node;
}

/* (N N' + e) z = -g / |grad g|: entries and right sides for residuals of moved states */
static bool fill_refinement(Project *p, const ProjectedStage *stage, const ProjectedSet *set,
                            AffineRows *a)
{
    Graph *g = &p->cell->graph;
    size_t n = set->columns.n;
    bool good = true;
    for (uint32_t i = 0; good && i < set->rows.n; i++) {
        Node node = replace_once(g, moved_state, p, stage->residuals.items[set->rows.items[i]]);
        node = node_negate(g, node_divide(g, node, set->size.items[i]));
        good = !g->failed && vec_push(g->alloc, &a->right, node);
        for (uint32_t k = 0; good && k < set->rows.n; k++) {
            Node sum = node_constant(g, i == k ? REGULAR : 0);
            for (size_t j = 0; j < n; j++)
                sum = node_add(g, sum,
                               node_multiply(g, set->gradient.items[i * n + j],
                                             set->gradient.items[k * n + j]));
            if (!node_is_constant(g, sum, 0))
                good = vec_push(g->alloc, &a->row, i) && vec_push(g->alloc, &a->column, k) &&
                       vec_push(g->alloc, &a->entry, sum);
        }
    }
    return good && !g->failed;
}

/* once more from where the states were moved to, linearly: of the part e of the errors that is left
 * e^2 remains; NO_NODE: memory ran out */
static Node refine_projection(Project *p, const ProjectedStage *stage, const ProjectedSet *set,
                              const System *system)
{
    Graph *g = &p->cell->graph;
    AffineRows a = {0};
    Node node = NO_NODE;
    if (fill_refinement(p, stage, set, &a) && describe_projection(p, system, true))
        node =
            node_linear_system(g, (uint32_t)set->rows.n, a.row.items, a.column.items, a.entry.items,
                               a.entry.n, a.right.items, (uint32_t)p->cell->systems.n - 1, false);
    affine_drop(g, &a);
    return g->failed ? NO_NODE : node;
}

/* the states of a set become what is projected */
static bool project_set(Project *p, const ProjectedStage *stage, ProjectedSet *set)
{
    Graph *g = &p->cell->graph;
    System system = {.cell = p->cell, .plan = p->plan, .source = p->cell->equations.items};
    NodeList z = {0};
    bool good = fill_gradients(p, stage, set) && fill_residuals(p, stage, set, &system);
    Node node = good ? solve_projection(p, &system) : NO_NODE;
    for (uint32_t i = 0; node && good && i < set->rows.n; i++)
        good = vec_push(g->alloc, &z, node_part(g, node, i));
    for (size_t j = 0; node && good && j < set->columns.n; j++)
        p->moved.items[set->columns.items[j]] = moved_along(p, set, j, z.items);
    Node more = node && good ? refine_projection(p, stage, set, &system) : NO_NODE;
    for (uint32_t i = 0; more && i < set->rows.n; i++)
        z.items[i] = node_add(g, z.items[i], node_part(g, more, i));
    for (size_t j = 0; j < set->columns.n; j++)
        p->moved.items[set->columns.items[j]] = NO_NODE;
    for (size_t j = 0; more && j < set->columns.n; j++) {
        p->found.items[set->columns.items[j]] = moved_along(p, set, j, z.items);
        p->plan->states.items[set->columns.items[j]].is_projected = true;
    }
    vec_drop(g->alloc, &z);
    system_drop(&system);
    return more && good && !g->failed;
}

/* the constraints of a stage, set by set */
static bool project_stage(Project *p, const ProjectedStage *stage)
{
    const LiederAllocator *alloc = p->cell->alloc;
    ProjectedSet set = {0};
    bool good = true;
    for (uint32_t first = 0; good && first < stage->equations.n; first++) {
        if (stage->table.first.items[first] == stage->table.first.items[first + 1])
            continue;
        uint32_t number =
            stage->set_of.items[stage->table.entries.items[stage->table.first.items[first]].column];
        bool seen = false, changes = false;
        set.rows.n = set.columns.n = set.gradient.n = set.size.n = 0;
        for (uint32_t i = 0; good && i < stage->equations.n; i++) {
            uint32_t at = stage->table.first.items[i];
            if (at == stage->table.first.items[i + 1] ||
                stage->set_of.items[stage->table.entries.items[at].column] != number)
                continue;
            seen |= i < first;
            changes |= stage->changes.items[i];
            good = vec_push(alloc, &set.rows, i);
        }
        for (uint32_t j = 0; good && j < stage->set_of.n && j < stage->table.ncolumn; j++)
            if (stage->set_of.items[j] == number)
                good = vec_push(alloc, &set.columns, j);
        if (good && !seen && !changes && set.rows.n <= set.columns.n)
            good = project_set(p, stage, &set);
    }
    vec_drop(alloc, &set.rows);
    vec_drop(alloc, &set.columns);
    vec_drop(alloc, &set.gradient);
    vec_drop(alloc, &set.size);
    return good;
}

/* ------------------------------------------------------------------ all of them */

/* how far constraints are off for the states as they are integrated, for class_drift.c */
static bool keep_raw(Project *p)
{
    bool good = true;
    for (size_t k = 0; good && k < p->plan->kept.n; k++) {
        Node node = known_put_in(p->cell, p->plan,
                                 p->plan->equations.items[p->plan->kept.items[k]].items[0]);
        node = node ? replace_once(&p->cell->graph, raw_state, p, node) : NO_NODE;
        good = node && vec_push(p->cell->alloc, &p->plan->kept_raw, node);
    }
    return good;
}

/* everything else reads what is projected */
static bool put_in_all(Project *p)
{
    GraphPass pass = {.graph = &p->cell->graph, .of_symbol = found_state, .user = p};
    CellPlan *plan = p->plan;
    bool good = true;
    for (size_t v = 0; good && v < plan->values.n; v++)
        for (size_t k = 0; good && k < plan->values.items[v].n; k++) {
            Node *node = &plan->values.items[v].items[k];
            good = (*node = replace_symbols(&pass, *node)) != NO_NODE;
        }
    for (size_t k = 0; good && k < plan->residuals.n; k++)
        good = (plan->residuals.items[k] = replace_symbols(&pass, plan->residuals.items[k])) !=
               NO_NODE;
    for (size_t k = 0; good && k < plan->pivots.n; k++)
        good = (plan->pivots.items[k].node = replace_symbols(&pass, plan->pivots.items[k].node)) !=
               NO_NODE;
    pass_drop(&pass);
    return good;
}

/* where each state stands among variables and orders; false: memory ran out */
static bool find_states(Project *p)
{
    const CellPlan *plan = p->plan;
    const LiederAllocator *alloc = p->cell->alloc;
    for (size_t k = 0; k < plan->states.n; k++)
        if (plan->states.items[k].order >= p->norder)
            p->norder = plan->states.items[k].order + 1;
    if (!vec_resize(alloc, &p->state_at, p->cell->variables.n * p->norder + 1) ||
        !vec_resize(alloc, &p->found, plan->states.n + 1) ||
        !vec_resize(alloc, &p->moved, plan->states.n + 1))
        return false;
    for (uint32_t k = 0; k < plan->states.n; k++)
        p->state_at
            .items[plan->states.items[k].variable * p->norder + plan->states.items[k].order] =
            k + 1;
    return true;
}

bool project_states(Solve *s, int32_t highest)
{
    Project p = {.solve = s, .cell = s->cell, .plan = s->plan};
    const LiederAllocator *alloc = s->cell->alloc;
    if (!s->plan->kept.n)
        return true;
    bool good = find_states(&p);
    for (int32_t number = -highest; good && number < 0; number++) {
        ProjectedStage stage = {0};
        good = fill_stage(&p, number, &stage) && project_stage(&p, &stage);
        drop_stage(&stage, alloc);
    }
    good = good && keep_raw(&p) && put_in_all(&p);
    vec_drop(alloc, &p.state_at);
    vec_drop(alloc, &p.found);
    vec_drop(alloc, &p.moved);
    return good;
}
