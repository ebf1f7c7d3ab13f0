/* json_tree.h - a JSON text (RFC 8259) as a tree.
 *
 *   Arena arena;
 *   const char *reason;
 *   const JsonValue *v = json_tree_read(&arena, bytes, n, &reason);
 *   json_tree_text(json_tree_path(v, "params.textDocument.uri"))
 *
 * Values live in the arena. Texts are UTF-8 with escapes resolved; what is no UTF-8 is kept as it
 * is, \u0000 and half a pair of surrogates, which no text can hold, become U+FFFD. A number that is
 * not finite, a zero byte and more than JSON_DEPTH levels are refused. */
#ifndef LIEDER_BASE_JSON_TREE_H
#define LIEDER_BASE_JSON_TREE_H

#include "base/memory.h"

enum { JSON_DEPTH = 100 };

typedef enum JsonKind {
    JSON_NULL,
    JSON_FLAG,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT
} JsonKind;

/* Elements of a list and members of an object are chained. */
typedef struct JsonValue {
    JsonKind kind;
    const char *name;               /* of a member */
    double number;                  /* of a flag 0 or 1 */
    const char *text;               /* of a text */
    struct JsonValue *first, *next; /* inside; beside */
} JsonValue;

/* NULL: it is no JSON, or memory ran out; *reason, unless it is NULL, then says why */
const JsonValue *json_tree_read(Arena *arena, const char *bytes, size_t n, const char **reason);

/* These take NULL and wrong kinds, and give NULL, "" or the other value then. */
const JsonValue *json_tree_member(const JsonValue *object, const char *name);
const JsonValue *json_tree_path(const JsonValue *v, const char *dotted_names);
const char *json_tree_text(const JsonValue *v);
double json_tree_number(const JsonValue *v, double otherwise);

#endif
