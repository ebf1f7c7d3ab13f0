/* stepper.c - a model that Python steps: inputs, steps, outputs.
 *
 * A name is looked up once and kept as a Port: its handles, and for states their places in x, so
 * that reading a state is reading an array. Names without indices stand for all elements of the
 * arrays on the way, in the order of their indices: the lanes of a fleet.
 *
 * Ports named when the stepper is made have arrays: those of the inputs are written by the program
 * and compared with what was set before each step; those of the outputs are new after it. */
#include "module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Port {
    size_t n;
    bool scalar;              /* a number, not an array */
    LiederHandle *handles;    /* n */
    size_t *place;            /* n: in x, of states; else NULL */
    bool held;                /* a parameter or input: the system has its value */
    double *values;           /* n: what the program sees, of declared inputs and outputs */
    double *set;              /* n: what the system has, of inputs */
    LiederObserver *observer; /* of one name that is neither state nor held; or NULL */
} Port;

typedef struct Stepper {
    PyObject_HEAD System *system;
    LiederStepper *stepper;
    PyObject *index;          /* dict: name -> number of its port */
    VEC(Port *) ports;        /* ports stay where they are: arrays point to them */
    size_t ninput, noutput;   /* the first ports */
    LiederObserver *observer; /* of all outputs that are no states */
    size_t *observed_port, *observed_element;
    double *observed;
    size_t nobserved;
} Stepper;

/* ------------------------------------------------------------------ ports */

static void port_drop(Port *p)
{
    if (!p)
        return;
    free(p->handles);
    free(p->place);
    free(p->values);
    free(p->set);
    lieder_observer_destroy(p->observer);
    free(p);
}

/* the diagnostics of a name that was not found */
static void raise_unknown(System *s)
{
    char message[400] = "there is no such variable", advice[300] = "";
    if (lieder_diagnostic_count(s->session)) {
        const LiederDiagnostic *d = lieder_diagnostic_get(s->session, 0);
        snprintf(message, sizeof message, "%s%s%s", d->path ? d->path : "", d->path ? ": " : "",
                 d->message ? d->message : "");
        snprintf(advice, sizeof advice, "%s", d->advice ? d->advice : "");
    }
    lieder_diagnostic_clear(s->session);
    raise_unknown_name(message, *advice ? advice : NULL);
}

/* the handles of a name: one number, or all elements of a row */
static bool find_handles(System *s, const char *name, Port *p)
{
    LiederHandle one;
    if (lieder_handle_search(s->system, NULL, name, &one)) {
        p->n = 1;
        p->scalar = true;
    } else {
        ptrdiff_t row = lieder_variable_find(s->system, name);
        if (row < 0)
            return raise_unknown(s), false;
        p->n = lieder_variable_info(s->system, (size_t)row).n;
        one = (LiederHandle){0};
        p->handles = calloc(p->n + 1, sizeof *p->handles);
        for (size_t i = 0; i < p->n && p->handles; i++)
            if (!lieder_variable_handle(s->system, (size_t)row, i, &p->handles[i])) {
                raise_unknown_name("some elements do not have this variable",
                                   "name one of them, with its index");
                return false;
            }
        return p->handles || (PyErr_NoMemory(), false);
    }
    p->handles = calloc(1, sizeof *p->handles);
    if (!p->handles)
        return PyErr_NoMemory(), false;
    p->handles[0] = one;
    return true;
}

static Port *port_create(System *s, const char *name)
{
    Port *p = calloc(1, sizeof *p);
    if (!p)
        return PyErr_NoMemory(), NULL;
    if (!find_handles(s, name, p) || p->n == 0) {
        if (p->n == 0 && !PyErr_Occurred())
            raise_unknown_name("the array has no elements", NULL);
        port_drop(p);
        return NULL;
    }
    LiederVariableInfo info = lieder_handle_info(s->system, &p->handles[0]);
    p->held = info.tunable || info.kind == LIEDER_VARIABLE_PARAMETER;
    if (info.kind == LIEDER_VARIABLE_STATE) {
        p->place = calloc(p->n, sizeof *p->place);
        for (size_t i = 0; i < p->n && p->place; i++)
            p->place[i] = (size_t)lieder_handle_state(s->system, &p->handles[i]);
        if (!p->place) {
            port_drop(p);
            return PyErr_NoMemory(), NULL;
        }
    }
    return p;
}

/* the port of a name, made when it is first asked for; NULL with an exception */
static Port *port_of(Stepper *s, PyObject *name)
{
    PyObject *known = PyDict_GetItemWithError(s->index, name);
    if (known)
        return s->ports.items[PyLong_AsSize_t(known)];
    if (PyErr_Occurred())
        return NULL;
    PyObject *bytes = text_bytes(name);
    if (!bytes)
        return NULL;
    Port *p = port_create(s->system, PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    if (!p)
        return NULL;
    PyObject *number = PyLong_FromSize_t(s->ports.n);
    if (!number || !vec_push(HEAP, &s->ports, p)) {
        Py_XDECREF(number);
        port_drop(p);
        return PyErr_Occurred() ? NULL : (PyErr_NoMemory(), NULL);
    }
    int stored = PyDict_SetItem(s->index, name, number);
    Py_DECREF(number);
    return stored == 0 ? p : NULL;
}

static bool stepper_enter(Stepper *s)
{
    if (!s->stepper)
        raise_error(ERROR_USAGE, "the stepper is closed", NULL);
    else if (s->system->busy)
        raise_error(ERROR_USAGE, "the stepper is in use by another thread", NULL);
    else
        return true;
    return false;
}

static PyObject *step_failed(Stepper *s, LiederStatus status)
{
    return raise_diagnostics(s->system->session, s->system->front, exit_code_of(status),
                             lieder_status_text(status));
}

/* ------------------------------------------------------------------ values */

/* sets one number; false with an exception */
static bool port_set(Stepper *s, Port *p, size_t i, double value)
{
    if (p->place) {
        if (!isfinite(value))
            return raise_error(ERROR_USAGE, "a state must be a finite number", NULL), false;
        lieder_stepper_state(s->stepper)[p->place[i]] = value;
        return true;
    }
    LiederStatus status = lieder_handle_set(s->system->system, &p->handles[i], value);
    if (status == LIEDER_DONE) {
        if (p->set)
            p->set[i] = p->values[i] = value;
        return true;
    }
    return step_failed(s, status), false;
}

/* an observer for a port that is read by name */
static bool port_watch(Stepper *s, Port *p)
{
    p->observer = lieder_observer_create(s->system->system);
    bool ok = p->observer != NULL;
    for (size_t i = 0; i < p->n && ok; i++)
        ok = lieder_observer_watch(p->observer, &p->handles[i]) >= 0;
    if (!ok) {
        lieder_observer_destroy(p->observer);
        p->observer = NULL;
        step_failed(s, LIEDER_NO_MEMORY);
    }
    return ok;
}

/* all numbers of a port as they are now; false with an exception */
static bool port_read(Stepper *s, Port *p, double *values)
{
    const double *x = lieder_stepper_state(s->stepper);
    LiederStatus status = LIEDER_DONE;
    if (p->place) {
        for (size_t i = 0; i < p->n; i++)
            values[i] = x[p->place[i]];
        return true;
    }
    if (p->held) {
        for (size_t i = 0; i < p->n && status == LIEDER_DONE; i++)
            status = lieder_handle_get(s->system->system, &p->handles[i], &values[i]);
    } else {
        if (!p->observer && !port_watch(s, p))
            return false;
        status = lieder_stepper_observe(s->stepper, p->observer, values);
    }
    return status == LIEDER_DONE || (step_failed(s, status), false);
}

/* sim[name] */
static PyObject *stepper_get(PyObject *self, PyObject *name)
{
    Stepper *s = (Stepper *)self;
    Port *p = stepper_enter(s) ? port_of(s, name) : NULL;
    double value, *values;
    if (!p)
        return NULL;
    if (p->scalar)
        return port_read(s, p, &value) ? PyFloat_FromDouble(value) : NULL;
    PyObject *a = array_zeroed((Py_ssize_t)p->n, -1, &values);
    if (a && !port_read(s, p, values))
        Py_CLEAR(a);
    return a;
}

/* sim[name] = value, or one for each element */
static int stepper_set(PyObject *self, PyObject *name, PyObject *value)
{
    Stepper *s = (Stepper *)self;
    Port *p = stepper_enter(s) ? port_of(s, name) : NULL;
    if (!p)
        return -1;
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "a variable cannot be deleted");
        return -1;
    }
    if (PyNumber_Check(value) && (p->scalar || PyFloat_Check(value) || PyLong_Check(value))) {
        double x = PyFloat_AsDouble(value);
        if (PyErr_Occurred())
            return -1;
        for (size_t i = 0; i < p->n; i++)
            if (!port_set(s, p, i, x))
                return -1;
        return 0;
    }
    size_t n;
    double *values = numbers_of(value, "the value", &n);
    if (!values)
        return -1;
    bool ok = n == p->n;
    if (!ok)
        raise_error(ERROR_USAGE, "the array has another number of elements than the variable",
                    NULL);
    for (size_t i = 0; i < p->n && ok; i++)
        ok = port_set(s, p, i, values[i]);
    free(values);
    return ok ? 0 : -1;
}

/* ------------------------------------------------------------------ steps */

/* what the program wrote into the arrays of inputs since they were set */
static bool set_inputs(Stepper *s)
{
    for (size_t k = 0; k < s->ninput; k++) {
        Port *p = s->ports.items[k];
        if (memcmp(p->values, p->set, p->n * sizeof(double)) == 0)
            continue;
        for (size_t i = 0; i < p->n; i++)
            if (memcmp(&p->values[i], &p->set[i], sizeof(double)) != 0 &&
                !port_set(s, p, i, p->values[i]))
                return false;
    }
    return true;
}

static bool read_outputs(Stepper *s)
{
    if (s->nobserved) {
        LiederStatus status = lieder_stepper_observe(s->stepper, s->observer, s->observed);
        if (status != LIEDER_DONE)
            return step_failed(s, status), false;
        for (size_t i = 0; i < s->nobserved; i++)
            s->ports.items[s->observed_port[i]]->values[s->observed_element[i]] = s->observed[i];
    }
    for (size_t k = s->ninput; k < s->ninput + s->noutput; k++)
        if ((s->ports.items[k]->place || s->ports.items[k]->held) &&
            !port_read(s, s->ports.items[k], s->ports.items[k]->values))
            return false;
    return true;
}

/* states times steps from which on other threads get the interpreter meanwhile */
enum { LONG_CALL = 2000 };

/* step(n = 1) */
static PyObject *stepper_step(PyObject *self, PyObject *args)
{
    Stepper *s = (Stepper *)self;
    Py_ssize_t n = 1;
    if (!PyArg_ParseTuple(args, "|n", &n) || !stepper_enter(s))
        return NULL;
    if (n < 0)
        return raise_error(ERROR_USAGE, "the number of steps must not be negative", NULL);
    if (!set_inputs(s))
        return NULL;
    LiederStatus status;
    double work = (double)n * (double)lieder_system_state_count(s->system->system);
    if (work < LONG_CALL) {
        status = lieder_stepper_step(s->stepper, (size_t)n);
    } else {
        size_t left = (size_t)n, piece = 1 + (size_t)(1e6 * (double)n / work);
        Attention attention = {0};
        s->system->busy = true;
        attention.thread = PyEval_SaveThread();
        do { /* signals are asked for between pieces */
            size_t now = left < piece ? left : piece;
            status = lieder_stepper_step(s->stepper, now);
            left -= now;
        } while (left && status == LIEDER_DONE &&
                 attention_ask(&attention, lieder_stepper_time(s->stepper)));
        PyEval_RestoreThread(attention.thread);
        s->system->busy = false;
        if (attention.failed)
            return NULL;
    }
    if (status < 0)
        return step_failed(s, status);
    if (!read_outputs(s))
        return NULL;
    /* an assertion that warns, a constraint that comes apart */
    if (lieder_diagnostic_count(s->system->session) &&
        warn_diagnostics(s->system->session, s->system->front) != 0)
        return NULL;
    Py_RETURN_NONE;
}

/* reset(time or NaN, state or None) */
static PyObject *stepper_reset(PyObject *self, PyObject *args)
{
    Stepper *s = (Stepper *)self;
    double t, *x = NULL;
    PyObject *state;
    size_t n = lieder_system_state_count(s->system->system);
    if (!PyArg_ParseTuple(args, "dO", &t, &state) || !stepper_enter(s))
        return NULL;
    if (state != Py_None) {
        x = numbers_of(state, "the state", &n);
        if (!x)
            return NULL;
    }
    LiederStatus status = LIEDER_BAD_USE;
    if (n == lieder_system_state_count(s->system->system))
        status = lieder_stepper_reset(s->stepper, t, x);
    else
        raise_error(ERROR_USAGE, "the state has another length", NULL);
    free(x);
    if (PyErr_Occurred())
        return NULL;
    if (status < 0)
        return step_failed(s, status);
    if (!read_outputs(s))
        return NULL;
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------ life */

/* arrays of the ports that were named: what the program writes and reads */
static bool declare_ports(Stepper *s, PyObject *names, bool input)
{
    Py_ssize_t n = PyList_Size(names);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *name = PyList_GetItem(names, i);
        size_t before = s->ports.n;
        Port *p = port_of(s, name);
        if (!p)
            return false;
        if (s->ports.n == before) {
            raise_error(ERROR_USAGE, "a name stands twice among inputs and outputs", NULL);
            return false;
        }
        if (input && !p->held) {
            raise_error(ERROR_USAGE, "an input must be an open input or a tunable parameter",
                        "m.variables tells what is tunable");
            return false;
        }
        p->values = calloc(p->n, sizeof *p->values);
        p->set = input ? calloc(p->n, sizeof *p->set) : NULL;
        if (!p->values || (input && !p->set))
            return PyErr_NoMemory(), false;
        if (input) {
            if (!port_read(s, p, p->values))
                return false;
            memcpy(p->set, p->values, p->n * sizeof *p->set);
        }
    }
    return n >= 0;
}

/* one observer for all outputs that have to be computed */
static bool watch_outputs(Stepper *s)
{
    size_t n = 0;
    for (size_t k = s->ninput; k < s->ninput + s->noutput; k++)
        if (!s->ports.items[k]->place && !s->ports.items[k]->held)
            n += s->ports.items[k]->n;
    s->observer = lieder_observer_create(s->system->system);
    s->observed_port = calloc(n + 1, sizeof *s->observed_port);
    s->observed_element = calloc(n + 1, sizeof *s->observed_element);
    s->observed = calloc(n + 1, sizeof *s->observed);
    if (!s->observer || !s->observed_port || !s->observed_element || !s->observed)
        return PyErr_NoMemory(), false;
    for (size_t k = s->ninput; k < s->ninput + s->noutput; k++) {
        Port *p = s->ports.items[k];
        for (size_t i = 0; i < p->n && !p->place && !p->held; i++) {
            ptrdiff_t at = lieder_observer_watch(s->observer, &p->handles[i]);
            if (at < 0)
                return step_failed(s, LIEDER_NO_MEMORY), false;
            s->observed_port[at] = k;
            s->observed_element[at] = i;
            s->nobserved++;
        }
    }
    return true;
}

static void stepper_dealloc(PyObject *self)
{
    Stepper *s = (Stepper *)self;
    PyTypeObject *type = Py_TYPE(self);
    lieder_stepper_destroy(s->stepper);
    lieder_observer_destroy(s->observer);
    for (size_t i = 0; i < s->ports.n; i++)
        port_drop(s->ports.items[i]);
    vec_drop(HEAP, &s->ports);
    free(s->observed_port);
    free(s->observed_element);
    free(s->observed);
    Py_XDECREF(s->index);
    Py_XDECREF((PyObject *)s->system);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Stepper(system, start, step, solver, compile, threads, inputs, outputs); the system is its own */
static PyObject *stepper_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    System *system;
    RunArguments a = {.stop = NAN, .tolerance = NAN, .interval = NAN};
    PyObject *inputs, *outputs;
    LiederSimulateOptions o;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O!ddzsiO!O!", system_type, &system, &a.start, &a.step, &a.solver,
                          &a.compile, &a.threads, &PyList_Type, &inputs, &PyList_Type, &outputs) ||
        !system_enter(system) || !run_options(system, &a, &o))
        return NULL;
    if (o.step == 0)
        return raise_error(ERROR_USAGE, "the model names no step",
                           "give one: m.stepper(step=1e-3)");
    if (isnan(a.step) == false && a.solver == NULL && lieder_solver_info(o.solver)->adaptive)
        o.solver = LIEDER_SOLVER_AUTO;
    Stepper *s = (Stepper *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!s)
        return NULL;
    Py_INCREF((PyObject *)system);
    s->system = system;
    s->index = PyDict_New();
    lieder_diagnostic_clear(system->session);
    bool ok = s->index != NULL;
    if (ok) {
        s->stepper = lieder_stepper_create(system->system, &o);
        ok = s->stepper != NULL;
        if (!ok)
            step_failed(s, LIEDER_BAD_USE);
    }
    ok = ok && declare_ports(s, inputs, true);
    s->ninput = ok ? s->ports.n : 0;
    ok = ok && declare_ports(s, outputs, false);
    s->noutput = ok ? s->ports.n - s->ninput : 0;
    ok = ok && watch_outputs(s) && read_outputs(s) &&
         warn_diagnostics(system->session, system->front) == 0;
    if (ok)
        return (PyObject *)s;
    Py_DECREF(s);
    return NULL;
}

/* ------------------------------------------------------------------ attributes */

static PyObject *stepper_time(PyObject *self, void *none)
{
    (void)none;
    return PyFloat_FromDouble(lieder_stepper_time(((Stepper *)self)->stepper));
}

static PyObject *stepper_state(PyObject *self, void *none)
{
    Stepper *s = (Stepper *)self;
    (void)none;
    Py_ssize_t n = (Py_ssize_t)lieder_system_state_count(s->system->system), one = 1;
    return array_create(self, lieder_stepper_state(s->stepper), 1, &n, &one, true);
}

/* port(name): the array of a declared input or output */
static PyObject *stepper_port(PyObject *self, PyObject *name)
{
    Stepper *s = (Stepper *)self;
    PyObject *known = PyDict_GetItemWithError(s->index, name);
    size_t at = known ? PyLong_AsSize_t(known) : SIZE_MAX;
    if (at >= s->ninput + s->noutput)
        return PyErr_Occurred() ? NULL
                                : raise_unknown_name("the stepper has no such input or output",
                                                     "name it when the stepper is made");
    Port *p = s->ports.items[at];
    Py_ssize_t n = (Py_ssize_t)p->n, one = 1;
    return array_create(self, p->values, 1, &n, &one, at < s->ninput);
}

static PyMethodDef stepper_methods[] = {
    {"step", stepper_step, METH_VARARGS, "step(n=1): n steps, inputs before, outputs after"},
    {"_reset", stepper_reset, METH_VARARGS, NULL},
    {"_port", stepper_port, METH_O, NULL},
    {0}};
static PyGetSetDef stepper_attributes[] = {{"time", stepper_time, NULL, "where it stands, s", NULL},
                                           {"_state", stepper_state, NULL, NULL, NULL},
                                           {0}};
static PyType_Slot stepper_slots[] = {{Py_tp_new, stepper_new},
                                      {Py_tp_dealloc, stepper_dealloc},
                                      {Py_tp_methods, stepper_methods},
                                      {Py_tp_getset, stepper_attributes},
                                      {Py_mp_subscript, stepper_get},
                                      {Py_mp_ass_subscript, stepper_set},
                                      {0, NULL}};
PyType_Spec stepper_spec = {.name = "lieder._lieder.Stepper",
                            .basicsize = sizeof(Stepper),
                            .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                            .slots = stepper_slots};
