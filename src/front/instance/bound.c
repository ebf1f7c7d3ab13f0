/* bound.c - numbers that other numbers were computed from when the model was made.
 *
 *   parameter Real k = 1, c = 2*k;        equations read both
 *
 * Numbers of the model are data, and may be set while a system lives. The binding of c is evaluated
 * here, once: a system in which k alone is set later would compute with a c that belongs to another
 * k, without a word. So k is marked (model_bind) and refuses to be set in a system; an override
 * before the model is made is the way, and exported FMUs have k as a constant.
 *
 * Every memo keeps which memos its value was found from. The settings of the model and what decides
 * its structure are the roots; all that they reach but themselves is bound. A memo may learn more
 * later, for other elements of an array: what a walked memo reads is bound at once.
 */
#include "front/instance/semantic.h"

/* entries that are compared with a new one; a few that stand twice do no harm */
enum { MAX_COMPARED = 64 };

/* what it was computed from is bound, and what that was computed from; without recursion, since
 * chains of parameters may be long */
static void walk_bounds(Memo *memo)
{
    Memo *queue = memo;
    if (memo->is_walked)
        return;
    memo->is_walked = true;
    memo->next_bound = NULL;
    while (queue) {
        Memo *at = queue;
        queue = at->next_bound;
        for (const MemoRead *r = at->reads; r; r = r->next) {
            r->memo->is_bound = true;
            if (!r->memo->is_walked) {
                r->memo->is_walked = true;
                r->memo->next_bound = queue;
                queue = r->memo;
            }
        }
    }
}

/* the reader keeps what it reads, or it is a root */
static void read_one(Front *f, Memo *reader, Memo *memo)
{
    int compared = 0;
    if (reader->is_walked) { /* it may have been computed before, for another element */
        memo->is_bound = true;
        walk_bounds(memo);
    }
    for (const MemoRead *r = reader->reads; r && compared++ < MAX_COMPARED; r = r->next)
        if (r->memo == memo)
            return;
    MemoRead *read = reader->is_walked ? NULL : work_zeroed(f, sizeof *read);
    if (read) {
        *read = (MemoRead){.next = reader->reads, .memo = memo};
        reader->reads = read;
    }
}

void bound_read(Front *f, Memo *memo)
{
    Memo *reader = f->reading;
    while (reader && reader->is_root) {
        const BoundRoot *root = (const BoundRoot *)reader; /* its first member */
        memo->is_bound |= memo != root->own;
        walk_bounds(memo);
        reader = root->outer;
    }
    if (reader && reader != memo)
        read_one(f, reader, memo);
}

void bound_begin(Front *f, BoundRoot *root, const Memo *own)
{
    *root = (BoundRoot){.memo = {.is_root = true}, .outer = f->reading, .own = own};
    f->reading = &root->memo;
}

void bound_end(Front *f, const BoundRoot *root)
{
    f->reading = root->outer;
}

void bound_emit(Front *f, Member *m, Inst *inst, const char *name)
{
    EmittedNumber *e = work_zeroed(f, sizeof *e);
    if (!e)
        return;
    *e = (EmittedNumber){.next = f->emitted, .member = m, .inst = inst, .name = name};
    f->emitted = e;
}
