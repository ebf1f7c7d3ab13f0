/* instance.c - classes to instances: extends, members.
 *
 * inst_create lists the members of a class and of its bases in the order of the text. Nothing is
 * evaluated here, except the arguments of a template, whose components depend on them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/function/function.h"
#include "front/instance/left_out.h"
#include "front/names/load.h"
#include "front/syntax/parse.h"
#include "front/instance/redeclare.h"

/* the classes being collected, to see a cycle of extends */
typedef struct Active {
    const struct Active *outer;
    const Class *class_;
    ClassPart *part;
    int depth;
} Active;

static void collect(Front *f, Inst *inst, const Class *class_, Env outer, Mod *mods,
                    const Active *active, bool is_protected, SourceSpan span);

/* ------------------------------------------------------------------ members */

static size_t hash_name(const char *name)
{
    return (size_t)(((uintptr_t)name >> 4) * 0x9e3779b97f4a7c15ull >> 20);
}

static void enter_index(Inst *inst, Member *m)
{
    size_t at = hash_name(m->name);
    while (inst->index[at & (inst->nindex - 1)])
        at++;
    inst->index[at & (inst->nindex - 1)] = m;
}

/* appends a member; long lists get an index by name */
static void list_member(Front *f, Inst *inst, Member *m)
{
    if (!vec_push(&f->work.alloc, &inst->members, m)) {
        f->work.failed = true;
        return;
    }
    size_t n = inst->members.n;
    if (n <= 8 || 2 * n <= inst->nindex) {
        if (inst->nindex)
            enter_index(inst, m);
        return;
    }
    size_t nindex = inst->nindex ? 2 * inst->nindex : 32;
    Member **index = work_zeroed(f, nindex * sizeof *index);
    if (!index) {
        inst->members.n--;
        return;
    }
    inst->index = index;
    inst->nindex = nindex;
    for (size_t i = 0; i < n; i++)
        enter_index(inst, inst->members.items[i]);
}

/* those who see the part see the member as well */
static void declare_again(Front *f, Member *m, const ClassPart *part)
{
    SharedBase *also = m->part == part ? NULL : work_zeroed(f, sizeof *also);
    if (!also)
        return;
    *also = (SharedBase){m->also, part};
    m->also = also;
}

/* what is there already is declared once more: by the same text in another base, or by mistake */
static void declare_known(Front *f, Inst *inst, ClassPart *part, Member *known,
                          const ClassElement *e, Mod *mods)
{
    bool inherited = known->part != part; /* the same class has it once */
    declare_again(f, known, part);
    if (known->declared == e)
        return;
    if (!inherited || !is_same_declaration(f, known, e, part, mods_below(f, mods, known->name))) {
        SourceSpan other = known->class_ ? known->class_->name_span : known->component->name_span;
        report_error(f, e->kind == EL_CLASS ? e->class_->name_span : e->component->name_span, inst,
                     "'%s' is declared twice, first at %s:%d\nrename one of the two", known->name,
                     other.file ? other.file->name : "", span_line(other));
    } else if (e->kind == EL_COMPONENT) {
        Mod *more = mod_of(f, e->component->modification, (Env){.inst = inst, .part = part},
                           e->component->name_span);
        if (more)
            more->own = true;
        known->mods = mods_join(f, known->mods, more);
    }
}

/* the modifiers of a member, listed or not yet, among those of the whole */
static Mod *mods_of_member(Front *f, const Inst *inst, const Member *m, Mod *mods)
{
    if (!is_record_class(inst->class_) || m->declared->kind == EL_CLASS)
        return mods_below(f, mods, m->name);
    size_t position = 0; /* among the inputs of the constructor; large models are no records */
    for (size_t i = 0; i < inst->members.n && inst->members.items[i] != m; i++)
        position += is_input(inst, inst->members.items[i]);
    if (m->declared->final)
        position = NO_SIZE; /* it is none */
    return mods_of_field(f, mods, m->name, position, inst->class_);
}

/* a declaration becomes a member, or changes or confirms one that is there */
static void add_member(Front *f, Inst *inst, ClassPart *part, const ClassElement *e, Mod *mods,
                       bool is_protected)
{
    const char *name = e->kind == EL_CLASS ? e->class_->name : e->component->name;
    Member *m = inst_listed(inst, NULL, name);
    if (m && !e->redeclare) {
        declare_known(f, inst, part, m, e, mods);
        return;
    }
    if (!m && e->redeclare && part) {
        report_error(f, e->kind == EL_CLASS ? e->class_->name_span : e->component->name_span, inst,
                     "there is no '%s' to redeclare\ninherit a class that has it", name);
        return;
    }
    if (m) {
        redeclare_again(f, m, e, (Env){.inst = inst, .part = part},
                        mods_of_member(f, inst, m, mods));
        m->is_protected = e->is_protected || is_protected;
        return;
    }
    m = work_zeroed(f, sizeof *m);
    if (!m)
        return;
    m->inst = inst;
    m->part = part;
    m->name = name;
    m->declared = e;
    m->is_protected = e->is_protected || is_protected;
    redeclare_first(f, m, mods_of_member(f, inst, m, mods));
    list_member(f, inst, m);
}

/* ------------------------------------------------------------------ the extends tree */

static ClassPart *add_part(Front *f, Inst *inst, const Class *class_, Env outer)
{
    ClassPart *part = work_zeroed(f, sizeof *part);
    if (!part)
        return NULL;
    *part = (ClassPart){.class_ = class_, .outer = outer, .number = inst->npart++};
    part->last = part->number;
    *(inst->last_part ? &inst->last_part->next : &inst->parts) = part;
    inst->last_part = part;
    return part;
}

/* Inherited before with the same modifiers? Then its elements and equations are there already, and
 * those who inherit it now see them. So diamonds of extends cost nothing. */
static bool share_base(Front *f, Inst *inst, const Class *class_, Env outer, const Mod *mods,
                       const Active *active, bool is_protected)
{
    ClassPart *first = inst->parts;
    while (first &&
           !(first->class_ == class_ && first->mods == mods && first->outer.inst == outer.inst &&
             first->outer.part == outer.part && first->is_protected == is_protected))
        first = first->next;
    if (!first)
        return false;
    for (const Active *a = active; a && a->part->number > first->number; a = a->outer) {
        SharedBase *s = work_zeroed(f, sizeof *s);
        if (!s)
            return true;
        *s = (SharedBase){a->part->shared, first};
        a->part->shared = s;
    }
    return true;
}

/* what a class of the library stands for in the engine */
static void note_binding(Front *f, Inst *inst, const Class *class_, SourceSpan span)
{
    const char *native = library_mark(f, class_, "native");
    const char *template_ = library_mark(f, class_, "template");
    const char *domain = library_mark(f, class_, "domain");
    if ((native || template_ || domain) && (inst->native || inst->template_ || inst->domain)) {
        report_error(f, span, inst,
                     "two classes of the library cannot be inherited at once\n"
                     "use one of them as a component");
        return;
    }
    if (template_ && inst->npart > 1)
        report_error(f, span, inst,
                     "'%s' has counts that decide its structure and cannot be inherited\n"
                     "use it as a component",
                     class_->name);
    if (native)
        inst->native = native;
    if (template_)
        inst->template_ = template_;
    if (domain)
        inst->domain = domain;
}

/* the members of a base class, with the modifiers of the extends clause */
static void collect_extends(Front *f, Inst *inst, ClassPart *part, const ClassElement *e, Mod *mods,
                            const Active *active, bool is_protected)
{
    const Extends *extends = e->extends;
    const Class *class_ = part->class_;
    Env env = {.inst = inst, .part = part};
    Type base = lookup_type(f, env, extends->type);
    part->base_missing |= base.kind == TY_NONE;
    if (base.kind == TY_NONE)
        return;
    if (base.kind != TY_CLASS && class_->kind == CLASS_TYPE)
        return; /* what else stands in a type: functions */
    if (base.kind != TY_CLASS) {
        report_error(f, ref_span(extends->type), inst,
                     "'%s' cannot be inherited here\n"
                     "only a type or a connector may extend a predefined type",
                     extends->type->name);
        return;
    }
    if (base.by) {
        report_error(f, ref_span(extends->type), inst,
                     "a partial derivative has nothing to inherit\ncall it");
        return;
    }
    if (base.dims) {
        report_error(f, ref_span(extends->type), inst,
                     "an array type cannot be inherited\nuse it as the type of a component");
        return;
    }
    Mod *own = mod_of(f, extends->modification, env, ref_span(extends->type));
    if (own)
        own->next = base.mods;
    Mod *all = own || base.mods ? mods_join(f, mods, own ? own : base.mods) : mods;
    if (own)
        inst->mods = mods_join(f, inst->mods, mod_of(f, extends->modification, env, own->span));
    collect(f, inst, base.class_, base.env, all, active, is_protected || e->is_protected,
            ref_span(extends->type));
}

/* "redeclare model extends A(modification)": the A that stood there before is its base */
static void collect_own_name(Front *f, Inst *inst, ClassPart *part, const Class *class_, Mod *mods,
                             const Active *active, bool is_protected)
{
    const Member *m = part->outer.inst ? inst_listed(part->outer.inst, NULL, class_->name) : NULL;
    while (m && m->class_ != class_)
        m = m->base;
    Member *base = m ? m->base : NULL;
    if (!base) {
        report_error(f, class_->name_span, inst,
                     "there is no inherited class '%s' to extend\n"
                     "write \"redeclare %s extends %s\" in a class that inherits one",
                     class_->name, class_kind_text(class_->kind), class_->name);
        return;
    }
    Type type = type_follow(f, class_type(f, base), class_->name_span);
    if (type.kind != TY_CLASS)
        return;
    Env env = {.inst = inst, .part = part};
    Mod *own = mod_of(f, class_->modification, env, class_->name_span);
    if (own)
        own->next = type.mods;
    Mod *all = own || type.mods ? mods_join(f, mods, own ? own : type.mods) : mods;
    collect(f, inst, type.class_, type.env, all, active, is_protected, class_->name_span);
    part->last = inst->npart - 1;
}

/* a component that an extends clause leaves out */
static void leave_out(Inst *inst, const char *name)
{
    Member *m = inst_listed(inst, NULL, name);
    if (!m)
        return;
    m->left_out = true;
    m->condition_state = MEMO_DONE;
    m->present = false;
}

/* the members of a class and of all its bases, in the order of the text */
static void collect(Front *f, Inst *inst, const Class *class_, Env outer, Mod *mods,
                    const Active *active, bool is_protected, SourceSpan span)
{
    Active here = {active, class_, NULL, active ? active->depth + 1 : 0};
    for (const Active *a = active; a; a = a->outer)
        if (a->class_ == class_) {
            report_error(f, span, NULL,
                         "class '%s' inherits itself\nremove one of the extends clauses",
                         class_->name);
            return;
        }
    if (here.depth > EXTENDS_DEPTH) {
        report_error(f, span, NULL,
                     "more than %d classes inherit from each other in a row\nleave out some levels",
                     EXTENDS_DEPTH);
        return;
    }
    if (!enter(f, span))
        return;
    if (inst->as_text && class_->text) {
        inst->compiled = library_mark(f, class_, "native");
        class_ = class_->text;
        if (class_->pending)
            load_pending(f, (Class *)class_);
    }
    if (share_base(f, inst, class_, outer, mods, active, is_protected)) {
        leave(f);
        return;
    }
    ClassPart *part = add_part(f, inst, class_, outer);
    if (part) {
        here.part = part;
        part->mods = mods;
        part->is_protected = is_protected;
        note_binding(f, inst, class_, span);
        /* classes first: the extends clauses may name them */
        for (size_t i = 0; i < class_->elements.n; i++) {
            const ClassElement *e = class_->elements.items[i];
            if (e->kind == EL_CLASS && !e->redeclare)
                add_member(f, inst, part, e, mods, is_protected);
        }
        if (class_->form == FORM_EXTENDS)
            collect_own_name(f, inst, part, class_, mods, &here, is_protected);
        for (size_t i = 0; i < class_->elements.n; i++) {
            const ClassElement *e = class_->elements.items[i];
            if (e->kind == EL_EXTENDS)
                collect_extends(f, inst, part, e, mods, &here, is_protected);
            else if (e->kind == EL_COMPONENT || (e->kind == EL_CLASS && e->redeclare))
                add_member(f, inst, part, e, mods, is_protected);
            if (e->kind == EL_COMPONENT && component_left_out(mods, e->component->name))
                leave_out(inst, e->component->name);
            part->last = inst->npart - 1;
        }
    }
    leave(f);
}

/* ------------------------------------------------------------------ templates */

enum { TEMPLATE_STEPS = 60 }; /* of what an argument counts: some components and connections */

/* are the arguments in their ranges, and is there work left for as much as they count? What is out
 * of its range is reported when the parameters are examined. */
static bool check_arguments(Front *f, const Inst *inst, const double *arguments, SourceSpan span)
{
    const LiederTemplate *t = native_template(f->session, inst->template_);
    for (int i = 0; t && i < t->nargument; i++) {
        const struct LiederArgument *a = &t->arguments[i];
        if (!(arguments[i] >= a->min && arguments[i] <= a->max))
            return false; /* reported with other numbers out of range */
        if (a->min == 1 && !spend(f, span, (size_t)(TEMPLATE_STEPS * fmin(arguments[i], 1e15))))
            return false;
    }
    return true;
}

void inst_add_text(Front *f, Inst *inst, const char *text, size_t length)
{
    char *copy = arena_text(&f->work, text, length);
    SyntaxFile *file =
        copy ? parse_text(&f->work, &f->names, f->diag, "(components)", copy, length) : NULL;
    f->work.failed |= !copy;
    if (!file || file->nerrors || file->classes.n != 1)
        return;
    ClassPart *part = add_part(f, inst, file->classes.items[0], (Env){.inst = f->root});
    for (size_t i = 0; part && i < part->class_->elements.n; i++)
        add_member(f, inst, part, part->class_->elements.items[i], inst->mods, false);
    if (part)
        inst->parts->last = part->number;
}

/* builds the model for the arguments and lists its components as members */
void inst_open_template(Front *f, Inst *inst, SourceSpan span)
{
    double arguments[16] = {0};
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n && n < 16; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || !member_is_parameter(m))
            continue;
        Value v = structural_parameter(f, m, span);
        if (v.kind == V_NONE)
            return;
        arguments[n++] = v.x;
    }
    if (!check_arguments(f, inst, arguments, span))
        return;
    TextBuffer text = {0};
    inst->built = native_build_template(f->session, inst->template_, arguments, &text);
    if (inst->built && text.items)
        inst_add_text(f, inst, text.items, text.n);
    else
        f->work.failed = true;
    vec_drop(f->alloc, &text);
}

/* ------------------------------------------------------------------ creation */

static bool redeclares(const Mod *mod)
{
    for (; mod; mod = mod->next)
        for (size_t i = 0; mod->modification && i < mod->modification->arguments.n; i++)
            if (mod->modification->arguments.items[i]->kind == AR_ELEMENT)
                return true;
    return false;
}

/* a class that contains itself never ends; through a redeclaration it may be meant */
static bool is_recursive(Front *f, const Type *type, const Inst *parent, SourceSpan span)
{
    int count = 0;
    bool redeclared = false;
    for (const Inst *in = parent; in; in = in->parent) {
        count += in->class_ == type->class_;
        redeclared |= redeclares(in->mods);
    }
    if (count == 0 || (redeclared && count < 8) || type->class_->span.file == f->library)
        return false;
    report_error(f, span, parent,
                 "'%s' contains itself\na model cannot have a component of its own class",
                 type->class_->name);
    return true;
}

Inst *inst_create(Front *f, const Type *type, Mod *mods, Inst *parent, Member *member, Axis *axis,
                  SourceSpan span)
{
    if (f->ninst++ >= f->limits.instances) {
        if (f->ninst == f->limits.instances + 1)
            report_error(f, span, parent,
                         "the model has more than %zu components\nuse arrays of equal components",
                         f->limits.instances);
        return NULL;
    }
    if (parent && is_recursive(f, type, parent, span))
        return NULL;
    if (parent && parent->depth >= INSTANCE_DEPTH) {
        report_error(f, span, parent, "components are nested more than %d deep\nuse fewer levels",
                     INSTANCE_DEPTH);
        return NULL;
    }
    Inst *inst = work_zeroed(f, sizeof *inst);
    if (!inst)
        return NULL;
    *inst = (Inst){.front = f,
                   .class_ = type->class_,
                   .parent = parent,
                   .member = member,
                   .axis = axis,
                   .depth = parent ? parent->depth + 1 : 0,
                   .mods = mods,
                   .by = type->by,
                   .next = f->all};
    inst->opaque = parent && (parent->opaque || parent->template_) && !(member && member->is_outer);
    inst->as_text = (parent && parent->as_text) || (member && member->as_text);
    inst->in_loop = (parent && parent->in_loop) || (member && member->in_loop);
    f->all = inst;
    if (member && !parent)
        member->child = inst; /* a package may be asked for what is in it already */
    collect(f, inst, type->class_, type->env, mods, NULL, false, span);
    if (inst->template_ && parent)
        inst_open_template(f, inst, span);
    if (!inst->template_ || parent)
        mods_check(f, inst);
    return inst;
}

void inst_root(Front *f)
{
    f->root = NULL;
    Inst *root = work_zeroed(f, sizeof *root);
    if (!root)
        return;
    root->front = f;
    root->next = f->all;
    f->all = root;
    for (size_t i = 0; i < f->tops.n; i++)
        add_member(f, root, NULL, f->tops.items[i], NULL, false);
    f->root = root;
    Inst *predefined = work_zeroed(f, sizeof *predefined);
    if (!predefined)
        return;
    predefined->front = f;
    predefined->next = f->all;
    f->all = f->predefined = predefined;
    for (size_t i = 0; i < f->standard->classes.n; i++) {
        ClassElement *e = work_zeroed(f, sizeof *e);
        Class *class_ = f->standard->classes.items[i];
        if (!e)
            return;
        *e = (ClassElement){.kind = EL_CLASS, .span = class_->span, .class_ = class_};
        add_member(f, predefined, NULL, e, NULL, false);
    }
}

void inst_add_top(Front *f, ClassElement *e)
{
    add_member(f, f->root, NULL, e, NULL, false);
}

/* type InArgument = input Real: a variable of such a type is an input of its function */
static void settle_causality(Front *f, Inst *inst)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (m->component && m->prefix.causality == CAUSE_NONE && !m->is_protected)
            m->prefix.causality = member_type(f, m)->causality;
    }
}

Inst *class_inst(Front *f, Member *m, SourceSpan span)
{
    if (m->child)
        return m->child;
    if (m->child_busy) {
        report_error(f, span, NULL, "'%s' is defined by itself\nname another class", m->name);
        return NULL;
    }
    if (!enter(f, span))
        return NULL;
    m->child_busy = true;
    Type type = type_follow(f, class_type(f, m), span);
    if (type.kind != TY_CLASS && type.kind != TY_NONE && m->class_->kind == CLASS_TYPE &&
        m->class_->form == FORM_LONG)
        type = class_type(f, m); /* for the functions that stand in it */
    if (type.kind == TY_CLASS) {
        m->child = inst_create(f, &type, type.mods, NULL, m, NULL, span);
        if (m->child && is_function_class(type.class_))
            settle_causality(f, m->child);
    } else if (type.kind != TY_NONE)
        report_error(f, span, NULL, "'%s' has nothing inside\nremove what follows the dot",
                     m->name);
    m->child_busy = false;
    leave(f);
    return m->child;
}
