/* unused.c - names that nothing declares, in parts of the text that a model does not use.
 *
 * Names are looked up where values are needed, so the branches that parameters switch off, loops
 * without a turn and statements behind a return are never read. A name that exists nowhere is a
 * mistake there as well, which another number of a parameter would bring to light. Once a model is
 * good, the sections of all classes that it has used are read for such names, each class once. Only
 * names by themselves are looked for, without what follows a dot, and no functions: nothing that
 * would have files read that the model does not need.
 */
#include <string.h>

#include "front/instance/semantic.h"

static void read_expression(Front *f, const Expr *e, Env env);

static void read_expressions(Front *f, const ExprList *list, Env env)
{
    for (size_t i = 0; list && i < list->n; i++)
        read_expression(f, list->items[i], env);
}

/* a name by itself is a variable, an index, a class or a predefined type */
static void read_name(Front *f, const Ref *ref, Env env)
{
    size_t said = f->diag->list.n, wrong = f->nwrong;
    for (const Ref *part = ref; part; part = part->rest)
        read_expressions(f, &part->subscripts, env);
    if (ref->global || ref->rest || ref->name == f->word_time)
        return;
    bool known = lookup(f, env, ref->name).kind != FOUND_NOTHING;
    if (f->diag->list.n > said) { /* a class that cannot be read is no concern of this model */
        diag_forget(f->diag, said);
        f->nwrong = wrong;
        known = true;
    }
    if (!known && !f->work.failed)
        warn(f, ref->span, env.inst,
             "there is no '%s' here, in a part that is not used now\n"
             "declare it, or remove what reads it",
             ref->name);
}

/* the body of a loop or a list, with the names of its indices */
static void read_indexed(Front *f, const ForIndexList *indices, size_t k, const Expr *body,
                         const EquationList *equations, Env env);

/* all names of an expression */
static void read_expression(Front *f, const Expr *e, Env env)
{
    if (!e)
        return;
    switch (e->kind) {
    case EX_REF:
        read_name(f, e->ref, env);
        break;
    case EX_UNARY:
    case EX_BINARY:
        read_expression(f, e->left, env);
        read_expression(f, e->right, env);
        break;
    case EX_RANGE:
        read_expression(f, e->range.first, env);
        read_expression(f, e->range.step, env);
        read_expression(f, e->range.last, env);
        break;
    case EX_IF:
        read_expressions(f, e->choice.conditions, env);
        read_expressions(f, e->choice.values, env);
        break;
    case EX_CALL:
        if (e->call->iterators.n && e->call->positional.n == 1) {
            read_indexed(f, &e->call->iterators, 0, e->call->positional.items[0], NULL, env);
            break;
        }
        read_expressions(f, &e->call->positional, env);
        for (size_t i = 0; i < e->call->named.n; i++)
            read_expression(f, e->call->named.items[i]->value, env);
        break;
    case EX_ARRAY:
    case EX_TUPLE:
        read_expressions(f, &e->list, env);
        break;
    case EX_COLLECT:
        read_indexed(f, e->collect.iterators, 0, e->collect.body, NULL, env);
        break;
    case EX_MATRIX:
        for (size_t i = 0; i < e->matrix.nrow; i++)
            read_expressions(f, e->matrix.rows[i], env);
        break;
    case EX_SELECT:
        read_expression(f, e->select.base, env);
        read_expressions(f, e->select.subscripts, env);
        break;
    default:
        break;
    }
}

/* equations or statements; connections are left to what they connect */
static void read_equations(Front *f, const EquationList *list, Env env)
{
    for (size_t i = 0; list && i < list->n; i++) {
        const Equation *e = list->items[i];
        if (e->kind == EQ_CONNECT)
            continue;
        read_expression(f, e->left, env);
        read_expression(f, e->right, env);
        for (size_t k = 0; k < e->branches.n; k++) {
            read_expression(f, e->branches.items[k]->condition, env);
            read_equations(f, &e->branches.items[k]->body, env);
        }
        read_indexed(f, &e->indices, 0, NULL, &e->body, env);
    }
}

static void read_indexed(Front *f, const ForIndexList *indices, size_t k, const Expr *body,
                         const EquationList *equations, Env env)
{
    if (k < indices->n) {
        read_expression(f, indices->items[k]->range, env);
        LocalName name = {.outer = env.frame, .name = indices->items[k]->name};
        env.frame = &name;
        read_indexed(f, indices, k + 1, body, equations, env);
        return;
    }
    read_expression(f, body, env);
    read_equations(f, equations, env);
}

void warn_of_unknown_names(Front *f)
{
    f->round++;
    for (Inst *inst = f->all; inst && !f->work.failed; inst = inst->next)
        for (ClassPart *part = inst->parts; part; part = part->next) {
            Class *c = (Class *)part->class_;
            Env env = {.inst = inst, .part = part};
            if (c->names_read == f->round)
                continue;
            c->names_read = f->round;
            read_equations(f, &c->equations, env);
            read_equations(f, &c->initial_equations, env);
            for (size_t i = 0; i < c->algorithms.n; i++)
                read_equations(f, &c->algorithms.items[i]->statements, env);
        }
}
