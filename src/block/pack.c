/* pack.c - see pack.h. */
#include "block/pack.h"

#include <string.h>

/* ------------------------------------------------------------------ writing */

typedef struct Packer {
    PackedTapes *to;
    const LiederAllocator *alloc;
    TapeStatus status;
} Packer;

static void put_packed(Packer *p, size_t word)
{
    if (word > UINT16_MAX)
        p->status = TAPE_TOO_LARGE;
    else if (!vec_push(p->alloc, p->to, (uint16_t)word))
        p->status = TAPE_NO_MEMORY;
}

static void put_value(Packer *p, double value)
{
    uint16_t words[4];
    memcpy(words, &value, sizeof words);
    for (int i = 0; i < 4; i++)
        put_packed(p, words[i]);
}

static void put_copies(Packer *p, const TapeCopy *copies, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_packed(p, copies[i].group);
        put_packed(p, copies[i].slot);
        put_packed(p, copies[i].index);
        put_packed(p, copies[i].count);
    }
}

static void put_instruction(Packer *p, const TapeInstruction *i)
{
    const uint16_t operands[] = {i->a, i->b, i->c, i->e};
    put_packed(p, i->op);
    put_packed(p, i->d);
    for (int k = 0; k < operation_operands((Operation)i->op); k++)
        put_packed(p, operands[k]);
    if (i->op == OPERATION_SINCOS)
        put_packed(p, i->e);
}

/* a tape as numbers, one after the other; tapes with systems are refused */
static void put_tape(Packer *p, const Tape *t)
{
    if (t->systems.n)
        p->status = TAPE_TOO_LARGE;
    put_packed(p, t->nslot);
    put_packed(p, t->constants.n);
    put_packed(p, t->loads.n);
    put_packed(p, t->stores.n);
    put_packed(p, t->code.n - 1); /* without its end */
    for (size_t i = 0; i < t->constants.n; i++) {
        put_packed(p, t->constants.items[i].slot);
        put_value(p, t->constants.items[i].value);
    }
    put_copies(p, t->loads.items, t->loads.n);
    put_copies(p, t->stores.items, t->stores.n);
    for (size_t i = 0; i + 1 < t->code.n; i++)
        put_instruction(p, &t->code.items[i]);
}

TapeStatus tape_pack(const TapeCode *code, PackedTapes *to, const LiederAllocator *alloc)
{
    Packer p = {to, alloc, TAPE_DONE};
    size_t first = to->n;
    put_packed(&p, 0);
    put_tape(&p, &code->tape[0]);
    if (code->tape[1].code.n && p.status == TAPE_DONE) {
        if (to->n - first > UINT16_MAX)
            return TAPE_TOO_LARGE;
        to->items[first] = (uint16_t)(to->n - first);
        put_tape(&p, &code->tape[1]);
    }
    return p.status;
}

/* ------------------------------------------------------------------ reading */

typedef struct Unpacker {
    const uint16_t *at;
    const LiederAllocator *alloc;
    bool ok;
} Unpacker;

static double take_value(Unpacker *u)
{
    double value;
    memcpy(&value, u->at, sizeof value);
    u->at += 4;
    return value;
}

static TapeCopy take_copy(Unpacker *u)
{
    TapeCopy copy = {.group = u->at[0], .slot = u->at[1], .index = u->at[2], .count = u->at[3]};
    u->at += 4;
    return copy;
}

static TapeInstruction take_instruction(Unpacker *u)
{
    TapeInstruction i = {.op = *u->at++};
    uint16_t *const operands[] = {&i.a, &i.b, &i.c, &i.e};
    i.d = *u->at++;
    for (int k = 0; k < operation_operands((Operation)i.op); k++)
        *operands[k] = *u->at++;
    if (i.op == OPERATION_SINCOS)
        i.e = *u->at++;
    return i;
}

/* where the numbers of the tape that stores, or of the one that adds, begin */
static const uint16_t *packed_head(const uint16_t *code, bool add)
{
    return add ? code + *code : code + 1;
}

size_t packed_instructions(const uint16_t *code, bool add)
{
    return packed_head(code, add)[4];
}

bool tape_unpack(const uint16_t *code, bool add, Tape *to, const LiederAllocator *alloc)
{
    Unpacker u = {packed_head(code, add), alloc, true};
    to->nslot = to->nscratch = *u.at++;
    size_t nconstant = *u.at++, nload = *u.at++, nstore = *u.at++, ncode = *u.at++;
    to->constants.n = to->loads.n = to->stores.n = to->code.n = 0;
    for (size_t i = 0; i < nconstant && u.ok; i++) {
        uint16_t slot = *u.at++;
        u.ok = vec_push(alloc, &to->constants, (TapeConstant){slot, take_value(&u)});
    }
    for (size_t i = 0; i < nload && u.ok; i++)
        u.ok = vec_push(alloc, &to->loads, take_copy(&u));
    for (size_t i = 0; i < nstore && u.ok; i++)
        u.ok = vec_push(alloc, &to->stores, take_copy(&u));
    for (size_t i = 0; i < ncode && u.ok; i++)
        u.ok = vec_push(alloc, &to->code, take_instruction(&u));
    return u.ok && vec_push(alloc, &to->code, (TapeInstruction){.op = OPERATION_END});
}
