/* json_tree.c - reads JSON (RFC 8259) by recursive descent; see json_tree.h. */
#include "base/json_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPLACEMENT = 0xfffd };

typedef struct JsonReader {
    Arena *arena;
    const char *at, *end;
    int depth;
    const char *reason; /* why it is refused; the first counts */
} JsonReader;

static bool refuse(JsonReader *r, const char *reason)
{
    if (!r->reason)
        r->reason = r->arena->failed ? "out of memory" : reason;
    return false;
}

static void skip_blanks(JsonReader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

static bool take(JsonReader *r, char c)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool take_word(JsonReader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* ------------------------------------------------------------------ texts */

/* four hexadecimal digits, or -1 */
static long hex4(JsonReader *r)
{
    long x = 0;
    if (r->end - r->at < 4)
        return -1;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = *r->at;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        x = 16 * x + digit;
    }
    return x;
}

/* a character as UTF-8; returns where the next one goes */
static char *put_utf8(char *to, unsigned long c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* the code point after \u, pairs joined; negative: it is none */
static long read_code(JsonReader *r)
{
    long c = hex4(r);
    if (c >= 0xd800 && c < 0xdc00 && take_word(r, "\\u")) {
        long low = hex4(r);
        return low < 0                         ? -1
               : low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)
                                               : REPLACEMENT;
    }
    return c == 0 || (c >= 0xd800 && c < 0xe000) ? REPLACEMENT : c;
}

/* writes the character of an escape, after its backslash; NULL: it is no escape */
static char *read_escape(JsonReader *r, char *to)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *known = r->at < r->end && *r->at ? strchr(names, *r->at) : NULL;
    if (known) {
        r->at++;
        *to++ = meant[known - names];
        return to;
    }
    long c = take_word(r, "u") ? read_code(r) : -1;
    return c < 0 ? NULL : put_utf8(to, (unsigned long)c);
}

/* after the opening quote; a text is never longer than it is written */
static const char *read_string(JsonReader *r)
{
    const char *stop = r->at;
    while (stop < r->end && *stop != '"')
        stop += *stop == '\\' ? 2 : 1;
    if (stop >= r->end)
        return refuse(r, "a text has no end"), NULL;
    char *text = arena_zeroed(r->arena, (size_t)(stop - r->at) + 4), *to = text;
    while (to && r->at < stop) {
        if ((unsigned char)*r->at < 0x20)
            return refuse(r, "a text has a control character"), NULL;
        if (*r->at != '\\')
            *to++ = *r->at++;
        else if (r->at++, !(to = read_escape(r, to)))
            return refuse(r, "an escape in a text is wrong"), NULL;
    }
    if (!to || r->at != stop)
        return refuse(r, "an escape in a text is wrong"), NULL;
    r->at++;
    return text;
}

/* ------------------------------------------------------------------ values */

static bool read_value(JsonReader *r, JsonValue *v);

/* one element, or one member with its name */
static JsonValue *read_item(JsonReader *r, bool member)
{
    JsonValue *item = arena_zeroed(r->arena, sizeof *item);
    if (!item)
        return refuse(r, ""), NULL;
    if (member) {
        if (!take(r, '"'))
            return refuse(r, "a name in quotes is missing"), NULL;
        item->name = read_string(r);
        if (item->name && !take(r, ':'))
            return refuse(r, "a colon is missing"), NULL;
    }
    return (item->name || !member) && read_value(r, item) ? item : NULL;
}

/* elements or members up to the closing bracket */
static bool read_inside(JsonReader *r, JsonValue *v, char close)
{
    JsonValue **last = &v->first;
    if (take(r, close))
        return true;
    do {
        *last = read_item(r, close == '}');
        if (!*last)
            return false;
        last = &(*last)->next;
    } while (take(r, ','));
    return take(r, close) || refuse(r, close == '}' ? "an object has no end" : "a list has no end");
}

/* strtod takes more than JSON has: no plus, no leading zeros, no nan */
static bool read_number(JsonReader *r, JsonValue *v)
{
    char text[64];
    size_t n = 0;
    while (r->at + n < r->end && n < sizeof text - 1 && r->at[n] &&
           strchr("+-.eE0123456789", r->at[n])) {
        text[n] = r->at[n];
        n++;
    }
    text[n] = '\0';
    const char *digits = text + (text[0] == '-');
    bool good = digits[0] >= '0' && digits[0] <= '9' &&
                !(digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9');
    char *stop;
    v->kind = JSON_NUMBER;
    v->number = strtod(text, &stop);
    r->at += n;
    return (good && *stop == '\0' && isfinite(v->number)) ||
           refuse(r, n ? "a number is wrong" : "a value is missing or wrong");
}

/* any value; false after noting what is wrong */
static bool read_value(JsonReader *r, JsonValue *v)
{
    skip_blanks(r);
    if (r->at == r->end || r->depth == JSON_DEPTH)
        return refuse(r, r->at == r->end ? "it ends too early" : "it is nested too deeply");
    r->depth++;
    bool fine = true;
    if (*r->at == '{' || *r->at == '[') {
        v->kind = *r->at == '{' ? JSON_OBJECT : JSON_LIST;
        fine = read_inside(r, v, *r->at++ == '{' ? '}' : ']');
    } else if (*r->at == '"') {
        r->at++;
        v->kind = JSON_TEXT;
        fine = (v->text = read_string(r)) != NULL;
    } else if (take_word(r, "true")) {
        v->kind = JSON_FLAG;
        v->number = 1;
    } else if (take_word(r, "false")) {
        v->kind = JSON_FLAG;
    } else if (!take_word(r, "null")) {
        fine = read_number(r, v);
    }
    r->depth--;
    return fine;
}

const JsonValue *json_tree_read(Arena *arena, const char *bytes, size_t n, const char **reason)
{
    JsonReader r = {.arena = arena, .at = bytes, .end = bytes + n};
    JsonValue *v = arena_zeroed(arena, sizeof *v);
    bool good = v ? read_value(&r, v) : refuse(&r, "");
    skip_blanks(&r);
    if (good && r.at != r.end)
        good = refuse(&r, "something follows the end");
    if (reason)
        *reason = r.reason;
    return good ? v : NULL;
}

/* ------------------------------------------------------------------ looking inside */

const JsonValue *json_tree_member(const JsonValue *object, const char *name)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const JsonValue *v = object->first; v; v = v->next)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

const JsonValue *json_tree_path(const JsonValue *v, const char *names)
{
    char name[64];
    while (v && *names) {
        size_t n = strcspn(names, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        v = json_tree_member(v, name);
        names += n + (names[n] == '.');
    }
    return v;
}

const char *json_tree_text(const JsonValue *v)
{
    return v && v->kind == JSON_TEXT ? v->text : "";
}

double json_tree_number(const JsonValue *v, double otherwise)
{
    return v && v->kind == JSON_NUMBER ? v->number : otherwise;
}
