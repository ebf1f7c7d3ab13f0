/* semantic.h - what names mean: instances, members, modifiers, values. Private to front/.
 *
 *   Front            texts, library, the tree of packages, and one instantiation under way
 *    Inst            a class with its modifiers at one place: a component, a package, the root
 *     ClassPart      one class of its extends tree; names are looked up from a part outwards
 *     Member         a component or a class of an Inst, its modifiers outermost first
 *      Mod           one modifier, with the Env in which its expressions are looked up
 *      Memo          a value that is found when it is first asked for
 *    Value           number, Boolean, String or enumeration literal, or an array of them; in
 *                    equations its numbers may be expressions, see symbolic.c; value.h
 *
 * Everything is lazy: an Inst lists its members, and a member's type, sizes, value and inner Inst
 * are found on demand, so that declarations may stand in any order and a cycle is seen as a memo
 * that is asked for while it is busy. Packages are Insts like components: what stands in a
 * package, what is inherited and what is redeclared follows the same path.
 *
 * An array of components has one Inst for all its elements and an Axis with a cursor. A modifier
 * that gives each element its own value picks by the cursor and leaves the axis in
 * front->touched. A value that touched nothing holds for all elements; one that touched an axis is
 * kept together with the cursors it was found for. So an array costs nothing per element until a
 * value differs, and then one number.
 *
 * Errors are reported where they are found and the result is V_NONE, TY_NONE or NULL, which
 * everybody passes on in silence. All memory is in arenas; after a failed allocation results are
 * V_NONE, too, and front->work.failed says why.
 */
#ifndef LIEDER_FRONT_SEMANTIC_H
#define LIEDER_FRONT_SEMANTIC_H

#include "base/nearest.h"
#include "base/intern.h"
#include "base/text.h"
#include "block/expression.h"
#include "front/front.h"
#include "front/names/native.h"
#include "front/instance/report.h"
#include "front/syntax/tree.h"
#include "front/evaluate/value.h"

enum {
    EVALUATE_DEPTH = 1500, /* nested evaluations; more than SYNTAX_DEPTH */
    INSTANCE_DEPTH = 60,   /* nested components; the engine takes 64 */
    EXTENDS_DEPTH = 1000,  /* classes that inherit from each other in a row */
    AXIS_DEPTH = 60        /* bits of a touched set */
};

typedef struct ClassPart ClassPart;
typedef struct Member Member;
typedef struct Mod Mod;
typedef struct Axis Axis;
typedef struct LocalName LocalName;

/* ------------------------------------------------------------------ where names are looked up */

/* for-indices, function variables and the size that "end" stands for */
struct LocalName {
    LocalName *outer;
    const char *name;
    Value value;
    const Member *variable; /* of a function, or NULL */
};

typedef struct Env {
    Inst *inst;
    ClassPart *part; /* NULL for the root and for all of an Inst */
    LocalName *frame;
} Env;

/* ------------------------------------------------------------------ modifiers */

typedef enum MemoState { MEMO_NEW, MEMO_BUSY, MEMO_DONE } MemoState;

typedef struct Memo {
    MemoState state;
    unsigned long long touched; /* axes, by depth */
    size_t key;                 /* of the cursors of those */
    bool of_data;               /* see Front.of_data */
    bool is_bound;              /* a number of the model was computed from it; see bound.c */
    bool is_walked;             /* all that it reads is bound */
    bool is_root;               /* of a BoundRoot */
    struct MemoRead *reads;     /* what its value was computed from */
    struct Memo *next_bound;
    Value value;
} Memo;

typedef struct MemoRead {
    struct MemoRead *next;
    Memo *memo;
} MemoRead;

/* an array of components and the element that is examined */
struct Axis {
    Axis *outer;
    Inst *owner; /* where the array is declared */
    const char *name;
    int depth;
    int ndim;
    size_t dim[VALUE_DIMS], n, index;
    bool differs; /* each element has an Inst of its own, see differing.c */
};

/* an array that a modifier has passed on its way inwards, the last first */
typedef struct Pass {
    struct Pass *outer;
    Axis *axis;
    bool each;
    const Ref *only; /* "crab[3].m = 2": subscripts of the one element, or NULL */
    Env env;         /* of the subscripts */
} Pass;

/* Stands for "name(arguments) = value" once the name is found, or with `rest` for what is still
 * to be found: of a.b = 1 after a. */
struct Mod {
    Mod *next;
    SourceSpan span;
    const Ref *rest;
    const Ref *at; /* the part of the name that led here, with its subscripts; or NULL */
    const Ref *of; /* the part before that: of an attribute its variable, x[2] in x[2].start */
    const Modification *modification; /* or NULL */
    const ClassElement *redeclare;    /* or NULL */
    Env env;
    Pass *passes;
    Axis *cross; /* the array that its arguments pass on their way inwards, or NULL */
    bool each, final;
    bool own;        /* of the declaration itself */
    bool of_record;  /* a field of the value of the whole record */
    bool override;   /* from outside the text: the same for all elements it passes, but ... */
    bool by_element; /* ... one value for each element of the outermost array */
    Memo *memo;      /* of its value, once that was asked for; or NULL */
    Memo *elements;  /* of an attribute of one element: the values of all of them; or NULL */
    Mod *other;      /* the first modifier of another attribute, see Member.attributes */
};

/* ------------------------------------------------------------------ types */

typedef enum TypeKind {
    TY_NONE,
    TY_REAL,
    TY_INTEGER,
    TY_BOOLEAN,
    TY_STRING,
    TY_ENUM,
    TY_CLASS,
    TY_CLOCK /* of synchronous equations: lower_clock.c */
} TypeKind;

typedef struct DimList {
    struct DimList *next;
    const ExprList *list;
    Env env;
} DimList;

/* an input that a function is differentiated by, function df = der(f, input); see partial.c */
typedef struct DerivedBy {
    const struct DerivedBy *next;
    const Ref *input;
} DerivedBy;

/* a class after all short classes have been followed */
typedef struct Type {
    TypeKind kind;
    const Class *class_; /* of a TY_CLASS or TY_ENUM */
    const Class *named;  /* the class that was named first, for messages */
    Env env;             /* around class_ */
    Mod *mods;           /* of the short classes on the way */
    DimList *dims;
    Causality causality;
    ClassKind restriction; /* connector = input Real is a connector */
    const DerivedBy *by;   /* a partial derivative of class_; or NULL */
} Type;

/* ------------------------------------------------------------------ instances */

struct ClassPart {
    const Class *class_;
    Env outer;
    int number, last; /* its bases have the numbers up to last */
    const Mod *mods;  /* that reach it, of all extends clauses on the way */
    bool is_protected;
    bool base_missing;         /* a class that it inherits was not found, which has been reported */
    struct SharedBase *shared; /* bases that an earlier part has, too */
    ClassPart *next;
};

/* a base that is inherited once more in the same way; its members are those of the first time */
typedef struct SharedBase {
    struct SharedBase *next;
    const ClassPart *part;
} SharedBase;

struct Member {
    Inst *inst;
    ClassPart *part;
    const char *name;
    const ClassElement *element;
    const ClassElement *declared;   /* before any redeclaration */
    const ComponentDecl *component; /* NULL: a class */
    const Class *class_;            /* NULL: a component */
    TypePrefix prefix;              /* of a component, like the next two ... */
    bool is_inner, is_outer;
    const ExprList *dims, *type_dims; /* ... with those that redeclarations keep */
    Env dims_env;
    const Expr *condition;     /* of the last declaration that has one, ... */
    ClassPart *condition_part; /* ... where that stands */
    Env env;                   /* of its declaration */
    Mod *mods;                 /* outermost first */
    Member *base;            /* of "redeclare model extends A": the A that was inherited; or NULL */
    struct SharedBase *also; /* parts that declare it once more in the same way */
    bool is_protected, checked;
    bool misfit;          /* redeclared as something that has other elements: reported */
    bool as_text;         /* of the compiled library, an instance of its text, see rigid.c; ... */
    bool in_loop;         /* ... a part of a rigid loop */
    uint8_t index_types;  /* INDEX_TYPES_... */
    MemoState free_state; /* of a parameter: whether initial equations decide it */
    bool is_free;
    bool connected; /* a connector: from outside its component */

    MemoState type_state, size_state, condition_state;
    Type type;
    int ndim; /* declared dimensions; size NO_SIZE for ":" */
    size_t dim[VALUE_DIMS];
    bool present, left_out; /* left out by break in an extends clause: not present */
    Memo *value;            /* once it was asked for, or NULL: most are not, and a memo is large */
    Inst *child;            /* of a component of a class, or the static Inst of a class */
    Inst **elements;        /* of an array whose elements differ in structure: theirs; or NULL */
    Inst *record;           /* of a variable of a function: its record class */
    bool child_busy;
    Axis *axis;
    Member *inner;   /* what an outer stands for */
    Mod *attributes; /* asked for before, by `at` name */
    /* what its values are checked against, once found for all elements */
    bool limits_known;
    const char *unit; /* or NULL */
    Value *limits;    /* min and max, each may be V_NONE; NULL: it has neither */
};
#define NO_SIZE ((size_t)-1)
/* what dimensions are indexed by: not known yet, Integers alone, other types as well */
enum { INDEX_TYPES_NEW, INDEX_TYPES_INTEGER, INDEX_TYPES_OTHER };

typedef struct Draft Draft;

struct Inst {
    Front *front;
    const Class *class_; /* NULL for the root */
    Inst *parent;        /* the component around; NULL when static */
    Member *member;      /* what it is the Inst of */
    Axis *axis;          /* innermost around it */
    int depth;
    Mod *mods;
    ClassPart *parts, *last_part;
    int npart;
    VEC(Member *) members; /* in the order of declaration */
    Member **index;        /* by name, open addressing */
    size_t nindex;
    uint32_t *order;     /* of a function: its members in the order in which call.c opens them */
    const DerivedBy *by; /* of a partial derivative: by what; or NULL */
    bool is_large;       /* of a function: its calls stay calls, see large.c */
    Member *world;       /* a World among the members, or NULL */
    bool world_known;
    Inst *next; /* all instances of the run */

    const char *native, *template_, *domain; /* bindings of the library, or NULL */
    uint32_t contract;          /* a connector of its own that is a port: orders handed on */
    struct DividedWay *divided; /* how the ports of a component are used, see divide.h, or NULL */
    bool divide_tried;
    bool as_text, in_loop;   /* as those of its member, or around it */
    const char *compiled;    /* the class of the library whose text stands here; or NULL */
    bool is_merged;          /* rigid loops make the model a cell, see rigid.c; ... */
    bool is_dialectic;       /* ... in which a joint has T_D > 0 */
    const char *built;       /* model of a template */
    bool opaque;             /* inside a template: values are not known */
    Draft *draft;            /* while it is being written */
    uint32_t declared;       /* 1 + its number in the model around it, once that is known */
    const char *model;       /* its class in the session */
    VEC(const char *) ports; /* connectors that lead to something inside */
};

typedef VEC(Value) ValueList;

/* a break or return that variables decide, see function.c */
struct FunctionExit {
    bool is_return;
    double condition;
    ValueList values; /* what the variables have then */
};

/* what stands for an input while its function is differentiated by it, see partial.c */
typedef struct Seed {
    const char *name;
    double element; /* the value of the input */
} Seed;

typedef struct Report {
    const SyntaxFile *file;
    uint32_t at;
    const char *format;
} Report;

struct Front {
    VEC(FrontParameter) parameters; /* of the model itself, in `work` */
    Lieder *session;
    const LiederAllocator *alloc;
    Diagnostics *diag;
    Interner names;
    bool *free_met;          /* not NULL: set where a value depends on a parameter that initial
                                equations decide, in place of an error; see member_is_free */
    bool of_data;            /* set where a value depends on a parameter that stays data, see
                                member_is_evaluated */
    Arena fixed;             /* text and tree of the library */
    Arena syntax;            /* texts and trees of what was loaded */
    Arena work;              /* packages and instances; renewed by every load and instantiation */
    Arena scratch;           /* numbers of arrays and lists of values; gone when the model stands */
    LiederAllocator counted; /* alloc: the session's, counted against the limit of memory */
    size_t bytes, bytes_before;
    bool over_memory;
    uintptr_t floor;          /* of the stack, see base/stack.h */
    SourceSpan now;           /* what is being worked on */
    VEC(ClassElement *) tops; /* the classes of the library first */
    size_t nlibrary;
    SyntaxFile *library;
    VEC(const char *) libraries; /* folders */
    VEC(const char *) missing;   /* names that none of them has */
    VEC(Class *) last_loaded;    /* by the last call */
    VEC(const char *) read;      /* files: texts, tables, FMUs; see note_read */
    FrontLimits limits;
    FrontText *text; /* texts in place of files, or NULL */
    void *text_user;
    FrontFmu *fmu; /* who reads FMUs, or NULL */
    void *fmu_user;

    Inst *root, *top, *all;
    Inst *predefined;     /* StateSelect and its like: found after everything else */
    SyntaxFile *standard; /* their text */
    unsigned long long touched;
    Memo *reading;                 /* whose value is being found; NULL: nobody keeps what is read */
    struct EmittedNumber *emitted; /* parameters that the model has as numbers, see bound.c */
    int depth;
    size_t steps, ninst;
    size_t nimport; /* import clauses examined */
    size_t nwrong;
    bool may_merge; /* a class of as many equations as unknowns could not be solved alone */
    bool is_whole;  /* all of the model is one cell, for that reason */
    bool exhausted, too_deep;
    bool alone;                 /* see front_set_alone */
    bool without_numbers;       /* a class is compiled that serves all numbers, see precompile.c */
    struct LowerRandom *random; /* the seed that a parameter gives, lower_random.c; or NULL */
    struct Lower *lowering;     /* the cell under way, also while numbers are asked for; or NULL */
    struct Lower *lower; /* equations are being read: names of variables have values; or NULL */
    struct Builtin *builtins;       /* argument lists to be used again */
    LocalName *frames;              /* and frames of functions */
    VEC(struct FunctionExit) exits; /* see function.c */
    VEC(Seed) seeds;                /* of partial derivatives under way */
    VEC(struct OwnDerivativeCall)
    own_derivatives;              /* of functions with derivatives of their own, by number ... */
    size_t nown_before;           /* ... minus that of earlier instantiations */
    int nchoice;                  /* branches around that variables decide */
    int nfunction;                /* calls of functions around */
    struct LargeFunction *making; /* that is being made, see large.c; or NULL */
    size_t nlarge;                /* nodes of functions that were made */
    bool refuses_search;          /* loops that variables decide give nothing, see own_inverse.c */
    bool writes_parameters;       /* String() of parameters is their numbers now */
    bool of_variables;            /* names are variables, not what an algorithm has assigned */
    VEC(struct BrokenFile) broken;
    bool merges;  /* no model is divided, see divide.c */
    bool regrets; /* an attempt has failed: once more from the beginning, merged */
    VEC(const ComponentDecl *) read_inside; /* components that become texts, see lower_beside.c */
    VEC(struct ImpliedInner) implied_inner; /* components added to the top, see implied_inner.c */
    VEC(const ComponentDecl *) differing;   /* arrays of different elements, see differing.c */
    Type top_type; /* what the top is made of, for the same with other sizes; loops.c */
    Mod *top_mods;
    struct Decisions *decisions; /* comparisons of numbers are noted here; or NULL */
    struct TextNumbers *numbers; /* and numbers that equations read, loop_number.c */
    /* how often an index, a variable of a function, one of the model was read */
    size_t nlocal, nvariable, nsymbol;
    bool follows; /* of the array whose subscripts come next: see member_follows */
    const struct SizeNumbers *size_numbers; /* numbers of the text that are sizes, loops.c */
    char scalars_why[300];                  /* why large arrays were written out; or "" */
    VEC(Report) reports;
    VEC(struct BuiltModel) built; /* by content, see emit.c */
    VEC(struct BuiltCell) cells;  /* likewise, see emit_cell.c */
    int nmodel;
    unsigned round; /* of reading unused parts, see unused.c */
    const char *word_end, *word_time, *word_world;
};

/* an inner component that no text declares */
struct ImpliedInner {
    const char *name;
    const Class *class_;
    const ComponentDecl *outer; /* the first one that needs it */
};

/* what stands for bytes that are not kept: length and two hashes */
typedef struct Content {
    unsigned long long hash[2];
    size_t length;
} Content;

/* what a call of a function with a derivative of its own was made of, and which of its results it
 * is; see own_derivative.c */
struct OwnDerivativeCall {
    Inst *function;
    size_t ninput;
    Value *inputs; /* their structure */
    uint32_t output;
    size_t element; /* among the Reals of the output */
    SourceSpan span;
    const Inst *where;
};

/* a class of a library whose file could not be read in this instantiation */
struct BrokenFile {
    Class *class_;
    const char *path;
};

struct BuiltModel {
    Content content;
    const char *name;
};

/* a class made of equations */
struct BuiltCell {
    Content content;
    const char *name;
    const struct CellPlan *plan;
    bool hangs; /* see equation/class/class.h */
    const struct CellSummary *summary;
};

/* ------------------------------------------------------------------ loop_size.c */

/* an Integer of the text: a size may stand for another one (loop_size.c) */
long long size_number(const Front *f, const Expr *e, Env env);

/* ------------------------------------------------------------------ lookup.c */

typedef enum FoundKind { FOUND_NOTHING, FOUND_FRAME, FOUND_MEMBER, FOUND_TYPE } FoundKind;
typedef struct Found {
    FoundKind kind;
    LocalName *frame;
    Member *member;
    TypeKind type;  /* a predefined type */
    bool enclosing; /* in a class around, not in the instance itself */
} Found;

/* The member of this name that the part sees; NULL: there is none. What libraries have, and the
 * text of a class, are read when they are found here. */
Member *inst_find(const Inst *inst, const ClassPart *from, const char *name);
/* the same among those that are listed, reading nothing */
Member *inst_listed(const Inst *inst, const ClassPart *from, const char *name);
/* the simple name, from the inside outwards */
Found lookup(Front *f, Env env, const char *name);
bool is_own_class(Front *f, Env env, const char *name); /* not a variable */
/* May a name be missing because an import or a base class was not found? That has been reported. */
bool is_missing_elsewhere(Env env, const char *name);
bool base_is_missing(const Inst *inst);
/* unused.c: names that nothing declares in parts of classes that a good model does not use */
void warn_of_unknown_names(Front *f);
/* class_rules.c: what the kinds of classes do not allow is reported */
void check_class_rules(Front *f);
/* a dotted name of a class; TY_NONE with a diagnostic if there is none */
Type lookup_type(Front *f, Env env, const Ref *name);
/* a class that a name means, before short classes are followed; NULL with a diagnostic */
Member *lookup_class(Front *f, Env env, const Ref *name, TypeKind *predefined);
void nearest_names(Env env, bool classes, NearestName *nearest);

/* ------------------------------------------------------------------ modify.c */

/* the modifiers of `name` among those of the whole */
Mod *mods_below(Front *f, Mod *mods, const char *name);
/* the same for a field of a record, which may also be given by a value of the whole record:
 * r = R(1, b = 2), r = other, r = if ... */
Mod *mods_of_field(Front *f, Mod *mods, const char *name, size_t position, const Class *class_);
/* can mods_of_field take the value apart? */
bool is_record_value(const Expr *e);
Mod *mods_join(Front *f, Mod *first, Mod *last); /* copies the first list */
Mod *mod_of(Front *f, const Modification *modification, Env env, SourceSpan span);
/* all arguments must have a target */
void mods_check(Front *f, Inst *inst);
/* does it hold for the element at the cursors? */
bool mod_applies(Front *f, const Mod *mod);
/* its value for the element at the cursors; ndim: dimensions of what it is the value of */
Value mod_value(Front *f, Mod *mod, int ndim, const Inst *where, const char *name);
/* no outer modifier may change what an inner one or the element calls final */
void mods_check_final(Front *f, Member *m);

/* ------------------------------------------------------------------ instance.c, type.c */

Inst *inst_create(Front *f, const Type *type, Mod *mods, Inst *parent, Member *member, Axis *axis,
                  SourceSpan span);
/* twice.c: does a declaration in a part say the same as that of a member? mods: what reaches it */
bool is_same_declaration(Front *f, const Member *known, const ClassElement *b,
                         const ClassPart *b_part, const Mod *mods);
/* builds the model of a template and lists its components as members */
void inst_open_template(Front *f, Inst *inst, SourceSpan span);
/* the components of a class in a text as further members */
void inst_add_text(Front *f, Inst *inst, const char *text, size_t length);

void inst_root(Front *f);
/* a class that came to the top after the root was made */
void inst_add_top(Front *f, ClassElement *e);
/* Inst of a class for what stands in it; NULL with a diagnostic */
Inst *class_inst(Front *f, Member *class_member, SourceSpan span);
Type type_follow(Front *f, Type type, SourceSpan span);
Type class_type(Front *f, Member *class_member);
/* front.c: forgets all instances; the class of a dotted name, NULL with a diagnostic */
void front_forget(Front *f);
Member *front_find_class(Front *f, const char *name);

/* what an annotation __Lieder(key = "text") of a library class says */
const char *library_mark(const Front *f, const Class *class_, const char *key);

/* ------------------------------------------------------------------ member.c */

const Type *member_type(Front *f, Member *m);
bool member_sizes(Front *f, Member *m);   /* ndim and dim; false when they are wrong */
bool member_present(Front *f, Member *m); /* its condition */
Inst *member_child(Front *f, Member *m);  /* NULL with a diagnostic */
Member *member_resolve(Front *f, Member *m, SourceSpan span); /* an outer to its inner */
Value member_value(Front *f, Member *m, SourceSpan span);
Memo *member_memo(Front *f, Member *m); /* of its value; NULL: memory ran out */
/* the modifier that binds a variable: Real x = 2 * y; or NULL */
Mod *member_binding(Front *f, const Member *m);
/* bound.c: the value that is being found reads another one */
void bound_read(Front *f, Memo *memo);
/* What is read between the two is bound, but for `own`. */
typedef struct BoundRoot {
    Memo memo;
    Memo *outer;
    const Memo *own;
} BoundRoot;
void bound_begin(Front *f, BoundRoot *root, const Memo *own);
void bound_end(Front *f, const BoundRoot *root);
/* a parameter that the model has as a number: `name` in the component that `inst` becomes */
typedef struct EmittedNumber {
    struct EmittedNumber *next;
    Member *member;
    Inst *inst;
    const char *name;
} EmittedNumber;
void bound_emit(Front *f, Member *m, Inst *inst, const char *name);

/* A Real parameter whose number is part of the equations: annotation(Evaluate = true), or final and
 * made of such parameters; the same for all elements of arrays that are not in `axes`. */
bool member_is_evaluated(Front *f, Member *m, unsigned long long axes);
/* a parameter with fixed = false, or one whose value depends on such a parameter */
bool member_is_free(Front *f, Member *m);
/* the value of "start", "min" ...; V_NONE without a diagnostic if nobody gives one */
Value member_attribute(Front *f, Member *m, const char *name, bool *given);
/* the same of a String; NULL if nobody gives one, or an empty one */
const char *attribute_text(Front *f, Member *m, const char *name);
bool member_is_parameter(const Member *m);
/* type, attributes, value: all that can be wrong about a parameter */
void member_check(Front *f, Member *m);
/* an override of something that is not there would change nothing in silence */
void member_refuse_overrides(Front *f, const Member *m, const char *why);
/* a value, or an index that it has not, given to a component of a class that is no record */
void component_refuse_value(Front *f, const Member *m);
size_t memo_key(const Axis *axis, unsigned long long touched);
/* The value of an expression, or of a parameter, on which structure depends: it must be the same
 * for all elements of the arrays around `where`. V_NONE with a diagnostic if it is not. */
Value structural_value(Front *f, const Expr *e, Env env, const Inst *where, const char *what);
Value structural_parameter(Front *f, Member *m, SourceSpan span);
/* The same for what the equations of a class have as a number, and for what gives a variable its
 * value: `inner` are arrays inside the class, whose elements may differ. */
Value number_of_class(Front *f, Member *m, SourceSpan span, unsigned long long inner);
Value binding_of_class(Front *f, Member *m, Mod *mod, unsigned long long inner);
/* differing.c: is it an array whose elements have Insts of their own? Has the instance such a
 * member? */
bool member_differs(Front *f, Member *m);
bool inst_has_differing(Front *f, const Inst *inst);
/* the elements of the touched arrays around `where` have to differ: noted for the next attempt */
void note_differing(Front *f, unsigned long long touched, const Inst *where);
unsigned long long differing_axes(const Axis *axis); /* those of them around, by depth */
/* reports that something differs, if an axis was touched */
bool same_for_all(Front *f, unsigned long long touched, SourceSpan span, const Inst *where,
                  const char *what);

/* ------------------------------------------------------------------ express.c and its helpers */

Value evaluate(Front *f, const Expr *e, Env env);
/* reference.c: a name with its subscripts */
Value evaluate_reference(Front *f, const Ref *ref, Env env);
/* a name that nothing has, with what may have been meant */
void report_no_name(Front *f, const Ref *ref, Env env);
/* likewise of an instance: V_NONE */
Value report_no_element(Front *f, const Inst *inst, const Ref *ref, Env env);
/* a whole number of at least 0, or false with a diagnostic; also a type that may be a dimension */
bool evaluate_type_size(Front *f, const Expr *e, Env env, size_t *size);
bool evaluate_size(Front *f, const Expr *e, Env env, size_t *size);
/* the enumeration that an expression names, or NULL, without a word */
const Class *named_enumeration(Front *f, const Expr *e, Env env);
bool size_of_value(Front *f, const Value *v, SourceSpan span, const Inst *where, size_t *size);
bool evaluate_condition(Front *f, const Expr *e, Env env, bool *holds);
bool condition_of_value(Front *f, const Value *v, SourceSpan span, const Inst *where, bool *holds);
Value evaluate_subscripts(Front *f, const Value *v, const ExprList *subscripts, Env env,
                          SourceSpan span, const char *name);
typedef bool IterateBody(Front *f, Env env, void *user);
bool iterate(Front *f, const ForIndexList *indices, Env env, IterateBody *body, void *user);
/* implied.c: the last value of an index without a range, which counts from 1 */
Value implied_last(Front *f, const ForIndex *index, Env env);

Value operate_unary(Front *f, Operator op, Value a, SourceSpan span, const Inst *where);
Value operate_binary(Front *f, Operator op, Value a, Value b, SourceSpan span, const Inst *where);
/* semiLinear(x, a, b), of arrays for each element; V_NONE with a diagnostic */
Value operate_semi_linear(Front *f, const Value *a, SourceSpan span, const Inst *where);
/* of two elements, numbers or not: + - * only */
double number_operate(Front *f, Operator op, double a, double b);

/* true if the name is a built-in function; then *result is its value */
bool call_builtin(Front *f, const Expr *e, Env env, Value *result);
/* connect.c: how many connect equations name a connector; -1: not known */
long connection_count(Front *f, const Ref *ref, Env env);
void nearest_builtins(NearestName *nearest);
Value call_function(Front *f, const Expr *e, Env env, Value *all, size_t nall);
/* a function as a value; e: its name, or function f(a = 1) */
Value function_value_of(Front *f, Member *m, SourceSpan span);
Value evaluate_partial(Front *f, const Expr *e, Env env);
bool is_function_class(const Class *class_);
/* a function that was found already, for values */
Value call_with_values(Front *f, Member *function, const Value *arguments, size_t n,
                       SourceSpan span, Env env);
/* an algorithm section; env.frame has the variables that it assigns. False: error reported */
bool run_algorithm(Front *f, const EquationList *statements, Env env);
/* the expression that a call gives for an input or a field: by position, or by name; NULL: none */
Expr *call_argument(const CallExpr *call, size_t position, const char *name);
/* how many dimensions a variable of a function has */
int function_dimensions(Front *f, Member *m);
/* what an array has before its elements are assigned; V_NONE for a scalar */
Value unassigned_value(Front *f, Member *m, Env env);
/* what x[:] is before it is assigned, an array without elements; V_NONE: it has no such
 * dimension */
Value open_array_value(Front *f, Member *m, Env env);

/* ------------------------------------------------------------------ implied_inner.c */

/* will there be an inner component for this outer one? The instantiation begins again then. */
bool imply_inner(Front *f, Member *outer);
/* those of attempts before, as members of the top */
void add_implied_inner(Front *f);

/* ------------------------------------------------------------------ partial.c */

bool is_seed(uint64_t symbol);
double seed_element(const Front *f, uint64_t symbol); /* what it stands for */
bool has_seeds(Front *f, const Value *v);             /* does an element depend on one? */
Node without_seeds(Front *f, Node node);              /* with what they stand for */
bool lower_of_numbers(const Front *f); /* is a partial derivative computed with numbers? */

/* ------------------------------------------------------------------ record.c */

bool is_record_class(const Class *class_);
/* names and fields are to be filled */
Value record_create(Front *f, const Class *class_, size_t nfield, int ndim, const size_t *dim);
Value *record_field(const Value *v, const char *name); /* NULL: there is none */
Value record_below(const Value *v, int nleading, size_t i);
void record_put(Value *array, size_t i, const Value *element);
Value record_stack(Front *f, SourceSpan span, const Value *items, size_t n);
/* a component of a record class as a value; the function finds the value of each of its members */
typedef Value RecordMember(Front *f, Member *m, const Ref *ref, Env env);
Value record_of_inst(Front *f, Inst *inst, SourceSpan span, Env env, RecordMember *member_value_of);
/* the record class of a variable of a function; NULL if it is none */
Inst *record_template(Front *f, Member *m);
/* has the value the fields of the variable's class? */
bool record_fits(Front *f, const Value *v, Member *m);
/* a variable of a function before it is assigned: defaults of its fields, zeros for arrays */
Value record_unassigned(Front *f, Member *m, int ndim, const size_t *dim);
/* function.c: the same of one field */
Value unassigned_field(Front *f, Member *m, int ndim, const size_t *dim);

/* the connection and causality of a variable, which may be those of the record it is a field of */
FlowPrefix member_connection(const Member *m);
Causality member_causality(const Member *m);
/* a class, or a component whose type is called a connector: connector C = input Complex */
bool inst_is_connector(const Inst *inst);

/* ------------------------------------------------------------------ overload.c */

/* of two values of which one is a record; V_NONE with a diagnostic */
Value overload_binary(Front *f, Operator op, const Value *a, const Value *b, SourceSpan span,
                      const Inst *where);
Value overload_unary(Front *f, Operator op, const Value *a, SourceSpan span, const Inst *where);
/* String(record, ...); false: it has no such operator */
bool overload_string(Front *f, const Value *a, size_t n, SourceSpan span, const Inst *where,
                     Value *text);
/* the constructor of an operator record that takes the arguments of a call; NULL: it has none */
Member *record_constructor(Front *f, const Class *class_, const Expr *e, Env env);

/* ------------------------------------------------------------------ symbolic.c */

/* operations on elements of which at least one is symbolic; only while front->lower is set */
double symbolic_element(Node node);
double symbolic_number(Front *f, Node node);  /* likewise, a number again if it is one */
Node symbolic_node(Front *f, double element); /* of a number its constant */
double symbolic_unary(Front *f, Operator op, double a);
double symbolic_binary(Front *f, Operator op, double a, double b);
double symbolic_call(Front *f, Function function, double a, double b);
/* the same of Reals, which events may change: relations, and floor, mod and their like */
double symbolic_relation(Front *f, Operator op, double a, double b, SourceSpan span,
                         const Inst *where);
double symbolic_step(Front *f, Function function, double a, double b, SourceSpan span,
                     const Inst *where);
double symbolic_select(Front *f, double condition, double a, double b);
/* if condition then a else b, element by element; V_NONE with a diagnostic if they do not fit */
Value symbolic_choice(Front *f, double condition, Value a, Value b, SourceSpan span,
                      const Inst *where);
/* the same of a variable that a branch may have given no value: no number then */
Value symbolic_merge(Front *f, double condition, Value a, Value b, SourceSpan span,
                     const Inst *where);
/* false, with a diagnostic, for an element that must be known before the simulation */
bool is_known(Front *f, const Value *v, SourceSpan span, const Inst *where, const char *what);

/* ------------------------------------------------------------------ lower.c */

/* Elements that depend on parameters only become the numbers that these have now: true. Structure
 * may depend on them. False if one depends on variables. */
bool parameter_number(Front *f, Value *v);
/* the same where structure does not depend on them; false, too, if the elements of an array around
 * the class have different ones */
bool parameter_number_of_all(Front *f, Value *v);
/* the sizes of a variable; ":" is what the value that it is bound to has. false after an error */
bool member_all_sizes(Front *f, Member *m, SourceSpan span);

/* A when-clause under way: begun once, then opened and closed for each of its branches. `fires` is
 * 1 where the branch is taken. */
typedef struct Clause {
    struct Lower *lower;
    Node earlier; /* one of the branches before fires */
    Value conditions;
    uint32_t variable;
    SourceSpan span;
    size_t npre;
} Clause;
bool clause_begin(Front *f, Clause *c, SourceSpan span, Env env);
bool clause_open(Front *f, Clause *c, const Expr *condition, Env env, double *fires);
void clause_close(Front *f, Clause *c);
/* String(x) of a variable in a function: a text that a run completes */
Value lower_open_text(Front *f, double element);
/* a call as a statement where variables lead there: what a function without outputs asserts, an
 * error of its own; false: another one */
bool lower_guarded_call(Front *f, const Expr *e, Env env);
/* reinit and terminate; false: another function */
bool lower_event_call(Front *f, const Expr *e, Env env);
/* assert where f->lower is set: false after an error */
bool lower_assert_call(Front *f, const Expr *e, Env env);
/* an assertion that does not hold when the model is built: true after a warning */
bool report_assertion(Front *f, const Expr *e, Env env);
/* the run checks that an index that varies is from 1 to n, for a literal of the enumeration */
void lower_require_index(Front *f, double index, size_t n, const char *enumeration, SourceSpan span,
                         const Inst *where);
/* what follows happens only where the condition holds, too; the result is given back at the end */
Node lower_begin_guard(Front *f, double condition);
void lower_end_guard(Front *f, Node before);
/* homotopy(actual, simplified): the actual value, and what initial systems begin with */
Value lower_homotopy(Front *f, Value actual, const Value *simplified);
/* relations are computed where they stand: adds 1 or -1 to the number of reasons */
void lower_literal(Front *f, int by);

/* the value of a variable or parameter in equations */
Value lower_member(Front *f, Member *m, SourceSpan span);
ValueKind kind_of_type(TypeKind kind);
/* what the subscripts of a reference select of it */
Value lower_elements(Front *f, Member *m, const Ref *ref, Env env);
Value lower_time(Front *f);
/* Connections.isRoot, Connections.rooted */
Value virtual_call(Front *f, const Expr *e, Env env);
/* der, pre, sample ...: the functions of equations */
Value lower_call(Front *f, const Expr *e, Env env);

/* ------------------------------------------------------------------ emit.c, connect.c */

/* the Inst as a model of the session: its name, or NULL */
const char *emit_model(Front *f, Inst *inst, const char *name);
/* open.c: inputs that are zero because nobody drives them */
void warn_open_inputs(Front *f, Inst *inst);
/* the domain of a connector, "Signal" for input and output; NULL if it is none */
const char *connector_domain(Front *f, Member *m, Causality *causality);
void *work_zeroed(Front *f, size_t size);
void *scratch_zeroed(Front *f, size_t size);
const char *intern(Front *f, const char *text);

#endif
