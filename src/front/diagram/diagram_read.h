/* diagram_read.h - annotations as shapes and placements. Private to diagram.c and diagram_shape.c.
 */
#ifndef LIEDER_FRONT_DIAGRAM_READ_H
#define LIEDER_FRONT_DIAGRAM_READ_H

#include "front/diagram/diagram.h"
#include "front/instance/semantic.h"

typedef struct DiagramReader {
    Front *front;
    Diagram *diagram;
    /* whose icon is read: macros of texts, and what `visible` depends on */
    const Inst *inst;    /* or NULL */
    const char *name;    /* %name */
    const Class *class_; /* %class */
    bool said_name;      /* a text had %name */
} DiagramReader;

/* the argument of this name, or NULL */
const Argument *diagram_argument(const ArgumentList *list, const char *name);
/* the shapes of Icon(graphics = ...) or Diagram(graphics = ...), mapped; false: it has none */
bool diagram_graphics(DiagramReader *r, const ArgumentList *annotation, const char *layer,
                      DiagramShapes *to);
/* Placement(transformation = ...), or iconTransformation if `icon` and there is one */
bool diagram_place(DiagramReader *r, const ArgumentList *annotation, bool icon, DiagramMap *map);
/* the Line of a connection */
void diagram_line(DiagramReader *r, const ArgumentList *annotation, DiagramConnection *c);

/* the annotation of a class of the library, from diagram_icons.c; NULL: it has no icon of its own
 */
const char *diagram_library_icon(const char *class_name);

#endif
