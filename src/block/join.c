/* join.c - the tapes of a whole sequence of ops as one tape.
 *
 * Each op of a program reads results of others from the record and leaves there what others may
 * read. In the program as a whole much of that is a known number or is not read at all: a body's
 * law has structural zeros, a rod passes on what it has read, and of all potentials only some reach
 * a derivative. So the tapes are run once on nodes of a graph in place of numbers, with the record
 * as a table of nodes. The graph folds zeros and ones and finds equal expressions across ops, and
 * an expression that no derivative needs is never computed. The operations that remain, and their
 * order within an expression, are those of the ops, so that the bits are the same. (A sum with a
 * structural zero is not formed; so it may keep a zero's sign.)
 */
#include "block/pack.h"

#include <string.h>

/* In instructions. A longer tape takes long to make and is not faster than ops in machine code; but
 * it is faster than interpreted ops: a chain of 4000 masses of a user's own class takes 15 ns per
 * state and evaluation, 97 ns if its ops stay apart. */
enum { MAX_INSTRUCTIONS = 20000, MAX_INTERPRETED = 1000000 };

typedef struct Joiner {
    Graph graph;
    NodeList record; /* by place; NO_NODE: nothing has been written there */
    NodeList slots;  /* of the tape at hand */
    Tape unpacked;   /* likewise */
    TapeOutputs outputs;
    const LiederSequence *sequence;
} Joiner;

static Node read_place(Joiner *j, uint32_t place)
{
    if (j->record.items[place])
        return j->record.items[place];
    if (place - j->sequence->zero < j->sequence->nzero)
        return node_constant(&j->graph, 0);
    return node_symbol(&j->graph, tape_symbol(TAPE_RECORD, place));
}

static uint32_t place_of(const TapePart *part, const TapeCopy *copy)
{
    return (copy->group >= TAPE_AT ? part->at[copy->group - TAPE_AT] : 0) + copy->index;
}

/* fills the slots of a tape with the nodes that stand at the places that they are loaded from */
static void run_loads(Joiner *j, const Tape *t, const TapePart *part)
{
    for (size_t i = 0; i < t->loads.n; i++) {
        const TapeCopy *copy = &t->loads.items[i];
        for (uint32_t k = 0; k < copy->count; k++)
            j->slots.items[copy->slot + k] =
                copy->group == TAPE_CALL
                    ? node_symbol(&j->graph, tape_symbol(TAPE_CALL, copy->index + k))
                    : read_place(j, place_of(part, copy) + k);
    }
    for (size_t i = 0; i < t->constants.n; i++)
        j->slots.items[t->constants.items[i].slot] =
            node_constant(&j->graph, t->constants.items[i].value);
}

static Node basic_node(Graph *g, NodeKind kind, int n, Node a, Node b, Node c)
{
    return node_make(g, kind, a, n > 1 ? b : NO_NODE, n > 2 ? c : NO_NODE);
}

/* the node that an instruction makes of the nodes in its operands */
static void run_instruction(Joiner *j, const TapeInstruction *i)
{
    Graph *g = &j->graph;
    Node *slots = j->slots.items, a = slots[i->a], b = slots[i->b], c = slots[i->c];
    switch (i->op) {
#define BASIC_CASE(id, n, lanes, text)                                                             \
    case OPERATION_##id:                                                                           \
        slots[i->d] = basic_node(g, NODE_##id, n, a, b, c);                                        \
        break;
        BASIC_OPERATIONS(BASIC_CASE)
#undef BASIC_CASE
    case OPERATION_MULTIPLY_ADD:
        slots[i->d] = node_add(g, node_multiply(g, a, b), c);
        break;
    case OPERATION_MULTIPLY_SUBTRACT:
        slots[i->d] = node_subtract(g, node_multiply(g, a, b), c);
        break;
    case OPERATION_SUBTRACT_PRODUCT:
        slots[i->d] = node_subtract(g, c, node_multiply(g, a, b));
        break;
    case OPERATION_FUSED_MINUS:
        slots[i->d] = node_fused(g, a, b, node_negate(g, c));
        break;
    case OPERATION_MINUS_FUSED:
        slots[i->d] = node_fused(g, node_negate(g, a), b, c);
        break;
    case OPERATION_MINUS_FUSED_MINUS:
        slots[i->d] = node_fused(g, node_negate(g, a), b, node_negate(g, c));
        break;
    case OPERATION_FUSED_PRODUCT:
        slots[i->d] = node_fused(g, a, b, node_multiply(g, c, slots[i->e]));
        break;
    case OPERATION_MINUS_FUSED_PRODUCT:
        slots[i->d] = node_fused(g, node_negate(g, a), b, node_multiply(g, c, slots[i->e]));
        break;
    case OPERATION_SINCOS:
        slots[i->d] = node_call(g, FUNCTION_SIN, a, NO_NODE);
        slots[i->e] = node_call(g, FUNCTION_COS, a, NO_NODE);
        break;
    default: /* functions */
        slots[i->d] = node_call(g, (Function)(i->op - OPERATION_FIRST_CALL), a,
                                operation_operands((Operation)i->op) > 1 ? b : NO_NODE);
    }
}

/* one tape on expressions in place of numbers; false: it cannot be joined, or no memory */
static bool run_part(Joiner *j, const TapePart *part)
{
    const Tape *t = part->tape ? part->tape : &j->unpacked;
    if (!part->tape && !tape_unpack(part->packed, part->add, &j->unpacked, j->graph.alloc))
        return false;
    if (!vec_resize(j->graph.alloc, &j->slots, (size_t)t->nslot + 1))
        return false;
    run_loads(j, t, part);
    for (size_t i = 0; i + 1 < t->code.n && !j->graph.failed; i++)
        run_instruction(j, &t->code.items[i]);
    for (size_t i = 0; i < t->stores.n; i++)
        for (uint32_t k = 0; k < t->stores.items[i].count; k++)
            j->record.items[place_of(part, &t->stores.items[i]) + k] =
                j->slots.items[t->stores.items[i].slot + k];
    return !j->graph.failed;
}

/* whether the tapes can be joined */
static bool is_plain(const TapePart *parts, size_t n)
{
    size_t instructions = 0, most = MAX_INTERPRETED;
    for (size_t i = 0; i < n; i++)
        if (!parts[i].tape)
            most = MAX_INSTRUCTIONS;
    for (size_t i = 0; i < n; i++) {
        instructions += parts[i].tape ? parts[i].tape->code.n
                                      : packed_instructions(parts[i].packed, parts[i].add);
        if ((parts[i].tape && parts[i].tape->systems.n) || instructions > most)
            return false;
    }
    return true;
}

/* what is known before the first op: numbers, states, and that nothing has failed */
static void begin_record(Joiner *j)
{
    const LiederSequence *s = j->sequence;
    for (size_t i = 0; i < s->nknown; i++)
        j->record.items[s->known[i].place] = node_constant(&j->graph, s->known[i].value);
    for (size_t i = 0; i < s->nstate; i++)
        j->record.items[s->states[i]] =
            node_symbol(&j->graph, tape_symbol(TAPE_STATE, (uint32_t)i));
    j->record.items[LIEDER_ALARM] = node_constant(&j->graph, 0);
}

/* derivatives, and the alarm if there are pivots that may be too small; false: no memory */
static bool list_outputs(Joiner *j)
{
    const LiederSequence *s = j->sequence;
    Node alarm = j->record.items[LIEDER_ALARM];
    if (alarm != node_constant(&j->graph, 0) &&
        !vec_push(j->graph.alloc, &j->outputs, (TapeOutput){alarm, TAPE_RECORD, LIEDER_ALARM}))
        return false;
    for (size_t i = 0; i < s->nstate; i++)
        if (!vec_push(j->graph.alloc, &j->outputs,
                      (TapeOutput){read_place(j, s->derivatives[i]), TAPE_DERIVATIVE, (uint32_t)i}))
            return false;
    return !j->graph.failed;
}

TapeStatus tape_join(Tape *to, const TapePart *parts, const LiederSequence *sequence,
                     const LiederAllocator *alloc)
{
    Joiner j = {.sequence = sequence};
    *to = (Tape){0};
    if (!is_plain(parts, sequence->n))
        return TAPE_TOO_LARGE;
    graph_init(&j.graph, alloc);
    bool ok = vec_resize(alloc, &j.record, sequence->nreal);
    if (ok)
        begin_record(&j);
    for (size_t i = 0; i < sequence->n && ok; i++)
        ok = run_part(&j, &parts[i]);
    ok = ok && list_outputs(&j);
    TapeStatus status =
        ok ? tape_compile_kept(to, &j.graph, j.outputs.items, j.outputs.n) : TAPE_NO_MEMORY;
    tape_drop(&j.unpacked, alloc);
    vec_drop(alloc, &j.record);
    vec_drop(alloc, &j.slots);
    vec_drop(alloc, &j.outputs);
    graph_drop(&j.graph);
    return status;
}
