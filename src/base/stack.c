/* stack.c - see stack.h.
 *
 * Counting levels is not enough: a level of the parser or of an evaluation needs between 200 bytes
 * and some kilobytes, by compiler and options, and a thread has what its creator gave it. So the
 * address is compared with the end of the stack. It grows downwards on all systems we build for.
 */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "base/stack.h"

#include <pthread.h>
#include <stddef.h>

/* for what is called from the deepest level on: messages, numbers, reading files */
enum { RESERVE = 80 * 1024 };

/* The system knows the stack of a thread; for the first thread of a program it reads a file of
 * /proc. */
static uintptr_t find_floor(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return 0;
    int failed = pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    size_t reserve = size < 2 * RESERVE ? size / 2 : RESERVE;
    return failed ? 0 : (uintptr_t)lowest + reserve;
}

uintptr_t stack_floor(void)
{
    static _Thread_local uintptr_t floor; /* it does not move during the life of a thread */
    static _Thread_local bool known;
    if (!known)
        floor = find_floor();
    known = true;
    return floor;
}
