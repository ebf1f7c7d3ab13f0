/* stack.h - how deep recursion may go in this thread. */
#ifndef LIEDER_BASE_STACK_H
#define LIEDER_BASE_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* The lowest address that a recursion may reach so that what it calls still has room; 0 when the
 * system does not say where the stack ends. Threads of embedding programs may have 256 kB. */
uintptr_t stack_floor(void);

/* has the caller reached it? */
static inline bool stack_is_used_up(uintptr_t floor)
{
    return (uintptr_t)__builtin_frame_address(0) < floor;
}

#endif
