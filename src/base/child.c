/* child.c - see child.h.
 *
 * vfork and not fork: a simulation of many gigabytes would copy its page tables, or find no memory
 * for them. posix_spawn would not do either: it cannot request a signal for the end of the parent.
 * Between vfork and exec the child makes system calls only.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Setup {
    const char *const *arguments;
    int descriptors[3];
    pid_t parent;
    sigset_t mask;
    volatile int error; /* of the child, which shares our memory */
} Setup;

/* in the child: does not return */
static void become(Setup *s)
{
    static const int changed[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGALRM};
    setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != s->parent)
        _exit(127);
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        signal(changed[i], SIG_DFL);
    // first out of the way: one of them may have the number of another
    for (int i = 0; i < 6; i++) {
        int *fd = &s->descriptors[i % 3];
        int done = i >= 3 ? dup2(*fd, i - 3) : *fd < 3 ? (*fd = fcntl(*fd, F_DUPFD_CLOEXEC, 3)) : 0;
        if (done < 0) {
            s->error = errno;
            _exit(127);
        }
    }
    sigprocmask(SIG_SETMASK, &s->mask, NULL);
    execvp(s->arguments[0], (char *const *)s->arguments);
    s->error = errno;
    _exit(127);
}

int child_start(pid_t *child, const char *const *arguments, int in, int out, int err)
{
    Setup s = {.arguments = arguments, .descriptors = {in, out, err}, .parent = getpid()};
    sigset_t all;
    sigfillset(&all); // no handler of ours runs in the child
    pthread_sigmask(SIG_BLOCK, &all, &s.mask);
    pid_t made = vfork();
    if (made == 0)
        become(&s);
    int error = made < 0 ? errno : s.error;
    pthread_sigmask(SIG_SETMASK, &s.mask, NULL);
    if (made > 0 && error)
        waitpid(made, NULL, 0);
    *child = error ? 0 : made;
    return error;
}

void child_stop(pid_t child)
{
    kill(-child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}
