/* emit.c - instances to models of the session.
 *
 * A model is written down by ids (model/description/describe.h): components are declared, numbers
 * set and ports connected as they are met. Models with the same content are one: "one model for
 * each distinct class and modifiers" needs no comparison of modifiers then. Components are emitted
 * before the model around them. Numbers are emit_settings.c's.
 */
#include <stdio.h>
#include <string.h>

#include "front/divide/divide.h"
#include "front/emit/emit.h"
#include "front/external/external.h"
#include "front/divide/rigid.h"

/* ------------------------------------------------------------------ what is stated about a model
 */

static SourceRange range_of_span(SourceSpan span)
{
    return (SourceRange){span.file, span.at, span.length};
}

static Place place_of_range(const SourceRange *range)
{
    return span_place((SourceSpan){range->file, range->at, range->length});
}

/* One more component; of: what it is an instance of, or NULL. Its number, or NO_DECLARATION after
 * an error. */
static uint32_t declare(Front *f, Inst *inst, Member *of, const char *name, const char *class_name)
{
    Draft *d = inst->draft;
    const Axis *axis = of ? of->axis : NULL;
    SourceRange range = {0};
    if (of)
        range = range_of_span(of->component->name_span);
    uint32_t number = model_declare(d->model, name, class_name, axis ? axis->ndim : 0,
                                    axis ? axis->dim : NULL, range);
    if (number == NO_DECLARATION)
        return NO_DECLARATION;
    if (!vec_resize(f->alloc, &d->members, number + 1)) {
        f->work.failed = true;
        return NO_DECLARATION;
    }
    d->members.items[number] = of;
    if (of && of->child)
        of->child->declared = number + 1;
    return number;
}

uint32_t emit_one(Front *f, Inst *inst, const char *name, const char *class_name)
{
    return declare(f, inst, NULL, name, class_name);
}

void emit_declare(Front *f, Inst *inst, Member *m, const char *class_name)
{
    if (class_name)
        declare(f, inst, m, m->name, class_name);
}

void emit_declare_own(Front *f, Inst *inst, const char *class_name)
{
    uint32_t number = declare(f, inst, NULL, "", class_name);
    inst->draft->own = number == NO_DECLARATION ? 0 : number + 1;
}

uint32_t emit_number_inside(const Inst *inst, const ModelStep *steps, size_t nstep, Inst *component)
{
    if (!component->declared) { /* components of a template are not declared one by one */
        uint32_t number =
            model_number_inside(inst->draft->model, steps, nstep, component->member->name);
        component->declared = number == NO_DECLARATION ? 0 : number + 1;
    }
    return component->declared ? component->declared - 1 : NO_DECLARATION;
}

/* adds the steps of a way behind those that are there, the outermost first; false: a component is
 * not there */
static bool add_way(const Inst *inst, const PortWay *way, ModelStep *steps, size_t *nstep)
{
    if (!way)
        return true;
    if (!add_way(inst, way->outer, steps, nstep) || *nstep > INSTANCE_DEPTH)
        return false;
    uint32_t number = emit_number_inside(inst, steps, *nstep, way->component);
    steps[(*nstep)++] = (ModelStep){number, (uint32_t)way->element};
    return number != NO_DECLARATION;
}

/* the port that a connection means; false: its component is not there, which was reported */
static bool port_of_end(const Inst *inst, const ConnectedPort *end, PortPath *path)
{
    const Draft *d = inst->draft;
    const Inst *child = end->component->child;
    uint32_t number = child && child->declared ? child->declared - 1 : NO_DECLARATION;
    if (number >= d->members.n || d->members.items[number] != end->component)
        return false;
    ModelStep steps[INSTANCE_DEPTH + 2] = {{number, (uint32_t)end->element}};
    size_t nstep = 1;
    if (!add_way(inst, end->inside, steps, &nstep))
        return false;
    *path = model_port(d->model, steps, nstep, end->name);
    return true;
}

void emit_connection(Front *f, Inst *inst, const ConnectedPort *a, const ConnectedPort *b,
                     SourceSpan span)
{
    PortPath ends[2];
    (void)f;
    if (port_of_end(inst, a, &ends[0]) && port_of_end(inst, b, &ends[1]))
        model_connect(inst->draft->model, ends[0], ends[1], range_of_span(span));
}

PortPath emit_port_path(const Inst *inst, uint32_t declaration, size_t element, const char *port)
{
    const ModelStep step = {declaration, (uint32_t)element};
    return model_port(inst->draft->model, &step, 1, port);
}

void emit_connection_between(Inst *inst, PortPath a, PortPath b)
{
    model_connect(inst->draft->model, a, b, (SourceRange){0});
}

/* the model has a port of this name from now on */
static void note_port(Front *f, Inst *inst, const char *name)
{
    const char *copy = arena_text(&f->work, name, strlen(name));
    if (!copy || !vec_push(f->alloc, &inst->ports, copy))
        f->work.failed = true;
}

void emit_port(Front *f, Inst *inst, const char *name, const ConnectedPort *inner)
{
    PortPath path;
    if (port_of_end(inst, inner, &path))
        model_expose(inst->draft->model, name, path);
    note_port(f, inst, name);
}

void emit_own_port(Front *f, Inst *inst, const char *name)
{
    model_expose(inst->draft->model, name, emit_port_path(inst, emit_own(inst), 0, name));
    note_port(f, inst, name);
}

/* ------------------------------------------------------------------ models that are complete */

const char *emit_free_name(Front *f, const char *name, char *buffer, size_t size)
{
    snprintf(buffer, size, "%.200s", name);
    for (int i = 2; lieder_class_find(f->session, buffer); i++)
        snprintf(buffer, size, "%.200s#%d", name, i + f->nmodel);
    return buffer;
}

/* the class of the session that a model becomes, or that it is equal to; NULL: no memory */
static const char *finish_emit(Front *f, Draft *d, const char *name, const char *text)
{
    struct BuiltModel key = {0};
    LiederModel *model = d->model;
    d->model = NULL;
    model_content(model, key.content.hash);
    for (size_t i = 0; i < f->built.n; i++)
        if (memcmp(&f->built.items[i].content, &key.content, sizeof key.content) == 0) {
            model_merge(f->session, f->built.items[i].name, model);
            return f->built.items[i].name;
        }
    char buffer[240];
    f->nmodel++;
    key.name = model_finish(model, emit_free_name(f, name, buffer, sizeof buffer), text);
    if (!key.name || !vec_push(f->alloc, &f->built, key))
        f->work.failed = true;
    return key.name;
}

/* ------------------------------------------------------------------ native components */

/* start value and attributes of a state; what other variables are given is refused */
static void emit_variable(Front *f, Inst *inst, Member *m)
{
    bool state = native_is_state(f->session, inst->native, m->name);
    const Mod *bound = outside_mod(m, false), *start = outside_mod(m, true);
    if (bound && !(bound->override && state)) {
        report_error(f, bound->span, inst,
                     "'%s' is a variable of '%s' and cannot be given a value\n%s", m->name,
                     inst->native,
                     state ? "set its start value: phi(start = 1)"
                           : "only parameters and start values can be set");
        return;
    }
    member_check(f, m);
    bool given;
    Value fixed = member_attribute(f, m, "fixed", &given);
    if (given && fixed.kind == V_BOOLEAN && value_at(&fixed, 0) == 0)
        report_error(f, m->mods->span, inst,
                     "'%s' cannot have fixed = false: every state starts at its start value\n"
                     "leave fixed out",
                     m->name);
    for (size_t i = 0; i < NSTATE_ATTRIBUTES; i++) {
        member_attribute(f, m, state_attributes[i], &given);
        if (given && state)
            emit_setting(f, inst, m, state_attributes[i]);
        else if (given)
            warn(f, m->mods->span, inst,
                 "attribute %s of '%s' has no effect: it is no state\nleave it out",
                 state_attributes[i], m->name);
    }
    member_attribute(f, m, "stateSelect", &given);
    if (given)
        warn(f, m->mods->span, inst,
             "attribute stateSelect of '%s' has no effect: the class has chosen its states\nleave "
             "it out",
             m->name);
    if (start && !state)
        report_error(f, start->span, inst,
                     "'%s' is no state of '%s' and has no start value\nonly states have one",
                     m->name, inst->native);
    else if (start || bound)
        emit_setting(f, inst, m, "start");
}

/* what says nothing to a class of the library, which has its unit and its range */
static void warn_of_unused(Front *f, Inst *inst, Member *m)
{
    static const char *const unused[] = {"nominal", "quantity"};
    bool given;
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++) {
        member_attribute(f, m, unused[i], &given);
        if (given)
            warn(f, m->mods->span, inst,
                 "attribute %s of the parameter '%s' has no effect\nleave it out", unused[i],
                 m->name);
    }
}

/* a parameter, an open input or a variable of a native component */
static void emit_native_member(Front *f, Inst *inst, Member *m)
{
    const Type *type = member_type(f, m);
    Causality causality;
    if (type->kind == TY_NONE || m->is_outer)
        return;
    if (type->kind == TY_CLASS) {
        if (m->mods && !m->mods->own)
            report_error(
                f, m->mods->span, inst,
                "the connector '%s' cannot be modified\nmodify the parameters of the component",
                m->name);
        return;
    }
    if (member_is_parameter(m)) {
        if (inst->opaque && !m->mods)
            return;
        if (!inst->opaque || !m->mods->own)
            member_check(f, m);
        if (m->mods && !m->mods->own)
            warn_of_unused(f, inst, m);
        if (outside_mod(m, false))
            emit_setting(f, inst, m, NULL);
        else if (!inst->opaque && !m->mods)
            member_value(f, m, m->component->name_span); /* reports that there is none */
        else if (!inst->opaque && m->mods && m->mods->own && !m->mods->modification->value &&
                 !m->mods->next)
            member_value(f, m, m->component->name_span);
        return;
    }
    if (connector_domain(f, m, &causality)) {
        if (causality == CAUSE_INPUT && outside_mod(m, false))
            emit_setting(f, inst, m, NULL);
        else if (outside_mod(m, false))
            report_error(f, m->mods->span, inst,
                         "the output '%s' cannot be given a value\nthe component computes it",
                         m->name);
        return;
    }
    emit_variable(f, inst, m);
}

/* a native class that the user extends may get parameters, nothing else */
static void check_extended(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->part->class_->span.file == f->library || member_is_parameter(m) ||
            m->is_outer)
            continue;
        report_error(f, m->component->name_span, inst,
                     "'%s' cannot be added to the native class '%s'\n"
                     "use the native class as a component instead of extending it",
                     m->name, inst->native);
    }
    for (const ClassPart *p = inst->parts; p; p = p->next)
        if (p->class_->equations.n && p->class_->span.file != f->library)
            report_error(f, p->class_->equations.items[0]->span, inst,
                         "equations cannot be added to the native class '%s'\n"
                         "use the native class as a component instead of extending it",
                         inst->native);
}

/* the numbers of a native component */
static void emit_native(Front *f, Inst *inst)
{
    check_extended(f, inst);
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component)
            continue;
        if (m->part->class_->span.file == f->library)
            emit_native_member(f, inst, m);
        else if (member_is_parameter(m))
            member_check(f, m);
    }
}

/* the components of a template: what is modified from outside is set by path */
static void emit_template(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component)
            continue;
        if (member_type(f, m)->kind != TY_CLASS) {
            member_check(f, m);
            continue;
        }
        Causality causality;
        if (connector_domain(f, m, &causality) || !m->mods)
            continue;
        Inst *child = member_child(f, m);
        if (child && child->native)
            emit_native(f, child);
        else if (child)
            emit_template(f, child);
    }
}

/* ------------------------------------------------------------------ components */

const char *connector_domain(Front *f, Member *m, Causality *causality)
{
    const Type *type = member_type(f, m);
    *causality = m->prefix.causality != CAUSE_NONE ? m->prefix.causality : type->causality;
    if (type->kind == TY_REAL && *causality != CAUSE_NONE && !member_is_parameter(m))
        return "Signal";
    if (type->kind != TY_CLASS || type->class_->kind != CLASS_CONNECTOR)
        return NULL;
    /* a port of a component of the library needs no instance of its variables */
    if (!m->child && !m->mods && !type->mods && m->inst && m->inst->native && member_sizes(f, m) &&
        m->ndim == 0 && library_mark(f, type->class_, "domain"))
        return library_mark(f, type->class_, "domain");
    Inst *child = member_child(f, m);
    return child ? child->domain : NULL;
}

static bool is_plain_name(const char *name)
{
    return name[strcspn(name, ".[]# \t\n\r\v\f")] == '\0';
}

/* fields of a record are parameters */
static void emit_record(Front *f, Member *record)
{
    Inst *inst = member_child(f, record);
    for (size_t i = 0; inst && i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component)
            continue;
        if (member_type(f, m)->kind == TY_CLASS)
            emit_record(f, m);
        else
            member_check(f, m);
    }
    for (const Mod *mod = record->mods; mod; mod = mod->next)
        if (!mod->rest && mod->modification && mod->modification->value &&
            !is_record_value(mod->modification->value))
            report_error(
                f, mod->modification->value->span, record->inst,
                "this value for the whole record '%s' is not supported yet\nmodify its fields "
                "instead: %s(a = ...)",
                record->name, record->name);
}

/* Nothing can be connected to it. An array of such components is one of models, which the engine
 * takes as lanes and never expands. */
static bool stands_alone(Front *f, const Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || member_is_parameter(m) || m->is_outer || m->is_protected)
            continue;
        const Type *type = member_type(f, m);
        if (member_causality(m) != CAUSE_NONE ||
            (type->kind == TY_CLASS &&
             (type->class_->kind == CLASS_CONNECTOR || type->restriction == CLASS_CONNECTOR ||
              is_expandable(type))))
            return false;
    }
    return true;
}

/* a component of a class: native, of a template, of equations, or a model of its own */
static void emit_class_component(Front *f, Inst *inst, Member *m)
{
    Inst *child = member_child(f, m);
    if (child && m->axis && m->axis->n == 0)
        member_refuse_overrides(f, m, "is an array without elements");
    if (!child || (m->axis && m->axis->n == 0))
        return;
    component_refuse_value(f, m);
    if (child->native) {
        emit_declare(f, inst, m, child->native);
        inst->draft->has_text |= rigid_has_text(child);
        emit_native(f, child);
    } else if (child->template_) {
        emit_declare(f, inst, m, child->built);
        emit_template(f, child);
    } else if (!divide_model(f, child) && inst_is_cell(f, child) && !inst_has_beside(f, child) &&
               !(m->axis && stands_alone(f, child))) {
        emit_cell(f, child, child->class_->name);
    } else if (inst_is_cell(f, child) && !inst_has_beside(f, child)) {
        emit_declare(f, inst, m, emit_model(f, child, child->class_->name));
    } else {
        char name[200];
        snprintf(name, sizeof name, "%.90s.%.90s", child->class_->name, m->name);
        emit_declare(f, inst, m, emit_model(f, child, name));
    }
}

/* one component of a composed model */
static void emit_component(Front *f, Inst *inst, Member *m)
{
    const Type *type = member_type(f, m);
    Causality causality;
    if (type->kind == TY_NONE)
        return;
    if (m->is_outer && !m->is_inner) {
        member_resolve(f, m, m->component->name_span);
        return;
    }
    if (!member_present(f, m)) {
        member_refuse_overrides(f, m, "is absent by its condition");
        return;
    }
    if (type->kind == TY_CLASS && is_external_object(type->class_))
        return;
    if (type->kind != TY_CLASS && member_is_parameter(m)) {
        member_check(f, m);
        return;
    }
    if (type->kind == TY_CLASS && is_record_class(type->class_) && member_is_parameter(m)) {
        emit_record(f, m);
        return;
    }
    if (!is_plain_name(m->name)) {
        report_error(f, m->component->name_span, inst,
                     "components cannot be named %s yet\n"
                     "choose a name without dots, brackets and blanks",
                     m->name);
        return;
    }
    if (connector_domain(f, m, &causality)) {
        member_sizes(f, m);
        bool modified = false;
        for (const Mod *mod = m->mods; mod; mod = mod->next)
            modified |= mod->rest || (mod->modification &&
                                      (mod->modification->value || mod->modification->arguments.n));
        if (modified && type->kind == TY_CLASS)
            report_error(f, m->mods->span, inst,
                         "the connector '%s' cannot be modified\n"
                         "modify the components that it is connected to",
                         m->name);
        else if (outside_mod(m, false) || (m->mods && m->mods->own && m->mods->modification->value))
            report_error(f, m->mods->span, inst,
                         "the connector '%s' of a model cannot be given a value yet\n"
                         "connect a Signals.Constant to it",
                         m->name);
        return;
    }
    if (type->kind != TY_CLASS)
        return; /* with a variable or a connector of its own the model would be a cell */
    emit_class_component(f, inst, m);
}

/* components and connections */
static void emit_composed(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++)
        if (inst->members.items[i]->component)
            emit_component(f, inst, inst->members.items[i]);
    emit_connections(f, inst, false);
    divide_hang(f, inst);
}

/* an empty model in place of what was written so far; false: no memory */
static bool draft_begin(Front *f, Draft *d)
{
    model_destroy(d->model);
    vec_drop(f->alloc, &d->members);
    *d = (Draft){.model = model_begin(f->session, place_of_range)};
    if (!d->model)
        f->work.failed = true;
    return d->model;
}

/* are there rigid loops of components of the compiled library? They are marked then. */
static bool has_rigid_loops(Front *f, Inst *inst)
{
    const Draft *d = inst->draft;
    if (!d->has_text || f->nwrong || f->work.failed)
        return false;
    return rigid_merge(f, inst, d->model, d->members.items, d->members.n);
}

/* the model itself has equations: one component without a name, whose variables are those of the
 * model, and the components that stay beside it */
static void emit_own_cell(Front *f, Inst *inst, const char *name)
{
    EmittedNumber *emitted = f->emitted;
    beside_take_texts(f, inst);
    do {
        if (!draft_begin(f, inst->draft))
            return;
        f->emitted = emitted;
        for (size_t i = 0; i < inst->members.n; i++)
            if (member_is_beside(f, inst->members.items[i]))
                emit_component(f, inst, inst->members.items[i]);
        emit_connections(f, inst, true);
    } while (has_rigid_loops(f, inst)); /* these belong to the cell */
    emit_cell(f, inst, name);
}

const char *emit_model(Front *f, Inst *inst, const char *name)
{
    Draft draft = {0};
    EmittedNumber *emitted = f->emitted;
    if (!enter(f, inst->class_->span))
        return NULL;
    inst->draft = &draft;
    bool ok = draft_begin(f, &draft);
    bool loops = ok && inst == f->top && emit_loops(f, inst, name);
    inst->draft = NULL;
    if (!loops)
        divide_model(f, inst);
    inst->draft = &draft;
    if (ok && !loops && !inst_is_cell(f, inst)) {
        emit_composed(f, inst);
        if (has_rigid_loops(f, inst)) /* once more then, as a cell */
            f->emitted = emitted;
    }
    if (ok && !loops && inst_is_cell(f, inst))
        emit_own_cell(f, inst, name);
    if (draft.model)
        emit_late(f, inst);
    if (draft.model && inst == f->top)
        emit_bound(f, inst);
    inst->draft = NULL;
    if (f->nwrong == 0 && !f->work.failed)
        inst->model = finish_emit(f, &draft, name,
                                  inst->class_->comment.text ? inst->class_->comment.text : "");
    model_destroy(draft.model);
    vec_drop(f->alloc, &draft.members);
    leave(f);
    return inst->model;
}
