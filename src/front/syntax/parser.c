/* parser.c - see parser.h. */
#define _GNU_SOURCE /* memmem */
#include "base/stack.h"
#include "front/syntax/parser.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ tokens */

/* from now on there is nothing but the end of the file */
static void stop(Parser *p)
{
    p->stopped = true;
    p->panic = false;
    p->token = p->next = (Token){.kind = TK_END_OF_FILE, .at = p->file->length};
}

void parser_no_memory(Parser *p)
{
    p->no_memory = true;
    stop(p);
}

/* One token on. A bad one is reported when it becomes the current token. */
static void step(Parser *p)
{
    p->last_end = p->token.at + p->token.length;
    p->token = p->next;
    if (p->stopped)
        return;
    p->next = lex_next(&p->lexer);
    if (p->token.kind == TK_BAD) {
        parser_error(p, parser_token_span(p), "%s", p->token.problem);
        // what swallowed the rest of the file leaves nothing to say about it
        if (p->next.kind == TK_END_OF_FILE)
            stop(p);
        parser_panic(p);
    }
}

void parser_advance(Parser *p)
{
    if (!p->panic)
        step(p);
}

bool parser_accept(Parser *p, TokenKind kind)
{
    if (p->token.kind != kind)
        return false;
    parser_advance(p);
    return true;
}

SourceSpan parser_span(const Parser *p, uint32_t start)
{
    uint32_t end = p->last_end > start ? p->last_end : start;
    return (SourceSpan){.file = p->file, .at = start, .length = end - start};
}

SourceSpan parser_token_span(const Parser *p)
{
    return (SourceSpan){.file = p->file, .at = p->token.at, .length = p->token.length};
}

/* ------------------------------------------------------------------ errors */

/* the current token in words, as in "found 'end'" */
static const char *describe(const Parser *p, char *buffer, size_t size)
{
    TokenKind kind = p->panic ? p->held : p->token.kind;
    const char *text = p->file->text + p->token.at;
    // long tokens are cut, not inside a UTF-8 character
    int length = p->token.length > 40 ? 40 : (int)p->token.length;
    while (length < (int)p->token.length && length > 0 &&
           ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    int line = (int)strcspn(text, "\r\n");
    if (line < length)
        length = line;
    const char *dots = length < (int)p->token.length ? "..." : "";
    if (kind == TK_END_OF_FILE)
        snprintf(buffer, size, "the end of the file");
    else if (kind == TK_STRING)
        snprintf(buffer, size, "the string %.*s%s", length, text, dots);
    else if (kind == TK_INTEGER || kind == TK_REAL)
        snprintf(buffer, size, "the number %.*s%s", length, text, dots);
    else if (kind == TK_IDENT && *text == '\'')
        snprintf(buffer, size, "%.*s%s", length, text, dots);
    else
        snprintf(buffer, size, "'%.*s%s'", length, text, dots);
    return buffer;
}

/* a syntax error, the first one at each token */
static void report(Parser *p, SourceSpan span, const char *message)
{
    if (p->stopped || p->error_at == p->token.at)
        return;
    p->error_at = p->token.at;
    p->file->nerrors++;
    Place place = span_place(span);
    diag_error(p->diag, &place, NULL, "%s", message);
    if (p->file->nerrors >= PARSE_MAX_ERRORS) {
        diag_error(p->diag, &place, NULL,
                   "more than %d syntax errors, the rest of this file was not read\nmend the first "
                   "ones and check again",
                   PARSE_MAX_ERRORS - 1);
        stop(p);
    }
}

void parser_error(Parser *p, SourceSpan span, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    report(p, span, message);
}

void parser_panic(Parser *p)
{
    if (p->panic || p->stopped)
        return;
    p->panic = true;
    p->held = p->token.kind;
    p->token.kind = TK_NONE;
}

/* "expected WANTED, found ..." with the advice that `wanted` may carry after a newline */
static void report_expected(Parser *p, SourceSpan span, const char *wanted)
{
    char message[512], found[80];
    int length = (int)strcspn(wanted, "\n");
    snprintf(message, sizeof message, "expected %.*s, found %s%s", length, wanted,
             describe(p, found, sizeof found), wanted + length);
    report(p, span, message);
}

/* Where to show that something is missing: behind the last token when the one found stands
 * on a later line, else at the one found. */
static SourceSpan missing_span(const Parser *p)
{
    if (p->token.first && p->last_end > 0)
        return (SourceSpan){.file = p->file, .at = p->last_end, .length = 0};
    return parser_token_span(p);
}

void parser_unexpected(Parser *p, const char *wanted, ...)
{
    if (p->panic || p->stopped)
        return;
    char text[400];
    va_list args;
    va_start(args, wanted);
    vsnprintf(text, sizeof text, wanted, args);
    va_end(args);
    report_expected(p, parser_token_span(p), text);
    parser_panic(p);
}

bool parser_expect(Parser *p, TokenKind kind, const char *where, ...)
{
    if (parser_accept(p, kind))
        return true;
    if (p->panic || p->stopped)
        return false;
    char place[360], text[400];
    va_list args;
    va_start(args, where);
    vsnprintf(place, sizeof place, where, args);
    va_end(args);
    snprintf(text, sizeof text, "'%s' %s", token_spelling(kind), place);
    report_expected(p, missing_span(p), text);
    parser_panic(p);
    return false;
}

void parser_end_item(Parser *p, const char *where, ...)
{
    if (parser_accept(p, TK_SEMICOLON) || p->panic || p->stopped)
        return;
    char place[360], text[400];
    va_list args;
    va_start(args, where);
    vsnprintf(place, sizeof place, where, args);
    va_end(args);
    snprintf(text, sizeof text, "';' %s", place);
    report_expected(p, missing_span(p), text);
    // a new line that starts like an item is one: only the ';' was forgotten
    bool starts = p->token.kind == TK_IDENT || token_is_keyword(p->token.kind);
    if (!(p->token.first && starts) && p->token.kind != TK_END)
        parser_panic(p);
}

/* Where the "]" stands that closes a "[" open at the current ';', so that this ';' parts the
 * rows of a matrix; 0 when something comes before it that no matrix holds. */
static uint32_t end_of_matrix(const Parser *p)
{
    Lexer ahead = p->lexer;
    int open = 1;
    for (Token token = p->next;; token = lex_next(&ahead)) {
        if (token.kind == TK_LBRACKET)
            open++;
        else if (token.kind == TK_RBRACKET && --open == 0)
            return token.at;
        else if (token.kind == TK_END_OF_FILE || token.kind == TK_BAD || token.kind == TK_ASSIGN ||
                 (token_is_keyword(token.kind) && token.kind != TK_END && token.first))
            return 0;
    }
}

/* the current token can only start a new section or end a class or block */
static bool starts_afresh(const Parser *p)
{
    switch (p->token.kind) {
    case TK_END_OF_FILE:
    case TK_EQUATION:
    case TK_ALGORITHM:
    case TK_PUBLIC:
    case TK_PROTECTED:
    case TK_ELSEWHEN:
        return true;
    case TK_INITIAL:
        return p->next.kind == TK_EQUATION || p->next.kind == TK_ALGORITHM;
    case TK_END:
        return p->next.kind == TK_IDENT || p->next.kind == TK_IF || p->next.kind == TK_FOR ||
               p->next.kind == TK_WHEN || p->next.kind == TK_WHILE;
    default:
        return false;
    }
}

/* the panic is over */
static void calm(Parser *p)
{
    if (p->panic) {
        p->panic = false;
        p->token.kind = p->held;
    }
}

/* one token on; a bad one is passed over in silence */
static void skip_token(Parser *p)
{
    if (p->next.kind == TK_BAD)
        p->error_at = p->next.at;
    step(p);
    calm(p);
}

void parser_recover(Parser *p, uint32_t from)
{
    calm(p);
    if (p->token.at == from && p->token.kind != TK_SEMICOLON && !p->stopped)
        skip_token(p);
    while (!starts_afresh(p)) {
        if (p->token.kind == TK_SEMICOLON) {
            uint32_t end = end_of_matrix(p);
            if (end == 0) {
                parser_advance(p);
                return;
            }
            while (p->token.at < end && !p->stopped)
                skip_token(p);
        }
        skip_token(p);
    }
}

bool parser_at_class(const Parser *p)
{
    switch (p->token.kind) {
    case TK_ENCAPSULATED:
    case TK_PARTIAL:
    case TK_CLASS:
    case TK_MODEL:
    case TK_RECORD:
    case TK_BLOCK:
    case TK_EXPANDABLE:
    case TK_CONNECTOR:
    case TK_TYPE:
    case TK_PACKAGE:
    case TK_PURE:
    case TK_IMPURE:
    case TK_OPERATOR:
    case TK_FUNCTION:
        return true;
    default:
        return false;
    }
}

void parser_recover_at_class(Parser *p)
{
    calm(p);
    do
        skip_token(p);
    while (p->token.kind != TK_END_OF_FILE && !(p->token.first && parser_at_class(p)));
}

bool parser_recover_at(Parser *p, TokenKind kind)
{
    // look for it without moving
    Lexer ahead = p->lexer;
    TokenKind current = p->panic ? p->held : p->token.kind;
    Token token = p->next;
    while (current != kind) {
        if (current == TK_SEMICOLON || current == TK_END_OF_FILE)
            return false;
        current = token.kind;
        token = lex_next(&ahead);
    }
    calm(p);
    while (p->token.kind != kind && !p->stopped)
        skip_token(p);
    return !p->stopped;
}

bool parser_enter(Parser *p)
{
    if (++p->depth <= SYNTAX_DEPTH && !stack_is_used_up(p->floor))
        return !p->panic;
    if (!p->panic) {
        parser_error(p, parser_token_span(p),
                     "nested more than %d levels deep\nsplit it into several parts", p->depth - 1);
        parser_panic(p);
    }
    return false;
}

void parser_leave(Parser *p)
{
    p->depth--;
}

/* ------------------------------------------------------------------ nodes and lists */

void *parser_node(Parser *p, size_t size)
{
    assert(size <= sizeof p->spare && "add the node type to Parser.spare");
    void *node = arena_zeroed(p->arena, size);
    if (node)
        return node;
    parser_no_memory(p);
    return memset(&p->spare, 0, sizeof p->spare);
}

void *parser_array(Parser *p, size_t size)
{
    void *block = arena_zeroed(p->arena, size);
    if (!block)
        parser_no_memory(p);
    return block;
}

void parser_push(Parser *p, void *item)
{
    if (!vec_push(&p->arena->alloc, &p->stack, item))
        parser_no_memory(p);
}

void *parser_take(Parser *p, size_t mark, size_t *n)
{
    // a failed push leaves fewer items than asked for
    *n = p->stack.n > mark ? p->stack.n - mark : 0;
    if (*n == 0)
        return NULL;
    void *items = parser_array(p, *n * sizeof(void *));
    if (items)
        memcpy(items, p->stack.items + mark, *n * sizeof(void *));
    else
        *n = 0;
    p->stack.n = mark;
    return items;
}

/* ------------------------------------------------------------------ names and strings */

/* a quoted name without its redundant escapes: '\?' and '\"' are '?' and '"' */
static const char *intern_quoted(Parser *p, const char *text, uint32_t length)
{
    char *plain = arena_zeroed(p->arena, length);
    if (!plain)
        return NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (text[i] == '\\' && (text[i + 1] == '?' || text[i + 1] == '"'))
            i++;
        else if (text[i] == '\\')
            plain[n++] = text[i++];
        plain[n++] = text[i];
    }
    return intern_range(p->names, plain, n);
}

const char *parser_name(Parser *p, const char *wanted)
{
    if (!parser_at(p, TK_IDENT)) {
        if (parser_at(p, TK_INITIAL) && strcmp(wanted, "a declaration") == 0)
            parser_unexpected(p, "%s\nwrite 'initial equation' or 'initial algorithm'", wanted);
        else if (token_is_keyword(p->token.kind) && strchr(wanted, '\n') == NULL)
            parser_unexpected(p, "%s\n'%s' is a keyword and cannot be a name", wanted,
                              token_spelling(p->token.kind));
        else
            parser_unexpected(p, "%s", wanted);
        return "";
    }
    const char *text = p->file->text + p->token.at;
    const char *name = p->token.escaped ? intern_quoted(p, text, p->token.length)
                                        : intern_range(p->names, text, p->token.length);
    if (!name) {
        parser_no_memory(p);
        return "";
    }
    parser_advance(p);
    return name;
}

void parser_check_name(Parser *p, const char *name, SourceSpan span)
{
    static const char *const types[] = {"Real", "Integer", "Boolean", "String"};
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i]) == 0)
            parser_error(p, span, "'%s' is the name of a type of the language\nchoose another name",
                         name);
}

const char *parser_keyword_name(Parser *p)
{
    const char *name = intern_text(p->names, token_spelling(p->token.kind));
    if (!name)
        parser_no_memory(p);
    parser_advance(p);
    return name ? name : "";
}

const char *parser_string(Parser *p)
{
    const char *inside = p->file->text + p->token.at + 1;
    uint32_t length = p->token.length - 2;
    char *value = arena_zeroed(p->arena, length + 1);
    if (!value) {
        parser_no_memory(p);
        return "";
    }
    if (p->token.escaped)
        value[lex_unescape(value, inside, length)] = '\0';
    else
        memcpy(value, inside, length);
    parser_advance(p);
    return value;
}

/* ------------------------------------------------------------------ one text */

/* a line ends with LF, CRLF or a lone CR */
static bool ends_line(const char *c)
{
    return *c == '\n' || (*c == '\r' && c[1] != '\n');
}

/* where the next line begins, or past the end; plain: no CR is in the text */
static uint32_t next_line(const SyntaxFile *file, uint32_t at, bool plain)
{
    if (plain) {
        const char *end = memchr(file->text + at, '\n', file->length - at);
        return end ? (uint32_t)(end - file->text) + 1 : file->length + 1;
    }
    while (at < file->length && !ends_line(file->text + at))
        at++;
    return at + 1;
}

/* where the lines of a file begin; false: no memory */
static bool find_lines(Arena *arena, SyntaxFile *file)
{
    bool plain = !memchr(file->text, '\r', file->length);
    uint32_t n = 1;
    for (uint32_t at = 0; (at = next_line(file, at, plain)) <= file->length;)
        n++;
    file->line_starts = arena_zeroed(arena, n * sizeof *file->line_starts);
    if (!file->line_starts)
        return false;
    // columns of the first line do not count a byte order mark
    if (file->length >= 3 && memcmp(file->text, "\xEF\xBB\xBF", 3) == 0)
        file->line_starts[0] = 3;
    file->nline = 1;
    for (uint32_t at = 0; (at = next_line(file, at, plain)) <= file->length;)
        file->line_starts[file->nline++] = at;
    return true;
}

/* a parser at the first token at or behind `at` */
static Parser parser_create(Arena *arena, Interner *names, Diagnostics *diag, SyntaxFile *file,
                            uint32_t at)
{
    Parser p = {.arena = arena,
                .names = names,
                .diag = diag,
                .file = file,
                .floor = stack_floor(),
                .error_at = UINT32_MAX};
    lex_init(&p.lexer, file->text, file->length);
    if (at)
        p.lexer.at = at;
    p.next = lex_next(&p.lexer);
    return p;
}

/* false: memory ran out */
static bool parser_end(Parser *p)
{
    vec_drop(&p->arena->alloc, &p->stack);
    bool ok = !p->no_memory && !p->diag->no_memory;
    p->arena->failed |= !ok;
    return ok;
}

/* a file as its tree, or as an outline without bodies */
static SyntaxFile *parse_whole(Arena *arena, Interner *names, Diagnostics *diag,
                               const char *file_name, const char *text, size_t length, bool outline)
{
    assert(text[length] == '\0' && "give parse_text a text with a NUL behind its last byte");
    SyntaxFile *file = arena_zeroed(arena, sizeof *file);
    if (!file)
        return NULL;
    *file = (SyntaxFile){.name = file_name, .text = text, .length = (uint32_t)length};
    if (length > UINT32_MAX / 4) {
        Place place = {.file = file_name, .line = 1, .column = 1, .length = 1};
        diag_error(diag, &place, NULL,
                   "this file is larger than 1 GiB and was not read\nsplit it into several files");
        file->length = 0;
        file->nerrors = 1;
        return file;
    }
    if (!find_lines(arena, file))
        return NULL;

    Parser p = parser_create(arena, names, diag, file, 0);
    p.outline = outline;
    step(&p);
    p.last_end = 0;
    parse_stored_definition(&p);
    return parser_end(&p) ? file : NULL;
}

SyntaxFile *parse_text(Arena *arena, Interner *names, Diagnostics *diag, const char *file_name,
                       const char *text, size_t length)
{
    return parse_whole(arena, names, diag, file_name, text, length, false);
}

SyntaxFile *parse_outline(Arena *arena, Interner *names, Diagnostics *diag, const char *file_name,
                          const char *text, size_t length)
{
    return parse_whole(arena, names, diag, file_name, text, length, true);
}

void parser_pass_body(Parser *p, Class *class_)
{
    const char *text = p->file->text, *from = text + p->token.at;
    char end[200];
    int n = snprintf(end, sizeof end, "end %s;", class_->name);
    while (n < (int)sizeof end &&
           (from = memmem(from, p->file->length - (size_t)(from - text), end, (size_t)n))) {
        const char *line = from;
        while (line > text && (line[-1] == ' ' || line[-1] == '\t'))
            line--;
        if (line == text || line[-1] == '\n')
            break;
        from++;
    }
    if (!from || n >= (int)sizeof end)
        return;
    p->lexer.at = (uint32_t)(from - text);
    p->token = lex_next(&p->lexer);
    p->next = lex_next(&p->lexer);
    class_->pending = p->file->name;
    class_->has_head = true;
}

bool parse_pending(Arena *arena, Interner *names, Diagnostics *diag, Class *class_)
{
    SyntaxFile *file = (SyntaxFile *)class_->span.file; /* counts its errors */
    Parser p = parser_create(arena, names, diag, file, class_->span.at);
    p.class_ = class_->parent;
    step(&p);
    const Class *whole = parse_class_definition(&p);
    if (!parser_end(&p))
        return false;
    bool final = class_->final;
    Class *text = class_->text;
    *class_ = *whole;
    class_->final = final;
    class_->text = text;
    for (size_t i = 0; i < class_->elements.n; i++)
        if (class_->elements.items[i]->kind == EL_CLASS)
            class_->elements.items[i]->class_->parent = class_;
    return true;
}
