/* divide.c - large models of components with connectors of their own, class by class.
 *
 * Usually such a model is flattened into one class (lower.h): everything is known about all of it
 * then, and for a few hundred components that is the fastest way, but the time to make the class
 * grows with the square of their number. From FrontLimits.merge elements on a model that
 * is nothing but such components and connections is divided: each class is compiled alone, once,
 * with its connectors as ports, and the engine composes the model as it does with its own library,
 * in time that is linear in the number of elements. For this
 *
 *   a connector with as many flows as other variables becomes a domain: the variables q, q', ... up
 *   to order k - 1 are signals, q at order k is a potential, the flows are flows. k is 2 if that
 *   works (masses, inertias), else 1 (heat);
 *
 *   every class is tried for all ways its ports can be used (equation/class/orient.c has the words:
 *   leaf,
 *   link, root). A root with unknowns, such as a mass that flies freely, hangs on a root that
 *   rests;
 *
 *   for each component one of these ways is chosen, all elements of an array alike, so that exactly
 *   one port drives each set of connected ports, and everything can be reached from roots.
 *
 * Where one of these steps fails, or start values would be lost because they belong to no state,
 * the front end begins again (front.c) and merges everything: nothing of an attempt that failed is
 * left or reported.
 */
#include "front/divide/divide.h"

#include <stdio.h>
#include <string.h>

#include "equation/class/class.h"
#include "front/divide/divide_parts.h"
#include "front/emit/emit.h"
#include "front/external/external.h"
#include "front/lower/lower.h"

/* ------------------------------------------------------------------ which models */

/* a connector of scalar Reals, as many flows as others; the number of flows, or 0 */
static int simple_connector(Front *f, const Inst *inst)
{
    int nflow = 0, nother = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component)
            continue;
        if (member_is_parameter(m))
            return 0;
        const Type *type = member_type(f, m);
        FlowPrefix connection = m->prefix.connection;
        if (type->kind != TY_REAL || !member_sizes(f, m) || m->ndim > 0 ||
            connection == CONNECT_STREAM || member_causality(m) != CAUSE_NONE ||
            (m->mods && !m->mods->own && member_binding(f, m)))
            return 0;
        *(connection == CONNECT_FLOW ? &nflow : &nother) += 1;
    }
    return nflow == nother ? nflow : 0;
}

/* the k-th of the variables of a connector that are flows, or that are none */
static const Member *connector_variable(const Inst *inst, bool flow, int k)
{
    for (size_t i = 0; i < inst->members.n; i++) {
        const Member *m = inst->members.items[i];
        if (m->component && (m->prefix.connection == CONNECT_FLOW) == flow && k-- == 0)
            return m;
    }
    return NULL;
}

static bool same_connector(const Inst *a, const Inst *b, int nflow)
{
    for (int k = 0; k < 2 * nflow; k++) {
        const Member *x = connector_variable(a, k % 2, k / 2),
                     *y = connector_variable(b, k % 2, k / 2);
        if (!x || !y || strcmp(x->name, y->name) != 0)
            return false;
    }
    return true;
}

/* the domain of a connector: one that is there, or a new one; -1: there are too many */
static int find_domain(Divide *d, Inst *connector, int nflow)
{
    for (int i = 0; i < d->ndomain; i++)
        if (d->domains[i].nflow == nflow &&
            same_connector(d->domains[i].connector, connector, nflow))
            return i;
    if (d->ndomain == MAX_DOMAINS)
        return -1;
    d->domains[d->ndomain] = (DividedDomain){.connector = connector, .nflow = nflow};
    return d->ndomain++;
}

/* a component: its connectors become ports. false: the model cannot be divided */
static bool add_part(Divide *d, Member *m, Inst *child)
{
    Front *f = d->f;
    DividedPart part = {.member = m, .child = child};
    bool of_library = false;
    for (size_t i = 0; i < child->members.n; i++) {
        Member *c = child->members.items[i];
        if (!c->component || (c->is_outer && !c->is_inner))
            continue;
        const Type *type = member_type(f, c);
        if (type->kind == TY_NONE || !member_present(f, c))
            continue;
        if (type->kind != TY_CLASS) {
            Causality causality = member_causality(c);
            if (causality != CAUSE_NONE && type->kind != TY_REAL && !member_is_parameter(c) &&
                !c->is_protected)
                return false;
            continue;
        }
        Inst *connector = member_child(f, c);
        if (is_expandable(type) || (connector && inst_is_connector(connector) && c->axis))
            return false;
        if (!connector || !inst_is_connector(connector) || c->is_protected)
            continue;
        of_library |= connector->domain != NULL;
        if (connector->domain)
            continue;
        int nflow = simple_connector(f, connector);
        if (nflow == 0 || part.nport == MAX_PORTS)
            return false;
        part.domain[part.nport] = find_domain(d, connector, nflow);
        if (part.domain[part.nport] < 0)
            return false;
        part.ports[part.nport++] = connector;
    }
    if (part.nport == 0 || of_library)
        return part.nport == 0; /* blocks and signals */
    return vec_push(f->alloc, &d->parts, part) || (d->failed = true, false);
}

/* components and connections, nothing else; enough of them */
static bool is_candidate(Divide *d)
{
    Front *f = d->f;
    Inst *inst = d->model;
    size_t n = 0;
    for (const ClassPart *part = inst->parts; part; part = part->next)
        if (list_has_equations(&part->class_->equations) || part->class_->algorithms.n ||
            part->class_->initial_equations.n)
            return false;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || member_is_parameter(m))
            continue;
        const Type *type = member_type(f, m);
        if (type->kind == TY_NONE || !member_present(f, m))
            continue;
        if (type->kind != TY_CLASS || m->is_outer || m->is_inner || is_expandable(type))
            return false;
        if (is_record_class(type->class_) || is_external_object(type->class_))
            return false;
        Inst *child = member_child(f, m);
        if (!child || inst_is_connector(child) || is_bound_from_outside(f, child) ||
            (m->axis && m->axis->n == 0))
            return false;
        if (child->native || child->template_)
            continue;
        size_t before = d->parts.n;
        if (!add_part(d, m, child))
            return false;
        if (d->parts.n > before)
            n += m->axis ? m->axis->n : 1;
    }
    return n >= f->limits.merge;
}

/* ------------------------------------------------------------------ ways of a class */

static bool is_state(const CellPlan *plan, uint32_t variable)
{
    for (size_t k = 0; k < plan->states.n; k++)
        if (plan->states.items[k].variable == variable && plan->states.items[k].order == 0)
            return true;
    return false;
}

/* Every start value that holds, and every one that a variable which may be a state has, is that of
 * a state, and there are no other conditions at the start: merged or not, the run begins alike. */
static bool keeps_starts(const Cell *cell, const CellPlan *plan)
{
    for (size_t i = 0; i < cell->initial.n; i++)
        if (!cell->initial.items[i].is_start)
            return false;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        bool real = x->role == CELL_UNKNOWN && x->type == LIEDER_TYPE_REAL;
        bool given = x->start_given && plan->values.items[v].n > 1; /* it is differentiated */
        if ((x->is_free || (real && (given || x->start_fixed))) && !is_state(plan, v))
            return false;
    }
    return true;
}

/* does the engine take the class that way round? */
static bool way_fits(const DividedPart *part, const Cell *cell, const CellPlan *plan, PortUse *way)
{
    int nin = 0;
    for (int p = 0; p < part->nport; p++)
        nin += !(plan->out >> p & 1);
    way->out = plan->out;
    way->nstate = plan->states.n;
    way->hangs = nin == 0 && plan->unknowns.n > 0;
    way->begun = true;
    for (size_t k = 0; k < plan->states.n; k++) {
        const CellVariable *v = &cell->variables.items[plan->states.items[k].variable];
        way->begun &= plan->states.items[k].order == 0 && (v->start_given || v->start_fixed);
    }
    if (plan->out == 0 && (plan->unknowns.n || nin > 2))
        return false;
    /* a spring that moves what is behind it takes that for its own states */
    for (size_t k = 0; k < plan->states.n && nin > 0; k++)
        if (cell->variables.items[plan->states.items[k].variable].role == CELL_OUTWARD)
            return false;
    return (plan->out == 0 || nin <= 1) && keeps_starts(cell, plan);
}

/* the ways in which the ports of a component can be used, by trying to solve it with each */
static bool find_ways(Divide *d, DividedPart *part)
{
    Front *f = d->f;
    Lower lower;
    bool good = lower_instance(&lower, f, part->child) && cell_prepare_events(&lower.cell) &&
                lower.ports.n == (size_t)part->nport;
    for (int p = 0; good && p < part->nport; p++)
        good = lower.ports.items[p].member == part->ports[p]->member;
    for (uint64_t out = 0; good && out < 1ull << part->nport; out++) {
        CellPlan plan;
        PortUse way;
        size_t said = f->diag->list.n;
        if (cell_solve(&lower.cell, out, &plan) == LIEDER_DONE &&
            way_fits(part, &lower.cell, &plan, &way) && !vec_push(f->alloc, &part->ways, way))
            d->failed = true;
        diag_forget(f->diag, said); /* a way that does not exist is no mistake */
        plan_drop(&plan, lower.cell.alloc);
    }
    lower_drop(&lower);
    /* what has most states first: start values belong to these */
    for (size_t i = 0; i < part->ways.n; i++)
        for (size_t k = i + 1; k < part->ways.n; k++)
            if (part->ways.items[k].nstate > part->ways.items[i].nstate) {
                PortUse swap = part->ways.items[i];
                part->ways.items[i] = part->ways.items[k];
                part->ways.items[k] = swap;
            }
    return good && part->ways.n > 0 && !d->failed;
}

/* ------------------------------------------------------------------ domains */

/* "Flange(s, f) 2": equal ones are one domain of the session */
static const char *domain_name(Front *f, const DividedDomain *d)
{
    char text[300];
    int n = snprintf(text, sizeof text, "%.60s(", d->connector->class_->name);
    for (int k = 0; k < 2 * d->nflow && n < 280; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%.40s", k ? " " : "",
                      connector_variable(d->connector, k % 2, k / 2)->name);
    if (n > 280)
        return NULL;
    snprintf(text + n, sizeof text - (size_t)n, ") %u", d->order);
    return arena_text(&f->work, text, strlen(text));
}

/* the connectors of all parts as ports of these orders; 0: as connectors of their own again */
static bool set_domains(Divide *d, const uint32_t *orders)
{
    for (int i = 0; i < d->ndomain; i++) {
        d->domains[i].order = orders ? orders[i] : 0;
        d->domains[i].name = orders ? domain_name(d->f, &d->domains[i]) : NULL;
        if (orders && !d->domains[i].name)
            return false;
    }
    for (size_t i = 0; i < d->parts.n; i++)
        for (int p = 0; p < d->parts.items[i].nport; p++) {
            const DividedDomain *domain = &d->domains[d->parts.items[i].domain[p]];
            d->parts.items[i].ports[p]->domain = domain->name;
            d->parts.items[i].ports[p]->contract = domain->order;
        }
    return true;
}

/* "s", "der(s)", "der(der(s))" */
static const char *derivative_name(Front *f, const char *name, uint32_t order)
{
    char text[200];
    int n = snprintf(text, sizeof text, "%s", order > 1 ? "der(der(" : order ? "der(" : "");
    snprintf(text + n, sizeof text - (size_t)n, "%.100s%s", name,
             order > 1 ? "))"
             : order   ? ")"
                       : "");
    return arena_text(&f->work, text, strlen(text));
}

/* the variables of the domain, which native_make_domain copies */
static bool make_domain(Front *f, DividedDomain *d)
{
    VEC(LiederVariable) variables = {0};
    bool good = true;
    for (uint32_t order = 0; order <= d->order + 1; order++)
        for (int k = 0; good && k < d->nflow; k++) {
            bool flow = order > d->order;
            Member *m = (Member *)connector_variable(d->connector, flow, k);
            const char *unit = order == 0 || flow ? attribute_text(f, m, "unit") : NULL;
            LiederVariable v = {.name = derivative_name(f, m->name, flow ? 0 : order),
                                .unit = unit ? unit : "",
                                .text = m->element->comment.text ? m->element->comment.text : ""};
            good = v.name && vec_push(f->alloc, &variables, v);
        }
    LiederDomain domain = {
        .name = d->name,
        .text = d->connector->class_->comment.text ? d->connector->class_->comment.text : "",
        .nsignal = (int)d->order * d->nflow,
        .npotential = d->nflow,
        .nflow = d->nflow,
        .nregime = 1,
        .inertial = (1u << d->nflow) - 1,
        .variables = variables.items};
    d->made = good ? native_make_domain(f->session, &domain) : NULL;
    vec_drop(f->alloc, &variables);
    return d->made != NULL;
}

/* a root of the domain that rests at zero, for roots with unknowns to hang on */
static bool make_rest(Front *f, const DividedDomain *d)
{
    char name[330];
    snprintf(name, sizeof name, "rest of %s", d->name);
    if (lieder_class_find(f->session, name))
        return true;
    Cell cell;
    cell_init(&cell, native_allocator(f->session), f->diag);
    cell.nport = 1;
    for (int k = 0; k < 2 * d->nflow; k++) {
        CellVariable v = {.name =
                              connector_variable(d->connector, k >= d->nflow, k % d->nflow)->name,
                          .role = k < d->nflow ? CELL_OUTWARD : CELL_INWARD,
                          .length = 1,
                          .contract = d->order};
        uint32_t x = cell_add_variable(&cell, v);
        if (k < d->nflow && x != UINT32_MAX)
            cell_add_equation(&cell, (CellEquation){.left = cell_variable(&cell, x, 0),
                                                    .right = node_constant(&cell.graph, 0)});
    }
    const LiederDomain *domains[] = {d->made};
    const char *ports[] = {"port"};
    CellClassInfo info = {.name = name,
                          .text = "rests at zero",
                          .domains = domains,
                          .port_names = ports,
                          .is_oriented = true,
                          .out = 1};
    LiederStatus status = LIEDER_NO_MEMORY;
    CellClass *class_ = !cell.graph.failed ? cell_class_create(&cell, &info, &status) : NULL;
    if (class_)
        status = native_adopt_cell(f->session, class_);
    cell_drop(&cell);
    return status == LIEDER_DONE;
}

static bool make_domains(Divide *d)
{
    for (int i = 0; i < d->ndomain; i++)
        if (!(d->domains[i].made = native_domain(d->f->session, d->domains[i].name)) &&
            !make_domain(d->f, &d->domains[i]))
            return false;
    for (int i = 0; i < d->ndomain; i++) /* afterwards the session knows the domain by its class */
        if (!make_rest(d->f, &d->domains[i]))
            return false;
    return true;
}

/* ------------------------------------------------------------------ all of it */

static void forget_ways(Divide *d)
{
    for (size_t i = 0; i < d->parts.n; i++) {
        vec_drop(d->f->alloc, &d->parts.items[i].ways);
        d->parts.items[i].child->divided = NULL;
    }
    vec_drop(d->f->alloc, &d->ports);
    vec_drop(d->f->alloc, &d->patterns);
    d->ntry = 0;
}

/* the chosen way is kept with the instance, for emit_cell */
static bool keep_ways(Divide *d)
{
    for (size_t i = 0; i < d->parts.n; i++) {
        DividedPart *part = &d->parts.items[i];
        struct DividedWay *way = work_zeroed(d->f, sizeof *way);
        if (!way)
            return false;
        const PortUse *chosen = &part->ways.items[part->way];
        *way = (struct DividedWay){chosen->out, chosen->hangs, part->domain[0]};
        part->child->divided = way;
    }
    return true;
}

/* the classes, which emit_cell finds again */
static bool make_classes(Divide *d)
{
    for (size_t i = 0; i < d->parts.n; i++)
        if (!emit_cell_class(d->f, d->parts.items[i].child, d->parts.items[i].child->class_->name))
            return false;
    return true;
}

static bool try_orders(Divide *d, const uint32_t *orders)
{
    Front *f = d->f;
    bool good = set_domains(d, orders);
    for (size_t i = 0; good && i < d->parts.n; i++)
        good = find_ways(d, &d->parts.items[i]);
    good = good && divide_choose(d) && make_domains(d) && keep_ways(d) && make_classes(d);
    return good && !d->failed && !f->work.failed;
}

/* orders of the domains from the highest to the lowest */
static bool try_all_orders(Divide *d)
{
    for (unsigned set = 0; set < 1u << d->ndomain; set++) {
        uint32_t orders[MAX_DOMAINS];
        for (int i = 0; i < d->ndomain; i++)
            orders[i] = set >> i & 1 ? 1 : 2;
        if (try_orders(d, orders))
            return true;
        forget_ways(d);
        set_domains(d, NULL);
        if (d->f->nwrong || d->f->work.failed || d->f->exhausted)
            return false;
    }
    return false;
}

bool divide_model(Front *f, Inst *inst)
{
    Divide d = {.f = f, .model = inst};
    if (f->nwrong || f->lower || f->merges || f->differing.n || inst->divide_tried)
        return false;
    inst->divide_tried = true;
    bool candidate = is_candidate(&d) && !f->nwrong, divided = candidate && try_all_orders(&d);
    if (candidate && !divided) {
        f->regrets = true;
        f->nwrong++; /* nothing more is built */
    }
    for (size_t i = 0; i < d.parts.n; i++)
        vec_drop(f->alloc, &d.parts.items[i].ways);
    vec_drop(f->alloc, &d.parts);
    vec_drop(f->alloc, &d.ports);
    vec_drop(f->alloc, &d.patterns);
    return divided;
}

/* the domain of the first port of a component */
static const char *divided_domain(const Inst *child)
{
    for (size_t i = 0; i < child->members.n; i++) {
        const Member *m = child->members.items[i];
        if (m->component && m->child && m->child->contract)
            return m->child->domain;
    }
    return "";
}

void divide_hang(Front *f, Inst *inst)
{
    uint32_t rests[MAX_DOMAINS];
    for (int k = 0; k < MAX_DOMAINS; k++)
        rests[k] = NO_DECLARATION;
    for (size_t i = 0; i < inst->members.n; i++) {
        const Member *m = inst->members.items[i];
        const Inst *child = m->component ? m->child : NULL;
        if (!child || !child->divided || !child->divided->hangs || !child->declared)
            continue;
        uint32_t *rest = &rests[child->divided->domain];
        if (*rest == NO_DECLARATION) {
            char name[40], class_name[330];
            snprintf(name, sizeof name, ":rest%d", child->divided->domain + 1);
            snprintf(class_name, sizeof class_name, "rest of %s", divided_domain(child));
            *rest = emit_one(f, inst, name, class_name);
        }
        if (*rest == NO_DECLARATION)
            return;
        PortPath to = emit_port_path(inst, *rest, 0, "port");
        for (size_t e = 0; e < (m->axis ? m->axis->n : 1); e++)
            emit_connection_between(inst, emit_port_path(inst, child->declared - 1, e, CELL_HOOK),
                                    to);
    }
}
