/* loop_number.c - numbers of the text that equations read: sin(i*pi/n), 1/n^2, c[i] of a constant
 * array. See loops.c.
 *
 * Equations of a large model are not read, those of small ones are. What a number of the text is
 * there tells what it is in the large one only if it is made of literals, indices and Integer
 * parameters by + and -, or times a literal: then it is a line in these (loops.c examines the
 * Integers). Any other one is
 *
 *   the same everywhere  pi: its value in the large model is compared, once
 *   a number as data     else: it becomes a parameter of the class that has no name of the text, an
 *                        array if it stands in a loop or an array, whose numbers are computed in
 *                        the
 *                        large model by the very expression
 *
 * Operands of an operator, of a call and of an equation are looked at where the other ones are
 * expressions, so that a number is as large a part of the text as possible. The small models are
 * read once to see which numbers differ, and again with these as parameters.
 *
 * What a number as data compares on its way (if i > 50 then 2 else 1) decides nothing, and its
 * notes are forgotten. Where an expression cannot be computed again, inside of functions and with
 * the variables of an algorithm, its values are noted like what the text rounds: they have to be
 * the same for all sizes.
 *
 * Rejected: numbers that are fitted, as lines, quotients and squares of the size. 3*(1.0/n) is
 * none of them, and what fits four sizes need not fit the fifth. All numbers as data: an index
 * would take memory for each element, and equations with numbers are solved in other ways than
 * equations with parameters.
 */
#include "front/divide/loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/lower/lower.h"
#include "front/divide/noted.h"

enum { MAX_ITERATORS = 4, MAX_POSITION = 12 };

/* ------------------------------------------------------------------ operands */

bool value_is_symbolic(const Value *v)
{
    if (v->kind == V_RECORD)
        for (size_t i = 0; i < v->record->n; i++)
            if (value_is_symbolic(&v->record->fields[i]))
                return true;
    for (size_t i = 0; v->kind >= V_REAL && v->kind <= V_ENUM && v->kind != V_STRING && i < v->n;
         i++)
        if (is_symbolic(value_at(v, i)))
            return true;
    return false;
}

NumberMark number_begin(Front *f)
{
    NumberMark mark = {0};
    if (!f->numbers)
        return mark;
    mark.note = decisions_open(f);
    mark.nlocal = f->nlocal;
    mark.nvariable = f->nvariable;
    mark.nsymbol = f->nsymbol;
    mark.touched = f->touched;
    f->touched = 0;
    return mark;
}

void number_end(Front *f, NumberMark *mark)
{
    if (!f->numbers)
        return;
    const unsigned long long before = mark->touched;
    mark->end = decisions_open(f);
    mark->nlocal = f->nlocal - mark->nlocal;
    mark->nvariable = f->nvariable - mark->nvariable;
    mark->nsymbol = f->nsymbol - mark->nsymbol;
    mark->touched = f->touched;
    f->touched |= before;
}

/* is it exact where it is added and multiplied by integers? */
static bool is_short(double x)
{
    return fabs(x) < 1e6 && x * 1024 == floor(x * 1024);
}

/* a scalar Integer of the model that is the same for all elements, or an index */
static bool is_plain_integer(Front *f, const Expr *e, Env env)
{
    if (e->ref->subscripts.n)
        return false;
    Found found = lookup(f, env, e->ref->name);
    if (found.kind == FOUND_FRAME)
        return !e->ref->rest && found.frame->value.kind == V_INTEGER && !found.frame->value.ndim;
    for (const Ref *r = e->ref->rest; r; r = r->rest)
        if (r->subscripts.n)
            return false;
    unsigned long long before = f->touched;
    f->touched = 0;
    Value v = evaluate(f, e, env);
    bool good = v.kind == V_INTEGER && v.ndim == 0 && f->touched == 0;
    f->touched = before;
    return good;
}

/* is a number a line in indices and sizes, without rounding? */
static bool is_line(Front *f, const Expr *e, Env env)
{
    switch (e->kind) {
    case EX_INTEGER:
        return true;
    case EX_REAL:
        return is_short(e->real);
    case EX_REF:
        return is_plain_integer(f, e, env);
    case EX_UNARY:
        return is_line(f, e->right, env);
    case EX_BINARY:
        if (e->op == OP_MUL)
            return (e->left->kind == EX_INTEGER || e->left->kind == EX_REAL ||
                    e->right->kind == EX_INTEGER || e->right->kind == EX_REAL) &&
                   is_line(f, e->left, env) && is_line(f, e->right, env);
        return (e->op == OP_ADD || e->op == OP_SUB) && is_line(f, e->left, env) &&
               is_line(f, e->right, env);
    default:
        return false;
    }
}

static unsigned long long values_hash(const Value *v)
{
    unsigned long long h = hash_bytes(HASH_SEED, v->dim, (size_t)v->ndim * sizeof *v->dim);
    for (size_t i = 0; i < v->n; i++) {
        const double x = value_at(v, i);
        h = hash_bytes(h, &x, sizeof x);
    }
    return h;
}

/* ------------------------------------------------------------------ what is read */

static size_t use_slot(const TextNumbers *t, const Expr *e, const Inst *inst)
{
    unsigned long long h = hash_bytes(HASH_SEED, &e, sizeof e);
    size_t at = (size_t)hash_bytes(h, &inst, sizeof inst) & (t->ntable - 1);
    while (t->table[at] &&
           (t->uses.items[t->table[at] - 1].e != e || t->uses.items[t->table[at] - 1].inst != inst))
        at = (at + 1) & (t->ntable - 1);
    return at;
}

/* doubles the table; false: no memory */
static bool grow_uses(Front *f, TextNumbers *t)
{
    const size_t n = t->ntable ? 2 * t->ntable : 64;
    uint32_t *table = memory_zeroed(f->alloc, n * sizeof *table);
    if (!table)
        return false;
    memory_free(f->alloc, t->table, t->ntable * sizeof *table);
    t->table = table;
    t->ntable = n;
    for (size_t i = 0; i < t->uses.n; i++)
        table[use_slot(t, t->uses.items[i].e, t->uses.items[i].inst)] = (uint32_t)i + 1;
    return true;
}

/* notes that equations of an instance read a number */
static void note_use(Front *f, NumberUse use)
{
    TextNumbers *t = f->numbers;
    if (2 * (t->uses.n + 1) > t->ntable && !grow_uses(f, t)) {
        f->work.failed = true;
        return;
    }
    const size_t at = use_slot(t, use.e, use.inst);
    if (t->table[at]) {
        NumberUse *known = &t->uses.items[t->table[at] - 1];
        known->varies |= use.varies || known->values != use.values;
        known->is_line &= use.is_line;
        return;
    }
    if (vec_push(f->alloc, &t->uses, use))
        t->table[at] = (uint32_t)t->uses.n;
    else
        f->work.failed = true;
}

/* A number where its expression cannot be computed again: its elements are noted as what the text
 * rounds is. */
static void note_values(Front *f, SourceSpan span, const Value *v)
{
    for (size_t i = 0; i < v->n; i++)
        note_rounding(f, span, (double)i, value_at(v, i));
}

static bool set_has(const ExprSet *set, const Expr *e)
{
    size_t low = 0, high = set->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if ((uintptr_t)set->items[mid] < (uintptr_t)e)
            low = mid + 1;
        else
            high = mid;
    }
    return low < set->n && set->items[low] == e;
}

static bool is_data(const TextNumbers *t, const Expr *e)
{
    return set_has(t->data, e) && !set_has(t->known_mixed, e);
}

bool number_is_mixed(const Front *f, const Expr *e)
{
    return f->numbers && !f->nfunction &&
           (f->numbers->is_first || set_has(f->numbers->known_mixed, e));
}

/* a choice is an expression for some elements */
static void note_mixed(Front *f, const Expr *e)
{
    ExprSet *mixed = &f->numbers->mixed;
    if (e->kind != EX_IF || (mixed->n && mixed->items[mixed->n - 1] == e))
        return;
    if (!vec_push(f->alloc, mixed, e))
        f->work.failed = true;
}

Value evaluate_operand(Front *f, const Expr *e, Env env, NumberMark *mark)
{
    *mark = number_begin(f);
    Value v = evaluate(f, e, env);
    number_end(f, mark);
    if (f->numbers && e && e->kind == EX_IF && value_is_symbolic(&v))
        note_mixed(f, e);
    return v;
}

/* ------------------------------------------------------------------ numbers as parameters */

/* the iterators around an expression, outermost first; false: too many, or others than integers */
static bool list_iterators(const Front *f, Env env, NumberPlace *to, long *values)
{
    for (const LocalName *frame = env.frame; frame; frame = frame->outer) {
        if (frame->variable || frame->name == f->word_end || !frame->name)
            continue;
        if (to->niterator == MAX_ITERATORS || frame->value.ndim || frame->value.kind != V_INTEGER ||
            is_symbolic(frame->value.x))
            return false;
        memmove(to->iterators + 1, to->iterators, (size_t)to->niterator * sizeof *to->iterators);
        memmove(values + 1, values, (size_t)to->niterator * sizeof *values);
        to->iterators[0] = frame->name;
        values[0] = (long)frame->value.x;
        to->niterator++;
    }
    return true;
}

/* a path without its subscripts */
static void strip_subscripts(char *path)
{
    char *to = path;
    bool inside = false;
    for (const char *c = path; *c; c++) {
        inside = *c == '[' || (inside && *c != ']');
        if (!inside && *c != ']')
            *to++ = *c;
    }
    *to = 0;
}

/* how many subscripts a path has */
static int count_subscripts(const char *path)
{
    int n = 0;
    bool inside = false;
    for (const char *c = path; *c; c++) {
        n += *c == '[' || (inside && *c == ',');
        inside = *c == '[' || (inside && *c != ']');
    }
    return n;
}

/* the variable of the cell of this name, made if it is new; UINT32_MAX: no memory */
static uint32_t number_variable(Front *f, const char *text, double x, const NumberPlace *place)
{
    Lower *lower = f->lower;
    TextNumbers *t = f->numbers;
    const char *name = intern(f, text);
    for (size_t i = t->named.n; name && i-- > 0;)
        if (t->named.items[i].name == name)
            return t->named.items[i].variable;
    const CellVariable v = {.name = name,
                            .place = span_place(place->span),
                            .role = CELL_PARAMETER,
                            .is_hint = true,
                            .has_number = true,
                            .number = x,
                            .length = 1};
    const uint32_t number = (uint32_t)lower->cell.variables.n;
    if (name && lower_sync(lower) && cell_add_variable(&lower->cell, v) != UINT32_MAX &&
        vec_push(f->alloc, &lower->variables, (LowerVariable){.number = place}) &&
        vec_push(f->alloc, &t->named, (NamedNumber){name, number}))
        return number;
    f->work.failed = true;
    return UINT32_MAX;
}

/* v with variables in place of its numbers, which are called by `head` and their subscripts, after
 * those that are there (`opened`) */
static Value as_variables(Front *f, Value v, const char *head, bool opened,
                          const NumberPlace *place)
{
    char text[560];
    Value w = v.ndim ? value_array_like(f, place->span, &v, v.ndim, v.dim) : v;
    w.kind = w.kind == V_NONE ? V_NONE : V_REAL;
    w.unit = v.unit;
    for (size_t i = 0; w.kind != V_NONE && i < v.n; i++) {
        size_t at[VALUE_DIMS], rest = i;
        for (int k = v.ndim; k-- > 0; rest /= v.dim[k])
            at[k] = rest % v.dim[k];
        int n = snprintf(text, sizeof text, "%s", head);
        for (int k = 0; k < v.ndim; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%zu", k || opened ? "," : "[",
                          at[k] + 1);
        snprintf(text + n, sizeof text - (size_t)n, "%s)", v.ndim || opened ? "]" : "");
        const uint32_t variable = number_variable(f, text, value_at(&v, i), place);
        if (variable == UINT32_MAX)
            return (Value){0};
        Value e =
            value_number(V_REAL, symbolic_element(cell_variable(&f->lower->cell, variable, 0)));
        if (v.ndim)
            value_put(&w, i, &e);
        else
            w.x = e.x;
    }
    return w;
}

/* which of the numbers as data an expression is, from 1 */
static size_t data_number(const TextNumbers *t, const Expr *e)
{
    size_t k = 0;
    while (t->data->items[k] != e)
        k++;
    return k + 1;
}

/* the value of an expression as variables; V_NONE: it cannot be had */
static Value expression_as_data(Front *f, const Expr *e, Env env, Value v, const NumberMark *mark)
{
    char head[460];
    long values[MAX_ITERATORS];
    NumberPlace *place = work_zeroed(f, sizeof *place);
    const char *around = lower_inst_path(f->lower, env.inst);
    char path[300];
    if (!place || !around || strlen(around) >= sizeof path)
        return (Value){0};
    *place = (NumberPlace){.e = e, .inst = env.inst, .part = env.part, .span = e->span};
    memcpy(path, around, strlen(around) + 1);
    if (!(mark->touched & lower_inner_axes(f->lower, env.inst)))
        strip_subscripts(path);
    place->naxis = count_subscripts(path);
    place->ndim = v.ndim;
    if (!list_iterators(f, env, place, values))
        return (Value){0};
    int n = snprintf(head, sizeof head, "number %zu(%.300s%d:%d", data_number(f->numbers, e), path,
                     span_place(e->span).line, span_place(e->span).column);
    for (int k = 0; k < place->niterator; k++)
        n += snprintf(head + n, sizeof head - (size_t)n, "%s%ld", k ? "," : "[", values[k]);
    return as_variables(f, v, head, place->niterator > 0, place);
}

/* Is an expression there that can be computed again in the large model? */
static bool is_part_of_model(const Front *f, Env env, const NumberMark *mark)
{
    const Inst *inst = env.inst;
    while (inst && inst != f->lower->top)
        inst = inst->parent;
    return inst && !f->nfunction && !mark->nvariable;
}

Value number_beside(Front *f, const Expr *e, Env env, Value v, const NumberMark *mark)
{
    const bool literal = e->kind == EX_INTEGER || e->kind == EX_REAL;
    if (!f->numbers || !f->lower || f->lower->of_numbers || literal ||
        (v.kind != V_REAL && v.kind != V_INTEGER) || v.n == 0 || value_is_symbolic(&v))
        return v;
    if (mark->nsymbol || set_has(f->numbers->known_mixed, e)) /* zero times a variable; branches */
        return v;
    const bool line = v.ndim == 0 && is_line(f, e, env);
    if (!is_part_of_model(f, env, mark)) {
        if (!line && (mark->nlocal || mark->nvariable || mark->touched))
            note_values(f, e->span, &v);
        return v;
    }
    if (is_data(f->numbers, e)) {
        Value w = expression_as_data(f, e, env, v, mark);
        if (w.kind != V_NONE) {
            decisions_forget(f, mark->note, mark->end);
            return w;
        }
        note_values(f, e->span, &v);
        return v;
    }
    note_use(f, (NumberUse){.e = e,
                            .inst = env.inst,
                            .part = env.part,
                            .values = values_hash(&v),
                            .is_line = line,
                            .varies = mark->nlocal || mark->touched});
    return v;
}

void numbers_beside(Front *f, Env env, const Expr *a, Value *x, const NumberMark *of_x,
                    const Expr *b, Value *y, const NumberMark *of_y)
{
    if (!f->numbers)
        return;
    const bool first = value_is_symbolic(x), second = value_is_symbolic(y);
    if (first && !second)
        *y = number_beside(f, b, env, *y, of_y);
    else if (second && !first)
        *x = number_beside(f, a, env, *x, of_x);
}

Value number_of_binding(Front *f, Member *m, const Mod *mod, Value v, const NumberMark *mark)
{
    const Expr *e = mod->modification->value;
    const bool literal = e->kind == EX_INTEGER || e->kind == EX_REAL;
    if (!f->numbers || literal || (v.kind != V_REAL && v.kind != V_INTEGER) || v.n == 0 ||
        mark->nsymbol || value_is_symbolic(&v) || member_type(f, m)->kind != TY_REAL)
        return v;
    if (!is_data(f->numbers, e)) {
        note_use(f, (NumberUse){.e = e,
                                .inst = m->inst,
                                .bound = m,
                                .values = values_hash(&v),
                                .varies = mark->touched != 0});
        return v;
    }
    char head[460];
    NumberPlace *place = work_zeroed(f, sizeof *place);
    const char *path = lower_inst_path(f->lower, m->inst);
    if (!place || !path)
        return v;
    *place = (NumberPlace){.e = e,
                           .bound = m,
                           .inst = m->inst,
                           .span = mod->span,
                           .naxis = count_subscripts(path),
                           .ndim = v.ndim};
    snprintf(head, sizeof head, "number %zu(%.300s%.100s", data_number(f->numbers, e), path,
             m->name);
    decisions_forget(f, mark->note, mark->end);
    return as_variables(f, v, head, false, place);
}

void numbers_drop(Front *f, TextNumbers *t)
{
    vec_drop(f->alloc, &t->uses);
    vec_drop(f->alloc, &t->named);
    vec_drop(f->alloc, &t->mixed);
    memory_free(f->alloc, t->table, t->ntable * sizeof *t->table);
    *t = (TextNumbers){.data = t->data, .known_mixed = t->known_mixed};
}

/* ------------------------------------------------------------------ which are data */

static int by_address(const void *p, const void *q)
{
    const uintptr_t a = (uintptr_t) * (const Expr *const *)p,
                    b = (uintptr_t) * (const Expr *const *)q;
    return a < b ? -1 : a > b;
}

/* does a number vary in the small models that read it? */
static bool use_varies(const LoopMaker *m, const NumberUse *use)
{
    for (int k = 0; k < FAMILY_SIZES; k++) {
        const TextNumbers *t = &m->small[k].numbers;
        for (size_t i = 0; i < t->uses.n; i++)
            if (t->uses.items[i].e == use->e &&
                (t->uses.items[i].varies || t->uses.items[i].values != use->values))
                return true;
    }
    return false;
}

/* adds an expression to a set that is not sorted yet */
static bool set_add(Front *f, ExprSet *set, const Expr *e)
{
    for (size_t i = set->n; i-- > 0;)
        if (set->items[i] == e)
            return true;
    if (vec_push(f->alloc, set, e))
        return true;
    f->work.failed = true;
    return false;
}

static void set_sort(ExprSet *set)
{
    if (set->n)
        qsort(set->items, set->n, sizeof *set->items, by_address);
}

bool numbers_choose_data(LoopMaker *m)
{
    Front *f = m->f;
    const size_t ndata = m->data.n, nmixed = m->mixed.n;
    for (int k = 0; k < FAMILY_SIZES; k++) {
        const TextNumbers *t = &m->small[k].numbers;
        for (size_t i = 0; i < t->mixed.n; i++)
            set_add(f, &m->mixed, t->mixed.items[i]);
        for (size_t i = 0; i < t->uses.n; i++)
            if (!t->uses.items[i].is_line && use_varies(m, &t->uses.items[i]))
                set_add(f, &m->data, t->uses.items[i].e);
    }
    set_sort(&m->data);
    set_sort(&m->mixed);
    return m->data.n > ndata || m->mixed.n > nmixed;
}

/* ------------------------------------------------------------------ the large model */

/* the instance of the large model that stands where one of the first small model does */
static Inst *double_of_inst(LoopMaker *m, const Inst *small)
{
    if (small == m->small[0].top)
        return m->top;
    Member *around = small->member ? loop_double(m, small->member) : NULL;
    return around ? member_child(m->f, around) : NULL;
}

static ClassPart *double_of_part(const Inst *inst, const ClassPart *small)
{
    ClassPart *part = small ? inst->parts : NULL;
    while (part && (part->class_ != small->class_ || part->number != small->number))
        part = part->next;
    return part;
}

/* cursors of the arrays of components around an instance from subscripts; false: outside */
static bool place_cursors(LoopMaker *m, Inst *inst, const long *subscripts, int n)
{
    Axis *axes[AXIS_DEPTH];
    size_t naxis = 0;
    int used = 0;
    for (Axis *axis = inst->axis; axis && axis != m->top->axis; axis = axis->outer)
        axes[naxis++] = axis;
    while (naxis-- > 0 && n) {
        size_t index = 0;
        for (int k = 0; k < axes[naxis]->ndim; k++) {
            if (used >= n)
                return false;
            index = index * axes[naxis]->dim[k] + (size_t)(subscripts[used++] - 1);
        }
        if (index >= axes[naxis]->n)
            return false;
        axes[naxis]->index = index;
    }
    return true;
}

/* what the large model has at a place for these subscripts */
static Value value_at_place(LoopMaker *m, const NumberPlace *p, const long *subscripts)
{
    Front *f = m->f;
    LocalName frames[MAX_ITERATORS] = {{0}};
    Member *bound = p->bound ? loop_double(m, p->bound) : NULL;
    Inst *inst = bound ? bound->inst : double_of_inst(m, p->inst);
    if (!inst || (p->bound && !bound) || !place_cursors(m, inst, subscripts, p->naxis))
        return (Value){0};
    if (bound) {
        Mod *mod = member_sizes(f, bound) ? member_binding(f, bound) : NULL;
        return mod ? mod_value(f, mod, bound->ndim, bound->inst, bound->name) : (Value){0};
    }
    Env env = {.inst = inst, .part = double_of_part(inst, p->part)};
    for (int k = 0; k < p->niterator; k++) {
        frames[k] = (LocalName){env.frame, p->iterators[k],
                                value_number(V_INTEGER, (double)subscripts[p->naxis + k]), NULL};
        env.frame = &frames[k];
    }
    return evaluate(f, p->e, env);
}

/* a value that is kept for the elements of one array */
typedef struct KeptValue {
    long at[MAX_POSITION];
    bool there;
    Value value;
} KeptValue;

/* the number of an element; false: there is none */
static bool number_of_element(LoopMaker *m, const NumberPlace *p, const long *subscripts,
                              KeptValue *kept, double *x)
{
    const size_t before = (size_t)(p->naxis + p->niterator);
    if (!kept->there || memcmp(kept->at, subscripts, before * sizeof *subscripts) != 0) {
        kept->value = value_at_place(m, p, subscripts);
        memcpy(kept->at, subscripts, before * sizeof *subscripts);
        kept->there = true;
    }
    const Value *v = &kept->value;
    if ((v->kind != V_REAL && v->kind != V_INTEGER) || v->ndim != p->ndim)
        return false;
    size_t element = 0;
    for (int k = 0; k < v->ndim; k++) {
        const long at = subscripts[before + (size_t)k];
        if (at < 1 || (size_t)at > v->dim[k])
            return false;
        element = element * v->dim[k] + (size_t)(at - 1);
    }
    *x = value_at(v, element);
    return isfinite(*x);
}

bool numbers_set(LoopMaker *m, const FamilySeries *s, const NumberPlace *p)
{
    Front *f = m->f;
    KeptValue kept = {.there = false};
    char buffer[500];
    VEC(double) numbers = {0};
    bool good = p->naxis + p->niterator + p->ndim <= MAX_POSITION;
    long e[2] = {s->first[0], s->first[1]};
    for (; good && e[0] <= s->last[0]; family_next(s, e)) {
        long subscripts[MAX_POSITION];
        double x = 0;
        family_name(s->name, s->subscripts, e, buffer, sizeof buffer);
        good = name_subscripts(strchr(buffer, '('), subscripts, MAX_POSITION) ==
                   p->naxis + p->niterator + p->ndim &&
               number_of_element(m, p, subscripts, &kept, &x) && vec_push(f->alloc, &numbers, x);
    }
    if (good)
        emit_cell_numbers(f, m->top, s->whole ? s->whole : s->name, p->span, numbers.items,
                          numbers.n);
    vec_drop(f->alloc, &numbers);
    return good;
}

bool numbers_hold(LoopMaker *m, SourceSpan *at)
{
    for (size_t i = 0; i < m->small[0].numbers.uses.n; i++) {
        const NumberUse *use = &m->small[0].numbers.uses.items[i];
        const NumberPlace place = {
            .e = use->e, .bound = use->bound, .inst = use->inst, .part = use->part};
        if (use->is_line || is_data(&m->small[0].numbers, use->e))
            continue;
        const Value v = value_at_place(m, &place, NULL);
        if (v.kind != V_NONE && values_hash(&v) == use->values)
            continue;
        *at = use->e->span;
        return false;
    }
    return true;
}
