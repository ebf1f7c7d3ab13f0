/* external_random.c - the generators of Modelica.Math.Random with their published constants:
 * xorshift64* and xorshift1024* (Vigna, An experimental exploration of Marsaglia's xorshift
 * generators, scrambled, 2016) and xorshift128+ (Vigna, Further scramblings of Marsaglia's xorshift
 * generators, 2014).
 *
 * A state of 64 bits stands in two Integers, the low half first, both with sign. A random number r
 * of 64 bits, with sign, becomes r / 2^64 + 1/2. Of the first two the number itself is the state
 * that follows, other than in the papers: that is how the functions of these names work, as the
 * results show that were published with the library.
 *
 * A state that is known is computed with as it is. One that varies, because a clause holds it
 * between events, becomes expressions: of halves of 32 bits, products of quarters of 16 bits, so
 * that every number in between is whole and below 2^53, and the result has the same bits.
 *
 * The generator without a state in the model has it in memory of the cell: lower_random.c.
 */
#include "front/external/external.h"

#include "front/lower/lower.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

enum { WORDS = 16, GENERATOR_1024 = 2 }; /* of the largest state, of 64 bits */

static uint64_t word_of(const double *state, size_t i)
{
    uint32_t low = (uint32_t)(int32_t)state[2 * i];
    uint32_t high = (uint32_t)(int32_t)state[2 * i + 1];
    return (uint64_t)high << 32 | low;
}

static void put_word(double *state, size_t i, uint64_t word)
{
    state[2 * i] = (double)(int32_t)(uint32_t)word;
    state[2 * i + 1] = (double)(int32_t)(uint32_t)(word >> 32);
}

static double unit_of(uint64_t word)
{
    return (double)(int64_t)word * 0x1p-64 + 0.5;
}

static uint64_t next_64(uint64_t *s)
{
    s[0] ^= s[0] >> 12;
    s[0] ^= s[0] << 25;
    s[0] ^= s[0] >> 27;
    return s[0] *= 2685821657736338717u;
}

static uint64_t next_128(uint64_t *s)
{
    uint64_t a = s[0], b = s[1];
    a ^= a << 23;
    s[0] = b;
    return s[1] = (a ^ b ^ (a >> 17) ^ (b >> 26)) + b;
}

/* s[WORDS]: where it stands, from 0 */
static uint64_t next_1024(uint64_t *s)
{
    uint64_t a = s[s[WORDS]];
    s[WORDS] = (s[WORDS] + 1) % WORDS;
    uint64_t b = s[s[WORDS]];
    b ^= b << 31;
    b ^= b >> 11;
    a ^= a >> 30;
    s[s[WORDS]] = a ^ b;
    return s[s[WORDS]] * 1181783497276652981u;
}

/* ------------------------------------------------------------------ as expressions */

/* halves with sign, as they stand in Integers */
typedef struct Word {
    double low, high;
} Word;

#define PLUS(a, b)  symbolic_binary(f, OP_ADD, a, b)
#define MINUS(a, b) symbolic_binary(f, OP_SUB, a, b)
#define TIMES(a, b) symbolic_binary(f, OP_MUL, a, b)

/* the whole part of a / unit */
static double whole_seed(Front *f, double a, double unit)
{
    return symbolic_call(f, FUNCTION_FLOOR, TIMES(a, 1 / unit), 0);
}

static double remainder_of(Front *f, double a, double unit)
{
    return MINUS(a, TIMES(whole_seed(f, a, unit), unit));
}

static double without_sign(Front *f, double a)
{
    return symbolic_select(f, symbolic_binary(f, OP_LESS, a, 0), PLUS(a, 0x1p32), a);
}

/* from halves without sign */
static Word word_from(Front *f, double low, double high)
{
    double half[] = {low, high};
    for (int k = 0; k < 2; k++)
        half[k] = symbolic_select(f, symbolic_binary(f, OP_LESS, half[k], 0x1p31), half[k],
                                  MINUS(half[k], 0x1p32));
    return (Word){half[0], half[1]};
}

static Word word_xor(Front *f, Word a, Word b)
{
    return (Word){symbolic_call(f, FUNCTION_XOR, a.low, b.low),
                  symbolic_call(f, FUNCTION_XOR, a.high, b.high)};
}

/* by less than 32 places; left: negative */
static Word word_shift(Front *f, Word a, int right)
{
    double low = without_sign(f, a.low), high = without_sign(f, a.high);
    if (right > 0) {
        double unit = (double)(1ll << right);
        return word_from(
            f, PLUS(whole_seed(f, low, unit), TIMES(remainder_of(f, high, unit), 0x1p32 / unit)),
            whole_seed(f, high, unit));
    }
    double more = (double)(1ll << -right), rest = 0x1p32 / more;
    return word_from(f, TIMES(remainder_of(f, low, rest), more),
                     PLUS(TIMES(remainder_of(f, high, rest), more), whole_seed(f, low, rest)));
}

/* a ^ (a shifted) */
static Word word_mix(Front *f, Word a, int right)
{
    return word_xor(f, a, word_shift(f, a, right));
}

static Word word_add(Front *f, Word a, Word b)
{
    double low = PLUS(without_sign(f, a.low), without_sign(f, b.low));
    double high =
        PLUS(PLUS(without_sign(f, a.high), without_sign(f, b.high)), whole_seed(f, low, 0x1p32));
    return word_from(f, remainder_of(f, low, 0x1p32), remainder_of(f, high, 0x1p32));
}

/* a product of 64 bits, in quarters, with numbers that hold 53 */
static Word word_multiply(Front *f, Word a, uint64_t by)
{
    double low = without_sign(f, a.low), high = without_sign(f, a.high), carry = 0, digit[4];
    const double quarter[] = {remainder_of(f, low, 0x1p16), whole_seed(f, low, 0x1p16),
                              remainder_of(f, high, 0x1p16), whole_seed(f, high, 0x1p16)};
    for (int k = 0; k < 4; k++) {
        double sum = carry;
        for (int i = 0; i <= k; i++)
            sum = PLUS(sum, TIMES(quarter[i], (double)(by >> 16 * (k - i) & 0xffff)));
        digit[k] = remainder_of(f, sum, 0x1p16);
        carry = whole_seed(f, sum, 0x1p16);
    }
    return word_from(f, PLUS(digit[0], TIMES(digit[1], 0x1p16)),
                     PLUS(digit[2], TIMES(digit[3], 0x1p16)));
}

static double unit_of_word(Front *f, Word a)
{
    double number = PLUS(TIMES(a.high, 0x1p32), without_sign(f, a.low));
    return PLUS(TIMES(number, 0x1p-64), 0.5);
}

static Word symbolic_64(Front *f, Word *s, double *place)
{
    (void)place;
    s[0] = word_mix(f, word_mix(f, word_mix(f, s[0], 12), -25), 27);
    return s[0] = word_multiply(f, s[0], 2685821657736338717u);
}

static Word symbolic_128(Front *f, Word *s, double *place)
{
    (void)place;
    Word a = word_mix(f, s[0], -23), b = s[1];
    s[0] = b;
    return s[1] = word_add(f, word_xor(f, word_mix(f, a, 17), word_mix(f, b, 26)), b);
}

static Word word_select(Front *f, double condition, Word a, Word b)
{
    return (Word){symbolic_select(f, condition, a.low, b.low),
                  symbolic_select(f, condition, a.high, b.high)};
}

static Word word_at(Front *f, const Word *s, double place)
{
    Word a = s[0];
    for (int i = 1; i < WORDS; i++)
        a = word_select(f, symbolic_binary(f, OP_EQUAL, place, i), s[i], a);
    return a;
}

/* the place of a state that was made by other generators may be any Integer: it counts modulo 16 */
static Word symbolic_1024(Front *f, Word *s, double *place)
{
    *place = remainder_of(f, *place, WORDS);
    Word a = word_mix(f, word_at(f, s, *place), 30);
    *place = remainder_of(f, PLUS(*place, 1), WORDS);
    Word b = word_mix(f, word_mix(f, word_at(f, s, *place), -31), 11);
    Word c = word_xor(f, a, b);
    for (int i = 0; i < WORDS; i++)
        s[i] = word_select(f, symbolic_binary(f, OP_EQUAL, *place, i), c, s[i]);
    return word_multiply(f, c, 1181783497276652981u);
}

/* ------------------------------------------------------------------ the functions */

static const struct {
    const char *name;
    size_t nword;
    bool place; /* one Integer more: where it stands */
    uint64_t (*next)(uint64_t *s);
    Word (*symbolic)(Front *f, Word *s, double *place);
} generators[] = {
    {"ModelicaRandom_xorshift64star", 1, false, next_64, symbolic_64},
    {"ModelicaRandom_xorshift128plus", 2, false, next_128, symbolic_128},
    {"ModelicaRandom_xorshift1024star", WORDS, true, next_1024, symbolic_1024},
};

/* the state becomes the next one, element by element; returns the number */
static double run_symbolic(Front *f, size_t which, double *state)
{
    size_t nword = generators[which].nword;
    Word s[WORDS];
    for (size_t i = 0; i < nword; i++)
        s[i] = (Word){state[2 * i], state[2 * i + 1]};
    Word number = generators[which].symbolic(f, s, &state[2 * nword]);
    for (size_t i = 0; i < nword; i++) {
        state[2 * i] = s[i].low;
        state[2 * i + 1] = s[i].high;
    }
    return unit_of_word(f, number);
}

/* one step of a generator whose state is known now */
static double run_known(size_t which, double *state)
{
    size_t nword = generators[which].nword;
    uint64_t s[WORDS + 1] = {0};
    for (size_t i = 0; i < nword; i++)
        s[i] = word_of(state, i);
    if (generators[which].place)
        s[WORDS] = (uint32_t)(int32_t)state[2 * nword] % WORDS;
    double number = unit_of(generators[which].next(s));
    for (size_t i = 0; i < nword; i++)
        put_word(state, i, s[i]);
    state[2 * nword] = (double)s[WORDS];
    return number;
}

/* (state, state afterwards, number) */
static bool run_generator(ExternalCall *c, size_t which)
{
    size_t nword = generators[which].nword, n = 2 * nword + generators[which].place;
    Value *state = &c->a[0];
    if (c->n != 3 || state->kind != V_INTEGER || state->ndim != 1 || state->n != n ||
        !c->output[1] || !c->output[2])
        return external_fail(c, "a state of %zu Integers is needed\nsee its declaration", n);
    double element[2 * WORDS + 1] = {0};
    bool known = parameter_number(c->f, state);
    for (size_t i = 0; i < n; i++)
        element[i] = value_at(state, i);
    double number = known ? run_known(which, element) : run_symbolic(c->f, which, element);
    Value after = value_array(c->f, c->span, V_INTEGER, 1, &n);
    for (size_t i = 0; after.kind != V_NONE && i < n; i++)
        after.num[i] = element[i];
    c->output[1]->value = after;
    c->output[2]->value = value_number(V_REAL, number);
    return after.kind != V_NONE;
}

/* (state, its size, id): what the hidden state is before the first number */
static bool set_hidden_state(ExternalCall *c)
{
    Value *state = &c->a[0];
    double element[RANDOM_WORDS];
    if (c->n != 3 || state->kind != V_INTEGER || state->n != RANDOM_WORDS)
        return external_fail(c, "a state of %d Integers is needed\nsee its declaration",
                             RANDOM_WORDS);
    if (!parameter_number(c->f, state))
        return external_fail(c, "the seed depends on variables\nuse parameters for it");
    for (size_t i = 0; i < RANDOM_WORDS; i++)
        element[i] = value_at(state, i);
    element[2 * WORDS] = (double)((uint32_t)(int32_t)element[2 * WORDS] % WORDS);
    if (c->f->lower)
        lower_random_seed(c->f->lower, element);
    else
        random_keep_seed(c->f, element); /* the binding of a parameter, for the clauses to come */
    return true;
}

/* the next number of the hidden state */
static bool hidden_number(ExternalCall *c)
{
    struct Lower *lower = c->f->lower;
    if (!lower || !lower->in_when)
        return external_fail(c, "a random number that depends on how often it is asked for is "
                                "known at events only\ncall it in the body of a when-clause");
    double next[RANDOM_WORDS], *state = lower_random_state(lower, c->span, c->where);
    if (!state)
        return false;
    memcpy(next, state, sizeof next);
    c->result = value_number(V_REAL, run_symbolic(c->f, GENERATOR_1024, next));
    lower_random_advance(lower, next);
    return true;
}

/* a seed that is different in every run, which is reported so that the run can be repeated */
static bool automatic_seed(ExternalCall *c)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t s[1] = {(uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec};
    for (int k = 0; k < 10; k++)
        next_64(s);
    c->result = value_number(V_INTEGER, (double)(int32_t)(s[0] >> 33));
    warn(c->f, c->span, c->where,
         "the seed %.0f is taken from the clock: another run has other random numbers\n"
         "write it as a number to repeat this run",
         c->result.x);
    return true;
}

int random_call(ExternalCall *c)
{
    if (strcmp(c->name, "ModelicaRandom_setInternalState_xorshift1024star") == 0)
        return set_hidden_state(c);
    if (strcmp(c->name, "ModelicaRandom_impureRandom_xorshift1024star") == 0)
        return hidden_number(c);
    if (strcmp(c->name, "ModelicaRandom_automaticGlobalSeed") == 0)
        return automatic_seed(c);
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (strcmp(generators[i].name, c->name) == 0)
            return run_generator(c, i);
    return -1;
}
