/* result.c - a run, and its rows in memory.
 *
 * Rows go to the recorder of src/record that keeps columns in memory; arrays of Python point into
 * it and keep the result alive. */
#include "module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Result {
    PyObject_HEAD Recorder recorder;
    bool open;
    VEC(char *) names; /* of the columns */
    VEC(struct {
        double t;
        size_t row;
    })
    events;
    PyObject *statistics;
} Result;

/* ------------------------------------------------------------------ during the run */

typedef struct PythonRun {
    System *system;
    Result *result;
    Watch watch;
    Attention attention;
    LiederStatus observing; /* of observer and recorder */
} PythonRun;

static bool run_row(void *user, double t, const double *x, LiederRow kind)
{
    PythonRun *r = user;
    Result *result = r->result;
    r->observing = watch_row(&r->watch, t, x);
    if (r->observing >= 0)
        r->observing = record_row(&result->recorder, t, r->watch.values);
    if (r->observing < 0)
        return false;
    if (kind == LIEDER_ROW_BEFORE_EVENT) {
        if (!vec_reserve(HEAP, &result->events, result->events.n + 1)) {
            r->observing = LIEDER_NO_MEMORY;
            return false;
        }
        result->events.items[result->events.n].t = t;
        result->events.items[result->events.n++].row = result->recorder.nrow - 1;
    }
    return true;
}

static bool run_progress(void *user, double t, const LiederStatistics *statistics)
{
    PythonRun *r = user;
    (void)statistics;
    return attention_ask(&r->attention, t);
}

/* ------------------------------------------------------------------ columns */

/* what `record` names, or states, derivatives and outputs; false with an exception */
static bool select_columns(System *s, const char *regex, Selection *selection)
{
    char message[256];
    Pattern *pattern = regex ? pattern_create(regex, message, sizeof message) : NULL;
    if (regex && !pattern) {
        raise_error(ERROR_USAGE, "record is no regular expression", message);
        return false;
    }
    if (!pattern)
        select_default(selection, s->system);
    else
        select_matching(selection, s->system, pattern);
    for (size_t i = 0; pattern && i < front_parameter_count(s->front); i++) {
        const FrontParameter *p = front_parameter(s->front, i);
        if (pattern_matches(pattern, p->name))
            selection_add_constant(selection, p->name, p->unit, p->text, p->value);
    }
    bool failed = selection->failed || (pattern && pattern_failed(pattern));
    pattern_destroy(pattern);
    if (failed)
        PyErr_NoMemory();
    else if (regex && selection->list.n == 0)
        raise_unknown_name("no variable matches record",
                           "a text must match whole names, as '.*phi' does; a list has names");
    else
        return true;
    return false;
}

static bool open_recorder(PythonRun *r, const Selection *selection)
{
    size_t n = selection->list.n;
    RecordColumn *columns = calloc(n + 1, sizeof *columns);
    if (!columns || !watch_open(&r->watch, r->system->system, selection, 0) || r->watch.nmissing) {
        free(columns);
        PyErr_NoMemory();
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        const Selected *c = &selection->list.items[i];
        columns[i] = (RecordColumn){c->name, c->unit, c->text, c->constant, c->value};
        char *name = strdup(c->name);
        ok = name && vec_push(HEAP, &r->result->names, name);
    }
    if (!ok)
        PyErr_NoMemory();
    else if (record_open(&r->result->recorder, NULL, "memory:", columns, n, NULL) < 0)
        raise_error(ERROR_SIMULATION, record_message(&r->result->recorder), NULL);
    else
        r->result->open = true;
    free(columns);
    return r->result->open;
}

/* ------------------------------------------------------------------ the run */

static PyObject *statistics_record(const System *s, const LiederStatistics *t, bool stopped)
{
    char state[512];
    PyObject *limiting = Py_None;
    if (t->limiting_state >= 0)
        limiting = PyUnicode_FromString(
            lieder_system_state_name(s->system, (size_t)t->limiting_state, state, sizeof state));
    else
        Py_INCREF(limiting);
    PyObject *fields[] = {PyUnicode_FromString(lieder_solver_name(t->solver)),
                          PyFloat_FromDouble(t->t),
                          PyBool_FromLong(stopped),
                          PyLong_FromSize_t(t->steps),
                          PyLong_FromSize_t(t->rejected),
                          PyLong_FromSize_t(t->evaluations),
                          PyLong_FromSize_t(t->jacobians),
                          PyLong_FromSize_t(t->factorisations),
                          PyLong_FromSize_t(t->state_events),
                          PyLong_FromSize_t(t->time_events),
                          PyFloat_FromDouble(t->smallest_step),
                          PyFloat_FromDouble(t->largest_step),
                          PyFloat_FromDouble(t->seconds),
                          limiting,
                          PyLong_FromSize_t(lieder_system_info(s->system).ncompiled)};
    PyObject *record = PyStructSequence_New(statistics_type);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i])
            Py_CLEAR(record);
        if (record)
            PyStructSequence_SetItem(record, (Py_ssize_t)i, fields[i]);
        else
            Py_XDECREF(fields[i]);
    }
    return record;
}

/* the rows up to the failure go with the exception, as .result */
static PyObject *run_failed(PythonRun *r, LiederStatus status, double t)
{
    char what[300];
    snprintf(what, sizeof what, "the simulation failed at t = %g s: %s", t,
             lieder_status_text(status));
    raise_diagnostics(r->system->session, r->system->front, exit_code_of(status), what);
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (error)
        PyObject_SetAttrString(error, "result", (PyObject *)r->result);
    PyErr_Restore(type, error, traceback);
    return NULL;
}

static LiederStatus run_model(PythonRun *r, LiederSimulateOptions *o, LiederStatistics *statistics)
{
    System *s = r->system;
    o->output = run_row;
    o->progress = run_progress;
    o->user = r;
    lieder_diagnostic_clear(s->session);
    s->busy = true;
    r->attention.thread = PyEval_SaveThread();
    LiederStatus status = lieder_simulate(s->system, o, statistics);
    PyEval_RestoreThread(r->attention.thread);
    s->busy = false;
    return status == LIEDER_STOPPED && r->observing < 0 ? r->observing : status;
}

static PyObject *simulate_with(System *s, LiederSimulateOptions *o, const char *record,
                               PyObject *progress)
{
    PythonRun r = {.system = s, .attention.progress = progress == Py_None ? NULL : progress};
    LiederStatistics statistics = {.t = o->start, .limiting_state = -1};
    Selection selection = {0};
    r.result = PyObject_New(Result, result_type);
    if (!r.result)
        return NULL;
    memset((char *)r.result + sizeof(PyObject), 0, sizeof *r.result - sizeof(PyObject));
    bool ok = select_columns(s, record, &selection) && open_recorder(&r, &selection);
    LiederStatus status = ok ? run_model(&r, o, &statistics) : LIEDER_BAD_USE;
    ok = ok && !r.attention.failed;
    if (ok) {
        r.result->statistics = statistics_record(s, &statistics, status == LIEDER_STOPPED);
        ok = r.result->statistics != NULL;
    }
    if (ok && status < 0) {
        run_failed(&r, status, statistics.t);
        ok = false;
    }
    ok = ok && warn_diagnostics(s->session, s->front) == 0;
    watch_close(&r.watch);
    selection_drop(&selection);
    if (ok)
        return (PyObject *)r.result;
    Py_DECREF(r.result);
    return NULL;
}

/* simulate(start, stop, step, tolerance, interval, solver, chatter, clocks, compile, threads,
 * real_time, record, x0, checkpoint, resume, progress); NaN and None: not given */
PyObject *system_simulate(PyObject *self, PyObject *args)
{
    System *s = (System *)self;
    RunArguments a;
    const char *record, *checkpoint, *resume;
    PyObject *x0, *progress;
    int real_time;
    LiederSimulateOptions o;
    if (!PyArg_ParseTuple(args, "dddddzzzsipzOzzO", &a.start, &a.stop, &a.step, &a.tolerance,
                          &a.interval, &a.solver, &a.chatter, &a.clocks, &a.compile, &a.threads,
                          &real_time, &record, &x0, &checkpoint, &resume, &progress) ||
        !system_enter(s) || !run_options(s, &a, &o))
        return NULL;
    o.real_time = real_time;
    o.checkpoint = checkpoint;
    o.resume = resume;
    size_t n = lieder_system_state_count(s->system);
    double *start = NULL;
    if (x0 != Py_None) {
        start = numbers_of(x0, "x0", &n);
        if (!start)
            return NULL;
        o.x0 = start;
    }
    PyObject *result = NULL;
    if (n == lieder_system_state_count(s->system))
        result = simulate_with(s, &o, record, progress);
    else
        raise_error(ERROR_USAGE, "x0 has another length than the state", NULL);
    free(start);
    return result;
}

/* ------------------------------------------------------------------ the result */

static void result_dealloc(PyObject *self)
{
    Result *r = (Result *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (r->open)
        record_cancel(&r->recorder);
    for (size_t i = 0; i < r->names.n; i++)
        free(r->names.items[i]);
    vec_drop(HEAP, &r->names);
    vec_drop(HEAP, &r->events);
    Py_XDECREF(r->statistics);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* series(name): (array, unit, text), or None if there is no such column */
static PyObject *result_series(PyObject *self, PyObject *name)
{
    Result *r = (Result *)self;
    RecordSeries series;
    PyObject *bytes = text_bytes(name);
    if (!bytes)
        return NULL;
    bool found = record_memory_series(&r->recorder, PyBytes_AsString(bytes), &series);
    Py_DECREF(bytes);
    if (!found)
        Py_RETURN_NONE;
    Py_ssize_t shape = (Py_ssize_t)series.n, stride = (Py_ssize_t)series.stride;
    PyObject *a = array_create(self, (double *)series.values, 1, &shape, &stride, false);
    return a ? Py_BuildValue("Nss", a, series.unit, series.text) : NULL;
}

/* write(target): .csv, .mat, as the command line writes it */
static PyObject *result_write(PyObject *self, PyObject *args)
{
    Result *r = (Result *)self;
    const char *target;
    if (!PyArg_ParseTuple(args, "s", &target))
        return NULL;
    size_t n = r->names.n;
    RecordColumn *columns = calloc(n + 1, sizeof *columns);
    RecordSeries *series = calloc(n + 1, sizeof *series), time;
    double *values = calloc(n + 1, sizeof *values);
    Recorder to = {0};
    LiederStatus status = columns && series && values ? LIEDER_DONE : LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE) {
        record_memory_series(&r->recorder, "time", &time);
        for (size_t i = 0; i < n; i++) {
            record_memory_series(&r->recorder, r->names.items[i], &series[i]);
            bool constant = series[i].stride == 0;
            columns[i] = (RecordColumn){r->names.items[i], series[i].unit, series[i].text, constant,
                                        constant ? series[i].values[0] : 0};
        }
        status = record_open(&to, NULL, target, columns, n, NULL);
    }
    for (size_t row = 0; status == LIEDER_DONE && row < time.n; row++) {
        for (size_t i = 0; i < n; i++)
            values[i] = series[i].values[row * series[i].stride];
        status = record_row(&to, time.values[row], values);
    }
    if (status == LIEDER_DONE)
        status = record_close(&to);
    free(columns);
    free(series);
    free(values);
    if (status < 0)
        return raise_error(exit_code_of(status), record_message(&to), NULL);
    Py_RETURN_NONE;
}

static PyObject *result_names(PyObject *self, void *none)
{
    Result *r = (Result *)self;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)r->names.n);
    for (size_t i = 0; i < r->names.n && list; i++)
        PyList_SetItem(list, (Py_ssize_t)i, PyUnicode_FromString(r->names.items[i]));
    return list;
}

static PyObject *result_events(PyObject *self, void *none)
{
    Result *r = (Result *)self;
    (void)none;
    PyObject *list = PyList_New((Py_ssize_t)r->events.n);
    for (size_t i = 0; i < r->events.n && list; i++) {
        PyObject *event = PyStructSequence_New(event_type);
        if (!event) {
            Py_DECREF(list);
            return NULL;
        }
        PyStructSequence_SetItem(event, 0, PyFloat_FromDouble(r->events.items[i].t));
        PyStructSequence_SetItem(event, 1, PyLong_FromSize_t(r->events.items[i].row));
        PyList_SetItem(list, (Py_ssize_t)i, event);
    }
    return list;
}

static PyObject *result_statistics(PyObject *self, void *none)
{
    Result *r = (Result *)self;
    (void)none;
    PyObject *s = r->statistics ? r->statistics : Py_None;
    Py_INCREF(s);
    return s;
}

static PyMethodDef result_methods[] = {
    {"series", result_series, METH_O, NULL}, {"write", result_write, METH_VARARGS, NULL}, {0}};
static PyGetSetDef result_attributes[] = {{"names", result_names, NULL, NULL, NULL},
                                          {"events", result_events, NULL, NULL, NULL},
                                          {"statistics", result_statistics, NULL, NULL, NULL},
                                          {0}};
static PyType_Slot result_slots[] = {{Py_tp_dealloc, result_dealloc},
                                     {Py_tp_methods, result_methods},
                                     {Py_tp_getset, result_attributes},
                                     {0, NULL}};
PyType_Spec result_spec = {.name = "lieder._lieder.Result",
                           .basicsize = sizeof(Result),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = result_slots};
