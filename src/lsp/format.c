/* format.c - a text with its lines indented: two blanks for each class, if, for, when and while
 * around a statement; equation, algorithm, public and protected stand with their class.
 *
 * Nothing but blanks at both ends of lines changes. The further lines of a statement move with its
 * first one, so that what someone has aligned stays so; lines that begin inside a text in quotes
 * or a comment stay as they are. */
#include "lsp/format.h"

#include <string.h>

enum { WIDTH = 2 };

typedef struct Formatter {
    const Scan *s;
    size_t length, tab;
    FILE *to;
    size_t token;    /* the next one */
    size_t level;    /* blocks around it */
    size_t brackets; /* open in this statement */
    size_t choices;  /* of if-expressions in it, outside of brackets */
    size_t head;     /* last token of the class head that is under way, or 0 */
    bool start;      /* the next token begins a statement */
    long shift;      /* of the lines of the statement */
} Formatter;

static TokenKind kind_at(const Formatter *f, size_t i)
{
    return i < f->s->tokens.n ? f->s->tokens.items[i].kind : TK_END_OF_FILE;
}

/* the class whose text begins with a token and ends with "end Name", or NULL */
static const ScanClass *long_class_at(const Formatter *f, size_t token)
{
    for (size_t i = 0; i < f->s->classes.n; i++) {
        const ScanClass *c = &f->s->classes.items[i];
        if (c->first == token && !c->base && kind_at(f, c->name + 1) != TK_EQUAL)
            return c;
    }
    return NULL;
}

static bool opens_block(TokenKind k)
{
    return k == TK_IF || k == TK_FOR || k == TK_WHEN || k == TK_WHILE;
}

/* sections and branches stand one level further out than what is in them */
static bool stands_out(const Formatter *f, size_t i)
{
    TokenKind k = kind_at(f, i);
    bool initial =
        k == TK_INITIAL && (kind_at(f, i + 1) == TK_EQUATION || kind_at(f, i + 1) == TK_ALGORITHM);
    return f->start &&
           (k == TK_END || k == TK_EQUATION || k == TK_ALGORITHM || k == TK_PUBLIC ||
            k == TK_PROTECTED || k == TK_ELSE || k == TK_ELSEIF || k == TK_ELSEWHEN || initial);
}

/* ------------------------------------------------------------------ tokens */

/* the first token of a statement */
static void begin_statement(Formatter *f, size_t i)
{
    TokenKind k = kind_at(f, i);
    const ScanClass *c = long_class_at(f, i);
    f->start = k == TK_EQUATION || k == TK_ALGORITHM || k == TK_PUBLIC || k == TK_PROTECTED ||
               k == TK_ELSE || k == TK_INITIAL || k == TK_SEMICOLON;
    f->brackets = f->choices = 0;
    if (c) {
        f->level++;
        f->head = c->text ? c->text : c->name;
        f->start = f->head == i;
    } else if (opens_block(k)) {
        f->level++;
    } else if (k == TK_END && f->level > 0) {
        f->level--;
    }
}

/* the next token, with the line break or blank that belongs before it */
static void take_token(Formatter *f)
{
    size_t i = f->token++;
    TokenKind k = kind_at(f, i);
    if (f->start) {
        begin_statement(f, i);
        return;
    }
    if (k == TK_LPAREN || k == TK_LBRACKET || k == TK_LBRACE)
        f->brackets++;
    else if ((k == TK_RPAREN || k == TK_RBRACKET || k == TK_RBRACE) && f->brackets > 0)
        f->brackets--;
    else if (k == TK_IF && f->brackets == 0)
        f->choices += kind_at(f, i - 1) != TK_END;
    if (f->brackets > 0)
        return;
    bool branch = (k == TK_THEN && f->choices == 0) || k == TK_LOOP;
    if (k == TK_SEMICOLON || branch || (f->head && i == f->head)) {
        f->start = true;
        f->head = 0;
    }
}

/* ------------------------------------------------------------------ lines */

/* columns of the blanks at the beginning of a line */
static size_t columns(const Formatter *f, size_t begin, size_t end)
{
    size_t n = 0;
    for (size_t i = begin; i < end; i++)
        n += f->s->text[i] == '\t' ? f->tab : 1;
    return n;
}

/* whether a place lies inside a token, or in a comment behind the token before it */
static bool lies_inside(const Formatter *f, size_t at)
{
    size_t behind = 0;
    if (f->token > 0) {
        const Token *t = &f->s->tokens.items[f->token - 1];
        behind = t->at + t->length;
    }
    for (size_t i = behind; i < at; i++) {
        const char *c = f->s->text + i;
        if (c[0] == '/' && c[1] == '/') {
            i += strcspn(c, "\n");
        } else if (c[0] == '/' && c[1] == '*') {
            const char *close = strstr(c + 2, "*/");
            i = close ? (size_t)(close + 1 - f->s->text) : at;
            if (i >= at)
                return true;
        }
    }
    return at < behind;
}

/* one line, without its end; begins outside of tokens */
static void put_line(Formatter *f, size_t begin, size_t end)
{
    size_t first = begin, last = end;
    while (first < end && (f->s->text[first] == ' ' || f->s->text[first] == '\t'))
        first++;
    while (last > first && strchr(" \t\r", f->s->text[last - 1]))
        last--;
    if (first >= last)
        return;
    long old = (long)columns(f, begin, first), new = old + f->shift;
    if (f->start) {
        size_t level = f->level;
        if (level > 0 && f->token < f->s->tokens.n && f->s->tokens.items[f->token].at == first &&
            stands_out(f, f->token))
            level--;
        new = (long)(WIDTH * level);
        f->shift = new - old;
    }
    fprintf(f->to, "%*s%.*s", (int)(new > 0 ? new : 0), "", (int)(last - first),
            f->s->text + first);
}

void format_text(const Scan *s, size_t length, size_t tab, FILE *to)
{
    Formatter f = {.s = s, .length = length, .tab = tab, .to = to, .start = true};
    for (size_t begin = 0; begin < length;) {
        const char *newline = memchr(s->text + begin, '\n', length - begin);
        size_t end = newline ? (size_t)(newline - s->text) : length;
        if (lies_inside(&f, begin))
            fwrite(s->text + begin, 1, end - begin, to);
        else
            put_line(&f, begin, end);
        fputc('\n', to);
        while (f.token + 1 < s->tokens.n && s->tokens.items[f.token].at < end)
            take_token(&f);
        begin = end + 1;
    }
}
