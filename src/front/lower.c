/* lower.c - instances with equations to cells: variables, bindings, equations. See lower.h. */
#include "front/lower.h"

#include <stdio.h>
#include <string.h>

Graph *lower_graph(Front *f)
{
    return &f->lower->cell.graph;
}

/* ------------------------------------------------------------------ variables of the cell */

/* the arrays of components between the top of the cell and an instance, as a set of depths */
static unsigned long long inner_axes(const Lower *lower, const Inst *inst)
{
    unsigned long long set = 0;
    for (const Axis *axis = inst->axis; axis && axis != lower->top->axis; axis = axis->outer)
        set |= 1ull << axis->depth;
    return set;
}

/* is the instance the top of the cell or inside it? */
static bool is_inside(const Lower *lower, const Inst *inst)
{
    while (inst && inst != lower->top)
        inst = inst->parent;
    return inst != NULL;
}

/* "body[2].x" as seen from the top of the cell; components around it by their own paths */
static void name_inst(const Lower *lower, const Inst *inst, TextBuffer *text)
{
    if (!inst || inst == lower->top || !inst->parent)
        return;
    name_inst(lower, inst->parent, text);
    const LiederAllocator *alloc = lower->front->alloc;
    bool good = text_add(alloc, text, "%s", inst->member->name);
    const Axis *axis = inst->member->axis;
    size_t rest = axis ? axis->index : 0, at[VALUE_DIMS];
    for (int k = axis ? axis->ndim : 0; k-- > 0; rest /= axis->dim[k])
        at[k] = rest % axis->dim[k];
    for (int k = 0; axis && k < axis->ndim; k++)
        good = good && text_add(alloc, text, "%s%zu%s", k ? "," : "[", at[k] + 1,
                                k + 1 == axis->ndim ? "]" : "");
    if (!good || !text_add(alloc, text, "."))
        lower->front->work.failed = true;
}

static const char *variable_name(Lower *lower, const Member *m, size_t element)
{
    Front *f = lower->front;
    TextBuffer text = {0};
    name_inst(lower, m->inst, &text);
    size_t at[VALUE_DIMS], rest = element;
    bool good = text_add(f->alloc, &text, "%s", m->name);
    for (int k = m->ndim; k-- > 0; rest /= m->dim[k])
        at[k] = rest % m->dim[k];
    for (int k = 0; k < m->ndim; k++)
        good = good && text_add(f->alloc, &text, "%s%zu%s", k ? "," : "[", at[k] + 1,
                                k + 1 == m->ndim ? "]" : "");
    const char *copy = good ? arena_text(&f->work, text.items, text.n) : NULL;
    vec_drop(f->alloc, &text);
    if (!copy)
        f->work.failed = true;
    return copy ? copy : "";
}

/* what the attributes say that matters for the choice of states */
static void read_selection(Front *f, Member *m, CellVariable *v)
{
    bool given;
    Value select = member_attribute(f, m, "stateSelect", &given);
    v->select = SELECT_DEFAULT;
    if (given && select.kind == V_ENUM && select.x >= 1 && select.x <= SELECT_ALWAYS + 1)
        v->select = (CellSelect)(select.x - 1);
    Value fixed = member_attribute(f, m, "fixed", &given);
    v->start_fixed = given && fixed.kind == V_BOOLEAN && value_at(&fixed, 0) != 0;
    member_attribute(f, m, "start", &v->start_given);
}

int lower_signals(const Lower *lower, const Inst *connector)
{
    return connector->domain ? native_domain_signals(lower->front->session, connector->domain) : 0;
}

int lower_position(const Member *m)
{
    int position = 0;
    for (size_t i = 0; m->inst->members.items[i] != m; i++)
        position += m->inst->members.items[i]->component != NULL;
    return position;
}

/* a connector of the cell itself, to which something outside may be connected */
static bool is_port(const Lower *lower, const Inst *inst)
{
    return inst->domain && inst->parent == lower->top && lower->top->parent;
}

/* the number of the port, a new one for a connector that was not met before */
static uint32_t port_of(Lower *lower, const Inst *inst)
{
    size_t element = inst->member->axis ? inst->member->axis->index : 0;
    for (size_t i = 0; i < lower->ports.n; i++)
        if (lower->ports.items[i].member == inst->member &&
            lower->ports.items[i].element == element)
            return (uint32_t)i;
    if (!vec_push(lower->front->alloc, &lower->ports, (LowerPort){inst->member, element}))
        lower->front->work.failed = true;
    lower->cell.nport = (uint32_t)lower->ports.n;
    return (uint32_t)lower->ports.n - 1;
}

/* the role, and of a port variable its port and contract */
static void find_role(Lower *lower, Member *m, CellVariable *v)
{
    Causality causality = m->component->prefix.causality;
    v->role = CELL_UNKNOWN;
    if (member_is_parameter(m) || !is_inside(lower, m->inst)) {
        v->role = CELL_PARAMETER;
        return;
    }
    if (is_port(lower, m->inst)) {
        bool flow = m->component->prefix.connection == CONNECT_FLOW;
        v->port = port_of(lower, m->inst);
        v->contract = 1;
        if (flow || lower_position(m) < lower_signals(lower, m->inst))
            v->role = flow ? CELL_INWARD : CELL_OUTWARD;
        return;
    }
    if (causality == CAUSE_NONE)
        causality = m->type.causality;
    if (causality == CAUSE_INPUT && m->inst == lower->top)
        v->role = CELL_INPUT;
    v->is_output = causality == CAUSE_OUTPUT && m->inst == lower->top;
}

static size_t element_count(const Member *m)
{
    size_t n = 1;
    for (int k = 0; k < m->ndim; k++)
        n *= m->dim[k];
    return n;
}

static bool add_variables(Lower *lower, Member *m, size_t key)
{
    Front *f = lower->front;
    CellVariable v = {.place = spot_place(m->component->name_spot)};
    find_role(lower, m, &v);
    v.unit = attribute_text(f, m, "unit");
    v.text = m->element->comment.text;
    if (v.role == CELL_UNKNOWN)
        read_selection(f, m, &v);
    bool flow = m->component->prefix.connection == CONNECT_FLOW;
    for (size_t i = 0, n = element_count(m); i < n; i++) {
        v.name = variable_name(lower, m, i);
        v.element = (uint32_t)i;
        v.length = (uint32_t)n;
        LowerVariable from = {.member = m, .element = i, .key = key, .flow = flow};
        if (!spend(f, m->component->name_spot, 1) ||
            cell_add_variable(&lower->cell, v) == UINT32_MAX ||
            !vec_push(f->alloc, &lower->variables, from)) {
            f->work.failed = f->work.failed || lower->cell.graph.failed;
            return false;
        }
    }
    return true;
}

static size_t block_hash(const Member *m, size_t key)
{
    return (size_t)(((uintptr_t)m >> 4) * 0x9e3779b97f4a7c15ull + key * 0xc2b2ae3d27d4eb4full) >>
           16;
}

static bool table_grow(Lower *lower)
{
    const LiederAllocator *alloc = lower->front->alloc;
    size_t n = lower->ntable ? 2 * lower->ntable : 64;
    LowerBlock *table = memory_zeroed(alloc, n * sizeof *table);
    for (size_t i = 0; table && i < lower->ntable; i++) {
        if (!lower->table[i].member)
            continue;
        size_t at = block_hash(lower->table[i].member, lower->table[i].key) & (n - 1);
        while (table[at].member)
            at = (at + 1) & (n - 1);
        table[at] = lower->table[i];
    }
    if (!table)
        return false;
    memory_free(alloc, lower->table, lower->ntable * sizeof *table);
    lower->table = table;
    lower->ntable = n;
    return true;
}

uint32_t lower_variables(Front *f, Member *m, Spot spot)
{
    Lower *lower = f->lower;
    if (!member_sizes(f, m))
        return UINT32_MAX;
    for (int k = 0; k < m->ndim; k++)
        if (m->dim[k] == NO_SIZE) {
            wrong(f, spot, m->inst, "'%s' has no size\ngive a number instead of \":\"", m->name);
            return UINT32_MAX;
        }
    size_t key = memo_key(m->inst->axis, inner_axes(lower, m->inst));
    if (2 * (lower->nblock + 1) > lower->ntable && !table_grow(lower)) {
        f->work.failed = true;
        return UINT32_MAX;
    }
    size_t at = block_hash(m, key) & (lower->ntable - 1);
    for (; lower->table[at].member; at = (at + 1) & (lower->ntable - 1))
        if (lower->table[at].member == m && lower->table[at].key == key)
            return lower->table[at].first;
    LowerBlock block = {m, key, (uint32_t)lower->cell.variables.n};
    if (!add_variables(lower, m, key))
        return UINT32_MAX;
    lower->table[at] = block;
    lower->nblock++;
    return block.first;
}

/* ------------------------------------------------------------------ names in equations */

static ValueKind kind_of_type(TypeKind kind)
{
    static const ValueKind kinds[] = {V_NONE,   V_REAL, V_INTEGER, V_BOOLEAN,
                                      V_STRING, V_ENUM, V_NONE};
    return kinds[kind];
}

/* Real parameters stay data; the others decide structure */
static bool is_number_now(Front *f, Member *m)
{
    return member_is_parameter(m) && (member_type(f, m)->kind != TY_REAL ||
                                      m->component->prefix.variability == VARY_CONSTANT);
}

Value lower_member(Front *f, Member *m, Spot spot)
{
    const Type *type = member_type(f, m);
    if (is_number_now(f, m))
        return member_value(f, m, spot);
    if (!member_is_parameter(m) && !is_inside(f->lower, m->inst)) {
        wrong(f, spot, f->lower->top,
              "'%s' is a variable outside of this model\n"
              "connect an input to it, or move the equation there",
              m->name);
        return (Value){0};
    }
    uint32_t first = lower_variables(f, m, spot);
    if (first == UINT32_MAX)
        return (Value){0};
    f->touched |= inner_axes(f->lower, m->inst);
    Value v = value_array(f, spot, kind_of_type(type->kind), m->ndim, m->dim);
    v.literals = type->kind == TY_ENUM ? type->class_ : NULL;
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        Node node = cell_variable(&f->lower->cell, first + (uint32_t)i, 0);
        Value e = value_number(v.kind, symbolic_element(node));
        value_put(&v, i, &e);
    }
    return v;
}

Value lower_time(Front *f)
{
    return value_number(V_REAL, symbolic_element(cell_time(&f->lower->cell)));
}

static Value lower_der(Front *f, const Expr *e, Env env)
{
    if (e->call->positional.n != 1 || e->call->named.n) {
        wrong(f, e->spot, env.inst, "der has one argument\nwrite der(x)");
        return (Value){0};
    }
    Value a = evaluate(f, e->call->positional.items[0], env);
    if (a.kind != V_REAL && a.kind != V_INTEGER) {
        if (a.kind != V_NONE)
            wrong(f, e->spot, env.inst, "der(x) needs a Real, this is of type %s\nname a variable",
                  value_kind_text(a.kind));
        return (Value){0};
    }
    Value v = value_array(f, e->spot, V_REAL, a.ndim, a.dim);
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        Node node = cell_derivative(&f->lower->cell, symbolic_node(f, value_at(&a, i)));
        if (!node)
            f->work.failed = true;
        Value x = value_number(V_REAL, symbolic_element(node));
        value_put(&v, i, &x);
    }
    return v;
}

Value lower_call(Front *f, const Expr *e, Env env)
{
    const char *name = e->call->function->name;
    if (strcmp(name, "der") == 0)
        return lower_der(f, e, env);
    wrong(f, e->spot, env.inst,
          "'%s' is not supported yet\nwrite equations without events and delays for now", name);
    return (Value){0};
}

/* ------------------------------------------------------------------ equations */

/* into the branch that is being read, or into the cell */
static void add_pair(Lower *lower, CellEquation e)
{
    bool good = lower->branch       ? vec_push(lower->front->alloc, lower->branch, e)
                : lower->is_initial ? cell_add_initial(&lower->cell, e)
                                    : cell_add_equation(&lower->cell, e);
    if (!good)
        lower->front->work.failed = true;
}

void lower_equation_pair(Lower *lower, Node left, Node right, Spot spot, const Inst *where)
{
    Front *f = lower->front;
    char path[300];
    CellEquation e = {.left = left, .right = right, .place = spot_place(spot)};
    if (where != lower->top) {
        inst_path(where, path, sizeof path);
        e.path = arena_text(&f->work, path, strlen(path));
    }
    add_pair(lower, e);
}

/* left = right, element by element */
static void equate(Lower *lower, Value a, Value b, Spot spot, Env env)
{
    Front *f = lower->front;
    char sa[100], sb[100];
    if (a.kind == V_NONE || b.kind == V_NONE)
        return;
    bool numbers =
        (a.kind == V_REAL || a.kind == V_INTEGER) && (b.kind == V_REAL || b.kind == V_INTEGER);
    if (a.kind == V_STRING || (!numbers && (a.kind != b.kind || a.literals != b.literals))) {
        wrong(f, spot, env.inst, "the sides of the equation are of type %s and %s\n%s",
              value_kind_text(a.kind), value_kind_text(b.kind),
              a.kind == V_STRING ? "texts do not change during a simulation"
                                 : "both sides have the same type");
        return;
    }
    if (!value_same_sizes(&a, &b)) {
        wrong(f, spot, env.inst,
              "the left side has the sizes %s, the right side %s\nboth sides have the same sizes",
              a.ndim ? value_sizes_text(&a, sa, sizeof sa) : "of a scalar",
              b.ndim ? value_sizes_text(&b, sb, sizeof sb) : "of a scalar");
        return;
    }
    if (numbers && a.unit && b.unit && unit_differs(a.unit, b.unit))
        wrong(f, spot, env.inst,
              "the left side has the unit \"%s\", the right side \"%s\"\n"
              "convert one of the two, or correct its unit",
              a.unit, b.unit);
    for (size_t i = 0; i < a.n && spend(f, spot, 1); i++)
        lower_equation_pair(lower, symbolic_node(f, value_at(&a, i)),
                            symbolic_node(f, value_at(&b, i)), spot, env.inst);
}

/* (a, , b) = f(x) */
static void equate_results(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    Value all[16] = {{0}};
    size_t n = e->left->list.n;
    if (e->right->kind != EX_CALL || n > 16) {
        wrong(f, e->right->spot, env.inst,
              "a call with several results is needed here\nwrite one equation for each variable");
        return;
    }
    call_function(f, e->right, env, all, n);
    for (size_t i = 0; i < n; i++)
        if (e->left->list.items[i])
            equate(lower, evaluate(f, e->left->list.items[i], env), all[i], e->spot, env);
}

static void lower_list(Lower *lower, const EquationList *list, Env env);

typedef struct LowerLoop {
    Lower *lower;
    const EquationList *body;
} LowerLoop;

static bool lower_body(Front *f, Env env, void *user)
{
    LowerLoop *loop = user;
    lower_list(loop->lower, loop->body, env);
    return !f->exhausted && !f->work.failed;
}

typedef struct ParameterCheck {
    const Cell *cell;
    bool varies;
} ParameterCheck;

static bool note_variable(void *user, uint64_t symbol, Node node)
{
    ParameterCheck *check = user;
    (void)node;
    check->varies |= symbol == CELL_TIME ||
                     check->cell->variables.items[symbol_variable(symbol)].role != CELL_PARAMETER;
    return true;
}

/* The condition of an if-equation: 0 or 1 if parameters decide it, symbolic if it may change.
 * V_NONE after an error. */
static Value branch_condition(Lower *lower, const Expr *e, Env env)
{
    Front *f = lower->front;
    Value c = evaluate(f, e, env);
    if (c.kind == V_NONE)
        return c;
    if (c.kind != V_BOOLEAN || c.ndim) {
        wrong(f, e->spot, env.inst,
              "a condition must be Boolean, this is of type %s\n"
              "compare it with something: x > 0",
              value_kind_text(c.kind));
        return (Value){0};
    }
    if (!is_symbolic(c.x))
        return c;
    ParameterCheck check = {.cell = &lower->cell};
    Node node = symbolic_node(f, c.x);
    if (!graph_symbols(&lower->cell.graph, &node, 1, note_variable, &check))
        f->work.failed = true;
    if (check.varies)
        return c;
    f->lower = NULL; /* as a number */
    c = structural_value(f, e, env, lower->top, "a condition");
    f->lower = lower;
    return c;
}

/* Equations that hold one branch at a time: the k-th ones of all branches make one equation, whose
 * sides are chosen. */
static void lower_choice(Lower *lower, const Equation *e, size_t first, double condition, Env env)
{
    Front *f = lower->front;
    EquationPairs yes = {0}, no = {0}, *outer = lower->branch;
    lower->branch = &yes;
    lower_list(lower, &e->branches.items[first]->body, env);
    lower->branch = &no;
    Equation rest = *e;
    rest.branches.items += first + 1;
    rest.branches.n -= first + 1;
    EquationList list = {&(Equation *){&rest}, 1};
    if (rest.branches.n && rest.branches.items[0]->condition)
        lower_list(lower, &list, env);
    else if (rest.branches.n)
        lower_list(lower, &rest.branches.items[0]->body, env);
    lower->branch = outer;
    Graph *g = &lower->cell.graph;
    if (yes.n != no.n)
        wrong(f, e->spot, env.inst,
              "the branches have %zu and %zu equation(s), and variables decide which one holds\n"
              "write as many equations in each branch, the else branch included",
              yes.n, no.n);
    for (size_t i = 0; i < yes.n && i < no.n && yes.n == no.n; i++) {
        Node c = symbolic_node(f, condition);
        Node left = node_select(g, c, yes.items[i].left, no.items[i].left);
        Node right = node_select(g, c, yes.items[i].right, no.items[i].right);
        add_pair(lower, (CellEquation){left, right, yes.items[i].place, yes.items[i].path, false});
    }
    vec_drop(f->alloc, &yes);
    vec_drop(f->alloc, &no);
}

static void lower_if(Lower *lower, const Equation *e, Env env)
{
    for (size_t i = 0; i < e->branches.n; i++) {
        const Branch *branch = e->branches.items[i];
        Value c = branch->condition ? branch_condition(lower, branch->condition, env)
                                    : value_number(V_BOOLEAN, 1);
        if (c.kind == V_NONE)
            return;
        if (is_symbolic(c.x)) {
            lower_choice(lower, e, i, c.x, env);
            return;
        }
        if (c.x != 0) {
            lower_list(lower, &branch->body, env);
            return;
        }
    }
}

/* assert: what parameters decide is checked here, the rest is not checked yet */
static void lower_assert(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    const Call *call = e->left->call;
    if (call->positional.n < 2) {
        wrong(f, e->spot, env.inst,
              "assert needs a condition and a text\nwrite assert(n > 0, \"n must be positive\")");
        return;
    }
    Value c = branch_condition(lower, call->positional.items[0], env);
    if (c.kind == V_NONE)
        return;
    if (is_symbolic(c.x)) {
        warn(f, e->spot, env.inst,
             "assertions on variables are not checked during the simulation yet\n"
             "look at the result");
        return;
    }
    if (c.x != 0)
        return;
    f->lower = NULL;
    Value text = evaluate(f, call->positional.items[1], env);
    f->lower = lower;
    wrong(f, e->spot, env.inst, "assertion failed: %s\nthe model itself asks for this",
          text.kind == V_STRING ? value_text(&text, 0) : "");
}

static void lower_equation(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    switch (e->kind) {
    case EQ_EQUAL:
        if (e->left->kind == EX_TUPLE) {
            equate_results(lower, e, env);
        } else {
            Value left = evaluate(f, e->left, env);
            equate(lower, left, evaluate(f, e->right, env), e->spot, env);
        }
        break;
    case EQ_CONNECT:
        lower_connect(lower, e, env);
        break;
    case EQ_FOR: {
        LowerLoop loop = {lower, &e->body};
        iterate(f, &e->indices, env, lower_body, &loop);
        break;
    }
    case EQ_IF:
        lower_if(lower, e, env);
        break;
    case EQ_CALL:
        if (e->left->kind == EX_CALL && !e->left->call->function->rest &&
            strcmp(e->left->call->function->name, "assert") == 0) {
            lower_assert(lower, e, env);
            break;
        }
        /* fall through */
    default:
        wrong(f, e->spot, env.inst,
              "%s is not supported yet\nwrite equations without events for now",
              e->kind == EQ_WHEN ? "a when-equation" : "a call as an equation");
    }
}

static void lower_list(Lower *lower, const EquationList *list, Env env)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!enter(lower->front, list->items[i]->spot))
            return;
        lower_equation(lower, list->items[i], env);
        leave(lower->front);
    }
}

/* ------------------------------------------------------------------ algorithms */

static bool open_variable(Lower *lower, const Expr *left, Env *env)
{
    Front *f = lower->front;
    bool good = true;
    if (left->kind == EX_TUPLE) {
        for (size_t i = 0; good && i < left->list.n; i++)
            good = !left->list.items[i] || open_variable(lower, left->list.items[i], env);
        return good;
    }
    if (left->kind != EX_REF)
        return true; /* reported when it is run */
    for (const Frame *frame = env->frame; frame; frame = frame->outer)
        if (frame->name == left->ref->name)
            return true;
    Member *m = inst_find(env->inst, NULL, left->ref->name);
    if (!m || !m->component || member_is_parameter(m) || left->ref->rest) {
        wrong(f, left->spot, env->inst,
              "'%s' cannot be assigned here\nassign a variable of the model itself",
              left->ref->name);
        return false;
    }
    Frame *frame = work_zeroed(f, sizeof *frame);
    if (!frame)
        return false;
    *frame = (Frame){env->frame, m->name, unassigned_value(f, m, *env), m};
    env->frame = frame;
    return true;
}

/* a frame for each variable of the model that the statements assign, in front of env->frame */
static bool open_assigned(Lower *lower, const EquationList *list, Env *env)
{
    bool good = true;
    for (size_t i = 0; good && i < list->n; i++) {
        const Equation *s = list->items[i];
        if (s->kind == EQ_ASSIGN)
            good = open_variable(lower, s->left, env);
        for (size_t k = 0; good && k < s->branches.n; k++)
            good = open_assigned(lower, &s->branches.items[k]->body, env);
        good = good && open_assigned(lower, &s->body, env);
    }
    return good;
}

/* the section is run once on expressions; what its variables have at the end are their equations */
static void lower_algorithm(Lower *lower, const Algorithm *algorithm, Env env)
{
    Front *f = lower->front;
    if (!open_assigned(lower, &algorithm->statements, &env) ||
        !run_algorithm(f, &algorithm->statements, env))
        return;
    for (Frame *frame = env.frame; frame; frame = frame->outer) {
        Member *m = (Member *)frame->variable;
        if (frame->value.kind == V_NONE)
            wrong(f, algorithm->spot, env.inst,
                  "'%s' has no value at the end of this algorithm in every case\n"
                  "assign it before the conditions",
                  m->name);
        equate(lower, lower_member(f, m, algorithm->spot), frame->value, algorithm->spot,
               (Env){.inst = env.inst, .part = env.part});
    }
}

/* ------------------------------------------------------------------ instances */

/* the modifier that binds a variable: Real x = 2 * y */
static Mod *binding_of(Front *f, const Member *m)
{
    for (Mod *mod = m->mods; mod; mod = mod->next) {
        if (mod->rest || !mod->modification || !mod_applies(f, mod))
            continue;
        if (mod->modification->is_break)
            return NULL;
        if (mod->modification->value)
            return mod;
    }
    return NULL;
}

static void lower_variable_member(Lower *lower, Member *m)
{
    Front *f = lower->front;
    const Type *type = member_type(f, m);
    if (type->kind == TY_STRING) {
        wrong(f, m->component->name_spot, m->inst,
              "'%s' is a String that may change, which is not supported yet\nmake it a parameter",
              m->name);
        return;
    }
    member_check(f, m);
    if (lower_variables(f, m, m->component->name_spot) == UINT32_MAX)
        return;
    Mod *mod = binding_of(f, m);
    if (!mod)
        return;
    Value right = mod_value(f, mod, m->ndim, m->inst, m->name);
    equate(lower, lower_member(f, m, m->component->name_spot), right,
           mod->modification->value->spot, (Env){.inst = m->inst, .part = m->part});
}

static void lower_inst(Lower *lower, Inst *inst);

/* a component of a class: all its elements */
static void lower_component(Lower *lower, Member *m)
{
    Front *f = lower->front;
    Inst *child = member_child(f, m);
    if (!child)
        return;
    if (child->native || child->template_) {
        wrong(f, m->component->name_spot, m->inst,
              "'%s' is a component of the compiled library inside a model with equations of its "
              "own, which is not supported yet\n"
              "put the equations into a block of their own and connect it",
              m->name);
        return;
    }
    size_t n = m->axis ? m->axis->n : 1;
    for (size_t i = 0; i < n && !f->exhausted && !f->work.failed; i++) {
        if (m->axis)
            m->axis->index = i;
        lower_inst(lower, child);
    }
    if (m->axis)
        m->axis->index = 0;
}

static void lower_members(Lower *lower, Inst *inst)
{
    Front *f = lower->front;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || (m->element->outer && !m->element->inner))
            continue;
        const Type *type = member_type(f, m);
        if (type->kind == TY_NONE || !member_present(f, m))
            continue;
        if (type->kind == TY_CLASS) {
            Inst *child = member_child(f, m);
            bool world = child && child->native && m->element->inner;
            if (!world)
                lower_component(lower, m);
        } else if (member_is_parameter(m)) {
            member_check(f, m);
        } else {
            lower_variable_member(lower, m);
        }
    }
}

/* a connector of the library: its potentials are the derivatives of its signals */
static void lower_potentials(Lower *lower, Inst *inst)
{
    Front *f = lower->front;
    int nsignal = lower_signals(lower, inst);
    Member *signals[64];
    for (size_t i = 0, k = 0; nsignal && i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->component->prefix.connection == CONNECT_FLOW || k >= 64)
            continue;
        if ((int)k < nsignal)
            signals[k] = m;
        uint32_t variable = lower_variables(f, m, m->component->name_spot);
        if ((int)k >= nsignal && (int)k < 2 * nsignal && variable != UINT32_MAX) {
            uint32_t of = lower_variables(f, signals[k - (size_t)nsignal], m->component->name_spot);
            Node node = cell_variable(&lower->cell, of, 0);
            lower_equation_pair(lower, cell_variable(&lower->cell, variable, 0),
                                cell_derivative(&lower->cell, node),
                                inst->member->component->name_spot, inst);
        }
        k++;
    }
}

static void lower_sections(Lower *lower, Inst *inst)
{
    Front *f = lower->front;
    for (Part *part = inst->parts; part; part = part->next) {
        const Class *c = part->class_;
        Env env = {.inst = inst, .part = part};
        lower_list(lower, &c->equations, env);
        for (size_t i = 0; i < c->algorithms.n; i++) {
            if (c->algorithms.items[i]->initial)
                wrong(f, c->algorithms.items[i]->spot, inst,
                      "an initial algorithm is not supported yet\nwrite initial equations");
            else
                lower_algorithm(lower, c->algorithms.items[i], env);
        }
        if (c->external)
            wrong(f, c->external->spot, inst,
                  "'%s' has an external clause\nonly functions may have one", c->name);
        lower->is_initial = true;
        lower_list(lower, &c->initial_equations, env);
        lower->is_initial = false;
    }
}

static void lower_inst(Lower *lower, Inst *inst)
{
    if (!enter(lower->front, inst->class_->spot))
        return;
    lower_members(lower, inst);
    lower_potentials(lower, inst);
    lower_sections(lower, inst);
    leave(lower->front);
}

/* A start value that holds (fixed = true) is an initial equation: the variable may turn out to be
 * no state. Its number is a parameter of the class. */
static void lower_fixed_starts(Lower *lower)
{
    Front *f = lower->front;
    for (uint32_t v = 0, n = (uint32_t)lower->cell.variables.n; v < n && !f->work.failed; v++) {
        CellVariable x = lower->cell.variables.items[v];
        LowerVariable from = lower->variables.items[v];
        if (x.role != CELL_UNKNOWN || !x.start_fixed)
            continue;
        char name[320];
        snprintf(name, sizeof name, "start(%.300s)", x.name);
        from.is_start = true;
        CellVariable start = {.name = arena_text(&f->work, name, strlen(name)),
                              .place = x.place,
                              .role = CELL_PARAMETER,
                              .length = 1,
                              .unit = x.unit};
        uint32_t p = start.name ? cell_add_variable(&lower->cell, start) : UINT32_MAX;
        CellEquation e = {.left = cell_variable(&lower->cell, v, 0),
                          .right = p != UINT32_MAX ? cell_variable(&lower->cell, p, 0) : NO_NODE,
                          .place = x.place,
                          .is_start = true};
        if (p == UINT32_MAX || !vec_push(f->alloc, &lower->variables, from) ||
            !cell_add_initial(&lower->cell, e))
            f->work.failed = true;
    }
}

bool lower_instance(Lower *lower, Front *f, Inst *inst)
{
    size_t before = f->nwrong;
    *lower = (Lower){.front = f, .top = inst};
    /* what becomes of the cell outlives the front end and its budget */
    cell_init(&lower->cell, native_allocator(f->session), f->diag);
    struct Lower *outer = f->lower;
    f->lower = lower;
    lower_inst(lower, inst);
    lower_connection_sets(lower);
    lower_fixed_starts(lower);
    f->lower = outer;
    f->work.failed = f->work.failed || lower->cell.graph.failed;
    return f->nwrong == before && !f->work.failed;
}

void lower_drop(Lower *lower)
{
    const LiederAllocator *alloc = lower->front->alloc;
    vec_drop(alloc, &lower->variables);
    vec_drop(alloc, &lower->ports);
    vec_drop(alloc, &lower->joined);
    vec_drop(alloc, &lower->join_places);
    memory_free(alloc, lower->table, lower->ntable * sizeof *lower->table);
    cell_drop(&lower->cell);
}

/* ------------------------------------------------------------------ is it a cell? */

static bool list_has_equations(const EquationList *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const Equation *e = list->items[i];
        bool assertion = e->kind == EQ_CALL && e->left->kind == EX_CALL &&
                         strcmp(e->left->call->function->name, "assert") == 0;
        if (e->kind == EQ_EQUAL || e->kind == EQ_WHEN || (e->kind == EQ_CALL && !assertion))
            return true;
        if (e->kind == EQ_FOR && list_has_equations(&e->body))
            return true;
        for (size_t k = 0; e->kind == EQ_IF && k < e->branches.n; k++)
            if (list_has_equations(&e->branches.items[k]->body))
                return true;
    }
    return false;
}

/* a connector that is none of the library: what it connects is solved together */
static bool has_own_connectors(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->element->outer)
            continue;
        const Type *type = member_type(f, m);
        if (type->kind != TY_CLASS || type->class_->kind != CLASS_CONNECTOR ||
            !member_present(f, m))
            continue;
        Inst *child = member_child(f, m);
        if (child && !child->domain)
            return true;
    }
    return false;
}

/* does a member alone make its model a cell? */
static bool needs_cell(Front *f, Member *m)
{
    Causality causality;
    if (!m->component || member_is_parameter(m) || m->element->outer)
        return false;
    const Type *type = member_type(f, m);
    if (type->kind == TY_NONE || !member_present(f, m) || connector_domain(f, m, &causality))
        return false;
    if (type->kind != TY_CLASS || type->class_->kind == CLASS_RECORD)
        return true;
    if (type->class_->kind == CLASS_CONNECTOR)
        return false;
    Inst *child = member_child(f, m);
    return child && !child->native && !child->template_ && has_own_connectors(f, child);
}

bool inst_is_cell(Front *f, Inst *inst)
{
    for (const Part *part = inst->parts; part; part = part->next)
        if (list_has_equations(&part->class_->equations) || part->class_->algorithms.n ||
            part->class_->initial_equations.n)
            return true;
    for (size_t i = 0; i < inst->members.n; i++)
        if (needs_cell(f, inst->members.items[i]))
            return true;
    return false;
}
