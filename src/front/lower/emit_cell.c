/* emit_cell.c - an instance with equations of its own as a class of the session, and its numbers.
 *
 * The instance is lowered to a cell; cells with the same content are one class, whatever the
 * numbers of their parameters, so that instances are data. Parameters and start values are set next
 * to the component, as those of native components are.
 */
#include "front/lower/lower.h"

#include <stdio.h>
#include <string.h>

#include "equation/class/class.h"
#include "front/divide/divide.h"
#include "front/emit/emit.h"

/* ------------------------------------------------------------------ equal cells */

static void hash_add(Content *c, const void *bytes, size_t n)
{
    c->hash[0] = hash_bytes(c->hash[0], bytes, n);
    c->hash[1] = hash_bytes(c->hash[1] ^ 0x5bd1e995u, bytes, n);
    c->length += n;
}

static void hash_text(Content *c, const char *text)
{
    hash_add(c, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void hash_equation(Content *c, const CellEquation *e)
{
    const Node sides[] = {e->left, e->right, e->by_time};
    hash_add(c, sides, sizeof sides);
}

/* relations, steps and timers are found again from the graph */
static void hash_events(Content *c, const CellEvents *e)
{
    for (size_t i = 0; i < e->whens.n; i++)
        hash_add(c, &e->whens.items[i].fires, sizeof(Node));
    for (size_t i = 0; i < e->memories.n; i++) {
        const CellMemory *m = &e->memories.items[i];
        const uint32_t facts[] = {m->variable, m->next, m->initial};
        hash_add(c, facts, sizeof facts);
    }
    for (size_t i = 0; i < e->reinits.n; i++) {
        const CellReinit *r = &e->reinits.items[i];
        const uint32_t facts[] = {r->variable, r->fires, r->value};
        hash_add(c, facts, sizeof facts);
    }
    for (size_t i = 0; i < e->requests.n; i++) {
        const CellRequest *r = &e->requests.items[i];
        const uint32_t facts[] = {r->kind, r->node, r->at_event};
        hash_add(c, facts, sizeof facts);
        hash_text(c, r->text);
    }
}

/* numbers of parameters and start values, as far as they are the same in all elements of arrays
 * around the instance */
void cell_take_numbers(Front *f, Lower *lower)
{
    if (lower->cell.nport && !lower->nclosing)
        return;
    for (size_t i = 0; i < lower->variables.n; i++) {
        const LowerVariable *from = &lower->variables.items[i];
        CellVariable *v = &lower->cell.variables.items[i];
        if (v->role == CELL_PARAMETER && !v->is_free && from->member)
            v->has_number =
                emit_cell_number(f,
                                 &(CellSetting){.top = lower->top,
                                                .member = from->member,
                                                .key = from->key,
                                                .element = from->element,
                                                .attribute = from->is_start ? "start" : NULL},
                                 &v->number);
    }
}

/* The ports behind which nothing leads to a root, as far as the component beside it says: a cell
 * that has several ways to be used takes the others as incoming. */
static uint64_t likely_out(const Lower *lower)
{
    uint64_t out = 0, all = 0;
    for (size_t i = 0; i < lower->ports.n && i < 64; i++) {
        const Member *m = lower->ports.items[i].member;
        bool beside = m->inst != lower->top && m->inst->native;
        if (!beside || !native_is_outgoing(lower->front->session, m->inst->native, m->name))
            out |= (uint64_t)1 << i;
        all |= (uint64_t)1 << i;
    }
    return out == all ? 0 : out;
}

/* what decides the class: variables, equations and the graph below them */
static Content cell_content(const Lower *lower)
{
    const Cell *cell = &lower->cell;
    Content c = {.hash = {HASH_SEED, HASH_SEED + 1}};
    for (size_t i = 0; i < cell->variables.n; i++) {
        const CellVariable *v = &cell->variables.items[i];
        const uint32_t facts[] = {v->role, v->select, v->start_given, v->start_fixed, v->is_output,
                                  v->element, v->length, v->port, v->contract, v->start, v->type,
                                  v->meaning, v->is_free,
                                  /* a factor that is zero is not divided by */
                                  v->has_number && v->number == 0 && !v->is_hint};
        hash_add(&c, facts, sizeof facts);
        hash_text(&c, v->name);
        hash_text(&c, v->unit);
    }
    for (size_t i = 0; i < lower->ports.n; i++)
        hash_text(&c, lower->ports.items[i].member->child->domain);
    const struct DividedWay *way = lower->top->divided;
    const uint64_t ways[] = {way != NULL, way ? way->out : 0, way && way->hangs, likely_out(lower)};
    hash_add(&c, ways, sizeof ways);
    for (size_t i = 1; i < cell->graph.nodes.n; i++) {
        const NodeData *n = node_data(&cell->graph, (Node)i);
        const uint64_t facts[] = {n->kind, n->function, n->a, n->b, n->c, n->symbol};
        hash_add(&c, facts, sizeof facts);
    }
    for (size_t i = 0; i < cell->graph.systems.n; i++) { /* functions, see block/call.c */
        const GraphCall *call = cell->graph.systems.items[i].call;
        if (call && call->output.n)
            hash_add(&c, call->output.items, call->output.n * sizeof *call->output.items);
    }
    for (size_t i = 0; i < cell->equations.n; i++)
        hash_equation(&c, &cell->equations.items[i]);
    for (size_t i = 0; i < cell->initial.n; i++)
        hash_equation(&c, &cell->initial.items[i]);
    for (size_t i = 0; i < cell->homotopies.n; i++)
        hash_add(&c, &cell->homotopies.items[i], sizeof cell->homotopies.items[i]);
    hash_events(&c, &cell->events);
    return c;
}

static const struct BuiltCell *find_built(const Front *f, const Content *content)
{
    for (size_t i = 0; i < f->cells.n; i++)
        if (memcmp(&f->cells.items[i].content, content, sizeof *content) == 0)
            return &f->cells.items[i];
    return NULL;
}

/* ------------------------------------------------------------------ the class */

static const char *port_name(Front *f, const Inst *top, const LowerPort *port)
{
    char name[300];
    if (port->member->inst != top)
        return beside_name(f, port->member->inst, port->member->name, port->element,
                           port->member->axis != NULL);
    if (!port->member->axis)
        return port->member->name;
    snprintf(name, sizeof name, "%.280s[%zu]", port->member->name, port->element + 1);
    const char *copy = arena_text(&f->work, name, strlen(name));
    return copy ? copy : "";
}

/* As many equations as unknowns, yet it could not be solved alone: its inputs are equated, or
 * differentiated. Together with what is connected to it it may be solved. */
static bool may_merge(const Lower *lower)
{
    size_t nunknown = 0;
    for (size_t i = 0; i < lower->cell.variables.n; i++)
        nunknown += lower->cell.variables.items[i].role == CELL_UNKNOWN;
    return lower->top->parent && lower->cell.nport == 0 && nunknown == lower->cell.equations.n;
}

/* solved, compiled, registered; NULL after reporting an error */
static const struct BuiltCell *make_class(Front *f, Lower *lower, const Content *content,
                                          const char *name)
{
    VEC(const LiederDomain *) domains = {0};
    VEC(const char *) names = {0};
    bool good = true;
    for (size_t i = 0; good && i < lower->ports.n; i++)
        good = vec_push(f->alloc, &domains,
                        native_domain(f->session, lower->ports.items[i].member->child->domain)) &&
               vec_push(f->alloc, &names, port_name(f, lower->top, &lower->ports.items[i]));
    char buffer[240];
    MergedText merged;
    merged_describe(lower, &merged);
    CellClassInfo info = {.name = emit_free_name(f, name, buffer, sizeof buffer),
                          .text = lower->top->class_->comment.text,
                          .domains = domains.items,
                          .port_names = names.items,
                          .is_oriented = lower->top->divided != NULL,
                          .out = lower->top->divided ? lower->top->divided->out : 0,
                          .likely_out = likely_out(lower),
                          .nmerged = merged.n,
                          .merged = merged.n ? merged.names : NULL,
                          .merged_why = merged.n ? merged.why : NULL,
                          .parts = lower->parts.items,
                          .npart = lower->parts.n};
    LiederStatus status = LIEDER_NO_MEMORY;
    Graph *graph = &lower->cell.graph;
    /* solving has a budget of its own: a thousand equations that are full take 1.7e8 */
    graph->max_effort = graph->effort + 2 * f->limits.steps;
    CellClass *class_ = good ? cell_class_create(&lower->cell, &info, &status) : NULL;
    vec_drop(f->alloc, &domains);
    vec_drop(f->alloc, &names);
    if (class_)
        status = native_adopt_cell(f->session, class_);
    if (status == LIEDER_NO_MEMORY && graph->exhausted)
        report_exhausted(f, lower->top->class_->name_span);
    else if (status == LIEDER_NO_MEMORY)
        f->work.failed = true;
    if (status != LIEDER_DONE) {
        f->may_merge |= status == LIEDER_BAD_MODEL && may_merge(lower);
        f->nwrong++;
        return NULL;
    }
    struct BuiltCell built = {.content = *content,
                              .name = lieder_class_name(lieder_class_find(f->session, buffer)),
                              .plan = cell_class_plan(class_),
                              .hangs = cell_class_hangs(class_),
                              .summary = cell_class_summary(class_)};
    if (!vec_push(f->alloc, &f->cells, built)) {
        f->work.failed = true;
        return NULL;
    }
    return &f->cells.items[f->cells.n - 1];
}

const char *cell_adopt(Front *f, CellClass *class_, const char *name)
{
    if (native_adopt_cell(f->session, class_) != LIEDER_DONE) {
        f->work.failed = true;
        return NULL;
    }
    struct BuiltCell built = {.content = {.hash = {f->cells.n, 0}},
                              .name = lieder_class_name(lieder_class_find(f->session, name)),
                              .plan = cell_class_plan(class_),
                              .summary = cell_class_summary(class_)};
    if (!vec_push(f->alloc, &f->cells, built)) {
        f->work.failed = true;
        return NULL;
    }
    return built.name;
}

/* ------------------------------------------------------------------ numbers */

/* each parameter of the class once: its first element stands for the others */
static void set_parameters(Front *f, const Lower *lower, const CellPlan *plan)
{
    for (size_t i = 0; i < lower->variables.n; i++) {
        const LowerVariable *v = &lower->variables.items[i];
        if (lower->cell.variables.items[i].role != CELL_PARAMETER ||
            lower->cell.variables.items[i].is_free || (v->element > 0 && !v->is_start) ||
            (lower->cell.variables.items[i].is_hint && !plan->reads.items[i]))
            continue;
        /* a vector goes by its name without an index */
        const CellVariable *x = &lower->cell.variables.items[i];
        const char *index = x->length > 1 ? strrchr(x->name, '[') : NULL;
        const char *name =
            index ? arena_text(&f->work, x->name, (size_t)(index - x->name)) : x->name;
        if (name)
            emit_cell_setting(f, &(CellSetting){.top = lower->top,
                                                .member = v->member,
                                                .name = name,
                                                .key = v->key,
                                                .element = v->element,
                                                .attribute = v->is_start ? "start" : NULL});
    }
}

void cell_set_state(Front *f, const CellSetting *s)
{
    bool given, start = strcmp(s->attribute, "start") == 0;
    unsigned long long touched = f->touched;
    member_attribute(f, s->member, s->attribute, &given);
    f->touched = touched;
    if (given || (start && emit_is_overridden(s->member)))
        emit_cell_setting(f, s);
}

/* one attribute of a state or memory, if the text or an override gives it */
static void set_state_attribute(Front *f, const Lower *lower, size_t variable,
                                const char *attribute)
{
    const LowerVariable *v = &lower->variables.items[variable];
    cell_set_state(f, &(CellSetting){.top = lower->top,
                                     .member = v->member,
                                     .name = lower->cell.variables.items[variable].name,
                                     .key = v->key,
                                     .element = v->element,
                                     .attribute = attribute});
}

static void set_states(Front *f, const Lower *lower, const CellPlan *plan)
{
    for (size_t k = 0; k < plan->states.n; k++) {
        const CellState *s = &plan->states.items[k];
        if (s->order > 0)
            continue;
        if (!s->initial)
            set_state_attribute(f, lower, s->variable, "start");
        for (size_t i = 0; i < NSTATE_ATTRIBUTES; i++)
            set_state_attribute(f, lower, s->variable, state_attributes[i]);
    }
}

/* start values of what events change */
static void set_memory(Front *f, const Lower *lower)
{
    const CellEvents *e = &lower->cell.events;
    for (size_t i = 0; i < e->memories.n; i++) {
        uint32_t v = e->memories.items[i].variable;
        if (v < lower->variables.n && lower->variables.items[v].member)
            set_state_attribute(f, lower, v, "start");
    }
}

/* an override of a variable sets its start value: one that no state has would change nothing */
void cell_refuse_overrides(Front *f, const Lower *lower, const CellPlan *plan)
{
    VEC(uint8_t) is_state = {0};
    if (!vec_resize(f->alloc, &is_state, lower->cell.variables.n + 1)) {
        f->work.failed = true;
        return;
    }
    for (size_t k = 0; k < plan->states.n; k++)
        is_state.items[plan->states.items[k].variable] = 1;
    for (size_t i = 0; i < lower->cell.variables.n && i < lower->variables.n; i++) {
        const CellVariable *v = &lower->cell.variables.items[i];
        const LowerVariable *from = &lower->variables.items[i];
        bool state = v->start_fixed || is_state.items[i];
        if (v->role == CELL_UNKNOWN && v->type == LIEDER_TYPE_REAL && !state && from->member &&
            from->element == 0 && emit_is_overridden(from->member))
            report_error(
                f, from->member->component->name_span, lower->top,
                "'%s' is no state: an override would set its start value, which nothing reads\n"
                "override a parameter or the start value of a state",
                v->name);
    }
    vec_drop(f->alloc, &is_state);
}

/* the class of a lowered instance, made if it is new; NULL after reporting what is wrong */
static const struct BuiltCell *class_of(Front *f, Lower *lower, const char *name)
{
    cell_take_numbers(f, lower);
    Content content = cell_content(lower);
    const struct BuiltCell *built = find_built(f, &content);
    return built ? built : make_class(f, lower, &content, name);
}

bool emit_cell_class(Front *f, Inst *inst, const char *name)
{
    Lower lower;
    const struct BuiltCell *built =
        lower_instance(&lower, f, inst) ? class_of(f, &lower, name) : NULL;
    lower_drop(&lower);
    return built && native_accepts(f->session, built->name);
}

/* a root that rests for the cell to hang on */
static void emit_hook(Front *f, const Lower *lower)
{
    static const char name[] = ":ground";
    const char *domain = lower->ports.items[0].member->child->domain, *port;
    const char *rest = native_rest(f->session, domain, &port);
    if (!rest) {
        report_error(
            f, lower->top->class_->name_span, lower->top,
            "'%s' moves by itself, and nothing of the kind %s rests that it could be counted "
            "from\nconnect it to something fixed",
            lower->top->class_->name, domain);
        return;
    }
    Inst *top = lower->top;
    uint32_t ground = emit_one(f, top, name, rest);
    if (ground != NO_DECLARATION)
        emit_connection_between(top, emit_port_path(top, emit_own(top), 0, CELL_HOOK),
                                emit_port_path(top, ground, 0, port));
}

void emit_cell(Front *f, Inst *inst, const char *name)
{
    Lower lower;
    const struct BuiltCell *built =
        lower_instance(&lower, f, inst) ? class_of(f, &lower, name) : NULL;
    if (built && built->hangs && !inst->divided && !inst->draft) {
        lower_drop(&lower);
        emit_declare(f, inst->parent, inst->member,
                     emit_model(f, inst, name)); /* with the root that it hangs on */
        return;
    }
    if (built) {
        if (inst->draft)
            emit_declare_own(f, inst, built->name);
        else
            emit_declare(f, inst->parent, inst->member, built->name);
        set_parameters(f, &lower, built->plan);
        set_states(f, &lower, built->plan);
        cell_refuse_overrides(f, &lower, built->plan);
        set_memory(f, &lower);
        bool own = inst->draft && inst->draft->own; /* else there was no memory */
        if (own)
            emit_beside_links(f, &lower);
        if (own && built->hangs)
            emit_hook(f, &lower);
    }
    lower_drop(&lower);
}
