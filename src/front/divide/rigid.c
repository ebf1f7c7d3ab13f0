/* rigid.c - rigid loops of components of the compiled library.
 *
 * The library is compiled class by class, which is right for trees: exactly one port drives each
 * set of connected ports. Where links close a loop, a four-bar linkage, a crank with its slider,
 * two of them drive one set. Then the components of the loop, and what is fixed to them, are
 * instances of the Modelica text that their classes were compiled from (Class.text), and become
 * one cell together: states are chosen, constraints kept, start positions assembled for all of
 * them (equation/cell/cell.h). Everything else stays beside the cell (lower_beside.c).
 *
 * Which components: ports are joined to sets by connections, all sets with a root are one, and
 * links that reach fewer than two sets that are fixed or that other links reach as well are taken
 * away until nothing changes. What is left are loops, and what leads to them from something fixed
 * or from another loop.
 *
 * The connection that closes a loop, the last one in the order of the text, joins the elastic
 * regime alone: positions agree, forces of the elastic regime hold them together, and no force of
 * the kinetic regime passes. That is the limit of an elastic element that closes the loop and
 * becomes stiff. Joining both regimes would be one constraint too much: with T_D = 0 it says the
 * same twice, and with T_D > 0 the two contradict each other, since
 *
 *   J w = 0 for all times   gives   J z = -J' w,   but   J (w + T_D z) = 0.
 *
 * So with T_D > 0 kinetic velocities agree at the start, and later up to T_D times the change of
 * direction J' w, with the time constant T_D. With T_D = 0 the velocity at a port of the cell is
 * the derivative of its position (rigid_is_classical), so that a loop may hang on something that
 * moves: second derivatives of positions come in as accelerations.
 */
#include "front/divide/rigid.h"

#include <string.h>

typedef enum RigidKind {
    RIGID_OTHER, /* stays beside */
    RIGID_LEAF,  /* a body */
    RIGID_LINK,
    RIGID_ROOT
} RigidKind;

/* ------------------------------------------------------------------ components */

/* the text that a component of the compiled library was made of; NULL: there is none */
static const Class *text_of(const Inst *inst)
{
    for (const ClassPart *p = inst->parts; p; p = p->next)
        if (p->class_->text)
            return p->class_->text;
    return NULL;
}

bool rigid_has_text(const Inst *inst)
{
    return text_of(inst) != NULL;
}

void member_take_text(Member *m)
{
    m->as_text = true;
    m->child = NULL;
    m->elements = NULL;
    m->child_busy = false;
}

static bool has_regimes(Front *f, const char *domain)
{
    return native_domain_regimes(f->session, domain) == 2;
}

/* What a component of the compiled library is for loops, and the domain that counts: that of its
 * frames. A joint has flanges besides, which nothing rigid leads on from. What has signals, and
 * springs between two frames, stay beside. */
static RigidKind native_kind(Front *f, Inst *inst, const char *native, const char **domain)
{
    size_t in = 0;
    bool out = false, signals = false;
    *domain = NULL;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        Causality causality;
        const char *d = m->component && !m->is_outer && !member_is_parameter(m)
                            ? connector_domain(f, m, &causality)
                            : NULL;
        signals |= d && !has_regimes(f, d);
        if (!d || !has_regimes(f, d) || (*domain && strcmp(d, *domain) != 0))
            continue;
        *domain = d;
        bool outgoing = native_is_outgoing(f->session, native, m->name);
        out |= outgoing;
        in += !outgoing;
    }
    if (signals || (in > 1 && !out))
        return RIGID_OTHER;
    return in && out ? RIGID_LINK : out ? RIGID_ROOT : in ? RIGID_LEAF : RIGID_OTHER;
}

static RigidKind inst_kind(Front *f, Inst *inst, const char **domain);

/* a model that consists of such components alone; its own connectors hang together */
static RigidKind composed_kind(Front *f, Inst *inst, const char **domain)
{
    const char *inner;
    *domain = NULL;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->is_outer || member_is_parameter(m) || !member_present(f, m))
            continue;
        Causality causality;
        const char *d = connector_domain(f, m, &causality);
        if (d && !*domain)
            *domain = d;
        if (d)
            continue;
        Inst *child = member_type(f, m)->kind == TY_CLASS ? member_child(f, m) : NULL;
        if (!child || inst_kind(f, child, &inner) == RIGID_OTHER)
            return RIGID_OTHER;
    }
    return *domain && has_regimes(f, *domain) ? RIGID_LINK : RIGID_OTHER;
}

static RigidKind inst_kind(Front *f, Inst *inst, const char **domain)
{
    if (inst->native)
        return text_of(inst) ? native_kind(f, inst, inst->native, domain) : RIGID_OTHER;
    if (inst->template_ || inst->draft || inst_is_connector(inst) || inst_is_cell(f, inst))
        return RIGID_OTHER;
    return composed_kind(f, inst, domain);
}

/* ------------------------------------------------------------------ the graph of a model */

/* the components of a declaration; its ports stand in a row of `columns` for each */
typedef struct RigidRow {
    Member *member;
    RigidKind kind;
    const char *domain;
    size_t first_part, first_port, first_column;
    uint32_t columns;
} RigidRow;

typedef struct RigidPart {
    uint32_t row;
    uint32_t first_port, nport; /* in Rigid.of_part */
    bool live, in_loop;
} RigidPart;

typedef struct RigidPort {
    uint32_t part; /* or UINT32_MAX */
    uint32_t set;  /* union-find */
    bool counts;   /* of the domain of its part */
} RigidPort;

/* what is found once for all components of a class */
typedef struct RigidClass {
    const char *native, *domain;
    RigidKind kind;
} RigidClass;

typedef struct Rigid {
    Front *f;
    Inst *inst;
    const LiederModel *model;
    VEC(RigidClass) classes;
    VEC(RigidRow) rows;    /* by declaration; behind them what goes by name alone */
    VEC(uint8_t) counted;  /* by column of a row: 0 is not known, 1 does not count, 2 does */
    VEC(uint32_t) part_of; /* by element of a row: 1 + its part, or 0 */
    VEC(uint32_t) port_of; /* by element and column of a row: 1 + its port, or 0 */
    VEC(RigidPart) parts;
    VEC(RigidPort) ports;
    VEC(uint32_t) of_part;      /* ports, by part */
    VEC(uint8_t) is_ground;     /* by set */
    VEC(uint32_t) degree, body; /* by set: links that are left; what moves together */
} Rigid;

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static uint32_t set_of(const Rigid *r, uint32_t port)
{
    RigidPort *ports = r->ports.items;
    while (ports[port].set != port)
        port = ports[port].set = ports[ports[port].set].set;
    return port;
}

/* what a component is for loops, found once for each native class */
static RigidKind kind_of(Rigid *r, Inst *child, const char **domain)
{
    for (size_t i = 0; child->native && i < r->classes.n; i++)
        if (r->classes.items[i].native == child->native) {
            *domain = r->classes.items[i].domain;
            return r->classes.items[i].kind;
        }
    RigidClass c = {.native = child->native};
    c.kind = inst_kind(r->f, child, &c.domain);
    if (child->native && !vec_push(r->f->alloc, &r->classes, c))
        r->f->work.failed = true;
    *domain = c.domain;
    return c.kind;
}

/* what all declarations are, and room for their elements and ports; false: memory ran out */
static bool list_rows(Rigid *r, Member *const *members, size_t n)
{
    Front *f = r->f;
    size_t npart = 0, nport = 0, ncolumn = 0, ninner = model_inner_count(r->model);
    for (size_t d = 0; d <= n; d++) {
        RigidRow row = {.member = d < n ? members[d] : NULL,
                        .first_part = npart,
                        .first_port = nport,
                        .first_column = ncolumn};
        const Member *m = row.member;
        Inst *child = m && !m->is_inner ? m->child : NULL;
        row.columns = (uint32_t)(ninner + (d < n ? model_port_count(r->model, (uint32_t)d) : 0));
        row.kind = child ? kind_of(r, child, &row.domain) : RIGID_OTHER;
        size_t elements = m && m->axis ? m->axis->n : 1;
        npart += elements;
        nport += elements * row.columns;
        ncolumn += row.columns;
        if (!vec_push(f->alloc, &r->rows, row))
            return false;
    }
    return nport < UINT32_MAX && vec_resize(f->alloc, &r->counted, ncolumn + 1) &&
           vec_resize(f->alloc, &r->part_of, npart) && vec_resize(f->alloc, &r->port_of, nport + 1);
}

/* the part of an element; UINT32_MAX: what it is does not matter, or memory ran out */
static uint32_t find_part(Rigid *r, uint32_t row, uint32_t element)
{
    uint32_t *known = &r->part_of.items[r->rows.items[row].first_part + element];
    if (r->rows.items[row].kind == RIGID_OTHER)
        return UINT32_MAX;
    if (*known)
        return *known - 1;
    if (!vec_push(r->f->alloc, &r->parts, (RigidPart){.row = row})) {
        r->f->work.failed = true;
        return UINT32_MAX;
    }
    return (*known = (uint32_t)r->parts.n) - 1;
}

/* does a connector have the domain that counts? */
static bool port_counts(const Rigid *r, const RigidRow *row, const PortPath *path)
{
    const char *connector = port_path_name(r->model, path);
    if (row->kind == RIGID_OTHER || !row->domain || !connector)
        return false;
    const char *name = intern_range(&r->f->names, connector, strcspn(connector, ".["));
    Member *m = name ? inst_find(row->member->child, NULL, name) : NULL;
    Causality causality;
    const char *domain = m && m->component ? connector_domain(r->f, m, &causality) : NULL;
    return domain && strcmp(domain, row->domain) == 0;
}

/* the port of a path, a new one if it was not met before */
static uint32_t find_port(Rigid *r, const PortPath *path)
{
    bool named = path->declaration == NO_DECLARATION;
    uint32_t d = named ? (uint32_t)r->rows.n - 1 : path->declaration;
    const RigidRow *row = &r->rows.items[d];
    size_t ninner = model_inner_count(r->model);
    size_t column = path->port < 0 ? (size_t)(-1 - path->port) : ninner + (size_t)path->port;
    uint32_t element = named ? 0 : path->element;
    uint32_t *known = &r->port_of.items[row->first_port + element * row->columns + column];
    if (*known)
        return *known - 1;
    uint8_t *counted = &r->counted.items[row->first_column + column];
    RigidPort port = {.set = (uint32_t)r->ports.n, .part = UINT32_MAX};
    if (!named) {
        if (!*counted)
            *counted = port_counts(r, row, path) ? 2 : 1;
        port.part = find_part(r, d, element);
        port.counts = *counted == 2 && port.part != UINT32_MAX;
    }
    if (!vec_push(r->f->alloc, &r->ports, port)) {
        r->f->work.failed = true;
        return 0;
    }
    return (*known = (uint32_t)r->ports.n) - 1;
}

/* ports and parts of all connections; false: memory ran out */
static bool read_connections(Rigid *r, Member *const *members, size_t n)
{
    Front *f = r->f;
    ConnectionCursor cursor = {0};
    PortPath from, to;
    if (!list_rows(r, members, n))
        f->work.failed = true;
    while (!f->work.failed && connection_next(r->model, &cursor, &from, &to)) {
        uint32_t a = find_port(r, &from), b = find_port(r, &to);
        if (!f->work.failed)
            r->ports.items[set_of(r, b)].set = set_of(r, a);
    }
    if (f->work.failed || !vec_resize(f->alloc, &r->is_ground, r->ports.n + 1) ||
        !vec_resize(f->alloc, &r->degree, r->ports.n + 1) ||
        !vec_resize(f->alloc, &r->body, r->ports.n + 1) ||
        !vec_resize(f->alloc, &r->of_part, r->ports.n + 1)) {
        f->work.failed = true;
        return false;
    }
    return true;
}

/* the class of a part, as the table of rigid loops has it */
static const RigidRow *row_of(const Rigid *r, const RigidPart *part)
{
    return &r->rows.items[part->row];
}

/* ports by part, sets with a root in them */
static void sort_ports(Rigid *r)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < r->ports.n; p++)
        if (r->ports.items[p].counts)
            r->parts.items[r->ports.items[p].part].nport++;
    for (size_t k = 0; k < r->parts.n; k++) {
        r->parts.items[k].first_port = n;
        n += r->parts.items[k].nport;
        r->parts.items[k].nport = 0;
    }
    for (uint32_t p = 0; p < r->ports.n; p++) {
        const RigidPort *port = &r->ports.items[p];
        if (!port->counts)
            continue;
        RigidPart *part = &r->parts.items[port->part];
        r->of_part.items[part->first_port + part->nport++] = p;
        if (row_of(r, part)->kind == RIGID_ROOT)
            r->is_ground.items[set_of(r, p)] = 1;
    }
}

/* the vertex of the graph at a port of a part: all that is fixed is one, behind the ports */
static uint32_t vertex_of(const Rigid *r, const RigidPart *part, uint32_t k)
{
    uint32_t set = set_of(r, r->of_part.items[part->first_port + k]);
    return r->is_ground.items[set] ? (uint32_t)r->ports.n : set;
}

/* does a link join two sets that hang together already? */
static bool has_loop(Rigid *r)
{
    bool found = false;
    for (uint32_t i = 0; i <= r->ports.n; i++)
        r->body.items[i] = i;
    for (size_t k = 0; k < r->parts.n; k++) {
        const RigidPart *part = &r->parts.items[k];
        for (uint32_t i = 1; row_of(r, part)->kind == RIGID_LINK && i < part->nport; i++) {
            uint32_t a = root_of(r->body.items, vertex_of(r, part, 0));
            uint32_t b = root_of(r->body.items, vertex_of(r, part, i));
            found |= a == b;
            r->body.items[b] = a;
        }
    }
    return found;
}

/* takes a link away that reaches fewer than two vertices which are fixed or which others reach;
 * true: it did */
static bool prune(Rigid *r, RigidPart *part, bool keeps_fixed)
{
    uint32_t shared = 0;
    if (!part->live)
        return false;
    for (uint32_t i = 0; i < part->nport; i++) {
        uint32_t vertex = vertex_of(r, part, i);
        shared += r->degree.items[vertex] > 1 || (keeps_fixed && vertex == r->ports.n);
    }
    if (shared > 1)
        return false;
    part->live = false;
    for (uint32_t i = 0; i < part->nport; i++)
        r->degree.items[vertex_of(r, part, i)]--;
    return true;
}

/* what is left are the links of loops and, if wanted, those on the way to them from what is fixed
 */
static void find_core(Rigid *r, bool keeps_fixed)
{
    memset(r->degree.items, 0, r->degree.n * sizeof *r->degree.items);
    for (size_t k = 0; k < r->parts.n; k++) {
        RigidPart *part = &r->parts.items[k];
        part->live = row_of(r, part)->kind == RIGID_LINK;
        for (uint32_t i = 0; part->live && i < part->nport; i++)
            r->degree.items[vertex_of(r, part, i)]++;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < r->parts.n; k++)
            changed |= prune(r, &r->parts.items[k], keeps_fixed);
        for (size_t k = r->parts.n; k-- > 0;)
            changed |= prune(r, &r->parts.items[k], keeps_fixed);
    }
}

/* has a joint in it T_D > 0? */
static bool has_dialectic(Front *f, const Inst *inst)
{
    const char *word = intern(f, "TD");
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->is_outer)
            continue;
        if (m->name == word && member_is_parameter(m)) {
            Value v = member_value(f, m, m->component->name_span);
            if (v.kind == V_REAL && value_at(&v, 0) != 0)
                return true;
        }
        bool part = !inst->native && member_type(f, m)->kind == TY_CLASS && m->child;
        if (part && has_dialectic(f, m->child))
            return true;
    }
    return false;
}

/* makes a component an instance of its text */
static void mark(Rigid *r, const RigidPart *part)
{
    Member *m = row_of(r, part)->member;
    r->inst->is_dialectic |= m->child && has_dialectic(r->f, m->child);
    m->in_loop |= part->in_loop;
    member_take_text(m);
}

/* the links of loops, and bodies and roots at their ports */
static void mark_all(Rigid *r)
{
    memset(r->degree.items, 0, r->degree.n * sizeof *r->degree.items);
    for (size_t k = 0; k < r->parts.n; k++) {
        const RigidPart *part = &r->parts.items[k];
        for (uint32_t i = 0; part->live && i < part->nport; i++)
            r->degree.items[set_of(r, r->of_part.items[part->first_port + i])] = 1;
    }
    for (size_t k = 0; k < r->parts.n; k++) {
        RigidPart *part = &r->parts.items[k];
        RigidKind kind = row_of(r, part)->kind;
        bool fixed = kind == RIGID_LEAF || kind == RIGID_ROOT;
        for (uint32_t i = 0; fixed && i < part->nport; i++)
            part->live |= r->degree.items[set_of(r, r->of_part.items[part->first_port + i])] != 0;
        if (part->live)
            mark(r, part);
    }
}

bool rigid_merge(Front *f, Inst *inst, const LiederModel *model, Member *const *members, size_t n)
{
    Rigid r = {.f = f, .inst = inst, .model = model};
    bool found = false;
    if (read_connections(&r, members, n)) {
        sort_ports(&r);
        found = has_loop(&r);
    }
    if (found) {
        find_core(&r, false);
        for (size_t k = 0; k < r.parts.n; k++)
            r.parts.items[k].in_loop = r.parts.items[k].live;
        find_core(&r, true);
        mark_all(&r);
        inst->is_merged = true;
    }
    vec_drop(f->alloc, &r.rows);
    vec_drop(f->alloc, &r.counted);
    vec_drop(f->alloc, &r.part_of);
    vec_drop(f->alloc, &r.port_of);
    vec_drop(f->alloc, &r.classes);
    vec_drop(f->alloc, &r.parts);
    vec_drop(f->alloc, &r.ports);
    vec_drop(f->alloc, &r.of_part);
    vec_drop(f->alloc, &r.is_ground);
    vec_drop(f->alloc, &r.degree);
    vec_drop(f->alloc, &r.body);
    return found;
}

/* ------------------------------------------------------------------ connections of the cell */

/* what moves together, by the first variable of a connector */
static bool open_bodies(Lower *lower)
{
    size_t before = lower->rigid.n, n = lower->cell.variables.n;
    if (before < n && !vec_resize(lower->front->alloc, &lower->rigid, n)) {
        lower->front->work.failed = true;
        return false;
    }
    for (size_t i = before; i < n; i++)
        lower->rigid.items[i] = (uint32_t)i;
    return true;
}

/* the first variable of a connector of the domain; UINT32_MAX: it is another one */
static uint32_t frame_variable(Lower *lower, Member *m, const char *domain)
{
    Inst *child =
        member_type(lower->front, m)->kind == TY_CLASS ? member_child(lower->front, m) : NULL;
    if (!child || !child->domain || strcmp(child->domain, domain) != 0)
        return UINT32_MAX;
    for (size_t i = 0; i < child->members.n; i++)
        if (child->members.items[i]->component)
            return lower_variables(lower->front, child->members.items[i], m->component->name_span);
    return UINT32_MAX;
}

void rigid_note(Lower *lower, Inst *inst)
{
    Front *f = lower->front;
    const char *domain;
    RigidKind kind = native_kind(f, inst, inst->compiled, &domain);
    uint32_t first = kind == RIGID_ROOT ? lower->ground : UINT32_MAX;
    for (size_t i = 0; kind != RIGID_OTHER && i < inst->members.n && !f->work.failed; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || m->is_outer)
            continue;
        uint32_t v = member_is_parameter(m) ? UINT32_MAX : frame_variable(lower, m, domain);
        if (v == UINT32_MAX || !open_bodies(lower))
            continue;
        uint32_t body = root_of(lower->rigid.items, v);
        if (first == UINT32_MAX)
            first = body;
        lower->rigid.items[body] = root_of(lower->rigid.items, first);
    }
    if (kind == RIGID_ROOT)
        lower->ground = first;
    const char *path = lower_inst_path(lower, inst);
    if (!path || !vec_push(f->alloc, &lower->parts, (CellPart){path, inst->compiled}))
        f->work.failed = true;
}

bool rigid_closes(Lower *lower, const ConnectSide *a, const ConnectSide *b, SourceSpan span)
{
    if (!lower->rigid.n || a->ends.n != b->ends.n || a->ends.n < 4 || !open_bodies(lower))
        return false;
    uint32_t x = root_of(lower->rigid.items, a->ends.items[0].variable);
    uint32_t y = root_of(lower->rigid.items, b->ends.items[0].variable);
    if (x != y) {
        lower->rigid.items[y] = x;
        return false;
    }
    if (connect_is_joined(lower, a, b))
        return false; /* connected by others already */
    if (lower->nclosing++ == 0)
        lower->closing = span_place(span);
    return true;
}

/* of the positions and velocities, and of the forces, the second half */
bool rigid_is_kinetic(const ConnectSide *side, size_t end)
{
    size_t before = 0, n = 0;
    for (size_t i = 0; i < side->ends.n; i++) {
        bool same = side->ends.items[i].flow == side->ends.items[end].flow;
        before += same && i < end;
        n += same;
    }
    return 2 * before >= n;
}

void rigid_close_start(Lower *lower, const ConnectSide *a, const ConnectSide *b, SourceSpan span)
{
    for (size_t i = 0; lower->top->is_dialectic && i < a->ends.n; i++) {
        const ConnectEnd *x = &a->ends.items[i], *y = &b->ends.items[i];
        if (x->flow || !rigid_is_kinetic(a, i))
            continue;
        CellEquation e = {.left = cell_variable(&lower->cell, x->variable, 0),
                          .right = cell_variable(&lower->cell, y->variable, 0),
                          .place = span_place(span)};
        if (!cell_add_initial(&lower->cell, e))
            lower->front->work.failed = true;
    }
}

bool rigid_is_classical(const Lower *lower, const Inst *connector)
{
    return lower->top->is_merged && !lower->top->is_dialectic && lower_is_port(lower, connector) &&
           has_regimes(lower->front, connector->domain);
}
