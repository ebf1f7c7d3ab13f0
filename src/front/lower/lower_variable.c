/* lower_variable.c - variables of instances as variables of the cell, and names in equations as
 * expressions. See lower.h. */
#include "front/emit/emit.h"
#include "front/divide/noted.h"
#include "front/divide/rigid.h"
#include "front/evaluate/subscript.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

Graph *lower_graph(Front *f)
{
    return &f->lower->cell.graph;
}

/* ------------------------------------------------------------------ variables of the cell */

/* the arrays of components between the top of the cell and an instance, as a set of depths */
unsigned long long lower_inner_axes(const Lower *lower, const Inst *inst)
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

const char *lower_inst_path(Lower *lower, const Inst *inst)
{
    TextBuffer text = {0};
    name_inst(lower, inst, &text);
    const char *copy = arena_text(&lower->front->work, text.items ? text.items : "", text.n);
    vec_drop(lower->front->alloc, &text);
    if (!copy)
        lower->front->work.failed = true;
    return copy;
}

void lower_add_alias(Lower *lower, const char *name, uint32_t variable, Place place)
{
    CellVariable alias = {.name = name,
                          .place = place,
                          .role = CELL_UNKNOWN,
                          .select = SELECT_NEVER,
                          .length = 1,
                          .unit = lower->cell.variables.items[variable].unit};
    LowerVariable from = lower->variables.items[variable];
    from.flow = false; /* the equation below decides it */
    from.stream_flow = 0;
    uint32_t v = cell_add_variable(&lower->cell, alias);
    CellEquation e = {.left = v == UINT32_MAX ? NO_NODE : cell_variable(&lower->cell, v, 0),
                      .right = cell_variable(&lower->cell, variable, 0),
                      .place = place};
    if (v == UINT32_MAX || !vec_push(lower->front->alloc, &lower->variables, from) ||
        !cell_add_equation(&lower->cell, e))
        lower->front->work.failed = true;
}

/* the name of a variable in the cell, with the indices of all arrays on the way */
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

/* a joint on the way to a rigid loop: its start values hold, as everywhere in the library */
static bool is_free_joint(Front *f, const Member *m)
{
    return m->inst->compiled && !m->inst->in_loop &&
           native_is_state(f->session, m->inst->compiled, m->name);
}

/* what the attributes say that matters for the choice of states */
static void read_selection(Front *f, Member *m, CellVariable *v)
{
    bool given;
    member_attribute(f, m, "start", &v->start_given);
    if (m->inst->compiled) /* a joint whose class says 0: nobody has chosen that */
        v->start_given = outside_mod(m, true) || emit_is_overridden(m);
    v->start_given |= is_free_joint(f, m);
    if (m->inst->compiled && native_is_state(f->session, m->inst->compiled, m->name))
        v->coordinate = m->inst->in_loop ? COORDINATE_OF_LOOP : COORDINATE_FREE;
    if (v->role != CELL_UNKNOWN)
        return;
    Value select = member_attribute(f, m, "stateSelect", &given);
    v->select = SELECT_DEFAULT;
    if (given && select.kind == V_ENUM && select.x >= 1 && select.x <= SELECT_ALWAYS + 1)
        v->select = (CellSelect)(select.x - 1);
}

/* does the start value of an element hold? */
static bool is_start_fixed(Front *f, Member *m, size_t element)
{
    bool given;
    Value fixed = member_attribute(f, m, "fixed", &given);
    return given && fixed.kind == V_BOOLEAN && value_at(&fixed, fixed.n > 1 ? element : 0) != 0;
}

/* no component changes the attribute: it has the value of the declaration, or of its type */
static bool attribute_is_own(Front *f, const Member *m, const char *name)
{
    for (const Mod *mod = mods_below(f, m->mods, intern(f, name)); mod; mod = mod->next)
        if (!mod->own)
            return false;
    return true;
}

/* Numbers that min and max are. A class that is compiled for several components has those of its
 * declaration, and none where a component changes them. */
static void read_limits(Lower *lower, Member *m, CellVariable *v)
{
    static const char *const names[] = {"min", "max"};
    double limits[2] = {-INFINITY, INFINITY};
    TypeKind type = member_type(lower->front, m)->kind;
    for (int k = 0; k < 2 && (type == TY_REAL || type == TY_INTEGER); k++) {
        bool given;
        unsigned long long before = lower->front->touched;
        Value a = member_attribute(lower->front, m, names[k], &given);
        bool same = lower->front->touched == before || !lower->top->parent;
        lower->front->touched = before;
        if (given && same && a.ndim == 0 && (a.kind == V_REAL || a.kind == V_INTEGER) &&
            !is_symbolic(a.x) &&
            (!lower->top->parent || attribute_is_own(lower->front, m, names[k])))
            limits[k] = a.x;
    }
    v->has_limits = limits[0] < limits[1] && (limits[0] > -INFINITY || limits[1] < INFINITY);
    v->min = limits[0];
    v->max = limits[1];
}

/* The nominal values, under the same rule; V_NONE: there are none */
static Value read_nominal(Lower *lower, Member *m)
{
    bool given;
    unsigned long long before = lower->front->touched;
    Value a = member_attribute(lower->front, m, "nominal", &given);
    bool same = lower->front->touched == before || !lower->top->parent;
    lower->front->touched = before;
    if (!given || !same || (a.kind != V_REAL && a.kind != V_INTEGER) ||
        (lower->top->parent && !attribute_is_own(lower->front, m, "nominal")))
        return (Value){0};
    return a;
}

/* of one element; 0: it has none */
static double nominal_at(const Value *all, size_t element)
{
    if (all->kind == V_NONE || all->n == 0)
        return 0;
    double x = value_at(all, all->n > 1 && element < all->n ? element : 0);
    return !is_symbolic(x) && isfinite(x) ? fabs(x) : 0;
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

bool lower_is_port(const Lower *lower, const Inst *inst)
{
    return inst->domain && ((inst->parent == lower->top && lower->top->parent) ||
                            (inst->parent && inst_is_beside(lower, inst->parent)));
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
    Causality causality = member_causality(m);
    v->role = CELL_UNKNOWN;
    if (member_is_parameter(m) || !is_inside(lower, m->inst)) {
        v->role = CELL_PARAMETER;
        v->is_free = is_inside(lower, m->inst) && member_is_free(lower->front, m);
        return;
    }
    if (lower_is_port(lower, m->inst)) {
        bool flow = m->prefix.connection == CONNECT_FLOW;
        v->port = port_of(lower, m->inst);
        bool classical = rigid_is_classical(lower, m->inst);
        int nsignal = lower_signals(lower, m->inst) / (classical ? 2 : 1);
        v->contract = m->inst->contract ? m->inst->contract : classical ? 2 : 1;
        if (flow || m->inst->contract || lower_position(m) < nsignal)
            v->role = flow ? CELL_INWARD : CELL_OUTWARD;
        return;
    }
    if (beside_role(lower, m, causality, v))
        return;
    const Inst *owner = m->inst;
    while (owner != lower->top && owner->parent && is_record_class(owner->class_))
        owner = owner->parent;
    /* a protected connector is connected inside */
    bool outside = owner == lower->top && !m->is_protected;
    /* an input with a value of its own, input Real u = 2, is decided by it */
    if (causality == CAUSE_INPUT && outside && !member_binding(lower->front, m))
        v->role = CELL_INPUT;
    v->is_output = causality == CAUSE_OUTPUT && outside;
}

static size_t element_count(const Member *m)
{
    size_t n = 1;
    for (int k = 0; k < m->ndim; k++)
        n *= m->dim[k];
    return n;
}

/* all elements of a member as variables of the cell */
static bool add_variables(Lower *lower, Member *m, size_t key)
{
    Front *f = lower->front;
    CellVariable v = {.place = span_place(m->component->name_span)};
    find_role(lower, m, &v);
    v.unit = attribute_text(f, m, "unit");
    v.text = m->element->comment.text;
    v.ndim = m->ndim;
    v.sizes = m->dim;
    if (v.role == CELL_UNKNOWN || v.is_free)
        read_selection(f, m, &v);
    static const LiederType types[] = {[TY_INTEGER] = LIEDER_TYPE_INTEGER,
                                       [TY_BOOLEAN] = LIEDER_TYPE_BOOLEAN,
                                       [TY_ENUM] = LIEDER_TYPE_INTEGER};
    TypeKind type = member_type(f, m)->kind;
    v.type = type <= TY_ENUM ? types[type] : LIEDER_TYPE_REAL;
    lower_sync(lower);
    if (v.role == CELL_UNKNOWN)
        read_limits(lower, m, &v);
    Value nominal = v.role == CELL_UNKNOWN && type == TY_REAL ? read_nominal(lower, m) : (Value){0};
    bool flow = member_connection(m) == CONNECT_FLOW;
    uint32_t beside = member_connection(m) == CONNECT_STREAM
                          ? stream_flow(lower, m, m->component->name_span) + 1
                          : 0;
    size_t n = element_count(m);
    if (n > lower->narray && n > 1) {
        lower->array = m;
        lower->narray = n;
    }
    if (n > f->limits.steps || !spend(f, m->component->name_span, n * VARIABLE_STEPS))
        return spend(f, m->component->name_span, f->limits.steps + 1);
    for (size_t i = 0; i < n; i++) {
        v.name = inst_is_beside(lower, m->inst) && !member_is_parameter(m)
                     ? beside_name(f, m->inst, m->name, i, m->ndim > 0)
                     : variable_name(lower, m, i);
        v.element = (uint32_t)i;
        v.length = (uint32_t)n;
        v.nominal = nominal_at(&nominal, i);
        v.start_fixed = v.role == CELL_UNKNOWN && (is_free_joint(f, m) || is_start_fixed(f, m, i));
        LowerVariable from = {.member = m,
                              .element = i,
                              .key = key,
                              .flow = flow,
                              .stream_flow = beside,
                              .is_clock = type == TY_CLOCK};
        if (i % 1024 == 0 && !spend(f, m->component->name_span, 1)) /* memory, Ctrl-C */
            return false;
        if (cell_add_variable(&lower->cell, v) == UINT32_MAX ||
            !vec_push(f->alloc, &lower->variables, from)) {
            f->work.failed = true;
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

/* doubles the table of members by key; false: no memory */
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

bool member_all_sizes(Front *f, Member *m, SourceSpan span)
{
    if (!member_sizes(f, m))
        return false;
    bool open = false;
    for (int k = 0; k < m->ndim; k++)
        open |= m->dim[k] == NO_SIZE;
    if (!open)
        return true;
    Value v = {0};
    unsigned long long before = f->touched;
    f->touched = 0;
    Mod *mod = member_is_parameter(m) ? NULL : member_binding(f, m);
    if (member_is_parameter(m))
        v = member_value(f, m, span);
    else if (mod) {
        struct Lower *lower = f->lower;
        f->lower = f->lowering; /* only the sizes are of interest */
        v = mod_value(f, mod, m->ndim, m->inst, m->name);
        f->lower = lower;
    }
    bool good = v.kind != V_NONE; /* values of other elements must have these sizes, too */
    f->touched = before;
    if (v.kind == V_NONE && !mod && !member_is_parameter(m))
        report_error(f, span, m->inst, "'%s' has no size\ngive a number instead of \":\"", m->name);
    if (good && v.ndim != m->ndim) {
        report_error(f, span, m->inst,
                     "'%s' has %d dimension(s), its value has %d\ngive it a value that fits",
                     m->name, m->ndim, v.ndim);
        return false;
    }
    for (int k = 0; good && k < m->ndim; k++)
        if (m->dim[k] == NO_SIZE)
            m->dim[k] = v.dim[k];
    return good;
}

/* where the block of a member stands in the table, or would */
static size_t find_block(const Lower *lower, const Member *m, size_t key)
{
    size_t at = block_hash(m, key) & (lower->ntable - 1);
    while (lower->table[at].member && (lower->table[at].member != m || lower->table[at].key != key))
        at = (at + 1) & (lower->ntable - 1);
    return at;
}

/* The variables of a port stand in the order of the connector, whichever is asked for first. Of
 * components beside the cell connections ask for all of them in order. */
static bool begin_port(Front *f, const Member *m, SourceSpan span)
{
    Lower *lower = f->lower;
    bool own = m->inst->parent == lower->top && lower_is_port(lower, m->inst);
    for (size_t i = 0; own && m->inst->members.items[i] != m; i++) {
        Member *before = m->inst->members.items[i];
        if (before->component && !member_is_parameter(before))
            lower_variables(f, before, span);
    }
    /* the flow is there before a stream variable that goes with it */
    if (member_connection(m) == CONNECT_STREAM && stream_flow(lower, m, span) == UINT32_MAX)
        return false;
    while (2 * (lower->nblock + 1) > lower->ntable)
        if (!table_grow(lower)) {
            f->work.failed = true;
            return false;
        }
    return true;
}

uint32_t lower_variables(Front *f, Member *m, SourceSpan span)
{
    Lower *lower = f->lower;
    if (!member_all_sizes(f, m, span))
        return UINT32_MAX;
    size_t key = memo_key(m->inst->axis, lower_inner_axes(lower, m->inst));
    if (2 * (lower->nblock + 1) > lower->ntable && !table_grow(lower)) {
        f->work.failed = true;
        return UINT32_MAX;
    }
    size_t at = find_block(lower, m, key);
    if (lower->table[at].member)
        return lower->table[at].first;
    if (!begin_port(f, m, span))
        return UINT32_MAX;
    at = find_block(lower, m, key); /* others may have come before it */
    LowerBlock block = {m, key, (uint32_t)lower->cell.variables.n};
    if (!add_variables(lower, m, key))
        return UINT32_MAX;
    lower->table[at] = block;
    lower->nblock++;
    if (m->inst->class_->kind == CLASS_EXPANDABLE_CONNECTOR && !member_is_parameter(m))
        bus_declare(lower, m, block.first, span);
    return block.first;
}

/* ------------------------------------------------------------------ names in equations */

ValueKind kind_of_type(TypeKind kind)
{
    static const ValueKind kinds[] = {V_NONE,   V_REAL, V_INTEGER, V_BOOLEAN,
                                      V_STRING, V_ENUM, V_NONE,    V_REAL};
    return kinds[kind];
}

/* a constant, or a field of a record that is one */
static bool is_constant_member(const Member *m)
{
    const Inst *inst = m->inst;
    bool constant = m->prefix.variability == VARY_CONSTANT;
    for (; !constant && inst && is_record_class(inst->class_) && inst->member;
         inst = inst->member->inst)
        constant = inst->member->component && inst->member->prefix.variability == VARY_CONSTANT;
    return constant;
}

/* Real parameters stay data, unless the text asks to evaluate them; the others decide structure,
 * but for switches of a class that serves all numbers */
static bool is_number_now(Front *f, Member *m)
{
    if (precompile_is_switch(f, m))
        return false;
    return member_is_parameter(m) &&
           (f->lower->of_numbers || member_type(f, m)->kind != TY_REAL || is_constant_member(m) ||
            member_is_evaluated(f, m, lower_inner_axes(f->lower, m->inst)));
}

/* a member that is no symbol: a number, what follows from others, or an error */
static bool is_no_symbol(Front *f, Member *m, SourceSpan span, Value *v)
{
    bool is_free = member_is_parameter(m) && is_inside(f->lower, m->inst) && member_is_free(f, m);
    bool follows = precompile_follows(f, m);
    Mod *mod = is_free || follows ? member_binding(f, m) : NULL;
    if (mod) { /* follows from parameters that initial equations decide, or from any */
        *v = mod_value(f, mod, m->ndim, m->inst, m->name);
        if (mod->memo)
            mod->memo->state = MEMO_NEW; /* an expression: it is no number for others */
        return true;
    }
    *v = (Value){0};
    if (!member_is_parameter(m) && member_type(f, m)->kind == TY_STRING) {
        mod = member_binding(f, m);
        if (mod)
            *v = mod_value(f, mod, m->ndim, m->inst, m->name);
        else
            report_error(f, span, f->lower->top,
                         "'%s' is a String that equations decide, which a run does not compute\n"
                         "give it in the declaration, or use an enumeration",
                         m->name);
        return true;
    }
    if (!is_free && is_number_now(f, m)) {
        *v = number_of_class(f, m, span, lower_inner_axes(f->lower, m->inst));
        return true;
    }
    if (!member_is_parameter(m) && !is_inside(f->lower, m->inst)) {
        f->may_merge |= f->lower->top->parent != NULL; /* as one system it is inside */
        report_error(f, span, f->lower->top,
                     "'%s' is a variable outside of this model\n"
                     "connect an input to it, or move the equation there",
                     m->name);
        return true;
    }
    return !member_is_parameter(m) && beside_refused(f->lower, m, member_causality(m), span);
}

/* one variable of the cell as a value */
static Value symbol_value(Front *f, const Type *type, uint32_t variable)
{
    Node node = cell_variable(&f->lower->cell, variable, 0);
    Value v = value_number(kind_of_type(type->kind), symbolic_element(node));
    v.literals = type->kind == TY_ENUM ? type->class_ : NULL;
    v.unit = f->lower->cell.variables.items[variable].unit;
    return v;
}

/* the variables of a member from `first` on */
Value lower_symbols(Front *f, Member *m, uint32_t first, SourceSpan span)
{
    const Type *type = member_type(f, m);
    Value v = value_array(f, span, kind_of_type(type->kind), m->ndim, m->dim);
    v.literals = type->kind == TY_ENUM ? type->class_ : NULL;
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        Value e = symbol_value(f, type, first + (uint32_t)i);
        value_put(&v, i, &e);
    }
    if (v.n)
        v.unit = f->lower->cell.variables.items[first].unit;
    return v;
}

Value lower_member(Front *f, Member *m, SourceSpan span)
{
    Value v;
    if (is_no_symbol(f, m, span, &v))
        return v;
    uint32_t first = lower_variables(f, m, span);
    if (first == UINT32_MAX)
        return (Value){0};
    f->touched |= lower_inner_axes(f->lower, m->inst);
    const Value *assigned = algorithm_value(f, m, first, span);
    f->nsymbol += !assigned;
    f->nvariable += assigned != NULL;
    return assigned ? *assigned : lower_symbols(f, m, first, span);
}

Value lower_elements(Front *f, Member *m, const Ref *ref, Env env)
{
    Value v;
    size_t element;
    if (is_no_symbol(f, m, ref->span, &v)) {
        f->follows = member_follows(f, m);
        return evaluate_subscripts(f, &v, &ref->subscripts, env, ref->span, m->name);
    }
    uint32_t first = lower_variables(f, m, ref->span);
    if (first == UINT32_MAX)
        return (Value){0};
    f->touched |= lower_inner_axes(f->lower, m->inst);
    const Value *assigned = algorithm_value(f, m, first, ref->span);
    f->nsymbol += !assigned;
    f->nvariable += assigned != NULL;
    if (assigned)
        return evaluate_subscripts(f, assigned, &ref->subscripts, env, ref->span, m->name);
    size_t before = f->nwrong;
    if (select_element(f, &ref->subscripts, env, m->ndim, m->dim, &element))
        return symbol_value(f, member_type(f, m), first + (uint32_t)element);
    if (f->nwrong != before)
        return (Value){0};
    v = lower_symbols(f, m, first, ref->span);
    return evaluate_subscripts(f, &v, &ref->subscripts, env, ref->span, m->name);
}

/* ------------------------------------------------------------------ time and derivatives */

Value lower_time(Front *f)
{
    f->nsymbol++;
    return value_number(V_REAL, symbolic_element(cell_time(&f->lower->cell)));
}

/* der(x) of variables and of expressions */
static Value lower_der(Front *f, const Expr *e, Env env)
{
    if (e->call->positional.n != 1 || e->call->named.n) {
        report_error(f, e->span, env.inst, "der has one argument\nwrite der(x)");
        return (Value){0};
    }
    Value a = evaluate(f, e->call->positional.items[0], env);
    if (a.kind != V_REAL && !(a.kind == V_INTEGER && a.n && !is_symbolic(value_at(&a, 0)))) {
        if (a.kind != V_NONE)
            report_error(f, e->span, env.inst,
                         "der(x) needs a Real, this is of type %s\nname a variable",
                         value_kind_text(a.kind));
        return (Value){0};
    }
    Value v = value_array(f, e->span, V_REAL, a.ndim, a.dim);
    v.unit = unit_times(f, a.unit, "s", -1);
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        Node of = symbolic_node(f, value_at(&a, i));
        Node node = cell_derivative(&f->lower->cell, of);
        if (!node || !cell_note_derivative(&f->lower->cell, of))
            f->work.failed = true;
        Value x = value_number(V_REAL, symbolic_element(node));
        value_put(&v, i, &x);
    }
    return v;
}

Value lower_call(Front *f, const Expr *e, Env env)
{
    const char *name = e->call->function->name;
    Value result;
    if (f->nfunction && !f->lower->is_asked) {
        report_error(f, e->span, env.inst,
                     "'%s' cannot be used in a function\n"
                     "hand its value over as an input: functions know no time and no events",
                     name);
        return (Value){0};
    }
    if (strcmp(name, "der") == 0)
        return lower_der(f, e, env);
    if (strcmp(name, "inStream") == 0 || strcmp(name, "actualStream") == 0)
        return lower_stream_call(f, e, env);
    if (lower_event_function(f, e, env, &result))
        return result;
    report_error(f, e->span, env.inst, "'%s' is not supported here\nwrite equations without it",
                 name);
    return (Value){0};
}
