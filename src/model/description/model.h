/* model.h - a model as it is written down: declarations, settings, connections, by the ids of
 * describe.h. No numbers are checked here and nothing is expanded; flatten.c does that. */
#ifndef LIEDER_MODEL_MODEL_H
#define LIEDER_MODEL_MODEL_H

#include "base/number_list.h"
#include "base/text.h"
#include "model/description/describe.h"
#include "model/class/session.h"

enum { MAX_DEPTH = 64 }; /* models inside of models */

typedef struct Declaration {
    const char *name; /* interned */
    const LiederClass *class_;
    size_t n;       /* elements; 1 for a scalar */
    int ndim;       /* 0: no array */
    size_t *dim;    /* of an array with two dimensions or more, else NULL: see declaration_dim */
    bool connected; /* a connection or an exposed port reaches into it */
    bool spare;     /* may stand unconnected and sleeps then, see lieder_model_spare */
    SourceRange range;
} Declaration;

/* Where a number goes: the steps from the model down to a component, and the name of the member
 * there, with its slot once that is known. */
typedef struct Setting {
    const char *name; /* interned: what follows the steps */
    union {
        double value;        /* SET_ALL */
        NumberList *numbers; /* SET_VECTOR, SET_EACH */
    };
    uint32_t first_step, nstep; /* in steps of the model */
    SourceRange range;
    int32_t slot;      /* of the class where the steps end; -1: it goes by its name */
    int32_t element;   /* that the name has as index, from 0; -1: none */
    uint8_t kind;      /* SettingKind */
    uint8_t attribute; /* 1 + StateAttribute of a state, or 0: the number itself */
} Setting;

/* Loops around a connection, innermost first: the number of turns, and by how many elements the two
 * ends move on with each turn. */
typedef struct ConnectionLoop {
    uint32_t n[LOOP_DIMS];
    int32_t stride[LOOP_DIMS][2];
} ConnectionLoop;

typedef struct Connection {
    PortPath a, b; /* in the first turn */
    uint32_t loop; /* 1 + position in loops, or 0: it stands alone */
    SourceRange range;
} Connection;

/* What a negative port of a path means: a path in the model of the component at hand (if its port
 * is negative as well, that is in the same list); or a name, as long as no such port is known. */
typedef struct InnerPort {
    const char *name; /* interned; NULL: it is `inner` */
    PortPath inner;
} InnerPort;

typedef struct Exposed {
    const char *name; /* interned */
    PortPath inner;
} Exposed;

struct LiederModel {
    Lieder *session;
    const char *name; /* interned */
    char *text;
    VEC(Declaration) declarations;
    VEC(Setting) settings;
    VEC(Connection) connections;
    VEC(Exposed) exposed;
    VEC(ModelStep) steps;       /* of settings */
    VEC(ConnectionLoop) loops;  /* of connections */
    VEC(InnerPort) inner_ports; /* of paths whose port is negative */
    PlaceOfRange *place_of;     /* or NULL */
    struct LoopFinder *finder;  /* while it is written: loops that may go on, see describe.c */
    bool is_changed;            /* something was added by name since model_resolve */
    uint32_t *index;            /* open addressing: declaration + 1 by name */
    size_t nindex;
    size_t nwrong; /* mistakes reported while it was built */
};

/* frees the finder: the model is complete as far as is known */
void model_forget_loops(LiederModel *model);
/* finds the numbers of everything that goes by name, as far as they are known by now */
void model_resolve(LiederModel *model);
/* what the negative port of a path of this model means */
static inline const InnerPort *model_inner_port(const LiederModel *model, const PortPath *path)
{
    return &model->inner_ports.items[-1 - path->port];
}
/* does it have a list of numbers? */
static inline bool setting_has_list(const Setting *s)
{
    return s->kind == SET_VECTOR || s->kind == SET_EACH;
}
/* Finds slot, element and attribute by the name in a native class: "m", "r[2]", "s.nominal"; false:
 * there is no such member. */
bool setting_resolve(const LiederClass *class_, Setting *setting);
/* the place of a range in the source text, or NULL if there is none any more; returns buffer */
const Place *model_place(const LiederModel *model, const SourceRange *range, Place *buffer);
size_t model_bytes(const LiederModel *model);
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
/* the component without a name, or -1 */
ptrdiff_t model_find_unnamed(const LiederModel *model);
/* The end of a path that names a member of a class, which may have dots in its name: all of it is
 * one step, "body.r[2]" is body.r with the index 2. */
bool path_last(const char *text, PathStep *step);
/* The number that the indices of a step name among `length` of a member: one index, or ndim of them
 * whose sizes are given, the last one fastest. -1: there is none. */
ptrdiff_t path_element(const PathStep *step, int length, int ndim, const size_t *sizes);
/* paths as text; return buffer */
char *setting_text(const LiederModel *model, const Setting *setting, char *buffer, size_t size);
char *port_path_text(const LiederModel *model, const PortPath *path, char *buffer, size_t size);
/* the element that the indices of a step name, the last index fastest; -1 if there is none */
ptrdiff_t declaration_element(const Declaration *d, const PathStep *step);
/* "[3]" or "[1,2]" for an element of an array, "" for a scalar; returns buffer (INDEX_LENGTH) */
static inline char *element_text(const Declaration *d, size_t element, char *buffer)
{
    return index_text(d->ndim, declaration_dim(d), element, buffer);
}

#endif
