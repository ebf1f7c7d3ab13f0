/* external.c - external clauses: arguments, and which function it is. See external.h. */
#include "front/external.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool is_external_object(const Class *class_)
{
    for (size_t i = 0; class_ && i < class_->elements.n; i++) {
        const ClassElement *e = class_->elements.items[i];
        if (e->kind == EL_EXTENDS && !e->extends->type->rest &&
            strcmp(e->extends->type->name, "ExternalObject") == 0)
            return true;
    }
    return false;
}

bool external_fail(const ExternalCall *c, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_error(c->f, c->span, c->where, "%s: %s", c->name, text);
    return false;
}

/* ------------------------------------------------------------------ the clause */

static const char tables[] = "ModelicaStandardTables_";

/* runs the routine that an external clause names, if it is one of ours */
static bool external_dispatch(ExternalCall *c, const Inst *inst)
{
    if (strncmp(c->name, tables, sizeof tables - 1) == 0)
        return table_call(c, c->name + sizeof tables - 1);
    int (*const kinds[])(ExternalCall *) = {text_call, random_call, matrix_call, fourier_call};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int done = kinds[i](c);
        if (done >= 0)
            return done;
    }
    report_error(
        c->f, c->span, c->where,
        "function '%s' is external (\"%s\"), and there is no built-in function of this name\n"
        "write it with an algorithm",
        inst->class_->name, c->name);
    return false;
}

static LocalName *frame_of(const char *name, Env env)
{
    for (LocalName *frame = env.frame; frame; frame = frame->outer)
        if (frame->name == name)
            return frame;
    return NULL;
}

static bool is_output(const LocalName *frame)
{
    return frame && frame->variable && frame->variable->component->prefix.causality == CAUSE_OUTPUT;
}

bool external_run(Front *f, const Inst *inst, const External *external, Env env, SourceSpan span)
{
    ExternalCall c = {.f = f,
                      .name = external->name ? external->name : inst->class_->name,
                      .span = span,
                      .where = env.inst};
    if (external->arguments.n > MAX_EXTERNAL_ARGUMENTS || (!external->name && inst->members.n)) {
        report_error(f, span, env.inst,
                     "function '%s' is external, and there is no built-in function \"%s\"\n"
                     "write it with an algorithm",
                     inst->class_->name, c.name);
        return false;
    }
    for (size_t i = 0; i < external->arguments.n; i++) {
        const Expr *e = external->arguments.items[i];
        LocalName *frame = e->kind == EX_REF && !e->ref->rest && !e->ref->subscripts.n
                               ? frame_of(e->ref->name, env)
                               : NULL;
        if (is_output(frame)) {
            c.output[c.n] = frame;
            c.a[c.n++] = frame->value;
            continue;
        }
        c.a[c.n] = evaluate(f, e, env);
        if (c.a[c.n++].kind == V_NONE)
            return false;
    }
    if (!external_dispatch(&c, inst))
        return false;
    LocalName *frame = external->result ? frame_of(external->result->name, env) : NULL;
    if (frame && c.result.kind == V_INTEGER &&
        member_type(f, (Member *)frame->variable)->kind == TY_ENUM) {
        c.result.kind = V_ENUM;
        c.result.literals = member_type(f, (Member *)frame->variable)->class_;
    }
    if (frame)
        frame->value = c.result;
    return true;
}
