/* tree_equal.h - two syntax trees hold the same, places aside. The names must come from one
 * interner. Empty modifications equal none.
 */
#ifndef LIEDER_TEST_FRONT_TREE_EQUAL_H
#define LIEDER_TEST_FRONT_TREE_EQUAL_H

#include <string.h>

#include "front/syntax/tree.h"

static bool same_expr(const Expr *a, const Expr *b);
static bool same_equation(const Equation *a, const Equation *b);
static bool same_element(const ClassElement *a, const ClassElement *b);
static bool same_class(const Class *a, const Class *b);

static inline bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* lists of pointers, item by item */
#define SAME_LIST(a, b, same) ((a).n == (b).n && same_items_##same((a).items, (b).items, (a).n))
#define DEFINE_SAME_ITEMS(T, same)                                                                 \
    static inline bool same_items_##same(T **a, T **b, size_t n)                                   \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            if (!same(a[i], b[i]))                                                                 \
                return false;                                                                      \
        return true;                                                                               \
    }

DEFINE_SAME_ITEMS(Expr, same_expr)
DEFINE_SAME_ITEMS(Equation, same_equation)
DEFINE_SAME_ITEMS(ClassElement, same_element)
DEFINE_SAME_ITEMS(Class, same_class)

static inline bool same_ref(const Ref *a, const Ref *b)
{
    for (; a && b; a = a->rest, b = b->rest)
        if (a->name != b->name || a->global != b->global ||
            !SAME_LIST(a->subscripts, b->subscripts, same_expr))
            return false;
    return a == b;
}
DEFINE_SAME_ITEMS(Ref, same_ref)

static inline bool same_index(const ForIndex *a, const ForIndex *b)
{
    return a->name == b->name && same_expr(a->range, b->range);
}
DEFINE_SAME_ITEMS(ForIndex, same_index)

static inline bool same_named(const NamedArgument *a, const NamedArgument *b)
{
    return a->name == b->name && same_expr(a->value, b->value);
}
DEFINE_SAME_ITEMS(NamedArgument, same_named)

static inline bool same_call(const CallExpr *a, const CallExpr *b)
{
    return same_ref(a->function, b->function) &&
           SAME_LIST(a->positional, b->positional, same_expr) &&
           SAME_LIST(a->named, b->named, same_named) &&
           SAME_LIST(a->iterators, b->iterators, same_index);
}

static inline bool same_expr_list(const ExprList *a, const ExprList *b)
{
    return a && b ? SAME_LIST(*a, *b, same_expr) : a == b;
}
DEFINE_SAME_ITEMS(ExprList, same_expr_list)

static bool same_expr(const Expr *a, const Expr *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->height != b->height)
        return false;
    switch (a->kind) {
    case EX_NONE:
    case EX_END:
    case EX_COLON:
        return true;
    case EX_INTEGER:
        return a->integer == b->integer;
    case EX_REAL:
        return a->real == b->real;
    case EX_STRING:
        return same_text(a->text, b->text);
    case EX_BOOLEAN:
        return a->boolean == b->boolean;
    case EX_REF:
        return same_ref(a->ref, b->ref);
    case EX_UNARY:
    case EX_BINARY:
        return a->op == b->op && same_expr(a->left, b->left) && same_expr(a->right, b->right);
    case EX_RANGE:
        return same_expr(a->range.first, b->range.first) &&
               same_expr(a->range.step, b->range.step) && same_expr(a->range.last, b->range.last);
    case EX_IF:
        return same_expr_list(a->choice.conditions, b->choice.conditions) &&
               same_expr_list(a->choice.values, b->choice.values);
    case EX_CALL:
    case EX_PARTIAL:
        return same_call(a->call, b->call);
    case EX_ARRAY:
    case EX_TUPLE:
        return same_expr_list(&a->list, &b->list);
    case EX_COLLECT:
        return same_expr(a->collect.body, b->collect.body) &&
               SAME_LIST(*a->collect.iterators, *b->collect.iterators, same_index);
    case EX_MATRIX:
        return a->matrix.nrow == b->matrix.nrow &&
               same_items_same_expr_list(a->matrix.rows, b->matrix.rows, a->matrix.nrow);
    case EX_SELECT:
        return same_expr(a->select.base, b->select.base) && a->select.name == b->select.name &&
               same_expr_list(a->select.subscripts, b->select.subscripts);
    }
    return false;
}

static bool same_argument(const Argument *a, const Argument *b);
DEFINE_SAME_ITEMS(Argument, same_argument)

static inline bool same_comment(const Comment *a, const Comment *b)
{
    return same_text(a->text, b->text) && SAME_LIST(a->annotation, b->annotation, same_argument);
}

static inline bool same_modification(const Modification *a, const Modification *b)
{
    static const Modification none = {0};
    a = a ? a : &none;
    b = b ? b : &none;
    return SAME_LIST(a->arguments, b->arguments, same_argument) && a->is_break == b->is_break &&
           same_expr(a->value, b->value);
}

static bool same_argument(const Argument *a, const Argument *b)
{
    return a->kind == b->kind && a->each == b->each && a->final == b->final &&
           same_ref(a->name, b->name) && same_modification(a->modification, b->modification) &&
           same_text(a->text, b->text) && same_element(a->element, b->element) &&
           same_equation(a->connect, b->connect);
}

static inline bool same_branch(const Branch *a, const Branch *b)
{
    return same_expr(a->condition, b->condition) && SAME_LIST(a->body, b->body, same_equation);
}
DEFINE_SAME_ITEMS(Branch, same_branch)

static bool same_equation(const Equation *a, const Equation *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && same_comment(&a->comment, &b->comment) &&
           same_expr(a->left, b->left) && same_expr(a->right, b->right) &&
           SAME_LIST(a->branches, b->branches, same_branch) &&
           SAME_LIST(a->indices, b->indices, same_index) &&
           SAME_LIST(a->body, b->body, same_equation);
}

static inline bool same_imported(const ImportedName *a, const ImportedName *b)
{
    return a->name == b->name;
}
DEFINE_SAME_ITEMS(ImportedName, same_imported)

static inline bool same_prefix(TypePrefix a, TypePrefix b)
{
    return a.connection == b.connection && a.variability == b.variability &&
           a.causality == b.causality;
}

static inline bool same_component(const ComponentDecl *a, const ComponentDecl *b)
{
    return a->name == b->name && same_prefix(a->prefix, b->prefix) && same_ref(a->type, b->type) &&
           same_expr_list(&a->type_subscripts, &b->type_subscripts) &&
           same_expr_list(&a->subscripts, &b->subscripts) &&
           same_modification(a->modification, b->modification) &&
           same_expr(a->condition, b->condition);
}

static inline bool same_constraint(const Constraint *a, const Constraint *b)
{
    if (!a || !b)
        return a == b;
    return same_ref(a->type, b->type) && same_modification(a->modification, b->modification) &&
           same_comment(&a->comment, &b->comment);
}

static bool same_element(const ClassElement *a, const ClassElement *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->is_protected != b->is_protected || a->redeclare != b->redeclare ||
        a->final != b->final || a->inner != b->inner || a->outer != b->outer ||
        a->replaceable != b->replaceable || a->each != b->each ||
        !same_constraint(a->constraint, b->constraint) || !same_comment(&a->comment, &b->comment))
        return false;
    switch (a->kind) {
    case EL_IMPORT:
        return a->import->alias == b->import->alias && same_ref(a->import->name, b->import->name) &&
               a->import->all == b->import->all &&
               SAME_LIST(a->import->names, b->import->names, same_imported);
    case EL_EXTENDS:
        return same_ref(a->extends->type, b->extends->type) &&
               same_modification(a->extends->modification, b->extends->modification);
    case EL_CLASS:
        return same_class(a->class_, b->class_);
    case EL_COMPONENT:
        return same_component(a->component, b->component);
    }
    return false;
}

static inline bool same_algorithm(const Algorithm *a, const Algorithm *b)
{
    return a->initial == b->initial && SAME_LIST(a->statements, b->statements, same_equation);
}
DEFINE_SAME_ITEMS(Algorithm, same_algorithm)

static inline bool same_literal(const EnumLiteral *a, const EnumLiteral *b)
{
    return a->name == b->name && same_comment(&a->comment, &b->comment);
}
DEFINE_SAME_ITEMS(EnumLiteral, same_literal)

static inline bool same_external(const External *a, const External *b)
{
    if (!a || !b)
        return a == b;
    return same_text(a->language, b->language) && same_ref(a->result, b->result) &&
           a->name == b->name && same_expr_list(&a->arguments, &b->arguments) &&
           SAME_LIST(a->annotation, b->annotation, same_argument);
}

static bool same_class(const Class *a, const Class *b)
{
    return a->name == b->name && a->kind == b->kind && a->form == b->form &&
           a->purity == b->purity && a->encapsulated == b->encapsulated &&
           a->partial == b->partial && a->final == b->final && !a->parent == !b->parent &&
           same_comment(&a->comment, &b->comment) &&
           SAME_LIST(a->elements, b->elements, same_element) &&
           SAME_LIST(a->equations, b->equations, same_equation) &&
           SAME_LIST(a->initial_equations, b->initial_equations, same_equation) &&
           SAME_LIST(a->algorithms, b->algorithms, same_algorithm) &&
           same_external(a->external, b->external) &&
           same_modification(a->modification, b->modification) && same_ref(a->base, b->base) &&
           same_prefix(a->prefix, b->prefix) && same_expr_list(&a->subscripts, &b->subscripts) &&
           SAME_LIST(a->inputs, b->inputs, same_ref) &&
           SAME_LIST(a->literals, b->literals, same_literal) && a->open_enum == b->open_enum;
}

static inline bool tree_equal(const SyntaxFile *a, const SyntaxFile *b)
{
    return a->has_within == b->has_within && same_ref(a->within, b->within) &&
           SAME_LIST(a->classes, b->classes, same_class);
}

#endif
