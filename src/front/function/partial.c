/* partial.c - partial derivatives of functions: function df = der(f, x) (Modelica 12.7.2).
 *
 * The inputs that are differentiated by become symbols, the seeds, while the statements of f run,
 * so that results are expressions in them. These are differentiated as all expressions are, and
 * what the inputs were takes the place of the seeds again. What numbers and parameters decide
 * (loops, sizes, branches) is decided by what the seeds stand for. A call with numbers has a graph
 * of its own, which is gone afterwards: its result is a number.
 */
#include "front/function/partial.h"

#include "front/function/function.h"
#include "front/lower/lower.h"

/* ------------------------------------------------------------------ seeds */

#define SEED_SYMBOL ((uint64_t)1 << 61)

bool is_seed(uint64_t symbol)
{
    return symbol >> 61 == 1;
}

double seed_element(const Front *f, uint64_t symbol)
{
    return f->seeds.items[symbol - SEED_SYMBOL].element;
}

static bool is_no_seed(void *user, uint64_t symbol, Node node)
{
    (void)user, (void)node;
    return !is_seed(symbol);
}

bool has_seeds(Front *f, const Value *v)
{
    for (size_t i = 0; v->kind == V_RECORD && i < v->record->n; i++)
        if (has_seeds(f, &v->record->fields[i]))
            return true;
    bool numbers = v->kind != V_NONE && v->kind != V_STRING && v->kind <= V_ENUM;
    for (size_t i = 0; f->seeds.n && numbers && i < v->n; i++) {
        Node node = is_symbolic(value_at(v, i)) ? symbolic_node(f, value_at(v, i)) : NO_NODE;
        if (node && !graph_symbols(lower_graph(f), &node, 1, is_no_seed, NULL))
            return true;
    }
    return false;
}

bool lower_of_numbers(const Front *f)
{
    return f->lower && f->lower->of_numbers;
}

typedef struct Unseeding {
    Front *f;
    size_t first;
} Unseeding;

static Node node_of_seed(void *user, uint64_t symbol, Node node)
{
    const Unseeding *u = user;
    bool own = is_seed(symbol) && symbol - SEED_SYMBOL >= u->first;
    return own ? symbolic_node(u->f, seed_element(u->f, symbol)) : node;
}

Node without_seeds(Front *f, Node node)
{
    while (f->seeds.n && node) { /* what a seed stands for may have seeds of calls around it */
        Node next = replace_once(lower_graph(f), node_of_seed, &(Unseeding){f, 0}, node);
        if (next == node)
            break;
        node = next;
    }
    return node;
}

/* ------------------------------------------------------------------ calls */

/* an input that is differentiated by is a Real; false after reporting one that is not */
static bool check_input(Front *f, Inst *inst, const DerivedBy *by)
{
    Member *m = inst_find(inst, NULL, by->input->name);
    if (!m || !m->component || m->prefix.causality != CAUSE_INPUT) {
        report_error(f, by->input->span, NULL,
                     "function '%s' has no input '%s' to be differentiated by\nsee its declaration",
                     inst->class_->name, by->input->name);
        return false;
    }
    if (member_type(f, m)->kind == TY_REAL && function_dimensions(f, m) == 0)
        return true;
    report_error(
        f, by->input->span, NULL,
        "'%s' of function '%s' is no Real number, and nothing can be differentiated by it\n"
        "name inputs that are scalar Reals",
        m->name, inst->class_->name);
    return false;
}

/* as inputs and outputs are */
static bool check_function(Front *f, Inst *inst)
{
    bool good = true;
    for (const DerivedBy *by = inst->by; by; by = by->next)
        good = check_input(f, inst, by) && good;
    for (size_t i = 0; good && i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->prefix.causality != CAUSE_OUTPUT ||
            member_type(f, m)->kind == TY_REAL)
            continue;
        report_error(f, inst->by->input->span, NULL,
                     "output '%s' of function '%s' is no Real and has no derivative\n"
                     "write a function whose outputs are Reals",
                     m->name, inst->class_->name);
        return false;
    }
    return good;
}

bool partial_begin(Front *f, Inst *inst, PartialCall *call)
{
    *call = (PartialCall){.first = f->seeds.n, .lower = f->lower, .lowering = f->lowering};
    if (!check_function(f, inst))
        return false;
    if (f->lower)
        return true;
    call->own = scratch_zeroed(f, sizeof *call->own);
    if (!call->own)
        return false;
    *call->own = (Lower){.front = f, .top = inst, .ground = UINT32_MAX, .of_numbers = true};
    cell_init(&call->own->cell, f->alloc, f->diag);
    f->lower = f->lowering = call->own;
    return true;
}

void partial_seed(Front *f, const Inst *inst, LocalName *frames)
{
    for (LocalName *frame = frames; frame; frame = frame->outer) {
        const DerivedBy *by = inst->by;
        while (by && by->input->name != frame->name)
            by = by->next;
        if (!by || frame->value.kind != V_REAL)
            continue;
        Seed seed = {frame->name, frame->value.x};
        Node node = node_symbol(lower_graph(f), SEED_SYMBOL + f->seeds.n);
        if (!node || !vec_push(f->alloc, &f->seeds, seed)) {
            f->work.failed = true;
            return;
        }
        frame->value.x = symbolic_element(node);
    }
}

/* the derivative of one element by all that is asked for */
static double element_derivative(Front *f, const Inst *inst, size_t first, double element)
{
    Graph *g = lower_graph(f);
    Node node = symbolic_node(f, element);
    for (const DerivedBy *by = inst->by; by && node; by = by->next)
        for (size_t i = first; i < f->seeds.n; i++)
            if (f->seeds.items[i].name == by->input->name)
                node = node_partial(g, node, SEED_SYMBOL + i);
    node = replace_once(g, node_of_seed, &(Unseeding){f, first}, node);
    if (!node || g->failed) {
        f->work.failed = true;
        return 0;
    }
    const NodeData *n = node_data(g, node);
    return n->kind == NODE_CONSTANT ? n->value : symbolic_element(node);
}

/* element by element; the unit is that of the quotient */
static Value value_derivative(Front *f, const Inst *inst, size_t first, const Value *v,
                              SourceSpan span)
{
    Value d = value_copy(f, v, span);
    for (const DerivedBy *by = inst->by; by && d.kind != V_NONE; by = by->next) {
        Member *m = inst_find(inst, NULL, by->input->name);
        d.unit = unit_times(f, d.unit, attribute_text(f, m, "unit"), -1);
    }
    for (size_t i = 0; d.kind != V_NONE && i < d.n; i++) {
        Value e = value_number(V_REAL, element_derivative(f, inst, first, value_at(v, i)));
        if (d.ndim)
            value_put(&d, i, &e);
        else
            d.x = e.x;
    }
    return d;
}

Value partial_end(Front *f, const Inst *inst, PartialCall *call, Value first, Value *all,
                  size_t nall, SourceSpan span)
{
    if (first.kind != V_NONE)
        first = value_derivative(f, inst, call->first, &first, span);
    for (size_t i = 0; all && i < nall; i++)
        if (all[i].kind != V_NONE)
            all[i] = value_derivative(f, inst, call->first, &all[i], span);
    f->seeds.n = call->first;
    f->lower = call->lower;
    f->lowering = call->lowering;
    if (call->own)
        lower_drop(call->own);
    return f->work.failed ? (Value){0} : first;
}
