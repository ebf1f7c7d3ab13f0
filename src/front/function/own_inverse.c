/* own_inverse.c - annotations of functions beside derivative: inverse, smoothOrder, GenerateEvents
 * (Modelica 12.8, 12.7.4, 18.3).
 *
 *   inverse(u = g(..., y, ...))  the input u by the result y and the other inputs; equation/
 *                                annotated.c asks for it where an equation has to be solved for u.
 *                                A g that searches, in a loop whose end variables decide, is no
 *                                help: the iteration of the system is better at that;
 *   smoothOrder = n              how often the function may be differentiated; of more a warning
 *                                tells. One with a derivative of its own needs none;
 *   GenerateEvents = true        its relations are events, as if they stood in the equation.
 *
 * Inline and LateInline are hints that nothing depends on: calls are expressions of their equation,
 * large ones stay calls (large.c).
 */
#include <string.h>

#include "front/function/function.h"
#include "front/lower/lower.h"

/* an annotation of this name, of the class itself or of one that it extends; NULL: none */
static const Argument *find_annotation(const Inst *inst, const char *name)
{
    for (const ClassPart *part = inst->parts; part; part = part->next)
        for (size_t i = 0; i < part->class_->comment.annotation.n; i++) {
            const Argument *a = part->class_->comment.annotation.items[i];
            if (a->kind == AR_MODIFY && !a->name->rest && a->modification &&
                strcmp(a->name->name, name) == 0)
                return a;
        }
    return NULL;
}

bool generates_events(const Inst *inst)
{
    const Argument *a =
        is_function_class(inst->class_) ? find_annotation(inst, "GenerateEvents") : NULL;
    const Expr *e = a ? a->modification->value : NULL;
    return e && e->kind == EX_BOOLEAN && e->boolean;
}

static int32_t smooth_order(const Inst *inst)
{
    const Argument *a = find_annotation(inst, "smoothOrder");
    const Expr *e = a ? a->modification->value : NULL;
    return e && e->kind == EX_INTEGER && e->integer < 1000 ? (int32_t)e->integer : -1;
}

bool has_call_notes(const Front *f, const Inst *inst)
{
    return f->lower && !f->making && inst->class_ && !inst->by && is_function_class(inst->class_) &&
           (find_annotation(inst, "inverse") ||
            (!has_own_derivative(f, inst) && smooth_order(inst) >= 0));
}

/* does the function have one output? */
static const Member *single_output(const Inst *inst)
{
    const Member *output = NULL;
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        const Member *m = inst->members.items[i];
        if (m->component && m->prefix.causality == CAUSE_OUTPUT) {
            output = m;
            n++;
        }
    }
    return n == 1 ? output : NULL;
}

/* inverse(u = ...) has names of inputs */
static void check_inverse(Front *f, const Inst *inst)
{
    const Argument *a = find_annotation(inst, "inverse");
    for (size_t i = 0; i < a->modification->arguments.n; i++) {
        const Argument *b = a->modification->arguments.items[i];
        const Member *m = b->kind == AR_MODIFY ? inst_find(inst, NULL, b->name->name) : NULL;
        if (!m || !is_input(inst, m))
            report_error(f, b->span, NULL,
                         "'%s' is no input of '%s', an inverse gives one of its inputs\n"
                         "write inverse(input = function(output, other inputs))",
                         b->kind == AR_MODIFY ? b->name->name : "this", inst->class_->name);
    }
}

void note_annotated_call(Front *f, Inst *inst, const Value *inputs, size_t n, const Value *first,
                         SourceSpan span, const Inst *where)
{
    Lower *lower = f->lower;
    bool inverse = find_annotation(inst, "inverse") && single_output(inst) && first->n == 1;
    CellCall call = {.smooth = has_own_derivative(f, inst) ? -1 : smooth_order(inst),
                     .name = inst->class_->name,
                     .path = lower_inst_text(lower, where),
                     .place = span_place(span)};
    if (first->kind != V_REAL || lower->is_asked)
        return;
    if (find_annotation(inst, "inverse"))
        check_inverse(f, inst);
    if (inverse)
        call.has_inverse = list_call(f, inst, inputs, n, span, where, &call.which, &call.list);
    for (size_t k = 0; k < first->n && !f->work.failed; k++) {
        double element = value_at(first, k);
        call.value = is_symbolic(element) ? symbolic_node(f, element) : NO_NODE;
        NodeKind kind =
            call.value ? (NodeKind)node_data(lower_graph(f), call.value)->kind : NODE_CONSTANT;
        if (kind == NODE_CONSTANT || kind == NODE_SYMBOL) /* it does nothing with its inputs */
            continue;
        if (call.has_inverse)
            lower_graph(f)->inverse = inverse_value;
        if (!cell_add_call(&lower->cell, call))
            f->work.failed = true;
    }
}

/* ------------------------------------------------------------------ the inverse */

/* the input that the element belongs to, if it is a scalar; NULL: it is none */
static const Member *input_of_element(const Inst *inst, const Value *inputs, size_t n,
                                      size_t element)
{
    size_t at = 0, k = 0;
    for (size_t i = 0; i < inst->members.n && k < n; i++) {
        if (!is_input(inst, inst->members.items[i]))
            continue;
        size_t more = count_elements(&inputs[k]);
        if (element < at + more)
            return inputs[k].kind == V_REAL && inputs[k].ndim == 0 ? inst->members.items[i] : NULL;
        at += more;
        k++;
    }
    return NULL;
}

/* inverse(u = g(...)): the expression of the input; NULL: there is none */
static const Expr *inverse_of_input(const Inst *inst, const char *input)
{
    const Argument *a = find_annotation(inst, "inverse");
    for (size_t i = 0; a && i < a->modification->arguments.n; i++) {
        const Argument *b = a->modification->arguments.items[i];
        if (b->kind == AR_MODIFY && b->name->name == input && b->modification &&
            b->modification->value)
            return b->modification->value;
    }
    return NULL;
}

/* g with the values of the other inputs and of the result under their names */
static Value evaluate_inverse(Front *f, const struct OwnDerivativeCall *call, const Value *inputs,
                              const Member *unknown, const Expr *e, Value result)
{
    LocalName frames[MAX_INPUTS + 1];
    Inst *inst = call->function;
    Env env = {.inst = inst, .part = inst->parts};
    size_t n = 0, k = 0;
    for (size_t i = 0; i < inst->members.n && k < call->ninput; i++) {
        const Member *m = inst->members.items[i];
        if (!is_input(inst, m))
            continue;
        frames[n] = (LocalName){env.frame, m->name, inputs[k++], m};
        if (m != unknown)
            env.frame = &frames[n++];
    }
    const Member *output = single_output(inst);
    frames[n] = (LocalName){env.frame, output->name, result, output};
    env.frame = &frames[n];
    bool searches = f->refuses_search;
    f->refuses_search = true;
    Value v = evaluate(f, e, env);
    f->refuses_search = searches;
    return v;
}

/* with the front end at work on this cell again */
static Node find_inverse(Lower *lower, uint32_t which, Node list, uint32_t element, Node result)
{
    Front *f = lower->front;
    struct OwnDerivativeCall call;
    Value *inputs = own_derivative_inputs(lower, which, list, &call);
    const Member *unknown =
        inputs ? input_of_element(call.function, inputs, call.ninput, element) : NULL;
    const Expr *e = unknown ? inverse_of_input(call.function, unknown->name) : NULL;
    if (!e)
        return NO_NODE;
    Value v = evaluate_inverse(f, &call, inputs, unknown, e,
                               value_number(V_REAL, symbolic_number(f, result)));
    return v.kind == V_REAL && v.ndim == 0 ? symbolic_node(f, v.x) : NO_NODE;
}

Node inverse_value(void *user, uint32_t which, Node list, uint32_t element, Node result)
{
    Lower *lower = user;
    const LateCall late = late_call_begin(lower);
    Node node = find_inverse(lower, which, list, element, result);
    late_call_end(&late);
    return lower->front->work.failed ? NO_NODE : node;
}
