/* json_tree.h - a JSON text as a tree.
 *
 *   Arena arena;
 *   const JsonValue *v = json_tree_read(&arena, bytes, n);       NULL: it is no JSON, or memory ran
 * out json_tree_text(json_tree_path(v, "params.textDocument.uri"))
 *
 * Values live in the arena. Texts are UTF-8 with escapes resolved; what is no UTF-8 is kept as it
 * is, \u0000 ends a text. Deeper than JSON_DEPTH is refused. */
#ifndef LIEDER_LSP_JSON_TREE_H
#define LIEDER_LSP_JSON_TREE_H

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

const JsonValue *json_tree_read(Arena *arena, const char *bytes, size_t n);

/* These take NULL and wrong kinds, and give NULL, "" or the other value then. */
const JsonValue *json_tree_member(const JsonValue *object, const char *name);
const JsonValue *json_tree_path(const JsonValue *v, const char *dotted_names);
const char *json_tree_text(const JsonValue *v);
double json_tree_number(const JsonValue *v, double otherwise);

#endif
