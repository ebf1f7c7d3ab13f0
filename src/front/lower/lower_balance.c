/* lower_balance.c - as many equations as unknowns in every class, examined alone.
 *
 * Components with connectors of their own class are flattened into one system, where an equation
 * that a class lacks may stand in the model around it, and nobody would notice. So each class is
 * counted while its first instance becomes part of the cell (Modelica 4.8):
 *
 *   its equations and bindings + its flows and inputs, which the outside decides = its unknowns
 *
 * Counted are classes without components of their own; those that are made of such are as balanced
 * as these and the whole. What cannot be counted is left to the whole: connectors with more
 * potentials than flows (overconstrained ones), expandable ones, variables of an outer component,
 * and what stands beside the cell.
 */
#include <stdio.h>
#include <string.h>

#include "front/lower/lower.h"

/* connections between connectors of the class itself are equations that are made later */
static bool has_connections(const EquationList *list)
{
    bool found = false;
    for (size_t i = 0; i < list->n && !found; i++) {
        const Equation *e = list->items[i];
        found = e->kind == EQ_CONNECT || (e->kind == EQ_FOR && has_connections(&e->body));
        for (size_t k = 0; e->kind == EQ_IF && k < e->branches.n && !found; k++)
            found = has_connections(&e->branches.items[k]->body);
    }
    return found;
}

/* does the instance read or decide something of components around it, have a bus or connections? */
static bool reaches_out(Front *f, const Inst *inst)
{
    for (const ClassPart *part = inst->parts; part; part = part->next)
        if (has_connections(&part->class_->equations))
            return true;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component)
            continue;
        const Type *type = member_type(f, m);
        if (is_expandable(type))
            return true;
        if (m->is_outer && !member_is_parameter(m)) {
            Member *other = member_resolve(f, m, m->component->name_span);
            const Inst *child = other && type->kind == TY_CLASS ? member_child(f, other) : NULL;
            if (!child || !child->native)
                return true;
        }
    }
    return false;
}

/* where a variable stands in the instance */
typedef struct BalancePosition {
    bool inside, in_connector, input;
} BalancePosition;

static BalancePosition position_of(const Member *m, const Inst *inst)
{
    BalancePosition p = {.input = member_causality(m) == CAUSE_INPUT};
    const Inst *at = m->inst;
    for (; at && at != inst; at = at->parent) {
        p.in_connector |= inst_is_connector(at);
        p.input |= at->member && member_causality(at->member) == CAUSE_INPUT;
    }
    p.inside = at == inst;
    return p;
}

/* Is it an unknown of the instance? Of an array of components the element at hand counts: the
 * cursors around it are the last digits of a key. */
static bool is_counted(const Lower *lower, size_t v, const Inst *inst, BalancePosition *p)
{
    const CellVariable *x = &lower->cell.variables.items[v];
    const LowerVariable *l = &lower->variables.items[v];
    if (!l->member || l->is_start || x->role == CELL_PARAMETER || x->meaning == MEANING_WHEN)
        return false;
    *p = position_of(l->member, inst);
    if (!p->inside)
        return false;
    unsigned long long axes = lower_inner_axes(lower, inst);
    size_t digits = 1;
    for (const Axis *axis = inst->axis; axis && axes; axis = axis->outer)
        if (axes >> axis->depth & 1)
            digits *= axis->n + 1;
    return l->key % digits == memo_key(inst->axis, axes);
}

typedef struct Count {
    size_t nunknown, nequation, noutside; /* the last: flows and inputs */
    size_t npotential, nflow;             /* of connectors */
    bool possible;
} Count;

/* unknowns and equations of a component, alone: those that came since the mark */
static Count count_balance(Lower *lower, const Inst *inst, BalanceMark mark)
{
    Front *f = lower->front;
    Count c = {.nequation = lower->cell.equations.n - mark.equation, .possible = true};
    for (size_t v = 0; v < lower->cell.variables.n; v++) {
        const LowerVariable *l = &lower->variables.items[v];
        BalancePosition p;
        if (!is_counted(lower, v, inst, &p))
            continue;
        bool own = member_causality(l->member) == CAUSE_NONE && !p.input;
        c.possible = c.possible && lower->cell.variables.items[v].role == CELL_UNKNOWN;
        c.nunknown++;
        bool bound = p.input && member_binding(f, l->member);
        c.noutside += l->flow || (p.input && !bound);
        /* a connector with a value of its own, which a connection may replace */
        c.possible = c.possible && !(bound && l->member->type.restriction == CLASS_CONNECTOR);
        c.nflow += l->flow;
        c.npotential += !l->flow && !l->stream_flow && own && p.in_connector;
    }
    c.possible = c.possible && c.nflow == c.npotential;
    return c;
}

typedef struct Mentions {
    uint8_t *seen;
    size_t n;
} Mentions;

static bool note_mention(void *user, uint64_t symbol, Node node)
{
    Mentions *m = user;
    (void)node;
    if (symbol != CELL_TIME && symbol_variable(symbol) < m->n)
        m->seen[symbol_variable(symbol)] = 1;
    return true;
}

/* "'w', 'q'": variables that no equation of the class has, the first of them in *which */
static size_t list_unmentioned(Lower *lower, const Inst *inst, BalanceMark mark, char *names,
                               size_t size, uint32_t *which)
{
    enum { MAX_NAMED = 5 };
    Front *f = lower->front;
    Mentions m = {.n = lower->cell.variables.n};
    size_t found = 0, at = 0;
    names[0] = '\0';
    m.seen = scratch_zeroed(f, m.n + 1);
    for (size_t i = mark.equation; m.seen && i < lower->cell.equations.n; i++) {
        const Node nodes[] = {lower->cell.equations.items[i].left,
                              lower->cell.equations.items[i].right};
        if (!graph_symbols(&lower->cell.graph, nodes, 2, note_mention, &m))
            f->work.failed = true;
    }
    for (size_t k = 0; m.seen && k < m.n; k++) {
        const LowerVariable *l = &lower->variables.items[k];
        BalancePosition p;
        if (m.seen[k] || !is_counted(lower, k, inst, &p) || l->flow || p.input)
            continue;
        if (!found++)
            *which = (uint32_t)k;
        if (found <= MAX_NAMED && at < size)
            at +=
                (size_t)snprintf(names + at, size - at, "%s'%s'", at ? ", " : "", l->member->name);
    }
    return found;
}

/* too few or too many equations, with the variables that no equation has or the counts */
static void report_balance(Lower *lower, const Inst *inst, BalanceMark mark, const Count *c)
{
    Front *f = lower->front;
    const char *name = inst->class_->name;
    char names[300];
    uint32_t which = UINT32_MAX;
    size_t have = c->nequation + c->noutside;
    if (have < c->nunknown) {
        size_t n = list_unmentioned(lower, inst, mark, names, sizeof names, &which);
        SourceSpan span = which != UINT32_MAX
                              ? lower->variables.items[which].member->component->name_span
                              : inst->class_->span;
        report_error(f, span, inst,
                     "class '%s' has %zu equation%s too few: %zu for %zu unknowns, with its flows "
                     "and inputs%s%s%s\nadd what decides %s to the class; equations of the model "
                     "around it cannot",
                     name, c->nunknown - have, c->nunknown - have > 1 ? "s" : "", have, c->nunknown,
                     n ? "; none has " : "", n ? names : "", "", n == 1 ? "it" : "them");
    } else if (have > c->nunknown) {
        const CellEquation *last = &lower->cell.equations.items[lower->cell.equations.n - 1];
        char text[60] = "";
        if (last->place.line)
            snprintf(text, sizeof text, " (the last one is in line %d)", (int)last->place.line);
        report_error(f, inst->class_->span, inst,
                     "class '%s' has %zu equation%s too many: %zu for %zu unknowns, with its flows "
                     "and inputs%s\nremove what is said twice, or what the model around it decides",
                     name, have - c->nunknown, have - c->nunknown > 1 ? "s" : "", have, c->nunknown,
                     text);
    }
}

/* Potentials and flows of a connector, those of records in it as well; false: it has orientations
 * (overconstrained) or sizes that are not known. */
static bool count_connector(Front *f, Inst *inst, size_t *npotential, size_t *nflow)
{
    if (virtual_constraint(f, inst))
        return false;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || member_is_parameter(m) || member_causality(m) != CAUSE_NONE)
            continue;
        const Type *type = member_type(f, m);
        if (!member_present(f, m) || !member_sizes(f, m))
            return false;
        if (type->kind == TY_CLASS) {
            Inst *child = member_child(f, m);
            if (!child || m->ndim || !count_connector(f, child, npotential, nflow))
                return false;
            continue;
        }
        size_t n = 1;
        for (int k = 0; k < m->ndim; k++)
            n *= m->dim[k];
        if (member_connection(m) == CONNECT_FLOW)
            *nflow += n;
        else if (member_connection(m) != CONNECT_STREAM)
            *npotential += n;
    }
    return true;
}

void balance_check_connector(Lower *lower, Inst *inst)
{
    Front *f = lower->front;
    size_t npotential = 0, nflow = 0;
    if (inst->domain || inst->compiled || !inst_is_connector(inst) ||
        is_record_class(inst->class_) || !count_connector(f, inst, &npotential, &nflow) ||
        nflow == 0 || npotential == 0 || nflow == npotential)
        return;
    warn(f, inst->class_->name_span, NULL,
         "connector '%s' has %zu potential%s and %zu flow%s: a connection gives one equation for "
         "each "
         "variable only if there are as many of both\n"
         "declare the flow that belongs to each potential, or input and output",
         inst->class_->name, npotential, npotential == 1 ? "" : "s", nflow, nflow == 1 ? "" : "s");
}

BalanceMark balance_begin(const Lower *lower)
{
    return (BalanceMark){.equation = lower->cell.equations.n,
                         .component = lower->ncounted,
                         .nwrong = lower->front->nwrong};
}

/* each class is examined once */
static bool class_is_counted(const Lower *lower, const Class *class_)
{
    for (size_t i = 0; i < lower->balanced.n; i++)
        if (lower->balanced.items[i] == class_)
            return true;
    return false;
}

void balance_end(Lower *lower, Inst *inst, BalanceMark mark)
{
    Front *f = lower->front;
    ClassKind kind = inst->class_->kind;
    if (kind != CLASS_MODEL && kind != CLASS_BLOCK && kind != CLASS_CLASS)
        return;
    bool leaf = lower->ncounted == mark.component;
    lower->ncounted++;
    if (!leaf || inst->compiled || inst->domain || f->work.failed ||
        f->nwrong != lower->nunbalanced || lower->variables.n != lower->cell.variables.n ||
        class_is_counted(lower, inst->class_) || reaches_out(f, inst))
        return;
    if (!vec_push(f->alloc, &lower->balanced, inst->class_)) {
        f->work.failed = true;
        return;
    }
    Count c = count_balance(lower, inst, mark);
    if (c.possible && c.nequation + c.noutside != c.nunknown)
        report_balance(lower, inst, mark, &c);
    lower->nunbalanced += f->nwrong - lower->nunbalanced;
}
