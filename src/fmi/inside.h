/* inside.h - an instance of an FMU in the process that runs it: what host.c and exchange.c share.
 */
#ifndef LIEDER_FMI_INSIDE_H
#define LIEDER_FMI_INSIDE_H

#include "fmi/fmi.h"

/* model exchange: what the solver of exchange.c keeps */
typedef struct Exchange {
    size_t nstate, nindicator;
    double *room;           /* all that follows */
    double *x, *dx, *y, *k; /* k: six further derivatives */
    double *z, *now;        /* event indicators at the last step; at a point in question */
    double t, h, next;      /* h: the next step; next: the time event */
    bool running;           /* out of initialization mode */
} Exchange;

typedef struct Inside {
    const ImportedFile *file;
    void *library, *instance;
    char wrong[400];
    char said[200];  /* the last message of the FMU */
    void *callbacks; /* FMI 2: what the instance was given */
    Exchange exchange;
    bool ended; /* it wants the simulation to end here */
} Inside;

bool inside_fail(Inside *in, const char *what); /* false */
/* NULL after a message in `said`: the binary has no such function */
void *inside_function(Inside *in, const char *name);

/* calls a function of the interface, by its types; a missing one is an error */
#define CALL(in, name, types, ...)                                                                 \
    (inside_function(in, name) ? ((int(*) types)(uintptr_t)inside_function(in, name))(__VA_ARGS__) \
                               : 3)
#define GOOD(status) ((status) == 0 || (status) == 1) /* OK, warning */

/* ------------------------------------------------------------------ exchange.c */

bool exchange_ready(Inside *in, double t); /* out of initialization mode */
bool exchange_begin_event(Inside *in);     /* before inputs are set; nothing before it is ready */
bool exchange_end_event(Inside *in);       /* after */
bool exchange_step(Inside *in, double t, double size);
void exchange_drop(Inside *in);

#endif
