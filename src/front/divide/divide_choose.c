/* divide_choose.c - the connections of a model that is being divided, and one way for each of its
 * components. See divide.c. */
#include "front/emit/emit.h"
#include "front/divide/divide_parts.h"

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

/* the number of a port: they stand part by part, element by element */
static uint32_t port_number(const Divide *d, uint32_t part, size_t element, uint32_t port)
{
    const DividedPart *p = &d->parts.items[part];
    return p->first_port + (uint32_t)element * (uint32_t)p->nport + port;
}

static size_t element_count(const DividedPart *part)
{
    return part->member->axis ? part->member->axis->n : 1;
}

/* the ports of all elements, each a set of its own; false: no memory */
static bool list_ports(Divide *d)
{
    for (uint32_t i = 0; i < d->parts.n; i++) {
        DividedPart *part = &d->parts.items[i];
        part->first_port = (uint32_t)d->ports.n;
        for (uint32_t e = 0; e < element_count(part); e++)
            for (uint32_t p = 0; p < (uint32_t)part->nport; p++) {
                DividedPort port = {i, p, e, port_number(d, i, e, p)};
                if (!vec_push(d->f->alloc, &d->ports, port))
                    return false;
            }
    }
    return true;
}

/* the number of the port at one end of a connection; UINT32_MAX: a signal, or of no part */
static uint32_t port_of_end(const Divide *d, const ConnectedPort *end)
{
    for (uint32_t i = 0; i < d->parts.n; i++) {
        const DividedPart *part = &d->parts.items[i];
        for (uint32_t p = 0; part->member == end->component && p < (uint32_t)part->nport; p++)
            if (part->ports[p]->member == end->connector)
                return port_number(d, i, end->element, p);
    }
    return UINT32_MAX;
}

static void note_connection(void *user, const ConnectedPort *a, const ConnectedPort *b)
{
    Divide *d = user;
    uint32_t x = port_of_end(d, a), y = port_of_end(d, b);
    if (x != UINT32_MAX && y != UINT32_MAX)
        d->ports.items[set_of(d, y)].set = set_of(d, x);
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

/* room, and the ports of each set; false: no memory */
static bool open_reach(Divide *d, PortReach *r)
{
    const LiederAllocator *alloc = d->f->alloc;
    bool good = vec_resize(alloc, &r->driven, d->ports.n + 1) &&
                vec_resize(alloc, &r->first, d->ports.n + 2) &&
                vec_resize(alloc, &r->list, d->ports.n + 1);
    for (uint32_t i = 0; good && i < d->ports.n; i++)
        r->first.items[set_of(d, i) + 2]++;
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
        uint32_t port = port_number(d, part, element, k), set = set_of(d, port);
        if (!is_out(d, port) || r->driven.items[set])
            continue;
        r->driven.items[set] = 1;
        if (!vec_push(d->f->alloc, &r->queue, set))
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
        for (uint32_t e = 0; good && root && e < element_count(part); e++)
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
    vec_drop(alloc, &r.first);
    vec_drop(alloc, &r.list);
    vec_drop(alloc, &r.queue);
    vec_drop(alloc, &r.driven);
    return good;
}

bool divide_choose(Divide *d)
{
    if (!list_ports(d))
        return false;
    visit_connections(d->f, d->model, note_connection, d);
    return !d->f->nwrong && find_patterns(d) && choose_ways(d, 0);
}
