/* module.c - the module `lieder._lieder`: exceptions, records, arrays. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

static PyObject *error_class, *unknown_name_class, *warning_class;
PyTypeObject *diagnostic_type, *variable_type, *event_type, *statistics_type, *eigenvalue_type;
PyTypeObject *array_type, *system_type, *result_type, *stepper_type;

/* ------------------------------------------------------------------ arrays */

typedef struct Array {
    PyObject_HEAD PyObject *owner; /* or NULL: the memory is its own */
    double *values;
    int ndim;
    Py_ssize_t shape[2], strides[2];
    bool writable;
} Array;

PyObject *array_create(PyObject *owner, double *values, int ndim, const Py_ssize_t *shape,
                       const Py_ssize_t *strides, bool writable)
{
    Array *a = PyObject_New(Array, array_type);
    if (!a)
        return NULL;
    a->owner = owner;
    Py_XINCREF(owner);
    a->values = values;
    a->ndim = ndim;
    a->writable = writable;
    for (int i = 0; i < ndim; i++) {
        a->shape[i] = shape[i];
        a->strides[i] = strides[i] * (Py_ssize_t)sizeof(double);
    }
    return (PyObject *)a;
}

PyObject *array_zeroed(Py_ssize_t rows, Py_ssize_t columns, double **values)
{
    size_t n = (size_t)rows * (size_t)(columns < 0 ? 1 : columns);
    *values = calloc(n + 1, sizeof **values);
    if (!*values)
        return PyErr_NoMemory();
    /* matrices of the analysis are stored column by column */
    Py_ssize_t shape[2] = {rows, columns}, strides[2] = {1, rows};
    PyObject *a = array_create(NULL, *values, columns < 0 ? 1 : 2, shape, strides, true);
    if (!a)
        free(*values);
    return a;
}

static void array_dealloc(PyObject *self)
{
    Array *a = (Array *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (a->owner)
        Py_DECREF(a->owner);
    else
        free(a->values);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int array_buffer(PyObject *self, Py_buffer *view, int flags)
{
    Array *a = (Array *)self;
    static char format[] = "d";
    bool contiguous = a->ndim == 1 && a->strides[0] == sizeof(double);
    if ((flags & PyBUF_WRITABLE) && !a->writable) {
        PyErr_SetString(PyExc_BufferError, "results cannot be written: make a copy");
        return -1;
    }
    if (!contiguous && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "the array is not contiguous");
        return -1;
    }
    *view = (Py_buffer){.obj = self,
                        .buf = a->values,
                        .len = sizeof(double),
                        .itemsize = sizeof(double),
                        .readonly = !a->writable,
                        .ndim = a->ndim,
                        .format = flags & PyBUF_FORMAT ? format : NULL,
                        .shape = a->shape,
                        .strides = flags & PyBUF_STRIDES ? a->strides : NULL};
    for (int i = 0; i < a->ndim; i++)
        view->len *= a->shape[i];
    Py_INCREF(self);
    return 0;
}

static Py_ssize_t array_length(PyObject *self)
{
    return ((Array *)self)->shape[0];
}

static PyType_Slot array_slots[] = {{Py_tp_dealloc, array_dealloc},
                                    {Py_bf_getbuffer, array_buffer},
                                    {Py_sq_length, array_length},
                                    {Py_tp_doc, "numbers that numpy.asarray reads without a copy"},
                                    {0, NULL}};
static PyType_Spec array_spec = {.name = "lieder._lieder.Array",
                                 .basicsize = sizeof(Array),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = array_slots};

double *numbers_of(PyObject *object, const char *what, size_t *n)
{
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_ND | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a contiguous array of float64", what);
        return NULL;
    }
    double *copy = NULL;
    if (view.format && strcmp(view.format, "d") == 0) {
        *n = (size_t)view.len / sizeof *copy;
        copy = malloc((*n + 1) * sizeof *copy);
        if (copy)
            memcpy(copy, view.buf, *n * sizeof *copy);
        else
            PyErr_NoMemory();
    } else {
        PyErr_Format(PyExc_TypeError, "%s must be an array of float64", what);
    }
    PyBuffer_Release(&view);
    return copy;
}

/* ------------------------------------------------------------------ exceptions */

static PyObject *text_or_none(const char *text)
{
    if (!text)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *record_of(PyTypeObject *type, Py_ssize_t n, PyObject **fields)
{
    PyObject *r = PyStructSequence_New(type);
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!fields[i])
            Py_CLEAR(r);
        if (r)
            PyStructSequence_SetItem(r, i, fields[i]);
        else
            Py_XDECREF(fields[i]);
    }
    return r;
}

/* the line without its end */
static PyObject *line_or_none(const char *line)
{
    if (!line)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(line, (Py_ssize_t)strcspn(line, "\r\n"), "replace");
}

/* with the place where the component is declared, if the diagnostic has none of its own */
static PyObject *diagnostic_record(const LiederDiagnostic *g, const Front *front)
{
    LiederDiagnostic d = *g;
    Place place;
    if (!d.file && d.path && front && front_place(front, d.path, &place)) {
        d.file = place.file;
        d.line = place.line;
        d.column = place.column;
        d.source = place.source;
    }
    if (d.file && strcmp(d.file, "override") == 0) { /* m[name] = value: that is the place */
        d.path = d.source;
        d.file = d.source = NULL;
    }
    const char *said = d.message ? d.message : "out of memory";
    PyObject *message = !d.nelement
                            ? text_or_none(said)
                            : PyUnicode_FromFormat("%s (and %zu more element%s likewise)", said,
                                                   d.nelement, d.nelement == 1 ? "" : "s");
    PyObject *fields[] = {PyUnicode_FromString(d.severity == LIEDER_ERROR ? "error" : "warning"),
                          message,
                          text_or_none(d.advice),
                          text_or_none(d.path),
                          text_or_none(d.file),
                          PyLong_FromLong(d.file ? d.line : 0),
                          PyLong_FromLong(d.file ? d.column : 0),
                          line_or_none(d.source)};
    return record_of(diagnostic_type, 8, fields);
}

/* "crane.mo:3:5: cart.m: what\n    advice" */
static PyObject *diagnostic_text(PyObject *record)
{
    PyObject *message = PyStructSequence_GetItem(record, 1),
             *advice = PyStructSequence_GetItem(record, 2),
             *path = PyStructSequence_GetItem(record, 3),
             *file = PyStructSequence_GetItem(record, 4);
    PyObject *text = PyUnicode_FromString("");
    if (text && file != Py_None) {
        Py_DECREF(text);
        text = PyUnicode_FromFormat("%U:%S:%S: ", file, PyStructSequence_GetItem(record, 5),
                                    PyStructSequence_GetItem(record, 6));
    }
    PyObject *next = !text             ? NULL
                     : path == Py_None ? PyUnicode_FromFormat("%U%U", text, message)
                                       : PyUnicode_FromFormat("%U%U: %U", text, path, message);
    Py_XDECREF(text);
    if (!next || advice == Py_None)
        return next;
    text = PyUnicode_FromFormat("%U\n    %U", next, advice);
    Py_DECREF(next);
    return text;
}

/* an exception of a class with its attributes; takes text and list */
static PyObject *raise_with(PyObject *class_, PyObject *text, PyObject *list, int exit_code)
{
    PyObject *error = text && list ? PyObject_CallFunctionObjArgs(class_, text, NULL) : NULL;
    PyObject *code = PyLong_FromLong(exit_code);
    if (error && code && PyObject_SetAttrString(error, "diagnostics", list) == 0 &&
        PyObject_SetAttrString(error, "exit_code", code) == 0)
        PyErr_SetObject(class_, error);
    Py_XDECREF(error);
    Py_XDECREF(code);
    Py_XDECREF(text);
    Py_XDECREF(list);
    return NULL;
}

static PyObject *raise_own(PyObject *class_, int exit_code, const char *message, const char *advice)
{
    LiederDiagnostic d = {.severity = LIEDER_ERROR, .message = message, .advice = advice};
    PyObject *record = diagnostic_record(&d, NULL), *list = PyList_New(0);
    PyObject *text = record ? diagnostic_text(record) : NULL;
    if (record && list && PyList_Append(list, record) < 0)
        Py_CLEAR(list);
    Py_XDECREF(record);
    return raise_with(class_, text, list, exit_code);
}

PyObject *raise_error(int exit_code, const char *message, const char *advice)
{
    return raise_own(error_class, exit_code, message, advice);
}

PyObject *raise_unknown_name(const char *message, const char *advice)
{
    return raise_own(unknown_name_class, ERROR_USAGE, message, advice);
}

/* all that was said, errors first in the text of the exception */
PyObject *raise_diagnostics(Lieder *session, const Front *front, int exit_code, const char *what)
{
    PyObject *list = PyList_New(0), *text = NULL;
    size_t n = lieder_diagnostic_count(session);
    for (size_t i = 0; i < n && list; i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        if (d->counted)
            continue;
        PyObject *record = diagnostic_record(d, front);
        PyObject *line = record && d->severity == LIEDER_ERROR ? diagnostic_text(record) : NULL;
        if (!record || PyList_Append(list, record) < 0)
            Py_CLEAR(list);
        Py_XDECREF(record);
        if (line && text) {
            PyObject *both = PyUnicode_FromFormat("%U\n%U", text, line);
            Py_DECREF(text);
            Py_DECREF(line);
            text = both;
        } else if (line) {
            text = line;
        }
    }
    lieder_diagnostic_clear(session);
    if (list && !text)
        text = PyUnicode_FromString(what);
    return raise_with(error_class, text, list, exit_code);
}

PyObject *text_bytes(PyObject *text)
{
    PyObject *bytes = PyUnicode_AsUTF8String(text);
    char *content;
    if (bytes && PyBytes_AsStringAndSize(bytes, &content, NULL) != 0) {
        Py_DECREF(bytes);
        return NULL;
    }
    return bytes;
}

int warn_diagnostics(Lieder *session, const Front *front)
{
    int result = 0;
    size_t n = lieder_diagnostic_count(session);
    for (size_t i = 0; i < n && result == 0; i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        if (d->severity != LIEDER_WARNING || d->counted)
            continue;
        PyObject *record = diagnostic_record(d, front);
        PyObject *text = record ? diagnostic_text(record) : NULL;
        PyObject *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
        result = bytes ? PyErr_WarnEx(warning_class, PyBytes_AsString(bytes), 2) : -1;
        Py_XDECREF(record);
        Py_XDECREF(text);
        Py_XDECREF(bytes);
    }
    lieder_diagnostic_clear(session);
    return result;
}

int exit_code_of(LiederStatus status)
{
    return status == LIEDER_BAD_MODEL ? ERROR_MODEL
           : status == LIEDER_BAD_USE ? ERROR_USAGE
           : status == LIEDER_IO      ? ERROR_IO
                                      : ERROR_SIMULATION;
}

/* ------------------------------------------------------------------ signals */

bool attention_ask(Attention *a, double t)
{
    PyEval_RestoreThread(a->thread);
    bool on = PyErr_CheckSignals() == 0;
    if (on && a->progress) {
        PyObject *time = PyFloat_FromDouble(t);
        PyObject *answer = time ? PyObject_CallFunctionObjArgs(a->progress, time, NULL) : NULL;
        on = answer && answer != Py_False;
        Py_XDECREF(time);
        Py_XDECREF(answer);
    }
    a->failed |= PyErr_Occurred() != NULL;
    a->thread = PyEval_SaveThread();
    return on;
}

/* ------------------------------------------------------------------ the module */

#define FIELDS(name) static PyStructSequence_Field name[]
FIELDS(diagnostic_fields) = {{"severity", "\"error\" or \"warning\""},
                             {"message", "what is wrong, with the value"},
                             {"advice", "what to do about it, or None"},
                             {"path", "of the component, or None"},
                             {"file", "or None"},
                             {"line", "from 1; 0 without a file"},
                             {"column", "from 1"},
                             {"source", "the line itself, or None"},
                             {0}};
FIELDS(variable_fields) = {{"name", "without indices"},
                           {"kind", "parameter, state, derivative, signal ..."},
                           {"causality", "local, parameter, input or output"},
                           {"type", "Real, Integer or Boolean"},
                           {"unit", "or \"\""},
                           {"text", "what it is"},
                           {"shape", "() of a scalar"},
                           {"start", "value or start value of the first element; None: computed"},
                           {"min", "admissible"},
                           {"max", "admissible"},
                           {"tunable", "may be set while a stepper lives"},
                           {0}};
FIELDS(event_fields) = {{"time", "s"}, {"row", "the last row before it"}, {0}};
FIELDS(statistics_fields) = {{"solver", "the one that ran"},
                             {"time", "where the run ended"},
                             {"stopped", "by the model or a callback, before the end"},
                             {"steps", "taken"},
                             {"rejected", "by the error estimate"},
                             {"evaluations", "of the whole system"},
                             {"jacobians", "of implicit solvers"},
                             {"factorisations", "of implicit solvers"},
                             {"state_events", "number"},
                             {"time_events", "number"},
                             {"smallest_step", "s"},
                             {"largest_step", "s"},
                             {"seconds", "wall clock"},
                             {"limiting_state", "that limited the step most often, or None"},
                             {"compiled_shapes", "that ran as generated code"},
                             {0}};
FIELDS(eigenvalue_fields) = {{"value", "complex, 1/s"},
                             {"error", "distance within which the true one lies, to first order"},
                             {"frequency", "|value| / 2 pi, Hz"},
                             {"damping", "-real / |value|"},
                             {"participation", "states that take part and their shares"},
                             {"count", "equal subsystems that have it"},
                             {0}};

static PyTypeObject *add_record(PyObject *module, const char *name, const char *doc,
                                PyStructSequence_Field *fields, int n)
{
    char full[64];
    snprintf(full, sizeof full, "lieder.%s", name);
    PyStructSequence_Desc desc = {.name = full, .doc = doc, .fields = fields, .n_in_sequence = n};
    PyTypeObject *type = PyStructSequence_NewType(&desc);
    if (!type || PyModule_AddObjectRef(module, name, (PyObject *)type) < 0)
        return NULL;
    return type;
}

static PyTypeObject *add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(spec);
    if (!type || PyModule_AddObjectRef(module, name, (PyObject *)type) < 0)
        return NULL;
    return type;
}

/* lieder.Error(RuntimeError), lieder.UnknownName(Error, KeyError), lieder.Warning(UserWarning) */
static bool add_exceptions(PyObject *module)
{
    error_class = PyErr_NewExceptionWithDoc(
        "lieder.Error", "What went wrong: .diagnostics is a list, .exit_code that of the program.",
        PyExc_RuntimeError, NULL);
    PyObject *bases = error_class ? PyTuple_Pack(2, error_class, PyExc_KeyError) : NULL;
    unknown_name_class = bases
                             ? PyErr_NewExceptionWithDoc("lieder.UnknownName",
                                                         "No variable has this name.", bases, NULL)
                             : NULL;
    Py_XDECREF(bases);
    warning_class = PyErr_NewExceptionWithDoc(
        "lieder.Warning", "What a model or a run is warned of.", PyExc_UserWarning, NULL);
    return unknown_name_class && warning_class &&
           PyModule_AddObjectRef(module, "Error", error_class) == 0 &&
           PyModule_AddObjectRef(module, "UnknownName", unknown_name_class) == 0 &&
           PyModule_AddObjectRef(module, "Warning", warning_class) == 0;
}

#define RECORD(name, doc, fields)                                                                  \
    add_record(module, name, doc, fields, sizeof(fields) / sizeof *(fields)-1)

PyMODINIT_FUNC PyInit__lieder(void);
PyMODINIT_FUNC PyInit__lieder(void)
{
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "lieder._lieder",
                                            .m_doc = "The engine behind the package lieder.",
                                            .m_size = -1};
    PyObject *module = PyModule_Create(&definition);
    if (module && add_exceptions(module) &&
        PyModule_AddStringConstant(module, "__version__", LIEDER_VERSION) == 0 &&
        (diagnostic_type = RECORD("Diagnostic", "One thing that is wrong.", diagnostic_fields)) &&
        (variable_type = RECORD("Variable", "A variable of a model.", variable_fields)) &&
        (event_type = RECORD("Event", "An event of a run.", event_fields)) &&
        (statistics_type = RECORD("Statistics", "What a run took.", statistics_fields)) &&
        (eigenvalue_type = RECORD("Eigenvalue", "A motion.", eigenvalue_fields)) &&
        (array_type = add_type(module, "Array", &array_spec)) &&
        (system_type = add_type(module, "System", &system_spec)) &&
        (result_type = add_type(module, "Result", &result_spec)) &&
        (stepper_type = add_type(module, "Stepper", &stepper_spec)))
        return module;
    Py_XDECREF(module);
    return NULL;
}
