/* loops.c - models whose arrays are so large that they stay loops.
 *
 * The size of the arrays is an Integer parameter of the model or of a component, or a number of the
 * text (loop_size.c). The model is instantiated and solved with a few small numbers in its place,
 * and the class for the number that it has follows from these (equation/family/family.h), so that
 * analysis and code do not depend on it. What is O(n) are the numbers themselves: parameters, start
 * values, names.
 *
 * The class is made of what small sizes have in common. Five things see to it that the large size
 * would have it, too:
 *
 * - sizes: declared dimensions and Integer parameters follow the size evenly (a + b n), up to the
 * one
 *   that is wanted, element by element where there are several (loop_follow.c), and what is
 *   present,
 *   Boolean or of an enumeration is the same there
 * - decisions: what the text compares, rounds or looks up in a table while equations are read is
 * the
 *   same for all small sizes, or an index is compared with an end of its range (loop_decide.c)
 * - numbers that equations read are lines in sizes and indices, data, or the same in the large
 * model
 *   (loop_number.c)
 * - elements: the class that follows from two sizes is that of the other two, bit for bit
 * - subscripts: at the large size none leaves its array
 *
 * Otherwise the model is written out as scalars, and `lieder show` has the reason.
 */
#include "front/lower/lower.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "equation/class/class.h"
#include "front/divide/loops.h"
#include "front/divide/noted.h"

/* ------------------------------------------------------------------ small models */

__attribute__((format(printf, 2, 3))) static bool loops_refuse(LoopMaker *m, const char *format,
                                                               ...)
{
    va_list list;
    va_start(list, format);
    if (!m->why[0])
        vsnprintf(m->why, sizeof m->why, format, list);
    va_end(list);
    return false;
}

/* one of the small models as equations; false: they cannot be had */
static bool lower_small(LoopMaker *m, int k, bool is_first)
{
    Front *f = m->f;
    SmallModel *s = &m->small[k];
    if (!s->top)
        s->top = small_instance(f, &m->numbers, k);
    if (!s->top)
        return false;
    f->top = s->top;
    if (!inst_is_cell(f, s->top) || inst_has_beside(f, s->top))
        return loops_refuse(m, "it has no equations of its own");
    s->numbers.data = &m->data;
    s->numbers.is_first = is_first;
    s->numbers.known_mixed = &m->mixed;
    f->decisions = &s->decisions;
    f->numbers = &s->numbers;
    bool good = lower_instance(&s->lower, f, s->top);
    s->is_lowered = true;
    decisions_settle(f, 0);
    f->decisions = NULL;
    f->numbers = NULL;
    if (!good)
        return false;
    if (s->lower.cell.nport)
        return loops_refuse(m, "it has ports");
    if (s->lower.random.used)
        return loops_refuse(m, "it has random numbers");
    return !f->work.failed;
}

/* one of the small models as a class that nobody has registered; false: it cannot be had */
static bool make_small(LoopMaker *m, int k)
{
    Front *f = m->f;
    SmallModel *s = &m->small[k];
    f->top = s->top;
    cell_take_numbers(f, &s->lower);
    CellClassInfo info = {.name = m->top->class_->name};
    LiederStatus status;
    s->lower.cell.graph.max_effort = s->lower.cell.graph.effort + 2 * f->limits.steps;
    s->class_ = cell_class_create(&s->lower.cell, &info, &status);
    return s->class_ != NULL;
}

static void drop_small(LoopMaker *m, int k)
{
    SmallModel *s = &m->small[k];
    cell_class_destroy(s->class_);
    if (s->is_lowered)
        lower_drop(&s->lower);
    s->class_ = NULL;
    s->is_lowered = false;
    s->top = NULL; /* values that it has found would be noted no more */
    decisions_drop(m->f, &s->decisions);
    numbers_drop(m->f, &s->numbers);
}

/* The equations of all small models. Where numbers turn out to be data they are read once more, and
 * again where that shows further ones. */
static bool lower_all_small(LoopMaker *m)
{
    enum { MAX_ROUNDS = 4 };
    Front *f = m->f;
    bool good = true;
    for (int round = 0; round < MAX_ROUNDS && good; round++) {
        for (int k = 0; k < FAMILY_SIZES && good; k++)
            good = lower_small(m, k, round == 0);
        if (!good || !numbers_choose_data(m))
            break;
        for (int k = 0; k < FAMILY_SIZES; k++)
            drop_small(m, k);
    }
    return good && !f->work.failed;
}

/* is what the text decides in the small models the same in the large one? */
static bool decides_alike(LoopMaker *m)
{
    Decisions *decisions[FAMILY_SIZES];
    SourceSpan at = {0};
    for (int k = 0; k < FAMILY_SIZES; k++)
        decisions[k] = &m->small[k].decisions;
    if (decisions_hold(decisions, m->size.n, &at))
        return true;
    return loops_refuse(m, "line %d compares or rounds numbers that depend on %s or on an index",
                        span_place(at).line, m->size.text);
}

/* All small models. What they report is forgotten: if one cannot be had, the model itself will say
 * why. */
static bool make_all_small(LoopMaker *m)
{
    Front *f = m->f;
    LowerRandom *seed = f->random; /* small models have seeds of their own */
    f->random = NULL;
    bool good = lower_all_small(m) && decides_alike(m);
    for (int k = 0; k < FAMILY_SIZES && good; k++)
        good = make_small(m, k) && !f->work.failed;
    f->random = seed;
    if (!good)
        loops_refuse(m, "it cannot be had with %s = %ld", m->size.text, small_sizes[0]);
    return good;
}

/* do the numbers of the large model go on as those of the small ones do? */
static bool numbers_go_on(LoopMaker *m)
{
    SourceSpan at = {0};
    const char *name = "";
    if (!parameters_follow(m, &name))
        return loops_refuse(m, "the numbers of '%s' do not follow %s evenly", name, m->size.text);
    return numbers_hold(m, &at) || loops_refuse(m, "a number in line %d depends on %s in some way",
                                                span_place(at).line, m->size.text);
}

/* ------------------------------------------------------------------ sizes */

/* on the line through the first two sizes? */
static bool is_even(LoopMaker *m, double a, double b, double large)
{
    double slope = (b - a) / (double)(small_sizes[1] - small_sizes[0]);
    m->grows |= slope != 0;
    return slope == floor(slope) && large == a + slope * (double)(m->size.n - small_sizes[0]);
}

static bool same_sizes(LoopMaker *m, Inst *large, Inst *a, Inst *b);

/* the number of a parameter that decides structure */
static bool same_parameter(LoopMaker *m, Member *large, Member *a, Member *b)
{
    Front *f = m->f;
    TypeKind kind = member_type(f, large)->kind;
    if ((kind != TY_INTEGER && kind != TY_BOOLEAN && kind != TY_ENUM) || large->ndim)
        return true;
    if (!large->value || large->value->state != MEMO_DONE) {
        if (!member_binding(f, large))
            return true; /* nobody needs it, or else it is found out later */
    }
    size_t nwrong = f->nwrong;
    Value x = member_value(f, large, large->component->name_span);
    m->is_wrong |= f->nwrong != nwrong;
    nwrong = f->nwrong;
    LowerRandom *seed = f->random;
    f->random = NULL;
    Value y = member_value(f, a, a->component->name_span),
          z = member_value(f, b, b->component->name_span);
    f->random = seed;
    f->nwrong = nwrong;
    if (x.kind == V_NONE || y.kind == V_NONE || z.kind == V_NONE)
        return true;
    bool grows = m->grows;
    bool good = kind == TY_INTEGER ? is_even(m, y.x, z.x, x.x) : x.x == y.x && x.x == z.x;
    m->grows = grows; /* dimensions count */
    return good || loops_refuse(m, "'%s' does not follow %s evenly", large->name, m->size.text);
}

static bool same_dimensions(LoopMaker *m, const Member *large, const Member *a, const Member *b)
{
    for (int k = 0; k < large->ndim; k++)
        if (large->dim[k] != NO_SIZE && a->dim[k] != NO_SIZE && b->dim[k] != NO_SIZE &&
            !is_even(m, (double)a->dim[k], (double)b->dim[k], (double)large->dim[k]))
            return loops_refuse(m, "the size of '%s' does not follow %s evenly", large->name,
                                m->size.text);
    return true;
}

/* one member of an instance and its doubles in small models */
static bool same_member_sizes(LoopMaker *m, Member *large, Member *a, Member *b)
{
    Front *f = m->f;
    if (!large->component || (large->is_outer && !large->is_inner))
        return true;
    size_t nwrong = f->nwrong;
    const Type *type = member_type(f, large);
    bool present = type->kind != TY_NONE && member_present(f, large);
    bool sized = present && (type->kind == TY_CLASS || member_sizes(f, large));
    Inst *child = sized && type->kind == TY_CLASS ? member_child(f, large) : NULL;
    if (f->nwrong != nwrong)
        m->is_wrong = true;
    if (m->is_wrong || type->kind == TY_NONE)
        return true;
    if (present != member_present(f, a) || present != member_present(f, b))
        return loops_refuse(m, "'%s' is there for some sizes only", large->name);
    if (!present)
        return true;
    if (type->kind != TY_CLASS) {
        if (!sized || !member_sizes(f, a) || !member_sizes(f, b))
            return true;
        if (member_is_parameter(large))
            return same_parameter(m, large, a, b);
        return same_dimensions(m, large, a, b);
    }
    if (is_expandable(type))
        return true;
    Inst *y = member_child(f, a), *z = member_child(f, b);
    if (!child || !y || !z)
        return true;
    if (child->class_ != y->class_ || child->class_ != z->class_)
        return loops_refuse(m, "'%s' is of another class for other sizes", large->name);
    for (int k = 0; large->axis && a->axis && b->axis && k < large->axis->ndim; k++)
        if (!is_even(m, (double)a->axis->dim[k], (double)b->axis->dim[k],
                     (double)large->axis->dim[k]))
            return loops_refuse(m, "the size of '%s' does not follow %s evenly", large->name,
                                m->size.text);
    return same_sizes(m, child, y, z);
}

/* dimensions and structural parameters of an instance and all that is in it */
static bool same_sizes(LoopMaker *m, Inst *large, Inst *a, Inst *b)
{
    Front *f = m->f;
    if (large->native || large->domain || large->members.n != a->members.n ||
        large->members.n != b->members.n || !enter(f, large->class_->span))
        return large->members.n == a->members.n && large->members.n == b->members.n;
    bool good = true;
    for (size_t i = 0; i < large->members.n && !m->is_wrong; i++) /* all: does something grow? */
        good &=
            same_member_sizes(m, large->members.items[i], a->members.items[i], b->members.items[i]);
    leave(f);
    return good;
}

/* ------------------------------------------------------------------ numbers */

Member *loop_double(LoopMaker *m, const Member *x)
{
    Inst *at = m->top;
    if (x->inst != m->small[0].top) {
        Member *around = x->inst->member ? loop_double(m, x->inst->member) : NULL;
        at = around ? member_child(m->f, around) : NULL;
    }
    return at ? inst_listed(at, NULL, x->name) : NULL;
}

int name_subscripts(const char *name, long *to, int room)
{
    int n = 0;
    bool inside = false, quoted = false;
    for (const char *c = name; *c; c++) {
        quoted ^= *c == '\'';
        inside = !quoted && (*c == '[' || (inside && *c != ']'));
        if (!inside || *c < '0' || *c > '9')
            continue;
        long x = 0;
        for (; *c >= '0' && *c <= '9'; c++)
            x = 10 * x + (*c - '0');
        c--;
        if (n < room)
            to[n++] = x;
    }
    return n;
}

/* Puts cursors of arrays of components where the subscripts of a name are, and completes the
 * setting. */
static bool place_setting(LoopMaker *m, const char *name, CellSetting *s)
{
    long subscripts[8];
    int n = name_subscripts(name, subscripts, 8), used = 0;
    Axis *axes[AXIS_DEPTH];
    size_t naxis = 0;
    for (Axis *axis = s->member->inst->axis; axis && axis != m->top->axis; axis = axis->outer)
        axes[naxis++] = axis;
    unsigned long long set = 0;
    while (naxis-- > 0) {
        Axis *axis = axes[naxis];
        size_t index = 0;
        for (int k = 0; k < axis->ndim; k++) {
            if (used >= n)
                return false;
            index = index * axis->dim[k] + (size_t)(subscripts[used++] - 1);
        }
        if (index >= axis->n)
            return false;
        axis->index = index;
        set |= 1ull << axis->depth;
    }
    s->element = 0;
    for (int k = 0; k < s->member->ndim && used < n; k++)
        s->element = s->element * s->member->dim[k] + (size_t)(subscripts[used++] - 1);
    s->key = memo_key(s->member->inst->axis, set);
    return true;
}

static void reset_cursors(const Member *member)
{
    for (Axis *axis = member->inst->axis; axis; axis = axis->outer)
        axis->index = 0;
}

/* the variable of the first small model that a series begins with */
static const LowerVariable *series_variable(const LoopMaker *m, const FamilySeries *s)
{
    const Lower *lower = &m->small[0].lower;
    size_t length = strlen(s->name);
    for (size_t i = 0; i < lower->variables.n; i++) {
        const CellVariable *x = &lower->cell.variables.items[i];
        if (strncmp(x->name, s->name, length) == 0 &&
            (x->name[length] == 0 || (s->is_vector && x->name[length] == '[' && x->length > 1 &&
                                      x->element == 0 && !strchr(x->name + length, ']')[1])))
            return &lower->variables.items[i];
    }
    return NULL;
}

/* the numbers of a series of parameters */
static bool set_parameter_series(LoopMaker *m, const FamilySeries *s, const LowerVariable *from)
{
    Front *f = m->f;
    CellSetting setting = {.top = m->top,
                           .member = loop_double(m, from->member),
                           .attribute = from->is_start ? "start" : NULL};
    VEC(double) numbers = {0};
    bool good = setting.member && member_sizes(f, setting.member);
    char buffer[500];
    if (good && s->is_vector) {
        setting.name = s->name;
        good = place_setting(m, s->name, &setting);
        if (good)
            emit_cell_setting(f, &setting);
    }
    long e[2] = {s->first[0], s->first[1]};
    for (; e[0] <= s->last[0] && good && !s->is_vector; family_next(s, e)) {
        double x = 0;
        family_name(s->name, s->subscripts, e, buffer, sizeof buffer);
        good = place_setting(m, buffer, &setting);
        setting.name = good && !s->whole ? arena_text(&f->work, buffer, strlen(buffer)) : "";
        if (good && !s->whole && setting.name)
            emit_cell_setting(f, &setting);
        else if (good)
            good = emit_cell_number(f, &setting, &x) && vec_push(f->alloc, &numbers, x);
    }
    if (good && s->whole) {
        setting.name = s->whole;
        emit_cell_numbers(f, m->top, s->whole, setting.member->component->name_span, numbers.items,
                          numbers.n);
    }
    vec_drop(f->alloc, &numbers);
    if (setting.member)
        reset_cursors(setting.member);
    return good;
}

/* start values and other attributes of a series of states, or of memory */
static bool set_state_series(LoopMaker *m, const FamilySeries *s, const LowerVariable *from)
{
    Front *f = m->f;
    CellSetting setting = {.top = m->top, .member = loop_double(m, from->member)};
    char buffer[500];
    bool good = setting.member && member_sizes(f, setting.member);
    for (long e[2] = {s->first[0], s->first[1]}; e[0] <= s->last[0] && good; family_next(s, e)) {
        family_name(s->name, s->subscripts, e, buffer, sizeof buffer);
        setting.name = arena_text(&f->work, buffer, strlen(buffer));
        good = setting.name && place_setting(m, buffer, &setting);
        int end = s->kind == LIEDER_STATE ? NSTATE_ATTRIBUTES : 0;
        for (int k = s->is_initial ? 0 : -1; good && k < end; k++) {
            setting.attribute = k < 0 ? "start" : state_attributes[k];
            cell_set_state(f, &setting);
        }
    }
    if (setting.member)
        reset_cursors(setting.member);
    return good;
}

/* the numbers of the class; the model stands now, so that what is wrong is an error */
static void set_all(LoopMaker *m, const FamilyClass *family)
{
    Front *f = m->f;
    for (size_t i = 0; i < family->nseries && !f->work.failed; i++) {
        const FamilySeries *s = &family->series[i];
        const LowerVariable *from = series_variable(m, s);
        if (!from || (!from->member && !from->number))
            continue; /* the derivative of a state has no start value */
        bool good = from->number                  ? numbers_set(m, s, from->number)
                    : s->kind == LIEDER_PARAMETER ? set_parameter_series(m, s, from)
                                                  : set_state_series(m, s, from);
        if (!good && !f->work.failed)
            report_error(f, from->number ? from->number->span : from->member->component->name_span,
                         m->top, "'%s' has no number for each of its elements\ngive it one",
                         s->name);
    }
    cell_refuse_overrides(f, &m->small[0].lower, cell_class_plan(m->small[0].class_));
}

/* ------------------------------------------------------------------ all of it */

/* Is every series of parameters that needs numbers one of a variable? */
static bool has_all_variables(LoopMaker *m, const FamilyClass *family)
{
    for (size_t i = 0; i < family->nseries; i++) {
        const FamilySeries *s = &family->series[i];
        const LowerVariable *from = series_variable(m, s);
        if (from && from->number)
            continue;
        if (s->kind == LIEDER_PARAMETER && (!from || !from->member))
            return loops_refuse(m, "'%s' is no variable of the text", s->name);
        if (from && from->member && !loop_double(m, from->member))
            return loops_refuse(m, "'%s' is there for some sizes only", s->name);
    }
    return true;
}

/* the class, and the component of it that is the model */
static bool make_loops(LoopMaker *m, const char *name)
{
    Front *f = m->f;
    FamilySize sizes[FAMILY_SIZES];
    FamilyClass family;
    char buffer[240];
    for (int k = 0; k < FAMILY_SIZES; k++)
        sizes[k] = (FamilySize){&m->small[k].lower.cell, m->small[k].class_, small_sizes[k]};
    MergedText merged;
    merged_describe(&m->small[0].lower, &merged);
    CellClassInfo info = {.name = emit_free_name(f, name, buffer, sizeof buffer),
                          .text = m->top->class_->comment.text,
                          .nmerged = merged.n,
                          .merged = merged.n ? merged.names : NULL,
                          .merged_why = merged.n ? merged.why : NULL};
    if (!family_class_create(sizes, m->size.n, &info, &family)) {
        f->work.failed = true;
        return false;
    }
    if (!family.class_)
        return loops_refuse(m, "%s", family.why);
    if (!has_all_variables(m, &family)) {
        cell_class_destroy(family.class_);
        return false;
    }
    const char *class_name = cell_adopt(f, family.class_, buffer);
    if (!class_name)
        return false;
    emit_declare_own(f, m->top, class_name);
    set_all(m, &family);
    return true;
}

/* with one number as the size, or several that grow together */
static bool try_size(LoopMaker *m, const char *name)
{
    Front *f = m->f;
    size_t said = f->diag->list.n, nwrong = f->nwrong, nreport = f->reports.n;
    bool merge = f->may_merge;
    for (int k = 0; k < 2; k++)
        m->small[k].top = small_instance(f, &m->numbers, k);
    f->top = m->top;
    bool good = m->small[0].top && m->small[1].top;
    if (good && !same_sizes(m, m->top, m->small[0].top, m->small[1].top))
        good = loops_refuse(m, "it has other members for other sizes");
    good = good && m->grows && !m->is_wrong && make_all_small(m) && numbers_go_on(m);
    if (f->nwrong != nwrong && m->grows)
        good = loops_refuse(m, "it cannot be had with %s = %ld", m->size.text, small_sizes[0]);
    f->may_merge = merge;
    f->top = m->top;
    if (!m->is_wrong) {
        diag_forget(f->diag, said);
        f->reports.n = nreport;
        f->nwrong = nwrong;
    }
    good = good && !m->is_wrong && !f->work.failed && make_loops(m, name);
    for (int k = 0; k < FAMILY_SIZES; k++)
        drop_small(m, k);
    vec_drop(f->alloc, &m->data);
    vec_drop(f->alloc, &m->mixed);
    return good;
}

/* the same for numbers that were found; the reason why not stays */
static bool try_sizes(Front *f, Inst *inst, const char *name, const ArraySize *list, size_t n)
{
    LoopMaker m = {.f = f, .top = inst, .numbers = {.class_ = inst->class_, .making = -1}};
    m.numbers.large = inst;
    m.numbers.sizes = &m.size;
    if (!join_array_sizes(list, n, &m.size))
        return false;
    f->size_numbers = &m.numbers;
    bool good = try_size(&m, name);
    f->size_numbers = NULL;
    if (!good && !f->scalars_why[0] && m.grows)
        snprintf(f->scalars_why, sizeof f->scalars_why, "%s", m.why);
    return good;
}

bool emit_loops(Front *f, Inst *inst, const char *name)
{
    ArraySize sizes[MAX_ARRAY_SIZES];
    f->scalars_why[0] = 0;
    size_t nwrong = f->nwrong, n = 0;
    if (!f->differing.n) /* an array of different elements is no loop */
        n = find_array_sizes(f, inst, sizes);
    bool good = n > 1 && f->nwrong == nwrong && try_sizes(f, inst, name, sizes, n);
    for (size_t i = 0; i < n && !good && f->nwrong == nwrong && !f->work.failed; i++)
        good = try_sizes(f, inst, name, &sizes[i], 1);
    if (good)
        f->scalars_why[0] = 0;
    return good;
}

const char *front_scalars_why(const Front *f)
{
    return f->scalars_why;
}
