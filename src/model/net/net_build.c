/* net_build.c - from a shape to a net: equal parts become lanes of one small shape, ties of one
 * class lanes of another; see net.c.
 *
 * As for shapes themselves (shape.c) each part is collected in an order that depends on its
 * structure only, signed and looked up; cells, points and ties are numbered on the way. All in time
 * proportional to the size of the shape, but for sorting the ties by cell.
 */
#include "model/net/net_carve.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ memory */

void *net_get(NetPool *pool, size_t n, size_t size)
{
    size_t bytes = n * size + 64;
    void *block = memory_aligned(pool->alloc, bytes);
    if (block && !vec_push(pool->alloc, &pool->blocks, (struct NetMemory){block, bytes})) {
        memory_free_aligned(pool->alloc, block, bytes);
        block = NULL;
    }
    pool->failed |= !block;
    return block;
}

static void drop_pool(NetPool *pool)
{
    for (size_t i = 0; i < pool->blocks.n; i++)
        memory_free_aligned(pool->alloc, pool->blocks.items[i].block, pool->blocks.items[i].bytes);
    vec_drop(pool->alloc, &pool->blocks);
}

static size_t pool_bytes(const NetPool *pool)
{
    size_t bytes = pool->blocks.room * sizeof *pool->blocks.items;
    for (size_t i = 0; i < pool->blocks.n; i++)
        bytes += pool->blocks.items[i].bytes;
    return bytes;
}

/* ------------------------------------------------------------------ building */

/* as many records as fit half of the first-level cache beside each other */
static int choose_strip(const Program *p, size_t nlane)
{
    size_t bytes = p->nreal * (size_t)p->lanes * sizeof(double), records = 24576 / bytes;
    size_t most = (nlane + (size_t)p->lanes - 1) / (size_t)p->lanes;
    if (most > NET_STRIP / (size_t)p->lanes)
        most = NET_STRIP / (size_t)p->lanes;
    records = records > most ? most : records;
    return records < 1 ? 1 : (int)records;
}

/* a shape of parts or ties gets its program for as many lanes as it has */
static LiederStatus prepare(SystemShape *ss, Shape *shape, LiederIsa most,
                            const LiederAllocator *alloc)
{
    LiederIsa isa = shape_isa(shape, most, shape->nlane);
    ss->shape = shape;
    ss->plan.method = LIEDER_METHOD_TREE; /* as far as loading of lanes is concerned */
    ss->plan.lean_ops = lane_ops_of(isa);
    LiederStatus status = program_build(&ss->plan.lean, shape, isa, true, true, alloc);
    if (status != LIEDER_DONE)
        return status;
    ss->strip = choose_strip(&ss->plan.lean, shape->nlane);
    size_t nslot = 0;
    for (size_t i = 0; i < shape->components.n; i++) {
        if (!vec_push(alloc, &ss->values.slot_first, (uint32_t)nslot))
            return LIEDER_NO_MEMORY;
        nslot += (size_t)shape->components.items[i].class_->nslot;
    }
    if (!vec_resize(alloc, &ss->values.slots, nslot))
        return LIEDER_NO_MEMORY;
    workspace_size(ss);
    return LIEDER_DONE;
}

/* the part with the signature at hand; NULL: none, and *bucket is its place */
static NetPart *known_part(Carver *c, uint64_t hash, size_t *bucket)
{
    size_t most = c->buckets.n - 1, bytes = c->signature.n * sizeof(uint64_t);
    size_t at = hash & most;
    for (; c->buckets.items[at]; at = (at + 1) & most) {
        NetPart *part = c->net->parts.items[c->buckets.items[at] - 1];
        if (part->hash == hash && part->signature.n == c->signature.n &&
            memcmp(part->signature.items, c->signature.items, bytes) == 0)
            return part;
    }
    *bucket = at;
    return NULL;
}

/* doubles the table of parts by signature; false: no memory */
static bool grow_buckets(Carver *c)
{
    size_t n = 2 * c->buckets.n;
    if (!vec_resize(c->alloc, &c->buckets, n))
        return false;
    memset(c->buckets.items, 0, n * sizeof(uint32_t));
    for (size_t i = 0; i < c->net->parts.n; i++) {
        size_t at = c->net->parts.items[i]->hash & (n - 1);
        while (c->buckets.items[at])
            at = (at + 1) & (n - 1);
        c->buckets.items[at] = (uint32_t)i + 1;
    }
    return true;
}

/* the kind of the part at hand, new or known */
static NetPart *part_of(Carver *c)
{
    size_t bucket;
    if (!carver_sign(c) || (c->net->parts.n * 2 >= c->buckets.n && !grow_buckets(c)))
        return NULL;
    size_t bytes = c->signature.n * sizeof(uint64_t);
    uint64_t hash = hash_bytes(HASH_SEED, c->signature.items, bytes);
    NetPart *part = known_part(c, hash, &bucket);
    if (part)
        return part;
    part = memory_zeroed(c->alloc, sizeof *part);
    if (!part)
        return NULL;
    if (!vec_push(c->alloc, &c->net->parts, part)) {
        memory_free(c->alloc, part, sizeof *part);
        return NULL;
    }
    c->buckets.items[bucket] = (uint32_t)c->net->parts.n;
    part->hash = hash;
    part->number = (uint32_t)c->net->parts.n - 1;
    if (!vec_resize(c->alloc, &part->signature, c->signature.n) || !carver_shape(c, &part->shape))
        return NULL;
    memcpy(part->signature.items, c->signature.items, bytes);
    /* points are counted now; where they stand is known when there is a program */
    for (size_t i = 0; i < c->nodes.n; i++)
        if (c->tied.items[c->nodes.items[i]] && !vec_push(c->alloc, &part->points, (TiePoint){0}))
            return NULL;
    return part;
}

/* all parts, lane by lane; cells and points are numbered on the way */
static bool carve(Carver *c)
{
    Net *net = c->net;
    const Division *d = c->division;
    VEC(uint32_t) part = {0}, lane = {0}, point = {0};
    bool ok = true;
    for (uint32_t p = 0; p < d->npart && ok; p++) {
        if (d->unknowns.items[p] + d->states.items[p] == 0)
            continue;
        ok = carver_collect(c, p);
        NetPart *kind = ok ? part_of(c) : NULL;
        ok = kind && vec_push(c->alloc, &kind->cells, net->ncell) &&
             vec_push(c->alloc, &point, net->npoint) && vec_push(c->alloc, &part, kind->number) &&
             vec_push(c->alloc, &lane, (uint32_t)kind->shape.nlane);
        for (size_t i = 0; i < c->members.n && ok; i++)
            ok = vec_push(c->alloc, &kind->components, c->members.items[i]);
        for (size_t i = 0; i < c->nodes.n && ok; i++)
            if (c->tied.items[c->nodes.items[i]])
                c->point.items[c->nodes.items[i]] = net->npoint++;
        if (ok) {
            kind->shape.nlane++;
            net->ncell++;
        }
        carver_forget(c);
    }
    size_t n = net->ncell;
    net->cell_point = net_get(&net->pool, n + 1, sizeof(uint32_t));
    net->cell_part = net_get(&net->pool, n, sizeof(uint32_t));
    net->cell_lane = net_get(&net->pool, n, sizeof(uint32_t));
    net->point_cell = net_get(&net->pool, net->npoint, sizeof(uint32_t));
    ok = ok && net->cell_point && net->cell_part && net->cell_lane && net->point_cell;
    for (size_t i = 0; i < n && ok; i++) {
        net->cell_point[i] = point.items[i];
        net->cell_part[i] = part.items[i];
        net->cell_lane[i] = lane.items[i];
        uint32_t end = i + 1 < n ? point.items[i + 1] : net->npoint;
        for (uint32_t s = point.items[i]; s < end; s++)
            net->point_cell[s] = (uint32_t)i;
    }
    if (ok)
        net->cell_point[n] = net->npoint;
    vec_drop(c->alloc, &part);
    vec_drop(c->alloc, &lane);
    vec_drop(c->alloc, &point);
    return ok;
}

/* the shape of one tie: two nodes that are driven from outside */
static bool tie_shape(Carver *c, Shape *to, const Component *from)
{
    if (!vec_push(c->alloc, &to->components, *from) || !vec_resize(c->alloc, &to->nodes, 2) ||
        !vec_push(c->alloc, &to->order, (Step){0}) || !vec_resize(c->alloc, &to->port_nodes, 2))
        return false;
    to->components.items[0].node = to->port_nodes.items;
    to->components.items[0].group = -1;
    to->components.items[0].constant = to->components.items[0].incoming_constant = false;
    to->components.items[0].coupling = COUPLE_BOTH; /* K and k0 get their place */
    for (uint32_t e = 0; e < 2; e++) {
        to->components.items[0].node[e] = e;
        to->nodes.items[e] = (ShapeNode){.domain = from->class_->def->ports[0].domain,
                                         .driver = -1,
                                         .group = -1,
                                         .first_taker = e,
                                         .ntaker = 1};
        if (!vec_push(c->alloc, &to->takers, (Taker){0, (int)e}))
            return false;
    }
    return true;
}

/* ties of the same class and switches */
static NetTie *tie_of(Carver *c, const Component *component)
{
    for (size_t i = 0; i < c->net->ties.n; i++) {
        const Component *known = &c->net->ties.items[i]->shape.components.items[0];
        if (known->class_ == component->class_ &&
            memcmp(known->switches, component->switches, (size_t)known->class_->nslot) == 0)
            return c->net->ties.items[i];
    }
    NetTie *tie = memory_zeroed(c->alloc, sizeof *tie);
    if (!tie)
        return NULL;
    if (!vec_push(c->alloc, &c->net->ties, tie)) {
        memory_free(c->alloc, tie, sizeof *tie);
        return NULL;
    }
    const LiederDomain *d = component->class_->def->ports[0].domain;
    tie->ns = (uint32_t)d->nsignal;
    tie->np = (uint32_t)d->npotential;
    tie->nf = (uint32_t)d->nflow;
    return tie_shape(c, &tie->shape, component) ? tie : NULL;
}

/* a tie by its cells: in this order ties that are near each other follow each other */
typedef struct TieKey {
    uint32_t low, high, component;
} TieKey;

static int compare_ties(const void *a, const void *b)
{
    const TieKey *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->component < y->component ? -1 : x->component > y->component;
}

/* a tie becomes one more lane of its kind, with the points and cells at both ends; false: no
 * memory */
static bool add_tie(Carver *c, uint32_t i)
{
    const Component *component = &c->shape->components.items[i];
    NetTie *tie = tie_of(c, component);
    bool ok = tie && vec_push(c->alloc, &tie->components, i);
    for (int e = 0; e < 2 && ok; e++) {
        uint32_t point = c->point.items[component->node[e]];
        ok = vec_push(c->alloc, &tie->points, point) &&
             vec_push(c->alloc, &tie->cells, c->net->point_cell[point]);
    }
    if (ok) {
        tie->shape.nlane++;
        c->net->ntie++;
    }
    return ok;
}

/* ties sorted by the pair of cells that they hold together; false: no memory */
static bool collect_ties(Carver *c)
{
    VEC(TieKey) keys = {0};
    bool ok = true;
    for (uint32_t i = 0; i < c->shape->components.n && ok; i++) {
        const Component *component = &c->shape->components.items[i];
        if (!net_is_tie(c->shape, component))
            continue;
        uint32_t x = c->net->point_cell[c->point.items[component->node[0]]],
                 y = c->net->point_cell[c->point.items[component->node[1]]];
        ok = vec_push(c->alloc, &keys, (TieKey){x < y ? x : y, x < y ? y : x, i});
    }
    if (ok && keys.n)
        qsort(keys.items, keys.n, sizeof *keys.items, compare_ties);
    for (size_t i = 0; i < keys.n && ok; i++)
        ok = add_tie(c, keys.items[i].component);
    vec_drop(c->alloc, &keys);
    return ok;
}

/* places in the vectors of the whole shape; wiring of the linear passes */
static LiederStatus finish_part(Carver *c, NetPart *part, LiederIsa isa)
{
    LiederStatus status = prepare(&part->ss, &part->shape, isa, c->alloc);
    if (status != LIEDER_DONE)
        return status;
    size_t n = part->shape.components.n, nlane = part->shape.nlane;
    if (!vec_resize(c->alloc, &part->states, part->shape.states.n * nlane))
        return LIEDER_NO_MEMORY;
    for (size_t s = 0, within = 0; s < part->shape.states.n; s++) {
        uint32_t component = part->shape.states.items[s].component;
        within = s && part->shape.states.items[s - 1].component == component ? within + 1 : 0;
        for (size_t l = 0; l < nlane; l++)
            part->states.items[s * nlane + l] =
                c->state.items[part->components.items[l * n + component]] + (uint32_t)within;
    }
    /* which nodes are tied is read from the first lane */
    VEC(uint8_t) tied = {0};
    bool ok = vec_resize(c->alloc, &tied, part->shape.nodes.n);
    for (size_t i = 0; i < n && ok; i++) {
        const Component *whole = &c->shape->components.items[part->components.items[i]];
        for (int p = 0; p < whole->class_->def->nport; p++)
            tied.items[part->shape.components.items[i].node[p]] = c->tied.items[whole->node[p]];
    }
    ok = ok && net_wire(part, tied.items, c->alloc);
    vec_drop(c->alloc, &tied);
    if (!ok)
        return LIEDER_NO_MEMORY;
    part->nmap = (uint32_t)(part->unknowns.n * part->unknowns.n);
    for (size_t s = 0; s < part->points.n; s++) {
        TiePoint *point = &part->points.items[s];
        point->first_map = part->nmap;
        part->nmap += (uint32_t)part->unknowns.n * (point->np + point->nf);
    }
    /* a net that ranks share is large, and Q, P and M stand in the cells as well */
    part->only_strip = c->net->share ? (size_t)(part->ss.strip * part->ss.plan.lean.lanes) : 0;
    return LIEDER_DONE;
}

static LiederStatus finish_tie(Carver *c, NetTie *tie, LiederIsa isa)
{
    LiederStatus status = prepare(&tie->ss, &tie->shape, isa, c->alloc);
    if (status != LIEDER_DONE)
        return status;
    tie->save = at_of(&tie->ss.plan.lean, 0)[LIEDER_AT_SAVE];
    size_t padded = (tie->components.n + NET_WIDTH - 1) / NET_WIDTH * NET_WIDTH;
    tie->answer_size = padded * (2 * c->net->block + 1);
    return LIEDER_DONE;
}

/* layout of a point, states of a strip, and the linear system */
static LiederStatus lay_out(Net *net)
{
    uint32_t ns = 0, np = 0;
    for (size_t i = 0; i < net->ties.n; i++) {
        ns = net->ties.items[i]->ns > ns ? net->ties.items[i]->ns : ns;
        np = net->ties.items[i]->np > np ? net->ties.items[i]->np : np;
    }
    net->at_p0 = ns;
    net->point_size = net->at_p0 + np;
    net->P_size = np * net->block;
    net->widest = 1;
    for (size_t i = 0; i < net->parts.n; i++) {
        const SystemShape *ss = &net->parts.items[i]->ss;
        size_t n = ss->shape->states.n * (size_t)(ss->strip * ss->plan.lean.lanes);
        net->widest = n > net->widest ? n : net->widest;
    }
    return net_linear_plan(net);
}

LiederStatus net_create(LiederSystem *system, const SystemShape *ss, Net **to)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    Division d = {0};
    Carver c = {.shape = ss->shape, .division = &d, .alloc = alloc};
    LiederStatus status = LIEDER_NO_MEMORY;
    Net *net = *to = c.net = memory_zeroed(alloc, sizeof *net);
    if (net) {
        net->pool.alloc = alloc;
        if (net_divide(ss->shape, &d, alloc) && carver_index(&c) && carve(&c) && collect_ties(&c)) {
            net->block = (uint32_t)d.largest;
            LiederIsa isa = shape_isa(ss->shape, system->options.isa, net->ncell);
            net->ops = net_ops_of(isa);
            net->vectors = net_vectors_of(isa);
            status = net_share_create(net, system, ss);
        }
        for (size_t i = 0; i < net->parts.n && status == LIEDER_DONE; i++)
            status = finish_part(&c, net->parts.items[i], system->options.isa);
        for (size_t i = 0; i < net->ties.n && status == LIEDER_DONE; i++)
            status = finish_tie(&c, net->ties.items[i], system->options.isa);
        if (status == LIEDER_DONE)
            status = lay_out(net);
        if (status == LIEDER_DONE && !net_reserve(ss, net))
            status = LIEDER_NO_MEMORY;
    }
    carver_drop(&c);
    net_division_drop(&d, alloc);
    return status;
}

static void drop_shape(SystemShape *ss, Shape *shape, const LiederAllocator *alloc)
{
    for (size_t s = 0; s < ss->values.slots.n; s++)
        number_list_release(alloc, number_list_of(ss->values.slots.items[s].lanes));
    vec_drop(alloc, &ss->values.slots);
    vec_drop(alloc, &ss->values.slot_first);
    program_drop(&ss->plan.lean);
    shape_empty(shape, alloc);
}

void net_destroy(Net *net)
{
    if (!net)
        return;
    const LiederAllocator *alloc = net->pool.alloc;
    net_plan_lu_drop(net);
    net_share_drop(net);
    for (size_t i = 0; i < net->parts.n; i++) {
        NetPart *part = net->parts.items[i];
        drop_shape(&part->ss, &part->shape, alloc);
        vec_drop(alloc, &part->components);
        vec_drop(alloc, &part->cells);
        vec_drop(alloc, &part->states);
        vec_drop(alloc, &part->outward);
        vec_drop(alloc, &part->inward);
        vec_drop(alloc, &part->moves);
        vec_drop(alloc, &part->at);
        vec_drop(alloc, &part->unknowns);
        vec_drop(alloc, &part->points);
        vec_drop(alloc, &part->steps);
        vec_drop(alloc, &part->signature);
        memory_free(alloc, part, sizeof *part);
    }
    for (size_t i = 0; i < net->ties.n; i++) {
        NetTie *tie = net->ties.items[i];
        drop_shape(&tie->ss, &tie->shape, alloc);
        vec_drop(alloc, &tie->components);
        vec_drop(alloc, &tie->points);
        vec_drop(alloc, &tie->cells);
        vec_drop(alloc, &tie->pairs);
        memory_free(alloc, tie, sizeof *tie);
    }
    vec_drop(alloc, &net->parts);
    vec_drop(alloc, &net->ties);
    drop_pool(&net->pool);
    memory_free(alloc, net, sizeof *net);
}

/* ------------------------------------------------------------------ the numbers of a thread */

/* strips and coefficients of parts and ties; false: no memory */
static bool make_pieces(NetWork *w)
{
    const Net *net = w->net;
    const LiederAllocator *alloc = w->pool.alloc;
    w->parts = net_get(&w->pool, net->parts.n, sizeof *w->parts);
    w->ties = net_get(&w->pool, net->ties.n, sizeof *w->ties);
    for (size_t i = 0; i < net->parts.n && w->parts; i++) {
        const NetPart *part = net->parts.items[i];
        size_t lanes = (size_t)part->ss.plan.lean.lanes;
        size_t padded = (part->shape.nlane + lanes - 1) / lanes * lanes;
        w->parts[i].part = part;
        w->parts[i].workspace = workspace_begin(&part->ss, alloc);
        w->parts[i].maps = net_get(
            &w->pool, (part->only_strip ? part->only_strip : padded) * part->nmap, sizeof(double));
        w->pool.failed |= !w->parts[i].workspace;
    }
    for (size_t i = 0; i < net->ties.n && w->ties; i++) {
        const NetTie *tie = net->ties.items[i];
        w->ties[i].tie = tie;
        w->ties[i].workspace = workspace_begin(&tie->ss, alloc);
        w->ties[i].answer = net_get(&w->pool, tie->nf * tie->answer_size, sizeof(double));
        w->pool.failed |= !w->ties[i].workspace;
    }
    return !w->pool.failed;
}

NetWork *net_work_create(const SystemShape *ss)
{
    Net *net = ss->plan.net;
    size_t k = net->block;
    NetWork *w = memory_zeroed(net->pool.alloc, sizeof *w);
    if (!w)
        return NULL;
    w->net = net;
    w->pool.alloc = net->pool.alloc;
    w->Q = net_get(&w->pool, (size_t)net->npoint * k * NET_FLOWS, sizeof(double));
    w->P = net_get(&w->pool, (size_t)net->npoint * net->P_size, sizeof(double));
    w->points = net_get(&w->pool, (size_t)net->npoint * net->point_size, sizeof(double));
    w->states = net_get(&w->pool, net->widest, sizeof(double));
    if (!make_pieces(w) || !net_linear_create(w) || !net_direct_prepare(w) || !net_follow(ss, w)) {
        net_work_destroy(w);
        return NULL;
    }
    /* padding, which is never written again, is the identity */
    for (size_t c = 0; c < net->ncell; c++)
        for (size_t i = net->parts.items[net->cell_part[c]]->unknowns.n; i < k; i++)
            w->own[(c * k + i) * k + i] = 1;
    return w;
}

void net_work_destroy(NetWork *w)
{
    if (!w)
        return;
    const LiederAllocator *alloc = w->pool.alloc;
    net_direct_destroy(w);
    for (size_t i = 0; i < w->net->parts.n && w->parts; i++)
        workspace_destroy(&w->net->parts.items[i]->ss, w->parts[i].workspace, alloc);
    for (size_t i = 0; i < w->net->ties.n && w->ties; i++)
        workspace_destroy(&w->net->ties.items[i]->ss, w->ties[i].workspace, alloc);
    drop_pool(&w->pool);
    memory_free(alloc, w, sizeof *w);
}

LiederIsa net_isa(const Net *net)
{
    LiederIsa isa = LIEDER_ISA_SCALAR;
    for (size_t i = 0; i < net->parts.n; i++)
        isa = net->parts.items[i]->ss.plan.lean.isa > isa ? net->parts.items[i]->ss.plan.lean.isa
                                                          : isa;
    for (size_t i = 0; i < net->ties.n; i++)
        isa =
            net->ties.items[i]->ss.plan.lean.isa > isa ? net->ties.items[i]->ss.plan.lean.isa : isa;
    return isa;
}

size_t net_bytes(const Net *net, const NetWork *w)
{
    size_t bytes = sizeof *net + sizeof *w + pool_bytes(&net->pool) + pool_bytes(&w->pool);
    for (size_t i = 0; i < net->parts.n; i++) {
        const NetPart *p = net->parts.items[i];
        bytes += sizeof *p + program_bytes(&p->ss.plan.lean) + p->ss.strip_bytes +
                 (p->components.room + p->cells.room + p->states.room) * sizeof(uint32_t);
    }
    for (size_t i = 0; i < net->ties.n; i++) {
        const NetTie *t = net->ties.items[i];
        bytes += sizeof *t + program_bytes(&t->ss.plan.lean) + t->ss.strip_bytes +
                 (t->components.room + t->points.room + t->cells.room + t->pairs.room) *
                     sizeof(uint32_t);
    }
    return bytes;
}
