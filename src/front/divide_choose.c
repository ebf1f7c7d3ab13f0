/* divide_choose.c - the connections of a model that is being divided, and one way for each of its
 * components. See divide.c. */
#include "front/emit.h"
#include "front/divide_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ connections */

static uint32_t set_of(Divide *d, uint32_t port)
{
    DividedPort *p = d->ports.items;
    while (p[port].set != port)
        port = p[port].set = p[p[port].set].set;
    return port;
}

/* doubles the table of ports by path; false: no memory */
static bool grow_table(Divide *d)
{
    size_t n = d->table.n ? 2 * d->table.n : 1024;
    vec_drop(d->f->alloc, &d->table);
    if (!vec_resize(d->f->alloc, &d->table, n))
        return false;
    for (uint32_t i = 0; i < d->ports.n; i++) {
        const char *path = d->ports.items[i].path;
        size_t at = hash_bytes(HASH_SEED, path, strlen(path)) & (n - 1);
        while (d->table.items[at])
            at = (at + 1) & (n - 1);
        d->table.items[at] = i + 1;
    }
    return true;
}

/* "e[12].b": which part, element and port it is; false: a signal, or of no part */
static bool read_path(const Divide *d, const char *path, DividedPort *port)
{
    size_t n = strcspn(path, ".[");
    const char *dot = strchr(path, '.'), *comma = path + n;
    for (port->part = 0; port->part < d->parts.n; port->part++) {
        const Member *m = d->parts.items[port->part].member;
        if (strlen(m->name) == n && strncmp(m->name, path, n) == 0)
            break;
    }
    if (port->part == d->parts.n || !dot)
        return false;
    const DividedPart *part = &d->parts.items[port->part];
    port->element = 0;
    for (int k = 0; part->member->axis && k < part->member->axis->ndim; k++) {
        char *end;
        port->element = port->element * (uint32_t)part->member->axis->dim[k] +
                        (uint32_t)strtoul(comma + 1, &end, 10) - 1;
        comma = end;
    }
    for (port->port = 0; port->port < (uint32_t)part->nport; port->port++)
        if (strcmp(part->ports[port->port]->member->name, dot + 1) == 0)
            return true;
    return false;
}

/* the port of a path, a new one if it was not met before; UINT32_MAX: it is none */
static uint32_t port_of(Divide *d, const char *path)
{
    if (2 * (d->ports.n + 1) > d->table.n && !grow_table(d)) {
        d->failed = true;
        return UINT32_MAX;
    }
    size_t at = hash_bytes(HASH_SEED, path, strlen(path)) & (d->table.n - 1);
    for (; d->table.items[at]; at = (at + 1) & (d->table.n - 1))
        if (strcmp(d->ports.items[d->table.items[at] - 1].path, path) == 0)
            return d->table.items[at] - 1;
    DividedPort port = {.set = (uint32_t)d->ports.n};
    if (!read_path(d, path, &port))
        return UINT32_MAX;
    port.path = arena_text(&d->f->work, path, strlen(path));
    if (!port.path || !vec_push(d->f->alloc, &d->ports, port)) {
        d->failed = true;
        return UINT32_MAX;
    }
    d->table.items[at] = (uint32_t)d->ports.n;
    return (uint32_t)d->ports.n - 1;
}

/* the number of the port at one end of a connection, found by its path */
static uint32_t port_of_end(Divide *d, const ConnectedPort *end)
{
    char path[500], index[INDEX_LENGTH];
    const Member *m = end->component;
    snprintf(path, sizeof path, "%s%s.%s", m->name,
             m->axis ? index_text(m->axis->ndim, m->axis->dim, end->element, index) : "",
             end->path);
    return port_of(d, path);
}

static void note_connection(void *user, const ConnectedPort *a, const ConnectedPort *b)
{
    Divide *d = user;
    uint32_t x = port_of_end(d, a), y = port_of_end(d, b);
    if (x != UINT32_MAX && y != UINT32_MAX)
        d->ports.items[set_of(d, y)].set = set_of(d, x);
}

/* ports that no connection names are sets of their own */
static void add_open_ports(Divide *d)
{
    char path[500], index[INDEX_LENGTH];
    for (size_t i = 0; i < d->parts.n; i++) {
        const DividedPart *part = &d->parts.items[i];
        const Axis *axis = part->member->axis;
        for (size_t e = 0; e < (axis ? axis->n : 1) && !d->failed; e++)
            for (int p = 0; p < part->nport && !d->failed; p++) {
                snprintf(path, sizeof path, "%s%s.%s", part->member->name,
                         axis ? index_text(axis->ndim, axis->dim, e, index) : "",
                         part->ports[p]->member->name);
                port_of(d, path);
            }
    }
}

/* ------------------------------------------------------------------ one way for each component */

static int compare_words(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool has_pattern(const Divide *d, const uint32_t *words, size_t n)
{
    for (size_t at = 0; at < d->patterns.n;) {
        size_t length = 0;
        while (d->patterns.items[at + length] != UINT32_MAX)
            length++;
        if (length == n && memcmp(d->patterns.items + at, words, n * sizeof *words) == 0)
            return true;
        at += length + 1;
    }
    return false;
}

/* The sets of connected ports, as words part * MAX_PORTS + port: each kind of set once. A chain of
 * any length has three or so. */
static bool find_patterns(Divide *d)
{
    Front *f = d->f;
    VEC(uint32_t) first = {0}, list = {0};
    bool good =
        vec_resize(f->alloc, &first, d->ports.n + 2) && vec_resize(f->alloc, &list, d->ports.n + 1);
    for (uint32_t i = 0; good && i < d->ports.n; i++)
        first.items[set_of(d, i) + 2]++;
    for (size_t i = 2; good && i < first.n; i++)
        first.items[i] += first.items[i - 1];
    for (uint32_t i = 0; good && i < d->ports.n; i++)
        list.items[first.items[set_of(d, i) + 1]++] =
            d->ports.items[i].part * MAX_PORTS + d->ports.items[i].port;
    for (uint32_t s = 0; good && s < d->ports.n; s++) {
        size_t n = first.items[s + 1] - first.items[s];
        uint32_t *words = list.items + first.items[s];
        if (n == 0)
            continue;
        qsort(words, n, sizeof *words, compare_words);
        if (has_pattern(d, words, n))
            continue;
        for (size_t k = 0; good && k < n; k++)
            good = vec_push(f->alloc, &d->patterns, words[k]);
        good = good && vec_push(f->alloc, &d->patterns, UINT32_MAX) && d->patterns.n < 100000;
    }
    vec_drop(f->alloc, &first);
    vec_drop(f->alloc, &list);
    return good;
}

/* with the first n parts decided, can each set still have exactly one port that drives it? */
static bool patterns_hold(const Divide *d, size_t n)
{
    for (size_t at = 0; at < d->patterns.n; at++) {
        int drivers = 0, open = 0;
        for (; d->patterns.items[at] != UINT32_MAX; at++) {
            uint32_t word = d->patterns.items[at];
            const DividedPart *part = &d->parts.items[word / MAX_PORTS];
            if (word / MAX_PORTS >= n)
                open++;
            else
                drivers += part->ways.items[part->way].out >> word % MAX_PORTS & 1;
        }
        if (drivers > 1 || drivers + open < 1)
            return false;
    }
    return true;
}

/* Where a component has fewer states than it might have, something else decides its motion, and
 * which of the two keeps its start value is a choice: it is the one that the merged model makes if
 * the text gives the start values of all states. */
static bool begins_alike(const Divide *d)
{
    bool lost = false, begun = true;
    for (size_t i = 0; i < d->parts.n; i++) {
        const DividedPart *part = &d->parts.items[i];
        lost |= part->ways.items[part->way].nstate < part->ways.items[0].nstate;
        begun &= part->ways.items[part->way].begun;
    }
    return begun || !lost;
}

static bool reaches_all(Divide *d);

static bool choose_ways(Divide *d, size_t n)
{
    if (n == d->parts.n)
        return begins_alike(d) && reaches_all(d);
    for (size_t k = 0; k < d->parts.items[n].ways.n && d->ntry++ < MAX_TRIES; k++) {
        d->parts.items[n].way = k;
        if (patterns_hold(d, n + 1) && choose_ways(d, n + 1))
            return true;
    }
    return false;
}

/* From the roots outward: a link is reached when its incoming port is. Links in a ring drive each
 * other, and nobody drives the ring. */
typedef struct PortReach {
    VEC(uint32_t) at;          /* by element and port: 1 + port, see element_port */
    VEC(uint32_t) begin;       /* by part: elements before it */
    VEC(uint32_t) first, list; /* the ports of each set */
    VEC(uint32_t) queue;       /* sets that are driven */
    VEC(uint8_t) driven;       /* by set */
} PortReach;

static bool is_out(const Divide *d, uint32_t port)
{
    const DividedPort *p = &d->ports.items[port];
    const DividedPart *part = &d->parts.items[p->part];
    return part->ways.items[part->way].out >> p->port & 1;
}

static uint32_t *element_port(const PortReach *r, uint32_t part, uint32_t element, uint32_t port)
{
    return &r->at.items[(r->begin.items[part] + element) * MAX_PORTS + port];
}

/* room, and the ports of each set; false: no memory */
static bool open_reach(Divide *d, PortReach *r)
{
    const LiederAllocator *alloc = d->f->alloc;
    uint32_t n = 0;
    bool good = vec_resize(alloc, &r->driven, d->ports.n + 1) &&
                vec_resize(alloc, &r->first, d->ports.n + 2) &&
                vec_resize(alloc, &r->list, d->ports.n + 1);
    for (size_t i = 0; good && i < d->parts.n; i++) {
        const Axis *axis = d->parts.items[i].member->axis;
        good = vec_push(alloc, &r->begin, n);
        n += axis ? (uint32_t)axis->n : 1;
    }
    good = good && vec_resize(alloc, &r->at, (size_t)n * MAX_PORTS + 1);
    for (uint32_t i = 0; good && i < d->ports.n; i++) {
        const DividedPort *p = &d->ports.items[i];
        *element_port(r, p->part, p->element, p->port) = i + 1;
        r->first.items[set_of(d, i) + 2]++;
    }
    for (size_t i = 2; good && i < r->first.n; i++)
        r->first.items[i] += r->first.items[i - 1];
    for (uint32_t i = 0; good && i < d->ports.n; i++)
        r->list.items[r->first.items[set_of(d, i) + 1]++] = i;
    return good;
}

/* the sets behind an element are driven now */
static bool drive_behind(Divide *d, PortReach *r, uint32_t part, uint32_t element)
{
    for (uint32_t k = 0; k < (uint32_t)d->parts.items[part].nport; k++) {
        uint32_t port = *element_port(r, part, element, k);
        if (!port || !is_out(d, port - 1) || r->driven.items[set_of(d, port - 1)])
            continue;
        r->driven.items[set_of(d, port - 1)] = 1;
        if (!vec_push(d->f->alloc, &r->queue, set_of(d, port - 1)))
            return false;
    }
    return true;
}

/* goes from the roots through all components and sets; true: every set is driven */
static bool run_reach(Divide *d, PortReach *r)
{
    bool good = true;
    for (uint32_t i = 0; good && i < d->parts.n; i++) {
        const DividedPart *part = &d->parts.items[i];
        bool root = part->ways.items[part->way].out == (1ull << part->nport) - 1;
        for (uint32_t e = 0; good && root && e < (part->member->axis ? part->member->axis->n : 1);
             e++)
            good = drive_behind(d, r, i, e);
    }
    for (size_t q = 0; good && q < r->queue.n; q++) {
        uint32_t set = r->queue.items[q];
        for (uint32_t k = r->first.items[set]; good && k < r->first.items[set + 1]; k++) {
            const DividedPort *p = &d->ports.items[r->list.items[k]];
            if (!is_out(d, r->list.items[k]))
                good = drive_behind(d, r, p->part, p->element);
        }
    }
    for (uint32_t i = 0; good && i < d->ports.n; i++)
        good = r->driven.items[set_of(d, i)];
    return good;
}

/* is every set of connected ports driven, with the ways chosen? */
static bool reaches_all(Divide *d)
{
    const LiederAllocator *alloc = d->f->alloc;
    PortReach r = {0};
    bool good = open_reach(d, &r) && run_reach(d, &r);
    vec_drop(alloc, &r.at);
    vec_drop(alloc, &r.begin);
    vec_drop(alloc, &r.first);
    vec_drop(alloc, &r.list);
    vec_drop(alloc, &r.queue);
    vec_drop(alloc, &r.driven);
    return good;
}

bool divide_choose(Divide *d)
{
    visit_connections(d->f, d->model, note_connection, d);
    if (d->failed || d->f->nwrong)
        return false;
    add_open_ports(d);
    return !d->failed && find_patterns(d) && choose_ways(d, 0);
}
