/* child.h - programs that are started by this one, and end with it.
 *
 * A child has a process group of its own, so that it can be ended with all that it started itself:
 * a compiler is a driver that starts others. It is killed when the thread that started it ends,
 * also by kill -9. Signals that are ignored here are not ignored there.
 */
#ifndef LIEDER_BASE_CHILD_H
#define LIEDER_BASE_CHILD_H

#include <sys/types.h>

/* arguments[0] is looked up on the path; the list ends with NULL. in, out and err become the
 * standard descriptors. Returns 0 or an errno. */
int child_start(pid_t *child, const char *const *arguments, int in, int out, int err);
/* ends it and all that it started, and waits for it */
void child_stop(pid_t child);

#endif
