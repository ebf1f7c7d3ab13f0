/* diagram.c - see diagram.h: which components, connectors and connections a model has.
 *
 * Reads the instance that front_instantiate left: members of the top, their classes with all that
 * these extend, and the connect equations as they stand in the text. A connection in a loop is one
 * line, an array of components one icon.
 */
#include "front/instance/left_out.h"
#include "front/diagram/diagram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/diagram/diagram_read.h"
#include "front/syntax/parse.h"

/* ------------------------------------------------------------------ classes */

/* "Dialectic.Planar.Body" */
static const char *full_name(Diagram *d, const Class *class_)
{
    const Class *chain[64];
    int n = 0;
    for (const Class *c = class_; c && n < 64; c = c->parent)
        chain[n++] = c;
    TextBuffer text = {0};
    bool ok = true;
    while (ok && n-- > 0)
        ok = text_add(&d->alloc, &text, text.n ? ".%s" : "%s", chain[n]->name);
    const char *name = ok ? arena_text(&d->arena, text.items, text.n) : NULL;
    vec_drop(&d->alloc, &text);
    d->failed |= !name;
    return name ? name : "";
}

/* the annotation that the library's table of icons has for a class, parsed */
static const ArgumentList *library_annotation(DiagramReader *r, const char *full)
{
    Front *f = r->front;
    const char *icon = diagram_library_icon(full);
    TextBuffer text = {0};
    if (!icon || !text_add(&r->diagram->alloc, &text,
                           "model I annotation(Icon(graphics = {%s})); end I;", icon))
        return NULL;
    char *copy = arena_text(&r->diagram->arena, text.items, text.n);
    SyntaxFile *file =
        copy ? parse_text(&r->diagram->arena, &f->names, f->diag, "(icons)", copy, text.n) : NULL;
    vec_drop(&r->diagram->alloc, &text);
    r->diagram->failed |= !file;
    return file && !file->nerrors && file->classes.n ? &file->classes.items[0]->comment.annotation
                                                     : NULL;
}

static bool class_graphics(DiagramReader *r, const Class *class_, DiagramShapes *to)
{
    const ArgumentList *list = &class_->comment.annotation;
    const SyntaxFile *file = class_->span.file;
    if (file == r->front->library || (strncmp(file->name, "library/", 8) == 0 && list->n == 0))
        list = library_annotation(r, full_name(r->diagram, class_));
    return list && diagram_graphics(r, list, "Icon", to);
}

/* all that the class and its bases draw, the bases first; short classes on the way to it as well */
static bool type_graphics(DiagramReader *r, const Type *type, const Inst *inst, DiagramShapes *to)
{
    const ClassPart *parts[64];
    int n = 0;
    bool any = false;
    for (const ClassPart *p = inst ? inst->parts : NULL; p && n < 64; p = p->next)
        parts[n++] = p;
    while (n-- > 0)
        any |= class_graphics(r, parts[n]->class_, to);
    if (!inst && type->class_ && type->class_ != type->named)
        any |= class_graphics(r, type->class_, to);
    if (type->named && (!inst || type->named != inst->class_))
        any |= class_graphics(r, type->named, to);
    return any;
}

/* ------------------------------------------------------------------ connectors */

static bool is_connector(const Type *type)
{
    ClassKind kind =
        type->kind == TY_CLASS && type->class_ ? type->class_->kind : type->restriction;
    return kind == CLASS_CONNECTOR || kind == CLASS_EXPANDABLE_CONNECTOR ||
           type->restriction == CLASS_CONNECTOR;
}

/* by what flows: the colours that users of Modelica know */
static unsigned domain_colour(const char *name)
{
    static const struct {
        const char *part;
        unsigned colour;
    } table[] = {{"Planar", 0x5f5f5f},        {"MultiBody", 0x5f5f5f},  {"Frame", 0x5f5f5f},
                 {"Translational", 0x007f00}, {"Rotational", 0x303030}, {"Flange", 0x007f00},
                 {"Electrical", 0x0000ff},    {"Pin", 0x0000ff},        {"Plug", 0x0000ff},
                 {"Heat", 0xbf0000},          {"Fluid", 0x007fff},      {"Boolean", 0xff00ff},
                 {"Integer", 0xff7f00}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strstr(name, table[i].part))
            return table[i].colour;
    return 0x00007f;
}

/* one more graphic with its points copied */
static void put_shape(Diagram *d, DiagramShapes *to, DiagramKind kind, unsigned line, unsigned fill,
                      size_t n, const DiagramPoint *points)
{
    DiagramPoint *copy = arena_zeroed(&d->arena, n * sizeof *copy);
    d->failed |= !copy;
    if (!copy)
        return;
    memcpy(copy, points, n * sizeof *copy);
    DiagramShape s = {.kind = kind,
                      .line = line,
                      .fill = fill,
                      .has_line = true,
                      .has_fill = kind == DIAGRAM_AREA,
                      .width = 0.25,
                      .points = copy,
                      .n = n};
    d->failed |= !vec_push(&d->alloc, to, s);
}

/* a connector without an icon: a triangle for a signal, a square for all else */
static void default_connector(Diagram *d, DiagramPort *p)
{
    static const DiagramPoint triangle[] = {{-100, 100}, {100, 0}, {-100, -100}};
    static const DiagramPoint square[] = {{-60, -60}, {60, -60}, {60, 60}, {-60, 60}};
    unsigned fill = p->signal && p->output ? 0xffffff : p->colour;
    put_shape(d, &p->shapes, DIAGRAM_AREA, p->colour, fill, p->signal ? 3 : 4,
              p->signal ? triangle : square);
}

static Causality causality_of(const Member *m, const Type *type)
{
    Causality c = m->prefix.causality;
    return c != CAUSE_NONE ? c : type->causality;
}

/* a member that is a connector, with its icon; false: it is none, or not there */
static bool read_port(DiagramReader *r, Member *m, DiagramPort *p)
{
    if (!m->component || member_is_parameter(m))
        return false;
    const Type *type = member_type(r->front, m);
    if (type->kind == TY_NONE || !is_connector(type) ||
        (m->condition_state == MEMO_DONE && !m->present))
        return false;
    const Class *class_ = type->named ? type->named : type->class_;
    const char *full = class_ ? full_name(r->diagram, class_) : "";
    *p = (DiagramPort){.name = m->name,
                       .domain = full,
                       .signal = causality_of(m, type) != CAUSE_NONE,
                       .output = causality_of(m, type) == CAUSE_OUTPUT};
    p->colour = domain_colour(full);
    DiagramReader inside = *r;
    inside.inst = m->child;
    inside.name = m->name;
    inside.class_ = class_;
    if (!type_graphics(&inside, type, m->child, &p->shapes))
        default_connector(r->diagram, p);
    p->placed = diagram_place(r, &m->element->comment.annotation, true, &p->map);
    return true;
}

/* ------------------------------------------------------------------ sides of ports */

typedef enum IconSide { SIDE_LEFT, SIDE_RIGHT, SIDE_TOP, SIDE_BOTTOM, SIDES } IconSide;

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);
    return n >= k && strcmp(name + n - k, end) == 0;
}

/* where a connector without a Placement belongs, as the libraries that people know have it */
static IconSide choose_side(const DiagramComponent *c, const DiagramPort *p)
{
    size_t physical = 0, inputs = 0, frames = 0;
    for (size_t i = 0; i < c->ports.n; i++) {
        const DiagramPort *other = &c->ports.items[i];
        physical += !other->signal;
        inputs += other->signal && !other->output;
        frames += strstr(other->domain, "Frame") != NULL;
    }
    bool frame = strstr(p->domain, "Frame");
    if (p->signal)
        return p->output ? SIDE_RIGHT : physical > 1 ? SIDE_TOP : SIDE_LEFT;
    if (frames && !frame)
        return SIDE_TOP; /* the flange of a joint */
    if (strstr(p->name, "heat") || strstr(p->name, "support"))
        return SIDE_BOTTOM;
    if (physical == 1 && ends_with(c->class_name, "Ground"))
        return SIDE_TOP;
    if (physical == 1 && (inputs || ends_with(c->class_name, "Fixed")))
        return SIDE_RIGHT;
    return ends_with(p->name, "_b") || strcmp(p->name, "n") == 0 ? SIDE_RIGHT : SIDE_LEFT;
}

/* spreads the connectors of each side over it */
static void place_ports(DiagramComponent *c)
{
    size_t count[SIDES] = {0}, next[SIDES] = {0};
    for (size_t i = 0; i < c->ports.n; i++)
        if (!c->ports.items[i].placed)
            count[choose_side(c, &c->ports.items[i])]++;
    for (size_t i = 0; i < 2 * c->ports.n; i++) {
        DiagramPort *p = &c->ports.items[i % c->ports.n];
        bool support = strcmp(p->name, "support") == 0; /* of a joint: left of its flange */
        if (p->placed || support != (i < c->ports.n))
            continue;
        IconSide side = choose_side(c, p);
        double along = 100 - 200.0 * (double)(2 * next[side]++ + 1) / (double)(2 * count[side]);
        DiagramPoint at = side == SIDE_LEFT    ? (DiagramPoint){-100, along}
                          : side == SIDE_RIGHT ? (DiagramPoint){100, along}
                          : side == SIDE_TOP   ? (DiagramPoint){-along, 100}
                                               : (DiagramPoint){-along, -100};
        /* the triangle of a signal points inwards, or outwards */
        double turn = !p->signal || side == SIDE_LEFT || side == SIDE_RIGHT ? 0
                      : side == SIDE_TOP                                    ? -90
                                                                            : 90;
        p->map = diagram_placement((DiagramPoint){-10, -10}, (DiagramPoint){10, 10}, turn, at);
    }
}

/* ------------------------------------------------------------------ components */

/* "crab[1000]" */
static const char *name_with_sizes(Diagram *d, const Member *m)
{
    TextBuffer text = {0};
    bool ok = text_add(&d->alloc, &text, "%s", m->name);
    for (int i = 0; ok && i < m->ndim; i++)
        ok = m->dim[i] == NO_SIZE ? text_add(&d->alloc, &text, "[:]")
                                  : text_add(&d->alloc, &text, "[%zu]", m->dim[i]);
    const char *name = ok ? arena_text(&d->arena, text.items, text.n) : NULL;
    vec_drop(&d->alloc, &text);
    d->failed |= !name;
    return name ? name : "";
}

/* a class without an icon: a box with its name */
static void default_icon(DiagramReader *r, DiagramComponent *c)
{
    static const DiagramPoint box[] = {{-100, -70}, {100, -70}, {100, 70}, {-100, 70}};
    static const DiagramPoint inside[] = {{-90, -22}, {90, 22}};
    put_shape(r->diagram, &c->shapes, DIAGRAM_AREA, 0x3c4a5a, 0xf2f5f9, 4, box);
    put_shape(r->diagram, &c->shapes, DIAGRAM_TEXT, 0x3c4a5a, 0, 2, inside);
    if (c->shapes.n)
        c->shapes.items[c->shapes.n - 1].text = r->class_ ? r->class_->name : "";
}

/* is it something that a diagram shows? */
static bool is_shown(const Member *m, const Type *type)
{
    if (type->kind == TY_NONE)
        return false;
    if (is_connector(type))
        return true;
    if (type->kind != TY_CLASS || !type->class_)
        return false;
    ClassKind kind = type->class_->kind;
    return kind == CLASS_MODEL || kind == CLASS_BLOCK || kind == CLASS_CLASS ||
           (kind == CLASS_RECORD && diagram_argument(&m->element->comment.annotation, "Placement"));
}

/* a component with its placement, icon and connectors */
static void read_component(DiagramReader *r, Member *m, const Type *type)
{
    Diagram *d = r->diagram;
    const Class *class_ = type->named ? type->named : type->class_;
    DiagramComponent c = {.name = name_with_sizes(d, m),
                          .path = m->name,
                          .class_name = class_ ? full_name(d, class_) : "",
                          .text = m->element->comment.text,
                          .connector = is_connector(type)};
    if (!c.text && class_)
        c.text = class_->comment.text;
    if (m->component->name_span.file != r->front->library)
        c.place = span_place(m->component->name_span);
    DiagramReader inside = {r->front, d, m->child, c.name, class_, false};
    c.placed = diagram_place(r, &m->element->comment.annotation, false, &c.map);
    bool drawn = type_graphics(&inside, type, m->child, &c.shapes);
    c.labelled = inside.said_name;
    for (size_t i = 0; m->child && !c.connector && i < m->child->members.n && !d->failed; i++) {
        DiagramPort p;
        if (read_port(&inside, m->child->members.items[i], &p))
            d->failed |= !vec_push(&d->alloc, &c.ports, p);
    }
    if (!drawn && c.connector) {
        DiagramPort p = {.signal = causality_of(m, type) != CAUSE_NONE,
                         .output = causality_of(m, type) == CAUSE_OUTPUT,
                         .colour = domain_colour(c.class_name)};
        default_connector(d, &p);
        c.shapes = p.shapes;
    } else if (!drawn) {
        default_icon(&inside, &c);
    }
    place_ports(&c);
    d->failed |= !vec_push(&d->alloc, &d->components, c);
}

/* the components of the model that a diagram shows */
static void read_components(DiagramReader *r)
{
    Inst *top = r->front->top;
    for (size_t i = 0; i < top->members.n && !r->diagram->failed; i++) {
        Member *m = top->members.items[i];
        if (!m->component || member_is_parameter(m) ||
            (m->condition_state == MEMO_DONE && !m->present))
            continue;
        const Type *type = member_type(r->front, m);
        if (!is_shown(m, type))
            continue;
        if (r->diagram->components.n >= MAX_DIAGRAM)
            r->diagram->nleft_out++;
        else
            read_component(r, m, type);
    }
}

/* ------------------------------------------------------------------ connections */

/* the component and connector that a reference names; false: the diagram has none */
static bool find_end(const Diagram *d, const Ref *ref, DiagramEnd *end)
{
    for (size_t i = 0; i < d->components.n; i++) {
        const DiagramComponent *c = &d->components.items[i];
        if (strcmp(c->path, ref->name) != 0)
            continue;
        *end = (DiagramEnd){i, DIAGRAM_CENTRE};
        for (size_t k = 0; ref->rest && k < c->ports.n; k++)
            if (strcmp(c->ports.items[k].name, ref->rest->name) == 0)
                end->port = (ptrdiff_t)k;
        return c->connector || end->port >= 0;
    }
    return false;
}

static unsigned end_colour(const Diagram *d, const DiagramEnd *end)
{
    const DiagramComponent *c = &d->components.items[end->component];
    return end->port >= 0 ? c->ports.items[end->port].colour : domain_colour(c->class_name);
}

static const char *side_text(Diagram *d, const Ref *ref)
{
    char text[200];
    ref_text(ref, text, sizeof text);
    return arena_text(&d->arena, text, strlen(text));
}

/* a connect equation with its Line, if both ends are in the diagram */
static void read_connection(DiagramReader *r, const Equation *e)
{
    Diagram *d = r->diagram;
    DiagramConnection c = {.width = 0.25};
    if (e->left->kind != EX_REF || e->right->kind != EX_REF ||
        !find_end(d, e->left->ref, &c.ends[0]) || !find_end(d, e->right->ref, &c.ends[1]))
        return;
    c.colour = end_colour(d, &c.ends[0]);
    c.names[0] = side_text(d, e->left->ref);
    c.names[1] = side_text(d, e->right->ref);
    if (e->span.file != r->front->library)
        c.place = span_place(e->span);
    diagram_line(r, &e->comment.annotation, &c);
    d->failed |= !c.names[0] || !c.names[1] || !vec_push(&d->alloc, &d->connections, c);
}

static void read_equations(DiagramReader *r, const ClassPart *part, const EquationList *list)
{
    for (size_t i = 0; i < list->n && !r->diagram->failed; i++) {
        const Equation *e = list->items[i];
        if (e->kind == EQ_CONNECT && !connection_left_out(part, e))
            read_connection(r, e);
        read_equations(r, part, &e->body);
        for (size_t k = 0; k < e->branches.n; k++)
            read_equations(r, part, &e->branches.items[k]->body);
    }
}

/* ------------------------------------------------------------------ all of it */

bool front_diagram(Front *f, Diagram *d)
{
    *d = (Diagram){.alloc = *native_allocator(f->session)};
    arena_init(&d->arena, &d->alloc);
    Inst *top = f->top;
    if (!top || !top->class_)
        return false;
    d->title = full_name(d, top->class_);
    d->text = top->class_->comment.text;
    DiagramReader r = {f, d, top, top->class_->name, top->class_, false};
    const ClassPart *parts[64];
    int n = 0;
    for (const ClassPart *p = top->parts; p && n < 64; p = p->next)
        parts[n++] = p;
    for (int i = n; i-- > 0;)
        diagram_graphics(&r, &parts[i]->class_->comment.annotation, "Diagram", &d->shapes);
    read_components(&r);
    for (int i = n; i-- > 0;)
        read_equations(&r, parts[i], &parts[i]->class_->equations);
    d->failed |= d->arena.failed || f->work.failed;
    return !d->failed;
}

void diagram_drop(Diagram *d)
{
    for (size_t i = 0; i < d->components.n; i++) {
        DiagramComponent *c = &d->components.items[i];
        for (size_t k = 0; k < c->ports.n; k++)
            vec_drop(&d->alloc, &c->ports.items[k].shapes);
        vec_drop(&d->alloc, &c->ports);
        vec_drop(&d->alloc, &c->shapes);
    }
    vec_drop(&d->alloc, &d->components);
    vec_drop(&d->alloc, &d->connections);
    vec_drop(&d->alloc, &d->shapes);
    arena_drop(&d->arena);
}
