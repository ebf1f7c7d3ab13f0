/* tape_system.c - systems of equations and calls of functions as single instructions of a tape.
 *
 * Both work on a workspace w behind the slots. An instruction SYSTEM copies its operands from slots
 * to places of w (`from`), runs, and copies the results from w to slots (`to`). What stands in w:
 *
 *   linear A x = b     the entries of A, b, then x (systems.h). Where the same A serves several
 *                      right sides there are two instructions: SYSTEM_FACTORS gives the factors,
 *                      SYSTEM_FACTORED has them as operands after the entries
 *   nonlinear          operands p and the unknowns x; `residuals` is a tape from these places to
 *   r(x, p) = 0        r and the entries of dr/dx, which Newton's method runs again and again
 *   call y = f(p)      p, then those results that this tape reads, then the conditions under which
 *                      they are needed (guard.c)
 *
 * The tape of a function is made once for each set of results that is wanted of it (TapeBody), and
 * all calls in all tapes of the graph share it by counting its users. */
#include "block/tape_make.h"

/* ------------------------------------------------------------------ memory */

static void release_body(TapeBody *body, const LiederAllocator *alloc)
{
    if (--body->users)
        return;
    tape_drop(&body->tape, alloc);
    vec_drop(alloc, &body->results);
    memory_free(alloc, body, sizeof *body);
}

void tape_bodies_release(TapeBody *list, const LiederAllocator *alloc)
{
    while (list) {
        TapeBody *next = list->next;
        release_body(list, alloc);
        list = next;
    }
}

void tape_system_drop(TapeSystem *s, const LiederAllocator *alloc)
{
    if (s->body) {
        release_body(s->body, alloc);
    } else if (s->residuals) {
        tape_drop(s->residuals, alloc);
        memory_free(alloc, s->residuals, sizeof *s->residuals);
    }
    vec_drop(alloc, &s->pattern);
    vec_drop(alloc, &s->nominal);
    vec_drop(alloc, &s->guards);
    vec_drop(alloc, &s->from);
    vec_drop(alloc, &s->to);
}

/* ------------------------------------------------------------------ systems */

/* unknowns and operands of the equations (bound symbols) are places of the workspace */
static Node workspace_symbol(void *user, uint64_t symbol, Node node)
{
    Graph *g = user;
    return is_bound_symbol(symbol) ? node_symbol(g, tape_symbol(TAPE_RECORD, (uint32_t)symbol))
                                   : node;
}

/* the tape of residuals and entries of the Jacobian of a system */
static TapeStatus compile_residuals(Graph *g, uint32_t number, TapeSystem *s)
{
    TapeOutputs outputs = {0};
    bool good = (s->residuals = memory_zeroed(g->alloc, sizeof *s->residuals)) != NULL;
    size_t n = system_outputs(&g->systems.items[number]);
    for (size_t k = 0; good && k < n; k++) {
        Node node = system_output(&g->systems.items[number], k);
        TapeOutput o = {replace_once(g, workspace_symbol, g, node), TAPE_RECORD,
                        (uint32_t)(LIEDER_SYSTEM_R(&s->solver) + k)};
        good = o.node && vec_push(g->alloc, &outputs, o);
    }
    TapeStatus status =
        good ? tape_compile(s->residuals, g, outputs.items, outputs.n) : TAPE_NO_MEMORY;
    vec_drop(g->alloc, &outputs);
    return status;
}

LiederPattern tape_pattern(const GraphSystem *s)
{
    return (LiederPattern){.n = (int)s->n,
                           .noperand = s->linear ? 0 : (int)(s->ninput - s->n),
                           .nentry = (int)s->row.n,
                           .lenient = s->lenient,
                           .near = s->near,
                           .sized = s->size.n > 0,
                           .homotopy = (int)s->homotopy,
                           .guess = (int)s->guess,
                           .row = s->row.items,
                           .column = s->column.items,
                           .sparse = s->table.n ? s->table.items : NULL,
                           .nominal = s->nominal.n ? s->nominal.items : NULL};
}

static bool copy_list(const LiederAllocator *alloc, TapeSystem *s, const uint32_t *items, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!vec_push(alloc, &s->pattern, items[k]))
            return false;
    return true;
}

/* sizes, pattern and residuals of a system */
static TapeStatus describe_system(Graph *g, uint32_t number, TapeSystem *s)
{
    const GraphSystem *t = &g->systems.items[number];
    size_t nentry = t->row.n;
    if (!copy_list(g->alloc, s, t->row.items, nentry) ||
        !copy_list(g->alloc, s, t->column.items, nentry) ||
        !copy_list(g->alloc, s, t->table.items, t->table.n))
        return TAPE_NO_MEMORY;
    for (size_t k = 0; k < t->nominal.n; k++)
        if (!vec_push(g->alloc, &s->nominal, t->nominal.items[k]))
            return TAPE_NO_MEMORY;
    s->step = t->step;
    s->solver = tape_pattern(t);
    s->solver.row = s->pattern.items;
    s->solver.column = s->pattern.items + nentry;
    s->solver.sparse = t->table.n ? s->pattern.items + 2 * nentry : NULL;
    s->solver.nominal = t->nominal.n ? s->nominal.items : NULL;
    s->size = lieder_system_size(&s->solver);
    return t->linear ? TAPE_DONE : compile_residuals(g, number, s);
}

uint32_t tape_operand_place(const GraphSystem *system, size_t k)
{
    const LiederPattern s = tape_pattern(system);
    size_t nentry = (size_t)s.nentry,
           nfactor = system->step == SYSTEM_FACTORED ? system_nfactor(system) : 0;
    size_t place = !system->linear        ? k
                   : k < nentry           ? LIEDER_SYSTEM_E(&s) + k
                   : k < nentry + nfactor ? LIEDER_SYSTEM_MATRIX(&s) + (k - nentry)
                                          : LIEDER_SYSTEM_R(&s) + (k - nentry - nfactor);
    return (uint32_t)place;
}

uint32_t tape_part_place(const GraphSystem *system, uint32_t part)
{
    if (system->call)
        return system->ninput + part;
    const LiederPattern s = tape_pattern(system);
    uint32_t n = (uint32_t)s.n;
    if (system->step == SYSTEM_FACTORS)
        return (uint32_t)LIEDER_SYSTEM_MATRIX(&s) + part;
    return part < n ? part : (uint32_t)LIEDER_SYSTEM_LAST(&s) + part - n;
}

/* ------------------------------------------------------------------ calls */

/* the same results of a function as before, or NULL */
static TapeBody *known_body(const GraphCall *c, const NodeList *results)
{
    for (TapeBody *body = c->bodies; body; body = body->next) {
        bool same = body->results.n == results->n;
        for (size_t k = 0; same && k < results->n; k++)
            same = body->results.items[k] == results->items[k];
        if (same)
            return body;
    }
    return NULL;
}

/* the tape of some results of a function */
static TapeStatus compile_body(Graph *g, GraphCall *c, const NodeList *results, TapeBody **made)
{
    TapeOutputs outputs = {0};
    TapeBody *body = memory_zeroed(g->alloc, sizeof *body);
    bool good = body != NULL;
    for (size_t k = 0; good && k < results->n; k++)
        good = vec_push(g->alloc, &body->results, results->items[k]) &&
               vec_push(g->alloc, &outputs,
                        (TapeOutput){c->plain.items[results->items[k]], TAPE_RECORD,
                                     c->ninput + (uint32_t)k});
    TapeStatus status =
        good ? tape_compile(&body->tape, g, outputs.items, outputs.n) : TAPE_NO_MEMORY;
    vec_drop(g->alloc, &outputs);
    if (body)
        body->users = 1;
    if (status != TAPE_DONE && body) {
        release_body(body, g->alloc);
    } else if (body) {
        body->next = c->bodies;
        c->bodies = *made = body;
    }
    return status;
}

/* which results of a call a tape wants, in their order */
static bool wanted_results(const TapeMaker *m, Node system, NodeList *results)
{
    for (size_t k = 0; k < m->order.n; k++) {
        const NodeData *part = node_data(m->g, m->order.items[k]);
        if (part->kind != NODE_PART || part->a != system)
            continue;
        Node which = (Node)node_data(m->g, part->b)->value;
        size_t at = results->n;
        if (!vec_push(m->alloc, results, which))
            return false;
        for (; at > 0 && results->items[at - 1] > which; at--)
            results->items[at] = results->items[at - 1];
        results->items[at] = which;
    }
    return true;
}

/* a call and the body that it runs */
static TapeStatus describe_call(const TapeMaker *m, Node system, TapeSystem *s)
{
    GraphCall *c = node_called(m->g, system);
    NodeList results = {0};
    TapeStatus status = wanted_results(m, system, &results) ? TAPE_DONE : TAPE_NO_MEMORY;
    TapeBody *body = known_body(c, &results);
    if (status == TAPE_DONE && !body)
        status = compile_body(m->g, c, &results, &body);
    if (status == TAPE_DONE) {
        body->users++;
        s->body = body;
        s->residuals = &body->tape;
        s->size = c->ninput + results.n;
        s->step = SYSTEM_CALL;
    }
    vec_drop(m->alloc, &results);
    return status;
}

/* the conditions of a call are operands as well */
static bool add_guards(const TapeMaker *m, Node system, TapeSystem *s, NodeList *operands)
{
    for (size_t i = 0; i < m->guards.n; i++) {
        const CallGuard *guard = &m->guards.items[i];
        if (guard->system != system)
            continue;
        if (!vec_push(m->alloc, &s->guards, guard->wanted) ||
            !vec_push(m->alloc, operands, guard->condition))
            return false;
        s->size++;
    }
    return true;
}

uint32_t tape_place_operand(const TapeSystem *s, const GraphSystem *system, size_t k, size_t n)
{
    return k + s->guards.n < n ? tape_operand_place(system, k) : (uint32_t)(s->size - (n - k));
}

uint32_t tape_place_part(const TapeSystem *s, const GraphSystem *system, uint32_t part)
{
    for (size_t k = 0; s->body && k < s->body->results.n; k++)
        if (s->body->results.items[k] == part)
            return system->ninput + (uint32_t)k;
    return tape_part_place(system, part);
}

void tape_plan_system(TapeMaker *m, TapePending *p)
{
    TapeSystem s = {0};
    NodeData d = *node_data(m->g, p->d);
    uint32_t number = system_number(m->g, p->d);
    TapeStatus status =
        node_called(m->g, p->d) ? describe_call(m, p->d, &s) : describe_system(m->g, number, &s);
    if (status != TAPE_DONE)
        m->status = status;
    if (!vec_push(m->alloc, &m->t->systems, s)) {
        tape_system_drop(&s, m->alloc);
        m->status = TAPE_NO_MEMORY;
    }
    p->e = (Node)m->t->systems.n - 1;
    tape_check(m, m->status == TAPE_DONE && vec_push(m->alloc, &m->operands, (NodeList){0}) &&
                      vec_push(m->alloc, &m->parts, (NodeList){0}));
    if (m->status != TAPE_DONE)
        return;
    NodeList *operands = &m->operands.items[p->e], *parts = &m->parts.items[p->e];
    tape_check(m, list_items(m->g, d.a, operands) && list_items(m->g, d.c, operands) &&
                      add_guards(m, p->d, &m->t->systems.items[p->e], operands));
    for (size_t k = 0; k < m->order.n && m->status == TAPE_DONE; k++) {
        const NodeData *part = node_data(m->g, m->order.items[k]);
        if (part->kind == NODE_PART && part->a == p->d)
            tape_check(m, vec_push(m->alloc, parts, m->order.items[k]));
    }
}
