/* lower.c - instances with equations to cells: what belongs to a cell, bindings, sections. See
 * lower.h. */
#include "front/external/external.h"
#include "front/function/large.h"
#include "front/lower/lower.h"
#include "front/divide/noted.h"
#include "front/divide/rigid.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ instances */

/* A text is no number that a run computes: one that the declaration gives is read as it stands, any
 * other is left out. */
static void lower_text_member(Lower *lower, Member *m)
{
    Front *f = lower->front;
    Mod *mod = member_binding(f, m);
    member_check(f, m);
    if (mod) {
        Value v = lower_member(f, m, m->component->name_span);
        if (v.kind != V_NONE && v.kind != V_STRING)
            report_error(f, mod->modification->value->span, m->inst,
                         "'%s' is of type String, but its value is of type %s\n"
                         "String(x) makes a text of it",
                         m->name, value_kind_text(v.kind));
    } else
        warn(f, m->component->name_span, m->inst,
             "'%s' is a String that equations decide: a run computes no texts, it is left out\n"
             "give it in the declaration, or use an enumeration",
             m->name);
}

/* a variable of the cell with its binding as an equation */
static void lower_variable_member(Lower *lower, Member *m)
{
    Front *f = lower->front;
    const Type *type = member_type(f, m);
    if (type->kind == TY_STRING) {
        lower_text_member(lower, m);
        return;
    }
    ClassKind kind = m->inst->class_->kind;
    if (m->prefix.connection != CONNECT_POTENTIAL &&
        (kind == CLASS_MODEL || kind == CLASS_BLOCK || kind == CLASS_CLASS)) {
        report_error(f, m->component->name_span, m->inst,
                     "'%s' is a %s variable, but only connectors have such variables\n"
                     "remove the prefix, or declare a connector",
                     m->name, m->prefix.connection == CONNECT_FLOW ? "flow" : "stream");
        return;
    }
    member_check(f, m);
    if (lower_variables(f, m, m->component->name_span) == UINT32_MAX)
        return;
    Mod *mod = member_binding(f, m);
    if (!mod)
        return;
    NumberMark mark = number_begin(f);
    Value right = binding_of_class(f, m, mod, lower_inner_axes(lower, m->inst));
    number_end(f, &mark);
    right = number_of_binding(f, m, mod, right, &mark);
    decisions_settle(f, 0);
    if (type->kind == TY_INTEGER && right.kind == V_REAL && right.n) {
        report_error(
            f, mod->modification->value->span, m->inst,
            "'%s' is of type Integer, but its value is of type Real\ninteger(x) rounds down",
            m->name);
        return;
    }
    lower_equal(lower, lower_member(f, m, m->component->name_span), right,
                mod->modification->value->span, (Env){.inst = m->inst, .part = m->part});
}

static void lower_inst(Lower *lower, Inst *inst);

/* a component of a class: all its elements */
static void lower_component(Lower *lower, Member *m)
{
    Front *f = lower->front;
    Inst *child = member_child(f, m);
    if (!child)
        return;
    if (!is_record_class(child->class_) && child->class_->kind != CLASS_CONNECTOR)
        component_refuse_value(f, m);
    if (m->axis && m->axis->n == 0)
        member_refuse_overrides(f, m, "is an array without elements");
    if (inst_is_beside(lower, child))
        return;
    if (child->native && rigid_has_text(child)) { /* inside a component that is part of the cell */
        member_take_text(m);
        child = member_child(f, m);
        if (!child)
            return;
    }
    if (child->native || child->template_) {
        report_error(f, m->component->name_span, m->inst,
                     "'%s' is a component of the compiled library, written in C, inside a model "
                     "with equations of its own, which is not supported yet\n"
                     "move it, or the equations, out of this component and connect the two",
                     m->name);
        return;
    }
    balance_check_connector(lower, child);
    size_t n = m->axis ? m->axis->n : 1;
    for (size_t i = 0; i < n && !f->exhausted && !f->work.failed; i++) {
        if (m->axis)
            m->axis->index = i;
        child = member_child(f, m); /* of different elements the one at hand */
        if (!child)
            break;
        BalanceMark mark = balance_begin(lower);
        lower_inst(lower, child);
        if (i == 0 || m->elements)
            balance_end(lower, child, mark);
        if (child->compiled)
            rigid_note(lower, child);
    }
    if (m->axis)
        m->axis->index = 0;
}

/* all variables and components of an instance, those in arrays element by element */
static void lower_members(Lower *lower, Inst *inst)
{
    Front *f = lower->front;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || (m->is_outer && !m->is_inner))
            continue;
        const Type *type = member_type(f, m);
        if (type->kind == TY_NONE)
            continue;
        if (!member_present(f, m)) {
            member_refuse_overrides(f, m, "is absent by its condition");
            continue;
        }
        if (is_expandable(type) || (type->kind == TY_CLASS && is_external_object(type->class_))) {
            continue; /* has no variables; made when a function asks for it */
        } else if (type->kind == TY_CLASS) {
            Inst *child = member_child(f, m);
            bool world = child && child->native && m->is_inner;
            if (!world)
                lower_component(lower, m);
        } else if (member_is_parameter(m) && f->without_numbers) {
            if (!precompile_follows(f, m))
                lower_variables(f, m, m->component->name_span);
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
    int nsignal = inst->contract ? 0 : lower_signals(lower, inst);
    size_t half = rigid_is_classical(lower, inst) ? (size_t)nsignal / 2 : 0;
    Member *signals[64];
    for (size_t i = 0, k = 0; nsignal && i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->prefix.connection == CONNECT_FLOW || k >= 64)
            continue;
        if ((int)k < nsignal)
            signals[k] = m;
        uint32_t variable = lower_variables(f, m, m->component->name_span);
        size_t back =
            (int)k < nsignal ? half : (size_t)nsignal; /* to what it is the derivative of */
        if (back && k >= back && (int)k < 2 * nsignal && variable != UINT32_MAX) {
            uint32_t of = lower_variables(f, signals[k - back], m->component->name_span);
            Node node = cell_variable(&lower->cell, of, 0);
            lower_equation_pair(lower, cell_variable(&lower->cell, variable, 0),
                                cell_derivative(&lower->cell, node),
                                inst->member->component->name_span, inst);
        }
        k++;
    }
}

/* equations, algorithms and initial sections of all parts of an instance */
static void lower_sections(Lower *lower, Inst *inst)
{
    Front *f = lower->front;
    for (ClassPart *part = inst->parts; part; part = part->next) {
        const Class *c = part->class_;
        Env env = {.inst = inst, .part = part};
        lower_equations(lower, &c->equations, env);
        for (size_t i = 0; i < c->algorithms.n; i++) {
            bool initial = c->algorithms.items[i]->initial;
            lower->is_initial = initial;
            lower->literal += initial;
            lower_algorithm(lower, c->algorithms.items[i], env);
            lower->literal -= initial;
            lower->is_initial = false;
        }
        if (c->external)
            report_error(f, c->external->span, inst,
                         "'%s' has an external clause\nonly functions may have one", c->name);
        lower->is_initial = true;
        lower->literal++;
        lower_equations(lower, &c->initial_equations, env);
        lower->literal--;
        lower->is_initial = false;
    }
}

static void lower_inst(Lower *lower, Inst *inst)
{
    if (!enter(lower->front, inst->class_->span))
        return;
    lower_members(lower, inst);
    lower_potentials(lower, inst);
    lower_sections(lower, inst);
    leave(lower->front);
}

/* the number of a start value is a parameter of the class; UINT32_MAX: memory ran out */
static uint32_t add_start_parameter(Lower *lower, uint32_t variable)
{
    Front *f = lower->front;
    CellVariable x = lower->cell.variables.items[variable];
    LowerVariable from = lower->variables.items[variable];
    char name[320];
    snprintf(name, sizeof name, "start(%.300s)", x.name);
    from.is_start = true;
    CellVariable start = {.name = arena_text(&f->work, name, strlen(name)),
                          .place = x.place,
                          .role = CELL_PARAMETER,
                          .is_hint = !x.start_fixed,
                          .is_zero = !x.start_given,
                          .length = 1,
                          .unit = x.unit};
    uint32_t p = start.name ? cell_add_variable(&lower->cell, start) : UINT32_MAX;
    if (p != UINT32_MAX && !vec_push(f->alloc, &lower->variables, from))
        p = UINT32_MAX;
    return p;
}

Node lower_start_node(Lower *lower, uint32_t variable)
{
    if (lower->cell.variables.items[variable].start)
        return lower->cell.variables.items[variable].start;
    uint32_t p = add_start_parameter(lower, variable);
    Node start = p != UINT32_MAX ? cell_variable(&lower->cell, p, 0) : NO_NODE;
    lower->cell.variables.items[variable].start = start;
    if (!start)
        lower->front->work.failed = true;
    return start;
}

/* the start value of a Boolean that holds, a number: which of two modes a relation begins with, if
 * both are solutions; one that does not hold (an ideal diode's off(start = true)) says nothing */
static Node boolean_start(Lower *lower, uint32_t v)
{
    bool given;
    const LowerVariable *from = &lower->variables.items[v];
    Value start = member_attribute(lower->front, from->member, "start", &given);
    if (!given || start.kind != V_BOOLEAN)
        return NO_NODE;
    double x = value_at(&start, start.n > 1 ? from->element : 0);
    return is_symbolic(x) ? NO_NODE : node_constant(&lower->cell.graph, x);
}

/* A start value says where iterations begin. One that holds (fixed = true) is an initial equation
 * as well: the variable may turn out to be no state. */
static void lower_starts(Lower *lower)
{
    Front *f = lower->front;
    for (uint32_t v = 0, n = (uint32_t)lower->cell.variables.n; v < n && !f->work.failed; v++) {
        CellVariable x = lower->cell.variables.items[v];
        bool hint = x.start_given;
        if (x.role == CELL_UNKNOWN && x.type == LIEDER_TYPE_BOOLEAN && x.start_fixed)
            lower->cell.variables.items[v].start = boolean_start(lower, v);
        if (!(x.is_free || (x.role == CELL_UNKNOWN && x.type == LIEDER_TYPE_REAL)) ||
            !(x.start_fixed || hint))
            continue;
        Node start = lower_start_node(lower, v);
        CellEquation e = {.left = cell_variable(&lower->cell, v, 0),
                          .right = start,
                          .place = x.place,
                          .is_start = true};
        if (!start || (x.start_fixed && !cell_add_initial(&lower->cell, e)))
            f->work.failed = true;
    }
}

/* Velocities at a port that a component beside the cell drives are derivatives of its positions,
 * if the cell is classical (rigid.c); elsewhere the cell itself says so. */
static void lower_driven_ports(Lower *lower)
{
    for (size_t i = 0; i < lower->ports.n; i++) {
        const Member *m = lower->ports.items[i].member;
        if (m->inst == lower->top || !m->inst->native || m->axis || !m->child ||
            !rigid_is_classical(lower, m->child) ||
            !native_is_outgoing(lower->front->session, m->inst->native, m->name))
            continue;
        lower_potentials(lower, m->child);
    }
}

bool lower_instance(Lower *lower, Front *f, Inst *inst)
{
    size_t before = f->nwrong;
    *lower = (Lower){.front = f, .top = inst, .ground = UINT32_MAX};
    /* what becomes of the cell outlives the front end and its budget */
    cell_init(&lower->cell, native_allocator(f->session), f->diag);
    struct Lower *outer = f->lower, *around = f->lowering;
    f->lower = f->lowering = lower;
    lower_virtual_graph(lower);
    lower_inst(lower, inst);
    lower_driven_ports(lower);
    lower_buses(lower);
    lower_connection_sets(lower);
    lower_streams(lower);
    lower_open_inputs(lower);
    lower->cell.has_loops = lower->nclosing > 0;
    if (!f->work.failed) /* else lists of variables may differ in length */
        lower_end_clocks(lower, f->nwrong == before);
    if (!f->work.failed) {
        lower_end_events(lower);
        lower_starts(lower);
        lower_stream_starts(lower);
        if (!cell_settle_own_derivatives(&lower->cell))
            f->work.failed = true;
    }
    f->lower = outer;
    f->lowering = around;
    f->work.failed = f->work.failed || lower->cell.graph.failed;
    return f->nwrong == before && !f->work.failed;
}

void lower_drop(Lower *lower)
{
    const LiederAllocator *alloc = lower->front->alloc;
    large_drop(lower);
    vec_drop(alloc, &lower->variables);
    vec_drop(alloc, &lower->ports);
    vec_drop(alloc, &lower->joined);
    vec_drop(alloc, &lower->stream_in);
    vec_drop(alloc, &lower->join_places);
    bus_drop(lower);
    vec_drop(alloc, &lower->virtual_.nodes);
    vec_drop(alloc, &lower->virtual_.edges);
    vec_drop(alloc, &lower->side_of);
    vec_drop(alloc, &lower->pre_of);
    vec_drop(alloc, &lower->varies);
    vec_drop(alloc, &lower->samples);
    vec_drop(alloc, &lower->clocks);
    vec_drop(alloc, &lower->clock_bodies);
    vec_drop(alloc, &lower->rigid);
    vec_drop(alloc, &lower->parts);
    vec_drop(alloc, &lower->balanced);
    memory_free(alloc, lower->table, lower->ntable * sizeof *lower->table);
    cell_drop(&lower->cell);
}

/* ------------------------------------------------------------------ is it a cell? */

bool list_has_equations(const EquationList *list)
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
        if (!m->component || m->is_outer)
            continue;
        const Type *type = member_type(f, m);
        if (type->kind == TY_NONE || m->is_protected || !member_present(f, m))
            continue;
        Causality causality = m->prefix.causality;
        if (causality == CAUSE_NONE)
            causality = type->causality;
        if (type->kind != TY_CLASS) {
            /* signals of the engine are Real */
            if (causality != CAUSE_NONE && type->kind != TY_REAL && !member_is_parameter(m))
                return true;
            continue;
        }
        bool connector = type->class_->kind == CLASS_CONNECTOR ||
                         type->restriction == CLASS_CONNECTOR || is_expandable(type);
        Inst *child = connector ? member_child(f, m) : NULL;
        if (child && !child->domain)
            return true;
    }
    return false;
}

/* Does the model around give a variable of a component a value, block(y = 2*x)? Then they are
 * solved together. */
bool is_bound_from_outside(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || !m->mods || m->mods->own || member_is_parameter(m) || m->is_outer ||
            member_type(f, m)->kind == TY_CLASS)
            continue;
        const Mod *mod = member_binding(f, m);
        if (mod && !mod->own && !mod->override)
            return true;
    }
    return false;
}

static bool has_free_parameter(Front *f, const Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (m->component && member_is_parameter(m) && member_type(f, m)->kind != TY_CLASS &&
            member_is_free(f, m))
            return true;
    }
    return false;
}

/* Does it read parameters of an outer component that initial equations decide? Then both are solved
 * together. */
static bool reads_free_outer(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || member_is_parameter(m) || member_type(f, m)->kind != TY_CLASS ||
            !member_present(f, m))
            continue;
        Inst *child = member_child(f, m);
        if (child && !child->native && !child->domain &&
            (m->is_outer ? has_free_parameter(f, child) : reads_free_outer(f, child)))
            return true;
    }
    return false;
}

/* does a member alone make its model a cell? */
static bool needs_cell(Front *f, Member *m)
{
    Causality causality;
    if (!m->component || member_is_parameter(m) || m->is_outer)
        return false;
    const Type *type = member_type(f, m);
    if (type->kind == TY_NONE || !member_present(f, m))
        return false;
    if (connector_domain(f, m, &causality)) {
        const Mod *mod = type->kind == TY_CLASS ? NULL : member_binding(f, m);
        return mod && !mod->override;
    }
    if (type->kind != TY_CLASS || is_record_class(type->class_))
        return true;
    if (type->class_->kind == CLASS_CONNECTOR || is_expandable(type))
        return true; /* a connector of its own: it has variables */
    Inst *child = member_child(f, m);
    return child && !child->native && !child->template_ &&
           (has_own_connectors(f, child) || is_bound_from_outside(f, child) ||
            reads_free_outer(f, child));
}

/* does a reference of the model lead to a variable? */
static bool ref_varies(Front *f, Inst *inst, const Ref *ref)
{
    if (!ref->rest && strcmp(ref->name, "time") == 0)
        return true;
    Member *m = inst_find(inst, NULL, ref->name);
    for (const Ref *r = ref; m && m->component && !member_is_parameter(m); r = r->rest) {
        TypeKind kind = member_type(f, m)->kind;
        if (!r->rest)
            return kind != TY_CLASS && kind != TY_NONE;
        Inst *child = kind == TY_CLASS && member_present(f, m) ? member_child(f, m) : NULL;
        m = child ? inst_find(child, NULL, r->rest->name) : NULL;
    }
    return false;
}

/* does an expression depend on anything that changes while the model runs? */
static bool expression_varies(Front *f, Inst *inst, const Expr *e)
{
    bool varies = false;
    switch (e ? e->kind : EX_NONE) {
    case EX_REF:
        return ref_varies(f, inst, e->ref);
    case EX_UNARY:
    case EX_BINARY:
        return expression_varies(f, inst, e->left) || expression_varies(f, inst, e->right);
    case EX_CALL:
        for (size_t i = 0; i < e->call->positional.n; i++)
            varies |= expression_varies(f, inst, e->call->positional.items[i]);
        return varies;
    default:
        return false;
    }
}

/* conditions on variables, which the run has to examine */
static bool asserts_variables(Front *f, Inst *inst, const EquationList *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const Equation *e = list->items[i];
        if (e->kind == EQ_CALL && e->left->kind == EX_CALL && e->left->call->positional.n &&
            expression_varies(f, inst, e->left->call->positional.items[0]))
            return true;
    }
    return false;
}

/* a component with signals and nothing inside: these are variables that somebody may look at */
static bool has_signals_alone(Front *f, Inst *inst)
{
    bool any = false;
    Causality causality;
    for (size_t i = 0; inst->parent && i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || member_is_parameter(m) || !member_present(f, m))
            continue;
        if (member_type(f, m)->kind != TY_REAL || !connector_domain(f, m, &causality))
            return false;
        any = true;
    }
    return any;
}

bool inst_is_cell(Front *f, Inst *inst)
{
    if (inst->is_merged || (f->is_whole && !inst->parent) || inst_has_differing(f, inst))
        return true;
    for (const ClassPart *part = inst->parts; part; part = part->next)
        if (list_has_equations(&part->class_->equations) || part->class_->algorithms.n ||
            part->class_->initial_equations.n ||
            asserts_variables(f, inst, &part->class_->equations))
            return true;
    for (size_t i = 0; i < inst->members.n; i++)
        if (needs_cell(f, inst->members.items[i]))
            return true;
    return has_signals_alone(f, inst);
}
