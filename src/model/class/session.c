/* session.c - session and class register; see session.h. */
#include "model/class/session.h"

#include <string.h>

#include "model/description/model.h"
#include "model/variables/variables.h"

const LiederDomain lieder_signal = {.name = "Signal",
                                    .text = "a number that is passed on",
                                    .nsignal = 1,
                                    .nregime = 1,
                                    .variables = (const LiederVariable[]){{"y", "", "value"}}};

Lieder *session_create(const LiederAllocator *alloc)
{
    if (!alloc)
        alloc = &memory_default;
    Lieder *session = memory_zeroed(alloc, sizeof *session);
    if (!session)
        return NULL;
    session->alloc = *alloc;
    intern_init(&session->names, alloc);
    diag_init(&session->diag, alloc);
    return session;
}

void lieder_destroy(Lieder *session)
{
    if (!session)
        return;
    LiederAllocator alloc = session->alloc;
    if (session->loader.front)
        session->loader.destroy(session->loader.front);
    for (size_t i = 0; i < session->classes.n; i++) {
        LiederClass *class_ = session->classes.items[i];
        model_destroy(class_->model);
        class_facts_drop(class_, &alloc);
        memory_free(&alloc, class_->slots, (size_t)class_->nslot * sizeof *class_->slots);
        class_index_drop(class_, &alloc);
        vec_drop(&alloc, &class_->variables);
        memory_free(&alloc, class_, sizeof *class_);
    }
    vec_drop(&alloc, &session->classes);
    vec_drop(&alloc, &session->values);
    for (size_t i = session->adopted.n; i-- > 0;)
        session->adopted.items[i].destroy(session->adopted.items[i].object);
    vec_drop(&alloc, &session->adopted);
    memory_free(&alloc, session->class_index, session->nclass_index * sizeof *session->class_index);
    diag_drop(&session->diag);
    intern_drop(&session->names);
    memory_free(&alloc, session, sizeof *session);
}

bool session_adopt(Lieder *session, void *object, void (*destroy)(void *object))
{
    return vec_push(&session->alloc, &session->adopted, (struct Adopted){object, destroy});
}

const char *lieder_version(void)
{
    return LIEDER_VERSION;
}

const char *lieder_status_text(LiederStatus status)
{
    switch (status) {
    case LIEDER_DONE:
        return "done";
    case LIEDER_NO_MEMORY:
        return "out of memory";
    case LIEDER_BAD_MODEL:
        return "the model is wrong";
    case LIEDER_BAD_USE:
        return "wrong argument";
    case LIEDER_SINGULAR:
        return "a linear group is singular";
    case LIEDER_NOT_FINITE:
        return "a value is not finite";
    case LIEDER_IO:
        return "input or output failed";
    case LIEDER_GAVE_UP:
        return "the solver gave up";
    case LIEDER_STOPPED:
        return "stopped before the end";
    }
    return "unknown status";
}

/* ------------------------------------------------------------------ diagnostics */

size_t lieder_diagnostic_count(const Lieder *session)
{
    return session->diag.list.n;
}

const LiederDiagnostic *lieder_diagnostic_get(const Lieder *session, size_t index)
{
    return index < session->diag.list.n ? &session->diag.list.items[index] : NULL;
}

void lieder_diagnostic_clear(Lieder *session)
{
    diag_clear(&session->diag);
}

void lieder_diagnostic_print(const LiederDiagnostic *g, FILE *to)
{
    if (g->file)
        fprintf(to, "%s:%d:%d: ", g->file, g->line, g->column);
    fprintf(to, "%s: ", g->severity == LIEDER_ERROR ? "error" : "warning");
    if (g->path)
        fprintf(to, "%s: ", g->path);
    fprintf(to, "%s", g->message ? g->message : "(out of memory)");
    if (g->nelement)
        fprintf(to, " (and %zu more element%s likewise)", g->nelement, g->nelement == 1 ? "" : "s");
    fputc('\n', to);
    if (g->source) {
        fprintf(to, "    %s\n    ", g->source);
        for (int i = 1; i < g->column; i++)
            fputc(g->source[i - 1] == '\t' ? '\t' : ' ', to);
        fputc('^', to);
        for (int i = 1; i < g->length; i++)
            fputc('~', to);
        fputc('\n', to);
    }
    if (g->advice)
        fprintf(to, "    %s\n", g->advice);
}

void lieder_diagnostic_print_all(const Lieder *session, FILE *to)
{
    for (size_t i = 0; i < session->diag.list.n; i++)
        if (!session->diag.list.items[i].counted)
            lieder_diagnostic_print(&session->diag.list.items[i], to);
    if (session->diag.nleft_out)
        fprintf(to, "... and %zu more\n", session->diag.nleft_out);
    if (session->diag.no_memory)
        fprintf(to, "error: out of memory\n");
}

/* ------------------------------------------------------------------ classes */

bool machine_has(LiederIsa isa)
{
    __builtin_cpu_init();
    switch (isa) {
    case LIEDER_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    case LIEDER_ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    default:
        return true;
    }
}

int class_physical_in(const LiederClassDef *def)
{
    int n = 0;
    for (int i = 0; i < def->nport; i++)
        n += !port_is_signal(&def->ports[i]) && def->ports[i].role == LIEDER_IN;
    return n;
}

bool class_is_whole(const LiederClassDef *def)
{
    const LiederKernels *k = def->kernels;
    const LiederDomain *first = NULL;
    bool differ = false;
    int nin = class_physical_in(def);
    if (!k || !k->inward[0].run || nin == 0 || class_physical_out(def) > 0)
        return false;
    for (int p = 0; p < def->nport; p++) {
        const LiederDomain *d = def->ports[p].domain;
        differ |= d->npotential > 0 && first && d != first;
        first = d->npotential > 0 ? d : first;
    }
    return k->nunknown > 0 || nin > 2 || differ;
}

int class_physical_out(const LiederClassDef *def)
{
    int n = 0;
    for (int i = 0; i < def->nport; i++)
        n += !port_is_signal(&def->ports[i]) && def->ports[i].role == LIEDER_OUT;
    return n;
}

bool class_has_member(const LiederClassDef *def, LiederMemberKind kind)
{
    for (int m = 0; m < def->nmember; m++)
        if (def->members[m].kind == kind)
            return true;
    return false;
}

const LiederKernels *class_any_kernels(const LiederClass *class_)
{
    for (int i = 0; i < ISA_COUNT; i++)
        if (class_->kernels[i])
            return class_->kernels[i];
    return NULL;
}

int class_find_port(const LiederClass *class_, const char *name, size_t length)
{
    for (int i = 0; class_->def && i < class_->def->nport; i++)
        if (strlen(class_->def->ports[i].name) == length &&
            memcmp(class_->def->ports[i].name, name, length) == 0)
            return i;
    return -1;
}

/* open addressing over the names: classes + 1 */
static size_t class_slot(const uint32_t *index, size_t nindex, LiederClass *const *classes,
                         const char *name)
{
    size_t at = hash_bytes(HASH_SEED, name, strlen(name)) & (nindex - 1);
    while (index[at] && strcmp(classes[index[at] - 1]->name, name) != 0)
        at = (at + 1) & (nindex - 1);
    return at;
}

const LiederClass *lieder_class_find(const Lieder *session, const char *name)
{
    if (!session->nclass_index)
        return NULL;
    uint32_t entry = session->class_index[class_slot(session->class_index, session->nclass_index,
                                                     session->classes.items, name)];
    return entry ? session->classes.items[entry - 1] : NULL;
}

/* room in the index for one more class */
static bool grow_class_index(Lieder *session)
{
    if (session->classes.n * 2 < session->nclass_index)
        return true;
    size_t n = session->nclass_index ? session->nclass_index * 2 : 256;
    uint32_t *index = memory_zeroed(&session->alloc, n * sizeof *index);
    if (!index)
        return false;
    for (size_t i = 0; i < session->classes.n; i++)
        index[class_slot(index, n, session->classes.items, session->classes.items[i]->name)] =
            (uint32_t)i + 1;
    memory_free(&session->alloc, session->class_index, session->nclass_index * sizeof *index);
    session->class_index = index;
    session->nclass_index = n;
    return true;
}

LiederClass *session_new_class(Lieder *session, const char *name)
{
    LiederClass *class_ = memory_zeroed(&session->alloc, sizeof *class_);
    if (!class_)
        return NULL;
    class_->id = (int)session->classes.n;
    class_->name = intern_text(&session->names, name);
    if (!class_->name || !grow_class_index(session) ||
        !vec_push(&session->alloc, &session->classes, class_)) {
        memory_free(&session->alloc, class_, sizeof *class_);
        return NULL;
    }
    session->class_index[class_slot(session->class_index, session->nclass_index,
                                    session->classes.items, name)] = (uint32_t)session->classes.n;
    return class_;
}

/* the settable numbers of a native class */
static bool list_slots(Lieder *session, LiederClass *class_)
{
    VEC(Slot) slots = {0};
    const LiederClassDef *def = class_->def;
    bool ok = true;
    for (int i = 0; i < def->nmember && ok; i++) {
        const LiederMember *m = &def->members[i];
        int n = member_has_start(m) ? 1 : m->kind == LIEDER_PARAMETER ? m->length : 0;
        if (m->kind == LIEDER_PARAMETER && n == 0)
            n = 1; /* a table: the slot says whether it is set */
        for (int e = 0; e < n && ok; e++)
            ok = vec_push(&session->alloc, &slots, (Slot){m, e, -1, m->index + e});
    }
    for (int i = 0; i < def->nport && ok; i++)
        if (port_is_signal(&def->ports[i]) && def->ports[i].role == LIEDER_IN)
            ok = vec_push(&session->alloc, &slots, (Slot){NULL, 0, i, -1});
    ok = ok && vec_reserve(&session->alloc, &session->values, slots.n);
    if (ok && slots.n) {
        class_->slots = memory_copy(&session->alloc, slots.items, slots.n * sizeof(Slot));
        ok = class_->slots != NULL;
    }
    class_->nslot = ok ? (int)slots.n : 0;
    vec_drop(&session->alloc, &slots);
    return ok;
}

LiederStatus class_enter(Lieder *session, const LiederClassDef *def)
{
    LiederClass *known = (LiederClass *)lieder_class_find(session, def->name);
    int isa = def->kernels ? (int)def->kernels->isa : LIEDER_ISA_SCALAR;
    if (known) {
        /* the same class for another instruction set */
        if (!known->def || known->kernels[isa] || known->def->nmember != def->nmember ||
            known->def->nport != def->nport) {
            diag_error(&session->diag, NULL, def->name,
                       "a class of this name exists already\ngive the new class another name");
            return LIEDER_BAD_USE;
        }
        known->kernels[isa] = def->kernels;
        return LIEDER_DONE;
    }
    LiederStatus status = class_check_table(session, def);
    if (status != LIEDER_DONE)
        return status;
    LiederClass *class_ = session_new_class(session, def->name);
    if (!class_)
        return LIEDER_NO_MEMORY;
    class_->def = def;
    class_->kernels[isa] = def->kernels;
    class_->is_environment = def->nport == 0 && !def->kernels;
    if (class_->is_environment && !session->environment)
        session->environment = class_;
    if (list_slots(session, class_) && class_index_make(class_, &session->alloc))
        return LIEDER_DONE;
    session->no_memory = true;
    return LIEDER_NO_MEMORY;
}

LiederStatus class_examine(Lieder *session, LiederClass *class_)
{
    if (class_->examined)
        return LIEDER_DONE;
    LiederStatus status = class_check_blocks(session, class_);
    if (status == LIEDER_DONE)
        status = class_find_facts(session, class_);
    class_->examined = status == LIEDER_DONE;
    return status;
}

/* takes the newest class out again */
static void remove_last_class(Lieder *session)
{
    LiederClass *class_ = session->classes.items[--session->classes.n];
    if (session->environment == class_)
        session->environment = NULL;
    memset(session->class_index, 0, session->nclass_index * sizeof *session->class_index);
    for (size_t i = 0; i < session->classes.n; i++)
        session->class_index[class_slot(session->class_index, session->nclass_index,
                                        session->classes.items, session->classes.items[i]->name)] =
            (uint32_t)i + 1;
    memory_free(&session->alloc, class_->slots, (size_t)class_->nslot * sizeof *class_->slots);
    class_index_drop(class_, &session->alloc);
    memory_free(&session->alloc, class_, sizeof *class_);
}

LiederStatus lieder_class_register(Lieder *session, const LiederClassDef *def)
{
    size_t before = session->classes.n;
    LiederStatus status = class_enter(session, def);
    if (status != LIEDER_DONE || session->classes.n == before)
        return status;
    status = class_examine(session, session->classes.items[before]);
    if (status != LIEDER_DONE)
        remove_last_class(session);
    return status;
}

LiederStatus lieder_template_register(Lieder *session, const LiederTemplate *template_)
{
    if (lieder_class_find(session, template_->name)) {
        diag_error(&session->diag, NULL, template_->name,
                   "a class of this name exists already\ngive the new class another name");
        return LIEDER_BAD_USE;
    }
    LiederClass *class_ = session_new_class(session, template_->name);
    if (!class_)
        return LIEDER_NO_MEMORY;
    class_->template_ = *template_;
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ reflection */

size_t lieder_class_count(const Lieder *session)
{
    return session->classes.n;
}

const LiederClass *lieder_class_get(const Lieder *session, size_t index)
{
    return index < session->classes.n ? session->classes.items[index] : NULL;
}

const char *lieder_class_name(const LiederClass *class_)
{
    return class_->name;
}

const char *lieder_class_text(const LiederClass *class_)
{
    return class_->def     ? class_->def->text
           : class_->model ? class_->model->text
                           : class_->template_.text;
}

bool lieder_class_is_model(const LiederClass *class_)
{
    return !class_->def;
}

size_t lieder_class_member_count(const LiederClass *class_)
{
    if (class_->def)
        return (size_t)(class_->def->nport + class_->def->nmember);
    if (class_->model)
        return class_->model->exposed.n;
    return (size_t)class_->template_.nargument;
}

LiederMemberInfo lieder_class_member(const LiederClass *class_, size_t index)
{
    if (!class_->def) {
        if (class_->model)
            return (LiederMemberInfo){.kind = LIEDER_PORT,
                                      .name = class_->model->exposed.items[index].name};
        const struct LiederArgument *a = &class_->template_.arguments[index];
        return (LiederMemberInfo){.kind = LIEDER_PARAMETER,
                                  .name = a->name,
                                  .text = a->text,
                                  .unit = "",
                                  .length = 1,
                                  .fallback = a->fallback,
                                  .min = a->min,
                                  .max = a->max,
                                  .structural = true};
    }
    if (index < (size_t)class_->def->nport) {
        const LiederPortDef *p = &class_->def->ports[index];
        return (LiederMemberInfo){.kind = LIEDER_PORT,
                                  .name = p->name,
                                  .text = p->text,
                                  .unit = "",
                                  .domain = p->domain,
                                  .optional = p->optional,
                                  .input = port_is_signal(p) && p->role == LIEDER_IN,
                                  .output = port_is_signal(p) && p->role == LIEDER_OUT};
    }
    const LiederMember *m = &class_->def->members[index - (size_t)class_->def->nport];
    return (LiederMemberInfo){.kind = m->kind,
                              .name = m->name,
                              .unit = m->unit,
                              .text = m->text,
                              .length = m->length,
                              .ndim = m->ndim,
                              .sizes = m->sizes,
                              .fallback = m->fallback,
                              .min = m->min,
                              .max = m->max,
                              .environment = m->environment,
                              .structural = m->structural,
                              .derivative = m->kind == LIEDER_STATE ? m->other_name : NULL,
                              .start = m->fallback,
                              .residual = m->kind == LIEDER_UNKNOWN ? m->other_name : NULL};
}
