/* call_order.c - the variables of a function in an order in which values come before those that
 * read them, whatever their order in the text. */
#include "front/function/function.h"

const Expr *function_default(const Member *m)
{
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        if (!mod->rest && mod->modification && mod->modification->value)
            return mod->modification->value;
    return NULL;
}

typedef struct EvaluationOrder {
    Inst *inst;
    uint32_t *list;
    size_t n;
    char *state; /* by member: 1 under way, 2 listed */
} EvaluationOrder;

static void list_member(EvaluationOrder *order, size_t i);

/* lists the members whose names stand in the expression */
static void list_names(EvaluationOrder *order, const Expr *e);

static void list_all_names(EvaluationOrder *order, const ExprList *list)
{
    for (size_t i = 0; list && i < list->n; i++)
        list_names(order, list->items[i]);
}

static void list_name(EvaluationOrder *order, const Ref *ref)
{
    for (size_t i = 0; i < order->inst->members.n; i++)
        if (order->inst->members.items[i]->name == ref->name)
            list_member(order, i);
    for (; ref; ref = ref->rest)
        list_all_names(order, &ref->subscripts);
}

/* the inputs that the default of another one reads */
static void list_names(EvaluationOrder *order, const Expr *e)
{
    if (!e)
        return;
    switch (e->kind) {
    case EX_REF:
        list_name(order, e->ref);
        break;
    case EX_UNARY:
    case EX_BINARY:
        list_names(order, e->left);
        list_names(order, e->right);
        break;
    case EX_RANGE:
        list_names(order, e->range.first);
        list_names(order, e->range.step);
        list_names(order, e->range.last);
        break;
    case EX_IF:
        list_all_names(order, e->choice.conditions);
        list_all_names(order, e->choice.values);
        break;
    case EX_CALL:
    case EX_PARTIAL:
        list_all_names(order, &e->call->positional);
        for (size_t i = 0; i < e->call->named.n; i++)
            list_names(order, e->call->named.items[i]->value);
        for (size_t i = 0; i < e->call->iterators.n; i++)
            list_names(order, e->call->iterators.items[i]->range);
        break;
    case EX_ARRAY:
    case EX_TUPLE:
        list_all_names(order, &e->list);
        break;
    case EX_COLLECT:
        list_names(order, e->collect.body);
        for (size_t i = 0; i < e->collect.iterators->n; i++)
            list_names(order, e->collect.iterators->items[i]->range);
        break;
    case EX_MATRIX:
        for (size_t i = 0; i < e->matrix.nrow; i++)
            list_all_names(order, e->matrix.rows[i]);
        break;
    case EX_SELECT:
        list_names(order, e->select.base);
        list_all_names(order, e->select.subscripts);
        break;
    default:
        break;
    }
}

/* behind those that its sizes and its value need */
static void list_member(EvaluationOrder *order, size_t i)
{
    const Member *m = order->inst->members.items[i];
    if (order->state[i])
        return;
    order->state[i] = 1;
    if (m->component) {
        list_all_names(order, m->dims);
        list_all_names(order, m->type_dims);
        list_names(order, function_default(m));
    }
    order->state[i] = 2;
    order->list[order->n++] = (uint32_t)i;
}

/* what is neither input nor output of a function is its own affair (Modelica 12.2) */
static void warn_of_public(Front *f, const Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        const Member *m = inst->members.items[i];
        if (m->component && !m->is_protected && member_causality(m) == CAUSE_NONE &&
            !member_is_parameter(m))
            warn(f, m->component->name_span, NULL,
                 "'%s' is a public variable of function '%s', but neither an input nor an output\n"
                 "write protected before it, or input or output",
                 m->name, inst->class_->name);
    }
}

const uint32_t *function_order(Front *f, Inst *inst)
{
    if (inst->order)
        return inst->order;
    size_t n = inst->members.n;
    EvaluationOrder order = {.inst = inst,
                             .list = work_zeroed(f, (n + 1) * sizeof *order.list),
                             .state = scratch_zeroed(f, n + 1)};
    if (!order.list || !order.state)
        return NULL;
    for (int rest = 0; rest < 2; rest++)
        for (size_t i = 0; i < n; i++)
            if (rest || is_input(inst, inst->members.items[i]))
                list_member(&order, i);
    if (is_function_class(inst->class_))
        warn_of_public(f, inst);
    return inst->order = order.list;
}

bool default_reads_variables(Front *f, const Member *m)
{
    Inst *inst = m->inst;
    EvaluationOrder order = {.inst = inst,
                             .list = scratch_zeroed(f, (inst->members.n + 1) * sizeof *order.list),
                             .state = scratch_zeroed(f, inst->members.n + 1)};
    if (order.list && order.state)
        list_names(&order, function_default(m));
    for (size_t i = 0; i < order.n; i++) {
        Member *read = inst->members.items[order.list[i]];
        if (read->component && !member_is_parameter(read))
            return true;
    }
    return false;
}
