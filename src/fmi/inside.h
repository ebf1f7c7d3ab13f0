/* inside.h - an instance of an FMU in the process that runs it: what host.c and exchange.c share.
 */
#ifndef LIEDER_FMI_INSIDE_H
#define LIEDER_FMI_INSIDE_H

#include "fmi/fmi.h"

/* model exchange: the memory of the solver of exchange.c */
typedef struct Exchange {
    size_t nstate, nindicator;
    double *room;           /* the memory of the vectors */
    double *x, *dx, *y, *k; /* k: six further derivatives */
    double *z, *now;        /* event indicators at the end of the last step; at the present point */
    double t, h, next;      /* h: the next step; next: the time event */
    bool running;           /* it has left initialization mode */
} Exchange;

typedef struct Inside {
    const ImportedFile *file;
    void *library, *instance;
    char wrong[400];
    char said[200];  /* the last message of the FMU */
    void *callbacks; /* FMI 2: the callbacks of the instance */
    Exchange exchange;
    bool ended; /* the FMU has ended the simulation */
} Inside;

bool inside_fail(Inside *in, const char *what); /* keeps the reason; returns false */
/* NULL: the binary has no such function; in->said says so */
void *inside_function(Inside *in, const char *name);

/* calls a function of the interface, by its types; a missing one is an error */
#define CALL(in, name, types, ...)                                                                 \
    (inside_function(in, name) ? ((int(*) types)(uintptr_t)inside_function(in, name))(__VA_ARGS__) \
                               : 3)
#define GOOD(status) ((status) == 0 || (status) == 1) /* OK, warning */

/* ------------------------------------------------------------------ exchange.c */

bool exchange_ready(Inside *in, double t); /* leaves initialization mode */
bool exchange_begin_event(Inside *in);     /* before inputs are set; before `ready` it does
                                              nothing */
bool exchange_end_event(Inside *in);       /* after inputs were set */
bool exchange_step(Inside *in, double t, double size);
void exchange_drop(Inside *in);

#endif
