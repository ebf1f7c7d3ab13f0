/* call.c - calls of functions that are written in Modelica: arguments, frames, results.
 *
 * Arguments are evaluated once, where the call stands; arrays for scalar inputs call the function
 * for each element. Every variable has a frame, opened behind those that its sizes and its default
 * need, whatever their order in the text; function.c runs the statements.
 */
#include <stdio.h>
#include <string.h>

#include "front/external/external.h"
#include "front/function/function.h"
#include "front/function/large.h"
#include "front/lower/lower.h"
#include "front/divide/noted.h"
#include "front/function/partial.h"

/* ------------------------------------------------------------------ arguments */

/* Is the member an input? Fields of a record that may be modified are those of its constructor. */
bool is_input(const Inst *inst, const Member *m)
{
    if (!m->component)
        return false;
    if (is_record_class(inst->class_))
        return !m->element->final;
    return m->prefix.causality == CAUSE_INPUT && !member_is_parameter(m);
}

Expr *call_argument(const CallExpr *call, size_t position, const char *name)
{
    if (position < call->positional.n)
        return call->positional.items[position];
    for (size_t i = 0; i < call->named.n; i++)
        if (call->named.items[i]->name == name)
            return call->named.items[i]->value;
    return NULL;
}

/* Is the input of the i-th named argument given before, by its position or by name? */
static bool is_given_before(const CallExpr *call, const Inst *inst, size_t i)
{
    const char *name = call->named.items[i]->name;
    for (size_t k = 0; k < i; k++)
        if (call->named.items[k]->name == name)
            return true;
    for (size_t k = 0, position = 0; position < call->positional.n && k < inst->members.n; k++) {
        const Member *m = inst->members.items[k];
        if (is_input(inst, m) && position++ < call->positional.n && m->name == name)
            return true;
    }
    return false;
}

/* too many arguments, names that no input has, inputs that are given twice */
static bool check_arguments(Front *f, const Expr *e, const Inst *inst, size_t ninput, Env env)
{
    const CallExpr *call = e->call;
    if (call->positional.n > ninput) {
        report_error(f, call->positional.items[ninput]->span, env.inst,
                     "function '%s' has %zu input(s), but %zu are given\nleave out the others",
                     inst->class_->name, ninput, call->positional.n);
        return false;
    }
    for (size_t i = 0; i < call->named.n; i++) {
        const Member *m = inst_find(inst, NULL, call->named.items[i]->name);
        if (!m || !is_input(inst, m)) {
            report_error(f, call->named.items[i]->span, env.inst,
                         "function '%s' has no input '%s'\nsee its declaration", inst->class_->name,
                         call->named.items[i]->name);
            return false;
        }
        if (is_given_before(call, inst, i)) {
            report_error(f, call->named.items[i]->span, env.inst,
                         "the input '%s' of '%s' is given twice\nremove one of the two",
                         call->named.items[i]->name, inst->class_->name);
            return false;
        }
    }
    return true;
}

/* frames of a call that is over are used again: recursion must not pile them up */
static void close_frames(Front *f, LocalName *frame)
{
    while (frame) {
        LocalName *outer = frame->outer;
        *frame = (LocalName){.outer = f->frames};
        f->frames = frame;
        frame = outer;
    }
}

/* ------------------------------------------------------------------ frames */

/* the frame of one variable, with its argument or default; position: of an input among those */
static bool open_frame(Front *f, const Expr *e, Inst *inst, Member *m, Env env,
                       const Value *arguments, size_t position, Env *inside)
{
    bool record = is_record_class(inst->class_), input = is_input(inst, m);
    LocalName *frame = f->frames;
    if (frame)
        f->frames = frame->outer;
    else if (!(frame = work_zeroed(f, sizeof *frame)))
        return false;
    *frame = (LocalName){inside->frame, m->name, {0}, m};
    const Expr *given = input ? call_argument(e->call, position, m->name) : NULL;
    if (given || function_default(m)) {
        Value v = given ? arguments[position] : field_default(f, m, inside->frame);
        inside->frame = frame;
        frame->value = v; /* input Real A[:, size(A, 1)] */
        SourceSpan span = given ? given->span : m->component->name_span;
        return v.kind != V_NONE && check_dimensions(f, m, &v, span, *inside) &&
               store_value(f, frame, v, span, env.inst);
    }
    if (input && !(record && member_type(f, m)->kind == TY_CLASS)) {
        report_error(f, e->span, env.inst,
                     "%s '%s' needs its input '%s'\ngive it a value in the call",
                     record ? "the constructor of" : "function", inst->class_->name, m->name);
        inside->frame = frame;
        return false;
    }
    frame->value = unassigned_value(f, m, *inside);
    inside->frame = frame;
    return true;
}

/* a frame for each variable of a function or record, in an order in which values come before those
 * that read them */
static bool open_frames(Front *f, const Expr *e, Inst *inst, Env env, const Value *arguments,
                        Env *inside)
{
    bool record = is_record_class(inst->class_), seeded = !inst->by;
    const uint32_t *order = function_order(f, inst);
    for (size_t i = 0; order && i < inst->members.n; i++) {
        Member *m = inst->members.items[order[i]];
        if (!seeded && !is_input(inst, m)) {
            partial_seed(f, inst, inside->frame);
            seeded = true;
        }
        if (!m->component || (m->prefix.variability == VARY_CONSTANT && !record))
            continue; /* a parameter of a function may depend on its inputs */
        size_t position = 0;
        for (size_t k = 0; k < order[i] && is_input(inst, m); k++)
            position += is_input(inst, inst->members.items[k]);
        if (!open_frame(f, e, inst, m, env, arguments, position, inside))
            return false;
    }
    return order != NULL;
}

/* results in the order of the outputs; the first one is returned */
static Value take_results(Front *f, const Inst *inst, Env env, SourceSpan span, Value *all,
                          size_t nall)
{
    Value first = {0};
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        const Member *m = inst->members.items[i];
        if (!m->component || m->prefix.causality != CAUSE_OUTPUT)
            continue;
        const LocalName *frame = env.frame;
        while (frame && frame->variable != m)
            frame = frame->outer;
        Value v = frame ? frame->value : (Value){0};
        if (v.kind == V_NONE && (n == 0 || (all && n < nall)))
            report_error(f, span, env.inst,
                         "function '%s' has given no value to its output '%s'\nassign it",
                         inst->class_->name, m->name);
        if (n == 0)
            first = v;
        if (all && n < nall)
            all[n] = v;
        n++;
    }
    if (all && nall > n && n)
        report_error(f, span, env.inst,
                     "function '%s' has %zu output(s), but %zu are asked for\n%s",
                     inst->class_->name, n, nall, "leave out the others");
    if (n == 0 && !(nall && !all)) /* a statement needs none */
        report_error(f, span, env.inst, "function '%s' has no output\nonly its results can be used",
                     inst->class_->name);
    return first;
}

/* the record of a constructor: all its fields */
static Value take_record(Front *f, const Inst *inst, Env env)
{
    size_t n = 0;
    Value v = record_create(f, inst->class_, inst->members.n, 0, NULL);
    for (size_t i = 0; v.kind != V_NONE && i < inst->members.n; i++) {
        const LocalName *frame = env.frame;
        while (frame && frame->variable != inst->members.items[i])
            frame = frame->outer;
        if (!frame)
            continue;
        v.record->names[n] = frame->name;
        v.record->fields[n++] = frame->value;
    }
    if (v.kind != V_NONE)
        v.record->n = n;
    return v;
}

static bool has_while(const EquationList *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const Equation *s = list->items[i];
        if (s->kind == EQ_WHILE || has_while(&s->body))
            return true;
        for (size_t k = 0; k < s->branches.n; k++)
            if (has_while(&s->branches.items[k]->body))
                return true;
    }
    return false;
}

/* A function that searches, with a loop whose end is not known in advance, is computed with
 * numbers if its arguments follow from parameters: these decide what it does, round by round. */
static void take_parameters(Front *f, const Inst *inst, Value *arguments)
{
    bool searches = false, known = true;
    size_t n = 0;
    for (const ClassPart *part = inst->parts; part && f->lower; part = part->next)
        for (size_t i = 0; i < part->class_->algorithms.n; i++)
            searches |= has_while(&part->class_->algorithms.items[i]->statements);
    for (size_t i = 0; searches && i < inst->members.n; i++)
        if (is_input(inst, inst->members.items[i])) {
            Value v = arguments[n++];
            known = known && (v.kind == V_NONE || (!has_seeds(f, &v) && parameter_number(f, &v)));
        }
    for (size_t i = 0; searches && known && i < n; i++)
        parameter_number(f, &arguments[i]);
}

/* the values of the inputs, defaults included, in their order */
static size_t take_inputs(const Inst *inst, Env inside, Value *to)
{
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n && n < MAX_INPUTS; i++) {
        const LocalName *frame = inside.frame;
        while (frame && frame->variable != inst->members.items[i])
            frame = frame->outer;
        if (frame && is_input(inst, inst->members.items[i]))
            to[n++] = frame->value;
    }
    return n;
}

/* opens the variables of the function, runs its statements, takes its results */
static Value call_written_out(Front *f, const Expr *e, Inst *inst, Env env, const Value *arguments,
                              Value *all, size_t nall)
{
    Env inside = {.inst = inst, .part = inst->parts};
    Value first = {0};
    PartialCall partial;
    if (inst->by && !partial_begin(f, inst, &partial))
        return first;
    bool of_variables = f->of_variables;
    const size_t nlocal = f->nlocal, nvariable = f->nvariable; /* those outside */
    f->of_variables = false;
    f->nfunction++;
    int literal = generates_events(inst) ? 0 : 1; /* other functions know no events */
    lower_literal(f, literal);
    bool good = open_frames(f, e, inst, env, arguments, &inside), own = has_own_derivative(f, inst);
    bool noted = has_call_notes(f, inst);
    Value inputs[MAX_INPUTS];
    size_t ninput = good && (own || noted) ? take_inputs(inst, inside, inputs) : 0;
    good = good && run_function(f, inst, inside, e->span);
    if (good && is_record_class(inst->class_))
        first = take_record(f, inst, inside);
    else if (good)
        first = take_results(f, inst, inside, e->span, all, nall);
    if (good && noted)
        note_annotated_call(f, inst, inputs, ninput, &first, e->span, env.inst);
    if (good && own)
        mark_own_derivative(f, inst, inputs, ninput, &first, all, nall, e->span, env.inst);
    close_frames(f, inside.frame);
    lower_literal(f, -literal);
    f->nfunction--;
    f->nlocal = nlocal;
    f->nvariable = nvariable;
    f->of_variables = of_variables;
    return inst->by ? partial_end(f, inst, &partial, first, all, nall, e->span) : first;
}

size_t call_for_all_results(Front *f, Inst *inst, const Value *inputs, size_t n, SourceSpan span,
                            Env env, Value *results, size_t most)
{
    Expr given = {.kind = EX_NONE, .span = span}, *items[MAX_INPUTS];
    CallExpr call = {.function = &(Ref){.span = span, .name = inst->class_->name}};
    Expr e = {.kind = EX_CALL, .span = span, .call = &call};
    Env inside = {.inst = inst, .part = inst->parts};
    size_t nresult = 0;
    for (size_t i = 0; i < n; i++)
        items[i] = &given;
    call.positional = (ExprList){items, n};
    f->nfunction++;
    lower_literal(f, 1);
    bool good =
        open_frames(f, &e, inst, env, inputs, &inside) && run_function(f, inst, inside, span);
    for (size_t i = 0; good && i < inst->members.n; i++) {
        const Member *m = inst->members.items[i];
        if (!m->component || m->prefix.causality != CAUSE_OUTPUT)
            continue;
        const LocalName *frame = inside.frame;
        while (frame && frame->variable != m)
            frame = frame->outer;
        if (nresult < most && frame)
            results[nresult] = frame->value;
        nresult++;
    }
    close_frames(f, inside.frame);
    lower_literal(f, -1);
    f->nfunction--;
    return nresult;
}

/* the values of all inputs of a call; false after reporting what is wrong with them */
static bool find_inputs(Front *f, const Expr *e, Inst *inst, Env env, const Value *arguments,
                        Value *inputs, size_t *n)
{
    Env inside = {.inst = inst, .part = inst->parts};
    f->nfunction++;
    lower_literal(f, 1);
    bool good = open_frames(f, e, inst, env, arguments, &inside);
    *n = good ? take_inputs(inst, inside, inputs) : 0;
    close_frames(f, inside.frame);
    lower_literal(f, -1);
    f->nfunction--;
    return good;
}

static bool is_still_element(void *user, Value *v, double *element)
{
    (void)user, (void)v;
    return !is_symbolic(*element);
}

/* a call of a large function as it stays; false: it is to be written out */
static bool call_stays(Front *f, const Expr *e, Inst *inst, Env env, const Value *arguments,
                       Value *first, Value *all, size_t nall)
{
    Value inputs[MAX_INPUTS];
    size_t n = 0, still = 0;
    bool of_variables = f->of_variables;
    f->of_variables = false;
    bool good = find_inputs(f, e, inst, env, arguments, inputs, &n);
    while (still < n && visit_elements(&inputs[still], is_still_element, NULL))
        still++;
    good = good && still < n && large_call(f, inst, inputs, n, e->span, env, first, all, nall);
    if (good && has_call_notes(f, inst))
        note_annotated_call(f, inst, inputs, n, first, e->span, env.inst);
    if (good && has_own_derivative(f, inst))
        mark_own_derivative(f, inst, inputs, n, first, all, nall, e->span, env.inst);
    f->of_variables = of_variables;
    return good;
}

/* one call: written out, unless that becomes too much */
static Value call_once(Front *f, const Expr *e, Inst *inst, Env env, const Value *arguments,
                       Value *all, size_t nall)
{
    Value first = {0};
    if (!large_is_possible(f, inst))
        return call_written_out(f, e, inst, env, arguments, all, nall);
    size_t nwrong = f->nwrong;
    if (inst->is_large && call_stays(f, e, inst, env, arguments, &first, all, nall))
        return first;
    if (f->nwrong != nwrong || f->work.failed)
        return (Value){0};
    LargeMark mark = large_mark(f);
    first = call_written_out(f, e, inst, env, arguments, all, nall);
    if (inst->is_large || first.kind == V_NONE || f->nwrong != nwrong || !large_is_more(f, &mark))
        return first;
    inst->is_large = true;
    f->nlarge += lower_graph(f)->nodes.n - mark.nodes - (f->nlarge - mark.calls);
    large_exchange_assertions(f, &mark);
    Value again;
    if (call_stays(f, e, inst, env, arguments, &again, all, nall))
        return again;
    large_exchange_assertions(f, &mark);
    return first;
}

/* Arguments with more dimensions than the input: the function is called for each element (Modelica
 * 12.4.6). *extra: those dimensions, in front; false, with a diagnostic, if they do not agree. */
static bool find_extra(Front *f, const Expr *e, const Inst *inst, Env env, const Value *arguments,
                       Value *extra)
{
    size_t position = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!is_input(inst, m))
            continue;
        const Value *v = &arguments[position++];
        Dimension dims[VALUE_DIMS];
        int more = v->ndim - (int)dimensions_of(f, m, env, dims);
        if (v->kind == V_NONE || more <= 0)
            continue;
        bool same = extra->ndim == 0 || extra->ndim == more;
        for (int k = 0; k < more && same && extra->ndim; k++)
            same = extra->dim[k] == v->dim[k];
        if (!same) {
            report_error(
                f, e->span, env.inst,
                "the arguments of '%s' are arrays of different sizes\n"
                "a function of scalars is called for each element of arrays of the same sizes",
                inst->class_->name);
            return false;
        }
        extra->ndim = more;
        extra->n = 1;
        for (int k = 0; k < more; k++)
            extra->n *= extra->dim[k] = v->dim[k];
    }
    return true;
}

/* a function of scalars called with arrays: once for each element */
static Value call_for_each(Front *f, const Expr *e, Inst *inst, Env env, const Value *arguments,
                           size_t ninput, const Value *extra)
{
    Value *items = scratch_zeroed(f, (extra->n ? extra->n : 1) * sizeof *items), one[MAX_INPUTS];
    for (size_t k = 0; items && k < extra->n; k++) {
        size_t position = 0;
        for (size_t i = 0; i < inst->members.n && position < ninput; i++) {
            Member *m = inst->members.items[i];
            if (!is_input(inst, m))
                continue;
            Dimension dims[VALUE_DIMS];
            const Value *v = &arguments[position];
            bool many = v->kind != V_NONE && v->ndim > (int)dimensions_of(f, m, env, dims);
            one[position++] = many ? value_below(v, extra->ndim, k) : *v;
        }
        items[k] = call_once(f, e, inst, env, one, NULL, 0);
        if (items[k].kind == V_NONE)
            return (Value){0};
    }
    Value v = items ? value_stack(f, e->span, items, extra->n) : (Value){0};
    return value_reshape(f, e->span, &v, extra->ndim, extra->dim);
}

/* arguments are evaluated once, where the call stands */
static Value call_with_arguments(Front *f, const Expr *e, Inst *inst, Env env, Value *all,
                                 size_t nall)
{
    Value arguments[MAX_INPUTS] = {{0}}, extra = {0};
    NumberMark marks[MAX_INPUTS];
    bool symbolic = false;
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        const Member *m = inst->members.items[i];
        if (!is_input(inst, m))
            continue;
        if (n == MAX_INPUTS) {
            report_error(f, e->span, env.inst, "function '%s' has more than %d inputs\nuse arrays",
                         inst->class_->name, MAX_INPUTS);
            return (Value){0};
        }
        const Expr *given = call_argument(e->call, n, m->name);
        if (given && (arguments[n] = evaluate_operand(f, given, env, &marks[n])).kind == V_NONE)
            return (Value){0};
        symbolic |= f->numbers && value_is_symbolic(&arguments[n]);
        n++;
    }
    for (size_t i = inst->members.n, k = n; symbolic && i-- > 0;) { /* Integers count something */
        const Member *m = inst->members.items[i];
        const Expr *given = is_input(inst, m) ? call_argument(e->call, --k, m->name) : NULL;
        if (given && arguments[k].kind == V_REAL)
            arguments[k] = number_beside(f, given, env, arguments[k], &marks[k]);
    }
    if (!check_arguments(f, e, inst, n, env) || !find_extra(f, e, inst, env, arguments, &extra))
        return (Value){0};
    take_parameters(f, inst, arguments);
    return extra.ndim ? call_for_each(f, e, inst, env, arguments, n, &extra)
                      : call_once(f, e, inst, env, arguments, all, nall);
}

/* ------------------------------------------------------------------ functions as arguments */

bool is_function_class(const Class *class_)
{
    return class_ && (class_->kind == CLASS_FUNCTION || class_->kind == CLASS_OPERATOR_FUNCTION);
}

Value function_value_of(Front *f, Member *m, SourceSpan span)
{
    FunctionValue *value = scratch_zeroed(f, sizeof *value);
    if (!value || !class_inst(f, m, span))
        return (Value){0};
    value->member = m;
    return (Value){.kind = V_FUNCTION, .n = 1, .function = value};
}

/* the function that a frame of this name has; NULL: it is no such variable */
static const FunctionValue *function_variable(const Ref *name, Env env)
{
    for (const LocalName *frame = env.frame; frame && !name->rest && !name->global;
         frame = frame->outer)
        if (frame->name == name->name)
            return frame->value.kind == V_FUNCTION ? frame->value.function : NULL;
    return NULL;
}

/* function f(a = 1): the values that it has already, and those of the call */
Value evaluate_partial(Front *f, const Expr *e, Env env)
{
    const CallExpr *call = e->call;
    TypeKind predefined;
    const FunctionValue *known = function_variable(call->function, env);
    Member *m = known ? known->member : lookup_class(f, env, call->function, &predefined);
    Inst *inst = m && is_function_class(m->class_) ? class_inst(f, m, e->span) : NULL;
    if (!inst) {
        if (m)
            report_error(f, e->span, env.inst, "'%s' is no function\nname a function",
                         call->function->name);
        return (Value){0};
    }
    size_t n = (known ? known->n : 0) + call->named.n;
    FunctionValue *value = scratch_zeroed(f, sizeof *value);
    const char **names = scratch_zeroed(f, (n + 1) * sizeof *names);
    Value *values = scratch_zeroed(f, (n + 1) * sizeof *values);
    if (!value || !names || !values)
        return (Value){0};
    *value = (FunctionValue){m, 0, names, values};
    for (; known && value->n < known->n; value->n++) {
        names[value->n] = known->names[value->n];
        values[value->n] = known->values[value->n];
    }
    for (size_t i = 0; i < call->named.n; i++) {
        const NamedArgument *a = call->named.items[i];
        const Member *input = inst_find(inst, NULL, a->name);
        if (!input || !is_input(inst, input)) {
            report_error(f, a->span, env.inst,
                         "function '%s' has no input '%s'\nsee its declaration", inst->class_->name,
                         a->name);
            return (Value){0};
        }
        names[value->n] = a->name;
        values[value->n] = evaluate(f, a->value, env);
        if (values[value->n++].kind == V_NONE)
            return (Value){0};
    }
    return (Value){.kind = V_FUNCTION, .n = 1, .function = value};
}

/* a call of a function that is a variable: inputs that have no value yet are those of the call */
static Value call_function_value(Front *f, const FunctionValue *function, const Expr *e, Env env,
                                 Value *all, size_t nall)
{
    Inst *inst = class_inst(f, function->member, e->span);
    Value arguments[MAX_INPUTS] = {{0}};
    Expr given = {.kind = EX_NONE, .span = e->span};
    NamedArgument named[MAX_INPUTS], *list[MAX_INPUTS];
    size_t input = 0, position = 0, n = 0;
    for (size_t i = 0; inst && i < inst->members.n && input < MAX_INPUTS; i++) {
        const Member *m = inst->members.items[i];
        if (!is_input(inst, m))
            continue;
        Value v = {0};
        for (size_t k = 0; k < function->n; k++)
            if (function->names[k] == m->name)
                v = function->values[k];
        const Expr *x = v.kind != V_NONE ? NULL : call_argument(e->call, position, m->name);
        position += v.kind == V_NONE && position < e->call->positional.n;
        if (x && (v = evaluate(f, x, env)).kind == V_NONE)
            return v;
        if (v.kind != V_NONE) {
            named[n] = (NamedArgument){e->span, m->name, &given};
            list[n] = &named[n];
            n++;
        }
        arguments[input++] = v;
    }
    if (inst && position < e->call->positional.n) {
        report_error(f, e->span, env.inst,
                     "function '%s' has %zu free input(s), but %zu are given\n"
                     "leave out the others",
                     inst->class_->name, position, e->call->positional.n);
        return (Value){0};
    }
    CallExpr call = {.function = e->call->function, .named = {list, n}};
    Expr whole = {.kind = EX_CALL, .span = e->span, .call = &call};
    if (inst && inst->class_->partial) {
        report_error(
            f, e->span, env.inst,
            "function '%s' is partial and cannot be called\ncall a function that extends it",
            inst->class_->name);
        return (Value){0};
    }
    return inst ? call_once(f, &whole, inst, env, arguments, all, nall) : (Value){0};
}

/* E(i): the i-th literal of an enumeration (Modelica 4.9.5.3) */
static Value call_enumeration(Front *f, const Expr *e, const Class *literals, Env env)
{
    if (e->call->positional.n != 1 || e->call->named.n || e->call->iterators.n) {
        report_error(f, e->span, env.inst, "'%s' makes a literal of one Integer\nwrite %s(i)",
                     literals->name, literals->name);
        return (Value){0};
    }
    Value v = evaluate(f, e->call->positional.items[0], env);
    size_t n = literals->literals.n;
    if (v.kind == V_NONE)
        return v;
    if (v.kind != V_INTEGER) {
        report_error(f, e->span, env.inst,
                     "'%s' makes a literal of an Integer, this is of type %s\ngive it an Integer",
                     literals->name, value_kind_text(v.kind));
        return (Value){0};
    }
    for (size_t i = 0; i < v.n; i++) {
        double x = value_at(&v, i);
        if (is_symbolic(x)) {
            lower_require_index(f, x, n, literals->name, e->span, env.inst);
        } else if (x < 1 || x > (double)n) {
            report_error(f, e->span, env.inst,
                         "there is no literal number %g in '%s'\ngive a number from 1 to %zu", x,
                         literals->name, n);
            return (Value){0};
        }
    }
    v.kind = V_ENUM;
    v.literals = literals;
    v.unit = NULL;
    return v;
}

/* how Modelica writes what other languages call by this name; "" for all others */
static const char *function_elsewhere(const char *name)
{
    static const char *const known[][2] = {{"ln", "log(x)"},
                                           {"pow", "x^y"},
                                           {"power", "x^y"},
                                           {"fabs", "abs(x)"},
                                           {"arctan", "atan(x)"},
                                           {"arcsin", "asin(x)"},
                                           {"arccos", "acos(x)"},
                                           {"arctan2", "atan2(y, x)"},
                                           {"round", "floor(x + 0.5)"},
                                           {"trunc", "integer(x)"},
                                           {"length", "size(x, 1)"},
                                           {"len", "size(x, 1)"},
                                           {"inv", "a system of equations: A*x = b"},
                                           {"dot", "x*y"},
                                           {"norm", "sqrt(x*x)"},
                                           {"norm2", "sqrt(x*x)"},
                                           {"eye", "identity(n)"},
                                           {"diag", "diagonal(x)"},
                                           {"ddt", "der(x)"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0)
            return known[i][1];
    return "";
}

/* is the name of a function found nowhere? reports it, with what may be meant */
static bool is_unknown_function(Front *f, const Expr *e, Env env)
{
    const Ref *name = e->call->function;
    bool spatial = strcmp(name->name, "spatialDistribution") == 0;
    if (name->rest || (name->global && !spatial) ||
        lookup(f, env, name->name).kind != FOUND_NOTHING)
        return false;
    if (is_missing_elsewhere(env, name->name)) {
        f->nwrong++;
        return true;
    }
    if (spatial) {
        report_error(
            f, e->span, env.inst,
            "'%s' is not supported\nwrite the transport as volumes one after the other, or "
            "use delay where the velocity does not change",
            name->name);
        return true;
    }
    char hint[140];
    NearestName nearest = {.name = name->name};
    nearest_names(env, true, &nearest);
    nearest_builtins(&nearest);
    nearest_text(&nearest, hint, sizeof hint);
    if (*function_elsewhere(name->name))
        snprintf(hint, sizeof hint, "write %s", function_elsewhere(name->name));
    report_error(f, name->span, env.inst, "there is no function '%s'\n%s", name->name,
                 *hint ? hint : "declare it, or import it");
    return true;
}

/* The instance whose inputs a call of a class gives: a function, a record or the constructor of an
 * external object. NULL after reporting an error. */
static Inst *called_instance(Front *f, const Expr *e, Member *m, const Type *type, Env env)
{
    bool class_ = type->kind == TY_CLASS;
    bool record = class_ && is_record_class(type->class_);
    bool object = class_ && is_external_object(type->class_);
    if (!record && !object &&
        (!class_ ||
         (type->class_->kind != CLASS_FUNCTION && type->class_->kind != CLASS_OPERATOR_FUNCTION))) {
        report_error(f, e->span, env.inst, "'%s' is no function\nname a function",
                     e->call->function->name);
        return NULL;
    }
    if (e->call->iterators.n) {
        report_error(f, e->span, env.inst,
                     "'%s' cannot be used with an iterator\nonly sum, product, min and max can",
                     e->call->function->name);
        return NULL;
    }
    Inst *inst = class_inst(f, m, e->span);
    if (!inst)
        return NULL;
    if (type->class_->partial && !object) {
        report_error(f, e->span, env.inst,
                     "function '%s' is partial and cannot be called\n"
                     "call a function that extends it",
                     type->class_->name);
        return NULL;
    }
    Member *overloaded = record ? record_constructor(f, type->class_, e, env) : NULL;
    if (overloaded)
        return class_inst(f, overloaded, e->span);
    if (!object)
        return inst;
    Member *constructor = inst_find(inst, NULL, intern(f, "constructor"));
    return constructor && constructor->class_ ? class_inst(f, constructor, e->span) : NULL;
}

Value call_function(Front *f, const Expr *e, Env env, Value *all, size_t nall)
{
    const Ref *name = e->call->function;
    TypeKind predefined;
    const FunctionValue *variable = function_variable(name, env);
    if (variable)
        return call_function_value(f, variable, e, env, all, nall);
    if (is_unknown_function(f, e, env))
        return (Value){0};
    Member *m = lookup_class(f, env, name, &predefined);
    if (!m) {
        if (predefined != TY_NONE)
            report_error(f, e->span, env.inst, "'%s' is a type, not a function\nname a function",
                         name->name);
        return (Value){0};
    }
    Type type = type_follow(f, class_type(f, m), e->span);
    if (type.kind == TY_NONE)
        return (Value){0};
    if (type.kind == TY_ENUM)
        return call_enumeration(f, e, type.class_, env);
    Inst *inst = called_instance(f, e, m, &type, env);
    return inst ? call_with_arguments(f, e, inst, env, all, nall) : (Value){0};
}

Value call_with_values(Front *f, Member *function, const Value *arguments, size_t n,
                       SourceSpan span, Env env)
{
    return call_all_with_values(f, function, arguments, n, span, env, NULL, 0);
}

Value call_all_with_values(Front *f, Member *function, const Value *arguments, size_t n,
                           SourceSpan span, Env env, Value *all, size_t nall)
{
    Expr given = {.kind = EX_NONE, .span = span}, *items[MAX_INPUTS];
    CallExpr call = {.function = &(Ref){.span = span, .name = function->name}};
    Inst *inst = class_inst(f, function, span);
    if (!inst || n > MAX_INPUTS)
        return (Value){0};
    for (size_t i = 0; i < n; i++)
        items[i] = &given;
    call.positional = (ExprList){items, n};
    Expr e = {.kind = EX_CALL, .span = span, .call = &call};
    return call_once(f, &e, inst, env, arguments, all, nall);
}
