/* test_tape.c - tapes made from random expressions give the bits of evaluating the expressions
 * number by number, on every instruction set that the machine has and for strips of any length. */
#include "block/interpret.h"
#include "help/engine.h"

typedef struct Isa {
    const char *name;
    int lanes;
    LiederKernel *run, *linked;
    bool there;
} Isa;

static size_t list_isas(Isa isas[5])
{
    const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const Isa all[] = {{"scalar", 1, tape_run_scalar, linked_run_scalar, true},
                       {"scalar_fma", 1, tape_run_scalar_fma, linked_run_scalar_fma, fma},
                       {"sse2", 2, tape_run_sse2, linked_run_sse2, true},
                       {"avx2", 4, tape_run_avx2, linked_run_avx2, fma},
                       {"avx512", 8, tape_run_avx512, linked_run_avx512,
                        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl")}};
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].there)
            isas[n++] = all[i];
    return n;
}

enum { INPUTS = 12, OUTPUTS = 9, RECORD = 40, AT_A = 3, AT_B = 20, LANES = 8 * 21 };

/* ------------------------------------------------------------------ records */

/* all lanes of a strip, as the interpreter finds them and as plain numbers */
typedef struct Strip {
    double *memory, *slots;
    size_t record; /* places, and slots behind them */
    int lanes, nvec;
} Strip;

static double *strip_real(const Strip *s, int lane, int place)
{
    return s->memory + ((size_t)(lane / s->lanes) * s->record + (size_t)place) * (size_t)s->lanes +
           lane % s->lanes;
}

static Strip strip_new(int lanes, int nvec, uint32_t nslot)
{
    Strip s = {.lanes = lanes, .nvec = nvec, .record = RECORD + nslot};
    size_t reals = (size_t)lanes * (size_t)nvec;
    s.memory = aligned_alloc(64, (reals * s.record * 8 + 63) / 64 * 64);
    s.slots = aligned_alloc(64, (reals * (nslot + 1) * 8 + 63) / 64 * 64);
    for (int l = 0; l < lanes * nvec; l++)
        for (int i = 0; i < RECORD; i++) {
            uint64_t seed = (uint64_t)(l * RECORD + i);
            *strip_real(&s, l, i) = random_between(&seed, -3, 3);
        }
    return s;
}

static void strip_drop(Strip *s)
{
    free(s->memory);
    free(s->slots);
}

/* ------------------------------------------------------------------ expressions */

/* inputs stand in two groups, and one is the time */
static uint64_t input_symbol(int i)
{
    return i == 0   ? tape_symbol(TAPE_CALL, TAPE_TIME)
           : i == 1 ? tape_symbol(TAPE_RECORD, 0)
           : i < 7  ? tape_symbol(TAPE_AT, (uint32_t)i)
                    : tape_symbol(TAPE_AT + 1, (uint32_t)(i - 7));
}

static int input_place(int i)
{
    return i == 1 ? 0 : i < 7 ? AT_A + i : AT_B + i - 7;
}

static Node random_node(Graph *g, uint64_t *seed, const Node *from, size_t n)
{
    Node a = from[random_below(seed, n)], b = from[random_below(seed, n)],
         c = from[random_below(seed, n)];
    static const NodeKind kinds[] = {NODE_NEGATE, NODE_ADD,      NODE_SUBTRACT, NODE_MULTIPLY,
                                     NODE_DIVIDE, NODE_FUSED,    NODE_LESS,     NODE_LESS_EQUAL,
                                     NODE_EQUAL,  NODE_SELECT,   NODE_ADD,      NODE_MULTIPLY,
                                     NODE_ADD,    NODE_MULTIPLY, NODE_SUBTRACT};
    size_t which = random_below(seed, 22);
    if (which >= 20) /* Booleans */
        return node_make(g, random_below(seed, 2) ? NODE_AND : NODE_OR,
                         node_make(g, NODE_LESS, a, b, 0),
                         node_make(g, NODE_NOT, node_make(g, NODE_LESS, b, c, 0), 0, 0), 0);
    if (which < sizeof kinds / sizeof *kinds) {
        int operands = node_operands(kinds[which]);
        return node_make(g, kinds[which], a, operands > 1 ? b : 0, operands > 2 ? c : 0);
    }
    /* those that follow are for whole numbers, of others the bits may be any, and for histories */
    Function f = (Function)random_below(seed, FUNCTION_XOR);
    if (f == FUNCTION_SIN) /* joined with the cosine */
        return node_add(g, node_call(g, f, a, 0), node_call(g, FUNCTION_COS, a, 0));
    return node_call(g, f, a, b);
}

typedef struct Values {
    const Strip *s;
    int lane;
    double time;
} Values;

static double value_of_symbol(void *user, uint64_t symbol)
{
    const Values *v = user;
    for (int i = 1; i < INPUTS; i++)
        if (input_symbol(i) == symbol)
            return *strip_real(v->s, v->lane, input_place(i));
    return v->time;
}

static bool same_bits(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* ------------------------------------------------------------------ the comparison */

static void compare_outputs(Graph *g, const TapeOutput *outputs, const Isa *isa, const char *how,
                            const Strip *before, const Strip *after, const double *times)
{
    for (int lane = 0; lane < after->lanes * after->nvec; lane++) {
        Values v = {before, lane, times[lane]};
        for (int o = 0; o < OUTPUTS; o++) {
            double should = node_evaluate(g, outputs[o].node, value_of_symbol, &v);
            double is = *strip_real(
                after, lane, (outputs[o].group == TAPE_AT ? AT_A : AT_B) + (int)outputs[o].index);
            if (!same_bits(is, should))
                fail_msg("%s, %s, %d registers, lane %d, output %d: %.17g, not %.17g", isa->name,
                         how, after->nvec, lane, o, is, should);
        }
    }
}

/* by the general interpreter, and linked to the places */
static void check_graph(Graph *g, const TapeOutput *outputs, const Isa *isa, int nvec)
{
    TapeCode code = {0};
    LinkedTape linked;
    double times[LANES];
    const uint32_t at[] = {AT_A, AT_B};
    for (int i = 0; i < LANES; i++)
        times[i] = 0.1 * i;
    assert_int_equal(tape_compile(&code.tape[0], g, outputs, OUTPUTS), TAPE_DONE);
    assert_true(tape_link(&linked, &code.tape[0], at, RECORD, isa->lanes, &memory_default));
    Strip before = strip_new(isa->lanes, nvec, code.tape[0].nslot);
    for (int link = 0; link < 2; link++) {
        Strip s = strip_new(isa->lanes, nvec, code.tape[0].nslot);
        const LiederStrip strip = {.base = s.memory,
                                   .scratch = s.slots,
                                   .record = s.record,
                                   .nvec = nvec,
                                   .bias_scale = 1,
                                   .times = times};
        if (link)
            isa->linked(&linked, &strip, NULL, 0);
        else
            isa->run(&code, &strip, at, 0);
        compare_outputs(g, outputs, isa, link ? "linked" : "general", &before, &s, times);
        strip_drop(&s);
    }
    linked_drop(&linked, &memory_default);
    tape_drop(&code.tape[0], &memory_default);
    strip_drop(&before);
}

/* outputs replace inputs of the same places: all is read before anything is written */
static void random_expressions(void **state)
{
    (void)state;
    Isa isas[5];
    size_t nisa = list_isas(isas);
    static const int sizes[] = {1, 2, 3, 5, 8, 13, 21};
    for (uint64_t round = 0; round < 40; round++) {
        uint64_t seed = 1000 + round;
        Graph g;
        Node nodes[400];
        size_t n = 0;
        graph_init(&g, &memory_default);
        for (int i = 0; i < INPUTS; i++)
            nodes[n++] = node_symbol(&g, input_symbol(i));
        nodes[n++] = node_constant(&g, 2.5);
        nodes[n++] = node_constant(&g, 1);
        for (size_t k = round < 20 ? 30 : 300; k > 0; k--) {
            size_t from = n > 60 ? n - 60 : 0;
            nodes[n] = random_node(&g, &seed, nodes + from, n - from);
            n++;
        }
        TapeOutput outputs[OUTPUTS];
        for (int o = 0; o < OUTPUTS; o++)
            outputs[o] =
                (TapeOutput){nodes[o < 2 ? (size_t)o + 3 : n - 1 - random_below(&seed, 25)],
                             o < 5 ? TAPE_AT : TAPE_AT + 1, (uint32_t)(o < 5 ? 6 - o : o)};
        assert_false(g.failed);
        for (size_t i = 0; i < nisa; i++)
            check_graph(&g, outputs, &isas[i], sizes[round % 7]);
        graph_drop(&g);
    }
}

/* every function of the language as an instruction has the bits of its value for one number */
static void functions_on_lanes(void **state)
{
    (void)state;
    Isa isas[5];
    size_t nisa = list_isas(isas);
    static const double special[] = {0,   -0.0, 1,    -1,    INFINITY, -INFINITY,
                                     NAN, 1e7,  -3e8, 1e300, 5e-324};
    enum { SPECIALS = sizeof special / sizeof *special };
    for (int f = 0; f < FUNCTION_HISTORY_READY; f++) {
        Graph g;
        graph_init(&g, &memory_default);
        Node x = node_symbol(&g, tape_symbol(TAPE_AT, 0)),
             y = node_symbol(&g, tape_symbol(TAPE_AT, 1));
        TapeOutput out = {node_call(&g, (Function)f, x, y), TAPE_AT, 2};
        TapeCode code = {0};
        assert_int_equal(tape_compile(&code.tape[0], &g, &out, 1), TAPE_DONE);
        for (size_t i = 0; i < nisa; i++) {
            Strip s = strip_new(isas[i].lanes, 21, 3);
            const uint32_t at[] = {0};
            const LiederStrip strip = {
                .base = s.memory, .scratch = s.slots, .record = s.record, .nvec = 21};
            for (int lane = 0; lane < s.lanes * s.nvec; lane++) {
                double *a = strip_real(&s, lane, 0), *b = strip_real(&s, lane, 1);
                if (lane < SPECIALS)
                    *a = special[lane];
                else if (lane % 3 == 0)
                    *a *= 1e4;
                if (lane % 5 == 0)
                    *b = special[lane % SPECIALS];
            }
            isas[i].run(&code, &strip, at, 0);
            for (int lane = 0; lane < s.lanes * s.nvec; lane++) {
                double a = *strip_real(&s, lane, 0), b = *strip_real(&s, lane, 1);
                double is = *strip_real(&s, lane, 2), should = function_value((Function)f, a, b);
                if (!same_bits(is, should))
                    fail_msg("%s: %s(%.17g, %.17g) is %.17g, not %.17g", isas[i].name,
                             function_table[f].name, a, b, is, should);
            }
            strip_drop(&s);
        }
        tape_drop(&code.tape[0], &memory_default);
        graph_drop(&g);
    }
}

/* slots are taken again: a chain of 10000 operations needs two */
static void slots_are_used_again(void **state)
{
    (void)state;
    Graph g;
    Tape t;
    graph_init(&g, &memory_default);
    Node x = node_symbol(&g, tape_symbol(TAPE_AT, 0)), y = node_call(&g, FUNCTION_SQRT, x, 0);
    for (int i = 0; i < 10000; i++)
        y = node_call(&g, FUNCTION_ABS, node_subtract(&g, y, x), 0);
    TapeOutput out = {y, TAPE_AT, 0};
    assert_int_equal(tape_compile(&t, &g, &out, 1), TAPE_DONE);
    assert_int_equal(t.nslot, 2);
    assert_int_equal(t.code.n, 20002);
    assert_int_equal(sizeof(TapeInstruction), 12);
    tape_drop(&t, &memory_default);
    /* products join their sums, sine and cosine each other */
    Node a = node_symbol(&g, tape_symbol(TAPE_AT, 1));
    Node sum = node_add(&g, node_multiply(&g, node_call(&g, FUNCTION_SIN, a, 0), x),
                        node_multiply(&g, node_call(&g, FUNCTION_COS, a, 0), x));
    out.node = sum;
    assert_int_equal(tape_compile(&t, &g, &out, 1), TAPE_DONE);
    assert_int_equal(t.code.n, 4); /* sincos, product, product and sum, end */
    assert_int_equal(t.loads.n, 1);
    tape_drop(&t, &memory_default);
    /* what stays as it is costs nothing */
    out = (TapeOutput){x, TAPE_AT, 0};
    assert_int_equal(tape_compile(&t, &g, &out, 1), TAPE_DONE);
    assert_int_equal(t.loads.n + t.stores.n + t.nslot, 0);
    tape_drop(&t, &memory_default);
    graph_drop(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions),
        cmocka_unit_test(functions_on_lanes),
        cmocka_unit_test(slots_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
