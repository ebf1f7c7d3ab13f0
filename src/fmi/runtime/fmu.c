/* fmu.c - the FMU but for its shapes as one text. FMU_RUNTIME: without model.c, for the object that
 * the exporter has inside. */
#include "values.c"

#include "evaluate.c"
#if defined FMU_EVENTS || defined FMU_RUNTIME
#include "events.c"
#include "history.c"
#endif
#if defined FMU_TIMED || defined FMU_RUNTIME
#include "late.c"
#endif
#if defined FMU_SPARSE || defined FMU_RUNTIME
#include "sparse.c"
#endif
#include "step.c"
#include "state.c"
#ifndef FMU_RUNTIME
#include "model.c"
#endif
#if FMI_VERSION == 2
#include "fmi2.c"
#else
#include "fmi3.c"
#endif
