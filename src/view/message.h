/* message.h - the body of a request: one JSON object.
 *
 *     {"stop": 10, "solver": "rk4", "set": {"cart.m": "3"}, "want": [0, 4, 5]}
 *
 * Members are found by name. A value is a text, a number, true or false, a list of numbers, or an
 * object whose members are texts; others are refused. Sizes are limited by HTTP_MAX_BODY. Values
 * are those of base/json_tree.h: the values inside a list or an object are a linked list.
 */
#ifndef LIEDER_VIEW_MESSAGE_H
#define LIEDER_VIEW_MESSAGE_H

#include "base/json_tree.h"

enum { MESSAGE_MAX_MEMBERS = 32 };

typedef struct Message {
    Arena arena;
    const JsonValue *object; /* NULL: refused */
    const char *reason;      /* why it was refused */
} Message;

/* false: it is no such object, `reason` is why. Call message_drop in any case. */
bool message_read(Message *m, const LiederAllocator *alloc, const char *bytes, size_t n);
void message_drop(Message *m);

/* NULL, NaN or false where there is no member of that name and kind */
const JsonValue *message_find(const Message *m, const char *name, JsonKind kind);
const char *message_text(const Message *m, const char *name);
double message_number(const Message *m, const char *name);
bool message_flag(const Message *m, const char *name);

#endif
