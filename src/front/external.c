/* external.c - external clauses: arguments, and the functions of texts. See external.h. */
#include "front/external.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool is_external_object(const Class *class_)
{
    for (size_t i = 0; class_ && i < class_->elements.n; i++) {
        const Element *e = class_->elements.items[i];
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
    wrong(c->f, c->spot, c->where, "%s: %s", c->name, text);
    return false;
}

/* ------------------------------------------------------------------ texts */

static bool is_text(const ExternalCall *c, size_t i)
{
    return c->a[i].kind == V_STRING && c->a[i].ndim == 0;
}

static bool is_whole(const ExternalCall *c, size_t i)
{
    return (c->a[i].kind == V_INTEGER || c->a[i].kind == V_BOOLEAN) && c->a[i].ndim == 0 &&
           !is_symbolic(c->a[i].x);
}

static bool string_length(ExternalCall *c)
{
    if (!is_text(c, 0))
        return external_fail(c, "a text is needed\ngive it a String");
    c->result = value_number(V_INTEGER, (double)strlen(c->a[0].s));
    return true;
}

/* (text, first, last), both from 1 and included */
static bool string_part(ExternalCall *c)
{
    if (!is_text(c, 0) || !is_whole(c, 1) || !is_whole(c, 2))
        return external_fail(c, "a text and two indices are needed\nsee its declaration");
    double length = (double)strlen(c->a[0].s), first = c->a[1].x, last = c->a[2].x;
    if (first < 1 || last > length || last < first)
        return external_fail(c,
                             "there are no characters %g to %g of \"%.100s\"\nindices count from 1",
                             first, last, c->a[0].s);
    const char *text =
        arena_text(&c->f->work, c->a[0].s + (size_t)first - 1, (size_t)(last - first) + 1);
    if (!text)
        return false;
    c->result = value_string(text);
    return true;
}

/* (text, text, case counts): 1 less, 2 equal, 3 greater, as Modelica.Utilities.Types.Compare */
static bool string_compare(ExternalCall *c)
{
    if (!is_text(c, 0) || !is_text(c, 1) || !is_whole(c, 2))
        return external_fail(c, "two texts and a Boolean are needed\nsee its declaration");
    const char *a = c->a[0].s, *b = c->a[1].s;
    bool exact = c->a[2].x != 0;
    int order = 0;
    for (; order == 0; a++, b++) {
        int x = (unsigned char)*a, y = (unsigned char)*b;
        order = exact ? x - y : tolower(x) - tolower(y);
        if (!*a)
            break;
    }
    c->result = value_number(V_INTEGER, order < 0 ? 1 : order == 0 ? 2 : 3);
    return true;
}

/* (text, index): the first index from there on that is no white space */
static bool string_skip(ExternalCall *c)
{
    if (!is_text(c, 0) || !is_whole(c, 1) || c->a[1].x < 1)
        return external_fail(c, "a text and an index are needed\nindices count from 1");
    size_t at = (size_t)c->a[1].x - 1, n = strlen(c->a[0].s);
    while (at < n && isspace((unsigned char)c->a[0].s[at]))
        at++;
    c->result = value_number(V_INTEGER, (double)at + 1);
    return true;
}

/* ------------------------------------------------------------------ the clause */

/* the program stops with the text of the model */
static bool report_text(ExternalCall *c)
{
    if (!is_text(c, 0))
        return external_fail(c, "a text is needed\ngive it a String");
    wrong(c->f, c->spot, c->where, "the model says: %s\nit calls an error itself", c->a[0].s);
    return false;
}

static const struct {
    const char *name;
    bool (*run)(ExternalCall *c);
    size_t n; /* of arguments */
} externals[] = {
    {"ModelicaStrings_length", string_length, 1},
    {"ModelicaStrings_substring", string_part, 3},
    {"ModelicaStrings_compare", string_compare, 3},
    {"ModelicaStrings_skipWhiteSpace", string_skip, 2},
    {"ModelicaError", report_text, 1},
};

static const char tables[] = "ModelicaStandardTables_";

static bool external_dispatch(ExternalCall *c, const Inst *inst)
{
    if (strncmp(c->name, tables, sizeof tables - 1) == 0)
        return table_call(c, c->name + sizeof tables - 1);
    for (size_t i = 0; i < sizeof externals / sizeof *externals; i++)
        if (strcmp(externals[i].name, c->name) == 0)
            return c->n == externals[i].n
                       ? externals[i].run(c)
                       : external_fail(c, "%zu arguments, not %zu\nsee its declaration",
                                       externals[i].n, c->n);
    wrong(c->f, c->spot, c->where,
          "function '%s' is external (\"%s\"), and there is no built-in function of this name\n"
          "write it with an algorithm",
          inst->class_->name, c->name);
    return false;
}

static Frame *frame_of(const char *name, Env env)
{
    for (Frame *frame = env.frame; frame; frame = frame->outer)
        if (frame->name == name)
            return frame;
    return NULL;
}

static bool is_output(const Frame *frame)
{
    return frame && frame->variable && frame->variable->component->prefix.causality == CAUSE_OUTPUT;
}

bool external_run(Front *f, const Inst *inst, const External *external, Env env, Spot spot)
{
    ExternalCall c = {.f = f,
                      .name = external->name ? external->name : inst->class_->name,
                      .spot = spot,
                      .where = env.inst};
    if (external->arguments.n > MAX_EXTERNAL_ARGUMENTS || (!external->name && inst->members.n)) {
        wrong(f, spot, env.inst,
              "function '%s' is external, and there is no built-in function \"%s\"\n"
              "write it with an algorithm",
              inst->class_->name, c.name);
        return false;
    }
    for (size_t i = 0; i < external->arguments.n; i++) {
        const Expr *e = external->arguments.items[i];
        Frame *frame = e->kind == EX_REF && !e->ref->rest && !e->ref->subscripts.n
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
    Frame *frame = external->result ? frame_of(external->result->name, env) : NULL;
    if (frame && c.result.kind == V_INTEGER &&
        member_type(f, (Member *)frame->variable)->kind == TY_ENUM) {
        c.result.kind = V_ENUM;
        c.result.literals = member_type(f, (Member *)frame->variable)->class_;
    }
    if (frame)
        frame->value = c.result;
    return true;
}
