/* host.c - an instance of an FMU, in a process of its own or (in_process) in this one.
 *
 * An FMU is foreign code: it may crash, write over memory or never return. The child is forked,
 * loads the binary and answers requests on a socket, one after the other: a head, then numbers.
 * When it dies the parent reads the end of the socket and reports how. While the child works the
 * parent calls `waits` every tenth of a second, and a child that does not end by itself is killed.
 * The child has no other descriptor of the parent, and exits without writing the parent's buffered
 * streams. In this process the same functions are called directly.
 *
 * An FMU with model exchange alone is stepped by exchange.c.
 *
 * The functions of FMI 2 and 3 are called by types written here after the text of the standards. */
#define _GNU_SOURCE /* close_range */
#include "fmi/inside.h"

#include <dlfcn.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------ calls */

bool inside_fail(Inside *in, const char *what)
{
    snprintf(in->wrong, sizeof in->wrong, "%.190s%s%s", what, in->said[0] ? ": " : "", in->said);
    return false;
}

/* dlsym gives objects, C wants a function: through an integer */
void *inside_function(Inside *in, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "fmi%d%s", in->file->model.version, name);
    void *found = dlsym(in->library, full);
    if (!found)
        snprintf(in->said, sizeof in->said, "its binary has no function %s", full);
    return found;
}

static void logged3(void *environment, int status, const char *category, const char *message)
{
    Inside *in = environment;
    (void)category;
    if (in && status > 1 && message)
        snprintf(in->said, sizeof in->said, "%s", message);
}

__attribute__((format(printf, 5, 6))) static void logged2(void *environment, const char *instance,
                                                          int status, const char *category,
                                                          const char *message, ...)
{
    Inside *in = environment;
    (void)instance;
    (void)category;
    va_list arguments;
    if (!in || status <= 1 || !message)
        return;
    va_start(arguments, message);
    vsnprintf(in->said, sizeof in->said, message, arguments);
    va_end(arguments);
}

typedef struct Callbacks2 {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished;
    void *environment;
} Callbacks2;

/* an instance by the function of its version and kind; in->instance stays NULL if that fails */
static void inside_instantiate(Inside *in, const char *name)
{
    const ForeignModel *m = &in->file->model;
    char resources[160];
    if (m->version == 3) {
        snprintf(resources, sizeof resources, "%s/resources/", in->file->folder);
        if (m->exchange) {
            void *f = inside_function(in, "InstantiateModelExchange");
            typedef void *Make(const char *, const char *, const char *, bool, bool, void *,
                               void *);
            in->instance = f ? ((Make *)(uintptr_t)f)(name, m->token, resources, false, false, in,
                                                      (void *)(uintptr_t)logged3)
                             : NULL;
            return;
        }
        void *f = inside_function(in, "InstantiateCoSimulation");
        typedef void *Make(const char *, const char *, const char *, bool, bool, bool, bool,
                           const uint32_t *, size_t, void *, void *, void *);
        in->instance =
            f ? ((Make *)(uintptr_t)f)(name, m->token, resources, false, false, false, false, NULL,
                                       0, in, (void *)(uintptr_t)logged3, NULL)
              : NULL;
    } else {
        /* the FMU may keep the address */
        Callbacks2 *callbacks = in->callbacks = calloc(1, sizeof *callbacks);
        snprintf(resources, sizeof resources, "file://%s/resources", in->file->folder);
        void *f = inside_function(in, "Instantiate");
        typedef void *Make(const char *, int, const char *, const char *, const void *, int, int);
        if (callbacks)
            *callbacks = (Callbacks2){logged2, calloc, free, NULL, in};
        in->instance = f && callbacks ? ((Make *)(uintptr_t)f)(name, m->exchange ? 0 : 1, m->token,
                                                               resources, callbacks, 0, 0)
                                      : NULL;
    }
}

/* loads the binary for this machine and makes an instance; false after keeping the reason */
static bool inside_open(Inside *in, const ImportedFile *file, const char *component)
{
    struct utsname machine;
    char path[400];
    *in = (Inside){.file = file};
    uname(&machine);
    if (file->model.version == 2)
        snprintf(path, sizeof path, "%s/binaries/linux64/%s.so", file->folder,
                 file->model.identifier);
    else
        snprintf(path, sizeof path, "%s/binaries/%s-linux/%s.so", file->folder, machine.machine,
                 file->model.identifier);
    in->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!in->library) {
        snprintf(in->said, sizeof in->said, "%s", dlerror());
        return inside_fail(in, "its binary cannot be loaded");
    }
    inside_instantiate(in, component);
    return in->instance || inside_fail(in, "it cannot be instantiated");
}

/* ends and frees the instance, then its library */
static void inside_close(Inside *in)
{
    if (in->instance) {
        CALL(in, "Terminate", (void *), in->instance);
        void *f = inside_function(in, "FreeInstance");
        if (f)
            ((void (*)(void *))(uintptr_t)f)(in->instance);
    }
    if (in->library)
        dlclose(in->library);
    free(in->callbacks);
    in->callbacks = NULL;
    exchange_drop(in);
}

/* ------------------------------------------------------------------ numbers */

/* numbers of a type, as the interface has them; whole ones are rounded */
#define MOVE(c_type)                                                                               \
    do {                                                                                           \
        c_type *raw = calloc(v->n + 1, sizeof *raw);                                               \
        for (size_t i = 0; i < v->n && raw && set; i++)                                            \
            raw[i] = (c_type)(v->type > FOREIGN_FLOAT32 ? rint(numbers[i]) : numbers[i]);          \
        if (raw && version == 3)                                                                   \
            status = CALL(in, name, (void *, const uint32_t *, size_t, void *, size_t),            \
                          in->instance, &v->reference, 1, raw, v->n);                              \
        else if (raw)                                                                              \
            status = CALL(in, name, (void *, const uint32_t *, size_t, void *), in->instance,      \
                          &v->reference, 1, raw);                                                  \
        for (size_t i = 0; i < v->n && raw && !set; i++)                                           \
            numbers[i] = (double)raw[i];                                                           \
        free(raw);                                                                                 \
    } while (0)

/* are the numbers in the range of the type? Others have no defined conversion in C */
static bool inside_range(Inside *in, const ForeignVariable *v, const double *numbers)
{
    static const double range[FOREIGN_TYPES][2] = {
        [FOREIGN_FLOAT64] = {-DBL_MAX, DBL_MAX},
        [FOREIGN_FLOAT32] = {-FLT_MAX, FLT_MAX},
        [FOREIGN_INT8] = {INT8_MIN, INT8_MAX},
        [FOREIGN_UINT8] = {0, UINT8_MAX},
        [FOREIGN_INT16] = {INT16_MIN, INT16_MAX},
        [FOREIGN_UINT16] = {0, UINT16_MAX},
        [FOREIGN_INT32] = {INT32_MIN, INT32_MAX},
        [FOREIGN_UINT32] = {0, UINT32_MAX},
        [FOREIGN_INT64] = {-0x1p63, 0x1.fffffffffffffp62},
        [FOREIGN_UINT64] = {0, 0x1.fffffffffffffp63},
        [FOREIGN_BOOLEAN] = {-DBL_MAX, DBL_MAX}};
    for (size_t i = 0; i < v->n; i++)
        if (!(rint(numbers[i]) >= range[v->type][0] && rint(numbers[i]) <= range[v->type][1])) {
            char what[200];
            snprintf(what, sizeof what, "%.100s cannot be %g: that is outside of its type", v->name,
                     numbers[i]);
            return inside_fail(in, what);
        }
    return true;
}

/* gets or sets the numbers of a variable, which its type converts; false after keeping the reason
 */
static bool inside_move(Inside *in, const ForeignVariable *v, double *numbers, bool set)
{
    static const char *const names[2][FOREIGN_TYPES] = {
        {[FOREIGN_FLOAT64] = "Real", [FOREIGN_INT32] = "Integer", [FOREIGN_BOOLEAN] = "Boolean"},
        {"Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64",
         "UInt64", "Boolean"}};
    int version = in->file->model.version, status = 3;
    char name[32];
    if (set && !inside_range(in, v, numbers))
        return false;
    snprintf(name, sizeof name, "%s%s", set ? "Set" : "Get", names[version == 3][v->type]);
    switch (v->type) {
    case FOREIGN_FLOAT64:
        MOVE(double);
        break;
    case FOREIGN_FLOAT32:
        MOVE(float);
        break;
    case FOREIGN_INT8:
        MOVE(int8_t);
        break;
    case FOREIGN_UINT8:
        MOVE(uint8_t);
        break;
    case FOREIGN_INT16:
        MOVE(int16_t);
        break;
    case FOREIGN_UINT16:
        MOVE(uint16_t);
        break;
    case FOREIGN_INT32:
        MOVE(int32_t);
        break;
    case FOREIGN_UINT32:
        MOVE(uint32_t);
        break;
    case FOREIGN_INT64:
        MOVE(int64_t);
        break;
    case FOREIGN_UINT64:
        MOVE(uint64_t);
        break;
    case FOREIGN_BOOLEAN:
        for (size_t i = 0; i < v->n && set; i++)
            numbers[i] = numbers[i] != 0;
        if (version == 3)
            MOVE(bool);
        else
            MOVE(int);
        break;
    default:
        break;
    }
    char what[200];
    snprintf(what, sizeof what, "%.100s cannot be %s", v->name, set ? "set" : "read");
    return GOOD(status) || inside_fail(in, what);
}

/* all variables of a role, one after the other; given: NULL, or which numbers are set */
static bool inside_all(Inside *in, ForeignRole role, double *numbers, const unsigned char *given,
                       bool set)
{
    bool ok = true;
    for (size_t i = 0; i < in->file->model.variables.n && ok; i++) {
        const ForeignVariable *v = &in->file->model.variables.items[i];
        if (v->role != role || !v->inner[0])
            continue;
        bool wanted = !given;
        for (size_t k = 0; k < v->n && given; k++)
            wanted |= given[k];
        if (wanted)
            ok = inside_move(in, v, numbers, set);
        numbers += v->n;
        given = given ? given + v->n : NULL;
    }
    return ok;
}

/* ------------------------------------------------------------------ requests */

typedef enum Request { BEGIN, SET, GET, READY, STEP, END } Request;
typedef struct Head {
    int request;
    double a, b;
    size_t n; /* numbers that follow; BEGIN: then as many flags */
} Head;
typedef struct Answer {
    int good, ended; /* no bool: they come from code of others */
    size_t n;
    char wrong[400];
} Answer;

/* parameters, then the initialisation mode from start to stop */
static bool inside_begin(Inside *in, double start, double stop, double *parameters,
                         const unsigned char *given)
{
    bool three = in->file->model.version == 3;
    if (!inside_all(in, FOREIGN_PARAMETER, parameters, given, true))
        return false;
    if (!three && !GOOD(CALL(in, "SetupExperiment", (void *, int, double, double, int, double),
                             in->instance, 0, 0, start, 1, stop)))
        return inside_fail(in, "it refuses the experiment");
    int status =
        three ? CALL(in, "EnterInitializationMode", (void *, bool, double, double, bool, double),
                     in->instance, false, 0, start, true, stop)
              : CALL(in, "EnterInitializationMode", (void *), in->instance);
    return GOOD(status) || inside_fail(in, "it cannot be initialised");
}

enum { DISCARD = 2, TERMINATED = 3 }; /* fmi2Status, fmi2StatusKind */

/* one communication step; in->ended: the FMU wants the run to end */
static bool inside_step(Inside *in, double t, double size)
{
    bool event = false, terminate = false, early = false;
    double reached = t;
    int status =
        in->file->model.version == 3
            ? CALL(in, "DoStep", (void *, double, double, bool, bool *, bool *, bool *, double *),
                   in->instance, t, size, true, &event, &terminate, &early, &reached)
            : CALL(in, "DoStep", (void *, double, double, int), in->instance, t, size, 1);
    if (in->file->model.version == 2 && status == DISCARD) {
        int ended = 0;
        if (GOOD(CALL(in, "GetBooleanStatus", (void *, int, int *), in->instance, TERMINATED,
                      &ended)) &&
            ended)
            return in->ended = true;
    }
    in->ended |= terminate;
    return GOOD(status) || inside_fail(in, "its step failed");
}

/* carries out one request, in the process of the FMU or in ours */
static bool inside_do(Inside *in, const Head *h, double *numbers, const unsigned char *given)
{
    bool exchange = in->file->model.exchange;
    in->said[0] = 0;
    switch ((Request)h->request) {
    case BEGIN:
        return inside_begin(in, h->a, h->b, numbers, given);
    case SET:
        if (exchange)
            return exchange_begin_event(in) && inside_all(in, FOREIGN_INPUT, numbers, NULL, true) &&
                   exchange_end_event(in);
        return inside_all(in, FOREIGN_INPUT, numbers, NULL, true);
    case GET:
        return inside_all(in, FOREIGN_OUTPUT, numbers, NULL, false);
    case READY:
        if (exchange)
            return exchange_ready(in, h->a);
        return GOOD(CALL(in, "ExitInitializationMode", (void *), in->instance)) ||
               inside_fail(in, "it cannot be initialised");
    case STEP:
        return exchange ? exchange_step(in, h->a, h->b) : inside_step(in, h->a, h->b);
    case END:
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ the child */

/* n bytes through a socket; false: the other side is gone */
static bool send_all(int fd, const void *data, size_t n)
{
    const char *at = data;
    while (n) {
        ssize_t done = send(fd, at, n, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

/* n bytes out of a socket; false: the other side is gone */
static bool receive_all(int fd, void *data, size_t n)
{
    char *at = data;
    while (n) {
        ssize_t done = recv(fd, at, n, 0);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

/* an FMU that calls exit must not run handlers or write streams of the parent */
static void leave_at_once(int status, void *unused)
{
    (void)unused;
    _exit(status);
}

/* gives the child its own signals, streams and descriptors; returns the socket */
static int child_part(int fd)
{
    enum { SOCKET = 3 };
    for (int number = 1; number < 32; number++) /* handlers are the parent's */
        signal(number, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    on_exit(leave_at_once, NULL);
    dup2(2, 1); /* what it prints is not our output */
    if (fd != SOCKET)
        dup2(fd, SOCKET);
    close_range(SOCKET + 1, ~0U, 0);
    return SOCKET;
}

/* answers requests until the parent closes the socket; never returns */
static void child_serve(int fd, const ImportedFile *file, const char *component, size_t most)
{
    Inside in = {0};
    Answer answer = {0};
    double *numbers = calloc(most + 1, sizeof *numbers);
    unsigned char *given = calloc(most + 1, 1);
    fd = child_part(fd);
    answer.good = numbers && given && inside_open(&in, file, component);
    snprintf(answer.wrong, sizeof answer.wrong, "%s", in.wrong);
    bool on = send_all(fd, &answer, sizeof answer) && answer.good;
    while (on) {
        Head h;
        on = receive_all(fd, &h, sizeof h) && h.n <= most &&
             receive_all(fd, numbers, h.n * sizeof *numbers) &&
             (h.request != BEGIN || receive_all(fd, given, h.n));
        if (!on)
            break;
        answer.good = inside_do(&in, &h, numbers, given);
        answer.ended = in.ended;
        answer.n = h.request == GET && answer.good ? h.n : 0;
        snprintf(answer.wrong, sizeof answer.wrong, "%s", in.wrong);
        on = send_all(fd, &answer, sizeof answer) &&
             send_all(fd, numbers, answer.n * sizeof *numbers) && h.request != END;
    }
    if (answer.good)
        inside_close(&in);
    _exit(0);
}

/* ------------------------------------------------------------------ the parent */

static bool host_fail(Host *h, const char *what)
{
    snprintf(h->wrong, sizeof h->wrong, "the FMU %.200s: %.400s", h->file->path, what);
    return false;
}

/* Waits for the end of the child, two seconds at most; then kills it. True: it ended by itself. */
static bool host_reap(Host *h, int *status)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    for (int i = 0; i < 400 && !h->given_up; i++) {
        if (waitpid(h->pid, status, WNOHANG) != 0)
            return true;
        nanosleep(&pause, NULL);
    }
    kill(h->pid, SIGKILL);
    waitpid(h->pid, status, 0);
    return false;
}

/* the child does not answer any more: writes the reason to h->wrong; returns false */
static bool host_lost(Host *h)
{
    int status = 0;
    char what[128] = "its process ended";
    if (h->pid > 0) {
        if (!host_reap(h, &status))
            snprintf(what, sizeof what, "%s",
                     h->given_up ? "it was at work when the run was interrupted"
                                 : "it answers wrongly or not at all");
        else if (WIFSIGNALED(status))
            snprintf(what, sizeof what, "it crashed: %s", strsignal(WTERMSIG(status)));
        else
            snprintf(what, sizeof what, "its process ended with code %d", WEXITSTATUS(status));
        h->pid = -1;
    }
    return host_fail(h, what);
}

/* sends bytes to the child or receives them. False: it is gone, or `waits` has given it up. */
static bool host_move(Host *h, void *bytes, size_t n, bool sends)
{
    char *at = bytes;
    while (n) {
        struct pollfd p = {.fd = h->socket, .events = sends ? POLLOUT : POLLIN};
        int ready = poll(&p, 1, 100);
        if (ready <= 0) {
            h->given_up = h->waits && !h->waits(h->user);
            if (h->given_up)
                return false;
            continue;
        }
        ssize_t done = sends ? send(h->socket, at, n, MSG_NOSIGNAL | MSG_DONTWAIT)
                             : recv(h->socket, at, n, MSG_DONTWAIT);
        if (done < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (done <= 0)
            return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

/* a request to the FMU, in the child or in this process; numbers are sent and received; false after
 * keeping the reason */
static bool host_ask(Host *h, Request request, double a, double b, double *numbers,
                     const unsigned char *given, size_t n)
{
    Head head = {.request = (int)request, .a = a, .b = b, .n = n};
    Answer answer;
    Inside *in = h->inside;
    if (in) {
        bool good = inside_do(in, &head, numbers, given);
        h->ended = in->ended;
        return good || host_fail(h, in->wrong);
    }
    if (h->pid <= 0)
        return host_fail(h, "its process has ended");
    bool sent = host_move(h, &head, sizeof head, true) &&
                host_move(h, numbers, n * sizeof *numbers, true) &&
                (request != BEGIN || host_move(h, (void *)given, n, true));
    if (!sent || !host_move(h, &answer, sizeof answer, false))
        return host_lost(h);
    if (!answer.good)
        return host_fail(h, answer.wrong);
    if (answer.good != 1 || answer.n != (request == GET ? n : 0))
        return host_lost(h);
    h->ended = answer.ended == 1;
    return host_move(h, numbers, answer.n * sizeof *numbers, false) || host_lost(h);
}

static size_t count_role(const ForeignModel *m, ForeignRole role)
{
    size_t n = 0;
    for (size_t i = 0; i < m->variables.n; i++)
        if (m->variables.items[i].role == role && m->variables.items[i].inner[0])
            n += m->variables.items[i].n;
    return n;
}

/* starts the process of the FMU, and waits until its instance is made */
static bool host_fork(Host *h)
{
    int ends[2];
    size_t most = h->nin > h->nout ? h->nin : h->nout;
    most = most > h->npar ? most : h->npar;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return host_fail(h, strerror(errno));
    fflush(NULL); /* else the child would have the buffered output, too */
    h->pid = fork();
    if (h->pid == 0) {
        close(ends[0]);
        child_serve(ends[1], h->file, h->component, most);
    }
    close(ends[1]);
    h->socket = ends[0];
    if (h->pid < 0)
        return host_fail(h, "no process can be started for it");
    Answer answer;
    if (!host_move(h, &answer, sizeof answer, false))
        return host_lost(h);
    return answer.good == 1 || host_fail(h, answer.wrong);
}

bool host_open(Host *h, const ImportedFile *file, const char *component, bool in_process,
               bool (*waits)(void *user), void *user)
{
    *h = (Host){.file = file, .socket = -1, .waits = waits, .user = user};
    snprintf(h->component, sizeof h->component, "%s", component);
    h->nin = count_role(&file->model, FOREIGN_INPUT);
    h->nout = count_role(&file->model, FOREIGN_OUTPUT);
    h->npar = count_role(&file->model, FOREIGN_PARAMETER);
    if (!in_process)
        return host_fork(h);
    Inside *in = calloc(1, sizeof *in);
    if (!in)
        return host_fail(h, "not enough memory");
    h->inside = in;
    return inside_open(in, file, component) || host_fail(h, in->wrong);
}

bool host_begin(Host *h, double start, double stop, const double *parameters,
                const unsigned char *given)
{
    return host_ask(h, BEGIN, start, stop, (double *)parameters, given, h->npar);
}

bool host_set(Host *h, const double *inputs)
{
    return h->nin == 0 || host_ask(h, SET, 0, 0, (double *)inputs, NULL, h->nin);
}

bool host_get(Host *h, double *outputs)
{
    return h->nout == 0 || host_ask(h, GET, 0, 0, outputs, NULL, h->nout);
}

bool host_ready(Host *h, double start)
{
    return host_ask(h, READY, start, 0, NULL, NULL, 0);
}

bool host_step(Host *h, double t, double size)
{
    return host_ask(h, STEP, t, size, NULL, NULL, 0);
}

void host_close(Host *h)
{
    if (h->inside) {
        inside_close(h->inside);
        free(h->inside);
    }
    if (h->pid > 0) {
        char kept[sizeof h->wrong];
        memcpy(kept, h->wrong, sizeof kept);
        int status;
        if (!h->given_up)
            host_ask(h, END, 0, 0, NULL, NULL, 0);
        if (h->pid > 0)
            host_reap(h, &status);
        memcpy(h->wrong, kept, sizeof kept);
    }
    if (h->socket >= 0)
        close(h->socket);
    *h = (Host){.socket = -1};
}
