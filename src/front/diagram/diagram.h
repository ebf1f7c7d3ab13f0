/* diagram.h - the diagram of a model as its text has it: components, their icons, connections.
 *
 * front_diagram reads the annotations of Modelica: Placement of components and connectors, Icon and
 * Diagram graphics of classes, Line of connections. Classes of the library have icons of their own
 * (diagram_icons.c), in the same notation. What has no Placement is left to diagram/layout.c.
 *
 * Coordinates are those of Modelica, y upwards: a component has an icon of -100 to 100 in both
 * directions, which its transformation puts into the diagram. Ellipses and rounded corners are
 * polygons here, so that whoever draws needs lines, areas and texts.
 */
#ifndef LIEDER_FRONT_DIAGRAM_H
#define LIEDER_FRONT_DIAGRAM_H

#include "base/diag.h"
#include "front/front.h"

typedef struct DiagramPoint {
    double x, y;
} DiagramPoint;

/* world = (xx u + yx v + x, xy u + yy v + y) */
typedef struct DiagramMap {
    double xx, xy, yx, yy, x, y;
} DiagramMap;

typedef enum DiagramKind { DIAGRAM_LINE, DIAGRAM_AREA, DIAGRAM_TEXT } DiagramKind;

typedef struct DiagramShape {
    DiagramKind kind;
    unsigned line, fill; /* 0xrrggbb */
    bool has_line, has_fill;
    bool smooth;      /* a line through the middles of its segments */
    bool arrow[2];    /* at its first, at its last point */
    int dash;         /* 0 solid, 1 dashed, 2 dotted */
    double width;     /* of the line, in units of the diagram; 0: as thin as lines are */
    const char *text; /* macros such as %name replaced */
    int align;        /* of a text: -1 left, 0 middle, 1 right */
    double size;      /* of a text in units; 0: as its box allows */
    bool bold, italic;
    DiagramPoint *points; /* of a text: two corners of its box */
    size_t n;
} DiagramShape;

typedef VEC(DiagramShape) DiagramShapes; /* arrays in the heap, all else in the arena */

typedef struct DiagramPort {
    const char *name, *domain; /* "frame_a", "Planar.Frame" or the name of its class */
    DiagramMap map;            /* its own icon inside the icon of the component */
    DiagramShapes shapes;
    unsigned colour; /* of connections that begin here */
    bool signal, output;
    bool placed;
} DiagramPort;

typedef struct DiagramComponent {
    const char *name;       /* with sizes: "crab[1000]" */
    const char *path;       /* without: "crab" */
    const char *class_name; /* full */
    const char *text;       /* of its declaration, or of its class */
    Place place;            /* of its declaration; file NULL: it is in the library */
    DiagramMap map;         /* of its icon */
    bool placed;            /* the text has a Placement */
    bool connector;         /* of the model itself */
    bool labelled;          /* a text of the icon is its name */
    DiagramShapes shapes;
    VEC(DiagramPort) ports;
} DiagramComponent;

enum { DIAGRAM_CENTRE = -1 };

typedef struct DiagramEnd {
    size_t component;
    ptrdiff_t port; /* or DIAGRAM_CENTRE: the component is a connector */
} DiagramEnd;

typedef struct DiagramConnection {
    DiagramEnd ends[2];
    const char *names[2]; /* as in the text */
    Place place;
    DiagramPoint *points; /* NULL: no Line annotation; set by layout.c */
    size_t n;
    unsigned colour;
    double width;
    int dash;
    bool smooth, arrow[2];
    bool automatic; /* set by layout.c: the line was found by it */
} DiagramConnection;

typedef struct Diagram {
    LiederAllocator alloc;
    Arena arena;
    const char *title, *text; /* class and its description */
    VEC(DiagramComponent) components;
    VEC(DiagramConnection) connections;
    DiagramShapes shapes; /* of the diagram itself, behind everything */
    size_t nleft_out;     /* components beyond MAX_DIAGRAM */
    bool failed;          /* memory */
} Diagram;

enum { MAX_DIAGRAM = 2000 };

/* The model that was instantiated last. False: there is none, or no memory (d->failed).
 * diagram_drop is due in any case. Texts belong to the front end or to the diagram. */
bool front_diagram(Front *front, Diagram *d);
void diagram_drop(Diagram *d);

static inline DiagramPoint diagram_map(const DiagramMap *m, double u, double v)
{
    return (DiagramPoint){m->xx * u + m->yx * v + m->x, m->xy * u + m->yy * v + m->y};
}
/* first `inner`, then `outer` */
DiagramMap diagram_compose(const DiagramMap *outer, const DiagramMap *inner);
/* the square of -100 to 100 to these corners (a corner may be left of the other: mirrored), turned
 * by degrees around the origin, then moved by it */
DiagramMap diagram_placement(DiagramPoint a, DiagramPoint b, double degrees, DiagramPoint origin);

#endif
