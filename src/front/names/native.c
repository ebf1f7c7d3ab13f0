/* native.c - see native.h.
 *
 * The library is shown to the front end as text, made from the reflection of the classes:
 *
 *   package Dialectic
 *     package Planar
 *       connector Frame ... annotation(__Lieder(domain = "Planar.Frame")); end Frame;
 *       model Body "Mass and moment of inertia under gravity"
 *         Dialectic.Planar.Frame frame_a;
 *         parameter Real m(unit = "kg", min = 0) = 1 "mass";
 *         annotation(__Lieder(native = "Planar.Body"));
 *       end Body;
 *
 * Lookup, modifiers, types and units then need no second code path for what is native, and a
 * message can point at a declaration of the library. Names, defaults and texts exist once, in C.
 * A default that comes from the World is the binding world.TD of an outer world. A template
 * without arguments is printed as the model that it builds; one with arguments keeps its
 * parameters, and its components are shown once they are known (native_build_template).
 * Rejected: tables of native members beside the syntax tree; every rule would exist twice.
 */
#include "front/names/native.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equation/class/class.h"
#include "library/texts.h"
#include "model/description/model.h"

const LiederAllocator *native_allocator(Lieder *session)
{
    return &session->alloc;
}

Diagnostics *native_diagnostics(Lieder *session)
{
    return &session->diag;
}

Loader *native_loader(Lieder *session)
{
    return &session->loader;
}

LiederSystem *native_system(Lieder *session, const char *model, const LiederSystemOptions *options)
{
    return system_of_model(session, model, options);
}

bool native_out_of_memory(const Lieder *session)
{
    return session->no_memory || session->diag.no_memory;
}

/* ------------------------------------------------------------------ writing */

/* the text under way; ok is sticky */
typedef struct NativeWriter {
    Lieder *session;
    TextBuffer *to;
    bool ok;
} NativeWriter;

#define WRITE(w, ...) ((w)->ok = (w)->ok && text_add(&(w)->session->alloc, (w)->to, __VA_ARGS__))

/* a string literal, or nothing for an empty text */
static void write_text(NativeWriter *w, const char *text)
{
    if (!text || !*text)
        return;
    WRITE(w, " \"");
    while (*text) {
        size_t plain = strcspn(text, "\"\\");
        w->ok = w->ok && text_put(&w->session->alloc, w->to, text, plain);
        text += plain;
        if (!*text)
            break;
        WRITE(w, "\\%c", *text);
        text++;
    }
    WRITE(w, "\"");
}

/* digits of a whole number at the end of 21 characters */
static const char *digits_of(unsigned n, char *text)
{
    char *at = text + 20;
    *at = '\0';
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    return at;
}

/* the shortest text that reads back as the same number */
static void write_number(NativeWriter *w, double x)
{
    char text[40];
    if (x == floor(x) && fabs(x) < 1e6 && (x != 0 || !signbit(x))) { /* most are */
        WRITE(w, "%s%s", x < 0 ? "-" : "", digits_of((unsigned)fabs(x), text));
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    WRITE(w, "%s", text);
}

/* packages of dialectic mechanics stand in Dialectic, the others at the top */
static bool in_dialectic(const char *name)
{
    static const char *const packages[] = {"Translational.", "Rotational.", "Planar.", "Examples."};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strncmp(name, packages[i], strlen(packages[i])) == 0)
            return true;
    return strcmp(name, "World") == 0;
}

static void write_class_name(NativeWriter *w, const char *name)
{
    WRITE(w, in_dialectic(name) ? ".Dialectic.%s" : ".%s", name);
}

static void write_port_type(NativeWriter *w, const LiederDomain *domain, bool input)
{
    if (domain == &lieder_signal)
        WRITE(w, ".Signals.%s", input ? "RealInput" : "RealOutput");
    else
        write_class_name(w, domain->name);
}

static bool is_switch(const LiederMemberInfo *m)
{
    return m->structural && m->length == 1 && m->min == 0 && m->max == 1;
}

static bool is_count(const LiederMemberInfo *m)
{
    return m->structural && m->length == 1 && !is_switch(m) && m->fallback == floor(m->fallback) &&
           m->min == floor(m->min) && m->max == floor(m->max) && fabs(m->max) < 1e15;
}

/* a parameter with its unit, range and default */
static void write_parameter(NativeWriter *w, const LiederMemberInfo *m)
{
    const char *type = is_switch(m) ? "Boolean" : is_count(m) ? "Integer" : "Real";
    WRITE(w, "parameter %s %s", type, m->name);
    if (m->length == 0)
        WRITE(w, "[:, 2]");
    else if (m->ndim)
        for (int k = 0; k < m->ndim; k++)
            WRITE(w, "%s%zu%s", k ? ", " : "[", m->sizes[k], k + 1 < m->ndim ? "" : "]");
    else if (m->length > 1)
        WRITE(w, "[%d]", m->length);
    /* attributes */
    const char *each = m->length == 1 ? "" : "each ", *open = "(";
    if (m->unit && *m->unit) {
        WRITE(w, "%s%sunit = \"%s\"", open, each, m->unit);
        open = ", ";
    }
    if (!is_switch(m) && isfinite(m->min)) {
        WRITE(w, "%s%smin = ", open, each);
        write_number(w, m->min);
        open = ", ";
    }
    if (!is_switch(m) && isfinite(m->max)) {
        WRITE(w, "%s%smax = ", open, each);
        write_number(w, m->max);
        open = ", ";
    }
    if (*open == ',')
        WRITE(w, ")");
    /* default */
    if (m->environment)
        WRITE(w, " = world.%s", m->environment);
    else if (is_switch(m) && !isnan(m->fallback))
        WRITE(w, " = %s", m->fallback != 0 ? "true" : "false");
    else if (isfinite(m->fallback)) {
        WRITE(w, m->length > 1 ? " = fill(" : " = ");
        write_number(w, m->fallback);
        for (int k = 0; k < m->ndim; k++)
            WRITE(w, ", %zu", m->sizes[k]);
        if (m->length > 1 && !m->ndim)
            WRITE(w, ", %d", m->length);
        if (m->length > 1)
            WRITE(w, ")");
    }
}

/* a member of a class as a declaration */
static void write_member(NativeWriter *w, const LiederMemberInfo *m)
{
    WRITE(w, "      ");
    if (m->kind == LIEDER_PORT) {
        write_port_type(w, m->domain, m->input);
        WRITE(w, " %s", m->name);
    } else if (m->kind == LIEDER_PARAMETER) {
        write_parameter(w, m);
    } else {
        WRITE(w, "Real %s(unit = \"%s\"", m->name, m->unit ? m->unit : "");
        if (m->kind == LIEDER_STATE && isfinite(m->start)) {
            WRITE(w, ", start = ");
            write_number(w, m->start);
        }
        WRITE(w, ")");
    }
    write_text(w, m->text);
    WRITE(w, ";\n");
}

/* an unknown may be an observable of the same name, too */
static bool seen_before(const LiederClass *class_, size_t index)
{
    const LiederClassDef *def = class_->def;
    if (!def || index < (size_t)def->nport)
        return false;
    const LiederMember *m = &def->members[index - (size_t)def->nport];
    for (const LiederMember *other = def->members; other < m; other++)
        if (strcmp(other->name, m->name) == 0)
            return true;
    return false;
}

static void write_members(NativeWriter *w, const LiederClass *class_)
{
    bool world = false;
    for (size_t i = 0; i < lieder_class_member_count(class_); i++) {
        LiederMemberInfo m = lieder_class_member(class_, i);
        if (!seen_before(class_, i))
            write_member(w, &m);
        world |= m.environment != NULL;
    }
    if (world)
        WRITE(w, "      outer .Dialectic.World world;\n");
}

/* ------------------------------------------------------------------ templates as models */

/* a model that is built for its text only and is no class of the session */
static LiederModel *build_apart(Lieder *session, const LiederTemplate *t)
{
    LiederModel *model = model_begin(session, NULL);
    if (model)
        t->build(model, NULL, t->user);
    return model;
}

/* the declaration whose member a setting sets, if it names one component without index */
static const Declaration *set_in(const LiederModel *model, const Setting *s)
{
    const ModelStep *step = &model->steps.items[s->first_step];
    return s->nstep == 1 && s->slot >= 0 && step->element == ALL_ELEMENTS
               ? &model->declarations.items[step->declaration]
               : NULL;
}

/* the port of a component of the compiled library that a model exposes; NULL: it is none */
static const LiederPortDef *exposed_port(const LiederModel *model, const Exposed *e)
{
    const Declaration *d =
        e->inner.port < 0 ? NULL : &model->declarations.items[e->inner.declaration];
    return d && d->class_->def && !d->ndim ? &d->class_->def->ports[e->inner.port] : NULL;
}

/* can all of it be written as plain declarations, modifiers and connections? */
static bool is_plain(const LiederModel *model)
{
    for (size_t i = 0; i < model->settings.n; i++) {
        const Setting *s = &model->settings.items[i];
        const Declaration *d = set_in(model, s);
        if (!d || s->kind == SET_EACH || !class_find_member(d->class_, s->name, strlen(s->name)))
            return false;
    }
    for (size_t i = 0; i < model->exposed.n; i++)
        if (!exposed_port(model, &model->exposed.items[i]))
            return false;
    return model->nwrong == 0;
}

static void write_declaration(NativeWriter *w, const Declaration *d)
{
    WRITE(w, "      ");
    write_class_name(w, d->class_->name);
    WRITE(w, " %s", d->name);
    for (int k = 0; k < d->ndim; k++)
        WRITE(w, "%s%zu%s", k ? ", " : "[", declaration_dim(d)[k], k + 1 == d->ndim ? "]" : "");
}

/* (m = 2, r = {1, 0}, phi(start = 1)) */
static void write_settings(NativeWriter *w, const LiederModel *model, const Declaration *of)
{
    const char *open = "(";
    for (size_t i = 0; i < model->settings.n; i++) {
        const Setting *s = &model->settings.items[i];
        if (set_in(model, s) != of)
            continue;
        const LiederMember *m = class_find_member(of->class_, s->name, strlen(s->name));
        WRITE(w, "%s%s%s", open, of->ndim ? "each " : "", s->name);
        open = ", ";
        bool on = m->kind == LIEDER_PARAMETER && m->structural && m->min == 0 && m->max == 1;
        if (on) {
            WRITE(w, " = %s", s->value != 0 ? "true" : "false");
        } else if (s->kind == SET_ALL) {
            WRITE(w, m->kind == LIEDER_STATE ? "(start = " : " = ");
            write_number(w, s->value);
            WRITE(w, m->kind == LIEDER_STATE ? ")" : "");
        }
        for (size_t k = 0; s->kind == SET_VECTOR && k < s->numbers->n; k++) {
            WRITE(w, k ? ", " : " = {");
            write_number(w, s->numbers->values[k]);
            WRITE(w, k + 1 == s->numbers->n ? "}" : "");
        }
    }
    if (*open == ',')
        WRITE(w, ")");
}

/* a model as declarations and connections */
static void write_plain(NativeWriter *w, const LiederModel *model)
{
    for (size_t i = 0; i < model->declarations.n; i++) {
        const Declaration *d = &model->declarations.items[i];
        write_declaration(w, d);
        write_settings(w, model, d);
        WRITE(w, ";\n");
    }
    for (size_t i = 0; i < model->exposed.n; i++) {
        const Exposed *e = &model->exposed.items[i];
        const LiederPortDef *p = exposed_port(model, e);
        WRITE(w, "      ");
        write_port_type(w, p->domain, p->role == LIEDER_IN);
        WRITE(w, " %s", e->name);
        write_text(w, p->text);
        WRITE(w, ";\n");
    }
    WRITE(w, "    equation\n");
    ConnectionCursor cursor = {0};
    PortPath ends[2];
    char a[300], b[300];
    while (connection_next(model, &cursor, &ends[0], &ends[1]))
        WRITE(w, "      connect(%s, %s);\n", port_path_text(model, &ends[0], a, sizeof a),
              port_path_text(model, &ends[1], b, sizeof b));
    for (size_t i = 0; i < model->exposed.n; i++)
        WRITE(w, "      connect(%s, %s);\n", model->exposed.items[i].name,
              port_path_text(model, &model->exposed.items[i].inner, a, sizeof a));
}

/* a template as the model that it builds, or as its parameters */
static void write_template(NativeWriter *w, const LiederClass *class_)
{
    const LiederTemplate *t = &class_->template_;
    LiederModel *model = t->nargument == 0 ? build_apart(w->session, t) : NULL;
    w->ok = w->ok && !w->session->no_memory && (model || t->nargument);
    if (model && is_plain(model)) {
        write_plain(w, model);
    } else {
        write_members(w, class_);
        WRITE(w, "      annotation(__Lieder(template = \"%s\"));\n", class_->name);
    }
    model_destroy(model);
}

const LiederTemplate *native_template(const Lieder *session, const char *class_name)
{
    const LiederClass *class_ = lieder_class_find(session, class_name);
    return class_ && class_->template_.build ? &class_->template_ : NULL;
}

const char *native_build_template(Lieder *session, const char *class_name, const double *arguments,
                                  TextBuffer *declarations)
{
    const LiederClass *class_ = lieder_class_find(session, class_name);
    if (!class_ || !class_->template_.build)
        return NULL;
    const LiederTemplate *t = &class_->template_;
    /* equal arguments, equal model: the engine gives it the same name */
    char name[1024];
    size_t length = (size_t)snprintf(name, sizeof name, "%.200s(", class_->name);
    for (int i = 0; i < t->nargument && length < sizeof name; i++)
        length += (size_t)snprintf(name + length, sizeof name - length, "%s%.17g", i ? ", " : "",
                                   arguments[i]);
    if (length < sizeof name)
        snprintf(name + length, sizeof name - length, ")");
    const LiederClass *built = lieder_class_find(session, name);
    LiederModel *model = built ? built->model : lieder_model_create(session, name, t->text);
    if (!model)
        return NULL;
    if (!built)
        t->build(model, arguments, t->user);
    NativeWriter w = {session, declarations, true};
    WRITE(&w, "model Components\n");
    for (size_t i = 0; i < model->declarations.n; i++) {
        write_declaration(&w, &model->declarations.items[i]);
        WRITE(&w, ";\n");
    }
    for (size_t i = 0; i < model->exposed.n; i++) {
        const Exposed *e = &model->exposed.items[i];
        const LiederPortDef *port = exposed_port(model, e);
        if (!port)
            continue;
        WRITE(&w, "      ");
        write_port_type(&w, port->domain, port->role == LIEDER_IN);
        WRITE(&w, " %s;\n", e->name);
    }
    WRITE(&w, "end Components;\n");
    return w.ok ? model->name : NULL;
}

/* ------------------------------------------------------------------ the whole library */

/* a native class as a model with a mark that says which */
static void write_class(NativeWriter *w, const LiederClass *class_)
{
    const char *dot = strrchr(class_->name, '.'), *name = dot ? dot + 1 : class_->name;
    WRITE(w, "    model %s", name);
    write_text(w, lieder_class_text(class_));
    WRITE(w, "\n");
    if (class_->def) {
        write_members(w, class_);
        WRITE(w, "      annotation(__Lieder(native = \"%s\"));\n", class_->name);
    } else {
        write_template(w, class_);
    }
    WRITE(w, "    end %s;\n", name);
}

/* a domain as a connector */
static void write_connector(NativeWriter *w, const LiederDomain *d)
{
    const char *dot = strrchr(d->name, '.'), *name = dot ? dot + 1 : d->name;
    WRITE(w, "    connector %s", name);
    write_text(w, d->text);
    WRITE(w, "\n");
    int nfirst = d->nsignal + d->npotential;
    for (int i = 0; i < nfirst + d->nflow * d->nregime; i++) {
        WRITE(w, "      %sReal %s(unit = \"%s\")", i < nfirst ? "" : "flow ", d->variables[i].name,
              d->variables[i].unit);
        write_text(w, d->variables[i].text);
        WRITE(w, ";\n");
    }
    WRITE(w, "      annotation(__Lieder(domain = \"%s\"));\n    end %s;\n", d->name, name);
}

/* A class that the text shows. No models that templates have built, and names of one or two parts:
 * "Planar.Body" stands in Planar, "World" in no package. */
typedef struct Listed {
    const LiederClass *class_;
    size_t package; /* length of its name, which the name of the class begins with */
    bool dialectic; /* the package stands in Dialectic */
    bool written;
} Listed;

typedef VEC(Listed) ListedClasses;

static size_t package_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

/* the classes that the text shows, sorted by package; false: no memory */
static bool list_classes(NativeWriter *w, ListedClasses *list)
{
    for (size_t i = 0; i < w->session->classes.n; i++) {
        const LiederClass *class_ = w->session->classes.items[i];
        const char *name = class_->name;
        Listed l = {class_, package_length(name), in_dialectic(name), false};
        if ((class_->def || class_->template_.build) && !strchr(name, '#') &&
            !library_is_text(name) && strchr(name, '.') == strrchr(name, '.') &&
            !vec_push(&w->session->alloc, list, l))
            return false;
    }
    return true;
}

static bool stands_in(const char *name, size_t length, const Listed *package)
{
    return length == package->package && memcmp(name, package->class_->name, length) == 0;
}

typedef VEC(const LiederDomain *) Domains;

/* the domains that any port has, each once */
static bool list_domains(NativeWriter *w, Domains *list)
{
    const LiederDomain *last = NULL; /* ports of one class are mostly alike */
    for (size_t i = 0; i < w->session->classes.n; i++) {
        const LiederClassDef *def = w->session->classes.items[i]->def;
        for (int p = 0; def && p < def->nport; p++) {
            const LiederDomain *d = def->ports[p].domain;
            bool known = d == &lieder_signal || d == last;
            for (size_t k = 0; k < list->n && !known; k++)
                known = list->items[k] == d;
            last = d;
            if (!known && !vec_push(&w->session->alloc, list, d))
                return false;
        }
    }
    return true;
}

static void write_connectors(NativeWriter *w, const Domains *domains, const Listed *package)
{
    for (size_t i = 0; i < domains->n; i++)
        if (stands_in(domains->items[i]->name, package_length(domains->items[i]->name), package))
            write_connector(w, domains->items[i]);
    if (package->package == 7 && memcmp(package->class_->name, "Signals", 7) == 0)
        WRITE(w, "    connector RealInput = input Real \"a number that comes in\";\n"
                 "    connector RealOutput = output Real \"a number that goes out\";\n");
}

/* one package with all its classes, when the first of them is met */
static void write_package(NativeWriter *w, ListedClasses *list, size_t first,
                          const Domains *domains)
{
    const Listed package = list->items[first];
    int length = (int)package.package;
    if (length)
        WRITE(w, "  package %.*s\n", length, package.class_->name);
    write_connectors(w, domains, &package);
    for (size_t i = first; i < list->n; i++) {
        Listed *l = &list->items[i];
        if (l->dialectic != package.dialectic || !stands_in(l->class_->name, l->package, &package))
            continue;
        write_class(w, l->class_);
        l->written = true;
    }
    if (length)
        WRITE(w, "  end %.*s;\n", length, package.class_->name);
}

bool native_library_text(Lieder *session, TextBuffer *to)
{
    NativeWriter w = {session, to, true};
    ListedClasses list = {0};
    Domains domains = {0};
    w.ok = list_classes(&w, &list) && list_domains(&w, &domains);
    WRITE(&w, "package Dialectic \"Dialectic mechanics\"\n");
    for (int top = 0; top < 2; top++) {
        for (size_t i = 0; i < list.n; i++)
            if (!list.items[i].written && list.items[i].dialectic == (top == 0))
                write_package(&w, &list, i, &domains);
        if (top == 0)
            WRITE(&w, "end Dialectic;\n");
    }
    vec_drop(&session->alloc, &list);
    vec_drop(&session->alloc, &domains);
    return w.ok;
}

bool native_rests_open(Lieder *session, const char *class_name, const char *port)
{
    const LiederClass *class_ = lieder_class_find(session, class_name);
    int p = class_ && class_->def ? class_find_port(class_, port, strlen(port)) : -1;
    if (p < 0)
        return false;
    /* what its blocks read is found by running them; if that fails, the system says why */
    if (class_examine(session, (LiederClass *)class_) != LIEDER_DONE)
        return true;
    for (int unit = 0; unit < class_->facts.nunit; unit++)
        if (unit_reads_port(class_, unit, p))
            return false;
    return true;
}

bool native_has_states(Lieder *session, const char *class_name)
{
    const LiederClass *class_ = lieder_class_find(session, class_name);
    for (int i = 0; class_ && class_->def && i < class_->def->nmember; i++)
        if (class_->def->members[i].kind == LIEDER_STATE)
            return true;
    return false;
}

bool native_is_outgoing(Lieder *session, const char *class_name, const char *port)
{
    const LiederClass *class_ = lieder_class_find(session, class_name);
    int p = class_ && class_->def ? class_find_port(class_, port, strlen(port)) : -1;
    return p >= 0 && class_->def->ports[p].role == LIEDER_OUT;
}

bool native_is_state(Lieder *session, const char *class_name, const char *member)
{
    const LiederClass *class_ = lieder_class_find(session, class_name);
    const LiederMember *m = class_ ? class_find_member(class_, member, strlen(member)) : NULL;
    return m && m->kind == LIEDER_STATE;
}

const LiederDomain *native_domain(Lieder *session, const char *name)
{
    for (size_t i = 0; i < session->classes.n; i++) {
        const LiederClassDef *def = session->classes.items[i]->def;
        for (int p = 0; def && p < def->nport; p++)
            if (strcmp(def->ports[p].domain->name, name) == 0)
                return def->ports[p].domain;
    }
    return NULL;
}

int native_domain_signals(Lieder *session, const char *name)
{
    const LiederDomain *domain = native_domain(session, name);
    return domain ? domain->nsignal : 0;
}

/* a root without parameters that must be set, states and unknowns */
static bool is_rest(const LiederClassDef *def, const char *domain)
{
    if (def->nport != 1 || def->ports[0].role != LIEDER_OUT ||
        strcmp(def->ports[0].domain->name, domain) != 0)
        return false;
    for (int i = 0; i < def->nmember; i++)
        if (def->members[i].kind != LIEDER_PARAMETER || isnan(def->members[i].fallback))
            return false;
    return true;
}

const char *native_rest(Lieder *session, const char *domain, const char **port)
{
    for (size_t i = 0; i < session->classes.n; i++) {
        const LiederClassDef *def = session->classes.items[i]->def;
        if (!def || !is_rest(def, domain))
            continue;
        *port = def->ports[0].name;
        return def->name;
    }
    return NULL;
}

int native_domain_regimes(Lieder *session, const char *name)
{
    const LiederDomain *domain = native_domain(session, name);
    return domain ? domain->nregime : 0;
}

static void destroy_cell(void *class_)
{
    cell_class_destroy(class_);
}

LiederStatus native_adopt_cell(Lieder *session, struct CellClass *class_)
{
    if (!session_adopt(session, class_, destroy_cell)) {
        cell_class_destroy(class_);
        return LIEDER_NO_MEMORY;
    }
    return cell_class_register(session, class_);
}

const struct CellSummary *native_cell(const Lieder *session, const char *class_name)
{
    for (size_t i = 0; i < session->adopted.n; i++) {
        if (session->adopted.items[i].destroy != destroy_cell)
            continue;
        const CellSummary *s = cell_class_summary(session->adopted.items[i].object);
        if (s->name && strcmp(s->name, class_name) == 0)
            return s;
    }
    return NULL;
}

bool native_accepts(Lieder *session, const char *class_name)
{
    const LiederClass *class_ = lieder_class_find(session, class_name);
    return class_ && class_examine(session, (LiederClass *)class_) == LIEDER_DONE;
}

/* a domain with its texts in one arena */
typedef struct OwnedDomain {
    const LiederAllocator *alloc;
    Arena arena;
    LiederDomain domain;
} OwnedDomain;

static void destroy_domain(void *object)
{
    OwnedDomain *d = object;
    arena_drop(&d->arena);
    memory_free(d->alloc, d, sizeof *d);
}

static const char *owned_text(OwnedDomain *d, const char *text)
{
    return arena_text(&d->arena, text, strlen(text));
}

const LiederDomain *native_make_domain(Lieder *session, const LiederDomain *domain)
{
    OwnedDomain *d = memory_zeroed(&session->alloc, sizeof *d);
    size_t n = (size_t)(domain->nsignal + domain->npotential + domain->nregime * domain->nflow);
    if (!d)
        return NULL;
    d->alloc = &session->alloc;
    arena_init(&d->arena, d->alloc);
    d->domain = *domain;
    LiederVariable *variables = arena_zeroed(&d->arena, (n + 1) * sizeof *variables);
    bool good = variables && (d->domain.name = owned_text(d, domain->name)) &&
                (d->domain.text = owned_text(d, domain->text));
    for (size_t i = 0; good && i < n; i++) {
        const LiederVariable *from = &domain->variables[i];
        variables[i] = (LiederVariable){owned_text(d, from->name), owned_text(d, from->unit),
                                        owned_text(d, from->text)};
        good = variables[i].name && variables[i].unit && variables[i].text;
    }
    d->domain.variables = variables;
    if (good && session_adopt(session, d, destroy_domain))
        return &d->domain;
    destroy_domain(d);
    return NULL;
}
