/* left_out.c - what an extends clause leaves out: extends A(break c, break connect(a.p, b.n)).
 *
 * A component that is left out is one whose condition is false: connections to it go with it, and
 * an equation that reads it is an error. A connection is found by its text.
 */
#include "front/instance/left_out.h"

bool component_left_out(const Mod *mods, const char *name)
{
    for (const Mod *mod = mods; mod; mod = mod->next)
        for (size_t i = 0; !mod->rest && mod->modification && i < mod->modification->arguments.n;
             i++) {
            const Argument *a = mod->modification->arguments.items[i];
            if (a->kind == AR_BREAK && a->name->name == name)
                return true;
        }
    return false;
}

/* the same two connectors, in either order */
static bool is_same_connection(const Equation *a, const Equation *b)
{
    return (span_same_text(a->left->span, b->left->span) &&
            span_same_text(a->right->span, b->right->span)) ||
           (span_same_text(a->left->span, b->right->span) &&
            span_same_text(a->right->span, b->left->span));
}

bool connection_left_out(const ClassPart *part, const Equation *e)
{
    for (const Mod *mod = part ? part->mods : NULL; mod; mod = mod->next)
        for (size_t i = 0; !mod->rest && mod->modification && i < mod->modification->arguments.n;
             i++) {
            const Argument *a = mod->modification->arguments.items[i];
            if (a->kind == AR_BREAK_CONNECT && is_same_connection(a->connect, e))
                return true;
        }
    return false;
}

/* has a list of equations this connection, whatever stands around it? */
static bool has_connection(const EquationList *list, const Equation *connection)
{
    for (size_t i = 0; i < list->n; i++) {
        const Equation *e = list->items[i];
        if (e->kind == EQ_CONNECT && is_same_connection(e, connection))
            return true;
        if (e->kind == EQ_FOR && has_connection(&e->body, connection))
            return true;
        for (size_t k = 0; e->kind == EQ_IF && k < e->branches.n; k++)
            if (has_connection(&e->branches.items[k]->body, connection))
                return true;
    }
    return false;
}

void left_out_check(Front *f, Inst *inst, const Argument *a)
{
    bool found = false;
    if (a->kind == AR_BREAK) {
        const Member *m = inst_find(inst, NULL, a->name->name);
        if (!m)
            report_error(f, a->name->span, inst,
                         "'%s' has no element '%s' that could be left out\n"
                         "look at the declarations of the class that it extends",
                         inst->class_ ? inst->class_->name : "", a->name->name);
        else if (!m->component)
            report_error(f, a->name->span, inst,
                         "'%s' is a class, and only components and connections can be left out\n"
                         "a class that nothing uses does no harm",
                         a->name->name);
        return;
    }
    for (const ClassPart *part = inst->parts; part && !found; part = part->next)
        found = has_connection(&part->class_->equations, a->connect);
    if (!found)
        report_error(f, a->connect->span, inst,
                     "no connection reads like this one, which is to be left out\n"
                     "write both connectors as the connect equation does");
}
