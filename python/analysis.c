/* analysis.c - eigenvalues and A, B, C, D at a point of the motion. */
#include "module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* analysis.h brings the complex numbers of C, whose I is a name of nothing here */
#include "analysis/analysis.h"

typedef struct Linearisation {
    System *system;
    MotionPoint point;
    Linear linear;
    Spectrum spectrum;
    bool begun;
    char **inputs, **outputs;
    size_t ninput, noutput;
    Attention attention;
} Linearisation;

/* ------------------------------------------------------------------ names */

/* copies of the texts of a list; false with an exception */
static bool texts_of(PyObject *list, char ***texts, size_t *n)
{
    Py_ssize_t count = PyList_Size(list);
    *texts = calloc((size_t)count + 1, sizeof **texts);
    for (Py_ssize_t i = 0; i < count && *texts; i++) {
        PyObject *bytes = text_bytes(PyList_GetItem(list, i));
        if (!bytes)
            return false;
        (*texts)[(*n)++] = strdup(PyBytes_AsString(bytes));
        Py_DECREF(bytes);
    }
    return *texts || (PyErr_NoMemory(), false);
}

static void texts_drop(char **texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

static PyObject *state_names(const LiederSystem *system)
{
    size_t n = lieder_system_state_count(system);
    char name[512];
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; i < n && list; i++) {
        lieder_system_state_name(system, i, name, sizeof name);
        PyList_SetItem(list, (Py_ssize_t)i, PyUnicode_FromString(name));
    }
    return list;
}

/* ------------------------------------------------------------------ results */

/* states that take part, largest first */
static PyObject *participation(const Linearisation *l, const Block *b, const Eigenvalue *v)
{
    const SystemShape *ss = &l->system->system->shapes.items[b->shape];
    PyObject *parts = PyDict_New();
    char name[512];
    for (int i = 0; i < SHARES && parts; i++) {
        if (!(v->shares[i].part > 0))
            continue;
        lieder_system_state_name(l->system->system, home_state(ss, v->shares[i].state, b->lane),
                                 name, sizeof name);
        PyObject *share = PyFloat_FromDouble((double)v->shares[i].part);
        if (!share || PyDict_SetItemString(parts, name, share) < 0)
            Py_CLEAR(parts);
        Py_XDECREF(share);
    }
    return parts;
}

static PyObject *eigenvalue_record(const Linearisation *l, const Block *b, const Eigenvalue *v)
{
    double size = hypot(v->re, v->im);
    PyObject *fields[] = {PyComplex_FromDoubles(v->re, v->im),
                          PyFloat_FromDouble(v->error),
                          PyFloat_FromDouble(size / (2 * acos(-1))),
                          PyFloat_FromDouble(size > 0 ? -v->re / size : 0),
                          participation(l, b, v),
                          PyLong_FromSize_t(b->nlane)};
    PyObject *record = PyStructSequence_New(eigenvalue_type);
    for (int i = 0; i < 6; i++) {
        if (!fields[i])
            Py_CLEAR(record);
        if (record)
            PyStructSequence_SetItem(record, i, fields[i]);
        else
            Py_XDECREF(fields[i]);
    }
    return record;
}

static PyObject *eigenvalues(const Linearisation *l)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < l->spectrum.blocks.n && list; i++) {
        const Block *b = &l->spectrum.blocks.items[i];
        for (size_t k = 0; k < b->n && list; k++) {
            PyObject *record = eigenvalue_record(l, b, &l->spectrum.values.items[b->first + k]);
            if (!record || PyList_Append(list, record) < 0)
                Py_CLEAR(list);
            Py_XDECREF(record);
        }
    }
    if (!list)
        return NULL;
    return Py_BuildValue("{sNsdsO}", "values", list, "time", l->point.t, "complete",
                         spectrum_complete(&l->spectrum) ? Py_True : Py_False);
}

static PyObject *matrix_copy(const double *values, size_t rows, Py_ssize_t columns)
{
    double *copy;
    PyObject *a = array_zeroed((Py_ssize_t)rows, columns, &copy);
    size_t n = rows * (size_t)(columns < 0 ? 1 : columns);
    if (a && n > 0)
        memcpy(copy, values, n * sizeof *copy);
    return a;
}

static PyObject *matrices(const Linearisation *l)
{
    const LiederSystem *system = l->system->system;
    size_t n = lieder_system_state_count(system), ny = l->noutput;
    Py_ssize_t nu = (Py_ssize_t)l->ninput;
    double *A;
    if (n > MAX_DENSE)
        return raise_error(ERROR_USAGE, "the model has too many states for a full matrix",
                           "m.eigen() treats its parts one by one");
    PyObject *whole = array_zeroed((Py_ssize_t)n, (Py_ssize_t)n, &A);
    if (!whole)
        return NULL;
    if (n)
        linear_matrix(&l->linear, A);
    return Py_BuildValue("{sNsNsNsNsNsNsd}", "A", whole, "B", matrix_copy(l->linear.B, n, nu), "C",
                         matrix_copy(l->linear.C, ny, (Py_ssize_t)n), "D",
                         matrix_copy(l->linear.D, ny, nu), "x", matrix_copy(l->point.x, n, -1),
                         "states", state_names(system), "time", l->point.t);
}

/* ------------------------------------------------------------------ the call */

static bool point_asks(void *user, double t, const LiederStatistics *statistics)
{
    (void)statistics;
    return attention_ask(user, t);
}

/* runs to the point and linearises there, without the interpreter's lock */
static LiederStatus linearise(Linearisation *l, LiederSimulateOptions *o, bool eigen)
{
    System *s = l->system;
    LiederStatistics statistics;
    o->progress = point_asks;
    o->user = &l->attention;
    lieder_diagnostic_clear(s->session);
    s->busy = true;
    l->attention.thread = PyEval_SaveThread();
    LiederStatus status = point_find(&l->point, s->system, o, &statistics);
    if (status >= 0 && !l->attention.failed) {
        LinearPoint p = {.t = l->point.t,
                         .x = l->point.x,
                         .choices = l->point.held ? l->point.choices : NULL,
                         .inputs = (const char *const *)l->inputs,
                         .ninput = l->ninput,
                         .outputs = (const char *const *)l->outputs,
                         .noutput = l->noutput};
        l->begun = true;
        status = linear_create(&l->linear, s->system, &p);
        if (status == LIEDER_DONE && eigen)
            status = spectrum_create(&l->spectrum, &l->linear);
    }
    PyEval_RestoreThread(l->attention.thread);
    s->busy = false;
    return status;
}

/* linearise(at, solver, step, inputs, outputs, eigen): at NaN: the start */
PyObject *system_linearise(PyObject *self, PyObject *args)
{
    System *s = (System *)self;
    double at;
    PyObject *inputs, *outputs, *result = NULL;
    int eigen;
    RunArguments a = {.start = NAN, .tolerance = NAN, .interval = NAN, .compile = "auto"};
    LiederSimulateOptions o;
    if (!PyArg_ParseTuple(args, "dzdO!O!p", &at, &a.solver, &a.step, &PyList_Type, &inputs,
                          &PyList_Type, &outputs, &eigen) ||
        !system_enter(s) || !run_options(s, &a, &o))
        return NULL;
    if (at < o.start)
        return raise_error(ERROR_USAGE, "the model starts later than that", NULL);
    o.stop = isnan(at) ? o.start : at;
    o.interval = 0;
    Linearisation l = {.system = s};
    bool ok = texts_of(inputs, &l.inputs, &l.ninput) && texts_of(outputs, &l.outputs, &l.noutput);
    LiederStatus status = ok ? linearise(&l, &o, eigen) : LIEDER_BAD_USE;
    if (ok && !l.attention.failed) {
        if (status < 0)
            raise_diagnostics(s->session, s->front, exit_code_of(status),
                              lieder_status_text(status));
        else if (warn_diagnostics(s->session, s->front) == 0)
            result = eigen ? eigenvalues(&l) : matrices(&l);
    }
    spectrum_drop(&l.spectrum);
    if (l.begun)
        linear_drop(&l.linear);
    point_drop(&l.point);
    texts_drop(l.inputs, l.ninput);
    texts_drop(l.outputs, l.noutput);
    return result;
}
