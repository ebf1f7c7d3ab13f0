/* parse_class.c - stored definitions and classes; see parser.h. What stands inside a class
 * is read by parse_element.c and parse_equation.c.
 *
 * Let through beyond the grammar: `encapsulated` and `partial` in either order, and class
 * annotations anywhere among the sections and inside them (as in Modelica 2), which are joined;
 * any type-prefix in a short class (as up to Modelica 3.4).
 */
#include "front/syntax/parser.h"

#include <string.h>

/* ------------------------------------------------------------------ lists that grow */

/* The sections of a class come in any order and number: their lists grow by doubling in the
 * arena, so that even a text of nothing but sections stays linear. */
typedef struct Growing {
    void **items;
    size_t n, room;
} Growing;

/* moves what was pushed since `mark` to the end of the list */
static void grow(Parser *p, Growing *list, size_t mark)
{
    size_t more = p->stack.n > mark ? p->stack.n - mark : 0;
    if (more == 0)
        return;
    if (list->n + more > list->room) {
        size_t room = list->n ? 2 * (list->n + more) : more;
        void **items = parser_array(p, room * sizeof *items);
        if (!items) {
            p->stack.n = mark;
            return;
        }
        if (list->n)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->room = room;
    }
    memcpy(list->items + list->n, p->stack.items + mark, more * sizeof(void *));
    list->n += more;
    p->stack.n = mark;
}

/* hands a grown list to a list of the tree */
#define settle(list, growing) ((list)->items = (void *)(growing)->items, (list)->n = (growing)->n)

/* ------------------------------------------------------------------ sections */

typedef struct Sections {
    Growing elements, imports, equations, initial_equations, algorithms, annotation;
} Sections;

/* annotation-clause ";" of the class itself */
static void parse_class_annotation(Parser *p, Sections *sections)
{
    uint32_t from = p->token.at;
    size_t mark = p->stack.n;
    ArgumentList list = parse_annotation(p);
    for (size_t i = 0; i < list.n; i++)
        parser_push(p, list.items[i]);
    grow(p, &sections->annotation, mark);
    parser_end_item(p, "after the annotation");
    if (p->panic)
        parser_recover(p, from);
}

/* records, connectors and packages have neither equations nor statements, functions no equations */
static void check_section(Parser *p, bool statements, bool initial, bool again, SourceSpan span)
{
    const char *section = statements ? "algorithm" : "equations";
    switch (p->class_ ? p->class_->kind : CLASS_CLASS) {
    case CLASS_FUNCTION:
    case CLASS_OPERATOR_FUNCTION:
        if (!statements)
            parser_error(p, span,
                         "a function has no equations\nit computes in order: write 'algorithm' "
                         "here, and y := ... below");
        else if (initial || again)
            parser_error(p, span,
                         initial ? "a function has no initial algorithm\nwrite 'algorithm'"
                                 : "a function has one algorithm section\n"
                                   "leave out this 'algorithm', or write another function");
        break;
    case CLASS_RECORD:
    case CLASS_OPERATOR_RECORD:
    case CLASS_CONNECTOR:
    case CLASS_EXPANDABLE_CONNECTOR:
    case CLASS_PACKAGE:
        parser_error(p, span, "a %s has no %s\nwrite them in a model that has one",
                     class_kind_text(p->class_->kind), section);
        break;
    default:
        break;
    }
}

/* equation-section:  [ initial ] equation { some-equation ";" }
 * algorithm-section: [ initial ] algorithm { statement ";" } */
static void parse_section(Parser *p, Sections *sections)
{
    uint32_t start = p->token.at;
    bool initial = parser_accept(p, TK_INITIAL);
    bool statements = parser_at(p, TK_ALGORITHM);
    size_t mark = p->stack.n;
    parser_advance(p);
    SourceSpan span = parser_span(p, start);
    check_section(p, statements, initial, sections->algorithms.n > 0, span);
    parse_equation_list(p, statements, false);
    while (parser_at(p, TK_ANNOTATION)) {
        parse_class_annotation(p, sections);
        parse_equation_list(p, statements, false);
    }
    if (!statements) {
        grow(p, initial ? &sections->initial_equations : &sections->equations, mark);
        return;
    }
    Algorithm *algorithm = parser_node(p, sizeof *algorithm);
    algorithm->span = span;
    algorithm->initial = initial;
    parser_take_list(p, mark, &algorithm->statements);
    parser_push(p, algorithm);
    grow(p, &sections->algorithms, mark);
}

/* external [ language-specification ] [ external-function-call ] [ annotation-clause ] ";"
 * external-function-call: [ component-reference "=" ] IDENT "(" [ expression-list ] ")" */
static External *parse_external(Parser *p)
{
    External *external = parser_node(p, sizeof *external);
    uint32_t start = p->token.at;
    parser_advance(p);
    if (parser_at(p, TK_STRING))
        external->language = parser_string(p);
    if (parser_at(p, TK_IDENT) || parser_at(p, TK_DOT)) {
        Ref *ref = NULL;
        if (p->next.kind != TK_LPAREN) {
            ref = parse_component_reference(p);
            parser_expect(p, TK_EQUAL, "after the result of the external function");
        }
        external->result = ref;
        external->name = parser_name(p, "the name of the external function");
        parser_expect(p, TK_LPAREN, "after the name of the external function");
        if (!parser_at(p, TK_RPAREN))
            external->arguments = parse_expression_list(p);
        parser_expect(p, TK_RPAREN, "after the arguments of the external function");
    }
    external->annotation = parse_annotation(p);
    external->span = parser_span(p, start);
    parser_end_item(p, "after the external function");
    if (p->panic)
        parser_recover(p, start);
    return external;
}

/* "end if" and its like where no such block is open: left over from an error before, else
 * worth one of its own */
static void skip_stray_end(Parser *p)
{
    if (p->file->nerrors == 0)
        parser_error(p, parser_token_span(p), "'end %s' without an open '%s'",
                     token_spelling(p->next.kind), token_spelling(p->next.kind));
    parser_advance(p);
    parser_advance(p);
    parser_accept(p, TK_SEMICOLON);
}

/* composition:
 *     element-list
 *     { public element-list | protected element-list | equation-section | algorithm-section }
 *     [ external [ language-specification ] [ external-function-call ]
 *       [ annotation-clause ] ";" ]
 *     [ annotation-clause ";" ] */
static void parse_composition(Parser *p, Class *class_)
{
    Sections sections = {0};
    bool is_protected = false, done = false;
    while (!done) {
        size_t mark = p->stack.n;
        switch (p->token.kind) {
        case TK_PUBLIC:
        case TK_PROTECTED:
            is_protected = parser_at(p, TK_PROTECTED);
            parser_advance(p);
            break;
        case TK_EQUATION:
        case TK_ALGORITHM:
            parse_section(p, &sections);
            break;
        case TK_EXTERNAL:
            class_->external = parse_external(p);
            break;
        case TK_ANNOTATION:
            parse_class_annotation(p, &sections);
            break;
        case TK_END:
            if (p->next.kind == TK_IF || p->next.kind == TK_FOR || p->next.kind == TK_WHEN ||
                p->next.kind == TK_WHILE)
                skip_stray_end(p);
            else
                done = true;
            break;
        case TK_END_OF_FILE:
            done = true;
            break;
        case TK_INITIAL:
            if (p->next.kind == TK_EQUATION || p->next.kind == TK_ALGORITHM) {
                parse_section(p, &sections);
                break;
            }
            /* fall through */
        default:
            parse_element_list(p, is_protected);
            grow(p, &sections.elements, mark);
        }
        // a bad token right behind a section keyword
        if (p->panic)
            parser_recover(p, p->token.at);
    }
    settle(&class_->elements, &sections.elements);
    size_t first = p->stack.n;
    for (size_t i = 0; i < class_->elements.n; i++)
        if (class_->elements.items[i]->kind == EL_IMPORT)
            parser_push(p, class_->elements.items[i]);
    if (p->stack.n > first)
        grow(p, &sections.imports, first);
    settle(&class_->imports, &sections.imports);
    settle(&class_->equations, &sections.equations);
    settle(&class_->initial_equations, &sections.initial_equations);
    settle(&class_->algorithms, &sections.algorithms);
    settle(&class_->comment.annotation, &sections.annotation);
}

/* ------------------------------------------------------------------ the end of a class */

/* the name is that of a class around this one */
static bool is_around(const Class *class_, const char *name)
{
    for (const Class *c = class_->parent; c; c = c->parent)
        if (c->name == name)
            return true;
    return false;
}

/* end IDENT */
static void parse_class_end(Parser *p, const Class *class_)
{
    if (p->stopped)
        return;
    int line = span_line(class_->name_span);
    if (!parser_at(p, TK_END)) {
        parser_error(p, class_->name_span, "the %s '%.60s' has no end\nwrite 'end %.60s;' after it",
                     class_kind_text(class_->kind), class_->name, class_->name);
        return;
    }
    SourceSpan span = parser_token_span(p);
    span.length = p->next.at + p->next.length - span.at;
    if (p->next.kind != TK_IDENT) {
        parser_advance(p);
        parser_unexpected(p, "the name '%.60s' after 'end'", class_->name);
        return;
    }
    const char *name = intern_range(p->names, p->file->text + p->next.at, p->next.length);
    if (!name) {
        parser_no_memory(p);
        return;
    }
    if (name != class_->name && !p->next.escaped) {
        parser_error(p, span, "the %s '%.60s' of line %d ends with 'end %.60s'\nwrite 'end %.60s;'",
                     class_kind_text(class_->kind), class_->name, line, name, class_->name);
        if (is_around(class_, name))
            return;
    }
    parser_advance(p);
    parser_name(p, "the name of the class after 'end'");
}

/* ------------------------------------------------------------------ class definitions */

/* class-prefixes:
 *     [ partial ]
 *     ( class | model | [ operator ] record | block | [ expandable ] connector | type
 *       | package | [ pure | impure ] [ operator ] function | operator )
 * with the `encapsulated` of class-definition */
static void parse_class_prefixes(Parser *p, Class *class_)
{
    while (parser_at(p, TK_PARTIAL) || parser_at(p, TK_ENCAPSULATED)) {
        class_->partial |= parser_at(p, TK_PARTIAL);
        class_->encapsulated |= parser_at(p, TK_ENCAPSULATED);
        parser_advance(p);
    }
    if (parser_at(p, TK_PURE) || parser_at(p, TK_IMPURE)) {
        class_->purity = parser_at(p, TK_PURE) ? PURITY_PURE : PURITY_IMPURE;
        parser_advance(p);
        if (!parser_at(p, TK_FUNCTION) && !parser_at(p, TK_OPERATOR)) {
            parser_unexpected(p, "'function' after 'pure' or 'impure'");
            return;
        }
    }
    switch (p->token.kind) {
    case TK_CLASS:
        class_->kind = CLASS_CLASS;
        break;
    case TK_MODEL:
        class_->kind = CLASS_MODEL;
        break;
    case TK_RECORD:
        class_->kind = CLASS_RECORD;
        break;
    case TK_BLOCK:
        class_->kind = CLASS_BLOCK;
        break;
    case TK_CONNECTOR:
        class_->kind = CLASS_CONNECTOR;
        break;
    case TK_TYPE:
        class_->kind = CLASS_TYPE;
        break;
    case TK_PACKAGE:
        class_->kind = CLASS_PACKAGE;
        break;
    case TK_FUNCTION:
        class_->kind = CLASS_FUNCTION;
        break;
    case TK_EXPANDABLE:
        class_->kind = CLASS_EXPANDABLE_CONNECTOR;
        parser_advance(p);
        parser_expect(p, TK_CONNECTOR, "after 'expandable'");
        return;
    case TK_OPERATOR:
        class_->kind = CLASS_OPERATOR;
        parser_advance(p);
        if (parser_accept(p, TK_RECORD))
            class_->kind = CLASS_OPERATOR_RECORD;
        else if (parser_accept(p, TK_FUNCTION))
            class_->kind = CLASS_OPERATOR_FUNCTION;
        return;
    default:
        parser_unexpected(p, "a kind of class, such as 'model', 'block' or 'package'");
        return;
    }
    parser_advance(p);
}

/* IDENT "=" enumeration "(" ( [ enum-list ] | ":" ) ")" description
 * enum-list:           enumeration-literal { "," enumeration-literal }
 * enumeration-literal: IDENT description */
static void parse_enumeration(Parser *p, Class *class_)
{
    class_->form = FORM_ENUM;
    parser_advance(p);
    parser_expect(p, TK_LPAREN, "after 'enumeration'");
    size_t mark = p->stack.n;
    if (parser_accept(p, TK_COLON)) {
        class_->open_enum = true;
    } else if (!parser_at(p, TK_RPAREN)) {
        do {
            EnumLiteral *literal = parser_node(p, sizeof *literal);
            uint32_t start = p->token.at;
            literal->name = parser_name(p, "the name of an enumeration literal");
            literal->span = parser_span(p, start);
            parser_check_name(p, literal->name, literal->span);
            literal->comment = parse_comment(p);
            for (size_t i = mark; i < p->stack.n && !p->no_memory; i++)
                if (((EnumLiteral *)p->stack.items[i])->name == literal->name && literal->name)
                    parser_error(p, literal->span,
                                 "the literal '%s' is there twice\nrename one of the two",
                                 literal->name);
            parser_push(p, literal);
        } while (parser_accept(p, TK_COMMA));
    }
    parser_expect(p, TK_RPAREN, "after the enumeration literals");
    parser_take_list(p, mark, &class_->literals);
}

/* der-class-specifier:
 *     IDENT "=" der "(" type-specifier "," IDENT { "," IDENT } ")" description */
static void parse_der_class(Parser *p, Class *class_)
{
    class_->form = FORM_DER;
    parser_advance(p);
    parser_expect(p, TK_LPAREN, "after 'der'");
    class_->base = parse_type_specifier(p, "the name of a function");
    size_t mark = p->stack.n;
    parser_expect(p, TK_COMMA, "after the name of the function");
    do
        parser_push(p, parse_single_name(p));
    while (parser_accept(p, TK_COMMA));
    parser_expect(p, TK_RPAREN, "after the names of the inputs");
    parser_take_list(p, mark, &class_->inputs);
}

/* short-class-specifier:
 *     IDENT "=" base-prefix type-specifier [ array-subscripts ] [ class-modification ]
 *     description
 *     | IDENT "=" enumeration "(" ( [ enum-list ] | ":" ) ")" description
 * base-prefix: [ input | output ], here type-prefix */
static void parse_short_class(Parser *p, Class *class_)
{
    if (parser_at(p, TK_ENUMERATION)) {
        parse_enumeration(p, class_);
    } else if (parser_at(p, TK_DER)) {
        parse_der_class(p, class_);
    } else {
        class_->form = FORM_SHORT;
        class_->prefix = parse_type_prefix(p);
        class_->base = parse_type_specifier(p, "the name of a class after '='");
        class_->subscripts = parse_subscripts(p);
        class_->modification = parse_class_modification(p, false);
    }
    class_->comment = parse_comment(p);
}

/* class-specifier: long-class-specifier | short-class-specifier | der-class-specifier
 * long-class-specifier:
 *     IDENT description-string composition end IDENT
 *     | extends IDENT [ class-modification ] description-string composition end IDENT */
static void parse_class_specifier(Parser *p, Class *class_)
{
    bool extends = parser_accept(p, TK_EXTENDS);
    uint32_t start = p->token.at;
    class_->name = parser_name(p, "the name of the class");
    class_->name_span = parser_span(p, start);
    parser_check_name(p, class_->name, class_->name_span);
    if (!extends && parser_accept(p, TK_EQUAL)) {
        parse_short_class(p, class_);
        return;
    }
    class_->form = extends ? FORM_EXTENDS : FORM_LONG;
    if (extends)
        class_->modification = parse_class_modification(p, false);
    class_->comment.text = parse_description_string(p);
    // even without a sane head the body is worth reading
    if (p->panic)
        parser_recover(p, UINT32_MAX);
    if (p->outline && class_->kind != CLASS_PACKAGE)
        parser_pass_body(p, class_);
    Class *around = p->class_;
    p->class_ = class_;
    parse_composition(p, class_);
    p->class_ = around;
    if (!p->no_memory)
        parse_class_end(p, class_);
}

/* class-definition: [ encapsulated ] class-prefixes class-specifier */
Class *parse_class_definition(Parser *p)
{
    Class *class_ = parser_node(p, sizeof *class_);
    uint32_t start = p->token.at;
    class_->name = "";
    class_->parent = p->class_;
    if (parser_enter(p)) {
        parse_class_prefixes(p, class_);
        if (!p->panic)
            parse_class_specifier(p, class_);
    }
    parser_leave(p);
    class_->span = parser_span(p, start);
    return class_;
}

/* stored-definition: [ within-clause ] { [ final ] class-definition ";" }
 * within-clause:     within [ name ] ";" */
void parse_stored_definition(Parser *p)
{
    if (parser_accept(p, TK_WITHIN)) {
        p->file->has_within = true;
        if (!parser_at(p, TK_SEMICOLON))
            p->file->within = parse_dotted_name(p, "the name of a package after 'within'");
        parser_end_item(p, "after 'within'");
        if (p->panic)
            parser_recover_at_class(p);
    }
    size_t mark = p->stack.n;
    while (!parser_at(p, TK_END_OF_FILE)) {
        bool final = parser_accept(p, TK_FINAL);
        if (parser_at_class(p)) {
            Class *class_ = parse_class_definition(p);
            class_->final = final;
            parser_push(p, class_);
            if (class_->form == FORM_LONG || class_->form == FORM_EXTENDS)
                parser_end_item(p, "after 'end %.60s'", p->no_memory ? "" : class_->name);
            else
                parser_end_item(p, "after the definition of '%.60s'",
                                p->no_memory ? "" : class_->name);
        } else {
            parser_unexpected(p, "a class, such as 'model A ... end A;'");
        }
        if (p->panic)
            parser_recover_at_class(p);
    }
    parser_take_list(p, mark, &p->file->classes);
}
