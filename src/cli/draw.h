/* draw.h - what lieder draw and the viewer share of diagrams: draw_diagram.c. */
#ifndef LIEDER_CLI_DRAW_H
#define LIEDER_CLI_DRAW_H

#include "cli/cli.h"
#include "front/diagram/diagram.h"

typedef struct DiagramSettings {
    const char *output; /* or NULL */
    const ModelSource *source;
} DiagramSettings;

ExitCode draw_diagram(Log *log, const DiagramSettings *w);
/* the diagram of the model that was loaded, with all places; false after reporting an error.
 * diagram_drop is due in any case. */
bool diagram_read(Loaded *loaded, Log *log, Diagram *d);

#endif
