/* energy.c - the energies of a system at a moment, lane by lane, on the full record.
 *
 * Every regime of a port balances on its own, and at a node positions and velocities are the same.
 * So with the power of a component at its ports, flows being positive into it,
 *
 *   p = sum over ports of f_el v_el + f_ki v
 *
 * the sum of p over all components is zero, whatever they are. Rigid links pass power on, p = 0. A
 * joint owns v_el = v + T_D z and balances f_el + f_ki, so p = (v_el - v) Q, Q the kinetic force of
 * all that it moves along its axis: that is what the filter takes, T_D z^T M z where nothing else
 * is kinetic, and never in steady motion. An elastic element has p = V' + d v^2 + d_el (v_el - v)
 * v_el, the last term again the filter's. A body has p = (m v^2 / 2)' + V'. Classes in C compute
 * their part in a block (ENERGY in kernels.inc). All other p leaves or enters by sources, or by
 * equations whose meaning the engine does not know.
 *
 * A class in Modelica takes part by declaring variables of these names:
 *
 *   kineticEnergy, potentialEnergy (J)   lossPower, filterPower (W)
 *
 * and so does any class by an output of such a name.
 */
#include "model/system/energy.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ the parts of a shape */

static bool has_power(const LiederClassDef *def)
{
    for (int i = 0; i < def->nport; i++)
        if (def->ports[i].domain->power)
            return true;
    return false;
}

/* the position of a name in the list at the head, or -1; crane.rope.lossPower counts as well */
static int role_of(const char *name)
{
    static const char *const roles[] = {"kineticEnergy", "potentialEnergy", "lossPower",
                                        "filterPower"};
    const char *point = strrchr(name, '.');
    const char *last = point ? point + 1 : name;
    for (int i = 0; i < (int)(sizeof roles / sizeof *roles); i++)
        if (strcmp(last, roles[i]) == 0)
            return i;
    return -1;
}

static bool is_output(const LiederPortDef *port)
{
    return port_is_signal(port) && port->role == LIEDER_OUT;
}

/* a part for each port of a component with a power (LiederDomain.power) */
static bool add_ports(SystemShape *ss, uint32_t component, const LiederAllocator *alloc)
{
    const LiederClassDef *def = ss->shape->components.items[component].class_->def;
    const uint32_t *at = at_of(&ss->plan.full, component);
    for (int i = 0; i < def->nport; i++) {
        const uint32_t *port = at + LIEDER_AT_PORT + LIEDER_PER_PORT * i;
        EnergyPart part = {.kind = ENERGY_PORT,
                           .n = (uint32_t)def->ports[i].domain->nflow,
                           .signals = port[LIEDER_SIGNALS],
                           .potentials = port[LIEDER_POTENTIALS],
                           .flows = port[LIEDER_FLOWS]};
        if (def->ports[i].domain->power && !vec_push(alloc, &ss->energies, part))
            return false;
    }
    return true;
}

/* a part for each observable or output with the name of an energy or power */
static bool add_declared(SystemShape *ss, uint32_t component, const LiederAllocator *alloc)
{
    const LiederClassDef *def = ss->shape->components.items[component].class_->def;
    const uint32_t *at = at_of(&ss->plan.full, component);
    for (int i = 0; i < def->nmember; i++) {
        const LiederMember *m = &def->members[i];
        int role = m->kind == LIEDER_OBSERVABLE ? role_of(m->name) : -1;
        EnergyPart part = {.kind = ENERGY_KINETIC + role,
                           .flows = at[LIEDER_AT_SELF] + (uint32_t)m->index};
        if (role >= 0 && !vec_push(alloc, &ss->energies, part))
            return false;
    }
    for (int i = 0; i < def->nport; i++) {
        int role = is_output(&def->ports[i]) ? role_of(def->ports[i].name) : -1;
        EnergyPart part = {.kind = ENERGY_KINETIC + role,
                           .flows = at[LIEDER_AT_PORT + LIEDER_PER_PORT * i + LIEDER_SIGNALS]};
        if (role >= 0 && !vec_push(alloc, &ss->energies, part))
            return false;
    }
    return true;
}

/* the list of a shape, and its full record, made when they are first needed */
static LiederStatus list_parts(LiederSystem *system, SystemShape *ss)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (ss->energies_known)
        return LIEDER_DONE;
    bool any = false;
    for (size_t i = 0; i < ss->shape->components.n; i++)
        any |= has_power(ss->shape->components.items[i].class_->def);
    LiederStatus status = any && !ss->shape->asleep ? full_prepare(system, ss) : LIEDER_DONE;
    if (status != LIEDER_DONE)
        return status;
    for (uint32_t i = 0; any && !ss->shape->asleep && i < ss->shape->components.n; i++) {
        const Component *c = &ss->shape->components.items[i];
        const LiederKernels *k = kernels_of(&ss->plan.full, c);
        EnergyPart block = {.kind = ENERGY_BLOCK, .run = k->energy, .component = i};
        if (!has_power(c->class_->def))
            continue;
        if (k->energy ? !vec_push(alloc, &ss->energies, block)
                      : !add_ports(ss, i, alloc) || !add_declared(ss, i, alloc))
            return LIEDER_NO_MEMORY;
    }
    ss->energies_known = true;
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ at a moment */

static double port_power(const double *record, size_t lanes, const EnergyPart *p)
{
    double power = 0;
    for (uint32_t k = 0; k < p->n; k++)
        power += record[(p->flows + k) * lanes] * record[(p->potentials + k) * lanes] +
                 record[(p->flows + p->n + k) * lanes] * record[(p->signals + p->n + k) * lanes];
    return power;
}

static void add_block(const SystemShape *ss, const LiederStrip *strip, const EnergyPart *p,
                      LiederEnergy *e)
{
    _Alignas(64) double energies[LIEDER_ENERGIES * 8];
    size_t lanes = (size_t)ss->plan.full.lanes;
    p->run(strip, at_of(&ss->plan.full, p->component), energies);
    e->kinetic += energies[0];
    e->potential += energies[lanes];
    e->dissipated += energies[2 * lanes];
    e->filter += energies[3 * lanes];
    e->supplied += energies[4 * lanes];
}

/* the first lane of the full record */
static void add_lane(SystemShape *ss, double t, EnergyNow *now)
{
    LiederStrip strip = full_strip(ss, t);
    const double *record = ss->workspace->record;
    size_t lanes = (size_t)ss->plan.full.lanes;
    LiederEnergy *e = &now->energy;
    for (size_t i = 0; i < ss->energies.n; i++) {
        const EnergyPart *p = &ss->energies.items[i];
        double value = p->kind > ENERGY_PORT ? record[p->flows * lanes] : 0;
        switch (p->kind) {
        case ENERGY_BLOCK:
            add_block(ss, &strip, p, e);
            break;
        case ENERGY_PORT:
            e->supplied -= port_power(record, lanes, p);
            break;
        case ENERGY_KINETIC:
            e->kinetic += value;
            now->declared += value;
            break;
        case ENERGY_POTENTIAL:
            e->potential += value;
            now->declared += value;
            break;
        case ENERGY_LOSS:
            e->dissipated += value;
            e->supplied += value;
            break;
        case ENERGY_FILTER:
            e->filter += value;
            e->supplied += value;
            break;
        }
    }
}

static LiederStatus add_shape(LiederSystem *system, SystemShape *ss, double t, const double *x,
                              EnergyNow *now)
{
    LiederStatus status = list_parts(system, ss);
    size_t n;
    for (size_t lane = 0; status == LIEDER_DONE && ss->energies.n && lanes_next(ss, &lane, &n, 1);
         lane += n) {
        status = evaluate_lane(system, ss, lane, t, x, true);
        if (status == LIEDER_DONE)
            add_lane(ss, t, now);
    }
    return status;
}

LiederStatus energy_now(LiederSystem *system, double t, const double *x, EnergyNow *now)
{
    *now = (EnergyNow){0};
    LiederStatus status = held_enter(system, t, x);
    for (size_t i = 0; status == LIEDER_DONE && i < system->shapes.n; i++)
        status = add_shape(system, &system->shapes.items[i], t, x, now);
    held_leave(system);
    return status;
}

/* keeps the component of a lane with the most potential energy, if it has more than *energy */
static void keep_strongest(LiederSystem *system, SystemShape *ss, size_t lane, double t, char *name,
                           size_t size, double *energy)
{
    LiederStrip strip = full_strip(ss, t);
    for (size_t i = 0; i < ss->energies.n; i++) {
        const EnergyPart *p = &ss->energies.items[i];
        LiederEnergy one = {0};
        if (p->kind != ENERGY_BLOCK)
            continue;
        add_block(ss, &strip, p, &one);
        if (one.potential > *energy) {
            *energy = one.potential;
            lane_path(system, ss, p->component, lane, name, size);
        }
    }
}

LiederStatus energy_strongest(LiederSystem *system, double t, const double *x, char *name,
                              size_t size, double *energy)
{
    *energy = 0;
    name[0] = '\0';
    LiederStatus status = held_enter(system, t, x);
    for (size_t i = 0; status == LIEDER_DONE && i < system->shapes.n; i++) {
        SystemShape *ss = &system->shapes.items[i];
        size_t n;
        status = list_parts(system, ss);
        for (size_t lane = 0;
             status == LIEDER_DONE && ss->energies.n && lanes_next(ss, &lane, &n, 1); lane += n) {
            status = evaluate_lane(system, ss, lane, t, x, true);
            if (status == LIEDER_DONE)
                keep_strongest(system, ss, lane, t, name, size, energy);
        }
    }
    held_leave(system);
    return status;
}

/* ------------------------------------------------------------------ interface */

LiederStatus lieder_system_energy(LiederSystem *system, double t, const double *x,
                                  LiederEnergy *energy)
{
    EnergyNow now;
    LiederStatus status = energy_now(system, t, x, &now);
    *energy = now.energy;
    return status;
}

bool lieder_system_has_energy(LiederSystem *system)
{
    for (size_t i = 0; i < system->nhome; i++) {
        const Shape *shape = system->shapes.items[i].shape;
        for (size_t k = 0; k < shape->components.n; k++)
            if (has_power(shape->components.items[k].class_->def))
                return true;
    }
    return false;
}

/* a class of equations with mechanical ports that has no energy block and declares no energies */
static bool is_unmeasured(const Component *c)
{
    const LiederClassDef *def = c->class_->def;
    bool declares = false;
    for (int i = 0; i < def->nmember; i++)
        declares |= def->members[i].kind == LIEDER_OBSERVABLE && role_of(def->members[i].name) >= 0;
    for (int i = 0; i < def->nport; i++)
        declares |= is_output(&def->ports[i]) && role_of(def->ports[i].name) >= 0;
    return has_power(def) && !def->kernels->energy && !def->kernels->source && !declares;
}

static bool seen_before(const LiederSystem *system, size_t shape, size_t component)
{
    const LiederClass *class_ =
        system->shapes.items[shape].shape->components.items[component].class_;
    for (size_t i = 0; i <= shape; i++) {
        const Shape *s = system->shapes.items[i].shape;
        for (size_t k = 0; k < (i < shape ? s->components.n : component); k++)
            if (s->components.items[k].class_ == class_)
                return true;
    }
    return false;
}

const char *lieder_system_unmeasured(LiederSystem *system, size_t index)
{
    for (size_t i = 0; i < system->nhome; i++) {
        const Shape *shape = system->shapes.items[i].shape;
        for (size_t k = 0; k < shape->components.n; k++)
            if (is_unmeasured(&shape->components.items[k]) && !seen_before(system, i, k) &&
                index-- == 0)
                return shape->components.items[k].class_->def->name;
    }
    return NULL;
}
