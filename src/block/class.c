/* class.c - builds a class from instructions and fills the tables by which the engine finds its
 * kernels. Tapes are the same for all instruction sets; the interpreters differ. */
#include "block/class.h"

#include <stdlib.h>

#include <stdio.h>

#include "base/intern.h"
#include "block/interpret.h"
#include "block/joined.h"
#include "block/linked.h"

static int compare_symbols(const void *x, const void *y)
{
    const BlockSymbol *p = x, *q = y;
    return p->symbol < q->symbol ? -1 : p->symbol > q->symbol;
}

const BlockPlace *block_place_of(const BlockClass *c, uint64_t symbol)
{
    const BlockSymbol key = {.symbol = symbol};
    const BlockSymbol *found =
        bsearch(&key, c->symbols.items, c->symbols.n, sizeof *c->symbols.items, compare_symbols);
    return found ? &found->place : NULL;
}

BlockClass *block_class_create(const LiederAllocator *alloc, const BlockClassInfo *info)
{
    BlockClass *c = memory_zeroed(alloc, sizeof *c);
    if (!c)
        return NULL;
    c->info = *info;
    c->alloc = alloc;
    bool ok = vec_reserve(alloc, &c->symbols, info->nsymbol + 1);
    for (size_t i = 0; i < info->nsymbol && ok; i++)
        ok = vec_push(alloc, &c->symbols, info->symbols[i]);
    if (ok)
        qsort(c->symbols.items, c->symbols.n, sizeof *c->symbols.items, compare_symbols);
    for (int i = 0; i < info->def.nmember; i++)
        if (info->def.members[i].kind == LIEDER_UNKNOWN) {
            ok = ok && vec_push(alloc, &c->unknown, info->def.members[i].index) &&
                 vec_push(alloc, &c->residual, info->def.members[i].other);
            c->nunknown++;
        }
    if (ok)
        return c;
    block_class_destroy(c);
    return NULL;
}

void block_class_destroy(BlockClass *c)
{
    if (!c)
        return;
    for (int kind = 0; kind < BLOCK_KINDS; kind++)
        for (int r = 0; r < 2; r++)
            vec_drop(c->alloc, &c->blocks[kind][r]);
    for (size_t i = 0; i < c->codes.n; i++) {
        tape_drop(&c->codes.items[i]->tape[0], c->alloc);
        tape_drop(&c->codes.items[i]->tape[1], c->alloc);
        tape_drop(&c->codes.items[i]->lean, c->alloc);
        memory_free(c->alloc, c->codes.items[i], sizeof *c->codes.items[i]);
    }
    vec_drop(c->alloc, &c->codes);
    for (size_t i = 0; i < c->loops.n; i++)
        loop_block_drop(c->loops.items[i], c->alloc);
    vec_drop(c->alloc, &c->loops);
    vec_drop(c->alloc, &c->unknown);
    vec_drop(c->alloc, &c->residual);
    vec_drop(c->alloc, &c->text);
    vec_drop(c->alloc, &c->whole);
    vec_drop(c->alloc, &c->symbols);
    memory_free(c->alloc, c, sizeof *c);
}

void block_assign(BlockClass *c, BlockKind kind, BlockDirection direction, BlockPlace place,
                  Node node)
{
    bool ok = node != NO_NODE;
    for (int r = 0; r < 2 && ok; r++)
        if (direction == BLOCK_BOTH || (int)direction == r)
            ok = vec_push(c->alloc, &c->blocks[kind][r], (BlockAssignment){place, node});
    if (!ok)
        c->failed = true;
}

/* ------------------------------------------------------------------ kernels */

/* a class under way: one table of kernels, which is copied for each instruction set */
typedef struct KernelMaker {
    BlockClass *c;
    LiederKernels k;
    LiederCode second[2]; /* of BLOCK_EXPLICIT_SECOND */
    TapeStatus status;
    VEC(uint8_t) observable; /* see find_observables */
    uint32_t nvector;        /* scratch of runs, for records of one lane */
} KernelMaker;

/* an empty code that the class owns */
static TapeCode *code_new(KernelMaker *m)
{
    TapeCode *code = memory_zeroed(m->c->alloc, sizeof *code);
    if (code && vec_push(m->c->alloc, &m->c->codes, code))
        return code;
    memory_free(m->c->alloc, code, sizeof *code);
    m->status = TAPE_NO_MEMORY;
    return NULL;
}

/* puts code into the table and counts its scratch; `run` is set for each instruction set later */
static void code_place(KernelMaker *m, LiederCode *to, const TapeCode *code)
{
    to->code = code;
    for (int add = 0; add < 2; add++) {
        const Tape *t = &code->tape[add];
        if (t->nscratch > (uint32_t)m->k.nscratch)
            m->k.nscratch = (int)t->nscratch;
        if (tape_is_long(t) && tape_vector_scratch(t) > m->nvector)
            m->nvector = tape_vector_scratch(t);
    }
}

static void make_plain(KernelMaker *m, BlockKind kind, LiederCode *to, bool reversed, bool basic)
{
    TapeCode *code = m->status == TAPE_DONE && block_has(m->c, kind) ? code_new(m) : NULL;
    if (!code)
        return;
    m->status = trace_plain(m->c, kind, reversed, basic, NULL, &code->tape[0]);
    code->is_lean = kind == BLOCK_EXPLICIT && !basic && m->observable.n;
    if (m->status == TAPE_DONE && code->is_lean)
        m->status = trace_plain(m->c, kind, reversed, basic, m->observable.items, &code->lean);
    if (m->status == TAPE_DONE)
        code_place(m, to, code);
}

/* observable: by real of the struct, 1 where only observers read it; empty if other blocks of the
 * class may read such reals */
static void find_observables(KernelMaker *m)
{
    const LiederClassDef *def = &m->c->info.def;
    if (block_has(m->c, BLOCK_EXPLICIT_SECOND) || block_has(m->c, BLOCK_OUTWARD) ||
        block_has(m->c, BLOCK_INWARD) || block_has(m->c, BLOCK_ITERATE))
        return;
    if (!vec_resize(m->c->alloc, &m->observable, (size_t)m->c->info.nreal + 1))
        m->status = TAPE_NO_MEMORY;
    for (int i = 0; i < def->nmember && m->status == TAPE_DONE; i++)
        if (def->members[i].kind == LIEDER_OBSERVABLE)
            m->observable.items[def->members[i].index] = 1;
    for (int i = 0; i < def->nsystem && m->status == TAPE_DONE; i++) /* runs read these at rows */
        if (def->systems[i].kind == LIEDER_SYSTEM_CONDITION && !def->systems[i].at_start)
            m->observable.items[def->systems[i].values] = 1;
    for (int i = 0; i < def->nmember && m->status == TAPE_DONE; i++) /* not only that */
        if (def->members[i].kind != LIEDER_OBSERVABLE && def->members[i].index >= 0)
            m->observable.items[def->members[i].index] = 0;
    for (int i = 0; i < def->nmember && m->status == TAPE_DONE; i++) /* or a derivative */
        if (def->members[i].kind == LIEDER_STATE)
            m->observable.items[def->members[i].other] = 0;
}

static void make_both(KernelMaker *m, BlockKind kind, LiederCode to[2], bool basic)
{
    make_plain(m, kind, &to[0], false, basic);
    if (m->c->info.reversible)
        make_plain(m, kind, &to[1], true, basic);
}

static void make_solve(KernelMaker *m, int variant)
{
    TapeCode *code = m->status == TAPE_DONE ? code_new(m) : NULL;
    if (!code)
        return;
    m->status = trace_solve(m->c, variant, &code->tape[0]);
    if (m->status == TAPE_DONE)
        code_place(m, &m->k.solve[variant], code);
}

static void make_reduce(KernelMaker *m, int variant)
{
    TapeCode *code = m->status == TAPE_DONE ? code_new(m) : NULL;
    for (int add = 0; code && add < 2 && m->status == TAPE_DONE; add++)
        m->status = trace_reduce(m->c, variant, add, &code->tape[add]);
    if (code && m->status == TAPE_DONE)
        code_place(m, &m->k.reduce[variant], code);
}

/* Is the law of a leaf a table of one size at all of its ports? Those of a leaf with connectors of
 * different kinds, or with more than two, are not: a sparse system holds it. */
static bool has_one_law(const BlockClass *c)
{
    const LiederDomain *first = NULL;
    int n = 0;
    for (int p = 0; p < c->info.def.nport; p++) {
        const LiederDomain *d = c->info.def.ports[p].domain;
        if (d->npotential == 0)
            continue;
        if (first && d != first)
            return false;
        first = d;
        n++;
    }
    return n <= 2 || c->nunknown > 0;
}

/* reduce, solve and couple in the variants that kernels.inc makes of classes in C */
static void make_linear(KernelMaker *m)
{
    bool link = block_has(m->c, BLOCK_OUTWARD);
    if (!link && !has_one_law(m->c))
        return;
    for (int v = 0; v < LIEDER_VARIANTS; v++) {
        bool reversed = v & LIEDER_REVERSED;
        if (link && (!reversed || m->c->info.reversible))
            make_solve(m, v);
        if (!block_has(m->c, BLOCK_INWARD))
            continue;
        if (!link) {
            if (!(v & LIEDER_OPEN) && !((v & LIEDER_GROUNDED) && (v & LIEDER_INERTIAL)))
                make_reduce(m, v);
        } else if (!reversed || m->c->info.reversible) {
            /* without further ports nothing can be open */
            if ((v & LIEDER_OPEN) && m->c->info.def.nport <= 2)
                m->k.reduce[v] = m->k.reduce[v & ~LIEDER_OPEN];
            else
                make_reduce(m, v);
        }
    }
    TapeCode *couple =
        !link && block_has(m->c, BLOCK_INWARD) && m->status == TAPE_DONE ? code_new(m) : NULL;
    if (couple && (m->status = trace_couple(m->c, &couple->tape[0])) == TAPE_DONE)
        code_place(m, &m->k.couple, couple);
}

/* ------------------------------------------------------------------ code for one op */

/* interpreters by instruction set */
static const struct {
    LiederKernel *run, *linked;
    int lanes;
} interpreters[] = {{tape_run_scalar, linked_run_scalar, 1},
                    {tape_run_scalar_fma, linked_run_scalar_fma, 1},
                    {tape_run_sse2, linked_run_sse2, 2},
                    {tape_run_avx2, linked_run_avx2, 4},
                    {tape_run_avx512, linked_run_avx512, 8}};

/* runs of a lane that is alone, on wide registers */
static void runs_alone(const void *code, const LiederStrip *strip, const uint32_t *at, int add)
{
    (void)at;
    (void)add;
    runs_sse2(code, strip, linked_run_scalar);
}

static void runs_alone_fma(const void *code, const LiederStrip *strip, const uint32_t *at, int add)
{
    (void)at;
    (void)add;
    runs_avx2(code, strip, linked_run_scalar_fma);
}

/* the tape of a block with the places of one component put in; the same code if that is not
 * possible */
static LiederCode code_link(LiederCode code, const uint32_t *at, int add, uint32_t scratch,
                            const LiederAllocator *alloc)
{
    size_t k = 0;
    while (interpreters[k].run != code.run)
        k++;
    const TapeCode *from = code.code;
    const Tape *tape = from->is_lean ? &from->lean : &from->tape[add != 0];
    LinkedTape *linked = memory_zeroed(alloc, sizeof *linked);
    if (linked && interpreters[k].lanes == 1 && tape_is_long(tape) &&
        tape_link_vectors(linked, tape, at, scratch, alloc))
        return (LiederCode){interpreters[k].run == tape_run_scalar ? runs_alone : runs_alone_fma,
                            linked};
    if (linked && tape_link(linked, tape, at, scratch, interpreters[k].lanes, alloc))
        return (LiederCode){interpreters[k].linked, linked};
    memory_free(alloc, linked, sizeof *linked);
    return (LiederCode){0};
}

static void code_unlink(LiederCode code, const LiederAllocator *alloc)
{
    LinkedTape *linked = (LinkedTape *)code.code;
    linked_drop(linked, alloc);
    memory_free(alloc, linked, sizeof *linked);
}

/* runs of results and operands, one value after the other */
static void visit_run(const LinkedRun *r, LinkedStep *visit, void *user)
{
    size_t nto = r->op == OPERATION_SINCOS ? 2 : 1,
           nfrom = (size_t)operation_operands((Operation)r->op);
    for (uint32_t k = 0; k < r->n; k++) {
        uint32_t place[LINKED_PLACES];
        for (int i = 0; i < LINKED_PLACES; i++)
            place[i] = (r->place[i] + k * (uint32_t)r->step[i]) * (uint32_t)sizeof(double);
        const uint32_t to[] = {place[LINKED_D], place[LINKED_E]};
        visit(user, to, nto, &place[LINKED_A], nfrom);
    }
}

/* instructions from one on, up to an end */
static void visit_code(const LinkedTape *t, size_t first, LinkedStep *visit, void *user)
{
    for (const LinkedInstruction *i = t->code.items + first; i->op != OPERATION_END; i++) {
        const uint32_t from[] = {i->a, i->b, i->c, i->e}, to[] = {i->d, i->e};
        if (i->op == OPERATION_SYSTEM) {
            const LinkedSystem *s = &t->systems.items[i->a];
            visit(user, s->to.items, s->to.n, s->from.items, s->from.n);
        } else
            visit(user, to, i->op == OPERATION_SINCOS ? 2 : 1, from,
                  (size_t)operation_operands((Operation)i->op));
    }
}

bool linked_steps(const LiederKernels *kernels, LiederCode code, LinkedStep *visit, void *user)
{
    const LinkedTape *t = code.code;
    if (kernels->link == loop_link) {
        loop_steps(code, kernels->lanes, visit, user);
        return true;
    }
    if (kernels->link != code_link)
        return false;
    visit_code(t, 0, visit, user);
    for (size_t k = 0; k < t->runs.n; k++) {
        const LinkedRun *r = &t->runs.items[k];
        if (r->op == OPERATION_END)
            visit_code(t, r->n, visit, user);
        else
            visit_run(r, visit, user);
    }
    return true;
}

/* ------------------------------------------------------------------ code for a whole sequence */

void code_unjoin(LiederJoined joined, const LiederAllocator *alloc)
{
    TapeCode *code = (TapeCode *)joined.code;
    tape_drop(&code->tape[0], alloc);
    memory_free(alloc, code, sizeof *code);
}

/* whether the sequence is one op of one lane that is better linked as operations on arrays */
static bool has_arrays(const LiederSequence *s, const LiederAllocator *alloc)
{
    const TapeCode *code = s->n == 1 ? s->parts[0].code.code : NULL;
    bool alone =
        code &&
        (s->parts[0].code.run == tape_run_scalar || s->parts[0].code.run == tape_run_scalar_fma) &&
        code->is_lean && tape_is_long(&code->lean);
    LinkedTape tried;
    if (!alone || !tape_link_vectors(&tried, &code->lean, s->parts[0].at, s->nreal, alloc))
        return false;
    linked_drop(&tried, alloc);
    return true;
}

/* `run`: the interpreter, by which ops made of instructions are known; others have packed tapes */
static LiederJoined code_join(const LiederSequence *s, LiederKernel *run,
                              LiederJoinedRun *run_joined, int *nscratch,
                              const LiederAllocator *alloc)
{
    VEC(TapePart) parts = {0};
    *nscratch = 0;
    if (has_arrays(s, alloc))
        return (LiederJoined){0};
    TapeCode *joined = memory_zeroed(alloc, sizeof *joined);
    bool ok = joined && vec_reserve(alloc, &parts, s->n + 1);
    for (size_t i = 0; i < s->n && ok; i++) {
        const LiederPart *p = &s->parts[i];
        const TapeCode *code = p->code.run == run ? p->code.code : NULL;
        ok = vec_push(alloc, &parts,
                      (TapePart){.tape = code ? &code->tape[p->add != 0] : NULL,
                                 .packed = code ? NULL : p->code.code,
                                 .add = p->add,
                                 .at = p->at});
    }
    TapeStatus status = ok ? tape_join(&joined->tape[0], parts.items, s, alloc) : TAPE_NO_MEMORY;
    vec_drop(alloc, &parts);
    if (status != TAPE_DONE) {
        memory_free(alloc, joined, sizeof *joined);
        *nscratch = status == TAPE_NO_MEMORY ? -1 : 0;
        return (LiederJoined){0};
    }
    tape_chain(&joined->tape[0]);
    *nscratch = (int)joined->tape[0].nscratch;
    return (LiederJoined){run_joined, joined};
}

/* one for each instruction set, see joined.h */
#define JOIN(isa)                                                                                  \
    LiederJoined code_join_##isa(const LiederSequence *s, int *nscratch,                           \
                                 const LiederAllocator *alloc)                                     \
    {                                                                                              \
        return code_join(s, tape_run_##isa, joined_run_##isa, nscratch, alloc);                    \
    }
JOIN(scalar)
JOIN(scalar_fma)
JOIN(sse2)
JOIN(avx2)
JOIN(avx512)

/* ------------------------------------------------------------------ tables */

static void set_run(LiederCode *codes, size_t n, LiederKernel *run)
{
    for (size_t i = 0; i < n; i++)
        codes[i].run = codes[i].code ? run : NULL;
}

/* the table for one instruction set */
static void set_isa(KernelMaker *m, LiederIsa isa, int lanes, LiederKernel *run, LiederJoin *join)
{
    BlockClass *c = m->c;
    LiederKernels *to = &c->kernels[isa];
    *to = m->k;
    to->isa = isa;
    to->lanes = lanes;
    to->join = join;
    if (lanes == 1 && m->nvector > (uint32_t)to->nscratch)
        to->nscratch = (int)m->nvector;
    set_run(&to->constant, 1, run);
    set_run(&to->start, 1, run);
    set_run(&to->event, 1, run);
    set_run(&to->iterate, 1, run);
    set_run(to->incoming, 2, run);
    set_run(to->explicit_, 2, run);
    if (block_has(c, BLOCK_EXPLICIT_SECOND)) {
        for (int r = 0; r < 2; r++)
            c->second[isa][0][r] = m->second[r];
        set_run(c->second[isa][0], 2, run);
        to->more = (const LiederCode(*)[2])c->second[isa];
        to->nmore = 1;
    }
    set_run(to->basic, 2, run);
    set_run(to->outward, 2, run);
    set_run(to->inward, 2, run);
    set_run(to->observe, 2, run);
    set_run(to->reduce, LIEDER_VARIANTS, run);
    set_run(to->solve, LIEDER_VARIANTS, run);
    set_run(&to->couple, 1, run);
    c->defs[isa] = c->info.def;
    c->defs[isa].kernels = to;
}

/* whether this machine has fused multiply-adds, for code of one lane */
static bool has_fused(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool is_no_time(void *user, uint64_t symbol, Node node)
{
    const BlockPlace *place = block_place_of(user, symbol);
    (void)node;
    return !place || (place->kind != PLACE_TIME && place->kind != PLACE_EVENT_TIME);
}

/* whether an explicit block reads a time; blocks share most of what they are made of, so they are
 * read together */
static bool reads_time(BlockClass *c)
{
    NodeList all = {0};
    bool good = true;
    for (int k = 0; k < 4; k++) {
        const BlockAssignments *block =
            &c->blocks[k < 2 ? BLOCK_EXPLICIT : BLOCK_EXPLICIT_SECOND][k % 2];
        for (size_t i = 0; good && i < block->n; i++)
            good = vec_push(c->alloc, &all, block->items[i].node);
    }
    bool reads = !good || !graph_symbols(c->info.graph, all.items, all.n, is_no_time, c);
    vec_drop(c->alloc, &all);
    return reads;
}

/* The class as C text. Its own tag is a hash of the text, so that generated code of equal classes
 * is the same text and found again in the cache: it is written with a tag of that length. */
static bool write_text(BlockClass *c)
{
    static const char stand_in[] = "Class_****************";
    bool own = !c->info.tag;
    if (own)
        c->info.tag = stand_in;
    if (!block_class_write(c, false, &c->text))
        return false;
    if (own) {
        snprintf(c->own_tag, sizeof c->own_tag, "Class_%016llx",
                 (unsigned long long)hash_bytes(HASH_SEED, c->text.items, c->text.n));
        for (char *at = c->text.items; (at = strstr(at, stand_in)); at += sizeof stand_in - 1)
            memcpy(at, c->own_tag, sizeof stand_in - 1);
        c->info.tag = c->own_tag;
    }
    return !c->info.is_library || block_class_write(c, true, &c->whole);
}

/* Generated code has the workspaces of systems on the stack: in reals of eight lanes 4 MB at most.
 * A text that is longer takes a compiler more time than a run saves. */
static bool may_generate(const BlockClass *c)
{
    if (!block_has(c, BLOCK_OUTWARD) && !has_one_law(c))
        return false; /* kernels.inc would write its law */
    enum { MAX_REALS = 65536, MAX_TEXT = 4000000 };
    size_t all = 0;
    for (size_t i = 0; i < c->info.graph->systems.n; i++) {
        const GraphSystem *system = &c->info.graph->systems.items[i];
        const LiederPattern s = tape_pattern(system);
        all += system->call ? system->ninput + system->call->output.n : lieder_system_size(&s);
    }
    return all <= MAX_REALS && c->text.n <= MAX_TEXT;
}

TapeStatus block_class_finish(BlockClass *c)
{
    if (c->failed || c->info.graph->failed)
        return TAPE_NO_MEMORY;
    SaveLayout save = block_save_layout(c);
    KernelMaker m = {.c = c,
                     .k = {.nreal = c->info.nreal,
                           .nsave = save.size,
                           .nunknown = c->nunknown,
                           .save_limit = save.limit,
                           .save_pivot = save.pivot,
                           .save_flow = save.flow,
                           .save_inverse = save.inverse,
                           .reversible = c->info.reversible,
                           .basic_signals = (const int *)c->info.basic}};
    c->info.def.uses_time = reads_time(c);
    m.status = mark_linear_blocks(c);
    find_observables(&m);
    make_plain(&m, BLOCK_CONSTANT, &m.k.constant, false, false);
    make_plain(&m, BLOCK_START, &m.k.start, false, false);
    make_plain(&m, BLOCK_EVENT, &m.k.event, false, false);
    make_plain(&m, BLOCK_ITERATE, &m.k.iterate, false, false);
    make_both(&m, BLOCK_INCOMING, m.k.incoming, false);
    make_both(&m, BLOCK_EXPLICIT, m.k.explicit_, false);
    make_both(&m, BLOCK_EXPLICIT_SECOND, m.second, false);
    if (c->info.basic)
        make_both(&m, BLOCK_EXPLICIT, m.k.basic, true);
    make_both(&m, BLOCK_OUTWARD, m.k.outward, false);
    make_both(&m, BLOCK_INWARD, m.k.inward, false);
    make_both(&m, BLOCK_OBSERVE, m.k.observe, false);
    make_linear(&m);
    vec_drop(c->alloc, &m.observable);
    if (m.status == TAPE_DONE && !write_text(c))
        m.status = TAPE_NO_MEMORY;
    if (m.status != TAPE_DONE)
        return m.status;
    m.k.tag = c->info.tag;
    m.k.text = may_generate(c) ? c->text.items : NULL;
    m.k.link = code_link;
    m.k.unlink = code_unlink;
    m.k.unjoin = code_unjoin;
    bool fma = has_fused();
    set_isa(&m, LIEDER_ISA_SCALAR, 1, fma ? tape_run_scalar_fma : tape_run_scalar,
            fma ? code_join_scalar_fma : code_join_scalar);
    set_isa(&m, LIEDER_ISA_SSE2, 2, tape_run_sse2, code_join_sse2);
    set_isa(&m, LIEDER_ISA_AVX2, 4, tape_run_avx2, code_join_avx2);
    set_isa(&m, LIEDER_ISA_AVX512, 8, tape_run_avx512, code_join_avx512);
    return TAPE_DONE;
}

bool block_class_set_loops(BlockClass *c, LoopBlock *constant, LoopBlock *start,
                           LoopBlock *explicit_, LoopBlock *event, bool uses_time)
{
    LoopBlock *all[] = {constant, start, explicit_, event};
    bool good = vec_reserve(c->alloc, &c->loops, 4);
    for (int i = 0; i < 4; i++)
        if (all[i] && !(good && vec_push(c->alloc, &c->loops, all[i])))
            loop_block_drop(all[i], c->alloc);
    if (!good)
        return false;
    c->info.def.uses_time = uses_time;
    snprintf(c->own_tag, sizeof c->own_tag, "Class_%016llx",
             (unsigned long long)hash_bytes(HASH_SEED, c->info.def.name, strlen(c->info.def.name)));
    /* without scratch nothing is linked, see program_join.c */
    KernelMaker m = {.c = c,
                     .k = {.tag = c->own_tag,
                           .nreal = c->info.nreal,
                           .nscratch = 1,
                           .constant.code = constant,
                           .start.code = start,
                           .explicit_[0].code = explicit_,
                           .event.code = event,
                           .link = loop_link,
                           .unlink = loop_unlink}};
    set_isa(&m, LIEDER_ISA_SCALAR, 1, has_fused() ? loops_alone_avx2 : loops_alone_sse2, NULL);
    set_isa(&m, LIEDER_ISA_SSE2, 2, loops_run_sse2, NULL);
    set_isa(&m, LIEDER_ISA_AVX2, 4, loops_run_avx2, NULL);
    set_isa(&m, LIEDER_ISA_AVX512, 8, loops_run_avx512, NULL);
    return true;
}

LiederStatus block_class_register(Lieder *session, const BlockClass *c)
{
    LiederStatus status = LIEDER_DONE;
    for (int isa = LIEDER_ISA_SCALAR; isa <= LIEDER_ISA_AVX512 && status == LIEDER_DONE; isa++)
        status = lieder_class_register(session, &c->defs[isa]);
    return status;
}
