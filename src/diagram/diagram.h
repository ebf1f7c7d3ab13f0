/* diagram.h - a diagram that was read from the text (front/diagram/diagram.h) is laid out and
 * drawn. */
#ifndef LIEDER_DIAGRAM_DIAGRAM_H
#define LIEDER_DIAGRAM_DIAGRAM_H

#include <stdio.h>

#include "front/diagram/diagram.h"

typedef struct DiagramBox {
    double x0, y0, x1, y1;
} DiagramBox;

/* Places what has no place, and finds lines for connections that have none. False: no memory. */
bool diagram_layout(Diagram *d);
/* lines only: route.c */
bool diagram_route(Diagram *d);
/* The whole as SVG. Junctions of lines that were found here get a dot. */
void diagram_svg(const Diagram *d, FILE *to);

/* the icon of a component in the diagram */
DiagramBox diagram_box(const DiagramComponent *c);
/* where a connection ends, and the direction in which it leaves the component: a unit vector along
 * x or y */
DiagramPoint diagram_end(const Diagram *d, const DiagramEnd *end, DiagramPoint *direction);

#endif
