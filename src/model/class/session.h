/* session.h - the session: allocator, names, diagnostics and the register of classes.
 *
 * A LiederClass is one of three: native (a LiederClassDef with kernels for some instruction
 * sets), a model (composed by calls), or a template (builds a model for given arguments).
 */
#ifndef LIEDER_MODEL_SESSION_H
#define LIEDER_MODEL_SESSION_H

#include <math.h>

#include <lieder/component.h>

#include "base/diag.h"
#include "base/intern.h"
#include "base/loader.h"

enum { ISA_COUNT = LIEDER_ISA_AVX512 + 1 };

/* A settable place of a native class: one number of a parameter, a start value, or an open input.
 * Slots stand in the order of the members, then the inputs in the order of the ports. */
typedef struct Slot {
    const LiederMember *member; /* NULL for an input */
    int element;                /* of a vector parameter */
    int port;                   /* of an input, else -1 */
    int index;                  /* in the struct, in reals; an input has none */
} Slot;

/* How the blocks of a class depend on each other, see facts.c. A unit is what the engine puts in
 * order: incoming and explicit block together are unit 0, further explicit blocks the next ones. */
typedef struct ClassFacts {
    int nunit;
    uint8_t *reads, *writes; /* by unit and port: its signals */
    uint8_t *after;          /* by unit and unit: it reads what the other, an earlier one, sets */
    uint8_t *rests;          /* by port: outgoing, always zero */
    bool basic_signals, inertial, couples, mixes;
    size_t nbyte;
} ClassFacts;

/* see class_index.c; all tables are one piece of memory from `members` on */
typedef struct ClassIndex {
    int32_t *members, *named, *slot_of, *place, *variable;
    size_t ntable, nplace, nitem;
} ClassIndex;

struct LiederClass {
    const char *name; /* interned */
    int id;
    const LiederClassDef *def;               /* native */
    const LiederKernels *kernels[ISA_COUNT]; /* native */
    LiederModel *model;                      /* composed */
    LiederTemplate template_;                /* build != NULL: a template */
    int nslot;
    Slot *slots;
    ClassIndex index;                    /* native */
    VEC(struct ClassVariable) variables; /* native: made when first needed, see variables.h */
    bool is_environment; /* without ports and blocks: others take defaults from its parameters */
    bool examined;       /* its blocks were checked, and `facts` are found */
    ClassFacts facts;    /* native */
};

/* something that classes of the session are made of, destroyed after them */
struct Adopted {
    void *object;
    void (*destroy)(void *object);
};

struct Lieder {
    LiederAllocator alloc;
    Interner names;
    Diagnostics diag;
    VEC(LiederClass *) classes;
    const LiederClass *environment; /* the first such class, or NULL */
    uint32_t *class_index;          /* by name, see session.c */
    size_t nclass_index;
    bool no_memory;     /* sticky: a model builder could not store something */
    VEC(double) values; /* room for the slots of any class: arguments of its check() ... */
    VEC(struct Adopted) adopted;
    Loader loader;
};

/* ------------------------------------------------------------------ session.c */

/* a session that knows no classes; lieder_create, which belongs to the library, adds its own */
Lieder *session_create(const LiederAllocator *alloc);
/* an empty class of this name, which must be free; NULL: no memory */
LiederClass *session_new_class(Lieder *session, const char *name);
/* the session destroys the object at its end; false: no memory, and the caller keeps it */
bool session_adopt(Lieder *session, void *object, void (*destroy)(void *object));

/* Registers a class, or adds an instruction set, without running its blocks: those of the library
 * are known to be right, and class_examine runs when a model first uses one. */
LiederStatus class_enter(Lieder *session, const LiederClassDef *def);
/* runs the blocks of a native class once in its life: check.c, then facts.c */
LiederStatus class_examine(Lieder *session, LiederClass *class_);

/* whether this machine runs code for an instruction set */
bool machine_has(LiederIsa isa);

/* ------------------------------------------------------------------ ports and members */

static inline bool port_is_signal(const LiederPortDef *port)
{
    return port->domain->npotential == 0;
}
/* of a domain in which nodes may be free, see component.h */
static inline bool port_is_network(const LiederPortDef *port)
{
    return port->domain->nsignal == 0;
}
/* whether potentials come in through a port; a link may be reversed */
static inline bool class_port_incoming(const LiederClassDef *def, bool reversed, int port)
{
    return reversed && port < 2 ? port == 1 : def->ports[port].role == LIEDER_IN;
}
/* how many ports with potentials are incoming, and outgoing */
int class_physical_in(const LiederClassDef *def);
int class_physical_out(const LiederClassDef *def);
/* A leaf that has no law at one port: it has unknowns of its own, more than two physical ports, or
 * ports of different domains. Only the sparse system of a shape can hold it, with all its ports. */
bool class_is_whole(const LiederClassDef *def);

bool class_has_member(const LiederClassDef *def, LiederMemberKind kind);
/* a variable that is no parameter and no state, with a range that runs watch */
static inline bool member_has_limits(const LiederMember *m)
{
    return (m->kind == LIEDER_OBSERVABLE || m->kind == LIEDER_MEMORY) && m->min < m->max &&
           (m->min > -INFINITY || m->max < INFINITY);
}
/* a number of each lane that is no parameter: it has a start value, which may be set */
static inline bool member_has_start(const LiederMember *m)
{
    return m->kind == LIEDER_STATE || m->kind == LIEDER_MEMORY;
}
/* the members that are unknowns, one after the other from *m = 0 on; NULL: there are no more */
static inline const LiederMember *next_unknown(const LiederClassDef *def, int *m)
{
    while (*m < def->nmember && def->members[*m].kind != LIEDER_UNKNOWN)
        ++*m;
    return *m < def->nmember ? &def->members[(*m)++] : NULL;
}

/* a kernel table of a class whatever the instruction set, for sizes */
const LiederKernels *class_any_kernels(const LiederClass *class_);
/* the number of a port by name, or -1 */
int class_find_port(const LiederClass *class_, const char *name, size_t length);

/* ------------------------------------------------------------------ class_index.c */

/* false: memory ran out */
bool class_index_make(LiederClass *class_, const LiederAllocator *alloc);
void class_index_drop(LiederClass *class_, const LiederAllocator *alloc);
/* the first slot, or member, of this name in a native class; -1: there is none */
int class_slot_named(const LiederClass *class_, const char *name, size_t length);
int class_member_named(const LiederClass *class_, const char *name, size_t length);
/* the same as a member; NULL: there is none, or the class is not native */
const LiederMember *class_find_member(const LiederClass *class_, const char *name, size_t length);
/* the first slot of a member, or that of an input; -1: there is none */
int class_slot_of_member(const LiederClass *class_, const LiederMember *member);
int class_slot_of_port(const LiederClass *class_, int port);
/* the parameter, state, memory or unknown (or its residual) at a real of the struct, or NULL */
const LiederMember *class_member_at(const LiederClass *class_, int place);

/* ------------------------------------------------------------------ check.c, facts.c */

/* whether the table of a class is right, and whether its linear blocks are linear, tried on random
 * inputs; LIEDER_BAD_USE after reporting what is wrong */
LiederStatus class_check_table(Lieder *session, const LiederClassDef *def);
LiederStatus class_check_blocks(Lieder *session, const LiederClass *class_);

LiederStatus class_find_facts(Lieder *session, LiederClass *class_);
void class_facts_drop(LiederClass *class_, const LiederAllocator *alloc);
static inline bool unit_reads_port(const LiederClass *class_, int unit, int port)
{
    return class_->facts.reads[unit * class_->def->nport + port];
}
static inline bool unit_writes_port(const LiederClass *class_, int unit, int port)
{
    return class_->facts.writes[unit * class_->def->nport + port];
}

/* ------------------------------------------------------------------ in other rooms */

/* system/system.c: lieder_system_create for a class of the session itself, whatever was loaded */
LiederSystem *system_of_model(Lieder *session, const char *model_name,
                              const LiederSystemOptions *options);
/* system/advice.c: what the domains of its ports advise, or what holds for every domain; NULL:
 * nothing */
const char *class_advice(const LiederClassDef *def, LiederAdvice kind);

#endif
