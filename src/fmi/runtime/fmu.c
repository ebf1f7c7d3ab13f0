/* fmu.c - the FMU but for its shapes as one text. */
#include "values.c"

#include "evaluate.c"
#include "step.c"
#include "state.c"
#include "model.c"
#if FMI_VERSION == 2
#include "fmi2.c"
#else
#include "fmi3.c"
#endif
