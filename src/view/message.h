/* message.h - what the page asks for: one JSON object.
 *
 *     {"stop": 10, "solver": "rk4", "set": {"cart.m": "3"}, "want": [0, 4, 5]}
 *
 * Members are found by name. A value is a text, a number, true or false, a list of numbers, or an
 * object whose members are texts. Nothing deeper exists, so reading needs no recursion. Sizes are
 * limited by HTTP_MAX_BODY. Texts are UTF-8 without NUL; escapes are resolved.
 */
#ifndef LIEDER_VIEW_MESSAGE_H
#define LIEDER_VIEW_MESSAGE_H

#include "base/memory.h"

typedef enum MessageKind {
    MESSAGE_TEXT,
    MESSAGE_NUMBER,
    MESSAGE_FLAG,
    MESSAGE_NUMBERS,
    MESSAGE_TEXTS
} MessageKind;

typedef struct MessagePair {
    const char *name, *text;
} MessagePair;

typedef struct MessageMember {
    const char *name;
    MessageKind kind;
    const char *text;
    double number;   /* of a flag 0 or 1 */
    size_t first, n; /* MESSAGE_NUMBERS: of numbers; MESSAGE_TEXTS: of pairs */
} MessageMember;

enum { MESSAGE_MAX_MEMBERS = 32, MESSAGE_REASON = 96 };

typedef struct Message {
    Arena arena; /* of the texts */
    LiederAllocator alloc;
    MessageMember members[MESSAGE_MAX_MEMBERS];
    size_t n;
    VEC(double) numbers;
    VEC(MessagePair) pairs;
    char reason[MESSAGE_REASON]; /* why it was refused */
} Message;

/* false: it is no such object, and `reason` says why; message_drop is due in any case */
bool message_read(Message *m, const LiederAllocator *alloc, const char *bytes, size_t n);
void message_drop(Message *m);

/* NULL, NaN or false where there is no member of that name and kind */
const MessageMember *message_find(const Message *m, const char *name, MessageKind kind);
const char *message_text(const Message *m, const char *name);
double message_number(const Message *m, const char *name);
bool message_flag(const Message *m, const char *name);

#endif
