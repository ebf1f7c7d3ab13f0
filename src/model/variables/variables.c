/* variables.c - variables of classes, the tree of names and the rows of the table: see variables.h.
 */
#include "model/variables/variables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/system/system.h"

const char *lieder_variable_kind_text(LiederVariableKind kind)
{
    static const char *const texts[] = {[LIEDER_VARIABLE_PARAMETER] = "parameter",
                                        [LIEDER_VARIABLE_STATE] = "state",
                                        [LIEDER_VARIABLE_DERIVATIVE] = "derivative",
                                        [LIEDER_VARIABLE_UNKNOWN] = "unknown",
                                        [LIEDER_VARIABLE_SIGNAL] = "signal",
                                        [LIEDER_VARIABLE_POTENTIAL] = "potential",
                                        [LIEDER_VARIABLE_FLOW] = "flow",
                                        [LIEDER_VARIABLE_OBSERVABLE] = "observable",
                                        [LIEDER_VARIABLE_CROSSING] = "crossing",
                                        [LIEDER_VARIABLE_DISCRETE] = "discrete"};
    return (size_t)kind < sizeof texts / sizeof *texts ? texts[kind] : "unknown kind";
}

/* ------------------------------------------------------------------ variables of a class */

/* the variables of one class while they are listed */
typedef struct Lister {
    Lieder *session;
    LiederClass *class_;
    bool ok;
} Lister;

static const char *intern_or_fail(Lister *l, const char *text)
{
    const char *interned = intern_text(&l->session->names, text);
    l->ok &= interned != NULL;
    return interned ? interned : "";
}

static void push_variable(Lister *l, ClassVariable v)
{
    v.info.unit = v.info.unit ? v.info.unit : "";
    v.info.text = v.info.text ? v.info.text : "";
    v.info.nominal = 1;
    v.info.n = 1;
    l->ok = l->ok && vec_push(&l->session->alloc, &l->class_->variables, v);
}

/* a switch is 0 or 1, a count has whole limits */
static LiederType type_of_member(const LiederMember *m)
{
    if (m->kind != LIEDER_PARAMETER || !m->structural || m->length != 1)
        return m->type;
    if (m->min == 0 && m->max == 1)
        return LIEDER_TYPE_BOOLEAN;
    bool whole = m->min == floor(m->min) && m->max == floor(m->max) && fabs(m->max) < 1e15;
    return whole ? LIEDER_TYPE_INTEGER : LIEDER_TYPE_REAL;
}

/* appends the variable of a member, with kind and causality; some members have none */
static void push_member(Lister *l, const LiederMember *m)
{
    static const LiederVariableKind kinds[] = {
        [LIEDER_PARAMETER] = LIEDER_VARIABLE_PARAMETER,
        [LIEDER_STATE] = LIEDER_VARIABLE_STATE,
        [LIEDER_UNKNOWN] = LIEDER_VARIABLE_UNKNOWN,
        [LIEDER_OBSERVABLE] = LIEDER_VARIABLE_OBSERVABLE,
        [LIEDER_CROSSING] = LIEDER_VARIABLE_CROSSING,
        [LIEDER_MEMORY] = LIEDER_VARIABLE_DISCRETE,
    };
    if (m->kind == LIEDER_TIMER || m->kind == LIEDER_REQUEST || m->kind == LIEDER_HISTORY ||
        m->kind == LIEDER_GUESS)
        return;
    bool parameter = m->kind == LIEDER_PARAMETER;
    ClassVariable v = {
        .info = {.name = m->name,
                 .unit = m->unit,
                 .text = m->text,
                 .kind = kinds[m->kind],
                 .causality = parameter ? LIEDER_CAUSALITY_PARAMETER : LIEDER_CAUSALITY_LOCAL,
                 .type = type_of_member(m),
                 .tunable = parameter && !m->structural && !l->class_->is_environment,
                 .length = parameter ? m->length : 1,
                 .nindex = parameter ? m->ndim : 0,
                 .sizes = parameter ? m->sizes : NULL,
                 .start = parameter || member_has_start(m) ? m->fallback : NAN,
                 .min = parameter || member_has_limits(m) ? m->min : -INFINITY,
                 .max = parameter || member_has_limits(m) ? m->max : INFINITY},
        .member = m,
        .area = -1,
        .port = -1,
        .offset = (uint32_t)m->index,
        .slot = class_slot_of_member(l->class_, m)};
    push_variable(l, v);
    if (m->kind != LIEDER_STATE)
        return;
    char unit[128];
    v.info.unit = intern_or_fail(l, unit_derivative(m->unit ? m->unit : "", unit, sizeof unit));
    v.info.text = "derivative";
    v.info.kind = LIEDER_VARIABLE_DERIVATIVE;
    v.info.start = NAN;
    v.offset = (uint32_t)m->other;
    v.slot = -1;
    push_variable(l, v);
}

/* a signal goes by the name of its port, the others are "port.variable" */
static void push_port(Lister *l, int port)
{
    const LiederPortDef *p = &l->class_->def->ports[port];
    const LiederDomain *d = p->domain;
    bool signal = port_is_signal(p);
    if (signal && class_member_named(l->class_, p->name, strlen(p->name)) >= 0)
        return; /* an output that is a state */
    if (strchr(p->name, ':'))
        return; /* a port by which other components are connected: see front/lower/lower_beside.c */
    int nfirst = d->nsignal + d->npotential;
    for (int i = 0; i < (signal ? 1 : nfirst + d->nflow * d->nregime); i++) {
        char name[256];
        snprintf(name, sizeof name, "%s.%s", p->name, d->variables[i].name);
        bool before = i < d->nsignal, flow = i >= nfirst;
        push_variable(l,
                      (ClassVariable){.info = {.name = signal ? p->name : intern_or_fail(l, name),
                                               .unit = d->variables[i].unit,
                                               .text = signal ? p->text : d->variables[i].text,
                                               .kind = before ? LIEDER_VARIABLE_SIGNAL
                                                       : flow ? LIEDER_VARIABLE_FLOW
                                                              : LIEDER_VARIABLE_POTENTIAL,
                                               .length = 1,
                                               .start = NAN,
                                               .min = -INFINITY,
                                               .max = INFINITY},
                                      .area = before ? LIEDER_SIGNALS
                                              : flow ? LIEDER_FLOWS
                                                     : LIEDER_POTENTIALS,
                                      .port = port,
                                      .offset = (uint32_t)(before ? i
                                                           : flow ? i - nfirst
                                                                  : i - d->nsignal),
                                      .slot = signal && p->role == LIEDER_IN
                                                  ? class_slot_of_port(l->class_, port)
                                                  : -1});
    }
}

/* gives room for further variables back: the list stays as long as the session */
static bool trim_list(Lister *l)
{
    size_t n = l->class_->variables.n;
    struct ClassVariable *items =
        memory_copy(&l->session->alloc, l->class_->variables.items, n * sizeof *items);
    if (!items)
        return n == 0;
    vec_drop(&l->session->alloc, &l->class_->variables);
    l->class_->variables.items = items;
    l->class_->variables.n = l->class_->variables.room = n;
    return true;
}

/* whether a member has the name of a variable of a port, "port.x", as in classes of equations */
static bool is_of_port(const LiederClassDef *def, const char *name)
{
    const char *point = strrchr(name, '.');
    for (int i = 0; point && i < def->nport; i++) {
        const LiederDomain *d = def->ports[i].domain;
        size_t n = strlen(def->ports[i].name);
        int first = d->nsignal, last = d->nsignal + d->npotential;
        if (n != (size_t)(point - name) || memcmp(def->ports[i].name, name, n) != 0)
            continue;
        for (int k = first; k < last; k++)
            if (strcmp(d->variables[k].name, point + 1) == 0)
                return true;
    }
    return false;
}

/* states, the other members, ports; tables are no numbers and are left out */
bool class_list_variables(Lieder *session, const LiederClass *class_)
{
    Lister l = {session, (LiederClass *)class_, true};
    const LiederClassDef *def = class_->def;
    if (class_->variables.n || !def)
        return true;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < def->nmember; i++) {
            const LiederMember *m = &def->members[i];
            bool table = m->kind == LIEDER_PARAMETER && m->length == 0;
            /* an unknown may be an observable of the same name as well */
            size_t n = class_->variables.n;
            if ((m->kind == LIEDER_STATE) == (pass == 0) && !table &&
                class_member_named(class_, m->name, strlen(m->name)) == i &&
                !is_of_port(def, m->name))
                push_member(&l, m);
            if (class_->variables.n > n)
                class_->index.variable[i] = (int32_t)n + 1;
        }
    for (int i = 0; i < def->nport; i++)
        push_port(&l, i);
    l.ok = l.ok && trim_list(&l);
    if (!l.ok) {
        vec_drop(&session->alloc, &l.class_->variables);
        session->no_memory = true;
    }
    return l.ok;
}

/* ------------------------------------------------------------------ the tree of names */

static bool is_model(const LiederElement *e)
{
    return e->instance == LIEDER_NO_INSTANCE;
}

static const LiederClass *class_of(const LiederSystem *system, const LiederElement *e)
{
    return sheet_instance(&system->flat.sheets.items[e->sheet], e->instance).class_;
}

const ClassVariable *handle_variable(const LiederSystem *system, const LiederHandle *handle)
{
    if (is_model(&handle->element))
        return NULL;
    const LiederClass *class_ = class_of(system, &handle->element);
    return handle->item < class_->variables.n ? &class_->variables.items[handle->item] : NULL;
}

size_t class_variables_named(const LiederSystem *system, const LiederElement *component,
                             const char *name, size_t length, uint32_t *items)
{
    const LiederClass *class_ = class_of(system, component);
    int m = class_member_named(class_, name, length);
    int32_t first = m >= 0 ? class_->index.variable[m] : 0;
    size_t n = !first ? 0 : class_->def->members[m].kind == LIEDER_STATE ? 2 : 1;
    for (size_t k = 0; k < n; k++)
        items[k] = (uint32_t)first - 1 + (uint32_t)k;
    return n;
}

LiederElement lieder_tree_root(const LiederSystem *system)
{
    (void)system;
    return (LiederElement){.sheet = 0, .instance = LIEDER_NO_INSTANCE, .lane = 0};
}

size_t lieder_tree_count(const LiederSystem *system, const LiederElement *model)
{
    return is_model(model) ? system->flat.scopes.items[model->sheet].model->declarations.n : 0;
}

LiederBranch lieder_tree_branch(const LiederSystem *system, const LiederElement *model,
                                size_t branch)
{
    const Declaration *d =
        &system->flat.scopes.items[model->sheet].model->declarations.items[branch];
    return (LiederBranch){.name = d->name,
                          .class_ = d->class_,
                          .component = d->class_->def != NULL,
                          .array = d->ndim > 0,
                          .n = d->n,
                          .ndim = d->ndim,
                          .dimensions = declaration_dim(d)};
}

LiederElement lieder_tree_element(const LiederSystem *system, const LiederElement *model,
                                  size_t branch, size_t index)
{
    const Flat *flat = &system->flat;
    const Scope *s = &flat->scopes.items[model->sheet];
    const Declaration *d = &s->model->declarations.items[branch];
    uint32_t first = s->first[branch];
    if (d->class_->def)
        return (LiederElement){s->sheet, first + (uint32_t)index, model->lane};
    if (flat->scopes.items[first].index <= -2) /* lanes of one scope; axes are nested in order */
        return (LiederElement){first, LIEDER_NO_INSTANCE, model->lane * d->n + index};
    return (LiederElement){first + (uint32_t)index, LIEDER_NO_INSTANCE, model->lane};
}

size_t lieder_tree_item_count(const LiederSystem *system, const LiederElement *component)
{
    if (is_model(component))
        return 0;
    const LiederClass *class_ = class_of(system, component);
    return class_->variables.n;
}

const LiederVariableInfo *lieder_tree_item(const LiederSystem *system,
                                           const LiederElement *component, size_t item)
{
    return &class_of(system, component)->variables.items[item].info;
}

bool lieder_tree_has_item(const LiederSystem *system, const LiederElement *component, size_t item)
{
    const LiederMember *m = class_of(system, component)->variables.items[item].member;
    if (!m || m->kind != LIEDER_STATE || !m->only_if)
        return true;
    LiederHandle h = {*component, (uint32_t)item, 0};
    return lieder_handle_state(system, &h) >= 0 ||
           (item > 0 && (h.item--, lieder_handle_state(system, &h) >= 0));
}

size_t lieder_tree_port_count(const LiederSystem *system)
{
    const RowCounts *rows = row_counts(system);
    return rows ? rows->ports.n : 0;
}

bool lieder_tree_port(const LiederSystem *system, size_t port, const char **name,
                      LiederHandle *handle)
{
    const RowCounts *rows = row_counts(system);
    if (!rows || port >= rows->ports.n)
        return false;
    const TablePort *p = &rows->ports.items[port];
    *name = system->flat.scopes.items[0].model->exposed.items[p->exposed].name;
    *handle = p->handle;
    return true;
}

/* ------------------------------------------------------------------ rows */

static bool count_rows(LiederSystem *system, uint32_t scope);

/* rows of what a declaration declares, in its first element; false: no memory */
static bool count_declaration(LiederSystem *system, const Scope *s, size_t d, size_t *n)
{
    const Declaration *decl = &s->model->declarations.items[d];
    *n = 0;
    if (decl->n == 0)
        return true;
    if (decl->class_->def) {
        *n = decl->class_->variables.n;
        return true;
    }
    uint32_t first = s->first[d];
    if (!count_rows(system, first))
        return false;
    *n = system->rows.first[first][system->flat.scopes.items[first].model->declarations.n];
    return true;
}

/* the first row of each declaration of a scope; false: no memory */
static bool count_rows(LiederSystem *system, uint32_t scope)
{
    const Scope *s = &system->flat.scopes.items[scope];
    size_t n = s->model->declarations.n, sum = 0, one;
    size_t *first = memory_zeroed(SYSTEM_ALLOC(system), (n + 1) * sizeof *first);
    system->rows.first[scope] = first;
    for (size_t d = 0; d < n && first; d++) {
        first[d] = sum;
        if (!count_declaration(system, s, d, &one))
            return false;
        sum += one;
    }
    if (first)
        first[n] = sum;
    return first != NULL;
}

void row_counts_drop(LiederSystem *system)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    RowCounts *rows = &system->rows;
    for (size_t i = 0; i < rows->n; i++)
        if (rows->first[i])
            memory_free(alloc, rows->first[i],
                        (system->flat.scopes.items[i].model->declarations.n + 1) *
                            sizeof **rows->first);
    memory_free(alloc, rows->first, rows->n * sizeof *rows->first);
    vec_drop(alloc, &rows->ports);
    *rows = (RowCounts){0};
}

size_t row_counts_bytes(const LiederSystem *system)
{
    size_t bytes =
        system->rows.n * sizeof *system->rows.first + system->rows.ports.room * sizeof(TablePort);
    for (size_t i = 0; i < system->rows.n; i++)
        if (system->rows.first[i])
            bytes += (system->flat.scopes.items[i].model->declarations.n + 1) * sizeof(size_t);
    return bytes;
}

static bool list_ports(LiederSystem *system, RowCounts *rows)
{
    const LiederModel *model = system->flat.scopes.items[0].model;
    for (size_t i = 0; i < model->exposed.n; i++) {
        TablePort p = {.exposed = i};
        if (lieder_handle_search(system, NULL, model->exposed.items[i].name, &p.handle) &&
            !vec_push(SYSTEM_ALLOC(system), &rows->ports, p))
            return false;
    }
    return true;
}

const RowCounts *row_counts(const LiederSystem *constant)
{
    LiederSystem *system = (LiederSystem *)constant;
    RowCounts *rows = &system->rows;
    if (rows->first)
        return rows;
    rows->n = system->flat.scopes.n;
    rows->first = memory_zeroed(SYSTEM_ALLOC(system), rows->n * sizeof *rows->first);
    if (!rows->first)
        rows->n = 0;
    if (rows->first && count_rows(system, 0) && list_ports(system, rows)) {
        rows->ninner = rows->first[0][system->flat.scopes.items[0].model->declarations.n];
        return rows;
    }
    row_counts_drop(system);
    return NULL;
}

size_t lieder_variable_count(const LiederSystem *system)
{
    const RowCounts *rows = row_counts(system);
    return rows ? rows->ninner + rows->ports.n : 0;
}

/* the way from the root down to a row: the declarations, and the variable at the end */
typedef struct RowWay {
    size_t n;
    uint32_t scope[MAX_DEPTH + 2], declaration[MAX_DEPTH + 2];
    LiederHandle handle;
    const char *port; /* a port of the model itself, or NULL */
} RowWay;

/* position of the last declaration whose first row is not beyond `row` and which has rows */
static size_t declaration_of_row(const size_t *first, size_t n, size_t row)
{
    size_t low = 0, high = n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (first[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    while (low > 0 && first[low + 1] <= row)
        low--;
    return low;
}

/* finds a row, with the given elements of the arrays on the way, or the first ones */
static bool find_row(const LiederSystem *system, size_t row, const size_t *elements, RowWay *way)
{
    const RowCounts *rows = row_counts(system);
    *way = (RowWay){0};
    if (!rows)
        return false;
    if (row >= rows->ninner)
        return lieder_tree_port(system, row - rows->ninner, &way->port, &way->handle);
    LiederElement at = lieder_tree_root(system);
    uint32_t scope = 0; /* whose sums hold: that of first elements */
    while (is_model(&at)) {
        const Scope *s = &system->flat.scopes.items[scope];
        size_t d = declaration_of_row(rows->first[scope], s->model->declarations.n, row);
        row -= rows->first[scope][d];
        way->scope[way->n] = scope;
        way->declaration[way->n] = (uint32_t)d;
        at = lieder_tree_element(system, &at, d, elements ? elements[way->n] : 0);
        way->n++;
        scope = s->first[d];
    }
    way->handle = (LiederHandle){at, (uint32_t)row, 0};
    return true;
}

static const Declaration *way_declaration(const LiederSystem *system, const RowWay *way, size_t i)
{
    return &system->flat.scopes.items[way->scope[i]].model->declarations.items[way->declaration[i]];
}

/* how many elements a row of the table has: the product of all arrays on its way */
static size_t way_elements(const LiederSystem *system, const RowWay *way)
{
    const ClassVariable *v = handle_variable(system, &way->handle);
    size_t n = way->port ? 1 : (size_t)v->info.length;
    for (size_t i = 0; i < way->n; i++)
        n *= way_declaration(system, way, i)->n;
    return n;
}

/* how many indices a variable has in its component, and the size of each; *length is that of a
 * vector */
static const size_t *variable_sizes(const LiederVariableInfo *info, const size_t *length,
                                    size_t *nindex)
{
    *nindex = info->nindex ? (size_t)info->nindex : *length > 1;
    return info->nindex ? info->sizes : length;
}

size_t lieder_variable_dimensions(const LiederSystem *system, size_t variable, size_t *dimensions,
                                  size_t room)
{
    RowWay way;
    size_t ndim = 0;
    if (!find_row(system, variable, NULL, &way))
        return 0;
    for (size_t i = 0; i < way.n; i++) {
        const Declaration *d = way_declaration(system, &way, i);
        for (int k = 0; k < d->ndim; k++, ndim++)
            if (ndim < room)
                dimensions[ndim] = declaration_dim(d)[k];
    }
    const LiederVariableInfo *info = &handle_variable(system, &way.handle)->info;
    size_t length = (size_t)info->length, nindex;
    const size_t *sizes = variable_sizes(info, &length, &nindex);
    for (size_t k = 0; k < nindex; k++, ndim++)
        if (ndim < room)
            dimensions[ndim] = sizes[k];
    return ndim;
}

const char *lieder_variable_index(const LiederVariableInfo *info, size_t i, char *buffer,
                                  size_t size)
{
    char text[INDEX_LENGTH];
    size_t length = (size_t)info->length, nindex;
    const size_t *sizes = variable_sizes(info, &length, &nindex);
    snprintf(buffer, size, "%s", index_text((int)nindex, sizes, i, text));
    return buffer;
}

LiederVariableInfo lieder_variable_info(const LiederSystem *system, size_t variable)
{
    RowWay way;
    if (!find_row(system, variable, NULL, &way))
        return (LiederVariableInfo){.name = "", .unit = "", .text = ""};
    LiederVariableInfo info = lieder_handle_info(system, &way.handle);
    info.n = way_elements(system, &way);
    info.ndim = (int)lieder_variable_dimensions(system, variable, NULL, 0);
    if (way.port) {
        const ClassVariable *v = handle_variable(system, &way.handle);
        info.name = way.port;
        info.alias = true;
        if (v->port >= 0 &&
            class_of(system, &way.handle.element)->def->ports[v->port].role == LIEDER_OUT)
            info.causality = LIEDER_CAUSALITY_OUTPUT;
    }
    return info;
}

const char *lieder_variable_name(const LiederSystem *system, size_t variable, char *buffer,
                                 size_t size)
{
    RowWay way;
    size_t at = 0;
    if (size)
        buffer[0] = '\0';
    if (!find_row(system, variable, NULL, &way))
        return buffer;
    const LiederVariableInfo *info = &handle_variable(system, &way.handle)->info;
    bool derivative = info->kind == LIEDER_VARIABLE_DERIVATIVE;
    if (derivative)
        at += (size_t)snprintf(buffer, size, "der(");
    for (size_t i = 0; i < way.n && at < size; i++) {
        const char *name = way_declaration(system, &way, i)->name;
        if (*name) /* the equations of a model are a component without a name */
            at += (size_t)snprintf(buffer + at, size - at, "%s.", name);
    }
    if (at < size)
        snprintf(buffer + at, size - at, "%s%s", way.port ? way.port : info->name,
                 derivative ? ")" : "");
    return buffer;
}

bool lieder_variable_handle(const LiederSystem *system, size_t variable, size_t element,
                            LiederHandle *handle)
{
    RowWay way;
    size_t elements[MAX_DEPTH + 2];
    if (!find_row(system, variable, NULL, &way) || element >= way_elements(system, &way))
        return false;
    size_t length = way.port ? 1 : (size_t)handle_variable(system, &way.handle)->info.length;
    uint32_t index = way.port ? way.handle.index : (uint32_t)(element % length);
    element /= length;
    for (size_t i = way.n; i-- > 0;) {
        elements[i] = element % way_declaration(system, &way, i)->n;
        element /= way_declaration(system, &way, i)->n;
    }
    if (!way.port && !find_row(system, variable, elements, &way))
        return false;
    *handle = way.handle;
    handle->index = index;
    return lieder_tree_has_item(system, &handle->element, handle->item);
}
