/* parse_expression.c - expressions, names, subscripts and calls; see parser.h.
 *
 * The productions from logical-expression down to factor are one function that climbs
 * precedences: one stack frame per operator instead of one per production. From loose to
 * tight: or, and, not, comparison, + -, * /, ^. Comparisons and powers do not chain, and a
 * sign stands only before the first term of a sum: -a*b is -(a*b), and a*-b is an error.
 *
 * Each node keeps its height, so that a long chain of operators, which is a deep tree though
 * no deep recursion, also meets the depth limit.
 */
#include "front/syntax/parser.h"

#include <limits.h>
#include <math.h>

/* ------------------------------------------------------------------ nodes */

static Expr *new_expr(Parser *p, ExprKind kind, uint32_t start)
{
    Expr *e = parser_node(p, sizeof *e);
    e->kind = kind;
    e->height = 1;
    e->span = parser_span(p, start);
    return e;
}

static int height_of(const Expr *e)
{
    return e ? e->height : 0;
}

static int max_height(int height, const Expr *e)
{
    return height_of(e) > height ? height_of(e) : height;
}

static int list_height(int height, const ExprList *list)
{
    for (size_t i = 0; list && i < list->n; i++)
        height = max_height(height, list->items[i]);
    return height;
}

static int ref_height(int height, const Ref *ref)
{
    for (; ref; ref = ref->rest)
        height = list_height(height, &ref->subscripts);
    return height;
}

static int index_height(int height, const ForIndexList *list)
{
    for (size_t i = 0; i < list->n; i++)
        height = max_height(height, list->items[i]->range);
    return height;
}

static int call_height(const CallExpr *call)
{
    int height = ref_height(list_height(0, &call->positional), call->function);
    for (size_t i = 0; i < call->named.n; i++)
        height = max_height(height, call->named.items[i]->value);
    return index_height(height, &call->iterators);
}

/* Closes a node that has children: its span and its height, which must keep within bounds. */
static Expr *finish(Parser *p, Expr *e, uint32_t start)
{
    e->span = parser_span(p, start);
    if (p->no_memory)
        return e;
    int height = 0;
    switch (e->kind) {
    case EX_UNARY:
    case EX_BINARY:
        height = max_height(height_of(e->left), e->right);
        break;
    case EX_REF:
        height = ref_height(0, e->ref);
        break;
    case EX_RANGE:
        height = max_height(max_height(height_of(e->range.first), e->range.step), e->range.last);
        break;
    case EX_IF:
        height = list_height(list_height(0, e->choice.conditions), e->choice.values);
        break;
    case EX_CALL:
    case EX_PARTIAL:
        height = call_height(e->call);
        break;
    case EX_ARRAY:
    case EX_TUPLE:
        height = list_height(0, &e->list);
        break;
    case EX_COLLECT:
        height = index_height(height_of(e->collect.body), e->collect.iterators);
        break;
    case EX_MATRIX:
        for (size_t i = 0; i < e->matrix.nrow; i++)
            height = list_height(height, e->matrix.rows[i]);
        break;
    case EX_SELECT:
        height = list_height(height_of(e->select.base), e->select.subscripts);
        break;
    default:
        break;
    }
    if (p->depth + height + 1 > SYNTAX_DEPTH && !p->panic) {
        parser_error(p, e->span,
                     "an expression more than %d levels deep\nsplit it into several variables",
                     SYNTAX_DEPTH);
        parser_panic(p);
    }
    e->height = (unsigned short)(height < SYNTAX_DEPTH ? height + 1 : SYNTAX_DEPTH);
    return e;
}

/* a list on its own in the arena */
static ExprList *take_list_node(Parser *p, size_t mark)
{
    ExprList *list = parser_node(p, sizeof *list);
    parser_take_list(p, mark, list);
    return list;
}

/* ------------------------------------------------------------------ names */

static Ref *name_part(Parser *p, const char *wanted)
{
    Ref *ref = parser_node(p, sizeof *ref);
    uint32_t start = p->token.at;
    const char *name = parser_name(p, wanted);
    ref->name = name;
    ref->span = parser_span(p, start);
    return ref;
}

/* name: IDENT { "." IDENT } */
Ref *parse_dotted_name(Parser *p, const char *wanted)
{
    Ref *first = name_part(p, wanted), *last = first;
    while (parser_at(p, TK_DOT) && p->next.kind == TK_IDENT) {
        parser_advance(p);
        Ref *rest = name_part(p, "a name after '.'");
        last->rest = rest;
        last = rest;
    }
    return first;
}

/* type-specifier: [ "." ] name */
Ref *parse_type_specifier(Parser *p, const char *wanted)
{
    bool global = parser_accept(p, TK_DOT);
    Ref *ref = parse_dotted_name(p, wanted);
    ref->global = global;
    return ref;
}

/* subscript: ":" | expression */
static Expr *parse_subscript(Parser *p)
{
    uint32_t start = p->token.at;
    if (parser_at(p, TK_COLON) && (p->next.kind == TK_COMMA || p->next.kind == TK_RBRACKET)) {
        parser_advance(p);
        return new_expr(p, EX_COLON, start);
    }
    return parse_expression(p);
}

/* array-subscripts: "[" subscript { "," subscript } "]" */
ExprList parse_subscripts(Parser *p)
{
    ExprList list = {0};
    if (!parser_accept(p, TK_LBRACKET))
        return list;
    p->subscript_depth++;
    size_t mark = p->stack.n;
    do
        parser_push(p, parse_subscript(p));
    while (parser_accept(p, TK_COMMA));
    p->subscript_depth--;
    parser_expect(p, TK_RBRACKET, "after the subscripts");
    parser_take_list(p, mark, &list);
    return list;
}

/* component-reference:
 *     [ "." ] IDENT [ array-subscripts ] { "." IDENT [ array-subscripts ] } */
Ref *parse_component_reference(Parser *p)
{
    bool global = parser_accept(p, TK_DOT);
    Ref *first = name_part(p, "the name of a component"), *last = first;
    last->subscripts = parse_subscripts(p);
    while (parser_accept(p, TK_DOT)) {
        Ref *rest = name_part(p, "a name after '.'");
        last->rest = rest;
        last = rest;
        last->subscripts = parse_subscripts(p);
    }
    first->global = global;
    return first;
}

Expr *parse_reference_expression(Parser *p)
{
    uint32_t start = p->token.at;
    Ref *ref = parse_component_reference(p);
    Expr *e = new_expr(p, EX_REF, start);
    e->ref = ref;
    return finish(p, e, start);
}

/* ------------------------------------------------------------------ calls */

/* for-indices: for-index { "," for-index }
 * for-index:   IDENT [ in expression ] */
ForIndexList parse_for_indices(Parser *p)
{
    size_t mark = p->stack.n;
    do {
        ForIndex *index = parser_node(p, sizeof *index);
        uint32_t start = p->token.at;
        index->name = parser_name(p, "the name of an index after 'for'");
        index->span = parser_span(p, start);
        index->range = parser_accept(p, TK_IN) ? parse_expression(p) : NULL;
        parser_push(p, index);
    } while (parser_accept(p, TK_COMMA));
    ForIndexList list = {0};
    parser_take_list(p, mark, &list);
    return list;
}

static Expr *parse_function_argument(Parser *p);

/* named-arguments: named-argument { "," named-argument }
 * named-argument:  IDENT "=" function-argument */
static NamedArgumentList parse_named_arguments(Parser *p)
{
    size_t mark = p->stack.n;
    do {
        NamedArgument *argument = parser_node(p, sizeof *argument);
        uint32_t start = p->token.at;
        argument->name = parser_name(p, "the name of an argument\nbehind a named argument all "
                                        "others are named as well");
        argument->span = parser_span(p, start);
        parser_expect(p, TK_EQUAL, "after the name of an argument");
        argument->value = parse_function_argument(p);
        parser_push(p, argument);
    } while (parser_accept(p, TK_COMMA));
    NamedArgumentList list = {0};
    parser_take_list(p, mark, &list);
    return list;
}

static bool at_named_argument(const Parser *p)
{
    return parser_at(p, TK_IDENT) && p->next.kind == TK_EQUAL;
}

/* function-argument:            function-partial-application | expression
 * function-partial-application: function type-specifier "(" [ named-arguments ] ")" */
static Expr *parse_function_argument(Parser *p)
{
    uint32_t start = p->token.at;
    if (!parser_accept(p, TK_FUNCTION))
        return parse_expression(p);
    Expr *e = NULL;
    if (parser_enter(p)) {
        CallExpr *call = parser_node(p, sizeof *call);
        call->function = parse_type_specifier(p, "the name of a function");
        parser_expect(p, TK_LPAREN, "after the name of a function");
        if (!parser_at(p, TK_RPAREN))
            call->named = parse_named_arguments(p);
        parser_expect(p, TK_RPAREN, "after the arguments");
        e = new_expr(p, EX_PARTIAL, start);
        e->call = call;
        finish(p, e, start);
    }
    parser_leave(p);
    return e ? e : new_expr(p, EX_NONE, start);
}

/* function-call-args:
 *     "(" [ function-arguments ] ")"
 * function-arguments:
 *     expression [ "," function-arguments-non-first | for for-indices ]
 *     | function-partial-application [ "," function-arguments-non-first ]
 *     | named-arguments
 * function-arguments-non-first:
 *     function-argument [ "," function-arguments-non-first ] | named-arguments */
static Expr *parse_call(Parser *p, Ref *function, uint32_t start)
{
    CallExpr *call = parser_node(p, sizeof *call);
    call->function = function;
    parser_expect(p, TK_LPAREN, "after '%s'", function->name);
    size_t mark = p->stack.n;
    if (!parser_at(p, TK_RPAREN)) {
        do {
            if (at_named_argument(p)) {
                call->named = parse_named_arguments(p);
                break;
            }
            parser_push(p, parse_function_argument(p));
            if (p->stack.n == mark + 1 && parser_accept(p, TK_FOR)) {
                call->iterators = parse_for_indices(p);
                break;
            }
        } while (parser_accept(p, TK_COMMA));
    }
    parser_expect(p, TK_RPAREN, "after the arguments of '%.60s'", function->name);
    parser_take_list(p, mark, &call->positional);
    imply_ranges(p, &call->iterators, call->positional.n ? call->positional.items[0] : NULL, NULL);
    Expr *e = new_expr(p, EX_CALL, start);
    e->call = call;
    return finish(p, e, start);
}

/* ------------------------------------------------------------------ primaries */

/* 0, 0.0, 0e5: no digit but zeros before the exponent */
static bool is_written_zero(const char *text, uint32_t length)
{
    for (uint32_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++)
        if (text[i] >= '1' && text[i] <= '9')
            return false;
    return true;
}

/* unsigned-number: UNSIGNED-INTEGER | UNSIGNED-REAL */
static Expr *parse_number(Parser *p)
{
    uint32_t start = p->token.at;
    const char *text = p->file->text + start;
    uint32_t length = p->token.length;
    bool whole = parser_at(p, TK_INTEGER);
    long long integer = 0;
    for (uint32_t i = 0; whole && i < length; i++) {
        int digit = text[i] - '0';
        if (integer > (LLONG_MAX - digit) / 10)
            whole = false;
        else
            integer = integer * 10 + digit;
    }
    parser_advance(p);
    Expr *e = new_expr(p, whole ? EX_INTEGER : EX_REAL, start);
    if (whole)
        e->integer = integer;
    else
        e->real = lex_number(text, length);
    if (!whole && (isinf(e->real) || (e->real == 0 && !is_written_zero(text, length))))
        parser_error(p, e->span, "this number is %s than a number of 64 bits can be\n%s",
                     e->real == 0 ? "smaller" : "larger",
                     e->real == 0 ? "write 0, or at least 1e-323" : "write at most 1.79e308");
    return e;
}

/* "(" output-expression-list ")" [ array-subscripts | "." IDENT ]
 * output-expression-list: [ expression ] { "," [ expression ] } */
static Expr *parse_parenthesis(Parser *p)
{
    uint32_t start = p->token.at;
    parser_advance(p);
    size_t mark = p->stack.n;
    size_t ncomma = 0;
    for (;;) {
        bool empty = parser_at(p, TK_COMMA) || parser_at(p, TK_RPAREN);
        if (!empty || ncomma > 0 || parser_at(p, TK_COMMA))
            parser_push(p, empty ? NULL : parse_expression(p));
        if (!parser_accept(p, TK_COMMA))
            break;
        ncomma++;
    }
    parser_expect(p, TK_RPAREN, "to close the parenthesis");
    ExprList list = {0};
    parser_take_list(p, mark, &list);
    Expr *e;
    if (list.n == 1 && list.items[0]) {
        e = list.items[0];
    } else {
        e = new_expr(p, EX_TUPLE, start);
        e->list = list;
        finish(p, e, start);
    }
    if (parser_at(p, TK_LBRACKET) || parser_at(p, TK_DOT)) {
        Expr *select = new_expr(p, EX_SELECT, start);
        select->select.base = e;
        if (parser_accept(p, TK_DOT)) {
            const char *name = parser_name(p, "a name after '.'");
            select->select.name = name;
        } else {
            ExprList subscripts = parse_subscripts(p);
            select->select.subscripts = parser_node(p, sizeof subscripts);
            *select->select.subscripts = subscripts;
        }
        e = finish(p, select, start);
    }
    return e;
}

/* "[" expression-list { ";" expression-list } "]" */
static Expr *parse_matrix(Parser *p)
{
    uint32_t start = p->token.at;
    parser_advance(p);
    size_t mark = p->stack.n;
    do {
        ExprList list = parse_expression_list(p);
        ExprList *row = parser_node(p, sizeof *row);
        *row = list;
        parser_push(p, row);
    } while (parser_accept(p, TK_SEMICOLON));
    parser_expect(p, TK_RBRACKET, "to close the matrix");
    Expr *e = new_expr(p, EX_MATRIX, start);
    e->matrix.rows = parser_take(p, mark, &e->matrix.nrow);
    return finish(p, e, start);
}

/* "{" array-arguments "}"
 * array-arguments: expression [ { "," expression } | for for-indices ] */
static Expr *parse_array(Parser *p)
{
    uint32_t start = p->token.at;
    parser_advance(p);
    size_t mark = p->stack.n;
    Expr *e;
    do
        parser_push(p, parse_expression(p));
    while (parser_accept(p, TK_COMMA));
    if (p->stack.n == mark + 1 && parser_accept(p, TK_FOR)) {
        ForIndexList *iterators = parser_node(p, sizeof *iterators);
        *iterators = parse_for_indices(p);
        parser_expect(p, TK_RBRACE, "to close the array");
        ExprList body = {0};
        parser_take_list(p, mark, &body);
        e = new_expr(p, EX_COLLECT, start);
        e->collect.body = body.n ? body.items[0] : NULL;
        e->collect.iterators = iterators;
        imply_ranges(p, iterators, e->collect.body, NULL);
    } else {
        parser_expect(p, TK_RBRACE, "to close the array");
        ExprList list = {0};
        parser_take_list(p, mark, &list);
        e = new_expr(p, EX_ARRAY, start);
        e->list = list;
    }
    return finish(p, e, start);
}

/* der, initial and pure are called like functions of those names */
static Expr *parse_keyword_call(Parser *p)
{
    uint32_t start = p->token.at;
    Ref *function = parser_node(p, sizeof *function);
    function->span = parser_token_span(p);
    const char *name = parser_keyword_name(p);
    function->name = name;
    return parse_call(p, function, start);
}

/* primary:
 *     unsigned-number | STRING | false | true
 *     | ( component-reference | der | initial | pure ) function-call-args
 *     | component-reference
 *     | "(" output-expression-list ")" [ array-subscripts | "." IDENT ]
 *     | "[" expression-list { ";" expression-list } "]"
 *     | "{" array-arguments "}"
 *     | end */
Expr *parse_primary(Parser *p)
{
    uint32_t start = p->token.at;
    Expr *e;
    switch (p->token.kind) {
    case TK_INTEGER:
    case TK_REAL:
        return parse_number(p);
    case TK_STRING: {
        const char *text = parser_string(p);
        e = new_expr(p, EX_STRING, start);
        e->text = text;
        return e;
    }
    case TK_TRUE:
    case TK_FALSE: {
        bool value = parser_at(p, TK_TRUE);
        parser_advance(p);
        e = new_expr(p, EX_BOOLEAN, start);
        e->boolean = value;
        return e;
    }
    case TK_IDENT:
    case TK_DOT:
        e = parse_reference_expression(p);
        return parser_at(p, TK_LPAREN) && !p->no_memory ? parse_call(p, e->ref, start) : e;
    case TK_DER:
    case TK_INITIAL:
    case TK_PURE:
        return parse_keyword_call(p);
    case TK_LPAREN:
        return parse_parenthesis(p);
    case TK_LBRACKET:
        return parse_matrix(p);
    case TK_LBRACE:
        return parse_array(p);
    case TK_END:
        if (p->subscript_depth > 0 && p->next.kind != TK_IDENT) {
            parser_advance(p);
            return new_expr(p, EX_END, start);
        }
        parser_unexpected(p, "an expression");
        break;
    case TK_PLUS:
    case TK_MINUS:
        parser_unexpected(p,
                          "an operand\na sign behind an operator needs parentheses, as in a*(-b)");
        break;
    case TK_IF:
        parser_unexpected(p, "an operand\nan 'if' inside an expression needs parentheses");
        break;
    case TK_STAR:
        parser_unexpected(p, "an expression\na power is written x^2");
        break;
    default:
        parser_unexpected(p, "an expression");
    }
    return new_expr(p, EX_NONE, start);
}

/* ------------------------------------------------------------------ operators */

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_RELATION, LEVEL_ADD, LEVEL_MUL, LEVEL_POW };

/* the binary operator that a token stands for, and how tight it binds; level 0: none */
static Operator binary_operator(TokenKind kind, int *level)
{
    *level = LEVEL_RELATION;
    switch (kind) {
    case TK_LESS:
        return OP_LESS;
    case TK_LESS_EQUAL:
        return OP_LESS_EQUAL;
    case TK_GREATER:
        return OP_GREATER;
    case TK_GREATER_EQUAL:
        return OP_GREATER_EQUAL;
    case TK_EQUAL_EQUAL:
        return OP_EQUAL;
    case TK_NOT_EQUAL:
        return OP_NOT_EQUAL;
    default:
        break;
    }
    *level = LEVEL_ADD;
    switch (kind) {
    case TK_PLUS:
        return OP_ADD;
    case TK_MINUS:
        return OP_SUB;
    case TK_DOT_PLUS:
        return OP_EACH_ADD;
    case TK_DOT_MINUS:
        return OP_EACH_SUB;
    default:
        break;
    }
    *level = LEVEL_MUL;
    switch (kind) {
    case TK_STAR:
        return OP_MUL;
    case TK_SLASH:
        return OP_DIV;
    case TK_DOT_STAR:
        return OP_EACH_MUL;
    case TK_DOT_SLASH:
        return OP_EACH_DIV;
    default:
        break;
    }
    *level = kind == TK_OR ? LEVEL_OR : kind == TK_AND ? LEVEL_AND : LEVEL_POW;
    switch (kind) {
    case TK_OR:
        return OP_OR;
    case TK_AND:
        return OP_AND;
    case TK_CARET:
        return OP_POW;
    case TK_DOT_CARET:
        return OP_EACH_POW;
    default:
        *level = 0;
        return OP_NONE;
    }
}

/* logical-expression:    logical-term { or logical-term }
 * logical-term:          logical-factor { and logical-factor }
 * logical-factor:        [ not ] relation
 * relation:              arithmetic-expression [ relational-operator arithmetic-expression ]
 * arithmetic-expression: [ add-operator ] term { add-operator term }
 * term:                  factor { mul-operator factor }
 * factor:                primary [ ( "^" | ".^" ) primary ]
 * from the production of `lowest` on */
static Expr *parse_operators(Parser *p, int lowest)
{
    uint32_t start = p->token.at;
    int level;
    Operator op = binary_operator(p->token.kind, &level);
    Expr *left;
    if (lowest <= LEVEL_NOT && parser_at(p, TK_NOT)) {
        parser_advance(p);
        Expr *right = parse_operators(p, LEVEL_RELATION);
        left = new_expr(p, EX_UNARY, start);
        left->op = OP_NOT;
        left->right = right;
        finish(p, left, start);
    } else if (lowest <= LEVEL_ADD && level == LEVEL_ADD) {
        parser_advance(p);
        Expr *right = parse_operators(p, LEVEL_MUL);
        left = new_expr(p, EX_UNARY, start);
        left->op = (unsigned short)op;
        left->right = right;
        finish(p, left, start);
    } else {
        left = parse_primary(p);
    }

    int last = 0; // level of the operator taken last
    for (;;) {
        op = binary_operator(p->token.kind, &level);
        if (level == 0 || level < lowest)
            return left;
        if (last == level && level == LEVEL_RELATION)
            parser_unexpected(p, "the end of the comparison\ncomparisons do not chain: write "
                                 "a < b and b < c");
        if (last == level && level == LEVEL_POW)
            parser_unexpected(p, "the end of the power\npowers do not chain: use parentheses");
        last = level;
        parser_advance(p);
        Expr *right = parse_operators(p, level + 1);
        Expr *e = new_expr(p, EX_BINARY, start);
        e->op = (unsigned short)op;
        e->left = left;
        e->right = right;
        left = finish(p, e, start);
    }
}

/* simple-expression:
 *     logical-expression [ ":" logical-expression [ ":" logical-expression ] ] */
Expr *parse_simple_expression(Parser *p)
{
    uint32_t start = p->token.at;
    Expr *first = parse_operators(p, LEVEL_OR);
    if (!parser_accept(p, TK_COLON))
        return first;
    Expr *step = NULL, *last = parse_operators(p, LEVEL_OR);
    if (parser_accept(p, TK_COLON)) {
        step = last;
        last = parse_operators(p, LEVEL_OR);
    }
    Expr *e = new_expr(p, EX_RANGE, start);
    e->range.first = first;
    e->range.step = step;
    e->range.last = last;
    return finish(p, e, start);
}

/* if expression then expression { elseif expression then expression } else expression */
static Expr *parse_if_expression(Parser *p)
{
    uint32_t start = p->token.at;
    // conditions and values in turn, parted at the end
    size_t mark = p->stack.n;
    while (parser_accept(p, TK_IF) || parser_accept(p, TK_ELSEIF)) {
        parser_push(p, parse_expression(p));
        parser_expect(p, TK_THEN, "after the condition");
        parser_push(p, parse_expression(p));
    }
    if (parser_expect(p, TK_ELSE, "in the if-expression"))
        parser_push(p, parse_expression(p));
    ExprList both = {0};
    parser_take_list(p, mark, &both);
    for (size_t i = 0; i + 1 < both.n; i += 2)
        parser_push(p, both.items[i]);
    ExprList *conditions = take_list_node(p, mark);
    for (size_t i = 1; i < both.n; i += 2)
        parser_push(p, both.items[i]);
    if (both.n % 2)
        parser_push(p, both.items[both.n - 1]);
    ExprList *values = take_list_node(p, mark);
    Expr *e = new_expr(p, EX_IF, start);
    e->choice.conditions = conditions;
    e->choice.values = values;
    return finish(p, e, start);
}

/* expression:
 *     simple-expression
 *     | if expression then expression { elseif expression then expression } else expression */
Expr *parse_expression(Parser *p)
{
    uint32_t start = p->token.at;
    Expr *e;
    if (!parser_enter(p))
        e = new_expr(p, EX_NONE, start);
    else if (parser_at(p, TK_IF))
        e = parse_if_expression(p);
    else
        e = parse_simple_expression(p);
    parser_leave(p);
    return e;
}

/* expression-list: expression { "," expression } */
ExprList parse_expression_list(Parser *p)
{
    size_t mark = p->stack.n;
    do
        parser_push(p, parse_expression(p));
    while (parser_accept(p, TK_COMMA));
    ExprList list = {0};
    parser_take_list(p, mark, &list);
    return list;
}
