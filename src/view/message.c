/* message.c - reads one JSON object of the page; see RFC 8259. */
#include "view/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    Message *message;
    const unsigned char *at, *end;
} Reader;

static bool refuse(Reader *r, const char *reason)
{
    if (!*r->message->reason)
        snprintf(r->message->reason, MESSAGE_REASON, "%s", reason);
    return false;
}

static void skip_blank(Reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* the next sign after blanks, or -1 at the end */
static int peek(Reader *r)
{
    skip_blank(r);
    return r->at < r->end ? *r->at : -1;
}

static bool accept(Reader *r, char c)
{
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

/* ------------------------------------------------------------------ texts */

/* four hexadecimal digits, or -1 */
static int read_hex(Reader *r)
{
    int value = 0;
    if (r->end - r->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int c = *r->at++;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

/* the code point after \u, surrogates joined; 0 or less: it is none */
static int read_code(Reader *r)
{
    int code = read_hex(r);
    if (code >= 0xdc00 && code <= 0xdfff)
        return -1;
    if (code < 0xd800 || code > 0xdbff)
        return code;
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
        return -1;
    r->at += 2;
    int low = read_hex(r);
    return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

/* as UTF-8; the bytes written, at most four, fewer than the escape had */
static size_t put_code(int code, char *to)
{
    if (code < 0x80)
        return to[0] = (char)code, 1;
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    size_t n = code < 0x10000 ? 3 : 4;
    to[0] = (char)(n == 3 ? 0xe0 | code >> 12 : 0xf0 | code >> 18);
    for (size_t i = 1; i < n; i++)
        to[i] = (char)(0x80 | (code >> (6 * (n - 1 - i)) & 0x3f));
    return n;
}

/* one escape after its backslash; false: there is no such escape */
static bool read_escape(Reader *r, char *to, size_t *n)
{
    static const char letters[] = "\"\\/bfnrt", signs[] = "\"\\/\b\f\n\r\t";
    int c = r->at < r->end ? *r->at++ : 0;
    const char *found = c ? strchr(letters, c) : NULL;
    if (found) {
        to[(*n)++] = signs[found - letters];
        return true;
    }
    int code = c == 'u' ? read_code(r) : 0;
    if (code <= 0)
        return false;
    *n += put_code(code, to + *n);
    return true;
}

/* a text in quotes, or NULL */
static const char *read_text(Reader *r)
{
    if (!accept(r, '"'))
        return refuse(r, "a text in quotes is missing"), NULL;
    const unsigned char *begin = r->at;
    while (r->at < r->end && *r->at != '"')
        r->at += *r->at == '\\' && r->end - r->at > 1 ? 2 : 1;
    size_t room = (size_t)(r->at - begin), n = 0;
    char *text = r->at < r->end ? arena_zeroed(&r->message->arena, room + 1) : NULL;
    if (!text)
        return refuse(r, r->at < r->end ? "out of memory" : "a text has no end"), NULL;
    const unsigned char *end = r->at;
    r->at = begin;
    while (r->at < end) {
        if (*r->at == '\\') {
            r->at++;
            if (!read_escape(r, text, &n))
                return refuse(r, "an escape in a text is wrong"), NULL;
        } else if (*r->at < 0x20) {
            return refuse(r, "a text has a control character"), NULL;
        } else {
            text[n++] = (char)*r->at++;
        }
    }
    r->at = end + 1;
    return text;
}

/* ------------------------------------------------------------------ values */

/* a number as JSON writes it: no plus, no leading zeros, no nan */
static bool read_number(Reader *r, double *value)
{
    char text[64];
    size_t n = 0;
    skip_blank(r);
    while (r->at < r->end && n + 1 < sizeof text && *r->at && strchr("+-.0123456789eE", *r->at))
        text[n++] = (char)*r->at++;
    text[n] = '\0';
    const char *digits = text + (text[0] == '-');
    bool good = digits[0] >= '0' && digits[0] <= '9' &&
                !(digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9');
    char *end;
    *value = strtod(text, &end);
    return (good && *end == '\0' && isfinite(*value)) || refuse(r, "a number is wrong");
}

static bool read_numbers(Reader *r, MessageMember *member)
{
    Message *m = r->message;
    member->kind = MESSAGE_NUMBERS;
    member->first = m->numbers.n;
    for (bool more = !accept(r, ']'); more;) {
        double value;
        if (!read_number(r, &value))
            return false;
        if (!vec_push(&m->alloc, &m->numbers, value))
            return refuse(r, "out of memory");
        more = accept(r, ',');
        if (!more && !accept(r, ']'))
            return refuse(r, "a list has no end");
    }
    member->n = m->numbers.n - member->first;
    return true;
}

static bool read_texts(Reader *r, MessageMember *member)
{
    Message *m = r->message;
    member->kind = MESSAGE_TEXTS;
    member->first = m->pairs.n;
    for (bool more = !accept(r, '}'); more;) {
        MessagePair pair = {.name = read_text(r)};
        if (!pair.name)
            return false;
        if (!accept(r, ':'))
            return refuse(r, "a colon is missing");
        pair.text = read_text(r);
        if (!pair.text)
            return false;
        if (!vec_push(&m->alloc, &m->pairs, pair))
            return refuse(r, "out of memory");
        more = accept(r, ',');
        if (!more && !accept(r, '}'))
            return refuse(r, "an object has no end");
    }
    member->n = m->pairs.n - member->first;
    return true;
}

static bool read_word(Reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool read_value(Reader *r, MessageMember *member)
{
    int c = peek(r);
    if (c == '"') {
        member->kind = MESSAGE_TEXT;
        member->text = read_text(r);
        return member->text;
    }
    if (c == '[' || c == '{') {
        r->at++;
        return c == '[' ? read_numbers(r, member) : read_texts(r, member);
    }
    if (c == 't' || c == 'f') {
        member->kind = MESSAGE_FLAG;
        member->number = c == 't';
        return read_word(r, c == 't' ? "true" : "false") || refuse(r, "a value is wrong");
    }
    member->kind = MESSAGE_NUMBER;
    return read_number(r, &member->number);
}

static bool read_object(Reader *r)
{
    Message *m = r->message;
    if (!accept(r, '{'))
        return refuse(r, "it is no object");
    for (bool more = !accept(r, '}'); more;) {
        if (m->n == MESSAGE_MAX_MEMBERS)
            return refuse(r, "it has too many members");
        MessageMember *member = &m->members[m->n];
        member->name = read_text(r);
        if (!member->name)
            return false;
        if (!accept(r, ':'))
            return refuse(r, "a colon is missing");
        if (!read_value(r, member))
            return false;
        for (size_t i = 0; i < m->n; i++)
            if (strcmp(m->members[i].name, member->name) == 0)
                return refuse(r, "a member stands twice");
        m->n++;
        more = accept(r, ',');
        if (!more && !accept(r, '}'))
            return refuse(r, "an object has no end");
    }
    return peek(r) < 0 || refuse(r, "something follows the object");
}

bool message_read(Message *m, const LiederAllocator *alloc, const char *bytes, size_t n)
{
    *m = (Message){.alloc = *alloc};
    arena_init(&m->arena, alloc);
    const unsigned char *begin = (const unsigned char *)bytes;
    Reader r = {m, begin, begin + n};
    if (n && memchr(bytes, '\0', n))
        return refuse(&r, "it has a zero byte");
    return read_object(&r);
}

void message_drop(Message *m)
{
    arena_drop(&m->arena);
    vec_drop(&m->alloc, &m->numbers);
    vec_drop(&m->alloc, &m->pairs);
}

/* ------------------------------------------------------------------ members by name */

const MessageMember *message_find(const Message *m, const char *name, MessageKind kind)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->members[i].kind == kind && strcmp(m->members[i].name, name) == 0)
            return &m->members[i];
    return NULL;
}

const char *message_text(const Message *m, const char *name)
{
    const MessageMember *found = message_find(m, name, MESSAGE_TEXT);
    return found ? found->text : NULL;
}

double message_number(const Message *m, const char *name)
{
    const MessageMember *found = message_find(m, name, MESSAGE_NUMBER);
    return found ? found->number : NAN;
}

bool message_flag(const Message *m, const char *name)
{
    const MessageMember *found = message_find(m, name, MESSAGE_FLAG);
    return found && found->number != 0;
}
