/* record.c - values of records.
 *
 * A record value has one Value for each field. An array of records is stored by fields: the value
 * of a field has the dimensions of the array in front of its own, so that r[2].x and r.x[2] are the
 * same number at the same place, subscripts and stacks work on fields one by one, and nobody
 * needs arrays of arrays.
 *
 * Where records come from: components of a record class (record_of_inst), constructors and
 * functions (function.c), and variables of functions, whose fields are assigned one by one
 * (record_unassigned). The value of a whole record given to a component is taken apart by modify.c.
 */
#include <string.h>

#include "front/instance/semantic.h"

bool is_record_class(const Class *class_)
{
    return class_ && (class_->kind == CLASS_RECORD || class_->kind == CLASS_OPERATOR_RECORD);
}

Value record_create(Front *f, const Class *class_, size_t nfield, int ndim, const size_t *dim)
{
    Value v = {.kind = V_RECORD, .ndim = ndim, .n = 1};
    for (int k = 0; k < ndim; k++)
        v.n *= v.dim[k] = dim[k];
    RecordValue *r = scratch_zeroed(f, sizeof *r);
    if (!r)
        return (Value){0};
    *r = (RecordValue){.front = f,
                       .class_ = class_,
                       .n = nfield,
                       .names = scratch_zeroed(f, (nfield + 1) * sizeof *r->names),
                       .fields = scratch_zeroed(f, (nfield + 1) * sizeof *r->fields)};
    v.record = r;
    return r->names && r->fields ? v : (Value){0};
}

Value *record_field(const Value *v, const char *name)
{
    for (size_t i = 0; v->kind == V_RECORD && i < v->record->n; i++)
        if (v->record->names[i] == name)
            return &v->record->fields[i];
    return NULL;
}

/* the same fields, without their values */
static Value record_like(const Value *v, int ndim, const size_t *dim)
{
    const RecordValue *r = v->record;
    Value w = record_create(r->front, r->class_, r->n, ndim, dim);
    if (w.kind != V_NONE)
        memcpy(w.record->names, r->names, r->n * sizeof *r->names);
    return w;
}

Value record_below(const Value *v, int nleading, size_t i)
{
    Value w = record_like(v, v->ndim - nleading, v->dim + nleading);
    for (size_t k = 0; w.kind != V_NONE && k < v->record->n; k++)
        w.record->fields[k] = value_below(&v->record->fields[k], nleading, i);
    return w;
}

Value value_array_like(Front *f, SourceSpan span, const Value *v, int ndim, const size_t *dim)
{
    if (v->kind != V_RECORD) {
        Value w = value_array(f, span, v->kind, ndim, dim);
        w.literals = v->literals;
        w.unit = v->unit;
        return w;
    }
    Value w = record_like(v, ndim, dim);
    for (size_t k = 0; w.kind != V_NONE && k < v->record->n; k++) {
        const Value *field = &v->record->fields[k];
        size_t all[VALUE_DIMS];
        int own = field->ndim - v->ndim;
        if (ndim + own > VALUE_DIMS) {
            report_error(f, span, NULL, "an array of more than %d dimensions\nuse fewer",
                         VALUE_DIMS);
            return (Value){0};
        }
        memcpy(all, dim, (size_t)ndim * sizeof *all);
        memcpy(all + ndim, field->dim + v->ndim, (size_t)own * sizeof *all);
        if (field->kind != V_NONE)
            w.record->fields[k] = value_array_like(f, span, field, ndim + own, all);
    }
    return w;
}

void record_put(Value *array, size_t i, const Value *element)
{
    for (size_t k = 0; k < array->record->n; k++) {
        Value *to = &array->record->fields[k];
        const Value *from = record_field(element, array->record->names[k]);
        if (!from)
            continue;
        if (array->ndim == 0) {
            *to = *from;
            continue;
        }
        size_t m = array->n ? to->n / array->n : 0;
        for (size_t j = 0; j < m; j++) {
            Value e = value_element(from, j);
            value_put(to, i * m + j, &e);
        }
    }
}

Value record_stack(Front *f, SourceSpan span, const Value *items, size_t n)
{
    const RecordValue *first = items[0].record;
    size_t dim[VALUE_DIMS] = {n};
    memcpy(dim + 1, items[0].dim, (VALUE_DIMS - 1) * sizeof *dim);
    Value v = record_like(&items[0], items[0].ndim + 1, dim);
    Value *list = scratch_zeroed(f, n * sizeof *list);
    for (size_t k = 0; v.kind != V_NONE && list && k < first->n; k++) {
        for (size_t i = 0; i < n; i++) {
            const Value *field = record_field(&items[i], first->names[k]);
            if (!field) {
                report_error(f, span, NULL,
                             "an array of different records: '%s' is not in all of them\n"
                             "all elements of an array have the same type",
                             first->names[k]);
                return (Value){0};
            }
            list[i] = *field;
        }
        v.record->fields[k] = value_stack(f, span, list, n);
        if (v.record->fields[k].kind == V_NONE)
            return (Value){0};
    }
    return list ? v : (Value){0};
}

Value value_copy(Front *f, const Value *v, SourceSpan span)
{
    if (v->kind == V_RECORD) {
        Value w = record_like(v, v->ndim, v->dim);
        for (size_t k = 0; w.kind != V_NONE && k < v->record->n; k++)
            w.record->fields[k] = value_copy(f, &v->record->fields[k], span);
        return w;
    }
    if (v->ndim == 0 || v->kind == V_NONE)
        return *v;
    Value copy = value_array_like(f, span, v, v->ndim, v->dim);
    if (copy.kind == V_NONE)
        return copy;
    if (v->kind == V_STRING)
        memcpy(copy.text, v->text, v->n * sizeof *v->text);
    else
        memcpy(copy.num, v->num, v->n * sizeof *v->num);
    return copy;
}

bool value_identical(const Value *a, const Value *b)
{
    if (a->kind != b->kind || !value_same_sizes(a, b))
        return false;
    if (a->kind == V_OBJECT || a->kind == V_FUNCTION)
        return a->table == b->table && a->function == b->function;
    for (size_t k = 0; a->kind == V_RECORD && k < a->record->n; k++) {
        const Value *other = record_field(b, a->record->names[k]);
        if (!other || !value_identical(&a->record->fields[k], other))
            return false;
    }
    for (size_t k = 0; a->kind != V_RECORD && a->kind != V_NONE && k < a->n; k++) {
        double x = a->kind == V_STRING ? 0 : value_at(a, k);
        double y = a->kind == V_STRING ? 0 : value_at(b, k);
        if (memcmp(&x, &y, sizeof x) != 0 ||
            (a->kind == V_STRING && strcmp(value_text(a, k), value_text(b, k)) != 0))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ components and variables */

/* the component that a record field belongs to, or NULL */
static const Member *around_field(const Member *m)
{
    return m->inst && is_record_class(m->inst->class_) ? m->inst->member : NULL;
}

FlowPrefix member_connection(const Member *m)
{
    FlowPrefix own = CONNECT_POTENTIAL;
    for (; m && m->component && own == CONNECT_POTENTIAL; m = around_field(m))
        own = m->prefix.connection;
    return own;
}

Causality member_causality(const Member *m)
{
    Causality own = CAUSE_NONE;
    for (; m && m->component && own == CAUSE_NONE; m = around_field(m)) {
        own = m->prefix.causality;
        if (own == CAUSE_NONE)
            own = m->type.causality;
    }
    return own;
}

bool inst_is_connector(const Inst *inst)
{
    return inst->class_->kind == CLASS_CONNECTOR || inst->domain ||
           (inst->member && inst->member->component &&
            inst->member->type.restriction == CLASS_CONNECTOR);
}

Value record_of_inst(Front *f, Inst *inst, SourceSpan span, Env env, RecordMember *member_value_of)
{
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n; i++)
        n += inst->members.items[i]->component != NULL;
    Value v = record_create(f, inst->class_, n, 0, NULL);
    if (v.kind == V_NONE)
        return v;
    n = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || !member_present(f, m))
            continue;
        Value field = member_value_of(f, m, &(Ref){.span = span, .name = m->name}, env);
        if (field.kind == V_NONE)
            return (Value){0};
        v.record->names[n] = m->name;
        v.record->fields[n++] = field;
    }
    v.record->n = n;
    return v;
}

Inst *record_template(Front *f, Member *m)
{
    const Type *type = member_type(f, m);
    if (!m->record && type->kind == TY_CLASS && is_record_class(type->class_))
        m->record =
            inst_create(f, type, type->mods, NULL, NULL, NULL, ref_span(m->component->type));
    return m->record;
}

bool record_fits(Front *f, const Value *v, Member *m)
{
    const Inst *inst = record_template(f, m);
    size_t n = 0;
    for (size_t i = 0; inst && i < inst->members.n; i++) {
        const Member *field = inst->members.items[i];
        if (!field->component)
            continue;
        if (!record_field(v, field->name))
            return false;
        n++;
    }
    return inst && n == v->record->n;
}

Value record_unassigned(Front *f, Member *m, int ndim, const size_t *dim)
{
    Inst *inst = record_template(f, m);
    if (!inst)
        return (Value){0};
    Value v = record_create(f, inst->class_, inst->members.n, ndim, dim);
    size_t n = 0;
    for (size_t i = 0; v.kind != V_NONE && i < inst->members.n; i++) {
        Member *field = inst->members.items[i];
        if (!field->component)
            continue;
        v.record->names[n] = field->name;
        v.record->fields[n++] = unassigned_field(f, field, ndim, dim);
    }
    if (v.kind != V_NONE)
        v.record->n = n;
    return v;
}
