/* external.c - external clauses: arguments, and which function it is. See external.h. */
#include "front/external/external.h"

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

/* functions of C and of Modelica itself, external "builtin" y = sin(x): 1 done, 0 after an error,
 * -1 there is none of this name */
static int math_call(ExternalCall *c)
{
    static const struct {
        const char *name;
        Function function;
        size_t n;
    } functions[] = {
        {"sin", FUNCTION_SIN, 1},     {"cos", FUNCTION_COS, 1},     {"tan", FUNCTION_TAN, 1},
        {"asin", FUNCTION_ASIN, 1},   {"acos", FUNCTION_ACOS, 1},   {"atan", FUNCTION_ATAN, 1},
        {"atan2", FUNCTION_ATAN2, 2}, {"sinh", FUNCTION_SINH, 1},   {"cosh", FUNCTION_COSH, 1},
        {"tanh", FUNCTION_TANH, 1},   {"exp", FUNCTION_EXP, 1},     {"log", FUNCTION_LOG, 1},
        {"log10", FUNCTION_LOG10, 1}, {"sqrt", FUNCTION_SQRT, 1},   {"fabs", FUNCTION_ABS, 1},
        {"abs", FUNCTION_ABS, 1},     {"floor", FUNCTION_FLOOR, 1}, {"ceil", FUNCTION_CEIL, 1},
        {"pow", FUNCTION_POW, 2},     {"fmin", FUNCTION_MIN, 2},    {"fmax", FUNCTION_MAX, 2},
    };
    size_t i = 0, n = sizeof functions / sizeof *functions;
    while (i < n && strcmp(functions[i].name, c->name) != 0)
        i++;
    if (i == n)
        return -1;
    bool fits = c->n == functions[i].n;
    for (size_t k = 0; fits && k < c->n; k++)
        fits = (c->a[k].kind == V_REAL || c->a[k].kind == V_INTEGER) && c->a[k].ndim == 0;
    if (!fits)
        return external_fail(c, "%zu number(s) are needed\nsee its declaration", functions[i].n);
    double a = c->a[0].x, b = c->a[c->n - 1].x;
    bool symbolic = is_symbolic(a) || is_symbolic(b);
    c->result = value_number(V_REAL, symbolic ? symbolic_call(c->f, functions[i].function, a, b)
                                              : function_value(functions[i].function, a, b));
    return 1;
}

/* runs the routine that an external clause names, if it is one of ours */
static bool external_dispatch(ExternalCall *c, const Inst *inst)
{
    if (strncmp(c->name, tables, sizeof tables - 1) == 0)
        return table_call(c, c->name + sizeof tables - 1);
    int (*const kinds[])(ExternalCall *) = {text_call, random_call, matrix_call, fourier_call,
                                            math_call};
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
    return frame && frame->variable && frame->variable->prefix.causality == CAUSE_OUTPUT;
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
    bool tells =
        strcmp(c.name, "ModelicaError") == 0 || strcmp(c.name, "ModelicaInternal_print") == 0;
    for (size_t i = 0; i < c.n && !tells; i++)
        if (text_is_open(&c.a[i]))
            return external_fail(&c, "a text that variables decide must be known before the "
                                     "simulation\nuse constants and parameters here");
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
