/* scan.c - see scan.h. */
#include "lsp/scan.h"

#include <string.h>

#define HEAP (&memory_default)

/* ------------------------------------------------------------------ tokens */

static TokenKind kind_at(const Scan *s, size_t i)
{
    return i < s->tokens.n ? s->tokens.items[i].kind : TK_END_OF_FILE;
}

bool scan_is(const Scan *s, size_t i, const char *name)
{
    const Token *t = &s->tokens.items[i];
    return t->kind == TK_IDENT && strlen(name) == t->length &&
           memcmp(s->text + t->at, name, t->length) == 0;
}

bool scan_same(const Scan *s, size_t i, const Scan *o, size_t j)
{
    const Token *a = &s->tokens.items[i], *b = &o->tokens.items[j];
    return a->kind == TK_IDENT && b->kind == TK_IDENT && a->length == b->length &&
           memcmp(s->text + a->at, o->text + b->at, a->length) == 0;
}

size_t scan_behind_name(const Scan *s, size_t i)
{
    if (kind_at(s, i) == TK_DOT)
        i++;
    while (kind_at(s, i) == TK_IDENT && kind_at(s, i + 1) == TK_DOT)
        i += 2;
    return kind_at(s, i) == TK_IDENT ? i + 1 : i;
}

size_t scan_class_around(const Scan *s, size_t token)
{
    size_t found = SCAN_NONE; // inner ones come later
    for (size_t i = 0; i < s->classes.n; i++)
        if (s->classes.items[i].first <= token && token <= s->classes.items[i].last)
            found = i;
    return found;
}

size_t scan_token_before(const Scan *s, size_t offset)
{
    size_t low = 0, high = s->tokens.n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (s->tokens.items[middle].at < offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_class_keyword(TokenKind k)
{
    return k == TK_MODEL || k == TK_CLASS || k == TK_BLOCK || k == TK_CONNECTOR || k == TK_RECORD ||
           k == TK_TYPE || k == TK_PACKAGE || k == TK_FUNCTION || k == TK_OPERATOR;
}

static bool is_prefix(TokenKind k)
{
    return k == TK_FINAL || k == TK_INNER || k == TK_OUTER || k == TK_REPLACEABLE ||
           k == TK_REDECLARE || k == TK_PARAMETER || k == TK_CONSTANT || k == TK_DISCRETE ||
           k == TK_INPUT || k == TK_OUTPUT || k == TK_FLOW || k == TK_STREAM || k == TK_PARTIAL ||
           k == TK_ENCAPSULATED || k == TK_EXPANDABLE || k == TK_PURE || k == TK_IMPURE ||
           k == TK_PUBLIC || k == TK_PROTECTED || k == TK_EACH;
}

/* ends a class: "end Name" */
static bool is_end(const Scan *s, size_t i)
{
    return kind_at(s, i) == TK_END && kind_at(s, i + 1) == TK_IDENT;
}

/* a statement was not finished: what begins here cannot be inside one */
static bool begins_anew(const Scan *s, size_t i)
{
    TokenKind k = kind_at(s, i);
    return k == TK_END_OF_FILE ||
           (s->tokens.items[i].first && (k == TK_EQUATION || k == TK_ALGORITHM || k == TK_PUBLIC ||
                                         k == TK_PROTECTED || is_end(s, i)));
}

/* behind the bracket that closes the one at i */
static size_t skip_bracket(const Scan *s, size_t i)
{
    int depth = 0;
    for (; !begins_anew(s, i); i++) {
        TokenKind k = kind_at(s, i);
        depth += k == TK_LPAREN || k == TK_LBRACKET || k == TK_LBRACE;
        depth -= k == TK_RPAREN || k == TK_RBRACKET || k == TK_RBRACE;
        if (depth <= 0)
            return i + 1;
        if (k == TK_SEMICOLON)
            return i;
    }
    return i;
}

/* to the comma (if asked for) or behind the semicolon outside of brackets; *text: the last string
 */
static size_t skip_to(const Scan *s, size_t i, bool comma, size_t *text)
{
    while (!begins_anew(s, i)) {
        TokenKind k = kind_at(s, i);
        if (k == TK_SEMICOLON)
            return i + 1;
        if (k == TK_COMMA && comma)
            return i;
        if (k == TK_STRING && text)
            *text = i;
        i = k == TK_LPAREN || k == TK_LBRACKET || k == TK_LBRACE ? skip_bracket(s, i) : i + 1;
    }
    return i;
}

/* ------------------------------------------------------------------ statements */

typedef struct Scanner {
    Scan *s;
    size_t class_; /* where we are */
    bool equations;
    bool failed;
} Scanner;

/* a class of one line or the beginning of a long one; i is its keyword */
static size_t scan_class(Scanner *c, size_t first, size_t i)
{
    Scan *s = c->s;
    ScanClass new = {.parent = c->class_, .keyword = i, .first = first, .last = s->tokens.n - 1};
    while (is_class_keyword(kind_at(s, i)) || kind_at(s, i) == TK_EXTENDS)
        i++;
    if (kind_at(s, i) != TK_IDENT)
        return i;
    new.name = i++;
    if (kind_at(s, i) == TK_EQUAL) {
        size_t base = i + 1;
        while (is_prefix(kind_at(s, base)))
            base++;
        new.base = kind_at(s, base) == TK_IDENT || kind_at(s, base) == TK_DOT ? base : 0;
        i = skip_to(s, i, false, &new.text);
        new.last = i - 1;
        c->failed |= !vec_push(HEAP, &s->classes, new);
        return i;
    }
    if (kind_at(s, i) == TK_STRING)
        new.text = i++;
    c->failed |= !vec_push(HEAP, &s->classes, new);
    c->class_ = s->classes.n - 1;
    c->equations = false;
    return i;
}

/* "Type a, b(start = 1)[3] "text";" from the type on */
static size_t scan_declaration(Scanner *c, size_t i, bool parameter)
{
    Scan *s = c->s;
    size_t type = i;
    i = scan_behind_name(s, i);
    if (kind_at(s, i) == TK_LBRACKET)
        i = skip_bracket(s, i);
    if (i == type)
        return i + 1;
    while (kind_at(s, i) == TK_IDENT) {
        ScanComponent new = {.class_ = c->class_, .type = type, .name = i, .parameter = parameter};
        i = skip_to(s, i + 1, true, &new.text);
        c->failed |= !vec_push(HEAP, &s->components, new);
        if (kind_at(s, i) != TK_COMMA)
            return i;
        i++;
    }
    return begins_anew(s, i) ? i : skip_to(s, i, false, NULL);
}

static size_t scan_link(Scanner *c, size_t i, bool import)
{
    Scan *s = c->s;
    ScanLink new = {.class_ = c->class_, .import = import, .type = i + 1};
    if (import && kind_at(s, i + 1) == TK_IDENT && kind_at(s, i + 2) == TK_EQUAL) {
        new.alias = i + 1;
        new.type = i + 3;
    }
    new.all = import &&kind_at(s, scan_behind_name(s, new.type)) == TK_DOT_STAR;
    c->failed |= !vec_push(HEAP, &s->links, new);
    return skip_to(s, i, false, NULL);
}

/* one statement, or one token of an equation; returns where the next begins */
static size_t scan_statement(Scanner *c, size_t i)
{
    Scan *s = c->s;
    size_t first = i;
    if (is_end(s, i)) {
        if (c->class_ != SCAN_NONE) {
            ScanClass *done = &s->classes.items[c->class_];
            done->last = i + 1;
            c->class_ = done->parent;
        }
        c->equations = false;
        return i + 2;
    }
    bool parameter = false;
    while (is_prefix(kind_at(s, i))) {
        parameter |= kind_at(s, i) == TK_PARAMETER || kind_at(s, i) == TK_CONSTANT;
        c->equations &= kind_at(s, i) != TK_PUBLIC && kind_at(s, i) != TK_PROTECTED;
        i++;
    }
    TokenKind k = kind_at(s, i);
    if (k == TK_EQUATION || k == TK_ALGORITHM) {
        c->equations = true;
        return i + 1;
    }
    if (c->equations)
        return i + 1;
    if (is_class_keyword(k))
        return scan_class(c, first, i);
    if (k == TK_EXTENDS || k == TK_IMPORT)
        return scan_link(c, i, k == TK_IMPORT);
    if (k == TK_IDENT || k == TK_DOT)
        return scan_declaration(c, i, parameter);
    if (k == TK_ANNOTATION || k == TK_WITHIN || k == TK_EXTERNAL)
        return skip_to(s, i, false, NULL);
    return k == TK_END_OF_FILE ? i : i + 1;
}

bool scan_text(Scan *s, const char *text, size_t length)
{
    *s = (Scan){.text = text};
    Lexer lexer;
    lex_init(&lexer, text, (uint32_t)length);
    do {
        if (!vec_push(HEAP, &s->tokens, lex_next(&lexer)))
            return false;
    } while (s->tokens.items[s->tokens.n - 1].kind != TK_END_OF_FILE);
    Scanner c = {.s = s, .class_ = SCAN_NONE};
    for (size_t i = 0; i + 1 < s->tokens.n && !c.failed;) {
        size_t next = scan_statement(&c, i);
        i = next > i ? next : i + 1;
    }
    return !c.failed;
}

void scan_drop(Scan *s)
{
    vec_drop(HEAP, &s->tokens);
    vec_drop(HEAP, &s->classes);
    vec_drop(HEAP, &s->components);
    vec_drop(HEAP, &s->links);
}
