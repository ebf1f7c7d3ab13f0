/* module.h - what the files of the extension share.
 *
 *   module.c    the module, exceptions, records, arrays that numpy sees without a copy
 *   system.c    a model from its texts: variables, parameters
 *   result.c    a run and its rows
 *   stepper.c   a model that Python steps
 *   analysis.c  eigenvalues, A, B, C, D
 *
 * The extension is a program around the library, as src/cli is: it sees the same headers and makes
 * objects of what the command line prints. Only the limited interface of Python 3.11 is used, so
 * that one file serves all later versions, and numpy reads arrays by the buffer protocol.
 *
 * Every object that computes has a session of its own. `busy` is set while the interpreter's lock
 * is given away; who comes then from another thread gets an error. */
#ifndef LIEDER_PYTHON_MODULE_H
#define LIEDER_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <lieder/load.h>
#include <lieder/variables.h>

#include "front/front.h"
#include "record/record.h"
#include "record/select.h"

/* exit codes of the command line, which errors carry */
enum { ERROR_MODEL = 1, ERROR_USAGE = 2, ERROR_SIMULATION = 3, ERROR_IO = 4 };

/* ------------------------------------------------------------------ module.c */

extern PyTypeObject *diagnostic_type, *variable_type, *event_type, *statistics_type,
    *eigenvalue_type;
extern PyTypeObject *array_type, *system_type, *result_type, *stepper_type;

/* an array in memory of `owner`, which lives as long as the array; strides in numbers */
PyObject *array_create(PyObject *owner, double *values, int ndim, const Py_ssize_t *shape,
                       const Py_ssize_t *strides, bool writable);
/* an array with memory of its own, column by column (columns -1: one dimension), zeroed */
PyObject *array_zeroed(Py_ssize_t rows, Py_ssize_t columns, double **values);
/* the numbers of a buffer of doubles, contiguous, as a copy to be freed; NULL with an exception */
double *numbers_of(PyObject *object, const char *what, size_t *n);

/* lieder.Error with a message of ours; NULL */
PyObject *raise_error(int exit_code, const char *message, const char *advice);
PyObject *raise_unknown_name(const char *message, const char *advice);
/* the errors of the session as lieder.Error, and the list is empty again; NULL */
PyObject *raise_diagnostics(Lieder *session, const Front *front, int exit_code, const char *what);
/* the warnings of the session as warnings of Python, and the list is empty again; -1: one of them
 * was made an exception */
/* a text in UTF-8, as a bytes object; NULL with an exception, also where it holds a NUL, behind
 * which C would not read */
PyObject *text_bytes(PyObject *text);
int warn_diagnostics(Lieder *session, const Front *front);
int exit_code_of(LiederStatus status);

/* ------------------------------------------------------------------ system.c */

typedef struct System {
    PyObject_HEAD Lieder *session;
    Front *front;
    char *title; /* full name of the class */
    LiederSystem *system;
    LiederExperiment experiment;
    size_t nmade; /* models in the session, which keeps them */
    bool busy;
} System;

/* false with an exception: in use by another thread, or not made */
bool system_enter(System *s);
extern PyType_Spec system_spec;
/* what a run needs: the experiment of the model, and over it what is no NaN, NULL or 0 */
typedef struct RunArguments {
    double start, stop, step, tolerance, interval;
    const char *solver, *chatter, *clocks, *compile;
    int threads;
} RunArguments;
bool run_options(const System *s, const RunArguments *a, LiederSimulateOptions *o);

/* ------------------------------------------------------------------ result.c, stepper.c,
 * analysis.c */

extern PyType_Spec result_spec, stepper_spec;
PyObject *system_simulate(PyObject *self, PyObject *args);
PyObject *system_linearise(PyObject *self, PyObject *args);

/* signals of Python between two rows: false stops the run, and the exception is set */
typedef struct Attention {
    PyThreadState *thread; /* of the one that gave the lock away */
    PyObject *progress;    /* called with the time, or NULL */
    bool failed;
} Attention;
bool attention_ask(Attention *a, double t);

#endif
