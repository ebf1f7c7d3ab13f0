/* large.c - large functions stay calls.
 *
 * A function is written out where it is called: its statements run on expressions, and what it
 * gives is an expression of its arguments. That is right for functions of a line, and for those of
 * a thousand operations that are called in every component (water) the model becomes a thousand
 * times as long as its text. So a call that gives more than FrontLimits.calls operations is made
 * once more, with symbols in place of its arguments; what that gives is a function of the graph
 * (block/call.c), and every call with arguments of the same structure is a node that calls it.
 *
 * What belongs to the structure: sizes, fields, texts, functions, and elements that are numbers.
 * A function that cannot be made without knowing more (a size that a parameter decides, a search
 * that parameters bound) is written out as before; so is everything in classes that serve all
 * numbers (precompile.c) or all sizes (loops.c), and derivatives of functions (partial.c).
 *
 * An assertion is one more result: the condition under which it fails. Where the function is called
 * it becomes an assertion of the caller. In its text an argument stands as STAND_IN and its number.
 */
#include "front/function/large.h"

#include <stdlib.h>
#include <string.h>

#include "front/function/function.h"
#include "front/lower/lower.h"

enum { MAX_RESULTS = 16 };

#define STAND_IN '\036'

struct LargeAssertion {
    int kind; /* CellRequestKind */
    Node fails;
    const char *text;
    SourceSpan span;
};

struct LargeFunction {
    const Inst *function;
    Value *inputs; /* stand-ins in place of what is no number */
    size_t ninput;
    uint32_t number, nargument;
    Value *outputs; /* in stand-ins */
    size_t noutput;
    bool is_made; /* else it is written out, or is being made */
    bool is_refused;
    VEC(struct LargeAssertion) assertions;
};

/* ------------------------------------------------------------------ signatures */

/* the same structure, and the same elements where they are numbers */
static bool same_signature(const Value *a, const Value *b)
{
    if (!same_structure(a, b))
        return false;
    for (size_t i = 0; a->kind == V_RECORD && i < a->record->n; i++)
        if (!same_signature(&a->record->fields[i], &b->record->fields[i]))
            return false;
    for (size_t i = 0; is_number_kind(a->kind) && i < a->n; i++) {
        double x = value_at(a, i), y = value_at(b, i);
        if (is_symbolic(x) != is_symbolic(y) || (!is_symbolic(x) && memcmp(&x, &y, sizeof x) != 0))
            return false;
    }
    return true;
}

static struct LargeFunction *find_signature(const Lower *lower, const Inst *inst,
                                            const Value *inputs, size_t n)
{
    for (size_t i = lower->large.n; i-- > 0;) {
        struct LargeFunction *l = lower->large.items[i];
        bool same = l->function == inst && l->ninput == n;
        for (size_t k = 0; same && k < n; k++)
            same = same_signature(&l->inputs[k], &inputs[k]);
        if (same)
            return l;
    }
    return NULL;
}

typedef struct StandIns {
    Front *f;
    struct LargeFunction *l;
} StandIns;

static bool put_stand_in(void *user, Value *v, double *element)
{
    StandIns *s = user;
    (void)v;
    if (!is_symbolic(*element))
        return true;
    Node node = node_symbol(lower_graph(s->f), bound_symbol(s->l->number, s->l->nargument++));
    *element = symbolic_element(node);
    return node != NO_NODE;
}

/* ------------------------------------------------------------------ making one */

/* what is around a call does not belong to the function */
typedef struct CallSurroundings {
    bool is_initial, in_when;
    Node guard;
    int nchoice;
    struct LargeFunction *making;
    VEC(struct FunctionExit) exits;
} CallSurroundings;

static void leave_surroundings(Front *f, struct LargeFunction *l, CallSurroundings *to)
{
    Lower *lower = f->lower;
    *to = (CallSurroundings){lower->is_initial, lower->in_when, lower->guard,
                             f->nchoice,        f->making,      {0}};
    memcpy(&to->exits, &f->exits, sizeof f->exits);
    memset(&f->exits, 0, sizeof f->exits);
    lower->is_initial = lower->in_when = false;
    lower->guard = NO_NODE;
    f->nchoice = 0;
    f->making = l;
}

static void return_to_surroundings(Front *f, CallSurroundings *from)
{
    Lower *lower = f->lower;
    vec_drop(f->alloc, &f->exits);
    memcpy(&f->exits, &from->exits, sizeof f->exits);
    lower->is_initial = from->is_initial;
    lower->in_when = from->in_when;
    lower->guard = from->guard;
    f->nchoice = from->nchoice;
    f->making = from->making;
}

/* a result is made of the arguments alone */
static bool is_own_symbol(void *user, uint64_t symbol, Node node)
{
    const struct LargeFunction *l = user;
    (void)node;
    return symbol - bound_symbol(l->number, 0) < l->nargument;
}

static bool check_node(Front *f, struct LargeFunction *l, Node node)
{
    l->is_refused |= !graph_symbols(lower_graph(f), &node, 1, is_own_symbol, l);
    return !l->is_refused;
}

static bool add_element(void *user, Value *v, double *element)
{
    StandIns *s = user;
    (void)v;
    Node node = is_symbolic(*element) ? symbolic_node(s->f, *element) : NO_NODE;
    return !node ||
           (check_node(s->f, s->l, node) &&
            graph_call_result(lower_graph(s->f), s->l->number, node) != (uint32_t)NO_RESULT);
}

/* texts that variables decide belong to a place */
static bool has_open_text(const Value *v)
{
    bool open = false;
    for (size_t i = 0; v->kind == V_RECORD && i < v->record->n; i++)
        open |= has_open_text(&v->record->fields[i]);
    for (size_t i = 0; v->kind == V_STRING && i < v->n; i++)
        open |= strpbrk(value_text(v, i), OPEN_TEXT) != NULL;
    return open;
}

/* what the statements have given as results of the function */
static bool keep_results(Front *f, struct LargeFunction *l, const Value *results, size_t n)
{
    Graph *g = lower_graph(f);
    StandIns s = {f, l};
    size_t operations = 0;
    l->outputs = scratch_zeroed(f, (n + 1) * sizeof *l->outputs);
    graph_call_inputs(g, l->number, l->nargument);
    for (size_t k = 0; l->outputs && k < n && !l->is_refused; k++) {
        l->outputs[k] = results[k];
        l->is_refused |= has_open_text(&results[k]);
        visit_elements(&l->outputs[k], add_element, &s);
    }
    l->noutput = n;
    for (size_t i = 0; i < l->assertions.n && !l->is_refused; i++)
        if (check_node(f, l, l->assertions.items[i].fails))
            graph_call_result(g, l->number, l->assertions.items[i].fails);
    /* what is short for these numbers is written out */
    const GraphCall *c = g->systems.items[l->number].call;
    for (size_t k = 0; k < c->size.n; k++)
        operations = c->size.items[k] > operations ? c->size.items[k] : operations;
    l->is_refused |= operations <= f->limits.calls || g->failed || !l->outputs;
    return !l->is_refused;
}

/* the function for arguments of this structure; it may be refused. NULL: memory ran out */
static struct LargeFunction *make_function(Front *f, Inst *inst, const Value *inputs, size_t n,
                                           SourceSpan span, Env env)
{
    Lower *lower = f->lower;
    struct LargeFunction *l = work_zeroed(f, sizeof *l);
    if (!l || !vec_push(f->alloc, &lower->large, l))
        return NULL;
    *l = (struct LargeFunction){.function = inst,
                                .inputs = scratch_zeroed(f, (n + 1) * sizeof *l->inputs),
                                .number = graph_call_begin(&lower->cell.graph)};
    StandIns s = {f, l};
    bool good = l->inputs && l->number != UINT32_MAX;
    for (size_t k = 0; good && k < n; k++) {
        l->inputs[k] = value_copy(f, &inputs[k], span);
        good = visit_elements(&l->inputs[k], put_stand_in, &s);
    }
    l->ninput = n;
    if (!good)
        return NULL;
    Value results[MAX_RESULTS] = {{0}};
    CallSurroundings around;
    ReportMark before = report_mark(f);
    leave_surroundings(f, l, &around);
    size_t nresult = call_for_all_results(f, inst, l->inputs, n, span, env, results, MAX_RESULTS);
    return_to_surroundings(f, &around);
    if (f->nwrong != before.nwrong) {
        report_forget(f, before); /* it is written out, and reports where it is called */
        l->is_refused = true;
    }
    if (nresult == 0 || nresult > MAX_RESULTS || l->is_refused)
        l->is_refused = true;
    else
        l->is_made = keep_results(f, l, results, nresult);
    return l;
}

/* ------------------------------------------------------------------ calling it */

typedef struct LargeUse {
    Front *f;
    const struct LargeFunction *l;
    Node list;
    ElementNodes arguments;
} LargeUse;

/* a result, in the place of the expression in stand-ins */
static Node node_of_use(const LargeUse *use, Node result)
{
    Graph *g = lower_graph(use->f);
    uint32_t k = graph_call_result(g, use->l->number, result);
    return k == (uint32_t)NO_RESULT ? NO_NODE : node_call_part(g, use->l->number, use->list, k);
}

static bool put_result(void *user, Value *v, double *element)
{
    LargeUse *use = user;
    (void)v;
    if (is_symbolic(*element))
        *element = symbolic_number(use->f, node_of_use(use, symbolic_node(use->f, *element)));
    return !use->f->work.failed;
}

const char *large_stand_in_name(Front *f, Node node)
{
    const NodeData *d = node_data(lower_graph(f), node);
    TextBuffer text = {0};
    if (!f->making || d->kind != NODE_SYMBOL || !is_own_symbol(f->making, d->symbol, node))
        return NULL;
    const char *copy = text_add(f->alloc, &text, "%c%u", STAND_IN, (uint32_t)d->symbol)
                           ? arena_text(&f->work, text.items, text.n)
                           : NULL;
    vec_drop(f->alloc, &text);
    f->work.failed |= !copy;
    return copy;
}

/* the text of an assertion with names of variables in place of stand-ins */
static const char *text_of_use(const LargeUse *use, const char *text)
{
    Front *f = use->f;
    TextBuffer to = {0};
    bool good = true;
    if (!strchr(text, STAND_IN))
        return text;
    while (*text && good) {
        if (*text != STAND_IN) {
            good = text_add(f->alloc, &to, "%c", *text++);
            continue;
        }
        char *end;
        unsigned long k = strtoul(text + 1, &end, 10);
        text = end;
        good = k < use->arguments.nodes.n &&
               text_add(f->alloc, &to, "%s", lower_variable_name(f, use->arguments.nodes.items[k]));
    }
    const char *copy = good ? arena_text(&f->work, to.items ? to.items : "", to.n) : NULL;
    vec_drop(f->alloc, &to);
    f->work.failed |= !copy;
    return copy ? copy : "";
}

/* what the function asserts, asserted here */
static void use_assertions(const LargeUse *use)
{
    Front *f = use->f;
    Lower *lower = f->lower;
    Graph *g = lower_graph(f);
    f->nfunction++;
    for (size_t i = 0; i < use->l->assertions.n && !f->work.failed; i++) {
        const struct LargeAssertion *a = &use->l->assertions.items[i];
        Node fails = lower_and(g, lower_happens(lower), node_of_use(use, a->fails));
        lower_add_request(lower, a->kind, without_seeds(f, fails), text_of_use(use, a->text),
                          a->span);
    }
    f->nfunction--;
}

static bool is_no_stand_in(void *user, uint64_t symbol, Node node)
{
    (void)user, (void)node;
    return !is_bound_symbol(symbol);
}

bool large_keep_assertion(Front *f, int kind, Node fails, const char *text, SourceSpan span)
{
    if (f->making) {
        struct LargeAssertion a = {kind, fails, text, span};
        if (!node_is_constant(lower_graph(f), fails, 0) &&
            !vec_push(f->alloc, &f->making->assertions, a))
            f->work.failed = true;
        return true;
    }
    /* of a derivative that is made for a function that has been made: those of the function hold */
    return !graph_symbols(lower_graph(f), &fails, 1, is_no_stand_in, NULL);
}

bool large_refuse(Front *f)
{
    if (f->making)
        f->making->is_refused = true;
    return f->making != NULL;
}

bool large_call(Front *f, Inst *inst, const Value *inputs, size_t n, SourceSpan span, Env env,
                Value *first, Value *all, size_t nall)
{
    struct LargeFunction *l = find_signature(f->lower, inst, inputs, n);
    size_t before = lower_graph(f)->nodes.n;
    if (!l) {
        l = make_function(f, inst, inputs, n, span, env);
        f->nlarge += lower_graph(f)->nodes.n - before;
    }
    if (!l)
        f->work.failed = true;
    if (!l || !l->is_made || nall > l->noutput)
        return false;
    for (size_t k = 0; k < (all && nall ? nall : 1); k++)
        if (l->outputs[k].kind == V_NONE)
            return false; /* it is missed where it is written out */
    LargeUse use = {.f = f, .l = l, .arguments = {.f = f, .without_numbers = true}};
    bool good = true;
    for (size_t k = 0; good && k < n; k++)
        good = visit_elements((Value *)&inputs[k], list_element, &use.arguments);
    use.list = node_list(lower_graph(f), use.arguments.nodes.items, use.arguments.nodes.n);
    for (size_t k = 0; good && k < (all && nall ? nall : 1); k++) {
        Value v = value_copy(f, &l->outputs[k], span);
        good = visit_elements(&v, put_result, &use);
        if (k == 0)
            *first = v;
        if (all && k < nall)
            all[k] = v;
    }
    if (good)
        use_assertions(&use);
    vec_drop(f->alloc, &use.arguments.nodes);
    f->work.failed |= !good;
    return good;
}

/* ------------------------------------------------------------------ which ones */

bool large_is_possible(const Front *f, const Inst *inst)
{
    if (!f->lower || f->lower->of_numbers || f->without_numbers || f->decisions ||
        f->refuses_search || inst->by || generates_events(inst) || !inst->class_ ||
        !is_function_class(inst->class_))
        return false;
    for (const ClassPart *part = inst->parts; part; part = part->next)
        if (part->class_->external)
            return false;
    return true;
}

LargeMark large_mark(Front *f)
{
    const Lower *lower = f->lower;
    return (LargeMark){lower->cell.graph.nodes.n, f->nlarge, lower->cell.events.requests.n,
                       f->making ? f->making->assertions.n : 0};
}

bool large_is_more(Front *f, const LargeMark *mark)
{
    size_t nodes = lower_graph(f)->nodes.n - mark->nodes, calls = f->nlarge - mark->calls;
    return nodes - calls > f->limits.calls;
}

void large_exchange_assertions(Front *f, LargeMark *mark)
{
    CellEvents *events = &f->lower->cell.events;
    size_t n = events->requests.n;
    events->requests.n = mark->requests;
    mark->requests = n;
    if (f->making) {
        n = f->making->assertions.n;
        f->making->assertions.n = mark->assertions;
        mark->assertions = n;
    }
}

void large_drop(Lower *lower)
{
    for (size_t i = 0; i < lower->large.n; i++)
        vec_drop(lower->front->alloc, &lower->large.items[i]->assertions);
    vec_drop(lower->front->alloc, &lower->large);
}
