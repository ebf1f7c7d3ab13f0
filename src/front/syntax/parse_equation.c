/* parse_equation.c - equations and statements; see parser.h.
 *
 * The two share their blocks (if, for, when) and one node type, so one set of functions reads
 * both; `statements` says which is wanted.
 */
#include "front/syntax/parser.h"

#include <stdio.h>

/* ------------------------------------------------------------------ lists */

/* the current token ends a list of equations */
static bool ends_list(const Parser *p, bool nested)
{
    switch (p->token.kind) {
    case TK_END:
    case TK_END_OF_FILE:
    case TK_EQUATION:
    case TK_ALGORITHM:
    case TK_PUBLIC:
    case TK_PROTECTED:
    case TK_EXTERNAL:
    case TK_ANNOTATION:
        return true;
    case TK_INITIAL:
        return p->next.kind == TK_EQUATION || p->next.kind == TK_ALGORITHM;
    case TK_ELSE:
    case TK_ELSEIF:
    case TK_ELSEWHEN:
        return nested;
    default:
        return false;
    }
}

static Equation *parse_item(Parser *p, bool statements);

/* what stood before a missing ';' */
static const char *item_text(const Equation *item, bool statements)
{
    switch (item->kind) {
    case EQ_IF:
        return "'end if'";
    case EQ_FOR:
        return "'end for'";
    case EQ_WHEN:
        return "'end when'";
    case EQ_WHILE:
        return "'end while'";
    case EQ_CONNECT:
        return "'connect(...)'";
    case EQ_BREAK:
        return "'break'";
    case EQ_RETURN:
        return "'return'";
    default:
        return statements ? "the statement" : "the equation";
    }
}

void parse_equation_list(Parser *p, bool statements, bool nested)
{
    while (!ends_list(p, nested)) {
        uint32_t from = p->token.at;
        Equation *item = parse_item(p, statements);
        parser_end_item(p, "after %s", item_text(item, statements));
        parser_push(p, item);
        if (p->panic)
            parser_recover(p, from);
    }
}

static EquationList parse_body(Parser *p, bool statements)
{
    size_t mark = p->stack.n;
    parse_equation_list(p, statements, true);
    EquationList body = {0};
    parser_take_list(p, mark, &body);
    return body;
}

/* ------------------------------------------------------------------ blocks */

/* where a block's kind is counted in Parser.nopen; -1: no block */
static int block_index(TokenKind kind)
{
    switch (kind) {
    case TK_IF:
        return 0;
    case TK_FOR:
        return 1;
    case TK_WHEN:
        return 2;
    case TK_WHILE:
        return 3;
    default:
        return -1;
    }
}

static void open_block(Parser *p, TokenKind kind)
{
    p->nopen[block_index(kind)]++;
    parser_advance(p);
}

/* "end if" and its like. A wrong one is taken as a slip of the pen, unless it fits a block
 * further out or the class: then the right one was forgotten. advice: "" or one with a newline
 * before it. */
static void close_block(Parser *p, TokenKind kind, uint32_t opener, const char *advice)
{
    p->nopen[block_index(kind)]--;
    if (parser_at(p, TK_END) && p->next.kind == kind) {
        parser_advance(p);
        parser_advance(p);
        return;
    }
    if (p->stopped || p->panic)
        return;
    const char *word = token_spelling(kind);
    int line = span_line((SourceSpan){.file = p->file, .at = opener});
    char found[80] = "the end of the file";
    SourceSpan span = parser_token_span(p);
    if (parser_at(p, TK_END)) {
        int length = p->next.length > 40 ? 40 : (int)p->next.length;
        snprintf(found, sizeof found, "'end %.*s'", length, p->file->text + p->next.at);
        span.length = p->next.at + p->next.length - span.at;
    } else if (!parser_at(p, TK_END_OF_FILE)) {
        snprintf(found, sizeof found, "'%s'", token_spelling(p->token.kind));
    }
    parser_error(p, span, "expected 'end %s' to close the '%s' of line %d, found %s%s", word, word,
                 line, found, advice);
    int other = block_index(p->next.kind);
    if (parser_at(p, TK_END) && other >= 0 && p->nopen[other] == 0) {
        parser_advance(p);
        parser_advance(p);
    }
}

/* "then" or "loop" behind the head of a block; an error in the head is recovered from here */
static void end_head(Parser *p, TokenKind word, const char *where)
{
    parser_expect(p, word, "%s", where);
    if (p->panic && parser_recover_at(p, word))
        parser_advance(p);
}

/* if-equation, if-statement:
 *     if expression then { item ";" }
 *     { elseif expression then { item ";" } }
 *     [ else { item ";" } ]
 *     end if
 * when-equation, when-statement:
 *     when expression then { item ";" }
 *     { elsewhen expression then { item ";" } }
 *     end when */
static void parse_branches(Parser *p, Equation *equation, TokenKind kind, bool statements)
{
    uint32_t opener = p->token.at;
    size_t mark = p->stack.n;
    TokenKind again = kind == TK_IF ? TK_ELSEIF : TK_ELSEWHEN;
    const char *advice = "";
    equation->kind = kind == TK_IF ? EQ_IF : EQ_WHEN;
    p->nopen[block_index(kind)]++;
    do {
        Branch *branch = parser_node(p, sizeof *branch);
        branch->span = parser_token_span(p);
        parser_advance(p);
        branch->condition = parse_expression(p);
        end_head(p, TK_THEN, "after the condition");
        if (!p->panic)
            branch->body = parse_body(p, statements);
        parser_push(p, branch);
    } while (parser_at(p, again));
    if (kind == TK_IF && parser_at(p, TK_ELSE)) {
        Branch *branch = parser_node(p, sizeof *branch);
        branch->span = parser_token_span(p);
        if (p->next.kind == TK_IF && !p->next.first)
            advice = "\n'else if' begins another 'if', with an end of its own: write 'elseif'";
        parser_advance(p);
        branch->body = parse_body(p, statements);
        parser_push(p, branch);
    }
    close_block(p, kind, opener, advice);
    parser_take_list(p, mark, &equation->branches);
}

/* for-equation, for-statement: for for-indices loop { item ";" } end for */
static void parse_for(Parser *p, Equation *equation, bool statements)
{
    uint32_t opener = p->token.at;
    equation->kind = EQ_FOR;
    open_block(p, TK_FOR);
    equation->indices = parse_for_indices(p);
    if (parser_at(p, TK_EQUAL))
        parser_unexpected(p, "'in' after the index\nwrite it as in: for i in 1:3 loop");
    end_head(p, TK_LOOP, "after the range of the index");
    if (!p->panic)
        equation->body = parse_body(p, statements);
    imply_ranges(p, &equation->indices, NULL, &equation->body);
    close_block(p, TK_FOR, opener, "");
}

/* while-statement: while expression loop { statement ";" } end while */
static void parse_while(Parser *p, Equation *equation)
{
    uint32_t opener = p->token.at;
    equation->kind = EQ_WHILE;
    open_block(p, TK_WHILE);
    equation->left = parse_expression(p);
    end_head(p, TK_LOOP, "after the condition");
    if (!p->panic)
        equation->body = parse_body(p, true);
    close_block(p, TK_WHILE, opener, "");
}

/* ------------------------------------------------------------------ single items */

/* connect-equation: connect "(" component-reference "," component-reference ")" */
Equation *parse_connect(Parser *p)
{
    Equation *equation = parser_node(p, sizeof *equation);
    uint32_t start = p->token.at;
    equation->kind = EQ_CONNECT;
    parser_advance(p);
    parser_expect(p, TK_LPAREN, "after 'connect'");
    equation->left = parse_reference_expression(p);
    parser_expect(p, TK_COMMA, "between the two connectors");
    equation->right = parse_reference_expression(p);
    parser_expect(p, TK_RPAREN, "after the second connector");
    equation->span = parser_span(p, start);
    return equation;
}

/* equation-or-procedure: simple-expression "=" expression | function-call */
static void parse_simple_equation(Parser *p, Equation *equation)
{
    if (token_is_keyword(p->token.kind) && p->token.kind != TK_DER && p->token.kind != TK_INITIAL &&
        p->token.kind != TK_PURE && p->token.kind != TK_NOT && p->token.kind != TK_TRUE &&
        p->token.kind != TK_FALSE) {
        parser_unexpected(p, "an equation\ndeclarations stand before 'equation', or after "
                             "'public' or 'protected'");
        return;
    }
    Expr *left = parse_simple_expression(p);
    equation->left = left;
    equation->kind = EQ_EQUAL;
    if (parser_accept(p, TK_EQUAL)) {
        equation->right = parse_expression(p);
    } else if (p->no_memory) {
        return;
    } else if (left->kind == EX_CALL && !parser_at(p, TK_ASSIGN)) {
        equation->kind = EQ_CALL;
    } else if (parser_at(p, TK_ASSIGN)) {
        parser_unexpected(p, "'=' in the equation\n':=' assigns, in an algorithm section");
    } else if (parser_at(p, TK_IDENT) && left->kind == EX_REF) {
        parser_unexpected(p, "'=' in the equation\ndeclarations stand before 'equation', or "
                             "after 'public' or 'protected'");
    } else if (left->kind == EX_BINARY && left->op == OP_EQUAL) {
        parser_unexpected(p, "'=' in the equation\n'==' compares, '=' states that both are equal");
    } else if (parser_at(p, TK_COMMA)) {
        parser_unexpected(p, "'=' in the equation\nseveral results of a function: (a, b) = f(x)");
    } else {
        parser_unexpected(p, "'=' in the equation");
    }
}

/* statement-or-procedure and its like:
 *     component-reference ":=" expression | der "(" component-reference ")" ":=" expression
 *     | "(" output-expression-list ")" ":=" function-call
 *     | function-call */
static void parse_simple_statement(Parser *p, Statement *statement)
{
    switch (p->token.kind) {
    case TK_IDENT:
    case TK_DOT:
    case TK_LPAREN:
    case TK_DER:
    case TK_INITIAL:
    case TK_PURE:
        break;
    default:
        parser_unexpected(p, "a statement");
        return;
    }
    Expr *left = parse_primary(p);
    statement->left = left;
    statement->kind = EQ_ASSIGN;
    if (parser_at(p, TK_ASSIGN)) {
        bool fits = left->kind == EX_REF || left->kind == EX_TUPLE || left->kind == EX_CALL;
        if (!fits && !p->no_memory)
            parser_error(p, left->span,
                         "the left side of ':=' must be a variable or a list of them");
        parser_advance(p);
        statement->right = parse_expression(p);
    } else if (p->no_memory) {
        return;
    } else if (left->kind == EX_CALL && !parser_at(p, TK_EQUAL)) {
        statement->kind = EQ_CALL;
    } else if (parser_at(p, TK_EQUAL)) {
        parser_unexpected(p, "':=' in the statement\n'=' states an equation, in an equation "
                             "section");
    } else {
        bool sum = parser_at(p, TK_PLUS) || parser_at(p, TK_MINUS);
        parser_unexpected(p, sum ? "':=' in the statement\ncounting is written n := n + 1"
                                 : "':=' in the statement");
    }
}

/* break leaves a loop, return a function */
static void check_exit(Parser *p, TokenKind kind)
{
    ClassKind is = p->class_ ? p->class_->kind : CLASS_FUNCTION;
    if (kind == TK_BREAK && !p->nopen[block_index(TK_FOR)] && !p->nopen[block_index(TK_WHILE)])
        parser_error(p, parser_token_span(p),
                     "break stands outside of a loop\nit ends the innermost for or while");
    if (kind == TK_RETURN && is != CLASS_FUNCTION && is != CLASS_OPERATOR_FUNCTION)
        parser_error(p, parser_token_span(p),
                     "return stands outside of a function\nuse if, so that nothing follows");
}

/* some-equation:
 *     ( equation-or-procedure | if-equation | for-equation | connect-equation
 *       | when-equation ) description
 * statement:
 *     ( statement-or-procedure | "(" output-expression-list ")" ":=" function-call
 *       | break | return | if-statement | for-statement | while-statement
 *       | when-statement ) description */
static Equation *parse_item(Parser *p, bool statements)
{
    uint32_t start = p->token.at;
    Equation *item;
    if (!statements && parser_at(p, TK_CONNECT)) {
        item = parse_connect(p);
        item->comment = parse_comment(p);
        return item;
    }
    item = parser_node(p, sizeof *item);
    if (parser_enter(p)) {
        TokenKind kind = p->token.kind;
        if (kind == TK_IF || kind == TK_WHEN) {
            parse_branches(p, item, kind, statements);
        } else if (kind == TK_FOR) {
            parse_for(p, item, statements);
        } else if (statements && kind == TK_WHILE) {
            parse_while(p, item);
        } else if (statements && (kind == TK_BREAK || kind == TK_RETURN)) {
            item->kind = kind == TK_BREAK ? EQ_BREAK : EQ_RETURN;
            check_exit(p, kind);
            parser_advance(p);
        } else if (statements) {
            parse_simple_statement(p, item);
        } else {
            parse_simple_equation(p, item);
        }
    }
    parser_leave(p);
    item->span = parser_span(p, start);
    item->comment = parse_comment(p);
    return item;
}
