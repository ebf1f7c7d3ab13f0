/* own_derivative.c - annotation(derivative = g) of functions (Modelica 12.7.1).
 *
 * A function may hand over its derivative by time: another function, of the inputs of the first and
 * of their derivatives. It is called where a derivative is asked for and at no other time, which
 * may be long after the call: the result of the call is marked by a node (NODE_OWN_DERIVATIVE) that
 * has the elements of all inputs as a list. Their structure (sizes, fields, texts) is a
 * OwnDerivativeCall.
 *
 *   noDerivative    of inputs that g does not ask the derivative of
 *   zeroDerivative  likewise, but g holds only where that derivative is zero
 *   order = 2       g is the second derivative: what is differentiated are the last inputs, those
 *                   that the first derivative has got
 *
 * Functions that are built in (external clauses: tables) are differentiated as they are computed,
 * which is exact. Of several annotations the first that holds counts. Partial derivatives, which
 * Newton's method needs, are those of the statements.
 */
#include <string.h>

#include "front/function/function.h"
#include "front/lower/lower.h"

enum { MAX_OUTPUTS = 16 };

/* ------------------------------------------------------------------ elements */

bool is_number_kind(ValueKind kind)
{
    return kind == V_REAL || kind == V_INTEGER || kind == V_BOOLEAN || kind == V_ENUM;
}

bool visit_elements(Value *v, ElementVisit *visit, void *user)
{
    bool good = true;
    for (size_t i = 0; good && v->kind == V_RECORD && i < v->record->n; i++)
        good = visit_elements(&v->record->fields[i], visit, user);
    for (size_t i = 0; good && is_number_kind(v->kind) && i < v->n; i++)
        good = visit(user, v, v->num ? &v->num[i] : &v->x);
    return good;
}

bool same_structure(const Value *a, const Value *b)
{
    if (a->kind != b->kind || !value_same_sizes(a, b) || a->literals != b->literals)
        return false;
    if (a->kind == V_RECORD) {
        bool same = a->record->n == b->record->n && a->record->class_ == b->record->class_;
        for (size_t i = 0; same && i < a->record->n; i++)
            same = same_structure(&a->record->fields[i], &b->record->fields[i]);
        return same;
    }
    return is_number_kind(a->kind) || value_identical(a, b);
}

bool list_element(void *user, Value *v, double *element)
{
    ElementNodes *list = user;
    bool varies = is_symbolic(*element);
    (void)v;
    list->varies |= varies;
    return (list->without_numbers && !varies) ||
           vec_push(list->f->alloc, &list->nodes, symbolic_node(list->f, *element));
}

static bool has_real(void *user, Value *v, double *element)
{
    (void)user, (void)element;
    return v->kind != V_REAL;
}

static bool is_of_reals(Value *v)
{
    return !visit_elements(v, has_real, NULL);
}

/* ------------------------------------------------------------------ annotations */

/* the next annotation derivative = g behind the i-th; NULL: there is none */
static const Argument *next_derivative(const Class *function, size_t *i)
{
    const ArgumentList *list = &function->comment.annotation;
    while (*i < list->n) {
        const Argument *a = list->items[(*i)++];
        if (a->kind == AR_MODIFY && a->modification && a->modification->value &&
            a->modification->value->kind == EX_REF && strcmp(a->name->name, "derivative") == 0)
            return a;
    }
    return NULL;
}

/* is the input named by noDerivative or zeroDerivative? */
static bool is_named(const Argument *derivative, const char *what, const char *input)
{
    const ArgumentList *list = &derivative->modification->arguments;
    for (size_t i = 0; i < list->n; i++) {
        const Argument *a = list->items[i];
        const Expr *e = a->kind == AR_MODIFY && a->modification ? a->modification->value : NULL;
        if (e && e->kind == EX_REF && strcmp(a->name->name, what) == 0 && e->ref->name == input)
            return true;
    }
    return false;
}

static long long order_of(const Argument *derivative)
{
    const ArgumentList *list = &derivative->modification->arguments;
    for (size_t i = 0; i < list->n; i++) {
        const Argument *a = list->items[i];
        const Expr *e = a->kind == AR_MODIFY && a->modification ? a->modification->value : NULL;
        if (e && e->kind == EX_INTEGER && strcmp(a->name->name, "order") == 0)
            return (long long)e->integer;
    }
    return 1;
}

/* ------------------------------------------------------------------ marks */

typedef struct Marking {
    Front *f;
    struct OwnDerivativeCall call;
    Node list;
    bool good;
} Marking;

/* the number of what a call is made of, the same for equal ones; UINT32_MAX: memory ran out */
static uint32_t own_derivative_number(Front *f, const struct OwnDerivativeCall *call)
{
    for (size_t i = f->own_derivatives.n; i-- > 0;) {
        const struct OwnDerivativeCall *other = &f->own_derivatives.items[i];
        bool same = other->function == call->function && other->output == call->output &&
                    other->element == call->element && other->ninput == call->ninput;
        for (size_t k = 0; same && k < call->ninput; k++)
            same = same_structure(&other->inputs[k], &call->inputs[k]);
        if (same)
            return (uint32_t)(f->nown_before + i);
    }
    struct OwnDerivativeCall kept = *call;
    kept.inputs = scratch_zeroed(f, (call->ninput + 1) * sizeof *kept.inputs);
    for (size_t k = 0; kept.inputs && k < call->ninput; k++)
        kept.inputs[k] = value_copy(f, &call->inputs[k], call->span);
    if (!kept.inputs || !vec_push(f->alloc, &f->own_derivatives, kept)) {
        f->work.failed = true;
        return UINT32_MAX;
    }
    return (uint32_t)(f->nown_before + f->own_derivatives.n - 1);
}

/* a Real of an output that is an expression becomes a node that knows the call and its number in it
 */
static bool mark_element(void *user, Value *v, double *element)
{
    Marking *m = user;
    Front *f = m->f;
    Graph *g = lower_graph(f);
    if (v->kind != V_REAL)
        return true;
    if (is_symbolic(*element)) {
        uint32_t number = own_derivative_number(f, &m->call);
        Node node = number == UINT32_MAX
                        ? NO_NODE
                        : node_make(g, NODE_OWN_DERIVATIVE, symbolic_node(f, *element), m->list,
                                    node_constant(g, number));
        if (!node)
            return m->good = false;
        *element = symbolic_element(node);
    }
    m->call.element++;
    return true;
}

/* the Reals of the outputs are marked; *first is the value of the first */
static void mark_results(Front *f, Marking *m, Value *first, Value *all, size_t nall)
{
    for (size_t k = 0; m->good && k < (all && nall ? nall : 1); k++) {
        Value *v = all && nall ? &all[k] : first;
        if (v->kind == V_NONE)
            continue;
        *v = value_copy(f, v, m->call.span);
        m->call.output = (uint32_t)k;
        m->call.element = 0;
        visit_elements(v, mark_element, m);
        if (k == 0)
            *first = *v;
    }
}

bool has_own_derivative(const Front *f, const Inst *inst)
{
    size_t i = 0;
    return f->lower && inst->class_ && !inst->class_->external && !inst->by &&
           is_function_class(inst->class_) && next_derivative(inst->class_, &i) != NULL;
}

/* a call with the list of the elements of its inputs; false: these are numbers, or memory ran out
 */
static bool take_call(Front *f, Inst *inst, const Value *inputs, size_t n, SourceSpan span,
                      const Inst *where, struct OwnDerivativeCall *call, Node *list)
{
    ElementNodes elements = {.f = f};
    Value *copies = scratch_zeroed(f, (n + 1) * sizeof *copies);
    bool good = copies != NULL;
    for (size_t k = 0; good && k < n; k++) {
        copies[k] = inputs[k];
        good = visit_elements(&copies[k], list_element, &elements);
    }
    *call = (struct OwnDerivativeCall){
        .function = inst, .ninput = n, .inputs = copies, .span = span, .where = where};
    if (good && elements.varies)
        *list = node_list(lower_graph(f), elements.nodes.items, elements.nodes.n);
    lower_graph(f)->function_user = f->lower;
    vec_drop(f->alloc, &elements.nodes);
    if (!good || (elements.varies && !*list))
        f->work.failed = true;
    return good && elements.varies && *list;
}

void mark_own_derivative(Front *f, Inst *inst, const Value *inputs, size_t n, Value *first,
                         Value *all, size_t nall, SourceSpan span, const Inst *where)
{
    Marking m = {.f = f, .good = true};
    if (first->kind == V_NONE || !take_call(f, inst, inputs, n, span, where, &m.call, &m.list))
        return;
    lower_graph(f)->own_derivative = own_derivative;
    mark_results(f, &m, first, all, nall);
    if (!m.good)
        f->work.failed = true;
}

bool list_call(Front *f, Inst *inst, const Value *inputs, size_t n, SourceSpan span,
               const Inst *where, uint32_t *which, Node *list)
{
    struct OwnDerivativeCall call;
    if (!take_call(f, inst, inputs, n, span, where, &call, list))
        return false;
    *which = own_derivative_number(f, &call);
    return *which != UINT32_MAX;
}

/* ------------------------------------------------------------------ the derivative */

/* elements of a value from a list of nodes, or only those that are Reals */
typedef struct ElementFill {
    Front *f;
    const NodeList *nodes;
    size_t at;
    bool reals;
} ElementFill;

static bool fill_element(void *user, Value *v, double *element)
{
    ElementFill *fill = user;
    if (!fill->reals || v->kind == V_REAL)
        *element = symbolic_number(fill->f, fill->nodes->items[fill->at]);
    fill->at++;
    return true;
}

/* are the derivatives of all elements of the input zero? */
static bool is_still(const Graph *g, const NodeList *rates, size_t first, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (rates->items[first + k] != g->zero)
            return false;
    return true;
}

static bool count_element(void *user, Value *v, double *element)
{
    (void)v, (void)element;
    ++*(size_t *)user;
    return true;
}

size_t count_elements(const Value *v)
{
    Value copy = *v;
    size_t n = 0;
    visit_elements(&copy, count_element, &n);
    return n;
}

Value *own_derivative_inputs(struct Lower *lower, uint32_t which, Node list,
                             struct OwnDerivativeCall *call)
{
    Front *f = lower->front;
    NodeList items = {0};
    if (which < f->nown_before || which - f->nown_before >= f->own_derivatives.n)
        return NULL;
    *call = f->own_derivatives.items[which - f->nown_before];
    Value *inputs = scratch_zeroed(f, (call->ninput + 1) * sizeof *inputs);
    if (!inputs || !list_items(&lower->cell.graph, list, &items)) {
        f->work.failed = true;
        inputs = NULL;
    }
    size_t at = 0;
    for (size_t k = 0; inputs && k < call->ninput; k++) {
        size_t n = count_elements(&call->inputs[k]);
        if (at + n > items.n)
            break;
        inputs[k] = value_copy(f, &call->inputs[k], call->span);
        visit_elements(&inputs[k], fill_element, &(ElementFill){f, &items, at, false});
        at += n;
    }
    vec_drop(lower->cell.graph.alloc, &items);
    return inputs;
}

/* a derivative under way */
typedef struct Derivation {
    Front *f;
    const struct OwnDerivativeCall *call;
    NodeList items, rates;
    Value inputs[MAX_INPUTS], moved[MAX_INPUTS]; /* and their derivatives, V_NONE: of no Reals */
    size_t first[MAX_INPUTS], n[MAX_INPUTS];     /* their elements in the lists */
    const char *names[MAX_INPUTS];
} Derivation;

/* inputs and their derivatives as values */
static bool take_inputs(Derivation *d)
{
    Front *f = d->f;
    const struct OwnDerivativeCall *call = d->call;
    size_t at = 0, k = 0;
    for (size_t i = 0; i < call->function->members.n && k < call->ninput; i++)
        if (is_input(call->function, call->function->members.items[i]))
            d->names[k++] = call->function->members.items[i]->name;
    for (k = 0; k < call->ninput && k < MAX_INPUTS; k++) {
        d->first[k] = at;
        d->n[k] = count_elements(&call->inputs[k]);
        at += d->n[k];
        if (at > d->items.n || at > d->rates.n)
            return false;
        d->inputs[k] = value_copy(f, &call->inputs[k], call->span);
        visit_elements(&d->inputs[k], fill_element,
                       &(ElementFill){f, &d->items, d->first[k], false});
        if (!is_of_reals(&call->inputs[k]))
            continue;
        d->moved[k] = value_copy(f, &d->inputs[k], call->span);
        visit_elements(&d->moved[k], fill_element, &(ElementFill){f, &d->rates, d->first[k], true});
    }
    return at == d->items.n;
}

/* the inputs that a derivative asks the derivative of, as a list; false: it does not hold here */
static bool choose_inputs(const Derivation *d, const Argument *derivative, size_t nderivative,
                          size_t *chosen, size_t *n)
{
    const Graph *g = lower_graph(d->f);
    size_t first = 0, ninput = d->call->ninput;
    if (order_of(derivative) > 1 && nderivative > ninput && nderivative - ninput <= ninput)
        first = 2 * ninput - nderivative; /* those that the lower derivative has got */
    *n = 0;
    for (size_t k = first; k < ninput; k++) {
        if (is_named(derivative, "zeroDerivative", d->names[k])) {
            if (!is_still(g, &d->rates, d->first[k], d->n[k]))
                return false;
        } else if (d->moved[k].kind != V_NONE &&
                   !is_named(derivative, "noDerivative", d->names[k])) {
            chosen[(*n)++] = k;
        }
    }
    return true;
}

static size_t count_inputs(const Inst *inst)
{
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n; i++)
        n += is_input(inst, inst->members.items[i]);
    return n;
}

/* which output of the derivative belongs to output k: one for each output with Reals before it */
static size_t derived_output(Front *f, const Inst *inst, size_t k)
{
    size_t output = 0, n = 0;
    for (size_t i = 0; i < inst->members.n && n < k; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->prefix.causality != CAUSE_OUTPUT)
            continue;
        TypeKind kind = member_type(f, m)->kind;
        output += kind == TY_REAL || kind == TY_CLASS;
        n++;
    }
    return output;
}

typedef struct Picking {
    size_t at, wanted;
    double element;
    bool found;
} Picking;

static bool pick_element(void *user, Value *v, double *element)
{
    Picking *pick = user;
    if (v->kind != V_REAL || pick->at++ != pick->wanted)
        return true;
    pick->element = *element;
    pick->found = true;
    return false;
}

/* the call of the derivative; false: none of the annotations holds, or after reporting an error */
static bool call_derivative(Derivation *d, double *result)
{
    Front *f = d->f;
    const struct OwnDerivativeCall *call = d->call;
    Env env = {.inst = call->function, .part = call->function->parts};
    const Argument *a;
    for (size_t i = 0; (a = next_derivative(call->function->class_, &i));) {
        TypeKind predefined;
        size_t chosen[MAX_INPUTS], n = 0;
        const Ref *name = a->modification->value->ref;
        Member *m = lookup_class(f, env, name, &predefined);
        Inst *inst = m && is_function_class(m->class_) ? class_inst(f, m, name->span) : NULL;
        if (!inst) {
            if (m || predefined != TY_NONE)
                report_error(f, name->span, NULL, "'%s' is no function\nname a function",
                             name->name);
            return false;
        }
        size_t ninput = count_inputs(inst);
        if (!choose_inputs(d, a, ninput, chosen, &n))
            continue;
        if (call->ninput + n != ninput || ninput > MAX_INPUTS) {
            report_error(
                f, name->span, call->where,
                "'%s' has %zu input(s), as the derivative of '%s' it has %zu\n"
                "its inputs are those of '%s' and the derivatives of those that are Reals; "
                "noDerivative and zeroDerivative name the others",
                inst->class_->name, ninput, call->function->class_->name, call->ninput + n,
                call->function->class_->name);
            return false;
        }
        Value arguments[MAX_INPUTS], all[MAX_OUTPUTS] = {{0}};
        for (size_t k = 0; k < call->ninput; k++)
            arguments[k] = d->inputs[k];
        for (size_t k = 0; k < n; k++)
            arguments[call->ninput + k] = d->moved[chosen[k]];
        size_t output = derived_output(f, call->function, call->output);
        if (output >= MAX_OUTPUTS)
            return false;
        call_all_with_values(f, m, arguments, ninput, name->span, env, all, output + 1);
        Picking pick = {.wanted = call->element};
        visit_elements(&all[output], pick_element, &pick);
        if (!pick.found && all[output].kind != V_NONE)
            report_error(f, name->span, call->where,
                         "the results of '%s' are not those of a derivative of '%s'\n"
                         "give it an output of the same size for each output with Reals",
                         inst->class_->name, call->function->class_->name);
        *result = pick.element;
        return pick.found;
    }
    return false;
}

LateCall late_call_begin(struct Lower *lower)
{
    Front *f = lower->front;
    LateCall late = {lower, f->lower, f->lowering, lower->is_asked};
    f->lower = f->lowering = lower;
    lower->is_asked = true;
    lower_literal(f, 1); /* relations of it come too late to be events */
    return late;
}

void late_call_end(const LateCall *late)
{
    Front *f = late->lower->front;
    lower_literal(f, -1);
    late->lower->is_asked = late->asked;
    f->lower = late->outer;
    f->lowering = late->around;
}

Node own_derivative(void *user, uint32_t which, Node list, Node derivatives, Node as_written)
{
    struct Lower *lower = user;
    Front *f = lower->front;
    if (which < f->nown_before || which - f->nown_before >= f->own_derivatives.n)
        return as_written;
    struct OwnDerivativeCall call = f->own_derivatives.items[which - f->nown_before];
    Derivation *d = scratch_zeroed(f, sizeof *d);
    if (!d)
        return NO_NODE;
    *d = (Derivation){.f = f, .call = &call};
    const LateCall late = late_call_begin(lower);
    double result = 0;
    Node node = as_written;
    if (!list_items(&lower->cell.graph, list, &d->items) ||
        !list_items(&lower->cell.graph, derivatives, &d->rates))
        f->work.failed = true;
    else if (take_inputs(d) && call_derivative(d, &result))
        node = symbolic_node(f, result);
    vec_drop(lower->cell.graph.alloc, &d->items);
    vec_drop(lower->cell.graph.alloc, &d->rates);
    late_call_end(&late);
    return f->work.failed ? NO_NODE : node;
}
