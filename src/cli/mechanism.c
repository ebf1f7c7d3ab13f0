/* mechanism.c - finds the components that can be drawn and observes the poses of their ports. */
#include "cli/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "equation/class/summary.h"
#include "front/names/native.h"
#include "model/system/system.h"

/* ------------------------------------------------------------------ parts */

/* a number of a component, or 0 */
static double parameter(const Mechanism *m, const DrawnPart *p, const char *name)
{
    LiederHandle handle;
    double value = 0;
    char path[300];
    snprintf(path, sizeof path, "%s%s", p->path, name);
    return lieder_handle_search(m->system, &p->element, path, &handle) &&
                   lieder_handle_get(m->system, &handle, &value) == LIEDER_DONE
               ? value
               : 0;
}

/* the table of a component, or NULL */
static const LiederTable *table_of(const Mechanism *m, const DrawnPart *p, const char *name)
{
    const Sheet *sheet = &m->system->flat.sheets.items[p->element.sheet];
    Instance in = sheet_instance(sheet, p->element.instance);
    for (int i = 0; i < in.class_->nslot; i++) {
        const LiederMember *member = in.class_->slots[i].member;
        if (member && member->structural && member->length == 0 && strcmp(member->name, name) == 0)
            return sheet->tables.items[(size_t)sheet->value.items[in.first_slot + (uint32_t)i]];
    }
    return NULL;
}

/* outlines of the shapes at both ports: corners with a radius, or a circle */
static void outline_part(Mechanism *m, DrawnPart *p)
{
    static const double origin[2] = {0, 0};
    const Symbol *symbol = p->drawn.symbol;
    for (int port = 0; port < 2; port++) {
        if (!symbol->radii[port])
            continue;
        const char *name = symbol->shapes[port];
        const LiederTable *corners = name ? table_of(m, p, name) : NULL;
        double radius = parameter(m, p, symbol->radii[port]);
        size_t n = corners ? corners->rows : 1;
        Outline *o = n * radius > 0 || n > 1 ? malloc(sizeof *o) : NULL;
        if (o)
            symbol_outline(o, corners ? corners->data : origin, n, radius);
        m->failed |= (n * radius > 0 || n > 1) && !o;
        p->drawn.outline[port] = o;
    }
}

/* a component that has a symbol, with mass, outline and axis from its parameters */
static void add_part(Mechanism *m, const Symbol *symbol, LiederElement element, const char *path)
{
    DrawnPart p = {
        .drawn.symbol = symbol, .element = element, .path = path, .joint = MECHANISM_NO_JOINT};
    if (symbol_is_body(symbol))
        p.mass = parameter(m, &p, "m");
    outline_part(m, &p);
    if (symbol_is_slider(symbol) || symbol_is_contact(symbol)) {
        bool slider = symbol_is_slider(symbol);
        p.drawn.axis[0] = parameter(m, &p, slider ? "r[1]" : "n[1]");
        p.drawn.axis[1] = parameter(m, &p, slider ? "r[2]" : "n[2]");
        double length = hypot(p.drawn.axis[0], p.drawn.axis[1]);
        p.drawn.axis[0] /= length;
        p.drawn.axis[1] /= length;
    }
    m->planar |= !symbol->linear;
    m->failed |= !vec_push(HEAP, &m->parts, p);
}

/* the parts of one component in all lanes that are wanted */
static void add_lanes(Mechanism *m, const Symbol *symbol, const char *path, LiederElement at,
                      size_t nlane, const Lanes *lanes, size_t max_parts)
{
    bool all = !lanes || nlane == 1;
    m->nall += nlane;
    for (size_t i = 0; i < (all ? nlane : lanes->n) && m->parts.n <= max_parts; i++) {
        at.lane = all ? i : lanes->items[i];
        if (at.lane < nlane)
            add_part(m, symbol, at, path);
    }
}

/* does a class have the ports that a symbol needs? */
static bool has_ports(const LiederClass *class_, const Symbol *symbol)
{
    const char *domain = symbol->linear ? "Translational.Flange" : "Planar.Frame";
    for (int i = 0; i < 2 && symbol->ports[i]; i++) {
        int at = class_find_port(class_, symbol->ports[i], strlen(symbol->ports[i]));
        if (at < 0 || strcmp(class_->def->ports[at].domain->name, domain) != 0)
            return false;
    }
    return true;
}

/* of a class of the library in C by its name; of one in Modelica by the last part of it */
static const Symbol *symbol_of(const LiederClass *class_)
{
    const Symbol *symbol = symbol_find(class_->name);
    for (int linear = 0; !symbol && !strchr(class_->name, '.') && linear < 2; linear++) {
        const Symbol *like = symbol_like(class_->name, linear);
        symbol = like && has_ports(class_, like) ? like : NULL;
    }
    return symbol;
}

/* all components with symbols, lane by lane, and those that rigid loops have merged into one class
 */
static MechanismStatus find_parts(Mechanism *m, size_t max_parts, const Lanes *lanes)
{
    const Flat *flat = &m->system->flat;
    for (uint32_t i = 0; i < flat->sheets.n; i++) {
        const Sheet *sheet = &flat->sheets.items[i];
        for (uint32_t k = 0; k < sheet->ninstance; k++) {
            const LiederClass *class_ = sheet_instance(sheet, k).class_;
            const Symbol *symbol = symbol_of(class_);
            bool there = system_place(m->system, i, k).shape != NOWHERE;
            LiederElement at = {i, k, 0};
            if (symbol && there)
                add_lanes(m, symbol, "", at, sheet->nlane, lanes, max_parts);
            /* components of the library that rigid loops have merged into a class */
            const CellSummary *cell =
                there && !symbol ? native_cell(m->system->session, class_->name) : NULL;
            for (size_t c = 0; cell && c < cell->npart; c++)
                if ((symbol = symbol_find(cell->parts[c].class_name)))
                    add_lanes(m, symbol, cell->parts[c].path, at, sheet->nlane, lanes, max_parts);
        }
    }
    return m->failed                ? MECHANISM_NO_MEMORY
           : m->parts.n > max_parts ? MECHANISM_TOO_LARGE
           : m->parts.n == 0        ? MECHANISM_EMPTY
                                    : MECHANISM_DONE;
}

/* ------------------------------------------------------------------ along sliding joints */

uint32_t mechanism_node(Mechanism *m, const DrawnPart *p, const char *port)
{
    Sheet *sheet = &m->system->flat.sheets.items[p->element.sheet];
    Instance in = sheet_instance(sheet, p->element.instance);
    int at = class_find_port(in.class_, port, strlen(port));
    return at < 0 ? NOWHERE : sheet_node(sheet, in.first_port + (uint32_t)at);
}

/* the sliding joint whose coordinate the port moves with, or MECHANISM_NO_JOINT */
static ptrdiff_t joint_at(Mechanism *m, const DrawnPart *p, const char *port)
{
    uint32_t node = mechanism_node(m, p, port);
    for (size_t i = 0; i < m->parts.n; i++) {
        const DrawnPart *joint = &m->parts.items[i];
        if (symbol_is_slider(joint->drawn.symbol) && joint->element.sheet == p->element.sheet &&
            joint->element.lane == p->element.lane && mechanism_node(m, joint, "flange_a") == node)
            return (ptrdiff_t)i;
    }
    return MECHANISM_NO_JOINT;
}

/* In the plane an element of one dimension is drawn if it acts along a sliding joint. A gap that
 * holds the joint back from outside is a thread, and hides guide and box. */
static void attach_parts(Mechanism *m)
{
    for (size_t i = 0; m->planar && i < m->parts.n; i++) {
        DrawnPart *p = &m->parts.items[i];
        const Symbol *symbol = p->drawn.symbol;
        if (!symbol->linear)
            continue;
        for (int k = 0; k < 2 && symbol->ports[1] && p->joint == MECHANISM_NO_JOINT; k++) {
            p->joint = joint_at(m, p, symbol->ports[k]);
            if (p->joint != MECHANISM_NO_JOINT && k == 0 && symbol_is_gap(symbol)) {
                p->drawn.thread = true;
                m->parts.items[p->joint].drawn.hidden = true;
            }
        }
        p->drawn.hidden = p->joint == MECHANISM_NO_JOINT;
    }
}

/* ------------------------------------------------------------------ poses */

const char *mechanism_pose_name(const DrawnPart *part, int port, int number, char *name,
                                size_t size)
{
    const Symbol *symbol = part->drawn.symbol;
    static const char *const variables[] = {"x", "y", "phi"};
    if (symbol->lever && port == 0 && number < 2)
        snprintf(name, size, "%s%s", part->path, variables[number]);
    else
        snprintf(name, size, "%s%s.%s", part->path, symbol->ports[port],
                 symbol->linear ? "s" : variables[number]);
    return name;
}

/* the numbers of the pose of a port */
static bool observe(Mechanism *m, const DrawnPart *p, int port)
{
    char name[200];
    bool good = true;
    for (int i = 0; good && i < (p->drawn.symbol->linear ? 1 : 3); i++) {
        LiederHandle handle;
        mechanism_pose_name(p, port, i, name, sizeof name);
        good = lieder_handle_search(m->system, &p->element, name, &handle) &&
               lieder_observer_watch(m->observer, &handle) >= 0;
    }
    return good;
}

/* an observer of the poses of all parts, and room for what it returns */
static bool observe_parts(Mechanism *m)
{
    m->observer = lieder_observer_create(m->system);
    bool good = m->observer;
    for (size_t i = 0; good && i < m->parts.n; i++) {
        DrawnPart *p = &m->parts.items[i];
        p->at = lieder_observer_count(m->observer);
        for (int k = 0; good && k < 2 && p->drawn.symbol->ports[k]; k++)
            good = observe(m, p, k);
    }
    if (good)
        m->observed = calloc(lieder_observer_count(m->observer) + 1, sizeof *m->observed);
    return good && m->observed;
}

SymbolPose mechanism_on_axis(const SymbolPart *joint, double s)
{
    SymbolPose a = joint->pose[0];
    double k = cos(a.phi), n = sin(a.phi), x = s * joint->axis[0], y = s * joint->axis[1];
    return (SymbolPose){a.x + k * x - n * y, a.y + n * x + k * y, a.phi};
}

/* poses of a part that moves along a line: on the axis of the joint that carries it, or on x */
static void place_linear(Mechanism *m, DrawnPart *p)
{
    const double *s = m->observed + p->at;
    int nport = p->drawn.symbol->ports[1] ? 2 : 1;
    const SymbolPart *joint =
        p->joint == MECHANISM_NO_JOINT ? NULL : &m->parts.items[p->joint].drawn;
    for (int k = 0; k < nport; k++)
        p->drawn.pose[k] = joint ? mechanism_on_axis(joint, s[k]) : (SymbolPose){.x = s[k]};
    if (p->drawn.thread) {
        p->drawn.slack = s[1];
        p->drawn.pose[0] = joint->pose[0];
        p->drawn.pose[1] = joint->pose[1];
    }
}

bool mechanism_place(Mechanism *m, double t, const double *x)
{
    if (lieder_observer_evaluate(m->observer, t, x, m->observed) < 0)
        return false;
    for (size_t i = 0; i < m->parts.n; i++) {
        DrawnPart *p = &m->parts.items[i];
        const double *v = m->observed + p->at;
        for (int k = 0; k < 2 && !p->drawn.symbol->linear && p->drawn.symbol->ports[k]; k++)
            p->drawn.pose[k] = (SymbolPose){v[3 * k], v[3 * k + 1], v[3 * k + 2]};
    }
    for (size_t i = 0; i < m->parts.n; i++)
        if (m->parts.items[i].drawn.symbol->linear)
            place_linear(m, &m->parts.items[i]);
    return true;
}

/* ------------------------------------------------------------------ from beginning to end */

MechanismStatus mechanism_open(Mechanism *m, LiederSystem *system, size_t max_parts,
                               const Lanes *lanes)
{
    *m = (Mechanism){.system = system};
    MechanismStatus status = find_parts(m, max_parts, lanes);
    if (status != MECHANISM_DONE)
        return status;
    attach_parts(m);
    return observe_parts(m) ? MECHANISM_DONE : MECHANISM_NO_MEMORY;
}

void mechanism_close(Mechanism *m)
{
    for (size_t i = 0; i < 2 * m->parts.n; i++)
        free((Outline *)m->parts.items[i / 2].drawn.outline[i % 2]);
    vec_drop(HEAP, &m->parts);
    free(m->observed);
    lieder_observer_destroy(m->observer);
}
