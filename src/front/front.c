/* front.c - texts in, models out: see front.h. */
#include "front/front.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/stack.h"
#include "front/names/load.h"
#include "front/syntax/parse.h"
#include "front/emit/emit.h"
#include "front/instance/semantic.h"
#include "library/texts.h"
#include "model/description/describe.h"

/* ------------------------------------------------------------------ life */

/* some seconds of building, and arrays for a hundred million elements */
static FrontLimits default_limits(void)
{
    return (FrontLimits){.steps = 100000000,
                         .memory = (size_t)2 << 30,
                         .instances = 1000000,
                         .merge = 2000,
                         .loops = 100,
                         .calls = 150};
}

/* the session's allocator, refusing what goes beyond the limit of memory */
static void *resize_counted(void *user, void *block, size_t old_size, size_t size)
{
    Front *f = user;
    const LiederAllocator *inner = native_allocator(f->session);
    size_t used = f->bytes > f->bytes_before ? f->bytes - f->bytes_before : 0;
    if (size > old_size &&
        (size - old_size > f->limits.memory || used > f->limits.memory - (size - old_size))) {
        f->over_memory = true;
        return NULL;
    }
    void *result = inner->resize(inner->user, block, old_size, size);
    if (result || size == 0)
        f->bytes += size - old_size; /* may go below zero and come back: lists go to the session */
    return result;
}

/* what the language itself declares; ExternalObject and Connections have no values here */
static const char standard_text[] =
    "type StateSelect = enumeration(never, avoid, default, prefer, always);"
    "type AssertionLevel = enumeration(warning, error);"
    "partial class ExternalObject end ExternalObject;"
    "package Connections end Connections;";

/* puts a class of the library beside those that users load at the top */
static bool add_library_top(Front *f, Class *class_)
{
    ClassElement *e = arena_zeroed(&f->fixed, sizeof *e);
    if (!e)
        return false;
    *e = (ClassElement){.kind = EL_CLASS, .span = class_->span, .class_ = class_};
    return vec_push(f->alloc, &f->tops, e);
}

/* the class of that name among the elements of a package, or NULL */
static Class *find_class(const Class *in, const char *name)
{
    for (size_t i = 0; i < in->elements.n; i++)
        if (in->elements.items[i]->kind == EL_CLASS && in->elements.items[i]->class_->name == name)
            return in->elements.items[i]->class_;
    return NULL;
}

/* The elements of a package of the library's text join those of the package of the same name that
 * is there already. `compiled`: texts of classes that are there already stand behind these. */
static bool join_packages(Front *f, Class *to, const Class *from, bool compiled)
{
    ClassElement **items =
        arena_zeroed(&f->fixed, (to->elements.n + from->elements.n + 1) * sizeof *items);
    if (!items)
        return false;
    memcpy(items, to->elements.items, to->elements.n * sizeof *items);
    to->elements.items = items;
    for (size_t i = 0; i < from->elements.n; i++) {
        ClassElement *e = from->elements.items[i];
        Class *known = e->kind == EL_CLASS ? find_class(to, e->class_->name) : NULL;
        if (known && known->kind == CLASS_PACKAGE) {
            if (!join_packages(f, known, e->class_, compiled))
                return false;
            continue;
        }
        if (e->kind == EL_CLASS)
            e->class_->parent = to;
        if (known && compiled)
            known->text = e->class_;
        else
            items[to->elements.n++] = e;
    }
    return true;
}

/* classes of the library that are Modelica text: one text, whose packages may exist already. Their
 * bodies are read when lookup asks for them: what a model does not use costs next to nothing. */
static bool load_library_text(Front *f, const LibraryText *text, bool compiled)
{
    SyntaxFile *file = parse_outline(&f->fixed, &f->names, f->diag, text->name, text->begin,
                                     (size_t)(text->end - text->begin));
    if (!file || file->nerrors)
        return false;
    for (size_t i = 0; i < file->classes.n; i++) {
        Class *class_ = file->classes.items[i], *known = NULL;
        for (size_t k = 0; k < f->tops.n && !known; k++)
            if (f->tops.items[k]->class_->name == class_->name)
                known = f->tops.items[k]->class_;
        if (!(known ? join_packages(f, known, class_, compiled)
                    : compiled || add_library_top(f, class_)))
            return false;
    }
    return true;
}

/* the texts of the language itself and of the library; false after reporting an error */
static bool load_library(Front *f)
{
    f->standard = parse_text(&f->fixed, &f->names, f->diag, "(standard)", standard_text,
                             sizeof standard_text - 1);
    if (!f->standard || f->standard->nerrors)
        return false;
    TextBuffer text = {0};
    bool ok = native_library_text(f->session, &text);
    char *copy = ok ? arena_text(&f->fixed, text.items, text.n) : NULL;
    if (copy)
        f->library = parse_outline(&f->fixed, &f->names, f->diag, "library", copy, text.n);
    vec_drop(f->alloc, &text);
    if (!f->library || f->library->nerrors)
        return false;
    for (size_t i = 0; i < f->library->classes.n; i++)
        if (!add_library_top(f, f->library->classes.items[i]))
            return false;
    size_t n;
    const LibraryText *texts = library_texts(&n);
    for (size_t i = 0; i < n; i++)
        if (!load_library_text(f, &texts[i], false))
            return false;
    texts = library_compiled_texts(&n);
    for (size_t i = 0; i < n; i++)
        if (!load_library_text(f, &texts[i], true))
            return false;
    f->nlibrary = f->tops.n;
    return true;
}

Front *front_create(Lieder *session)
{
    const LiederAllocator *alloc = native_allocator(session);
    Front *f = memory_zeroed(alloc, sizeof *f);
    if (!f)
        return NULL;
    f->session = session;
    f->counted = (LiederAllocator){resize_counted, f};
    f->alloc = &f->counted;
    f->diag = native_diagnostics(session);
    f->limits = default_limits();
    f->floor = stack_floor();
    intern_init(&f->names, f->alloc);
    arena_init(&f->fixed, f->alloc);
    arena_init(&f->syntax, f->alloc);
    arena_init(&f->work, f->alloc);
    arena_init(&f->scratch, f->alloc);
    f->word_end = intern(f, "end");
    f->word_time = intern(f, "time");
    f->word_world = intern(f, "world");
    if (!load_library(f) || f->work.failed) {
        front_destroy(f);
        return NULL;
    }
    return f;
}

static void drop_scratch(Front *f)
{
    arena_drop(&f->scratch);
    arena_init(&f->scratch, f->alloc);
}

/* drops the tree of instances and all that was found with it: what one instantiation leaves behind
 */
void front_forget(Front *f)
{
    drop_scratch(f);
    for (Inst *inst = f->all; inst; inst = inst->next) {
        vec_drop(f->alloc, &inst->members);
        vec_drop(f->alloc, &inst->ports);
    }
    for (size_t i = 0; i < f->broken.n; i++)
        f->broken.items[i].class_->pending = f->broken.items[i].path;
    f->broken.n = 0;
    f->nown_before += f->own_derivatives.n;
    f->own_derivatives.n = 0;
    f->all = f->root = f->top = f->predefined = NULL;
    f->builtins = NULL;
    f->frames = NULL;
    f->reading = NULL;
    f->emitted = NULL;
    f->random = NULL;
    arena_drop(&f->work);
    arena_init(&f->work, f->alloc);
    vec_drop(f->alloc, &f->reports);
    vec_drop(f->alloc, &f->parameters);
    f->touched = 0;
    f->depth = 0;
    f->steps = f->ninst = f->nwrong = 0;
    f->exhausted = f->too_deep = f->over_memory = f->regrets = false;
    f->now = (SourceSpan){0};
    f->bytes_before = f->bytes;
    f->floor = stack_floor();
}

void front_destroy(Front *f)
{
    if (!f)
        return;
    front_forget(f);
    models_forget_places(f->session);
    const LiederAllocator *alloc = native_allocator(f->session);
    vec_drop(f->alloc, &f->tops);
    vec_drop(f->alloc, &f->built);
    vec_drop(f->alloc, &f->libraries);
    vec_drop(f->alloc, &f->missing);
    vec_drop(f->alloc, &f->last_loaded);
    vec_drop(f->alloc, &f->read);
    vec_drop(f->alloc, &f->cells);
    vec_drop(f->alloc, &f->exits);
    vec_drop(f->alloc, &f->seeds);
    vec_drop(f->alloc, &f->own_derivatives);
    vec_drop(f->alloc, &f->read_inside);
    vec_drop(f->alloc, &f->differing);
    vec_drop(f->alloc, &f->implied_inner);
    vec_drop(f->alloc, &f->broken);
    arena_drop(&f->work);
    arena_drop(&f->syntax);
    arena_drop(&f->fixed);
    intern_drop(&f->names);
    memory_free(alloc, f, sizeof *f);
}

void front_clear(Front *f)
{
    front_forget(f);
    models_forget_places(f->session);
    arena_drop(&f->syntax);
    arena_init(&f->syntax, f->alloc);
    f->tops.n = f->nlibrary;
    f->last_loaded.n = 0;
    f->missing.n = 0;
    f->read.n = 0;
}

void front_set_alone(Front *f, bool alone)
{
    f->alone = alone;
}

void front_set_text(Front *f, FrontText *text, void *user)
{
    f->text = text;
    f->text_user = user;
}

void front_set_limits(Front *f, FrontLimits limits)
{
    FrontLimits usual = default_limits();
    f->limits = (FrontLimits){.steps = limits.steps ? limits.steps : usual.steps,
                              .memory = limits.memory ? limits.memory : usual.memory,
                              .instances = limits.instances ? limits.instances : usual.instances,
                              .merge = limits.merge ? limits.merge : usual.merge,
                              .loops = limits.loops ? limits.loops : usual.loops,
                              .calls = limits.calls ? limits.calls : usual.calls};
}

const char *front_last_model(Front *f)
{
    return load_last_model(f);
}

const char *front_library_text(const Front *f)
{
    return f->library->text;
}

LiederStatus front_load_text(Front *f, const char *name, const char *text)
{
    return load_text(f, name, text, strlen(text));
}

bool front_add_library(Front *f, const char *folder)
{
    const char *copy = arena_text(&f->fixed, folder, strlen(folder));
    f->missing.n = 0;
    return copy && vec_push(f->alloc, &f->libraries, copy);
}

LiederStatus front_load(Front *f, const char *path)
{
    return load_path(f, path);
}

/* ------------------------------------------------------------------ experiment */

static const FrontExperiment NOTHING_SAID = {
    .start = NAN, .stop = NAN, .tolerance = NAN, .interval = NAN, .step = NAN};

/* an entry of an annotation and what it says: a number */
static void read_number(Front *f, const Argument *a, Env env, const char *example, double *to)
{
    Value v = evaluate(f, a->modification->value, env);
    if (v.kind == V_REAL || v.kind == V_INTEGER)
        *to = value_at(&v, 0);
    else if (v.kind != V_NONE)
        report_error(f, a->span, NULL, "%s must be a number\nwrite it as in %s", a->name->name,
                     example);
}

/* or a name; NULL: it is none, which has been reported */
static const char *read_name(Front *f, const Argument *a, Env env, const char *names)
{
    Value v = evaluate(f, a->modification->value, env);
    if (v.kind == V_STRING)
        return v.s;
    if (v.kind != V_NONE)
        report_error(f, a->span, NULL, "%s must be a name in quotes\nthere are %s", a->name->name,
                     names);
    return NULL;
}

/* one number of an experiment annotation */
static void read_experiment_entry(Front *f, const Argument *a, Env env, FrontExperiment *to)
{
    const struct {
        const char *name;
        double *value;
    } entries[] = {{"StartTime", &to->start},
                   {"StopTime", &to->stop},
                   {"Tolerance", &to->tolerance},
                   {"Interval", &to->interval}};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strcmp(a->name->name, entries[i].name) == 0)
            read_number(f, a, env, "StopTime = 10", entries[i].value);
}

/* our own: what the standard has no word for */
static void read_lieder_entry(Front *f, const Argument *a, Env env, FrontExperiment *to)
{
    const char *solvers = lieder_solver_names();
    const char *key = a->name->name, *name;
    if (strcmp(key, "solver") == 0) {
        name = read_name(f, a, env, solvers);
        if (name && !lieder_solver_find(name, &to->solver))
            report_error(f, a->span, NULL, "there is no solver \"%s\"\nthere are %s", name,
                         solvers);
    } else if (strcmp(key, "step") == 0) {
        read_number(f, a, env, "step = 1e-3", &to->step);
        if (!isnan(to->step) && !(to->step > 0 && to->step < INFINITY))
            report_error(f, a->span, NULL,
                         "the step must be positive, not %g\nwrite it as in step = 1e-3", to->step);
    } else if (strcmp(key, "chatter") == 0) {
        name = read_name(f, a, env, lieder_chatter_names());
        if (name && !lieder_chatter_find(name, &to->chatter))
            report_error(f, a->span, NULL, "there is no way \"%s\" to answer chatter\nthere are %s",
                         name, lieder_chatter_names());
    } else {
        report_error(f, a->span, NULL,
                     "__Lieder knows no \"%s\"\nit knows solver, step and chatter", key);
    }
}

/* what the annotations of a class say about a run */
static void read_experiment(Front *f, const Class *class_, Env env, FrontExperiment *to)
{
    *to = NOTHING_SAID;
    if (class_->span.file == f->library)
        return; /* marks of its own, see library_mark */
    for (size_t i = 0; i < class_->comment.annotation.n; i++) {
        const Argument *a = class_->comment.annotation.items[i];
        if (a->kind != AR_MODIFY || !a->modification)
            continue;
        bool experiment = strcmp(a->name->name, "experiment") == 0;
        if (!experiment && strcmp(a->name->name, "__Lieder") != 0)
            continue;
        for (size_t k = 0; k < a->modification->arguments.n; k++) {
            const Argument *x = a->modification->arguments.items[k];
            if (x->kind != AR_MODIFY || !x->modification || !x->modification->value)
                continue;
            if (experiment)
                read_experiment_entry(f, x, env, to);
            else
                read_lieder_entry(f, x, env, to);
        }
    }
}

/* ------------------------------------------------------------------ overrides */

/* The text as an equation in a model around it. The first line of the file begins where the
 * user's text does, so that messages show nothing else; mistakes of syntax are reported in our
 * words.
 */
static SyntaxFile *parse_override_text(Front *f, const FrontOverride *o)
{
    static const char before[] = "model O equation ";
    TextBuffer text = {0};
    bool ok = text_add(f->alloc, &text, "%s%s=%s\n;end O;", before, o->name, o->value);
    char *copy = ok ? arena_text(&f->work, text.items, text.n) : NULL;
    size_t length = text.n;
    vec_drop(f->alloc, &text);
    if (!copy) {
        f->work.failed = true;
        return NULL;
    }
    Diagnostics apart;
    diag_init(&apart, f->alloc);
    SyntaxFile *file = parse_text(&f->work, &f->names, &apart, "override", copy, length);
    diag_drop(&apart);
    if (file && file->nline > 0)
        file->line_starts[0] = sizeof before - 1;
    return file;
}

/* "crab[3].cart.m" and "2" as the modifier of the outermost level */
Mod *parse_override(Front *f, const FrontOverride *o, Env env)
{
    SyntaxFile *file = parse_override_text(f, o);
    if (!file)
        return NULL;
    const Class *class_ = !file->nerrors && file->classes.n == 1 ? file->classes.items[0] : NULL;
    const Equation *e = class_ && class_->equations.n == 1 ? class_->equations.items[0] : NULL;
    if (!e || e->kind != EQ_EQUAL || e->left->kind != EX_REF || class_->elements.n) {
        diag_error(
            f->diag, NULL, NULL,
            "override '%.200s=%.200s' cannot be read\nwrite NAME=VALUE as in crab[3].cart.m=2",
            o->name, o->value);
        f->nwrong++;
        return NULL;
    }
    Modification *m = arena_zeroed(&f->work, sizeof *m);
    Mod *mod = work_zeroed(f, sizeof *mod);
    if (!m || !mod)
        return NULL;
    *m = (Modification){.span = e->span, .value = e->right};
    *mod = (Mod){.span = e->left->span,
                 .rest = e->left->ref,
                 .modification = m,
                 .env = env,
                 .override = true,
                 .by_element = o->by_element};
    return mod;
}

/* ------------------------------------------------------------------ instantiation */

/* length of the first part of a dotted name; in quotes a dot is a letter */
static size_t part_length(const char *name)
{
    size_t n = 0;
    if (*name == '\'')
        for (n = 1; name[n] && name[n] != '\''; n++)
            n += name[n] == '\\' && name[n + 1];
    return n + strcspn(name + n, ".");
}

/* the class of a dotted name, from the top */
Member *front_find_class(Front *f, const char *name)
{
    Inst *inst = f->root;
    Member *m = NULL;
    while (*name) {
        size_t n = part_length(name);
        const char *part = intern_range(&f->names, name, n);
        m = part ? inst_find(inst, NULL, part) : NULL;
        if (!m || !m->class_) {
            char hint[140];
            NearestName nearest = {.name = part ? part : ""};
            for (size_t i = 0; i < inst->members.n; i++)
                if (inst->members.items[i]->class_)
                    nearest_try(&nearest, inst->members.items[i]->name);
            nearest_text(&nearest, hint, sizeof hint);
            const char *last = front_last_model(f);
            if (!*hint && last)
                snprintf(hint, sizeof hint, "what was loaded ends with the model '%.80s'", last);
            diag_error(
                f->diag, NULL, NULL, "there is no class '%.*s'%s%s\n%s", (int)n, name,
                inst->class_ ? " in " : "", inst->class_ ? inst->class_->name : "",
                *hint ? hint
                      : "lieder list shows the library, and a file or folder may name its own");
            return NULL;
        }
        name += n + (name[n] == '.');
        if (*name)
            inst = class_inst(f, m, m->class_->name_span);
        if (!inst)
            return NULL;
    }
    return m;
}

Lieder *front_session(const Front *f)
{
    return f->session;
}

bool front_has_class(const Front *f, const char *name)
{
    const Class *at = NULL;
    Interner *names = (Interner *)&f->names;
    while (*name) {
        size_t n = strcspn(name, ".");
        const char *part = intern_range(names, name, n);
        const Class *next = NULL;
        for (size_t i = 0; !at && i < f->tops.n; i++)
            if (f->tops.items[i]->class_->name == part)
                next = f->tops.items[i]->class_;
        for (size_t i = 0; at && i < at->elements.n; i++)
            if (at->elements.items[i]->kind == EL_CLASS &&
                at->elements.items[i]->class_->name == part)
                next = at->elements.items[i]->class_;
        if (!next)
            return false;
        at = next;
        name += n + (name[n] == '.');
    }
    return at;
}

/* is it a model, block or class that is complete? Reports what is in the way. */
static bool can_be_simulated(Front *f, const Member *m, const Type *type)
{
    if (type->kind == TY_NONE)
        return false;
    ClassKind kind = type->kind == TY_CLASS ? type->class_->kind : CLASS_TYPE;
    if (kind != CLASS_MODEL && kind != CLASS_BLOCK && kind != CLASS_CLASS) {
        report_error(f, m->class_->name_span, NULL,
                     "'%s' is a %s and cannot be simulated\nname a model", m->name,
                     class_kind_text(kind));
        return false;
    }
    if (type->class_->partial || m->class_->partial) {
        report_error(f, m->class_->name_span, NULL,
                     "'%s' is partial and cannot be simulated\nsimulate a class that extends it",
                     m->name);
        return false;
    }
    if (library_mark(f, type->class_, "native")) {
        report_error(f, m->class_->name_span, NULL,
                     "'%s' is one component and cannot be simulated by itself\n"
                     "use it in a model",
                     m->name);
        return false;
    }
    return true;
}

/* a template by itself: its arguments may be overridden, not what is inside */
static const char *build_top_template(Front *f, const Member *m)
{
    inst_open_template(f, f->top, m->class_->name_span);
    mods_check(f, f->top);
    for (size_t i = 0; i < f->top->members.n; i++) {
        const Member *inside = f->top->members.items[i];
        if (inside->component && !member_is_parameter(inside) && inside->mods)
            report_error(f, inside->mods->span, NULL,
                         "'%s' inside '%s' cannot be modified here\n"
                         "use '%s' as a component of a model",
                         inside->name, m->name, m->name);
    }
    return f->top->built;
}

/* phases: class, overrides, instance, model */
static void instantiate(Front *f, const char *class_name, const FrontOverride *overrides,
                        size_t noverride, FrontExperiment *experiment, const char **model_name)
{
    inst_root(f);
    if (!f->root)
        return;
    Member *m = front_find_class(f, class_name);
    if (!m) {
        f->nwrong++;
        return;
    }
    Type type = type_follow(f, class_type(f, m), m->class_->name_span);
    if (!can_be_simulated(f, m, &type))
        return;
    Mod *mods = type.mods;
    for (size_t i = 0; i < noverride; i++) {
        Mod *mod = parse_override(f, &overrides[i], (Env){.inst = f->root});
        if (mod) {
            mod->next = mods;
            mods = mod;
        }
    }
    f->top_type = type;
    f->top_mods = mods;
    f->top = inst_create(f, &type, mods, NULL, NULL, NULL, m->class_->name_span);
    if (!f->top)
        return;
    add_implied_inner(f);
    if (experiment)
        read_experiment(f, m->class_, (Env){.inst = f->top, .part = f->top->parts}, experiment);
    *model_name = f->top->template_ ? build_top_template(f, m) : emit_model(f, f->top, class_name);
    if (*model_name && !f->top->template_)
        warn_open_inputs(f, f->top);
}

/* ------------------------------------------------------------------ parameters of the model */

/* one number; arrays have few of them, or are tables that nobody records */
static void keep_number(Front *f, const Member *m, const Value *v, size_t i)
{
    char name[256];
    char index[INDEX_LENGTH];
    snprintf(name, sizeof name, "%s%s", m->name, index_text(v->ndim, v->dim, i, index));
    const char *unit = v->unit ? v->unit : m->unit, *text = m->element->comment.text;
    FrontParameter p = {.name = arena_text(&f->work, name, strlen(name)),
                        .unit = unit ? arena_text(&f->work, unit, strlen(unit)) : NULL,
                        .text = text ? arena_text(&f->work, text, strlen(text)) : NULL,
                        .value = value_at(v, i),
                        .final = m->element->final || m->prefix.variability == VARY_CONSTANT};
    if (p.name && isfinite(p.value))
        f->work.failed |= !vec_push(f->alloc, &f->parameters, p);
}

/* Public scalars and small arrays. What cannot be evaluated and was not needed is no reason to
 * refuse the model. */
static void keep_parameters(Front *f)
{
    enum { MAX_ELEMENTS = 1000 };
    f->parameters.n = 0;
    if (!f->top || f->top->template_ || f->top->opaque || f->nwrong)
        return;
    for (size_t i = 0; i < f->top->members.n; i++) {
        Member *m = f->top->members.items[i];
        if (!m->component || m->is_protected || !member_is_parameter(m) ||
            (m->ndim > 0 && !(m->value && m->value->state == MEMO_DONE)))
            continue;
        ReportMark before = report_mark(f);
        Value v = member_value(f, m, m->component->name_span);
        bool number = v.kind == V_REAL || v.kind == V_INTEGER || v.kind == V_BOOLEAN;
        if (f->nwrong != before.nwrong) {
            report_forget(f, before);
        } else if (number && v.n <= MAX_ELEMENTS) {
            for (size_t k = 0; k < v.n; k++)
                keep_number(f, m, &v, k);
        }
    }
}

size_t front_cell_count(const Front *f)
{
    return f->cells.n;
}

const struct CellSummary *front_cell(const Front *f, size_t index)
{
    return index < f->cells.n ? f->cells.items[index].summary : NULL;
}

size_t front_parameter_count(const Front *f)
{
    return f->parameters.n;
}

const FrontParameter *front_parameter(const Front *f, size_t index)
{
    return &f->parameters.items[index];
}

/* what front_instantiate was asked for, and where diagnostics stood before it */
typedef struct Attempt {
    const char *class_name;
    const FrontOverride *overrides;
    size_t noverride, said;
    FrontExperiment *experiment;
    const char **model_name;
} Attempt;

/* from the beginning, without what an attempt before it has reported */
static void attempt(Front *f, const Attempt *a)
{
    size_t nread;
    do {
        nread = f->read_inside.n + f->differing.n + f->implied_inner.n;
        diag_forget(f->diag, a->said);
        front_forget(f);
        if (a->experiment)
            *a->experiment = NOTHING_SAID;
        *a->model_name = NULL;
        instantiate(f, a->class_name, a->overrides, a->noverride, a->experiment, a->model_name);
        /* components become texts, elements of arrays get Insts of their own, outer ones inner
         * ones */
    } while (f->read_inside.n + f->differing.n + f->implied_inner.n > nread && !f->work.failed);
}

LiederStatus front_instantiate(Front *f, const char *class_name, const FrontOverride *overrides,
                               size_t noverride, FrontExperiment *experiment,
                               const char **model_name)
{
    *model_name = NULL;
    if (experiment)
        *experiment = NOTHING_SAID;
    front_forget(f);
    if (!class_name && f->syntax.failed)
        return LIEDER_NO_MEMORY;
    if (!class_name) {
        diag_error(f->diag, NULL, NULL,
                   "there is no model to instantiate\nload a file with a model");
        return LIEDER_BAD_MODEL;
    }
    size_t before = f->diag->nerrors;
    Attempt a = {class_name, overrides, noverride, f->diag->list.n, experiment, model_name};
    f->is_whole = f->may_merge = false;
    f->read_inside.n = f->differing.n = f->implied_inner.n = 0;
    attempt(f, &a);
    if (f->regrets && !f->work.failed) { /* a model could not be divided */
        f->merges = true;
        attempt(f, &a);
        f->merges = false;
    }
    /* once more as one system; if that fails, the first attempt says more */
    for (int k = 0; k < 2 && f->may_merge && f->nwrong && !f->work.failed; k++) {
        f->is_whole = k == 0;
        attempt(f, &a);
    }
    if (!f->work.failed && f->top)
        check_class_rules(f);
    if (*model_name)
        keep_parameters(f);
    if (*model_name && !f->nwrong && !f->work.failed)
        warn_of_unknown_names(f);
    drop_scratch(f); /* places are asked for from now on, values no more */
    if (report_memory(f)) {
        *model_name = NULL;
        return LIEDER_BAD_MODEL;
    }
    if (f->work.failed || f->syntax.failed || native_out_of_memory(f->session)) {
        *model_name = NULL;
        return LIEDER_NO_MEMORY;
    }
    if (f->nwrong || f->diag->nerrors > before || !*model_name) {
        *model_name = NULL;
        return LIEDER_BAD_MODEL;
    }
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ places */

bool front_place(const Front *f, const char *path, Place *place)
{
    const Inst *inst = f->top;
    bool found = false;
    Interner *names = (Interner *)&f->names;
    while (inst && *path) {
        size_t n = strcspn(path, ".[");
        const char *name = intern_range(names, path, n);
        const Member *m = name ? inst_find(inst, NULL, name) : NULL;
        if (!m || !m->component || m->component->name_span.file == f->library)
            break;
        *place = span_place(m->component->name_span);
        found = true;
        path += n;
        path += strcspn(path, ".");
        path += *path == '.';
        inst = m->child;
    }
    return found;
}
