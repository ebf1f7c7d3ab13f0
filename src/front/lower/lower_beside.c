/* lower_beside.c - components that stay beside the cell of their model.
 *
 * A model with equations or connectors of its own becomes a cell, a class of the engine without a
 * name. Components of the compiled library in it, and models that are composed of such, are not
 * flattened into the cell: they stay components of the model, with their kernels and lanes, and
 * their connectors become ports of the cell where something of the cell is connected to them:
 *
 *   connect(own.flange, joint.flange_b)   the cell has a port "joint:flange_b", as if that were a
 *                                         connector of the model itself, and the engine connects
 *                                         it to joint.flange_b
 *   connect(sensor.y, own.u)              sensor.y is an input of the cell, "sensor:y"
 *   motor.tau = 2*x                       motor.tau is an output of the cell, "motor:tau"
 *
 * Connections between two of them are those of the engine, see connect.c.
 *
 * An equation that reads a variable inside of one, joint.s, makes that component an instance of the
 * text that its class was compiled from and so a part of the cell: the attempt that meets it fails,
 * keeps its declaration (Front.read_inside), and front_instantiate begins again.
 */
#include "front/emit/emit.h"
#include "front/external/external.h"
#include "front/lower/lower.h"
#include "front/divide/rigid.h"

#include <stdio.h>
#include <string.h>

/* is it a component of a class that is neither a record nor a connector? */
static bool is_part(Front *f, Member *m)
{
    if (!m->component || (m->is_outer && !m->is_inner) || m->is_protected)
        return false;
    const Type *type = member_type(f, m);
    return type->kind == TY_CLASS && !is_record_class(type->class_) &&
           type->class_->kind != CLASS_CONNECTOR && type->restriction != CLASS_CONNECTOR &&
           !is_external_object(type->class_) && member_present(f, m);
}

/* is a component of the compiled library somewhere inside? A World does not count. */
static bool contains_native(Front *f, Inst *inst)
{
    if (inst->native || inst->template_)
        return true;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        Inst *child = is_part(f, m) && !m->is_inner ? member_child(f, m) : NULL;
        if (child && contains_native(f, child))
            return true;
    }
    return false;
}

bool member_is_beside(Front *f, Member *m)
{
    Inst *child = is_part(f, m) && !member_differs(f, m) ? member_child(f, m) : NULL;
    return child && contains_native(f, child) && (child->native || !inst_is_cell(f, child));
}

bool inst_has_beside(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (member_is_beside(f, m) && !m->is_inner)
            return true;
    }
    return false;
}

bool inst_is_beside(const Lower *lower, const Inst *inst)
{
    return inst->parent == lower->top && lower->top->draft && inst->member &&
           member_is_beside(lower->front, inst->member);
}

bool side_is_beside(Front *f, const Expr *e, Inst *top)
{
    Member *m = e->kind == EX_REF ? inst_find(top, NULL, e->ref->name) : NULL;
    m = m && m->component ? member_resolve(f, m, e->ref->span) : NULL;
    return m && m->inst == top && member_is_beside(f, m);
}

const char *beside_name(Front *f, const Inst *component, const char *connector, size_t element,
                        bool indexed)
{
    char name[400];
    int n = snprintf(name, sizeof name, "%.180s:%.180s", component->member->name, connector);
    if (indexed)
        snprintf(name + n, sizeof name - (size_t)n, "[%zu]", element + 1);
    const char *copy = arena_text(&f->work, name, strlen(name));
    if (!copy)
        f->work.failed = true;
    return copy ? copy : "";
}

bool beside_role(Lower *lower, const Member *m, Causality causality, CellVariable *v)
{
    if (!inst_is_beside(lower, m->inst))
        return false;
    if (causality == CAUSE_OUTPUT)
        v->role = CELL_INPUT;
    v->is_output = causality == CAUSE_INPUT;
    return true;
}

/* has every component of the compiled library in it a text? A World has none and needs none. */
static bool has_texts(Front *f, Inst *inst)
{
    if (inst->native || inst->template_)
        return rigid_has_text(inst);
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        Inst *child = is_part(f, m) && !m->is_inner ? member_child(f, m) : NULL;
        if (child && !has_texts(f, child))
            return false;
    }
    return true;
}

/* was the declaration marked by an attempt before this one? */
static bool is_read_inside(const Front *f, const ComponentDecl *component)
{
    for (size_t i = 0; i < f->read_inside.n; i++)
        if (f->read_inside.items[i] == component)
            return true;
    return false;
}

bool beside_refused(Lower *lower, const Member *m, Causality causality, SourceSpan span)
{
    Front *f = lower->front;
    const Inst *component = m->inst;
    bool connector = inst_is_connector(component);
    if (connector)
        component = component->parent;
    const Inst *beside = component;
    while (beside && beside->parent != lower->top)
        beside = beside->parent;
    if (!beside || !inst_is_beside(lower, beside) ||
        (component == beside && !connector && causality != CAUSE_NONE))
        return false;
    enum { MAX_ELEMENTS = 100 }; /* each becomes equations of its own */
    const ComponentDecl *declaration = beside->member->component;
    size_t n = beside->member->axis ? beside->member->axis->n : 1;
    if (n > MAX_ELEMENTS) {
        report_error(
            f, span, lower->top,
            "'%s' is a variable inside an array of %zu components of the compiled library, "
            "which equations cannot read beyond %d elements\n"
            "put the equation into the model that the array is of, or connect sensors",
            m->name, n, MAX_ELEMENTS);
        return true;
    }
    if (!is_read_inside(f, declaration) && has_texts(f, (Inst *)beside) &&
        !vec_push(f->alloc, &f->read_inside, declaration))
        f->work.failed = true;
    report_error(f, span, lower->top,
                 "'%s' is a variable inside a component of the compiled library that is written in "
                 "C, which equations cannot read\n"
                 "connect a sensor, or a connector of a component of your own",
                 m->name);
    return true;
}

void beside_take_texts(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (is_read_inside(f, m->component) || member_differs(f, m))
            member_take_text(m);
    }
}

/* A port of the cell is connected with the connector of a component beside it, of which it bears
 * the name: "joint:flange_b" with joint.flange_b. */
static void link_port(const Lower *lower, const Inst *component, const char *name)
{
    Inst *top = lower->top;
    if (!inst_is_beside(lower, component) || !component->declared)
        return;
    size_t length = strlen(component->member->name) + 1; /* and the colon: see beside_name */
    emit_connection_between(top, emit_port_path(top, emit_own(top), 0, name),
                            emit_port_path(top, component->declared - 1, 0, name + length));
}

void emit_beside_links(Front *f, const Lower *lower)
{
    for (size_t i = 0; i < lower->ports.n; i++) {
        const LowerPort *port = &lower->ports.items[i];
        if (port->member->inst != lower->top)
            link_port(lower, port->member->inst,
                      beside_name(f, port->member->inst, port->member->name, port->element,
                                  port->member->axis != NULL));
        else
            emit_own_port(f, lower->top, port->member->name);
    }
    for (size_t i = 0; i < lower->variables.n; i++) { /* events add variables of their own behind */
        const CellVariable *v = &lower->cell.variables.items[i];
        const Member *m = lower->variables.items[i].member;
        bool signal = v->role == CELL_INPUT || (v->role == CELL_UNKNOWN && v->is_output);
        if (signal && m && m->inst != lower->top)
            link_port(lower, m->inst, v->name);
        else if (signal && m && lower->top->parent)
            emit_own_port(f, lower->top, v->name);
    }
}
