/* class_rules.c - what the kinds of classes allow (Modelica 4.7, 7.1.3, 12.2).
 *
 * Grammar and meaning take more than the specification: a record with a model inside works here
 * like any class. What other tools refuse, and what is most likely a slip, is told all the same,
 * once for each class of a text that the model has, whatever else is wrong with it.
 */
#include "front/external/external.h"
#include "front/function/function.h"

typedef struct ClassRules {
    Front *f;
    Inst *inst;
    ClassPart *part;
    const Class *class_;
} ClassRules;

/* the type of an element, without a word about what is wrong with it */
static Type type_of_element(const ClassRules *r, const Ref *name)
{
    ReportMark before = report_mark(r->f);
    Type type = lookup_type(r->f, (Env){.inst = r->inst, .part = r->part}, name);
    if (r->f->nwrong != before.nwrong)
        report_forget(r->f, before);
    return type;
}

/* ------------------------------------------------------------------ base classes */

/* may a class of one kind inherit one of the other? */
static bool may_inherit(ClassKind kind, ClassKind base)
{
    bool same = kind == base || base == CLASS_CLASS || kind == CLASS_CLASS;
    switch (kind) {
    case CLASS_OPERATOR_FUNCTION:
        return same || base == CLASS_FUNCTION;
    case CLASS_CONNECTOR:
        return same || base == CLASS_TYPE || base == CLASS_RECORD || base == CLASS_OPERATOR_RECORD;
    case CLASS_BLOCK:
        return same || base == CLASS_RECORD;
    case CLASS_MODEL:
        return same || base == CLASS_RECORD || base == CLASS_BLOCK;
    default:
        return same;
    }
}

static bool is_replaceable(const ClassRules *r, const Ref *name)
{
    Found found = name->global || name->rest
                      ? (Found){0}
                      : lookup(r->f, (Env){.inst = r->inst, .part = r->part}, name->name);
    return found.kind == FOUND_MEMBER && found.member->class_ && found.member->element &&
           found.member->element->replaceable;
}

/* what a class inherits */
static void check_base(const ClassRules *r, const Extends *extends)
{
    Front *f = r->f;
    ClassKind kind = r->class_->kind;
    Type base = type_of_element(r, extends->type);
    if (is_replaceable(r, extends->type))
        warn(f, ref_span(extends->type), r->inst,
             "'%s' is replaceable, and what is inherited must not change with a redeclaration\n"
             "inherit a class that is not replaceable, or declare a component of it",
             extends->type->name);
    if (base.kind != TY_CLASS || is_external_object(base.class_) ||
        may_inherit(kind, base.class_->kind))
        return;
    report_error(f, ref_span(extends->type), r->inst,
                 "a %s cannot inherit the %s '%s'\n"
                 "%s",
                 class_kind_text(kind), class_kind_text(base.class_->kind), base.class_->name,
                 base.class_->kind == CLASS_PACKAGE    ? "import what is in it"
                 : base.class_->kind == CLASS_FUNCTION ? "call it"
                                                       : "declare a component of it");
}

/* ------------------------------------------------------------------ components */

/* what components of a class may be, or NULL: anything */
static const char *allowed_components(ClassKind kind)
{
    switch (kind) {
    case CLASS_RECORD:
    case CLASS_OPERATOR_RECORD:
        return "types and records";
    case CLASS_CONNECTOR:
    case CLASS_EXPANDABLE_CONNECTOR:
        return "types, records and connectors";
    case CLASS_FUNCTION:
    case CLASS_OPERATOR_FUNCTION:
        return "types, records and functions";
    default:
        return NULL;
    }
}

static bool is_allowed_component(ClassKind kind, const Type *type)
{
    if (type->kind != TY_CLASS || is_external_object(type->class_))
        return true;
    ClassKind is = type->class_->kind;
    bool connectors = kind == CLASS_CONNECTOR || kind == CLASS_EXPANDABLE_CONNECTOR;
    bool functions = kind == CLASS_FUNCTION || kind == CLASS_OPERATOR_FUNCTION;
    return is == CLASS_TYPE || is_record_class(type->class_) || is == CLASS_CLASS ||
           (connectors && (is == CLASS_CONNECTOR || is == CLASS_EXPANDABLE_CONNECTOR)) ||
           (functions && is_function_class(type->class_));
}

/* prefixes that belong to other kinds of classes, or to each other not at all */
static void check_prefixes(const ClassRules *r, const ClassElement *e)
{
    const TypePrefix *p = &e->component->prefix;
    ClassKind kind = r->class_->kind;
    SourceSpan span = e->component->name_span;
    bool record = is_record_class(r->class_);
    if (p->causality == CAUSE_INPUT &&
        (p->variability == VARY_PARAMETER || p->variability == VARY_CONSTANT))
        report_error(
            r->f, span, r->inst, "'%s' is an input and a %s\nleave out one of the two prefixes",
            e->component->name, p->variability == VARY_PARAMETER ? "parameter" : "constant");
    if (p->connection != CONNECT_POTENTIAL && p->variability != VARY_CONTINUOUS)
        report_error(r->f, span, r->inst,
                     "the %s variable '%s' cannot be a parameter, a constant or discrete\n"
                     "leave out one of the two prefixes",
                     p->connection == CONNECT_FLOW ? "flow" : "stream", e->component->name);
    if (record &&
        (p->connection != CONNECT_POTENTIAL || p->causality != CAUSE_NONE || e->inner || e->outer))
        report_error(r->f, span, r->inst,
                     "'%s' has a prefix that elements of records do not have\n"
                     "declare a connector, or leave out the prefix",
                     e->component->name);
    if ((e->inner || e->outer) && (kind == CLASS_CONNECTOR || is_function_class(r->class_)))
        report_error(r->f, span, r->inst, "'%s' cannot be %s in a %s\nleave out the prefix",
                     e->component->name, e->inner ? "inner" : "outer", class_kind_text(kind));
    if (e->is_protected && (record || kind == CLASS_CONNECTOR))
        report_error(r->f, span, r->inst,
                     "'%s' is protected, but all elements of a %s are public\n"
                     "declare it in the model that computes with it",
                     e->component->name, class_kind_text(kind));
}

/* connectors of a block are inputs and outputs alone */
static void check_block_connector(const ClassRules *r, const ClassElement *e, const Type *type)
{
    const Member *m = inst_listed(r->inst, NULL, e->component->name);
    if (!m || !m->child || e->is_protected || type->kind != TY_CLASS ||
        type->class_->kind != CLASS_CONNECTOR || e->component->prefix.causality != CAUSE_NONE ||
        type->causality != CAUSE_NONE)
        return;
    for (size_t i = 0; i < m->child->members.n; i++) {
        const Member *v = m->child->members.items[i];
        if (!v->component || member_is_parameter(v) || v->type.kind == TY_CLASS ||
            v->type_state != MEMO_DONE || member_causality(v) != CAUSE_NONE)
            continue;
        warn(r->f, e->component->name_span, r->inst,
             "the connector '%s' of a block has '%s', which is neither input nor output\n"
             "write model in place of block",
             e->component->name, v->name);
        return;
    }
}

/* one component of a class */
static void check_component(const ClassRules *r, const ClassElement *e)
{
    ClassKind kind = r->class_->kind;
    const char *allowed = allowed_components(kind);
    SourceSpan span = e->component->name_span;
    check_prefixes(r, e);
    Type type = type_of_element(r, e->component->type);
    if (kind == CLASS_TYPE || kind == CLASS_OPERATOR)
        report_error(r->f, span, r->inst, "a%s %s has no components\ndeclare a record",
                     kind == CLASS_OPERATOR ? "n" : "", class_kind_text(kind));
    else if (kind == CLASS_PACKAGE && e->component->prefix.variability != VARY_CONSTANT)
        report_error(r->f, span, r->inst,
                     "'%s' is no constant, but a package has constants and classes alone\n"
                     "write constant before it, or declare it in a model",
                     e->component->name);
    else if (allowed && !is_allowed_component(kind, &type))
        report_error(r->f, span, r->inst,
                     "'%s' is a %s, but components of a %s are %s\n"
                     "declare it in a model",
                     e->component->name, class_kind_text(type.class_->kind), class_kind_text(kind),
                     allowed);
    else if (type.kind == TY_CLOCK && is_function_class(r->class_))
        report_error(r->f, span, r->inst,
                     "'%s' is a clock, which functions do not have\ngive it another type",
                     e->component->name);
    if (type.kind == TY_CLASS && type.named && type.named->kind == CLASS_TYPE &&
        type.class_->kind != CLASS_TYPE && !is_record_class(type.class_))
        report_error(r->f, span, r->inst,
                     "'%s' is called a type, but stands for the %s '%s'\n"
                     "write %s in place of type",
                     type.named->name, class_kind_text(type.class_->kind), type.class_->name,
                     class_kind_text(type.class_->kind));
    if (kind == CLASS_BLOCK)
        check_block_connector(r, e, &type);
}

/* ------------------------------------------------------------------ all rules */

/* a class with all its elements */
static void check_class(const ClassRules *r)
{
    const Class *c = r->class_;
    if ((c->kind == CLASS_OPERATOR || c->kind == CLASS_OPERATOR_FUNCTION) &&
        !(c->parent && c->parent->kind == CLASS_OPERATOR_RECORD))
        report_error(r->f, c->name_span, NULL,
                     "the %s '%s' does not stand in an operator record\n"
                     "move it there, or declare a function",
                     class_kind_text(c->kind), c->name);
    for (size_t i = 0; i < c->elements.n; i++) {
        const ClassElement *e = c->elements.items[i];
        if (e->kind == EL_EXTENDS)
            check_base(r, e->extends);
        else if (e->kind == EL_COMPONENT)
            check_component(r, e);
    }
}

void check_class_rules(Front *f)
{
    f->round++;
    for (Inst *inst = f->all; inst && !f->work.failed; inst = inst->next)
        for (ClassPart *part = inst->parts; part; part = part->next) {
            Class *c = (Class *)part->class_;
            if (c->rules_read == f->round || c->span.file == f->library ||
                c->span.file == f->standard)
                continue;
            c->rules_read = f->round;
            check_class(&(ClassRules){f, inst, part, c});
        }
}
