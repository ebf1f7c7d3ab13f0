/* precompile.c - a class of the library for all numbers of its parameters.
 *
 * Where a model is instantiated, a class with equations is compiled for the model at hand:
 * parameters that follow from others are numbers by then, and so are assertions. A class that is
 * compiled when the project is built (src/precompile) knows no instance. So
 *
 *   - parameters stand in the order of the text, with the defaults and ranges that it gives;
 *     a default world.TD is the one of the World
 *   - parameters that are final, by their declaration or by a modifier, are computed from the
 *     others by the class itself
 *   - Boolean parameters are switches of the engine: numbers, 0 or 1, that decide its structure
 *   - assertions on parameters become its check
 *   - protected variables are not shown
 *   - variables of the names in `energies`, which a class of a user's own declares as well, are
 *     its energy
 *
 * A class is lowered as the component of a model that has a World and nothing else.
 */
#include "front/precompile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/lower/lower.h"

/* in the order of Energy in component.h; see model/system/energy.c */
static const char *const energies[] = {"kineticEnergy", "potentialEnergy", "lossPower",
                                       "filterPower", "supplyPower"};

bool precompile_follows(Front *f, const Member *m)
{
    if (!f->without_numbers || !member_is_parameter(m))
        return false;
    const Mod *mod = member_binding(f, m);
    return m->element->final || (mod && mod->final);
}

bool precompile_is_switch(Front *f, Member *m)
{
    return f->without_numbers && member_is_parameter(m) && member_type(f, m)->kind == TY_BOOLEAN &&
           m->prefix.variability != VARY_CONSTANT;
}

bool precompile_assert(Front *f, Node condition, const Expr *text, Env env)
{
    struct Lower *lower = f->lower;
    f->lower = NULL;
    Value v = evaluate(f, text, env);
    f->lower = lower;
    if (v.kind != V_STRING)
        return false;
    const char *copy = arena_text(&f->work, value_text(&v, 0), strlen(value_text(&v, 0)));
    if (!condition || !copy ||
        !vec_push(lower->cell.alloc, &lower->cell.assertions, (CellAssertion){condition, copy}))
        f->work.failed = true;
    return !f->work.failed;
}

/* ------------------------------------------------------------------ what declarations say */

/* an attribute that is a number, the same for all elements */
static double class_attribute(Front *f, Member *m, const char *name, double otherwise)
{
    bool given;
    Value v = member_attribute(f, m, name, &given);
    return v.kind == V_REAL || v.kind == V_INTEGER ? value_at(&v, 0) : otherwise;
}

/* world.TD: "TD"; NULL: another default */
static const char *world_parameter(const Front *f, const Expr *e)
{
    bool world = e->kind == EX_REF && e->ref->name == f->word_world && e->ref->rest;
    return world ? e->ref->rest->name : NULL;
}

/* a parameter as it stays in a class that serves all numbers */
static const CellDeclaration *declare_parameter(Front *f, Member *m)
{
    CellDeclaration *d = work_zeroed(f, sizeof *d);
    Mod *mod = member_binding(f, m);
    if (!d)
        return NULL;
    bool is_switch = precompile_is_switch(f, m);
    *d = (CellDeclaration){.value = NAN,
                           .min = is_switch ? 0 : class_attribute(f, m, "min", -INFINITY),
                           .max = is_switch ? 1 : class_attribute(f, m, "max", INFINITY),
                           .is_switch = is_switch};
    if (!mod)
        return d;
    d->environment = world_parameter(f, mod->modification->value);
    if (d->environment)
        return d;
    Value v = mod_value(f, mod, m->ndim, m->inst, m->name);
    d->value = v.n ? value_at(&v, 0) : NAN;
    for (size_t i = 1; i < v.n; i++)
        if (value_at(&v, i) != d->value)
            report_error(f, m->component->name_span, m->inst,
                         "'%s' needs one default for all elements\n%s", m->name,
                         "write fill(0, 2)");
    return d;
}

static const CellDeclaration *declare_variable(Front *f, Member *m)
{
    CellDeclaration *d = work_zeroed(f, sizeof *d);
    if (d)
        *d = (CellDeclaration){
            .value = class_attribute(f, m, "start", 0), .min = -INFINITY, .max = INFINITY};
    return d;
}

/* parameters, start values and texts of a precompiled class */
static void declare_class(Front *f, Lower *lower)
{
    for (size_t i = 0; i < lower->variables.n; i++) {
        const LowerVariable *from = &lower->variables.items[i];
        CellVariable *v = &lower->cell.variables.items[i];
        if (!from->member || from->is_start)
            continue;
        v->is_protected = from->member->is_protected || from->member->inst != lower->top;
        if (from->member->inst != lower->top)
            continue; /* a port shows its own */
        for (int k = 0; k < (int)(sizeof energies / sizeof *energies); k++)
            if (strcmp(from->member->name, energies[k]) == 0)
                v->energy = 1 + k;
        v->declared = v->role == CELL_PARAMETER ? declare_parameter(f, from->member)
                      : v->role == CELL_UNKNOWN ? declare_variable(f, from->member)
                                                : NULL;
    }
}

/* ------------------------------------------------------------------ the class */

/* the class of a lowered text with its ports, checks and energies; NULL after reporting an error */
static CellClass *make_class(Front *f, Lower *lower, const char *name, BasicSignals *basic)
{
    VEC(const LiederDomain *) domains = {0};
    VEC(const char *) names = {0}, texts = {0};
    VEC(unsigned) bits = {0};
    bool good = vec_reserve(f->alloc, &bits, lower->ports.n + 1); /* a list, if an empty one */
    for (size_t i = 0; good && i < lower->ports.n; i++) {
        const Member *m = lower->ports.items[i].member;
        const LiederDomain *domain = native_domain(f->session, m->child->domain);
        const char *text = m->element->comment.text;
        good = vec_push(f->alloc, &domains, domain) && vec_push(f->alloc, &names, m->name) &&
               vec_push(f->alloc, &texts, text ? text : "") &&
               vec_push(f->alloc, &bits, basic(domain));
    }
    char tag[200];
    snprintf(tag, sizeof tag, "%.190s", name);
    for (char *c = tag; *c; c++)
        *c = *c == '.' ? '_' : *c;
    CellClassInfo info = {.name = name,
                          .tag = tag,
                          .text = lower->top->class_->comment.text,
                          .domains = domains.items,
                          .port_names = names.items,
                          .is_library = true,
                          .port_texts = texts.items,
                          .basic = bits.items};
    LiederStatus status;
    CellClass *class_ = good ? cell_class_create(&lower->cell, &info, &status) : NULL;
    vec_drop(f->alloc, &domains);
    vec_drop(f->alloc, &names);
    vec_drop(f->alloc, &texts);
    vec_drop(f->alloc, &bits);
    return class_;
}

/* the component of a model around the class; NULL after an error */
static Inst *make_instance(Front *f, const char *class_name)
{
    char text[300];
    snprintf(text, sizeof text,
             "model Precompile inner Dialectic.World world; %.200s part; end Precompile;",
             class_name);
    front_clear(f);
    if (front_load_text(f, class_name, text) != LIEDER_DONE)
        return NULL;
    front_forget(f);
    inst_root(f);
    Member *m = f->root ? front_find_class(f, "Precompile") : NULL;
    if (!m)
        return NULL;
    Type type = type_follow(f, class_type(f, m), m->class_->name_span);
    f->top = inst_create(f, &type, type.mods, NULL, NULL, NULL, m->class_->name_span);
    const char *part = intern_range(&f->names, "part", 4);
    Member *found = f->top && part ? inst_find(f->top, NULL, part) : NULL;
    return found ? member_child(f, found) : NULL;
}

CellClass *front_precompile(Front *f, const char *class_name, const char *name, BasicSignals *basic)
{
    Lower lower;
    Inst *inst = make_instance(f, class_name);
    if (!inst)
        return NULL;
    f->without_numbers = true;
    bool good = lower_instance(&lower, f, inst);
    if (good)
        declare_class(f, &lower);
    CellClass *class_ =
        good && !f->nwrong && !f->work.failed ? make_class(f, &lower, name, basic) : NULL;
    f->without_numbers = false;
    lower_drop(&lower);
    return class_;
}
