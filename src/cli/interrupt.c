/* interrupt.c - Ctrl-C within a second, whatever the program is doing.
 *
 * SIGINT, SIGTERM, SIGHUP and SIGUSR1 (the one that mpirun hands on to its ranks as it is, see
 * docs/clusters.md) set run_interrupted. Runs ask for it between steps and inside long ones, end in
 * order, and say so by run_end_signals. Where nobody asks (one factorisation of a huge matrix, a
 * model that is being built for a member of a sweep, a class of a user's library) a thread that
 * slept until the signal waits ANSWER_SECONDS, and then ends the run in its place: the function
 * that was given closes the files with what they have, says what became of them, and the program
 * exits. What that function reads is changed between run_hold_files and run_release_files only, so
 * that it never finds a row that is half written.
 *
 * A second signal ends the program at once, as without us.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static const double ANSWER_SECONDS = 0.6;

volatile sig_atomic_t run_interrupted;

/* the thread that waits, one for the program */
static struct {
    pthread_t thread;
    bool there, ready; /* the thread; the semaphores */
    sem_t signalled, answered;
    pthread_mutex_t files;
    InterruptEnd *end;
    void *user;
} waiter = {.files = PTHREAD_MUTEX_INITIALIZER};

static void on_signal(int number)
{
    int error = errno;
    run_interrupted = number;
    sem_post(&waiter.signalled);
    errno = error;
}

void run_hold_files(void)
{
    pthread_mutex_lock(&waiter.files);
}

void run_release_files(void)
{
    pthread_mutex_unlock(&waiter.files);
}

/* whether the run has ended by itself in time */
static bool is_answered(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(ANSWER_SECONDS * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int status;
    do
        status = sem_timedwait(&waiter.answered, &until);
    while (status != 0 && errno == EINTR);
    return status == 0;
}

static void *wait_for_signal(void *argument)
{
    while (sem_wait(&waiter.signalled) != 0)
        ;
    if (is_answered())
        return argument;
    run_hold_files();
    ExitCode code = waiter.end(waiter.user);
    fflush(stdout);
    fflush(stderr);
    _exit((int)code);
}

/* all signals go to the other threads */
static void start_waiter(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    waiter.there = pthread_create(&waiter.thread, NULL, wait_for_signal, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void run_catch_signals(InterruptEnd *end, void *user)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, before;
    waiter.end = end;
    waiter.user = user;
    sem_init(&waiter.signalled, 0, 0);
    sem_init(&waiter.answered, 0, 0);
    if (end)
        start_waiter();
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        if (sigaction(stopping[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stopping[i], &action, NULL); /* nohup goes on ignoring */
    /* nobody reads the messages any more: no reason to lose the run */
    signal(SIGPIPE, SIG_IGN);
}

void run_end_signals(void)
{
    if (!waiter.there)
        return;
    sem_post(&waiter.answered);
    sem_post(&waiter.signalled);
    pthread_join(waiter.thread, NULL);
    waiter.there = false;
}

/* ------------------------------------------------------------------ recorders */

static bool ask_interrupted(void *user)
{
    (void)user;
    return run_interrupted;
}

RecordOptions run_record_options(void)
{
    RecordOptions o = record_defaults();
    o.interrupted = ask_interrupted;
    return o;
}
