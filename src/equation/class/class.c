/* class.c - a class from a solved cell: orientation, members, blocks, in this order. See class.h
 * and class_maker.h. */
#include "equation/class/class_maker.h"

#include <string.h>

static void maker_drop_cuts(ClassMaker *m)
{
    for (int level = 0; level <= LEVEL_FLOW; level++)
        vec_drop(m->cell->alloc, &m->cuts[level]);
}

/* everything of one direction: assignments of all blocks */
static LiederStatus make_direction(ClassMaker *m)
{
    size_t first = m->kept.n;
    const LiederAllocator *alloc = m->cell->alloc;
    vec_drop(alloc, &m->levels); /* levels and parts depend on the direction */
    maker_drop_cuts(m);
    vec_drop(alloc, &m->kept_of);
    maker_add_port_symbols(m);
    LiederStatus status = maker_check_inputs(m);
    if (status == LIEDER_DONE)
        status = maker_assign_ports(m);
    if (status == LIEDER_DONE)
        status = maker_assign_states(m);
    if (status == LIEDER_DONE)
        status = maker_assign_variables(m);
    if (status == LIEDER_DONE)
        status = maker_assign_events(m);
    if (status == LIEDER_DONE) {
        maker_assign_drift(m);
        maker_assign_kept(m, first);
    }
    return m->failed ? LIEDER_NO_MEMORY : status;
}

/* the tables that stay with the class */
static bool keep_tables(ClassMaker *m)
{
    CellClass *c = m->c;
    c->ports = arena_zeroed(&c->arena, (m->ports.n + 1) * sizeof *c->ports);
    c->members = arena_zeroed(&c->arena, (m->members.n + 1) * sizeof *c->members);
    c->systems = arena_zeroed(&c->arena, (m->systems.n + 1) * sizeof *c->systems);
    if (!c->ports || !c->members || !c->systems)
        return maker_fail(m);
    if (m->ports.n)
        memcpy(c->ports, m->ports.items, m->ports.n * sizeof *c->ports);
    if (m->members.n)
        memcpy(c->members, m->members.items, m->members.n * sizeof *c->members);
    if (m->systems.n)
        memcpy(c->systems, m->systems.items, m->systems.n * sizeof *c->systems);
    return true;
}

/* basic signals by port of the class, or NULL */
static const unsigned *keep_basic(ClassMaker *m)
{
    unsigned *basic =
        m->info->basic ? arena_zeroed(&m->c->arena, m->ports.n * sizeof *basic) : NULL;
    TRY(m, !m->info->basic || basic);
    for (size_t i = 0; basic && i < m->ports.n; i++)
        basic[i] = 1; /* of an input or output */
    for (uint32_t p = 0; basic && p < m->cell->nport; p++)
        basic[port_place(m, p)] = m->info->basic[p];
    return basic;
}

/* the sentences that belong to the assignments of BLOCK_CHECK */
static const char *const *keep_assertions(ClassMaker *m)
{
    size_t n = m->cell->assertions.n;
    const char **texts = arena_zeroed(&m->c->arena, (n + 1) * sizeof *texts);
    TRY(m, texts);
    for (size_t i = 0; texts && i < n; i++)
        texts[i] = maker_keep_name(m, m->cell->assertions.items[i].text, 0);
    return texts;
}

/* does a symbol that a block reads have a place in the struct? */
static bool has_place(void *user, uint64_t symbol, Node node)
{
    const ClassMaker *m = user;
    (void)node;
    for (size_t i = 0; i < m->symbols.n; i++)
        if (m->symbols.items[i].symbol == symbol)
            return true;
    char name[300] = "a part of a system";
    bool own = symbol >> 60 == 0 && symbol_variable(symbol) < m->cell->variables.n;
    if (own)
        cell_symbol_text(m->cell, symbol, name, sizeof name);
    diag_error(m->cell->diag, own ? &m->cell->variables.items[symbol_variable(symbol)].place : NULL,
               NULL,
               "%s is needed where nothing has computed it yet\n"
               "this is a limit of the program: write the equations with it in another form",
               name);
    return false;
}

/* a value that an assignment reads and that no block keeps */
static LiederStatus report_symbol(ClassMaker *m)
{
    for (size_t i = 0; i < m->assignments.n; i++)
        if (!graph_symbols(&m->cell->graph, &m->assignments.items[i].node, 1, has_place, m))
            break;
    return LIEDER_BAD_MODEL;
}

/* A leaf whose flows are all zero, a sensor, has no inward block. */
static bool is_passive(const ClassMaker *m)
{
    bool zero = maker_plan(m)->out == 0 && m->cell->nport > 0;
    for (size_t i = 0; i < m->assignments.n && zero; i++) {
        const Assignment *a = &m->assignments.items[i];
        zero = a->kind != BLOCK_INWARD ||
               (a->place.kind == PLACE_FLOW && node_is_constant(&m->cell->graph, a->node, 0));
    }
    return zero;
}

/* the tables of the class from what was collected, and its blocks */
static LiederStatus finish_class(ClassMaker *m)
{
    CellClass *c = m->c;
    maker_add_guesses(m);
    maker_add_systems(m);
    maker_add_member_symbols(m);
    if (!keep_tables(m))
        return LIEDER_NO_MEMORY;
    BlockClassInfo info = {
        .def = {.name = maker_keep_name(m, m->info->name, 0),
                .text = maker_keep_name(m, m->info->text ? m->info->text : "", 0),
                .nport = (int)m->ports.n,
                .nmember = (int)m->members.n,
                .ports = c->ports,
                .members = c->members,
                .nsystem = (int)m->systems.n,
                .systems = c->systems},
        .tag = m->info->tag ? maker_keep_name(m, m->info->tag, 0) : NULL,
        .nreal = c->nreal > 0 ? c->nreal : 1,
        .reversible = c->reversible,
        .is_of_equations = true,
        .is_library = m->info->is_library,
        .basic = keep_basic(m),
        .assertions = keep_assertions(m),
        .graph = &m->cell->graph,
        .symbols = m->symbols.items,
        .nsymbol = m->symbols.n};
    c->block = m->failed ? NULL : block_class_create(m->cell->alloc, &info);
    if (!c->block)
        return LIEDER_NO_MEMORY;
    bool passive = is_passive(m);
    for (size_t i = 0; i < m->assignments.n; i++) {
        const Assignment *a = &m->assignments.items[i];
        if (passive && a->kind == BLOCK_INWARD)
            continue;
        block_assign(c->block, a->kind, a->direction, a->place, a->node);
    }
    maker_assign_declared(m);
    switch (block_class_finish(c->block)) {
    case TAPE_DONE:
        return LIEDER_DONE;
    case TAPE_NO_MEMORY:
        return LIEDER_NO_MEMORY;
    case TAPE_TOO_LARGE:
        diag_error(m->cell->diag, NULL, NULL,
                   "'%s' is too large for one class: more than 65535 values at a time\n"
                   "divide it into components",
                   m->info->name);
        return LIEDER_BAD_MODEL;
    case TAPE_UNKNOWN_SYMBOL:
        return report_symbol(m);
    default:
        diag_error(m->cell->diag, NULL, NULL,
                   "'%s' is not linear in accelerations and forces\n"
                   "write its forces as linear functions of these; positions and velocities may "
                   "enter in any way",
                   m->info->name);
        return LIEDER_BAD_MODEL;
    }
}

typedef struct ReadMarks {
    const Cell *cell;
    uint8_t *reads;
} ReadMarks;

static bool mark_read(void *user, uint64_t symbol, Node node)
{
    ReadMarks *marks = user;
    (void)node;
    if (symbol != CELL_TIME)
        marks->reads[symbol_variable(symbol)] = 1;
    return true;
}

static bool push_nodes(const LiederAllocator *alloc, NodeList *to, const NodeList *from)
{
    for (size_t k = 0; k < from->n; k++)
        if (!vec_push(alloc, to, from->items[k]))
            return false;
    return true;
}

/* the variables that values, residuals and start values are made of */
static bool find_reads(ClassMaker *m)
{
    Cell *cell = m->cell;
    CellPlan *first = &m->c->plan[0];
    if (!vec_resize(cell->alloc, &first->reads, cell->variables.n + 1))
        return false;
    ReadMarks marks = {cell, first->reads.items};
    NodeList all = {0}; /* one walk: they share most of what they are made of */
    bool good = true;
    for (int k = 0; k < 1 + m->c->reversible; k++) {
        const CellPlan *plan = &m->c->plan[k];
        good = good && push_nodes(cell->alloc, &all, &plan->residuals);
        for (size_t v = 0; good && v < plan->values.n; v++)
            good = push_nodes(cell->alloc, &all, &plan->values.items[v]);
        for (size_t s = 0; good && s < plan->states.n; s++)
            good = vec_push(cell->alloc, &all, plan->states.items[s].initial);
        for (size_t i = 0; good && i < plan->checks.n; i++)
            good = vec_push(cell->alloc, &all, plan->checks.items[i].left) &&
                   vec_push(cell->alloc, &all, plan->checks.items[i].right);
    }
    good = good && graph_symbols(&cell->graph, all.items, all.n, mark_read, &marks);
    vec_drop(cell->alloc, &all);
    return good && maker_visit_events(m, mark_read, &marks);
}

typedef struct FlowUse {
    const Cell *cell;
    bool found;
} FlowUse;

static bool note_flow(void *user, uint64_t symbol, Node node)
{
    FlowUse *use = user;
    (void)node;
    use->found |= symbol != CELL_TIME &&
                  use->cell->variables.items[symbol_variable(symbol)].role == CELL_INWARD;
    return true;
}

/* A root of which something depends on what comes back hangs on one that rests: the engine asks a
 * link for its answer, not a root. false: memory ran out. */
static bool find_hanging(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = &m->c->plan[0];
    uint64_t all = cell->nport >= 64 ? UINT64_MAX : ((uint64_t)1 << cell->nport) - 1;
    FlowUse use = {.cell = cell, .found = plan->unknowns.n > 0};
    bool good = true;
    if (cell->nport == 0 || plan->out != all)
        return true;
    for (size_t v = 0; good && !use.found && v < plan->values.n; v++)
        if (cell->variables.items[v].role == CELL_UNKNOWN)
            good = graph_symbols(&m->cell->graph, plan->values.items[v].items,
                                 plan->values.items[v].n, note_flow, &use);
    m->c->hangs = use.found;
    return good;
}

/* events, constants, start values, orientation, members, blocks: the class in the order in which
 * it is made */
static LiederStatus build(ClassMaker *m)
{
    CellClass *c = m->c;
    LiederStatus status = cell_prepare_events(m->cell) && cell_put_constants(m->cell) &&
                                  cell_choose_modes(m->cell) &&
                                  (m->cell->nport || cell_prepare_initial(m->cell))
                              ? cell_orient(m->cell, m->info, c)
                              : LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE && !find_hanging(m))
        status = LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE)
        status = cell_solve_events(m->cell, &c->plan[0], &c->events);
    if (status == LIEDER_DONE)
        status = cell_solve_initial(m->cell, &c->plan[0]);
    if (status != LIEDER_DONE)
        return status;
    if (!find_reads(m) || !maker_find_split(m) || !maker_find_hidden(m) || !maker_add_ports(m) ||
        !maker_add_members(m))
        return LIEDER_NO_MEMORY;
    for (int direction = 0; direction < 1 + c->reversible && status == LIEDER_DONE; direction++) {
        m->direction = direction;
        status = make_direction(m);
    }
    m->direction = 0;
    maker_assign_start(m);
    maker_summarise(m);
    return m->failed ? LIEDER_NO_MEMORY : status == LIEDER_DONE ? finish_class(m) : status;
}

/* frees the work lists */
static void maker_drop(ClassMaker *m)
{
    const LiederAllocator *alloc = m->cell->alloc;
    vec_drop(alloc, &m->hidden);
    vec_drop(alloc, &m->variable_at);
    vec_drop(alloc, &m->input_port);
    vec_drop(alloc, &m->state_at);
    vec_drop(alloc, &m->derivative_at);
    vec_drop(alloc, &m->shown_at);
    vec_drop(alloc, &m->residual_at);
    vec_drop(alloc, &m->unknown_at);
    vec_drop(alloc, &m->crossing_at);
    vec_drop(alloc, &m->next_at);
    vec_drop(alloc, &m->request_at);
    vec_drop(alloc, &m->delay_at);
    vec_drop(alloc, &m->symbols);
    vec_drop(alloc, &m->members);
    vec_drop(alloc, &m->ports);
    vec_drop(alloc, &m->levels);
    maker_drop_cuts(m);
    vec_drop(alloc, &m->kept);
    vec_drop(alloc, &m->kept_at);
    vec_drop(alloc, &m->kept_of);
    vec_drop(alloc, &m->assignments);
    vec_drop(alloc, &m->systems);
    vec_drop(alloc, &m->linear);
}

CellClass *cell_class_create(Cell *cell, const CellClassInfo *info, LiederStatus *status)
{
    CellClass *c = memory_zeroed(cell->alloc, sizeof *c);
    *status = LIEDER_NO_MEMORY;
    if (!c)
        return NULL;
    c->alloc = cell->alloc;
    arena_init(&c->arena, cell->alloc);
    ClassMaker m = {.cell = cell, .c = c, .info = info};
    *status = build(&m);
    maker_drop(&m);
    if (*status == LIEDER_DONE)
        return c;
    cell_class_destroy(c);
    return NULL;
}

void cell_class_destroy(CellClass *c)
{
    if (!c)
        return;
    block_class_destroy(c->block);
    plan_drop(&c->plan[0], c->alloc);
    plan_drop(&c->plan[1], c->alloc);
    event_plan_drop(&c->events, c->alloc);
    arena_drop(&c->arena);
    memory_free(c->alloc, c, sizeof *c);
}

LiederStatus cell_class_register(Lieder *session, const CellClass *c)
{
    return block_class_register(session, c->block);
}

bool cell_class_hangs(const CellClass *c)
{
    return c->hangs;
}

const CellSummary *cell_class_summary(const CellClass *c)
{
    return &c->summary;
}

const struct BlockClass *cell_class_block(const CellClass *c)
{
    return c->block;
}

const CellPlan *cell_class_plan(const CellClass *c)
{
    return &c->plan[0];
}
