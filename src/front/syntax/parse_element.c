/* parse_element.c - declarations, modifications and comments; see parser.h.
 *
 * Let through beyond the grammar: prefixes in any order, a description behind an extends
 * clause or a constraining clause inside an argument, ':=' for '=' before a binding, a long
 * class definition as an argument, and `extends` for `constrainedby` (as in Modelica 2).
 */
#include "front/syntax/parser.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------ comments */

/* description-string: [ STRING { "+" STRING } ] */
const char *parse_description_string(Parser *p)
{
    if (!parser_at(p, TK_STRING))
        return NULL;
    const char *text = parser_string(p);
    if (!parser_at(p, TK_PLUS))
        return text;
    // the parts wait on the stack until their length is known
    size_t mark = p->stack.n, length = strlen(text);
    parser_push(p, (void *)text);
    while (parser_accept(p, TK_PLUS)) {
        if (!parser_at(p, TK_STRING)) {
            parser_unexpected(p, "a string after '+'");
            break;
        }
        const char *part = parser_string(p);
        length += strlen(part);
        parser_push(p, (void *)part);
    }
    char *joined = parser_array(p, length + 1);
    if (joined) {
        char *end = joined;
        for (size_t i = mark; i < p->stack.n; i++) {
            size_t n = strlen(p->stack.items[i]);
            memcpy(end, p->stack.items[i], n);
            end += n;
        }
    }
    if (p->stack.n > mark)
        p->stack.n = mark;
    return joined;
}

/* annotation-clause: annotation class-modification */
ArgumentList parse_annotation(Parser *p)
{
    ArgumentList list = {0};
    if (!parser_accept(p, TK_ANNOTATION))
        return list;
    if (!parser_at(p, TK_LPAREN)) {
        parser_expect(p, TK_LPAREN, "after 'annotation'");
        return list;
    }
    Modification *modification = parse_class_modification(p, false);
    return modification ? modification->arguments : list;
}

/* description: description-string [ annotation-clause ] */
Comment parse_comment(Parser *p)
{
    Comment comment = {0};
    comment.text = parse_description_string(p);
    comment.annotation = parse_annotation(p);
    return comment;
}

/* ------------------------------------------------------------------ modifications */

static ComponentDecl *parse_component_head(Parser *p);
static void parse_declaration(Parser *p, ComponentDecl *component);

/* constraining-clause: constrainedby type-specifier [ class-modification ] */
static Constraint *parse_constraint(Parser *p)
{
    uint32_t start = p->token.at;
    bool older = parser_at(p, TK_EXTENDS) && !p->token.first;
    if (!parser_at(p, TK_CONSTRAINEDBY) && !older)
        return NULL;
    parser_advance(p);
    Constraint *constraint = parser_node(p, sizeof *constraint);
    constraint->type = parse_type_specifier(p, "the name of a class after 'constrainedby'");
    constraint->modification = parse_class_modification(p, false);
    constraint->span = parser_span(p, start);
    constraint->comment = parse_comment(p);
    return constraint;
}

/* element-redeclaration:
 *     redeclare [ each ] [ final ]
 *     ( short-class-definition | component-clause1 | element-replaceable )
 * element-replaceable:
 *     replaceable ( short-class-definition | component-clause1 ) [ constraining-clause ]
 * component-clause1: type-prefix type-specifier declaration description
 * behind the prefixes */
static ClassElement *parse_redeclaration(Parser *p, bool replaceable)
{
    ClassElement *element = parser_node(p, sizeof *element);
    if (parser_at_class(p)) {
        Class *class_ = parse_class_definition(p);
        element->kind = EL_CLASS;
        element->class_ = class_;
    } else {
        ComponentDecl *component = parse_component_head(p);
        parse_declaration(p, component);
        element->kind = EL_COMPONENT;
        element->component = component;
        element->comment = parse_comment(p);
    }
    element->constraint = replaceable ? parse_constraint(p) : NULL;
    return element;
}

/* argument:
 *     [ each ] [ final ] ( element-modification | element-replaceable )
 *     | element-redeclaration
 *     | inheritance-modification
 * element-modification:     name [ modification ] description-string
 * inheritance-modification: break ( connect-equation | IDENT ) */
static Argument *parse_argument(Parser *p, bool inheritance)
{
    Argument *argument = parser_node(p, sizeof *argument);
    uint32_t start = p->token.at;
    bool redeclare = false, replaceable = false;
    for (;;) {
        if (parser_accept(p, TK_EACH))
            argument->each = true;
        else if (parser_accept(p, TK_FINAL))
            argument->final = true;
        else if (parser_accept(p, TK_REDECLARE))
            redeclare = true;
        else if (parser_accept(p, TK_REPLACEABLE))
            replaceable = true;
        else
            break;
    }
    if (redeclare || replaceable) {
        argument->kind = AR_ELEMENT;
        ClassElement *element = parse_redeclaration(p, replaceable);
        element->redeclare = redeclare;
        element->replaceable = replaceable;
        element->each = argument->each;
        element->final = argument->final;
        element->span = parser_span(p, start);
        argument->element = element;
    } else if (inheritance && parser_accept(p, TK_BREAK)) {
        argument->kind = AR_BREAK;
        if (parser_at(p, TK_CONNECT)) {
            argument->kind = AR_BREAK_CONNECT;
            argument->connect = parse_connect(p);
        } else {
            argument->name = parse_single_name(p);
        }
    } else if (parser_at_class(p)) {
        parser_unexpected(p, "the name of an element\nto exchange a class write 'redeclare' "
                             "before it");
    } else {
        argument->kind = AR_MODIFY;
        argument->name = parse_dotted_name(p, "the name of an element");
        argument->modification = parse_modification(p);
        argument->text = parse_description_string(p);
    }
    argument->span = parser_span(p, start);
    return argument;
}

/* class-modification: "(" [ argument { "," argument } ] ")"; NULL when there is none */
Modification *parse_class_modification(Parser *p, bool inheritance)
{
    if (!parser_at(p, TK_LPAREN))
        return NULL;
    Modification *modification = parser_node(p, sizeof *modification);
    uint32_t start = p->token.at;
    parser_advance(p);
    size_t mark = p->stack.n;
    if (parser_enter(p) && !parser_at(p, TK_RPAREN)) {
        do
            parser_push(p, parse_argument(p, inheritance));
        while (parser_accept(p, TK_COMMA));
    }
    parser_leave(p);
    parser_expect(p, TK_RPAREN, "after the arguments");
    parser_take_list(p, mark, &modification->arguments);
    modification->span = parser_span(p, start);
    return modification;
}

/* modification:            class-modification [ "=" modification-expression ]
 *                          | "=" modification-expression
 * modification-expression: expression | break */
Modification *parse_modification(Parser *p)
{
    uint32_t start = p->token.at;
    Modification *modification = parse_class_modification(p, false);
    if (!parser_at(p, TK_EQUAL) && !parser_at(p, TK_ASSIGN))
        return modification;
    if (!modification)
        modification = parser_node(p, sizeof *modification);
    parser_advance(p);
    if (parser_accept(p, TK_BREAK))
        modification->is_break = true;
    else
        modification->value = parse_expression(p);
    modification->span = parser_span(p, start);
    return modification;
}

/* ------------------------------------------------------------------ components */

/* type-prefix: [ flow | stream ] [ discrete | parameter | constant ] [ input | output ]
 * in any order; two of one group are an error */
TypePrefix parse_type_prefix(Parser *p)
{
    TypePrefix prefix = {0};
    for (;; parser_advance(p)) {
        bool twice = false;
        switch (p->token.kind) {
        case TK_FLOW:
        case TK_STREAM:
            twice = prefix.connection != CONNECT_POTENTIAL;
            prefix.connection = parser_at(p, TK_FLOW) ? CONNECT_FLOW : CONNECT_STREAM;
            break;
        case TK_DISCRETE:
        case TK_PARAMETER:
        case TK_CONSTANT:
            twice = prefix.variability != VARY_CONTINUOUS;
            prefix.variability = parser_at(p, TK_DISCRETE)    ? VARY_DISCRETE
                                 : parser_at(p, TK_PARAMETER) ? VARY_PARAMETER
                                                              : VARY_CONSTANT;
            break;
        case TK_INPUT:
        case TK_OUTPUT:
            twice = prefix.causality != CAUSE_NONE;
            prefix.causality = parser_at(p, TK_INPUT) ? CAUSE_INPUT : CAUSE_OUTPUT;
            break;
        default:
            return prefix;
        }
        if (twice)
            parser_error(p, parser_token_span(p), "'%s' stands beside another prefix of its kind",
                         token_spelling(p->token.kind));
    }
}

/* type-prefix type-specifier [ array-subscripts ] */
static ComponentDecl *parse_component_head(Parser *p)
{
    ComponentDecl *component = parser_node(p, sizeof *component);
    uint32_t start = p->token.at;
    component->prefix = parse_type_prefix(p);
    // at the start of an item it may be anything, behind a prefix it is a type
    bool bare = p->token.at == start;
    if (bare && (parser_at(p, TK_IF) || parser_at(p, TK_FOR) || parser_at(p, TK_WHEN) ||
                 parser_at(p, TK_CONNECT) || parser_at(p, TK_WHILE)))
        parser_unexpected(p, "a declaration\nequations stand after 'equation', statements after "
                             "'algorithm'");
    component->type = parse_type_specifier(p, bare ? "a declaration" : "the name of a type");
    component->type_subscripts = parse_subscripts(p);
    return component;
}

/* "Parameter Real k": reported, and the rest of the item is passed over */
static bool is_prefix_in_capitals(Parser *p, const ComponentDecl *component)
{
    static const char *const prefixes[] = {"parameter", "constant", "input", "output", "flow",
                                           "discrete",  "stream",   "final", "inner",  "outer"};
    const Ref *type = component->type;
    for (size_t i = 0; !p->no_memory && !type->rest && i < sizeof prefixes / sizeof *prefixes; i++)
        if (parser_at(p, TK_IDENT) && strcasecmp(type->name, prefixes[i]) == 0) {
            parser_error(p, type->span, "there is no '%s'\nkeywords have small letters: %s",
                         type->name, prefixes[i]);
            parser_panic(p);
            return true;
        }
    return false;
}

/* declaration: IDENT [ array-subscripts ] [ modification ] */
static void parse_declaration(Parser *p, ComponentDecl *component)
{
    uint32_t start = p->token.at;
    component->name = parser_at(p, TK_EQUAL) || parser_at(p, TK_ASSIGN) || parser_at(p, TK_LPAREN)
                          ? parser_name(p, "the name of a component after its type\nequations "
                                           "stand after 'equation', statements after 'algorithm'")
                      : parser_at(p, TK_INTEGER) || parser_at(p, TK_REAL)
                          ? parser_name(p, "the name of a component after its type\na decimal "
                                           "point is a dot: 1.5")
                          : parser_name(p, "the name of a component after its type");
    component->name_span = parser_span(p, start);
    if (!is_prefix_in_capitals(p, component))
        parser_check_name(p, component->name, component->name_span);
    component->subscripts = parse_subscripts(p);
    component->modification = parse_modification(p);
}

/* component-clause:      type-prefix type-specifier [ array-subscripts ] component-list
 * component-list:        component-declaration { "," component-declaration }
 * component-declaration: declaration [ condition-attribute ] description
 * condition-attribute:   if expression
 * pushes one element per name, each a copy of the prefixes; gives the last name */
static const char *parse_component_clause(Parser *p, const ClassElement *prefixes, uint32_t start)
{
    ComponentDecl head = *parse_component_head(p);
    const char *name = "";
    bool first = true;
    do {
        ComponentDecl *component = parser_node(p, sizeof *component);
        *component = head;
        uint32_t from = first ? start : p->token.at;
        first = false;
        parse_declaration(p, component);
        if (!p->stopped)
            name = component->name;
        if (parser_accept(p, TK_IF))
            component->condition = parse_expression(p);
        Comment comment = parse_comment(p);
        ClassElement *element = parser_node(p, sizeof *element);
        *element = *prefixes;
        element->kind = EL_COMPONENT;
        element->component = component;
        element->comment = comment;
        element->span = parser_span(p, from);
        parser_push(p, element);
    } while (parser_accept(p, TK_COMMA));
    return name;
}

/* ------------------------------------------------------------------ elements */

/* one IDENT as a Ref */
Ref *parse_single_name(Parser *p)
{
    Ref *ref = parser_node(p, sizeof *ref);
    uint32_t start = p->token.at;
    ref->name = parser_name(p, "a name");
    ref->span = parser_span(p, start);
    return ref;
}

/* import-clause:
 *     import ( IDENT "=" name | name [ ".*" | "." ( "*" | "{" import-list "}" ) ] )
 *     description
 * import-list: IDENT { "," IDENT } */
static void parse_import(Parser *p, ClassElement *element)
{
    Import *import = parser_node(p, sizeof *import);
    element->kind = EL_IMPORT;
    element->import = import;
    parser_advance(p);
    if (parser_at(p, TK_IDENT) && p->next.kind == TK_EQUAL) {
        import->alias = parser_name(p, "a name");
        parser_advance(p);
        import->name = parse_type_specifier(p, "the name to import");
    } else {
        import->name = parse_type_specifier(p, "the name to import");
        if (parser_accept(p, TK_DOT_STAR)) {
            import->all = true;
        } else if (parser_accept(p, TK_DOT)) {
            size_t mark = p->stack.n;
            if (parser_accept(p, TK_STAR)) {
                import->all = true;
            } else if (parser_accept(p, TK_LBRACE)) {
                do {
                    ImportedName *item = parser_node(p, sizeof *item);
                    uint32_t start = p->token.at;
                    item->name = parser_name(p, "the name to import");
                    item->span = parser_span(p, start);
                    parser_push(p, item);
                } while (parser_accept(p, TK_COMMA));
                parser_expect(p, TK_RBRACE, "after the names to import");
            } else {
                parser_unexpected(p, "a name after '.'");
            }
            parser_take_list(p, mark, &import->names);
        }
    }
    element->comment = parse_comment(p);
    parser_push(p, element);
}

/* extends-clause:
 *     extends type-specifier [ class-or-inheritance-modification ] [ annotation-clause ] */
static void parse_extends(Parser *p, ClassElement *element)
{
    Extends *extends = parser_node(p, sizeof *extends);
    element->kind = EL_EXTENDS;
    element->extends = extends;
    parser_advance(p);
    extends->type = parse_type_specifier(p, "the name of a class after 'extends'");
    extends->modification = parse_class_modification(p, true);
    element->comment = parse_comment(p);
    parser_push(p, element);
}

/* element:
 *     import-clause | extends-clause
 *     | [ redeclare ] [ final ] [ inner ] [ outer ]
 *       ( class-definition | component-clause
 *         | replaceable ( class-definition | component-clause )
 *           [ constraining-clause description ] )
 * with its ';', pushed on the stack */
static void parse_element(Parser *p, bool is_protected)
{
    uint32_t start = p->token.at;
    size_t mark = p->stack.n;
    ClassElement *element = parser_node(p, sizeof *element);
    element->is_protected = is_protected;
    char before[100] = "after the import";
    if (parser_at(p, TK_IMPORT)) {
        parse_import(p, element);
    } else if (parser_at(p, TK_EXTENDS)) {
        parse_extends(p, element);
        snprintf(before, sizeof before, "after the extends clause");
    } else {
        for (;; parser_advance(p)) {
            if (parser_at(p, TK_REDECLARE))
                element->redeclare = true;
            else if (parser_at(p, TK_FINAL))
                element->final = true;
            else if (parser_at(p, TK_INNER))
                element->inner = true;
            else if (parser_at(p, TK_OUTER))
                element->outer = true;
            else if (parser_at(p, TK_REPLACEABLE))
                element->replaceable = true;
            else
                break;
        }
        if (parser_at_class(p)) {
            Class *class_ = parse_class_definition(p);
            element->kind = EL_CLASS;
            element->class_ = class_;
            parser_push(p, element);
            bool named = class_->form == FORM_LONG || class_->form == FORM_EXTENDS;
            if (!p->stopped)
                snprintf(before, sizeof before,
                         named ? "after 'end %.60s'" : "after the definition of '%.60s'",
                         class_->name);
        } else {
            const char *name = parse_component_clause(p, element, start);
            snprintf(before, sizeof before, "after the declaration of '%.60s'", name);
        }
        Constraint *constraint = element->replaceable ? parse_constraint(p) : NULL;
        for (size_t i = mark; constraint && i < p->stack.n; i++)
            ((ClassElement *)p->stack.items[i])->constraint = constraint;
    }
    if (element->kind != EL_COMPONENT || p->stack.n == mark)
        element->span = parser_span(p, start);
    parser_end_item(p, "%s", before);
}

/* element-list: { element ";" } */
void parse_element_list(Parser *p, bool is_protected)
{
    for (;;) {
        switch (p->token.kind) {
        case TK_PUBLIC:
        case TK_PROTECTED:
        case TK_EQUATION:
        case TK_ALGORITHM:
        case TK_EXTERNAL:
        case TK_ANNOTATION:
        case TK_END:
        case TK_END_OF_FILE:
            return;
        case TK_INITIAL:
            if (p->next.kind == TK_EQUATION || p->next.kind == TK_ALGORITHM)
                return;
            break;
        default:
            break;
        }
        uint32_t from = p->token.at;
        parse_element(p, is_protected);
        if (p->panic)
            parser_recover(p, from);
    }
}
