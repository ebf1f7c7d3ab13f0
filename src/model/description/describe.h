/* describe.h - a model by ids, as the front end hands it to the engine.
 *
 * A declaration has a number in its model, an element a number in its array (the last index
 * fastest), a port and a settable number one in their class. The front end knows all of them when
 * it meets a connection or a value and hands them over; lieder_model_*, which takes paths as texts,
 * finds them once (model.c). A text stays only where a path is wrong, for the message, or names
 * something that is added later.
 *
 * A loop of connections stays one entry. Each connection is compared with those before it between
 * the same ports: where the elements go on as they did, it becomes one more turn of a loop, and a
 * loop that has as many turns as the one before it becomes one more turn of a loop around it. So a
 * net of n x n cells has as many entries as its text has connect equations, also if it is written
 * by calls.
 *
 * Of the engine front/ includes this file alone, but for native.c.
 */
#ifndef LIEDER_MODEL_DESCRIBE_H
#define LIEDER_MODEL_DESCRIBE_H

#include <stdint.h>

#include <lieder/lieder.h>

#include "base/diag.h"
#include "base/number_list.h"

enum {
    NO_DECLARATION = INT32_MAX,
    ALL_ELEMENTS = INT32_MAX, /* every one of an array */
    LOOP_DIMS = 3             /* loops around a connection that are kept as loops */
};

/* one component down: a declaration of the model at hand, and an element of it */
typedef struct ModelStep {
    uint32_t declaration, element; /* element 0 of a scalar; ALL_ELEMENTS in settings */
} ModelStep;

/* A port inside a model: that of a component, by its number among the ports of a native class or
 * among the exposed ports of a model. A negative number -1 - i: the model that has the path keeps
 * in its list inner_ports, at i, which port of a component further inside is meant. */
typedef struct PortPath {
    uint32_t declaration, element;
    int32_t port;
} PortPath;

typedef enum SettingKind {
    SET_ALL,
    SET_VECTOR,
    SET_EACH,
    SET_BOUND /* no number: see model_bind */
} SettingKind;

/* what a model may say about a state beside its start value: "cart.s.nominal" */
typedef enum StateAttribute {
    STATE_NOMINAL, /* the size at which its error counts as one of 1 */
    STATE_MIN,
    STATE_MAX,
    STATE_ATTRIBUTES
} StateAttribute;

/* Where something stands in a source text; file NULL: the model was built by calls. The engine
 * keeps it, and PlaceOfRange, a function of the front end, makes a place of it for a diagnostic. */
typedef struct SourceRange {
    const void *file;
    uint32_t at, length;
} SourceRange;
typedef Place PlaceOfRange(const SourceRange *range);
/* Before the source texts are freed: models make no places of their ranges from now on. */
void models_forget_places(Lieder *session);

/* a model that is no class yet; NULL: no memory. place_of may be NULL. */
LiederModel *model_begin(Lieder *session, PlaceOfRange *place_of);
/* Makes it a class of the session, to which it belongs from now on; the name must be free. Returns
 * the name, or NULL: no memory, and the model is gone. */
const char *model_finish(LiederModel *model, const char *name, const char *text);
void model_destroy(LiederModel *model);
/* Two hashes of everything in a model but places in texts: equal for equal models. */
void model_content(const LiederModel *model, unsigned long long hash[2]);
/* For a class of this name that is a model with the same content as `other`: it takes the source
 * ranges of `other`, whose texts are the ones that are loaded now, and `other` is destroyed. */
void model_merge(Lieder *session, const char *class_name, LiederModel *other);

/* One more component; its number, or NO_DECLARATION after a mistake was reported. ndim 0: no array.
 * An empty name: a native component whose variables are those of the model; there is at most one.
 */
uint32_t model_declare(LiederModel *model, const char *name, const char *class_name, int ndim,
                       const size_t *dim, SourceRange range);
/* the number of a declaration by name, or NO_DECLARATION */
uint32_t model_number(const LiederModel *model, const char *name);
/* the number of a declaration by name in the model where the steps end, or NO_DECLARATION */
uint32_t model_number_inside(const LiederModel *model, const ModelStep *steps, size_t nstep,
                             const char *name);
/* the port of this name of the component where the steps end (one step or more) */
PortPath model_port(LiederModel *model, const ModelStep *steps, size_t nstep, const char *name);
/* any path, as text */
PortPath model_port_path(LiederModel *model, const char *text);

/* How many ports the class of a declaration has; how many ports further inside the paths of the
 * model name; the name of a port in its component, or NULL if it is further inside. */
size_t model_port_count(const LiederModel *model, uint32_t declaration);
size_t model_inner_count(const LiederModel *model);
const char *port_path_name(const LiederModel *model, const PortPath *path);

void model_connect(LiederModel *model, PortPath a, PortPath b, SourceRange range);
void model_expose(LiederModel *model, const char *name, PortPath inner);

/* Sets a number, a vector or one number for each element: `name` is that of a member in the class
 * where the steps end, as in "m", "r[2]" or "s.nominal"; without steps, of the component without a
 * name. The model takes over the caller's hold of a list. */
void model_set(LiederModel *model, const ModelStep *steps, size_t nstep, const char *name,
               double value, SourceRange range);
void model_set_list(LiederModel *model, const ModelStep *steps, size_t nstep, const char *name,
                    SettingKind kind, NumberList *numbers, SourceRange range);

/* Other numbers of the model were computed from this parameter: it cannot be set while a system
 * lives. */
void model_bind(LiederModel *model, const ModelStep *steps, size_t nstep, const char *name);

/* all connections one by one: start with zeros; false: there are no more */
typedef struct ConnectionCursor {
    size_t entry, current; /* in connections: of the next pair, and of the last one */
    uint32_t at[LOOP_DIMS];
} ConnectionCursor;
bool connection_next(const LiederModel *model, ConnectionCursor *cursor, PortPath *a, PortPath *b);

#endif
