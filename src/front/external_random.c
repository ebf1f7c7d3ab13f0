/* external_random.c - the generators of Modelica.Math.Random with their published constants:
 * xorshift64* and xorshift1024* (Vigna, An experimental exploration of Marsaglia's xorshift
 * generators, scrambled, 2016) and xorshift128+ (Vigna, Further scramblings of Marsaglia's xorshift
 * generators, 2014).
 *
 * A state of 64 bits stands in two Integers, the low half first, both with sign. A random number r
 * of 64 bits, with sign, becomes r / 2^64 + 1/2.
 */
#include "front/external.h"

#include <stdint.h>
#include <string.h>

enum { WORDS = 16 }; /* of the largest state, of 64 bits */

static uint64_t word_of(const Value *v, size_t i)
{
    uint32_t low = (uint32_t)(int32_t)value_at(v, 2 * i);
    uint32_t high = (uint32_t)(int32_t)value_at(v, 2 * i + 1);
    return (uint64_t)high << 32 | low;
}

static void put_word(Value *v, size_t i, uint64_t word)
{
    v->num[2 * i] = (double)(int32_t)(uint32_t)word;
    v->num[2 * i + 1] = (double)(int32_t)(uint32_t)(word >> 32);
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
    return s[0] * 2685821657736338717u;
}

static uint64_t next_128(uint64_t *s)
{
    uint64_t a = s[0], b = s[1];
    a ^= a << 23;
    s[0] = b;
    s[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
    return s[1] + b;
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

static const struct {
    const char *name;
    size_t nword;
    bool place; /* one Integer more: where it stands */
    uint64_t (*next)(uint64_t *s);
} generators[] = {
    {"ModelicaRandom_xorshift64star", 1, false, next_64},
    {"ModelicaRandom_xorshift128plus", 2, false, next_128},
    {"ModelicaRandom_xorshift1024star", WORDS, true, next_1024},
};

/* (state, state afterwards, number) */
static bool run_generator(ExternalCall *c, size_t which)
{
    size_t nword = generators[which].nword, n = 2 * nword + generators[which].place;
    uint64_t s[WORDS + 1] = {0};
    Value *state = &c->a[0];
    if (c->n != 3 || state->kind != V_INTEGER || state->ndim != 1 || state->n != n ||
        !c->output[1] || !c->output[2])
        return external_fail(c, "a state of %zu Integers is needed\nsee its declaration", n);
    if (!parameter_number(c->f, state) &&
        !is_known(c->f, state, c->spot, c->where, "the state of a random number generator"))
        return false;
    for (size_t i = 0; i < nword; i++)
        s[i] = word_of(state, i);
    if (generators[which].place)
        s[WORDS] = (uint32_t)(int32_t)value_at(state, n - 1) % WORDS;
    double number = unit_of(generators[which].next(s));
    Value after = value_array(c->f, c->spot, V_INTEGER, 1, &n);
    if (after.kind == V_NONE)
        return false;
    for (size_t i = 0; i < nword; i++)
        put_word(&after, i, s[i]);
    if (generators[which].place)
        after.num[n - 1] = (double)s[WORDS];
    c->output[1]->value = after;
    c->output[2]->value = value_number(V_REAL, number);
    return true;
}

int random_call(ExternalCall *c)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (strcmp(generators[i].name, c->name) == 0)
            return run_generator(c, i);
    return -1;
}
