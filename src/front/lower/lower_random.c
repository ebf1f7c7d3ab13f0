/* lower_random.c - random numbers whose state is hidden from the model: impureRandom.
 *
 * The generator xorshift1024* has one state for all calls. A call in the body of a when-clause
 * takes the next number where the clause fires, so the state is memory of the cell, as if the model
 * had written
 *
 *   when c then (y, state) = random(pre(state)); end when;
 *
 * Calls of one event take their numbers in the order of the text. initializeImpureRandom says what
 * the state is before the first of them; the seed may be read after the clauses, so it is put in
 * when all is read: memory is zero before the first pass, and `seeded` says that it was set.
 */
#include "front/lower/lower.h"

#include <string.h>

void lower_random_seed(Lower *lower, const double *state)
{
    LowerRandom *r = &lower->random;
    r->nseed += r->nseed == 0 || memcmp(r->given, state, sizeof r->given) != 0;
    memcpy(r->given, state, sizeof r->given);
}

void random_keep_seed(Front *f, const double *state)
{
    LowerRandom *seed = f->random ? f->random : work_zeroed(f, sizeof *seed);
    if (!seed)
        return;
    f->random = seed;
    seed->nseed += seed->nseed == 0 || memcmp(seed->given, state, sizeof seed->given) != 0;
    memcpy(seed->given, state, sizeof seed->given);
}

double *lower_random_state(Lower *lower, SourceSpan span, const Inst *where)
{
    LowerRandom *r = &lower->random;
    lower->npre++; /* the clause counts from what was before */
    if (r->used)
        return r->state;
    r->used = true;
    r->span = span;
    r->where = where;
    for (size_t k = 0; k < RANDOM_WORDS; k++) {
        uint32_t v = lower_hidden(lower, MEANING_MEMORY, "state of impureRandom", k + 1, span);
        if (v == UINT32_MAX)
            return NULL;
        lower->cell.variables.items[v].type = LIEDER_TYPE_INTEGER;
        r->first = k ? r->first : v;
        r->state[k] = symbolic_element(cell_variable(&lower->cell, v, 0));
    }
    return r->state;
}

void lower_random_advance(Lower *lower, const double *next)
{
    LowerRandom *r = &lower->random;
    double happens = symbolic_element(lower_happens(lower));
    for (size_t k = 0; k < RANDOM_WORDS; k++)
        r->state[k] = symbolic_select(lower->front, happens, next[k], r->state[k]);
}

typedef struct Seeding {
    Lower *lower;
    Node seeded;
} Seeding;

/* what an element of the state is in a pass: the seed in the first one */
static Node seeded_element(void *user, uint64_t symbol, Node node)
{
    Seeding *s = user;
    const LowerRandom *r = &s->lower->random;
    uint32_t v = symbol == CELL_TIME ? UINT32_MAX : symbol_variable(symbol);
    if (v < r->first || v >= r->first + RANDOM_WORDS)
        return node;
    Graph *g = &s->lower->cell.graph;
    return node_select(g, s->seeded, node, node_constant(g, r->given[v - r->first]));
}

/* the bodies of clauses are what may have asked for numbers */
static void put_in_seed(Lower *lower, GraphPass *pass)
{
    CellEvents *e = &lower->cell.events;
    for (size_t i = 0; i < e->memories.n; i++)
        e->memories.items[i].next = replace_symbols(pass, e->memories.items[i].next);
    for (size_t i = 0; i < e->reinits.n; i++)
        e->reinits.items[i].value = replace_symbols(pass, e->reinits.items[i].value);
    for (size_t i = 0; i < e->requests.n; i++)
        e->requests.items[i].node = replace_symbols(pass, e->requests.items[i].node);
}

void lower_end_random(Lower *lower)
{
    LowerRandom *r = &lower->random;
    if (!r->used)
        return;
    const LowerRandom *kept = lower->front->random;
    if (kept) {
        lower_random_seed(lower, kept->given);
        r->nseed += kept->nseed - 1;
    }
    if (r->nseed != 1) {
        report_error(lower->front, r->span, r->where,
                     r->nseed ? "impureRandom has one state for the whole model, and it is set to "
                                "different ones\nuse one seed"
                              : "impureRandom is called, but nothing sets its state\n"
                                "write parameter Integer id = initializeImpureRandom(seed)");
        return;
    }
    uint32_t v = lower_hidden(lower, MEANING_MEMORY, "seed of impureRandom", 1, r->span);
    if (v == UINT32_MAX)
        return;
    Graph *g = &lower->cell.graph;
    for (uint32_t k = 0; k < RANDOM_WORDS; k++)
        lower_memory(lower, (CellMemory){.variable = r->first + k,
                                         .next = symbolic_node(lower->front, r->state[k]),
                                         .place = span_place(r->span)});
    Seeding seeding = {lower, cell_variable(&lower->cell, v, 0)};
    GraphPass pass = {.graph = g, .of_symbol = seeded_element, .user = &seeding};
    put_in_seed(lower, &pass);
    pass_drop(&pass);
    lower_memory(
        lower,
        (CellMemory){.variable = v, .next = node_constant(g, 1), .place = span_place(r->span)});
}
