/* test_parse.c - the parser: trees, places, messages, recovery, limits, memory, round trip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "front/syntax/parse.h"
#include "front/syntax/print.h"
#include "grammar_text.h"
#include "library/texts.h"
#include "tree_equal.h"

typedef struct Case {
    Arena arena;
    Interner names;
    Diagnostics diag;
    SyntaxFile *file;
} Case;

static Case parse_range(const char *text, size_t length)
{
    Case c;
    arena_init(&c.arena, &memory_default);
    intern_init(&c.names, &memory_default);
    diag_init(&c.diag, &memory_default);
    c.file = parse_text(&c.arena, &c.names, &c.diag, "test.mo", text, length);
    assert_non_null(c.file);
    return c;
}

static Case parse(const char *text)
{
    return parse_range(text, strlen(text));
}

static void drop(Case *c)
{
    diag_drop(&c->diag);
    intern_drop(&c->names);
    arena_drop(&c->arena);
}

static void assert_clean(const Case *c)
{
    if (c->diag.list.n)
        print_error("%d:%d: %s\n", c->diag.list.items[0].line, c->diag.list.items[0].column,
                    c->diag.list.items[0].message);
    assert_int_equal(c->diag.list.n, 0);
    assert_int_equal(c->file->nerrors, 0);
}

/* ------------------------------------------------------------------ expressions */

/* the printed form of an expression; caller frees */
static char *printed(const Expr *e)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    print_expression(e, to);
    fclose(to);
    return text;
}

/* "Real x = TEXT;" parses to an expression that prints like this */
static void assert_expression(const char *text, const char *expected)
{
    char model[400];
    snprintf(model, sizeof model, "model A Real x = %s; end A;", text);
    Case c = parse(model);
    assert_clean(&c);
    Expr *e = c.file->classes.items[0]->elements.items[0]->component->modification->value;
    char *out = printed(e);
    assert_string_equal(out, expected);
    free(out);
    drop(&c);
}

static void binds_operators_as_the_grammar_says(void **state)
{
    (void)state;
    assert_expression("a+b*c^d", "a + b * c ^ d");
    assert_expression("(a+b)*(c^d)", "(a + b) * c ^ d");
    assert_expression("(a-b)-c", "a - b - c");
    assert_expression("a-(b-c)", "a - (b - c)");
    assert_expression("a/(b/c)", "a / (b / c)");
    assert_expression("-a*b", "- a * b");
    assert_expression("-a^2", "- a ^ 2");
    assert_expression("(-a)^2", "(- a) ^ 2");
    assert_expression("(-a)*b", "(- a) * b");
    assert_expression("(a^b)^c", "(a ^ b) ^ c");
    assert_expression("a^(b^c)", "a ^ (b ^ c)");
    assert_expression("not a < b and c or d", "not a < b and c or d");
    assert_expression("not (a and b)", "not (a and b)");
    assert_expression("(not a) == b", "(not a) == b");
    assert_expression("1:n+1", "1 : n + 1");
    assert_expression("1:2:3", "1 : 2 : 3");
    assert_expression("(1:2):3", "(1 : 2) : 3");
    assert_expression("(if a then b else c) + 1", "(if a then b else c) + 1");
    assert_expression("if a then b elseif c then d else e + 1",
                      "if a then b elseif c then d else e + 1");
    assert_expression("(((a)))", "a");
    assert_expression("2.*x", "2.0 * x");
}

static void unary_minus_takes_the_term(void **state)
{
    (void)state;
    Case c = parse("model A Real x = -a*b; end A;");
    assert_clean(&c);
    Expr *e = c.file->classes.items[0]->elements.items[0]->component->modification->value;
    assert_int_equal(e->kind, EX_UNARY);
    assert_int_equal(e->op, OP_SUB);
    assert_null(e->left);
    assert_int_equal(e->right->kind, EX_BINARY);
    assert_int_equal(e->right->op, OP_MUL);
    assert_int_equal(e->height, 3);
    drop(&c);
}

static void reads_calls_and_arrays(void **state)
{
    (void)state;
    assert_expression("f(1, 2, a = 3, b = function g(c = 4))",
                      "f(1, 2, a = 3, b = function g(c = 4))");
    assert_expression("sum(x[i]*y[j] for i in 1:n, j)", "sum(x[i] * y[j] for i in 1 : n, j)");
    assert_expression("{i for i in {1,2}}", "{i for i in {1, 2}}");
    assert_expression("[1,2;3,4]", "[1, 2; 3, 4]");
    assert_expression(".a.b[end,:].c", ".a.b[end, :].c");
    assert_expression("(f(x)).y", "(f(x)).y");
    assert_expression("(a, b)[1]", "(a, b)[1]");
    assert_expression("der(x)", "der(x)");
    assert_expression("'a b'.'c\\?'", "'a b'.'c?'");
}

static void reads_literals(void **state)
{
    (void)state;
    Case c = parse("model A\n"
                   "Integer i = 9223372036854775807;\n"
                   "Real r = 9223372036854775808;\n"
                   "String s = \"a\\n\\\"\\d\r\nb\";\n"
                   "Boolean b = true;\n"
                   "Real t = 1.5e-3;\n"
                   "end A;");
    assert_clean(&c);
    ClassElement **e = c.file->classes.items[0]->elements.items;
    assert_int_equal(e[0]->component->modification->value->kind, EX_INTEGER);
    assert_true(e[0]->component->modification->value->integer == 9223372036854775807ll);
    assert_int_equal(e[1]->component->modification->value->kind, EX_REAL);
    assert_true(e[1]->component->modification->value->real == 0x1p63);
    assert_string_equal(e[2]->component->modification->value->text, "a\n\"\\d\nb");
    assert_true(e[3]->component->modification->value->boolean);
    assert_true(e[4]->component->modification->value->real == 1.5e-3);
    drop(&c);
}

/* ------------------------------------------------------------------ the whole grammar */

static void keeps_names_equal_by_pointer(void **state)
{
    (void)state;
    Case c = parse("model A Real x; equation x = 'x'; end A;");
    assert_clean(&c);
    Class *a = c.file->classes.items[0];
    assert_ptr_equal(a->elements.items[0]->component->name, a->equations.items[0]->left->ref->name);
    assert_ptr_not_equal(a->equations.items[0]->left->ref->name,
                         a->equations.items[0]->right->ref->name);
    drop(&c);
}

static void reads_every_production(void **state)
{
    (void)state;
    Case c = parse(grammar_text);
    assert_clean(&c);
    assert_true(c.file->has_within);
    assert_string_equal(c.file->within->rest->name, "B");
    assert_int_equal(c.file->classes.n, 2);
    Class *p = c.file->classes.items[0];
    assert_true(p->final && p->encapsulated);
    assert_string_equal(p->comment.text, "all of it");
    ClassElement **e = p->elements.items;

    // imports
    assert_string_equal(e[0]->import->alias, "X");
    assert_string_equal(e[0]->comment.text, "renamed");
    assert_true(e[2]->import->all);
    assert_int_equal(e[3]->import->names.n, 2);

    // short classes
    assert_int_equal(e[4]->class_->form, FORM_ENUM);
    assert_int_equal(e[4]->class_->literals.n, 2);
    assert_int_equal(e[4]->class_->literals.items[1]->comment.annotation.n, 1);
    assert_int_equal(e[4]->class_->comment.annotation.n, 1);
    assert_true(e[5]->class_->open_enum);
    assert_int_equal(e[7]->class_->modification->arguments.n, 2);
    assert_true(e[7]->class_->modification->arguments.items[1]->final);
    assert_int_equal(e[8]->class_->prefix.causality, CAUSE_INPUT);
    assert_int_equal(e[8]->class_->subscripts.n, 1);
    assert_int_equal(e[9]->class_->form, FORM_DER);
    assert_int_equal(e[9]->class_->inputs.n, 2);
    assert_int_equal(e[10]->class_->kind, CLASS_EXPANDABLE_CONNECTOR);
    assert_int_equal(e[11]->class_->kind, CLASS_OPERATOR_RECORD);
    assert_int_equal(e[11]->class_->elements.items[2]->class_->kind, CLASS_OPERATOR);
    assert_int_equal(e[11]->class_->elements.items[3]->class_->kind, CLASS_OPERATOR_FUNCTION);
    assert_ptr_equal(e[11]->class_->elements.items[3]->class_->parent, e[11]->class_);

    // elements
    Class *base = e[12]->class_;
    ClassElement **b = base->elements.items;
    assert_true(base->partial);
    assert_int_equal(base->elements.n, 11);
    assert_true(b[0]->outer && !b[0]->inner && b[1]->inner && b[1]->outer);
    assert_true(b[2]->replaceable);
    assert_string_equal(b[2]->constraint->comment.text, "d");
    assert_string_equal(b[3]->comment.text, "own");
    assert_non_null(b[3]->constraint);
    assert_int_equal(b[4]->component->prefix.connection, CONNECT_FLOW);
    assert_int_equal(b[5]->component->prefix.connection, CONNECT_STREAM);
    assert_int_equal(b[6]->component->prefix.variability, VARY_DISCRETE);
    assert_int_equal(b[6]->component->prefix.causality, CAUSE_OUTPUT);
    assert_true(!b[6]->is_protected && b[7]->is_protected && b[9]->is_protected);
    assert_ptr_equal(b[7]->component->type, b[8]->component->type);
    assert_int_equal(b[8]->component->subscripts.n, 2);
    assert_int_equal(b[8]->component->subscripts.items[1]->kind, EX_COLON);
    assert_int_equal(b[9]->component->type_subscripts.n, 1);
    assert_non_null(b[9]->component->condition);
    assert_true(b[9]->component->modification->arguments.items[0]->each);
    assert_true(!b[10]->is_protected && b[10]->component->modification->is_break);

    // class extends, extends with all kinds of arguments
    Class *old = e[13]->class_;
    assert_int_equal(old->form, FORM_EXTENDS);
    assert_int_equal(old->modification->arguments.n, 2);
    ArgumentList args = old->elements.items[0]->extends->modification->arguments;
    assert_int_equal(args.n, 7);
    assert_int_equal(args.items[0]->kind, AR_BREAK);
    assert_int_equal(args.items[1]->kind, AR_BREAK_CONNECT);
    assert_string_equal(args.items[2]->name->rest->name, "v");
    assert_true(args.items[3]->element->redeclare && args.items[3]->element->replaceable);
    assert_true(args.items[3]->element->each && args.items[3]->element->final);
    assert_int_equal(args.items[4]->element->component->prefix.variability, VARY_CONSTANT);
    assert_false(args.items[5]->element->redeclare);
    assert_true(args.items[6]->modification->is_break);
    assert_int_equal(old->elements.items[1]->class_->form, FORM_EXTENDS);

    // sections
    assert_int_equal(old->initial_equations.n, 1);
    assert_int_equal(old->equations.n, 12);
    assert_int_equal(old->equations.items[8]->kind, EQ_CONNECT);
    assert_int_equal(old->equations.items[9]->branches.n, 3);
    assert_null(old->equations.items[9]->branches.items[2]->condition);
    assert_int_equal(old->equations.items[10]->indices.n, 2);
    assert_int_equal(old->equations.items[11]->kind, EQ_CALL);
    assert_int_equal(old->algorithms.n, 2);
    assert_true(old->algorithms.items[0]->initial);
    EquationList statements = old->algorithms.items[1]->statements;
    static const EquationKind kinds[] = {EQ_ASSIGN, EQ_ASSIGN, EQ_WHILE, EQ_IF, EQ_FOR, EQ_WHEN};
    assert_int_equal(statements.n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(statements.items[i]->kind, kinds[i]);
    assert_int_equal(old->comment.annotation.n, 2);

    // external functions
    External *x = e[14]->class_->external;
    assert_int_equal(e[14]->class_->purity, PURITY_IMPURE);
    assert_string_equal(x->language, "C");
    assert_string_equal(x->result->rest->name, "z");
    assert_string_equal(x->name, "cf");
    assert_int_equal(x->arguments.n, 2);
    assert_int_equal(x->annotation.n, 1);
    assert_int_equal(e[14]->class_->comment.annotation.n, 1);
    assert_non_null(e[15]->class_->external);
    assert_null(e[15]->class_->external->name);
    assert_null(e[16]->class_->external->result);
    drop(&c);
}

static void tolerates_what_libraries_do(void **state)
{
    (void)state;
    Case c = parse("\xEF\xBB\xBFpartial encapsulated model A \"\xC3\xA4\xFF\"\r\n"
                   "  output parameter flow Real x := 1; // \xE2\x82\xAC\r\n"
                   "  annotation(a = 1);\r\n"
                   "  replaceable B b extends C;\r\n"
                   "  Real 'a \xC3\xA4';\r\n"
                   "equation\r\n"
                   "  x = 1;\r\n"
                   "  annotation(b = 2);\r\n"
                   "  x = 2;\r\n"
                   "end A;\r\n"
                   "connector P = flow Real;");
    assert_clean(&c);
    Class *a = c.file->classes.items[0];
    assert_int_equal(a->comment.annotation.n, 2);
    assert_int_equal(a->equations.n, 2);
    assert_int_equal(a->elements.n, 3);
    assert_non_null(a->elements.items[1]->constraint);
    assert_int_equal(c.file->classes.items[1]->prefix.connection, CONNECT_FLOW);
    drop(&c);
}

static void prints_what_parses_to_the_same_tree(void **state)
{
    (void)state;
    Case c = parse(grammar_text);
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    print_file(c.file, to);
    fclose(to);
    SyntaxFile *again = parse_text(&c.arena, &c.names, &c.diag, "printed", text, length);
    assert_clean(&c);
    assert_true(tree_equal(c.file, again));

    // and the comparison can tell trees apart
    char *digit = strstr(text, "start = 1");
    assert_non_null(digit);
    digit[8] = '2';
    SyntaxFile *other = parse_text(&c.arena, &c.names, &c.diag, "changed", text, length);
    assert_false(tree_equal(c.file, other));
    free(text);
    drop(&c);
}

/* ------------------------------------------------------------------ places */

static void assert_span(SourceSpan span, int line, int column, int length)
{
    Place place = span_place(span);
    assert_string_equal(place.file, "test.mo");
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    assert_int_equal(place.length, length);
}

static void places_are_exact(void **state)
{
    (void)state;
    Case c = parse("\xEF\xBB\xBFmodel A \"\xC3\xA4\xC3\xB6\" Real z;\r\n"
                   "\tReal x[3](start = a + b) = f(y.u, 2), y \"doc\";\n"
                   "equation\r"
                   "  (x) *y.z[1]\n"
                   "    = 3;\n"
                   "end A;\n");
    assert_clean(&c);
    Class *a = c.file->classes.items[0];
    assert_span(a->span, 1, 1, 20);
    assert_span(a->name_span, 1, 7, 1);
    // columns count characters: two umlauts are two columns, a tab is one
    assert_span(a->elements.items[0]->component->name_span, 1, 19, 1);
    ClassElement *x = a->elements.items[1], *y = a->elements.items[2];
    assert_span(x->span, 2, 2, 36);
    assert_span(x->component->name_span, 2, 7, 1);
    assert_span(x->component->type->span, 2, 2, 4);
    assert_span(x->component->subscripts.items[0]->span, 2, 9, 1);
    assert_span(x->component->modification->span, 2, 11, 27);
    Argument *start = x->component->modification->arguments.items[0];
    assert_span(start->span, 2, 12, 13);
    assert_span(start->modification->value->span, 2, 20, 5);
    assert_span(start->modification->value->right->span, 2, 24, 1);
    Expr *f = x->component->modification->value;
    assert_span(f->span, 2, 29, 9);
    assert_span(f->call->function->span, 2, 29, 1);
    assert_span(f->call->positional.items[0]->span, 2, 31, 3);
    assert_span(f->call->positional.items[0]->ref->rest->span, 2, 33, 1);
    assert_span(ref_span(f->call->positional.items[0]->ref), 2, 31, 3);
    assert_span(y->span, 2, 40, 7);
    // a node over two lines is underlined on the first; a lone CR ends a line
    assert_span(a->equations.items[0]->span, 4, 3, 11);
    assert_span(a->equations.items[0]->left->span, 4, 3, 11);
    assert_span(a->equations.items[0]->right->span, 5, 7, 1);
    assert_int_equal(span_place(a->equations.items[0]->right->span).source -
                         span_place(a->equations.items[0]->left->span).source,
                     14);
    drop(&c);
}

/* ------------------------------------------------------------------ errors */

/* the diagnostics of a text, one per line: "line:column+length message[ | advice]" */
static void assert_errors_in(const char *text, size_t size, const char *expected)
{
    Case c = parse_range(text, size);
    char *out = NULL;
    size_t length;
    FILE *to = open_memstream(&out, &length);
    for (size_t i = 0; i < c.diag.list.n; i++) {
        const LiederDiagnostic *d = &c.diag.list.items[i];
        fprintf(to, "%d:%d+%d %s", d->line, d->column, d->length, d->message);
        if (d->advice)
            fprintf(to, " | %s", d->advice);
        fputc('\n', to);
        assert_string_equal(d->file, "test.mo");
        assert_non_null(d->source);
    }
    fclose(to);
    assert_string_equal(out, expected);
    assert_int_equal(c.file->nerrors, c.diag.list.n);
    free(out);
    drop(&c);
}

static void assert_errors(const char *text, const char *expected)
{
    assert_errors_in(text, strlen(text), expected);
}

static void names_missing_semicolons(void **state)
{
    (void)state;
    assert_errors("model A\n  Real x\n  Real y;\nend A;",
                  "2:9+1 expected ';' after the declaration of 'x', found 'Real'\n");
    assert_errors("model A\n  Real x\nend A;",
                  "2:9+1 expected ';' after the declaration of 'x', found 'end'\n");
    assert_errors("model A Real x end A;",
                  "1:16+3 expected ';' after the declaration of 'x', found 'end'\n");
    assert_errors("model A\nequation\n  x = 1\n  y = 2;\n  connect(a, b)\nend A;",
                  "3:8+1 expected ';' after the equation, found 'y'\n"
                  "5:16+1 expected ';' after 'connect(...)', found 'end'\n");
    assert_errors("model A\nequation\n  if a then\n    x = 1;\n  end if\nend A;",
                  "5:9+1 expected ';' after 'end if', found 'end'\n");
    assert_errors("model A end A\nmodel B end B;",
                  "1:14+1 expected ';' after 'end A', found 'model'\n");
    assert_errors("model A extends B\n import C\n annotation(x)\nend A;",
                  "1:18+1 expected ';' after the extends clause, found 'import'\n"
                  "3:15+1 expected ';' after the import, found 'end'\n");
    assert_errors("model A type T = Real end A;",
                  "1:23+3 expected ';' after the definition of 'T', found 'end'\n");
}

static void names_wrong_ends(void **state)
{
    (void)state;
    assert_errors("model A\n  Real x;\nend B;",
                  "3:1+5 the model 'A' of line 1 ends with 'end B' | write 'end A;'\n");
    // the end of the class around it: the inner one was forgotten
    assert_errors("package P\n  model A\n    Real x;\nend P;",
                  "4:1+5 the model 'A' of line 2 ends with 'end P' | write 'end A;'\n");
    assert_errors("package P\n  model A\n", "2:9+1 the model 'A' has no end | write 'end A;' after "
                                            "it\n");
    assert_errors("model A end;", "1:12+1 expected the name 'A' after 'end', found ';'\n");
    assert_errors("model A end A; end A;",
                  "1:16+3 expected a class, such as 'model A ... end A;', found 'end'\n");
    assert_errors("model A\nequation\n  for i in 1:3 loop\n    x = 1;\n  end if;\n  y = 2;\nend A;",
                  "5:3+6 expected 'end for' to close the 'for' of line 3, found 'end if'\n");
    assert_errors("model A\nequation\n  if a then\n  for i in 1:3 loop\n    x = 1;\n  end if;\n"
                  "end A;",
                  "6:3+6 expected 'end for' to close the 'for' of line 4, found 'end if'\n");
    assert_errors("model A\nequation\n  if a then\n    x = 1;\nend A;",
                  "5:1+5 expected 'end if' to close the 'if' of line 3, found 'end A'\n");
    assert_errors("model A\nequation\n  x = 1;\n  end if;\nend A;",
                  "4:3+3 'end if' without an open 'if'\n");
}

static void gives_advice(void **state)
{
    (void)state;
    assert_errors("model A Real initial; end A;",
                  "1:14+7 expected the name of a component after its type, found 'initial' | "
                  "'initial' is a keyword and cannot be a name\n");
    assert_errors("model A equation x := 1; end A;",
                  "1:20+2 expected '=' in the equation, found ':=' | ':=' assigns, in an algorithm "
                  "section\n");
    assert_errors(
        "model A algorithm x = 1; end A;",
        "1:21+1 expected ':=' in the statement, found '=' | '=' states an equation, in an "
        "equation section\n");
    assert_errors("model A x = 1; end A;",
                  "1:11+1 expected the name of a component after its type, found '=' | equations "
                  "stand after 'equation', statements after 'algorithm'\n");
    assert_errors("model A connect(a, b); end A;",
                  "1:9+7 expected a declaration, found 'connect' | equations stand after "
                  "'equation', statements after 'algorithm'\n");
    assert_errors("model A equation Real x; end A;",
                  "1:23+1 expected '=' in the equation, found 'x' | declarations stand before "
                  "'equation', or after 'public' or 'protected'\n");
    assert_errors("model A equation parameter Real x; end A;",
                  "1:18+9 expected an equation, found 'parameter' | declarations stand before "
                  "'equation', or after 'public' or 'protected'\n");
    assert_errors("model A Real x = a*-b; end A;",
                  "1:20+1 expected an operand, found '-' | a sign behind an operator needs "
                  "parentheses, as in a*(-b)\n");
    assert_errors("model A Real x = a^b^c; end A;",
                  "1:21+1 expected the end of the power, found '^' | powers do not chain: use "
                  "parentheses\n");
    assert_errors("model A Boolean x = a < b < c; end A;",
                  "1:27+1 expected the end of the comparison, found '<' | comparisons do not "
                  "chain: write a < b and b < c\n");
    assert_errors("model A Real x = 1 + if a then 1 else 2; end A;",
                  "1:22+2 expected an operand, found 'if' | an 'if' inside an expression needs "
                  "parentheses\n");
    assert_errors("model A Real x = f(a = 1, 2); end A;",
                  "1:27+1 expected the name of an argument, found the number 2 | behind a named "
                  "argument all others are named as well\n");
    assert_errors("model A parameter constant Real x; end A;",
                  "1:19+8 'constant' stands beside another prefix of its kind\n");
    assert_errors("model A B b(package P = Q); end A;",
                  "1:13+7 expected the name of an element, found 'package' | to exchange a class "
                  "write 'redeclare' before it\n");
    assert_errors("model A Real x = end; end A;", "1:18+3 expected an expression, found 'end'\n");
    assert_errors("x", "1:1+1 expected a class, such as 'model A ... end A;', found 'x'\n");
}

static void points_at_the_start_of_what_has_no_end(void **state)
{
    (void)state;
    assert_errors("model A\n  Real x = \"abc;\nend A;\n",
                  "2:12+1 this string has no end | close it with '\"'; a quote inside a string is "
                  "written \\\"\n");
    assert_errors("model A\n  /* Real x;\nend A;\n",
                  "2:3+2 this comment has no end | close it with '*/'\n");
    assert_errors("model A\n  Real 'x y;\n  Real 1z;\nend A;\n",
                  "2:8+4 this quoted name has no end | close it with \"'\" on the same line; a "
                  "derivative is written der(x)\n"
                  "3:8+1 expected the name of a component after its type, found the number 1 | a "
                  "decimal point is a dot: 1.5\n");
    static const char zero[] = "model A\n Real \0x;\n Real y\nend A;";
    assert_errors_in(zero, sizeof zero - 1,
                     "2:7+1 this character has no meaning in Modelica | remove it; in a name it "
                     "needs single quotes around the name\n"
                     "3:8+1 expected ';' after the declaration of 'y', found 'end'\n");
}

static void goes_on_after_errors(void **state)
{
    (void)state;
    assert_errors("model A\n"
                  "  Real x = (1 + 2;\n"
                  "  Real m[2, 2] = [1, 2 3; 4, 5];\n"
                  "  Real ok;\n"
                  "  Real y(start = 1 = 2);\n"
                  "equation\n"
                  "  x = ;\n"
                  "  for i on 1:3 loop\n"
                  "    y[i] := 2;\n"
                  "    z = 1 +;\n"
                  "  end for;\n"
                  "  if x > then\n"
                  "    y = 3;\n"
                  "  else\n"
                  "    y = 4 5;\n"
                  "  end if;\n"
                  "algorithm\n"
                  "  while x loop y := 1 end while;\n"
                  "  (a, b) = f();\n"
                  "  annotation(x = );\n"
                  "end A;\n"
                  "model B Real; end B;\n",
                  "2:18+1 expected ')' to close the parenthesis, found ';'\n"
                  "3:24+1 expected ']' to close the matrix, found the number 3\n"
                  "5:20+1 expected ')' after the arguments, found '='\n"
                  "7:7+1 expected an expression, found ';'\n"
                  "8:9+2 expected 'loop' after the range of the index, found 'on'\n"
                  "9:10+2 expected '=' in the equation, found ':=' | ':=' assigns, in an algorithm "
                  "section\n"
                  "10:12+1 expected an expression, found ';'\n"
                  "12:10+4 expected an expression, found 'then'\n"
                  "15:11+1 expected ';' after the equation, found the number 5\n"
                  "18:23+3 expected ';' after the statement, found 'end'\n"
                  "19:10+1 expected ':=' in the statement, found '=' | '=' states an equation, in "
                  "an equation section\n"
                  "20:18+1 expected an expression, found ')'\n"
                  "22:13+1 expected the name of a component after its type, found ';'\n");
}

static void stops_after_many_errors(void **state)
{
    (void)state;
    char text[4000] = "model A\n";
    for (int i = 0; i < 200; i++)
        strcat(text, "Real = 1;\n");
    Case c = parse(text);
    assert_int_equal(c.file->nerrors, PARSE_MAX_ERRORS);
    assert_int_equal(c.diag.list.n, PARSE_MAX_ERRORS + 1);
    assert_string_equal(c.diag.list.items[PARSE_MAX_ERRORS].message,
                        "more than 49 syntax errors, the rest of this file was not read");
    drop(&c);
}

/* ------------------------------------------------------------------ depth */

/* head, n times open, middle, n times close, tail; caller frees */
static char *nest(const char *head, const char *open, const char *middle, const char *close,
                  const char *tail, int n)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    fputs(head, to);
    for (int i = 0; i < n; i++)
        fputs(open, to);
    fputs(middle, to);
    for (int i = 0; i < n; i++)
        fputs(close, to);
    fputs(tail, to);
    fclose(to);
    return text;
}

static void limits_depth(void **state)
{
    (void)state;
    static const struct {
        int fine; // so often it is not too deep
        const char *head, *open, *middle, *close, *tail;
    } shapes[] = {
        {990, "model A Real x = ", "(", "1", ")", "; end A;"},
        {140, "model A Real x = ", "a or b and c < d + e * f ^ (", "1", ")", "; end A;"},
        {990, "model A Real x = ", "f(", "1", ")", "; end A;"},
        {490, "model A Real x = ", "f(a=function f(b=", "1", "))", "; end A;"},
        {990, "model A Real x = ", "{", "1", "}", "; end A;"},
        {990, "model A Real x = ", "[", "1", "]", "; end A;"},
        {990, "model A Real x = ", "a[", "1", "]", "; end A;"},
        {990, "model A Real x = ", "if a then b else ", "1", "", "; end A;"},
        {990, "model A Real x = 1", " + 1", "", "", "; end A;"},
        {990, "model A Real x = 1", " + (1", "", ")", "; end A;"},
        {990, "model A Real x", "(a", "", ")", "; end A;"},
        {990, "model A Real x", "(redeclare Real a", "", ")", "; end A;"},
        {990, "", "model A ", "", "end A;", ""},
        {990, "model A equation ", "if a then ", "x = 1;", "end if;", " end A;"},
        {990, "model A algorithm ", "for i loop ", "x := 1;", "end for;", " end A;"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char *text = nest(shapes[i].head, shapes[i].open, shapes[i].middle, shapes[i].close,
                          shapes[i].tail, shapes[i].fine);
        Case c = parse(text);
        assert_clean(&c);
        drop(&c);
        free(text);
        text = nest(shapes[i].head, shapes[i].open, shapes[i].middle, shapes[i].close,
                    shapes[i].tail, 100000);
        c = parse(text);
        assert_true(c.file->nerrors > 0);
        assert_non_null(strstr(c.diag.list.items[0].message, "more than 1000 levels deep"));
        drop(&c);
        free(text);
    }
}

/* ------------------------------------------------------------------ memory */

typedef struct Miser {
    long left;    /* allocations until the one that fails */
    bool forever; /* all after it fail as well */
    long nblock;  /* blocks alive */
} Miser;

static void *miser_resize(void *user, void *block, size_t old_size, size_t size)
{
    Miser *miser = user;
    if (size > 0 && (miser->left-- == 0 || (miser->forever && miser->left < 0)))
        return NULL;
    miser->nblock += (size > 0 && !block) - (size == 0 && block);
    return memory_default.resize(memory_default.user, block, old_size, size);
}

/* parses with the k-th allocation failing; true when it got through */
static bool survives(const char *text, long k, bool forever)
{
    Miser miser = {.left = k, .forever = forever};
    LiederAllocator alloc = {.resize = miser_resize, .user = &miser};
    Arena arena;
    Interner names;
    Diagnostics diag;
    arena_init(&arena, &alloc);
    intern_init(&names, &alloc);
    diag_init(&diag, &alloc);
    SyntaxFile *file = parse_text(&arena, &names, &diag, "test.mo", text, strlen(text));
    bool failed = miser.left < 0;
    assert_int_equal(file == NULL, failed);
    assert_int_equal(arena.failed, failed);
    diag_drop(&diag);
    intern_drop(&names);
    arena_drop(&arena);
    assert_int_equal(miser.nblock, 0);
    return !failed;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    static const char *const texts[] = {
        grammar_text, "model A\n Real x = ;\n Real y = (1;\n Real \"\nend A;\n model B end C;\n"};
    for (size_t i = 0; i < 2; i++) {
        for (int forever = 0; forever < 2; forever++) {
            long k = 0;
            while (!survives(texts[i], k, forever))
                k++;
            assert_true(k > 10);
        }
    }
}

/* Arena blocks are large, so few nodes meet a failing allocation by themselves: a string of
 * growing length before the text moves all of them across the ends of the blocks. */
static void survives_failure_at_every_node(void **state)
{
    (void)state;
    const char *const texts[] = {
        strchr(grammar_text, '\n') + 7,
        // lists that are read again while the parser goes on
        "model A Real u = {x[i] for i}; end A;",
        "model A Real u = sum(x[i] for i); end A;",
        "model A equation for i loop x[i] = f(y[i]); end for; end A;",
    };
    char *text = malloc(sizeof grammar_text + 5000);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        for (size_t pad = 0; pad < 4200; pad += 16) {
            int n = sprintf(text, "model Pad \"");
            memset(text + n, 'x', pad);
            strcpy(text + n + pad, "\" end Pad;\n");
            strcat(text, texts[t]);
            for (int forever = 0; forever < 2; forever++)
                for (long k = 0; !survives(text, k, forever); k++)
                    continue;
        }
    }
    free(text);
}

/* ------------------------------------------------------------------ any bytes */

/* every prefix of the grammar text, and the text with one byte changed */
static void survives_damage(void **state)
{
    (void)state;
    size_t length = sizeof grammar_text - 1;
    char *text = malloc(length + 1);
    for (size_t n = 0; n < length; n++) {
        memcpy(text, grammar_text, n);
        text[n] = '\0';
        Case c = parse_range(text, n);
        assert_true(c.file->nerrors <= 3); // a cut text has few errors, not a flood
        drop(&c);
    }
    memcpy(text, grammar_text, length + 1);
    static const char changes[] = ";()[]{}\"'.=\n\0\xFF"
                                  "e/*";
    for (size_t i = 0; i < length; i++) {
        char kept = text[i];
        text[i] = changes[i % (sizeof changes - 1)];
        Case c = parse_range(text, length);
        drop(&c);
        text[i] = kept;
    }
    free(text);
}

static void reads_an_empty_text(void **state)
{
    (void)state;
    Case c = parse("");
    assert_clean(&c);
    assert_int_equal(c.file->classes.n, 0);
    drop(&c);
    c = parse("within;\n// nothing\n");
    assert_clean(&c);
    assert_true(c.file->has_within);
    assert_null(c.file->within);
    drop(&c);
}

/* reads all bodies of an outline; returns how many there were */
static size_t read_bodies(Case *c, Class *class_)
{
    size_t n = class_->pending != NULL;
    if (n) {
        assert_int_equal(class_->elements.n, 0);
        assert_true(parse_pending(&c->arena, &c->names, &c->diag, class_));
        assert_null(class_->pending);
    }
    for (size_t i = 0; i < class_->elements.n; i++)
        if (class_->elements.items[i]->kind == EL_CLASS) {
            assert_ptr_equal(class_->elements.items[i]->class_->parent, class_);
            n += read_bodies(c, class_->elements.items[i]->class_);
        }
    return n;
}

/* the outline of a text with all its bodies is the text, and places are those of the whole */
static size_t check_outline(const char *text, size_t length)
{
    Case c = parse_range(text, length);
    const SyntaxFile *whole = c.file;
    assert_int_equal(whole->nerrors, 0);
    c.file = parse_outline(&c.arena, &c.names, &c.diag, "test.mo", text, length);
    assert_non_null(c.file);
    size_t n = 0;
    for (size_t i = 0; i < c.file->classes.n; i++)
        n += read_bodies(&c, c.file->classes.items[i]);
    assert_int_equal(c.file->nerrors, 0);
    assert_true(tree_equal(whole, c.file));
    for (size_t i = 0; i < c.file->classes.n; i++) {
        SourceSpan a = whole->classes.items[i]->span, b = c.file->classes.items[i]->span;
        assert_true(a.at == b.at && a.length == b.length);
    }
    drop(&c);
    return n;
}

static void outlines_the_library(void **state)
{
    (void)state;
    size_t n, bodies = 0;
    const LibraryText *texts = library_texts(&n);
    for (size_t i = 0; i < n; i++)
        bodies += check_outline(texts[i].begin, (size_t)(texts[i].end - texts[i].begin));
    assert_true(bodies > 100);
    /* words that look like the end, a class without one, names in quotes, short classes */
    static const char odd[] =
        "package P\n  model A \"x; end A;\"\n    Real x; // end A;\n  end A;\n"
        "  model 'b c' Real y; end 'b c';\n  partial block D\n  end D;\n"
        "  type T = Real;\n  package Q model A end A; end Q;\nend P;\n";
    assert_int_equal(check_outline(odd, sizeof odd - 1), 2);
    Case c = parse_range("", 0);
    static const char open[] = "package P\n  model A\n    Real x;\nend P;\n";
    c.file = parse_outline(&c.arena, &c.names, &c.diag, "test.mo", open, sizeof open - 1);
    assert_true(c.file->nerrors > 0);
    drop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binds_operators_as_the_grammar_says),
        cmocka_unit_test(unary_minus_takes_the_term),
        cmocka_unit_test(reads_calls_and_arrays),
        cmocka_unit_test(reads_literals),
        cmocka_unit_test(keeps_names_equal_by_pointer),
        cmocka_unit_test(reads_every_production),
        cmocka_unit_test(tolerates_what_libraries_do),
        cmocka_unit_test(prints_what_parses_to_the_same_tree),
        cmocka_unit_test(places_are_exact),
        cmocka_unit_test(names_missing_semicolons),
        cmocka_unit_test(names_wrong_ends),
        cmocka_unit_test(gives_advice),
        cmocka_unit_test(points_at_the_start_of_what_has_no_end),
        cmocka_unit_test(goes_on_after_errors),
        cmocka_unit_test(stops_after_many_errors),
        cmocka_unit_test(limits_depth),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(survives_failure_at_every_node),
        cmocka_unit_test(survives_damage),
        cmocka_unit_test(reads_an_empty_text),
        cmocka_unit_test(outlines_the_library),
    };
    return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
