/* test_real_time.c - what a real-time step asks of the system: the clock and the pause, nothing
 * else.
 *
 * A child process runs in real time under ptrace. Its first and its last row make a system call of
 * their own as marks; all calls between them are counted by number. */
#include "solve/help.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 20, MAX_CALLS = 1024, MARK = SYS_getppid };

static bool mark_ends(void *user, double t, const double *x, LiederRow kind)
{
    (void)x;
    (void)kind;
    if (t == 0 || t == *(const double *)user)
        syscall(MARK);
    return true;
}

static bool go_on(void *user, double t, const LiederStatistics *s)
{
    (void)user;
    (void)t;
    (void)s;
    return true;
}

/* the traced program: 0, 1 failed, 2 it may not be traced */
static int step_in_real_time(LiederSolver solver)
{
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crab", 3, 1e-3);
    LiederSystem *system = lieder_system_create(session, "Crab", NULL);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.real_time = true;
    o.step = o.interval = 1e-3;
    o.stop = STEPS * 1e-3;
    o.output = mark_ends;
    o.progress = go_on;
    o.user = &o.stop;
    if (!system || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 2;
    raise(SIGSTOP);
    return lieder_simulate(system, &o, NULL) == LIEDER_DONE ? 0 : 1;
}

/* counts calls between the marks; false: tracing is not allowed here */
static bool count_calls(pid_t child, size_t *count, size_t *nmark)
{
    int status;
    bool inside = false, entering = true;
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status))
        return false;
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(long)PTRACE_O_TRACESYSGOOD);
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) != 0 || waitpid(child, &status, 0) < 0)
            return false;
        if (WIFEXITED(status) || WIFSIGNALED(status))
            break;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80))
            continue;
        struct user_regs_struct regs;
        if (entering && ptrace(PTRACE_GETREGS, child, NULL, &regs) == 0) {
            size_t number = (size_t)regs.orig_rax;
            if (number == MARK) {
                (*nmark)++;
                inside = *nmark == 1;
            } else if (inside && number < MAX_CALLS) {
                count[number]++;
            }
        }
        entering = !entering;
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return true;
}

static void steps_ask_for_the_clock_only(void **unused)
{
    (void)unused;
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_EULER_BACKWARD; solver++) {
        size_t count[MAX_CALLS] = {0}, nmark = 0, others = 0;
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(step_in_real_time(solver));
        if (!count_calls(child, count, &nmark)) {
            printf("processes may not be traced here: skipped\n");
            skip();
        }
        for (size_t i = 0; i < MAX_CALLS; i++)
            if (count[i] && i != SYS_clock_nanosleep && i != SYS_clock_gettime) {
                printf("%s: system call %zu, %zu times\n", lieder_solver_name(solver), i, count[i]);
                others += count[i];
            }
        printf("%s: %d steps, %zu pauses, %zu calls for the clock, %zu others\n",
               lieder_solver_name(solver), STEPS, count[SYS_clock_nanosleep],
               count[SYS_clock_gettime], others);
        assert_int_equal(nmark, 2);
        assert_int_equal(others, 0);
        assert_true(count[SYS_clock_nanosleep] <= STEPS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_ask_for_the_clock_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
