/* emit.h - models while they are written: emit.c, emit_settings.c, emit_cell.c, connect.c. Private
 * to front/. */
#ifndef LIEDER_FRONT_EMIT_H
#define LIEDER_FRONT_EMIT_H

#include "front/instance/semantic.h"
#include "model/description/describe.h"

/* a model while it is written */
typedef struct PerElementSetting PerElementSetting;
struct Draft {
    LiederModel *model;
    VEC(Member *) members; /* by declaration; NULL: of no component of the text */
    uint32_t own;          /* 1 + the component without a name, or 0 */
    bool has_text;         /* a component of the compiled library has a text, see rigid.c */
    PerElementSetting *late, *last; /* settings with values by element, see emit_settings.c */
};

/* the modifier from outside the class that gives a value, or a start value */
const Mod *outside_mod(const Member *m, bool start);
/* beside: of a model that is a cell, see lower_beside.c */
void emit_connections(Front *f, Inst *inst, bool beside);
/* components inside of one another, from the innermost outward */
typedef struct PortWay {
    const struct PortWay *outer; /* NULL: the next one is a component of the model at hand */
    Inst *component;
    size_t element;
} PortWay;
/* a connector as a connect equation names it */
typedef struct ConnectedPort {
    const Member *component; /* of the model; NULL: a connector of the model itself */
    size_t element;          /* of an array of components, the last index fastest */
    const PortWay *inside;   /* the components inside of it that have the connector, or NULL */
    const Member *connector;
    const char *name; /* interned: of the connector, with the index in an array, as in "y[2]" */
} ConnectedPort;
/* the connections of a composed model, without writing them */
typedef void ConnectionVisit(void *user, const ConnectedPort *a, const ConnectedPort *b);
void visit_connections(Front *f, Inst *inst, ConnectionVisit *visit, void *user);
void emit_connection(Front *f, Inst *inst, const ConnectedPort *a, const ConnectedPort *b,
                     SourceSpan span);
void emit_port(Front *f, Inst *inst, const char *name, const ConnectedPort *inner);
/* The number of a component further inside of the model that is being written, below the steps;
 * NO_DECLARATION: the engine has no such component. */
uint32_t emit_number_inside(const Inst *inst, const ModelStep *steps, size_t nstep,
                            Inst *component);
/* a port of a component by the number of its declaration, and connections between such ports */
PortPath emit_port_path(const Inst *inst, uint32_t declaration, size_t element, const char *port);
void emit_connection_between(Inst *inst, PortPath a, PortPath b);
/* a port of the component without a name is one of the model */
void emit_own_port(Front *f, Inst *inst, const char *name);
/* the number of the component without a name */
static inline uint32_t emit_own(const Inst *inst)
{
    return inst->draft->own - 1;
}

/* One number of a cell, or all numbers of a vector: `name` is that of the variable in the cell,
 * with the index of its element; key has the cursors of the arrays of components inside the cell.
 */
typedef struct CellSetting {
    Inst *top; /* the instance that is the cell */
    Member *member;
    const char *name;
    size_t key, element;
    const char *attribute; /* "start", "nominal", "min" or "max" of the element of a state; NULL:
                              the value of a parameter */
} CellSetting;

/* An instance with equations of its own as a class of the session, and a component of that class in
 * the model around it, or in the model that it is itself, with its numbers. */
void emit_cell(Front *f, Inst *inst, const char *name);

/* loops.c: a model whose arrays are so large that they stay loops; false: it is written as any
 * other
 */
bool emit_loops(Front *f, Inst *inst, const char *name);
/* parts of emit_cell for it */
struct Lower;
struct CellPlan;
struct CellClass;
void cell_take_numbers(Front *f, struct Lower *lower);
void cell_refuse_overrides(Front *f, const struct Lower *lower, const struct CellPlan *plan);
void cell_set_state(Front *f, const CellSetting *s);
/* takes a class over into the session; its name there, or NULL after an error */
const char *cell_adopt(Front *f, struct CellClass *class_, const char *name);
/* front.c: "crab[3].cart.m" and "2" as the modifier of the outermost level */
Mod *parse_override(Front *f, const FrontOverride *o, Env env);

/* The class alone, before anything uses it; false: it cannot be had, or the engine does not take
 * it. */
bool emit_cell_class(Front *f, Inst *inst, const char *name);

/* One more component of the model that is being written: that of a member; one of the engine alone,
 * whose number is returned (NO_DECLARATION after an error); or the one without a name. */
void emit_declare(Front *f, Inst *inst, Member *m, const char *class_name);
uint32_t emit_one(Front *f, Inst *inst, const char *name, const char *class_name);
void emit_declare_own(Front *f, Inst *inst, const char *class_name);

/* a parameter of a native component, or the attribute of a state */
void emit_setting(Front *f, Inst *inst, Member *m, const char *attribute);
/* what has values by element, when the model is complete */
void emit_late(Front *f, Inst *holder);
/* what numbers of the model were computed from: to be set before it is made, not later */
void emit_bound(Front *f, Inst *top);

/* a name that no class of the session has */
const char *emit_free_name(Front *f, const char *name, char *buffer, size_t size);

void emit_cell_setting(Front *f, const CellSetting *setting);
/* all numbers of a parameter of the class that is no variable of the text */
void emit_cell_numbers(Front *f, Inst *top, const char *name, SourceSpan span,
                       const double *numbers, size_t n);
/* the number that a setting has, if it is the same in all elements of arrays around the cell */
bool emit_cell_number(Front *f, const CellSetting *setting, double *x);
/* attributes of states that the engine takes beside the start value */
enum { NSTATE_ATTRIBUTES = 3 };
extern const char *const state_attributes[NSTATE_ATTRIBUTES];
/* has it been given a value from outside the text? */
bool emit_is_overridden(const Member *m);

#endif
