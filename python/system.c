/* system.c - a model from its texts: made with overrides, its variables, its numbers.
 *
 * A System has a session with all that was loaded. `make` instantiates the model with a list of
 * overrides and forgets the one before; the session keeps what it made, so that the package gives
 * a System back after some hundred times and loads anew (Model in __init__.py). */
#include "module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ life */

static void system_dealloc(PyObject *self)
{
    System *s = (System *)self;
    PyTypeObject *type = Py_TYPE(self);
    lieder_system_destroy(s->system);
    if (s->front)
        front_destroy(s->front);
    if (s->session)
        lieder_destroy(s->session);
    free(s->title);
    PyObject_Free(self);
    Py_DECREF(type);
}

bool system_enter(System *s)
{
    if (s->busy)
        raise_error(ERROR_USAGE, "the model is in use by another thread",
                    "give each thread a model of its own: m.copy()");
    else if (!s->system)
        raise_error(ERROR_USAGE, "the model has not been made", NULL);
    else
        return true;
    return false;
}

/* all texts of a list by a function; false with an exception */
static bool for_texts(PyObject *list, bool (*take)(System *, const char *), System *s)
{
    Py_ssize_t n = PyList_Size(list);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *bytes = text_bytes(PyList_GetItem(list, i));
        bool ok = bytes && take(s, PyBytes_AsString(bytes));
        Py_XDECREF(bytes);
        if (!ok)
            return false;
    }
    return n >= 0;
}

static bool take_library(System *s, const char *folder)
{
    return front_add_library(s->front, folder) || (PyErr_NoMemory(), false);
}

static bool take_file(System *s, const char *path)
{
    LiederStatus status = front_load(s->front, path);
    if (status == LIEDER_DONE)
        return true;
    char what[600];
    snprintf(what, sizeof what, "cannot read %.500s: %s", path, lieder_status_text(status));
    raise_diagnostics(s->session, s->front, exit_code_of(status), what);
    return false;
}

static bool take_text(System *s, const char *text)
{
    LiederStatus status = front_load_text(s->front, "text", text);
    if (status == LIEDER_DONE)
        return true;
    raise_diagnostics(s->session, s->front, exit_code_of(status), lieder_status_text(status));
    return false;
}

/* the class that is meant: the one that is named, or the last that can be simulated */
static bool choose_title(System *s, const char *model)
{
    char full[512];
    const char *name = model ? model : front_last_model(s->front);
    if (!name) {
        raise_error(ERROR_MODEL, "there is no model that could be simulated",
                    "a model is a class with components or equations, not partial, with a value "
                    "for every parameter");
        return false;
    }
    if (model && !front_has_class(s->front, model)) {
        snprintf(full, sizeof full, "Dialectic.%s", model);
        if (front_has_class(s->front, full))
            name = full;
    }
    s->title = strdup(name);
    return s->title || (PyErr_NoMemory(), false);
}

/* System(files, texts, libraries, model or None) */
static PyObject *system_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *files, *texts, *libraries;
    const char *model;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O!O!O!z", &PyList_Type, &files, &PyList_Type, &texts, &PyList_Type,
                          &libraries, &model))
        return NULL;
    System *s = PyObject_New(System, type);
    if (!s)
        return NULL;
    memset((char *)s + sizeof(PyObject), 0, sizeof *s - sizeof(PyObject));
    s->session = lieder_create(NULL);
    bool ok = s->session || (PyErr_NoMemory(), false);
    if (ok)
        s->front = front_create(s->session);
    ok = ok && (s->front || (PyErr_NoMemory(), false));
    if (ok && for_texts(libraries, take_library, s) && for_texts(files, take_file, s) &&
        for_texts(texts, take_text, s) && choose_title(s, model))
        return (PyObject *)s;
    Py_DECREF(s);
    return NULL;
}

/* ------------------------------------------------------------------ making */

/* overrides out of a list of (name, value, by_element); the texts live in `keep` */
static LiederOverride *overrides_of(PyObject *list, PyObject *keep)
{
    Py_ssize_t n = PyList_Size(list);
    LiederOverride *o = calloc((size_t)n + 1, sizeof *o);
    if (!o) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(list, i), *name, *value;
        int by_element;
        if (PyArg_ParseTuple(item, "UUp", &name, &value, &by_element) &&
            (name = text_bytes(name))) {
            value = text_bytes(value);
            o[i] = (LiederOverride){PyBytes_AsString(name), value ? PyBytes_AsString(value) : "",
                                    by_element};
            if (value && PyList_Append(keep, name) == 0 && PyList_Append(keep, value) == 0) {
                Py_DECREF(name);
                Py_DECREF(value);
                continue;
            }
        }
        free(o);
        return NULL;
    }
    return o;
}

/* make(overrides): the model with these; the one before is gone, also if this one is wrong */
static PyObject *system_make(PyObject *self, PyObject *args)
{
    System *s = (System *)self;
    PyObject *list;
    if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &list))
        return NULL;
    if (s->busy)
        return system_enter(s), NULL;
    PyObject *keep = PyList_New(0);
    LiederOverride *overrides = keep ? overrides_of(list, keep) : NULL;
    if (!overrides) {
        Py_XDECREF(keep);
        return NULL;
    }
    LiederStatus status;
    Py_ssize_t n = PyList_Size(list);
    s->busy = true;
    Py_BEGIN_ALLOW_THREADS;
    const char *model;
    lieder_system_destroy(s->system);
    s->system = NULL;
    lieder_diagnostic_clear(s->session);
    s->nmade++;
    status = front_instantiate(s->front, s->title, overrides, (size_t)n, &s->experiment, &model);
    if (status >= 0) {
        s->system = lieder_system_create(s->session, model, NULL);
        status = s->system ? LIEDER_DONE : LIEDER_BAD_MODEL;
    }
    Py_END_ALLOW_THREADS;
    s->busy = false;
    free(overrides);
    Py_DECREF(keep);
    if (status < 0)
        return raise_diagnostics(s->session, s->front, exit_code_of(status),
                                 lieder_status_text(status));
    if (warn_diagnostics(s->session, s->front) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------ variables */

static PyObject *shape_of(const LiederSystem *system, size_t variable)
{
    size_t dimensions[16];
    size_t n = lieder_variable_dimensions(system, variable, dimensions, 16);
    PyObject *shape = PyTuple_New((Py_ssize_t)n);
    for (size_t i = 0; i < n && shape; i++)
        PyTuple_SetItem(shape, (Py_ssize_t)i, PyLong_FromSize_t(i < 16 ? dimensions[i] : 0));
    return shape;
}

static const char *const causalities[] = {"local", "parameter", "input", "output"};
static const char *const types[] = {"Real", "Integer", "Boolean"};

static PyObject *number_or_none(double x)
{
    if (isnan(x))
        Py_RETURN_NONE;
    return PyFloat_FromDouble(x);
}

static PyObject *variable_record(const char *name, const LiederVariableInfo *v, PyObject *shape)
{
    PyObject *fields[] = {PyUnicode_FromString(name),
                          PyUnicode_FromString(lieder_variable_kind_text(v->kind)),
                          PyUnicode_FromString(causalities[v->causality]),
                          PyUnicode_FromString(types[v->type]),
                          PyUnicode_FromString(v->unit),
                          PyUnicode_FromString(v->text),
                          shape,
                          number_or_none(v->start),
                          PyFloat_FromDouble(v->min),
                          PyFloat_FromDouble(v->max),
                          PyBool_FromLong(v->tunable)};
    PyObject *record = PyStructSequence_New(variable_type);
    for (int i = 0; i < 11; i++) {
        if (!fields[i])
            Py_CLEAR(record);
        if (record)
            PyStructSequence_SetItem(record, i, fields[i]);
        else
            Py_XDECREF(fields[i]);
    }
    return record;
}

static bool append(PyObject *list, PyObject *record)
{
    bool ok = record && PyList_Append(list, record) == 0;
    Py_XDECREF(record);
    return ok;
}

/* variables(): all rows of the table, then the parameters that the model itself declares */
static PyObject *system_variables(PyObject *self, PyObject *none)
{
    System *s = (System *)self;
    char name[1024];
    (void)none;
    PyObject *list = system_enter(s) ? PyList_New(0) : NULL;
    size_t n = list ? lieder_variable_count(s->system) : 0;
    for (size_t i = 0; i < n && list; i++) {
        LiederVariableInfo v = lieder_variable_info(s->system, i);
        lieder_variable_name(s->system, i, name, sizeof name);
        if (!append(list, variable_record(name, &v, shape_of(s->system, i))))
            Py_CLEAR(list);
    }
    for (size_t i = 0; list && i < front_parameter_count(s->front); i++) {
        const FrontParameter *p = front_parameter(s->front, i);
        LiederVariableInfo v = {.kind = LIEDER_VARIABLE_PARAMETER,
                                .causality = LIEDER_CAUSALITY_PARAMETER,
                                .unit = p->unit ? p->unit : "",
                                .text = p->text ? p->text : "",
                                .start = p->value,
                                .min = -INFINITY,
                                .max = INFINITY};
        if (!append(list, variable_record(p->name, &v, PyTuple_New(0))))
            Py_CLEAR(list);
    }
    return list;
}

/* kind(path): of one number, "" if no variable of the system has this name. For names whose values
 * can be stored without making the model. */
static PyObject *system_kind(PyObject *self, PyObject *path)
{
    System *s = (System *)self;
    LiederHandle handle;
    PyObject *bytes = system_enter(s) ? text_bytes(path) : NULL;
    if (!bytes)
        return NULL;
    bool known = lieder_handle_search(s->system, NULL, PyBytes_AsString(bytes), &handle);
    Py_DECREF(bytes);
    return PyUnicode_FromString(
        known ? lieder_variable_kind_text(lieder_handle_info(s->system, &handle).kind) : "");
}

/* get(path): of a parameter its value, of a state its start value */
static PyObject *system_get(PyObject *self, PyObject *path)
{
    System *s = (System *)self;
    LiederHandle handle;
    double value;
    PyObject *bytes = system_enter(s) ? text_bytes(path) : NULL;
    if (!bytes)
        return NULL;
    const char *name = PyBytes_AsString(bytes);
    bool found = lieder_handle_search(s->system, NULL, name, &handle);
    for (size_t i = 0; !found && i < front_parameter_count(s->front); i++)
        if (strcmp(front_parameter(s->front, i)->name, name) == 0) {
            Py_DECREF(bytes);
            return PyFloat_FromDouble(front_parameter(s->front, i)->value);
        }
    LiederStatus status = found ? LIEDER_DONE : lieder_handle_find(s->system, name, &handle);
    Py_DECREF(bytes);
    if (status == LIEDER_DONE)
        status = lieder_handle_get(s->system, &handle, &value);
    if (status == LIEDER_DONE)
        return PyFloat_FromDouble(value);
    char message[400] = "there is no such number", advice[300] = "";
    if (lieder_diagnostic_count(s->session)) {
        const LiederDiagnostic *d = lieder_diagnostic_get(s->session, 0);
        snprintf(message, sizeof message, "%s%s%s", d->path ? d->path : "", d->path ? ": " : "",
                 d->message ? d->message : "");
        snprintf(advice, sizeof advice, "%s", d->advice ? d->advice : "");
    }
    lieder_diagnostic_clear(s->session);
    return found ? raise_error(ERROR_USAGE, message, *advice ? advice : NULL)
                 : raise_unknown_name(message, *advice ? advice : NULL);
}

/* ------------------------------------------------------------------ options of runs */

static bool solver_of(const char *name, LiederSolver *solver)
{
    char advice[300];
    *solver = LIEDER_SOLVER_AUTO;
    if (!name || strcmp(name, "auto") == 0 || lieder_solver_find(name, solver))
        return true;
    snprintf(advice, sizeof advice, "solvers are %s", lieder_solver_names());
    raise_error(ERROR_USAGE, "there is no such solver", advice);
    return false;
}

static bool compile_of(const char *name, LiederCompile *compile)
{
    char advice[100];
    if (lieder_compile_find(name, compile))
        return true;
    snprintf(advice, sizeof advice, "compile may be %s", lieder_compile_names());
    raise_error(ERROR_USAGE, "compile has a wrong value", advice);
    return false;
}

bool run_options(const System *s, const RunArguments *a, LiederSimulateOptions *o)
{
    LiederSolver solver;
    *o = lieder_experiment_options(&s->experiment);
    if (!solver_of(a->solver, &solver) || !compile_of(a->compile, &o->compile))
        return false;
    if (solver != LIEDER_SOLVER_AUTO) { /* the step of the annotation is for its own solver */
        o->solver = solver;
        o->step = 0;
    }
    double length = isnan(s->experiment.stop) ? 1 : o->stop - o->start;
    if (!isnan(a->start))
        o->start = a->start;
    o->stop = !isnan(a->stop) ? a->stop : isnan(s->experiment.stop) ? o->start + length : o->stop;
    if (!isnan(a->step))
        o->step = a->step;
    if (!isnan(a->tolerance))
        o->tolerance = a->tolerance;
    if (!isnan(a->interval))
        o->interval = a->interval;
    o->threads = a->threads;
    if (a->clocks && !lieder_clocks_find(a->clocks, &o->clocks)) {
        raise_error(ERROR_USAGE, "clocks has a wrong value",
                    "it may be \"auto\", \"shared\" or \"own\"");
        return false;
    }
    if (!a->chatter || lieder_chatter_find(a->chatter, &o->chatter))
        return true;
    raise_error(ERROR_USAGE, "chatter has a wrong value", "it may be \"stop\" or \"hold\"");
    return false;
}

/* experiment(): what the annotations of the model say, as the run would take them */
static PyObject *system_experiment(PyObject *self, PyObject *none)
{
    System *s = (System *)self;
    (void)none;
    LiederSimulateOptions o = lieder_experiment_options(&s->experiment);
    return Py_BuildValue("{sdsdsdsdsdss}", "start", o.start, "stop", o.stop, "tolerance",
                         o.tolerance, "interval", o.interval, "step", o.step, "solver",
                         o.solver == LIEDER_SOLVER_AUTO ? "auto" : lieder_solver_name(o.solver));
}

static PyObject *system_title(PyObject *self, void *none)
{
    (void)none;
    return PyUnicode_FromString(((System *)self)->title);
}

static PyObject *system_made(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromSize_t(((System *)self)->nmade);
}

static PyMethodDef system_methods[] = {{"make", system_make, METH_VARARGS, NULL},
                                       {"variables", system_variables, METH_NOARGS, NULL},
                                       {"kind", system_kind, METH_O, NULL},
                                       {"get", system_get, METH_O, NULL},
                                       {"experiment", system_experiment, METH_NOARGS, NULL},
                                       {"simulate", system_simulate, METH_VARARGS, NULL},
                                       {"linearise", system_linearise, METH_VARARGS, NULL},
                                       {0}};
static PyGetSetDef system_attributes[] = {
    {"title", system_title, NULL, NULL, NULL}, {"made", system_made, NULL, NULL, NULL}, {0}};
static PyType_Slot system_slots[] = {{Py_tp_new, system_new},
                                     {Py_tp_dealloc, system_dealloc},
                                     {Py_tp_methods, system_methods},
                                     {Py_tp_getset, system_attributes},
                                     {0, NULL}};
PyType_Spec system_spec = {.name = "lieder._lieder.System",
                           .basicsize = sizeof(System),
                           .flags = Py_TPFLAGS_DEFAULT,
                           .slots = system_slots};
