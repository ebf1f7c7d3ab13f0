/* print.c - see print.h. */
#include "front/syntax/print.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ expressions */

/* how tight an expression binds; an operand below what its place asks for gets parentheses */
enum {
    BIND_IF,
    BIND_RANGE,
    BIND_OR,
    BIND_AND,
    BIND_NOT,
    BIND_RELATION,
    BIND_ADD,
    BIND_MUL,
    BIND_POW,
    BIND_PRIMARY
};

/* how tightly an expression holds together: what needs parentheses */
static int binding(const Expr *e)
{
    if (e->kind == EX_IF)
        return BIND_IF;
    if (e->kind == EX_RANGE)
        return BIND_RANGE;
    if (e->kind != EX_BINARY && e->kind != EX_UNARY)
        return BIND_PRIMARY;
    if (e->op >= OP_POW)
        return BIND_POW;
    if (e->op >= OP_MUL)
        return BIND_MUL;
    if (e->op >= OP_ADD)
        return BIND_ADD;
    if (e->op >= OP_LESS)
        return BIND_RELATION;
    return e->op == OP_NOT ? BIND_NOT : e->op == OP_AND ? BIND_AND : BIND_OR;
}

static void operand(const Expr *e, int lowest, FILE *to);

static void expressions(const ExprList *list, FILE *to)
{
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0)
            fputs(", ", to);
        if (list->items[i])
            operand(list->items[i], BIND_IF, to);
    }
}

static void subscripts(const ExprList *list, FILE *to)
{
    if (list->n == 0)
        return;
    fputc('[', to);
    expressions(list, to);
    fputc(']', to);
}

void print_reference(const Ref *ref, FILE *to)
{
    if (ref->global)
        fputc('.', to);
    for (; ref; ref = ref->rest) {
        fputs(ref->name, to);
        subscripts(&ref->subscripts, to);
        if (ref->rest)
            fputc('.', to);
    }
}

/* a text with its quotes and escapes */
static void string(const char *text, FILE *to)
{
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', to);
        if (*text == '\r')
            fputs("\\r", to);
        else
            fputc(*text, to);
    }
    fputc('"', to);
}

static void real(double value, FILE *to)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    if (isinf(value))
        fputs("1e999", to);
    else
        fprintf(to, strpbrk(digits, ".e") ? "%s" : "%s.0", digits);
}

static void indices(const ForIndexList *list, FILE *to)
{
    for (size_t i = 0; i < list->n; i++) {
        fprintf(to, "%s%s", i ? ", " : "", list->items[i]->name);
        if (list->items[i]->range) {
            fputs(" in ", to);
            operand(list->items[i]->range, BIND_IF, to);
        }
    }
}

/* a call with its arguments */
static void print_call(const CallExpr *c, FILE *to)
{
    print_reference(c->function, to);
    fputc('(', to);
    expressions(&c->positional, to);
    for (size_t i = 0; i < c->named.n; i++) {
        fprintf(to, "%s%s = ", i || c->positional.n ? ", " : "", c->named.items[i]->name);
        operand(c->named.items[i]->value, BIND_IF, to);
    }
    if (c->iterators.n) {
        fputs(" for ", to);
        indices(&c->iterators, to);
    }
    fputc(')', to);
}

static void choice(const ExprList *conditions, const ExprList *values, FILE *to)
{
    for (size_t i = 0; i < conditions->n; i++) {
        fputs(i ? " elseif " : "if ", to);
        operand(conditions->items[i], BIND_IF, to);
        fputs(" then ", to);
        operand(values->items[i], BIND_IF, to);
    }
    fputs(" else ", to);
    operand(values->items[conditions->n], BIND_IF, to);
}

static void matrix(const Expr *e, FILE *to)
{
    fputc('[', to);
    for (size_t i = 0; i < e->matrix.nrow; i++) {
        if (i > 0)
            fputs("; ", to);
        expressions(e->matrix.rows[i], to);
    }
    fputc(']', to);
}

/* an expression without parentheses around it */
static void bare(const Expr *e, FILE *to)
{
    int tight = binding(e);
    switch (e->kind) {
    case EX_NONE:
        fputs("?", to);
        break;
    case EX_INTEGER:
        fprintf(to, "%lld", e->integer);
        break;
    case EX_REAL:
        real(e->real, to);
        break;
    case EX_STRING:
        string(e->text, to);
        break;
    case EX_BOOLEAN:
        fputs(e->boolean ? "true" : "false", to);
        break;
    case EX_REF:
        print_reference(e->ref, to);
        break;
    case EX_END:
        fputs("end", to);
        break;
    case EX_COLON:
        fputs(":", to);
        break;
    case EX_UNARY:
        fprintf(to, "%s ", operator_text(e->op));
        operand(e->right, tight + 1, to);
        break;
    case EX_BINARY:
        // comparisons and powers do not chain, the others lean to the left
        operand(e->left, tight + (tight == BIND_RELATION || tight == BIND_POW), to);
        fprintf(to, " %s ", operator_text(e->op));
        operand(e->right, tight + 1, to);
        break;
    case EX_RANGE:
        operand(e->range.first, BIND_OR, to);
        fputs(" : ", to);
        if (e->range.step) {
            operand(e->range.step, BIND_OR, to);
            fputs(" : ", to);
        }
        operand(e->range.last, BIND_OR, to);
        break;
    case EX_IF:
        choice(e->choice.conditions, e->choice.values, to);
        break;
    case EX_PARTIAL:
        fputs("function ", to);
        print_call(e->call, to);
        break;
    case EX_CALL:
        print_call(e->call, to);
        break;
    case EX_ARRAY:
        fputc('{', to);
        expressions(&e->list, to);
        fputc('}', to);
        break;
    case EX_COLLECT:
        fputc('{', to);
        operand(e->collect.body, BIND_IF, to);
        fputs(" for ", to);
        indices(e->collect.iterators, to);
        fputc('}', to);
        break;
    case EX_MATRIX:
        matrix(e, to);
        break;
    case EX_TUPLE:
        fputc('(', to);
        expressions(&e->list, to);
        fputc(')', to);
        break;
    case EX_SELECT:
        operand(e->select.base, e->select.base->kind == EX_TUPLE ? BIND_IF : BIND_PRIMARY + 1, to);
        if (e->select.subscripts)
            subscripts(e->select.subscripts, to);
        else
            fprintf(to, ".%s", e->select.name);
        break;
    }
}

static void operand(const Expr *e, int lowest, FILE *to)
{
    bool parentheses = binding(e) < lowest;
    if (parentheses)
        fputc('(', to);
    bare(e, to);
    if (parentheses)
        fputc(')', to);
}

void print_expression(const Expr *e, FILE *to)
{
    operand(e, BIND_IF, to);
}

/* ------------------------------------------------------------------ modifications */

static void element_body(const ClassElement *element, FILE *to);
static void equation(const Equation *e, FILE *to);

static void modification(const Modification *m, FILE *to);

/* an argument of a modification */
static void argument(const Argument *a, FILE *to)
{
    if (a->kind == AR_ELEMENT) {
        element_body(a->element, to);
        return;
    }
    if (a->each)
        fputs("each ", to);
    if (a->final)
        fputs("final ", to);
    if (a->kind != AR_MODIFY)
        fputs("break ", to);
    if (a->kind == AR_BREAK_CONNECT)
        equation(a->connect, to);
    else
        print_reference(a->name, to);
    modification(a->modification, to);
    if (a->text) {
        fputc(' ', to);
        string(a->text, to);
    }
}

static void arguments(const ArgumentList *list, FILE *to)
{
    if (list->n == 0)
        return;
    fputc('(', to);
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0)
            fputs(", ", to);
        argument(list->items[i], to);
    }
    fputc(')', to);
}

static void modification(const Modification *m, FILE *to)
{
    if (!m)
        return;
    arguments(&m->arguments, to);
    if (m->is_break)
        fputs(" = break", to);
    if (m->value) {
        fputs(" = ", to);
        print_expression(m->value, to);
    }
}

static void annotation(const ArgumentList *list, FILE *to)
{
    if (list->n) {
        fputs(" annotation", to);
        arguments(list, to);
    }
}

static void comment(const Comment *c, FILE *to)
{
    if (c->text) {
        fputc(' ', to);
        string(c->text, to);
    }
    annotation(&c->annotation, to);
}

/* ------------------------------------------------------------------ equations */

static void equations(const EquationList *list, FILE *to)
{
    for (size_t i = 0; i < list->n; i++) {
        equation(list->items[i], to);
        fputs(";\n", to);
    }
}

/* if or when with all its branches */
static void branches(const Equation *e, const char *word, const char *again, FILE *to)
{
    for (size_t i = 0; i < e->branches.n; i++) {
        const Branch *branch = e->branches.items[i];
        if (branch->condition) {
            fprintf(to, "%s ", i ? again : word);
            print_expression(branch->condition, to);
            fputs(" then\n", to);
        } else {
            fputs("else\n", to);
        }
        equations(&branch->body, to);
    }
    fprintf(to, "end %s", word);
}

/* an equation or statement */
static void equation(const Equation *e, FILE *to)
{
    switch (e->kind) {
    case EQ_NONE:
        break;
    case EQ_EQUAL:
        operand(e->left, BIND_RANGE, to);
        fputs(" = ", to);
        print_expression(e->right, to);
        break;
    case EQ_ASSIGN:
        operand(e->left, BIND_PRIMARY, to);
        fputs(" := ", to);
        print_expression(e->right, to);
        break;
    case EQ_CALL:
        print_expression(e->left, to);
        break;
    case EQ_CONNECT:
        fputs("connect(", to);
        print_expression(e->left, to);
        fputs(", ", to);
        print_expression(e->right, to);
        fputc(')', to);
        break;
    case EQ_IF:
        branches(e, "if", "elseif", to);
        break;
    case EQ_WHEN:
        branches(e, "when", "elsewhen", to);
        break;
    case EQ_FOR:
        fputs("for ", to);
        indices(&e->indices, to);
        fputs(" loop\n", to);
        equations(&e->body, to);
        fputs("end for", to);
        break;
    case EQ_WHILE:
        fputs("while ", to);
        print_expression(e->left, to);
        fputs(" loop\n", to);
        equations(&e->body, to);
        fputs("end while", to);
        break;
    case EQ_BREAK:
        fputs("break", to);
        break;
    case EQ_RETURN:
        fputs("return", to);
        break;
    }
    comment(&e->comment, to);
}

/* ------------------------------------------------------------------ elements */

static void type_prefix(TypePrefix prefix, FILE *to)
{
    static const char *const connection[] = {"", "flow ", "stream "};
    static const char *const variability[] = {"", "discrete ", "parameter ", "constant "};
    static const char *const causality[] = {"", "input ", "output "};
    fprintf(to, "%s%s%s", connection[prefix.connection], variability[prefix.variability],
            causality[prefix.causality]);
}

/* a declaration of one component */
static void component(const ComponentDecl *c, const Comment *remark, FILE *to)
{
    type_prefix(c->prefix, to);
    print_reference(c->type, to);
    subscripts(&c->type_subscripts, to);
    fprintf(to, " %s", c->name);
    subscripts(&c->subscripts, to);
    modification(c->modification, to);
    if (c->condition) {
        fputs(" if ", to);
        print_expression(c->condition, to);
    }
    comment(remark, to);
}

/* an import clause */
static void import(const Import *i, FILE *to)
{
    fputs("import ", to);
    if (i->alias)
        fprintf(to, "%s = ", i->alias);
    print_reference(i->name, to);
    if (i->all)
        fputs(".*", to);
    for (size_t k = 0; k < i->names.n; k++)
        fprintf(to, "%s%s", k ? ", " : ".{", i->names.items[k]->name);
    if (i->names.n)
        fputc('}', to);
}

/* an element behind its visibility */
static void element_body(const ClassElement *e, FILE *to)
{
    fprintf(to, "%s%s%s%s%s%s", e->redeclare ? "redeclare " : "", e->each ? "each " : "",
            e->final ? "final " : "", e->inner ? "inner " : "", e->outer ? "outer " : "",
            e->replaceable ? "replaceable " : "");
    switch (e->kind) {
    case EL_IMPORT:
        import(e->import, to);
        comment(&e->comment, to);
        break;
    case EL_EXTENDS:
        fputs("extends ", to);
        print_reference(e->extends->type, to);
        modification(e->extends->modification, to);
        comment(&e->comment, to);
        break;
    case EL_CLASS:
        print_class(e->class_, to);
        break;
    case EL_COMPONENT:
        component(e->component, &e->comment, to);
        break;
    }
    if (e->constraint) {
        fputs(" constrainedby ", to);
        print_reference(e->constraint->type, to);
        modification(e->constraint->modification, to);
        comment(&e->constraint->comment, to);
    }
}

/* ------------------------------------------------------------------ classes */

/* the external clause of a function */
static void external(const External *x, FILE *to)
{
    fputs("external ", to);
    if (x->language)
        string(x->language, to);
    if (x->name) {
        fputc(' ', to);
        if (x->result) {
            print_reference(x->result, to);
            fputs(" = ", to);
        }
        fprintf(to, "%s(", x->name);
        expressions(&x->arguments, to);
        fputc(')', to);
    }
    annotation(&x->annotation, to);
    fputs(";\n", to);
}

/* everything between the name of a class and its end */
static void composition(const Class *c, FILE *to)
{
    bool is_protected = false;
    for (size_t i = 0; i < c->elements.n; i++) {
        const ClassElement *e = c->elements.items[i];
        if (e->is_protected != is_protected)
            fputs(e->is_protected ? "protected\n" : "public\n", to);
        is_protected = e->is_protected;
        element_body(e, to);
        fputs(";\n", to);
    }
    if (c->initial_equations.n)
        fputs("initial equation\n", to);
    equations(&c->initial_equations, to);
    if (c->equations.n)
        fputs("equation\n", to);
    equations(&c->equations, to);
    for (size_t i = 0; i < c->algorithms.n; i++) {
        fputs(c->algorithms.items[i]->initial ? "initial algorithm\n" : "algorithm\n", to);
        equations(&c->algorithms.items[i]->statements, to);
    }
    if (c->external)
        external(c->external, to);
    if (c->comment.annotation.n) {
        annotation(&c->comment.annotation, to);
        fputs(";\n", to);
    }
    fprintf(to, "end %s", c->name);
}

static void enumeration(const Class *c, FILE *to)
{
    fputs("enumeration(", to);
    if (c->open_enum)
        fputc(':', to);
    for (size_t i = 0; i < c->literals.n; i++) {
        fprintf(to, "%s%s", i ? ", " : "", c->literals.items[i]->name);
        comment(&c->literals.items[i]->comment, to);
    }
    fputc(')', to);
}

void print_class(const Class *c, FILE *to)
{
    static const char *const purity[] = {"", "pure ", "impure "};
    fprintf(to, "%s%s%s%s ", c->encapsulated ? "encapsulated " : "", c->partial ? "partial " : "",
            purity[c->purity], class_kind_text(c->kind));
    fprintf(to, "%s%s", c->form == FORM_EXTENDS ? "extends " : "", c->name);
    if (c->form == FORM_LONG || c->form == FORM_EXTENDS) {
        modification(c->modification, to);
        if (c->comment.text) {
            fputc(' ', to);
            string(c->comment.text, to);
        }
        fputc('\n', to);
        composition(c, to);
        return;
    }
    fputs(" = ", to);
    if (c->form == FORM_ENUM) {
        enumeration(c, to);
    } else if (c->form == FORM_DER) {
        fputs("der(", to);
        print_reference(c->base, to);
        for (size_t i = 0; i < c->inputs.n; i++)
            fprintf(to, ", %s", c->inputs.items[i]->name);
        fputc(')', to);
    } else {
        type_prefix(c->prefix, to);
        print_reference(c->base, to);
        subscripts(&c->subscripts, to);
        modification(c->modification, to);
    }
    comment(&c->comment, to);
}

void print_file(const SyntaxFile *file, FILE *to)
{
    if (file->has_within) {
        fputs("within ", to);
        if (file->within)
            print_reference(file->within, to);
        fputs(";\n", to);
    }
    for (size_t i = 0; i < file->classes.n; i++) {
        if (file->classes.items[i]->final)
            fputs("final ", to);
        print_class(file->classes.items[i], to);
        fputs(";\n", to);
    }
}
