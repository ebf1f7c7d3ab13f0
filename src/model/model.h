/* model.h - a model as it is written down: declarations, settings, connections. No numbers are
 * checked here and nothing is expanded; flatten.c does that. */
#ifndef LIEDER_MODEL_MODEL_H
#define LIEDER_MODEL_MODEL_H

#include "base/number_list.h"
#include "base/text.h"
#include "model/session.h"

typedef struct Declaration {
    const char *name; /* interned */
    const LiederClass *class_;
    size_t n;       /* elements; 1 for a scalar */
    int ndim;       /* 0: no array */
    size_t *dim;    /* of an array with two dimensions or more, else NULL: see declaration_dim */
    bool connected; /* a connection or an exposed port reaches into it */
    bool spare;     /* may stand unconnected and sleeps then, see lieder_model_spare */
} Declaration;

typedef enum SettingKind {
    SET_ALL,
    SET_VECTOR,
    SET_EACH,
    SET_BOUND /* no number: see model_bind */
} SettingKind;

typedef struct Setting {
    char *path;
    SettingKind kind;
    double value;        /* SET_ALL */
    NumberList *numbers; /* the others */
} Setting;

/* A port inside a model. Nets have millions of connections, so that the component is kept by
 * number; NO_DECLARATION: the text has the whole path, which leads to no component here. */
enum { NO_DECLARATION = INT32_MAX };
typedef struct PortPath {
    uint32_t declaration, element;
    const char *rest; /* interned: what follows the component */
} PortPath;

typedef struct Connection {
    PortPath a, b;
} Connection;

typedef struct Exposed {
    const char *name; /* interned */
    char *inner;
} Exposed;

struct LiederModel {
    Lieder *session;
    const char *name; /* interned */
    char *text;
    VEC(Declaration) declarations;
    VEC(Setting) settings;
    VEC(Connection) connections;
    VEC(Exposed) exposed;
    uint32_t *index; /* open addressing: declaration + 1 by name */
    size_t nindex;
    size_t nwrong; /* mistakes reported while it was built */
};

void model_destroy(LiederModel *model);
/* Other numbers of the model were computed from this one, which leads to a parameter: it cannot be
 * set while a system lives. */
void model_bind(LiederModel *model, const char *path);
/* lieder_model_set_each with a list that the model holds from now on, too, instead of a copy */
void model_set_each(LiederModel *model, const char *path, NumberList *numbers);
/* position in declarations, or -1 */
ptrdiff_t model_find(const LiederModel *model, const char *interned_name);

/* the sizes of a declaration (ndim) */
static inline const size_t *declaration_dim(const Declaration *d)
{
    return d->dim ? d->dim : &d->n;
}

/* A path as text is read from left to right: "crab[3].cart.m", "grid[1,2].m". next returns false at
 * the end or on a malformed path (then *text is not at the end). A ")" ends a path, that of der(x).
 */
typedef struct PathStep {
    const char *name;
    size_t length;
    int nindex;
    size_t index[INDEX_DIMS]; /* from 0 */
} PathStep;
bool path_next(const char **text, PathStep *step);
/* the indices of a step: *text stands at "[" and then behind "]" */
bool path_index(const char **text, PathStep *step);
/* A native component without a name: its variables are those of the model. At most one. */
void model_add_unnamed(LiederModel *model, const char *class_name);
/* the component without a name, or -1 */
ptrdiff_t model_find_unnamed(const LiederModel *model);
/* The end of a path that names a member of a class, which may have dots in its name: all of it is
 * one step, "body.r[2]" is body.r with the index 2. */
bool path_last(const char *text, PathStep *step);
/* the path as text; returns buffer */
char *port_path_text(const LiederModel *model, const PortPath *path, char *buffer, size_t size);
/* the element that the indices of a step name, the last index fastest; -1 if there is none */
ptrdiff_t declaration_element(const Declaration *d, const PathStep *step);
/* "[3]" or "[1,2]" for an element of an array, "" for a scalar; returns buffer (INDEX_LENGTH) */
static inline char *element_text(const Declaration *d, size_t element, char *buffer)
{
    return index_text(d->ndim, declaration_dim(d), element, buffer);
}

#endif
