/* parser.h - what the parser files share; nobody else includes it.
 *
 *   parser.c            tokens, errors and recovery, memory, parse_text
 *   parse_class.c       stored definitions, classes and their sections
 *   parse_element.c     declarations, modifications, comments
 *   parse_equation.c    equations and statements
 *   parse_expression.c  expressions, names, subscripts, calls
 *
 * Recursive descent with one token of lookahead (`next`) beyond the current one.
 *
 * Errors. The first error of an item (element, equation, statement) puts the parser into
 * panic: the current token turns into TK_NONE, which nothing matches, so that every function
 * falls through to the list that asked for the item. The list calls parser_recover, which
 * skips to the next ';' or to a word that can only start something new, and goes on. Two
 * errors are never reported at one token. When memory or patience ran out the parser is
 * stopped: the current token is the end of the file from then on and nothing is reported.
 *
 * Memory. Nodes come from the arena. When it fails parser_node hands out the spare node of
 * the parser instead, so that no caller needs a check; the tree is thrown away at the end. One node
 * then stands in several places: whoever reads nodes while parsing asks for no_memory first.
 * Lists grow on one stack of pointers and move to the arena when they are complete.
 */
#ifndef LIEDER_FRONT_PARSER_H
#define LIEDER_FRONT_PARSER_H

#include "front/syntax/parse.h"
#include "front/syntax/token.h"

typedef struct Parser {
    Arena *arena;
    Interner *names;
    Diagnostics *diag;
    SyntaxFile *file;
    Lexer lexer;
    Token token, next;
    uint32_t last_end;   /* where the token before the current one ended */
    TokenKind held;      /* in panic: the kind of the current token */
    uint32_t error_at;   /* the token of the last error; none yet: UINT32_MAX */
    VEC(void *) stack;   /* lists under construction */
    int depth;           /* of recursion */
    uintptr_t floor;     /* of the stack, see base/stack.h */
    int subscript_depth; /* inside how many "[...]" after a name: where `end` has a meaning */
    bool panic, stopped, no_memory;
    bool outline;  /* bodies of classes that are no packages are passed over */
    int nopen[4];  /* open if, for, when and while blocks */
    Class *class_; /* the innermost open class, or NULL */
    union {
        Class a;
        ClassElement b;
        Equation c;
        Expr d;
        ComponentDecl e;
        External f;
        Constraint g;
    } spare;
} Parser;

/* ------------------------------------------------------------------ parser.c: tokens */

void parser_advance(Parser *p);
bool parser_accept(Parser *p, TokenKind kind);
static inline bool parser_at(const Parser *p, TokenKind kind)
{
    return p->token.kind == kind;
}

/* Takes the token or reports "expected 'x' WHERE, found ..."; where is a printf format. */
__attribute__((format(printf, 3, 4))) bool parser_expect(Parser *p, TokenKind kind,
                                                         const char *where, ...);
/* The ';' after an item, WHERE as above. A missing one before a new line is no panic. */
__attribute__((format(printf, 2, 3))) void parser_end_item(Parser *p, const char *where, ...);
/* a name, interned; wanted completes "expected ..." */
const char *parser_name(Parser *p, const char *wanted);
/* a declaration cannot have the name of a predefined type */
void parser_check_name(Parser *p, const char *name, SourceSpan span);
/* the spelling of the current keyword, interned; takes the token */
const char *parser_keyword_name(Parser *p);
/* the value of the current string token, in the arena; takes the token */
const char *parser_string(Parser *p);

/* ------------------------------------------------------------------ errors */

/* reports "expected WANTED, found ..." at the current token, and panics; wanted may carry
 * "\nadvice" */
__attribute__((format(printf, 2, 3))) void parser_unexpected(Parser *p, const char *wanted, ...);
/* reports at the place; panic is up to the caller */
__attribute__((format(printf, 3, 4))) void parser_error(Parser *p, SourceSpan span,
                                                        const char *format, ...);
void parser_panic(Parser *p);
/* Ends the panic behind the item that started at the token `from`. */
void parser_recover(Parser *p, uint32_t from);
/* Ends the panic at the next class that starts a line, for errors outside all classes. */
void parser_recover_at_class(Parser *p);
bool parser_at_class(const Parser *p); /* the current token starts a class definition */
/* Ends the panic at `kind` when that stands before the next ';'; false: still in panic. */
bool parser_recover_at(Parser *p, TokenKind kind);

/* guards recursion: false and panic when it is too deep; always pair with parser_leave */
bool parser_enter(Parser *p);
void parser_leave(Parser *p);

/* ------------------------------------------------------------------ nodes and lists */

void *parser_node(Parser *p, size_t size);
void parser_no_memory(Parser *p); /* stops: the tree is thrown away */
/* from the byte `start` to the end of the last token taken */
SourceSpan parser_span(const Parser *p, uint32_t start);
SourceSpan parser_token_span(const Parser *p);

void *parser_array(Parser *p, size_t size); /* zeroed; NULL and stopped without memory */
void parser_push(Parser *p, void *item);
/* the items pushed since the stack had `mark` of them, moved to the arena */
void *parser_take(Parser *p, size_t mark, size_t *n);
#define parser_take_list(p, mark, list) ((list)->items = parser_take(p, mark, &(list)->n))

/* The head of a class was read: goes on at its "end NAME;". Where there is none the body is read,
 * which reports that. */
void parser_pass_body(Parser *p, Class *class_);

/* ------------------------------------------------------------------ parse_expression.c */

Expr *parse_expression(Parser *p);
Expr *parse_simple_expression(Parser *p);
Expr *parse_primary(Parser *p);
Expr *parse_reference_expression(Parser *p); /* component-reference as EX_REF */
ExprList parse_expression_list(Parser *p);
Ref *parse_type_specifier(Parser *p, const char *wanted);
Ref *parse_dotted_name(Parser *p, const char *wanted);
Ref *parse_component_reference(Parser *p);
ExprList parse_subscripts(Parser *p); /* array-subscripts, or empty when there are none */
ForIndexList parse_for_indices(Parser *p);
/* implied.c: indices without a range look for their use; either may be NULL */
void imply_ranges(const Parser *p, const ForIndexList *indices, const Expr *expression,
                  const EquationList *body);

/* ------------------------------------------------------------------ parse_equation.c */

/* { some-equation ";" } or { statement ";" }, pushed on the stack, up to what ends the list;
 * nested: inside if, for, when, while, where else, elseif and elsewhen end it as well */
void parse_equation_list(Parser *p, bool statements, bool nested);
Equation *parse_connect(Parser *p);

/* ------------------------------------------------------------------ parse_class.c */

void parse_stored_definition(Parser *p);
Class *parse_class_definition(Parser *p);

/* ------------------------------------------------------------------ parse_element.c */

void parse_element_list(Parser *p, bool is_protected); /* pushes them on the stack */
Modification *parse_modification(Parser *p);           /* NULL when there is none */
/* inheritance: `break` arguments are allowed */
Modification *parse_class_modification(Parser *p, bool inheritance);
const char *parse_description_string(Parser *p); /* NULL when there is none */
ArgumentList parse_annotation(Parser *p);        /* empty when there is none */
Comment parse_comment(Parser *p);
TypePrefix parse_type_prefix(Parser *p);
Ref *parse_single_name(Parser *p); /* one IDENT */

#endif
