/* token.h - the words of Modelica text, and the lexer that cuts them.
 *
 * The lexer is one pass over the text and owns nothing: its state is a position, so a copy
 * of a Lexer looks ahead as far as it likes. A token is a range of bytes; names are interned
 * and strings unescaped later, by the parser, once it knows that it wants them. What cannot
 * be a token comes back as TK_BAD with the problem in words, for the parser to report in its
 * turn, so that messages stay in the order of the text.
 *
 * The text must end with a NUL at text[length]; NULs before that are ordinary bad bytes.
 */
#ifndef LIEDER_FRONT_TOKEN_H
#define LIEDER_FRONT_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

/* punctuation and operators: kind, spelling */
#define FRONT_MARKS(X)                                                                             \
    X(TK_SEMICOLON, ";")                                                                           \
    X(TK_COMMA, ",")                                                                               \
    X(TK_LPAREN, "(")                                                                              \
    X(TK_RPAREN, ")")                                                                              \
    X(TK_LBRACKET, "[")                                                                            \
    X(TK_RBRACKET, "]")                                                                            \
    X(TK_LBRACE, "{")                                                                              \
    X(TK_RBRACE, "}")                                                                              \
    X(TK_DOT, ".")                                                                                 \
    X(TK_COLON, ":")                                                                               \
    X(TK_ASSIGN, ":=")                                                                             \
    X(TK_EQUAL, "=")                                                                               \
    X(TK_EQUAL_EQUAL, "==")                                                                        \
    X(TK_LESS, "<")                                                                                \
    X(TK_LESS_EQUAL, "<=")                                                                         \
    X(TK_GREATER, ">")                                                                             \
    X(TK_GREATER_EQUAL, ">=")                                                                      \
    X(TK_NOT_EQUAL, "<>")                                                                          \
    X(TK_PLUS, "+")                                                                                \
    X(TK_MINUS, "-")                                                                               \
    X(TK_STAR, "*")                                                                                \
    X(TK_SLASH, "/")                                                                               \
    X(TK_CARET, "^")                                                                               \
    X(TK_DOT_PLUS, ".+")                                                                           \
    X(TK_DOT_MINUS, ".-")                                                                          \
    X(TK_DOT_STAR, ".*")                                                                           \
    X(TK_DOT_SLASH, "./")                                                                          \
    X(TK_DOT_CARET, ".^")

/* keywords in alphabetical order: kind, spelling */
#define FRONT_KEYWORDS(X)                                                                          \
    X(TK_ALGORITHM, "algorithm")                                                                   \
    X(TK_AND, "and")                                                                               \
    X(TK_ANNOTATION, "annotation")                                                                 \
    X(TK_BLOCK, "block")                                                                           \
    X(TK_BREAK, "break")                                                                           \
    X(TK_CLASS, "class")                                                                           \
    X(TK_CONNECT, "connect")                                                                       \
    X(TK_CONNECTOR, "connector")                                                                   \
    X(TK_CONSTANT, "constant")                                                                     \
    X(TK_CONSTRAINEDBY, "constrainedby")                                                           \
    X(TK_DER, "der")                                                                               \
    X(TK_DISCRETE, "discrete")                                                                     \
    X(TK_EACH, "each")                                                                             \
    X(TK_ELSE, "else")                                                                             \
    X(TK_ELSEIF, "elseif")                                                                         \
    X(TK_ELSEWHEN, "elsewhen")                                                                     \
    X(TK_ENCAPSULATED, "encapsulated")                                                             \
    X(TK_END, "end")                                                                               \
    X(TK_ENUMERATION, "enumeration")                                                               \
    X(TK_EQUATION, "equation")                                                                     \
    X(TK_EXPANDABLE, "expandable")                                                                 \
    X(TK_EXTENDS, "extends")                                                                       \
    X(TK_EXTERNAL, "external")                                                                     \
    X(TK_FALSE, "false")                                                                           \
    X(TK_FINAL, "final")                                                                           \
    X(TK_FLOW, "flow")                                                                             \
    X(TK_FOR, "for")                                                                               \
    X(TK_FUNCTION, "function")                                                                     \
    X(TK_IF, "if")                                                                                 \
    X(TK_IMPORT, "import")                                                                         \
    X(TK_IMPURE, "impure")                                                                         \
    X(TK_IN, "in")                                                                                 \
    X(TK_INITIAL, "initial")                                                                       \
    X(TK_INNER, "inner")                                                                           \
    X(TK_INPUT, "input")                                                                           \
    X(TK_LOOP, "loop")                                                                             \
    X(TK_MODEL, "model")                                                                           \
    X(TK_NOT, "not")                                                                               \
    X(TK_OPERATOR, "operator")                                                                     \
    X(TK_OR, "or")                                                                                 \
    X(TK_OUTER, "outer")                                                                           \
    X(TK_OUTPUT, "output")                                                                         \
    X(TK_PACKAGE, "package")                                                                       \
    X(TK_PARAMETER, "parameter")                                                                   \
    X(TK_PARTIAL, "partial")                                                                       \
    X(TK_PROTECTED, "protected")                                                                   \
    X(TK_PUBLIC, "public")                                                                         \
    X(TK_PURE, "pure")                                                                             \
    X(TK_RECORD, "record")                                                                         \
    X(TK_REDECLARE, "redeclare")                                                                   \
    X(TK_REPLACEABLE, "replaceable")                                                               \
    X(TK_RETURN, "return")                                                                         \
    X(TK_STREAM, "stream")                                                                         \
    X(TK_THEN, "then")                                                                             \
    X(TK_TRUE, "true")                                                                             \
    X(TK_TYPE, "type")                                                                             \
    X(TK_WHEN, "when")                                                                             \
    X(TK_WHILE, "while")                                                                           \
    X(TK_WITHIN, "within")

#define FRONT_KIND(kind, spelling) kind,
typedef enum TokenKind {
    TK_NONE, /* matches nothing: what the parser sees between an error and its recovery */
    TK_END_OF_FILE,
    TK_BAD,
    TK_IDENT, /* plain or in single quotes, which are part of the name */
    TK_INTEGER,
    TK_REAL,
    TK_STRING,
    FRONT_MARKS(FRONT_KIND) FRONT_KEYWORDS(FRONT_KIND) TK_COUNT
} TokenKind;
#undef FRONT_KIND

typedef struct Token {
    TokenKind kind;
    bool first;          /* the first token on its line */
    bool escaped;        /* string or quoted name: has a backslash or a carriage return */
    uint32_t at, length; /* bytes of the text */
    const char *problem; /* TK_BAD: "what\nadvice" */
} Token;

typedef struct Lexer {
    const char *text;
    uint32_t at, length;
    unsigned char keyword[27]; /* first keyword of each letter, counted from TK_ALGORITHM */
} Lexer;

void lex_init(Lexer *lexer, const char *text, uint32_t length);
Token lex_next(Lexer *lexer); /* TK_END_OF_FILE for ever at the end */

/* the spelling of a mark or keyword, "" for the other kinds */
const char *token_spelling(TokenKind kind);
bool token_is_keyword(TokenKind kind);

/* The value of a string token's inside (without the quotes), escapes resolved and CRLF made
 * LF. `to` needs room for `length` bytes; returns how many were written. */
uint32_t lex_unescape(char *to, const char *inside, uint32_t length);

/* The value of an integer or real literal, correctly rounded and blind to the locale. */
double lex_number(const char *text, uint32_t length);

#endif
