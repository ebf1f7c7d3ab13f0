/* view_serve.c - what the page asks for, one request after the other.
 *
 *     GET  /, /app.js, /app.css    the page
 *     POST /api/alive              never answered to the end: the page is open
 *     POST /api/run                runs the model; {"set": {"cart.m": "3"}, "stop": 10, ...}
 *     POST /api/rows               more of a run: {"run": 3, "from": 500, "want": [0, 4]}
 *     POST /api/stop               ends the run that is under way
 *     POST /api/diagram            the model's diagram, SVG
 *     POST /api/eigen              eigenvalues: {"at": 2.5, "set": ...}; lines of JSON
 *     POST /api/sweep              begins a sweep: view_sweep.c; the first members
 *     POST /api/members            some more of it: {"sweep": 2, "first": 64}
 *
 * A run is made by the loop below, not while a request is read, and serves the page between its
 * rows. It answers when it is done, or after a moment with what there is; the page then asks for
 * more rows. A new request ends the run that is under way: only the latest counts. So the run never
 * waits for the page, and the page never for a run. Diagrams, eigenvalues and sweeps wait until no
 * run is under way; members that a request interrupts are asked for again by the page.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "cli/view.h"
#include "view/page.h"

enum { MAX_RUNS = VIEW_MAX_RESULTS };
static const double PATIENCE = 0.1;      /* a run answers after so many seconds at the latest */
static const double SERVE_EVERY = 0.005; /* a run serves the page so often, s */
static const double CLOSED_SECONDS = 15; /* without a page: the program ends */
static const double NOBODY_SECONDS = 15 * 60; /* nobody ever came */

typedef enum ViewQuestion {
    QUESTION_NONE,
    QUESTION_DIAGRAM,
    QUESTION_EIGEN,
    QUESTION_SWEEP,
    QUESTION_MEMBERS
} ViewQuestion;

static const char LATER[] = "a later question has come";

/* a question that is answered when no run is under way */
typedef struct Asked {
    ViewQuestion question;
    ServerClient client;
    Message message;
} Asked;

typedef struct Viewer {
    const ViewOptions *options;
    Log *log;
    Server *server;
    ViewModel model;
    ViewSweep *sweep;        /* the last one that was asked for */
    ViewRun *runs[MAX_RUNS]; /* the oldest first */
    size_t nrun;
    unsigned number;
    bool visited;
    /* what is asked for */
    bool wanted;
    ServerClient client;
    Message request;
    Asked waiting; /* a question */
    /* the run that is under way */
    ViewRun *running;
    ServerClient answer_to;
    const Message *asked;
    bool answered, stop;
    double begun, served;
} Viewer;

/* ------------------------------------------------------------------ answers */

static void refuse_request(Viewer *v, ServerClient client, int status, const char *reason)
{
    server_reply(
        v->server, client,
        &(ServerReply){status, "text/plain; charset=utf-8", false, reason, strlen(reason)});
}

/* the columns of "want", and with "poses" those of all parts: a fleet has too many to name them;
 * NULL: out of memory */
static double *list_columns(const ViewRun *run, const Message *m, size_t *n)
{
    const JsonValue *want = message_find(m, "want", JSON_LIST);
    bool poses = message_number(m, "poses") == 1;
    size_t given = 0;
    for (const JsonValue *v = want ? want->first : NULL; v; v = v->next)
        given++;
    double *list = calloc(given + (poses ? 6 * run->parts.n : 0) + 1, sizeof *list);
    *n = 0;
    for (const JsonValue *v = want ? want->first : NULL; list && v; v = v->next)
        list[(*n)++] = v->number;
    for (size_t i = 0; list && poses && i < run->parts.n; i++)
        for (int k = 0; k < 6; k++)
            if (run->parts.items[i].columns[k] != VIEW_NO_COLUMN)
                list[(*n)++] = (double)run->parts.items[i].columns[k];
    return list;
}

/* parts: the answer to a request for a run, which does not know yet what is drawn */
static void answer(Viewer *v, ServerClient client, const ViewRun *run, const Message *m, bool parts)
{
    double known = message_number(m, "table"), from = message_number(m, "from");
    size_t n, length;
    double *list = list_columns(run, m, &length);
    ViewWanted w = {.known = known >= 0 && known < 0x1p53 ? (unsigned long long)known : 0,
                    .from = from >= 0 && from < 0x1p53 ? (size_t)from : 0,
                    .want = list,
                    .n = length,
                    .parts = parts};
    char *bytes;
    if (!list || !view_write(run, &w, &bytes, &n)) {
        refuse_request(v, client, 500, "out of memory");
    } else {
        server_reply(v->server, client,
                     &(ServerReply){200, "application/octet-stream", false, bytes, n});
        free(bytes);
    }
    free(list);
}

/* ------------------------------------------------------------------ runs */

static void keep_run(Viewer *v, ViewRun *run)
{
    if (v->nrun == MAX_RUNS) {
        view_run_drop(v->runs[0]);
        memmove(v->runs, v->runs + 1, (MAX_RUNS - 1) * sizeof *v->runs);
        v->nrun--;
    }
    v->runs[v->nrun++] = run;
}

static void drop_runs(Viewer *v)
{
    for (size_t i = 0; i < v->nrun; i++)
        view_run_drop(v->runs[i]);
    v->nrun = 0;
}

static ViewRun *find_run(Viewer *v, double number)
{
    if (v->running && v->running->number == number)
        return v->running;
    for (size_t i = 0; i < v->nrun; i++)
        if (v->runs[i]->number == number)
            return v->runs[i];
    return NULL;
}

/* between two rows: the page is served, and after a moment the first answer is given */
static bool on_tick(void *user, ViewRun *run)
{
    Viewer *v = user;
    double now = clock_seconds();
    v->running = run;
    run->number = v->number;
    if (now - v->served < SERVE_EVERY)
        return !run_interrupted && !v->stop;
    v->served = now;
    if (!v->answered && now - v->begun > PATIENCE) {
        v->answered = true;
        answer(v, v->answer_to, run, v->asked, true);
    }
    server_serve(v->server, 0);
    return !run_interrupted && !v->stop && !v->wanted;
}

/* a name as components and variables have it, a value that is a number or a truth: nothing else may
 * reach the front end */
static bool is_setting(const JsonValue *p)
{
    for (const char *c = p->name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.[],", *c))
            return false;
    char *end;
    double value = strtod(p->text, &end);
    bool number = *p->text && *end == '\0' && isfinite(value) && !isspace((unsigned char)*p->text);
    return *p->name && (number || strcmp(p->text, "true") == 0 || strcmp(p->text, "false") == 0);
}

/* the command line's settings, and over them those of the page; false after reporting to the page
 */
static bool make_settings(const ViewOptions *o, const Message *m, RunSettings *w,
                          const char **reason)
{
    *w = o->run;
    w->source.overrides = (Overrides){0};
    for (size_t i = 0; i < o->run.source.overrides.n; i++)
        if (!vec_push(HEAP, &w->source.overrides, o->run.source.overrides.items[i]))
            return *reason = "out of memory", false;
    const JsonValue *set = message_find(m, "set", JSON_OBJECT);
    for (const JsonValue *p = set ? set->first : NULL; p; p = p->next) {
        if (!is_setting(p))
            return *reason = "a parameter is set to a number, or to true or false", false;
        if (!vec_push(HEAP, &w->source.overrides,
                      (FrontOverride){.name = p->name, .value = p->text}))
            return *reason = "out of memory", false;
    }
    static const struct {
        const char *name;
        size_t at;
    } numbers[] = {{"start", offsetof(RunSettings, start)},
                   {"stop", offsetof(RunSettings, stop)},
                   {"step", offsetof(RunSettings, step)},
                   {"tolerance", offsetof(RunSettings, tolerance)},
                   {"interval", offsetof(RunSettings, interval)}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double value = message_number(m, numbers[i].name);
        if (isnan(value))
            continue;
        if (i >= 2 && !(value > 0))
            return *reason = "steps, tolerances and intervals are more than zero", false;
        memcpy((char *)w + numbers[i].at, &value, sizeof value);
    }
    if (!isnan(w->tolerance) && w->tolerance >= 1)
        return *reason = "a tolerance is less than one", false;
    const char *solver = message_text(m, "solver");
    if (solver && !lieder_solver_find(solver, &w->solver))
        return *reason = "there is no such solver", false;
    return true;
}

/* the run that was asked for last */
static void make_run(Viewer *v)
{
    Message m = v->request;
    ServerClient client = v->client;
    v->wanted = false;
    RunSettings w = {0};
    const char *reason = "";
    if (v->options->result) {
        answer(v, client, v->runs[0], &m, true);
    } else if (!make_settings(v->options, &m, &w, &reason)) {
        refuse_request(v, client, 400, reason);
    } else {
        v->number++;
        v->answered = v->stop = false;
        v->answer_to = client;
        v->asked = &m;
        v->begun = v->served = clock_seconds();
        const char *lanes = message_text(&m, "lanes");
        ViewRun *run = view_run(&v->model, &w, lanes ? lanes : v->options->lanes,
                                v->options->real_time, v->log, on_tick, v);
        v->running = NULL;
        v->asked = NULL;
        if (run)
            run->number = v->number;
        if (!run)
            refuse_request(v, client, 500, "out of memory");
        else if (!v->answered)
            answer(v, client, run, &m, true);
        if (run)
            keep_run(v, run);
    }
    vec_drop(HEAP, &w.source.overrides);
    message_drop(&m);
}

/* ------------------------------------------------------------------ diagram, eigenvalues, sweeps
 */

/* eigenvalues at a time for the page; NULL: *reason says why, or memory ran out */
static char *find_eigenvalues(Viewer *v, const Message *m, size_t *n, const char **reason)
{
    RunSettings w = {0};
    char *text = NULL;
    *reason = "a file of results has no eigenvalues: view its model";
    if (!v->options->result && make_settings(v->options, m, &w, reason)) {
        double at = message_number(m, "at");
        text = view_eigen(&w, at, message_number(m, "regions") == 1, v->log, n);
        *reason = NULL;
    }
    vec_drop(HEAP, &w.source.overrides);
    return text;
}

/* between rows of members; a request for a run comes first */
static bool on_sweep_tick(void *user)
{
    Viewer *v = user;
    double now = clock_seconds();
    if (now - v->served >= SERVE_EVERY) {
        v->served = now;
        server_serve(v->server, 0);
    }
    return !run_interrupted && !v->wanted;
}

/* names and values as lieder sweep takes them, and nothing else */
static bool is_varying(const JsonValue *p)
{
    JsonValue name = {.name = p->name, .text = "0"};
    return is_setting(&name) && *p->text && strlen(p->text) < 100000 &&
           strspn(p->text, "0123456789+-.eE,:logtrufas") == strlen(p->text);
}

/* opens the sweep that a message describes; false: *reason says why, or memory ran out */
static bool begin_sweep(Viewer *v, Message *m, const char **reason)
{
    RunSettings w = {0};
    const JsonValue *vary = message_find(m, "vary", JSON_OBJECT);
    *reason = "a file of results cannot be run again";
    bool good = !v->options->result && make_settings(v->options, m, &w, reason);
    for (const JsonValue *p = vary ? vary->first : NULL; p && good; p = p->next)
        if (!is_varying(p)) {
            *reason = "a parameter is varied as lieder sweep does: 1:3:5, 1e-5:1:log:6 or 1,2,4";
            good = false;
        }
    if (good) {
        view_sweep_drop(v->sweep);
        v->sweep = view_sweep_open(&w, m, ++v->number, v->log);
        *reason = NULL;
    }
    vec_drop(HEAP, &w.source.overrides);
    return good && v->sweep;
}

/* members of the sweep that the message names or describes; *reason NULL: out of memory */
static char *find_members(Viewer *v, Asked *a, size_t *n, const char **reason)
{
    Message *m = &a->message;
    char *bytes = NULL;
    bool stopped;
    double first = message_number(m, "first");
    size_t from = first >= 0 && first < 0x1p53 ? (size_t)first : 0;
    *reason = "that sweep is no longer kept";
    if (a->question == QUESTION_SWEEP
            ? !begin_sweep(v, m, reason)
            : !v->sweep || view_sweep_number(v->sweep) != message_number(m, "sweep"))
        return NULL;
    v->served = clock_seconds();
    if (view_sweep_members(v->sweep, from, on_sweep_tick, v, &stopped, &bytes, n))
        return bytes;
    *reason = stopped ? LATER : NULL;
    return NULL;
}

static char *make_answer(Viewer *v, Asked *a, size_t *n, const char **reason)
{
    switch (a->question) {
    case QUESTION_DIAGRAM:
        return view_diagram(v->options, v->log, n);
    case QUESTION_EIGEN:
        return find_eigenvalues(v, &a->message, n, reason);
    default:
        return find_members(v, a, n, reason);
    }
}

/* computes what was asked last and answers its client */
static void answer_question(Viewer *v)
{
    static const char *const types[] = {[QUESTION_DIAGRAM] = "image/svg+xml",
                                        [QUESTION_EIGEN] = "application/jsonl",
                                        [QUESTION_SWEEP] = "application/octet-stream",
                                        [QUESTION_MEMBERS] = "application/octet-stream"};
    size_t n;
    const char *reason = NULL;
    Asked a = v->waiting; /* the next one may come meanwhile */
    v->waiting = (Asked){0};
    char *text = make_answer(v, &a, &n, &reason);
    if (text)
        server_reply(v->server, a.client, &(ServerReply){200, types[a.question], false, text, n});
    else
        refuse_request(v, a.client,
                       reason == LATER ? 503
                       : reason        ? 400
                                       : 500,
                       reason ? reason : "out of memory");
    free(text);
    message_drop(&a.message);
}

/* ------------------------------------------------------------------ requests */

static void take_question(Viewer *v, ServerClient client, Message *m, ViewQuestion question)
{
    if (v->waiting.question != QUESTION_NONE) {
        refuse_request(v, v->waiting.client, 503, LATER);
        message_drop(&v->waiting.message);
    }
    v->waiting = (Asked){question, client, *m};
    *m = (Message){.arena = {.alloc = memory_default}};
}

static void take_request(Viewer *v, ServerClient client, Message *m)
{
    if (v->wanted) { /* nobody has begun with that one, and nobody will */
        refuse_request(v, v->client, 503, "a later request has come");
        message_drop(&v->request);
    }
    v->wanted = true;
    v->client = client;
    v->request = *m;
    *m = (Message){.arena = {.alloc = memory_default}};
}

static void give_rows(Viewer *v, ServerClient client, const Message *m)
{
    const ViewRun *run = find_run(v, message_number(m, "run"));
    if (run)
        answer(v, client, run, m, message_number(m, "parts") == 1);
    else
        refuse_request(v, client, 404, "that run is no longer kept");
}

/* a request of the page by its path */
static void take_message(Viewer *v, ServerClient client, const HttpRequest *r)
{
    Message m;
    if (!message_read(&m, HEAP, r->body.at, r->body.n)) {
        char text[128];
        snprintf(text, sizeof text, "the message is wrong: %s", m.reason);
        refuse_request(v, client, 400, text);
    } else if (http_equal(r->path, "/api/alive")) {
        v->visited = true;
        server_hold(v->server, client);
    } else if (http_equal(r->path, "/api/run")) {
        take_request(v, client, &m);
    } else if (http_equal(r->path, "/api/rows")) {
        give_rows(v, client, &m);
    } else if (http_equal(r->path, "/api/diagram")) {
        take_question(v, client, &m, QUESTION_DIAGRAM);
    } else if (http_equal(r->path, "/api/eigen")) {
        take_question(v, client, &m, QUESTION_EIGEN);
    } else if (http_equal(r->path, "/api/sweep")) {
        take_question(v, client, &m, QUESTION_SWEEP);
    } else if (http_equal(r->path, "/api/members")) {
        take_question(v, client, &m, QUESTION_MEMBERS);
    } else if (http_equal(r->path, "/api/stop")) {
        v->stop = true;
        server_reply(v->server, client, &(ServerReply){.status = 204});
    } else {
        refuse_request(v, client, 404, "there is no such request");
    }
    message_drop(&m);
}

/* posted messages, and the files of the page */
static void on_request(void *user, ServerClient client, const HttpRequest *r)
{
    Viewer *v = user;
    if (r->post) {
        take_message(v, client, r);
        return;
    }
    for (int i = 0; i < PAGE_PARTS; i++) {
        const PageFile *f = &page_files[i];
        if (http_equal(r->path, f->path)) {
            server_reply(v->server, client,
                         &(ServerReply){200, f->type, true, f->bytes, (size_t)(f->end - f->bytes)});
            return;
        }
    }
    refuse_request(v, client, 404, "there is no such page");
}

/* ------------------------------------------------------------------ the loop */

/* shows the page in the user's browser, if there is a screen */
static void open_browser(const char *address)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return;
    const char *const arguments[] = {"xdg-open", address, NULL};
    pid_t child;
    child_start(&child, arguments, STDIN_FILENO, STDERR_FILENO, STDERR_FILENO);
}

/* Ctrl-C, and a run does not answer: there is nothing to keep */
static ExitCode end_in_place(void *user)
{
    (void)user;
    return EXIT_DONE;
}

ExitCode view_serve(const ViewOptions *o, Log *log, ViewRun *const *results, size_t n)
{
    Viewer v = {.options = o, .log = log};
    char message[SERVER_MESSAGE];
    v.server = server_open(HEAP, (int)o->port, on_request, &v, message);
    for (size_t i = 0; i < n && i < MAX_RUNS; i++) {
        results[i]->number = (unsigned)i;
        keep_run(&v, results[i]);
    }
    if (n)
        results[0]->others = n - 1;
    if (!v.server) {
        log_error(log, "%s", message);
        drop_runs(&v);
        return EXIT_IO;
    }
    printf("%s\n", server_address(v.server));
    fflush(stdout);
    if (!o->no_open)
        open_browser(server_address(v.server));
    run_catch_signals(end_in_place, NULL);
    bool good = true;
    while (good && !run_interrupted) {
        if (v.wanted)
            make_run(&v);
        else if (v.waiting.question != QUESTION_NONE)
            answer_question(&v);
        else
            good = server_serve(v.server, 1);
        double idle = server_idle(v.server);
        if (!o->keep && idle > (v.visited ? CLOSED_SECONDS : NOBODY_SECONDS))
            break;
    }
    run_end_signals();
    if (v.wanted)
        message_drop(&v.request);
    if (v.waiting.question != QUESTION_NONE)
        message_drop(&v.waiting.message);
    server_close(v.server);
    drop_runs(&v);
    view_sweep_drop(v.sweep);
    view_model_drop(&v.model);
    return good ? EXIT_DONE : EXIT_IO;
}
