/* tree.h - the syntax tree of Modelica text.
 *
 *   SyntaxFile        one text: `within`, the classes it stores, its line starts
 *    Class            any class definition; `form` says which fields are in use
 *     ClassElement    import | extends | class | component, in source order
 *      ComponentDecl  one per declared name: "Real x, y" makes two, sharing their type
 *      Modification   "(arguments) = value"
 *       Argument      modify a name | redeclare a ClassElement | break
 *     Equation        equations and, by its other name Statement, statements
 *     External        the external clause of a function
 *    Expr             expressions, with Ref for names and CallExpr for calls
 *
 * Names are interned: equal pointers are equal names. A quoted name keeps its quotes, for
 * 'x' and x are different. Strings are values: NUL terminated, escapes resolved. Lists are
 * arrays; an empty one is {NULL, 0}, and what is optional is NULL or empty, as the field
 * says. Every node has a SourceSpan, 16 bytes that span_place turns into file, line and column.
 *
 * Parentheses around one expression leave no node: the shape of the tree says it. An empty
 * "()" after a name and an empty "annotation()" leave nothing either. Equation sections of
 * one kind are joined; algorithm sections stay apart, since each is a unit of execution.
 *
 * Everything lives in the arena of parse_text and points into the text given to it. A tree
 * is at most SYNTAX_DEPTH nodes deep, so recursion over it is safe. A file with syntax
 * errors (nerrors > 0) has a tree with holes: a walker must not use it.
 */
#ifndef LIEDER_FRONT_TREE_H
#define LIEDER_FRONT_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define SYNTAX_DEPTH 1000

typedef struct SyntaxFile SyntaxFile;
typedef struct Class Class;
typedef struct ClassElement ClassElement;
typedef struct Argument Argument;
typedef struct Equation Equation;
typedef struct Equation Statement; /* the same node, in algorithms and functions */
typedef struct Expr Expr;
typedef struct Ref Ref;

/* ------------------------------------------------------------------ places and lists */

/* where a node stands: bytes [at, at + length) of the file's text */
typedef struct SourceSpan {
    const SyntaxFile *file;
    uint32_t at, length;
} SourceSpan;

/* file, line, column and length in characters; the length is cut at the end of the line */
Place span_place(SourceSpan span);
int span_line(SourceSpan span);

#define LIST(T)                                                                                    \
    struct {                                                                                       \
        T *items;                                                                                  \
        size_t n;                                                                                  \
    }
typedef LIST(Class *) ClassList;
typedef LIST(ClassElement *) ElementList;
typedef LIST(Argument *) ArgumentList;
typedef LIST(Equation *) EquationList;
typedef LIST(Expr *) ExprList;

/* ------------------------------------------------------------------ names */

/* A dotted name, one node per part: "a.b[2].c" is a -> b[2] -> c. Serves as type-specifier
 * and name (no subscripts then) and as component-reference. */
struct Ref {
    SourceSpan span; /* of this part; ref_span has the whole */
    const char *name;
    bool global;         /* first part: written with a leading dot */
    ExprList subscripts; /* EX_COLON for ":" */
    Ref *rest;           /* the part after the dot, or NULL */
};

SourceSpan ref_span(const Ref *ref);

/* ------------------------------------------------------------------ expressions */

typedef enum ExprKind {
    EX_NONE,    /* a hole after a syntax error */
    EX_INTEGER, /* integer; one beyond 64 bits becomes EX_REAL */
    EX_REAL,    /* real */
    EX_STRING,  /* text */
    EX_BOOLEAN, /* boolean */
    EX_REF,     /* ref; `time` is an ordinary name */
    EX_END,     /* "end" in a subscript */
    EX_COLON,   /* ":" as a subscript: the whole dimension */
    EX_UNARY,   /* op, right */
    EX_BINARY,  /* op, left, right */
    EX_RANGE,   /* range: first : [step :] last */
    EX_IF,      /* choice */
    EX_CALL,    /* call; der, initial and pure are calls of those names */
    EX_PARTIAL, /* call: "function f(named arguments)" as an argument */
    EX_ARRAY,   /* list: {a, b} */
    EX_COLLECT, /* collect: {body for i in range} */
    EX_MATRIX,  /* matrix: [a, b; c, d] */
    EX_TUPLE,   /* list: (a, , b) with NULL for what is left out; never exactly one */
    EX_SELECT   /* select: (base)[subscripts] or (base).name */
} ExprKind;

typedef enum Operator {
    OP_NONE,
    OP_OR,
    OP_AND,
    OP_NOT, /* unary */
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_ADD, /* these four also unary */
    OP_SUB,
    OP_EACH_ADD, /* ".+" and so on: element by element */
    OP_EACH_SUB,
    OP_MUL,
    OP_DIV,
    OP_EACH_MUL,
    OP_EACH_DIV,
    OP_POW,
    OP_EACH_POW
} Operator;

const char *operator_text(Operator op); /* "+", "and", ... */

/* IDENT [ in range ] */
typedef struct ForIndex {
    SourceSpan span;
    const char *name;
    Expr *range; /* NULL: deduced from the use of the index */
    /* without a range: where it is a subscript first, implied.c; NULL: nowhere */
    const Ref *used;
    size_t used_depth, used_dimension;
} ForIndex;
typedef LIST(ForIndex *) ForIndexList;

/* IDENT = value, in a call */
typedef struct NamedArgument {
    SourceSpan span; /* of the name */
    const char *name;
    Expr *value;
} NamedArgument;
typedef LIST(NamedArgument *) NamedArgumentList;

typedef struct CallExpr {
    Ref *function;
    ExprList positional;     /* exactly one when there are iterators */
    NamedArgumentList named; /* after the positional ones */
    ForIndexList iterators;  /* sum(x[i] for i in 1:n); the first is the outermost in text */
} CallExpr;

struct Expr {
    ExprKind kind;
    unsigned short op;     /* Operator: unary and binary */
    unsigned short height; /* 1 for a leaf; at most SYNTAX_DEPTH */
    SourceSpan span;
    union {
        long long integer;
        double real;
        const char *text;
        bool boolean;
        Ref *ref;
        struct {
            Expr *left, *right; /* unary: left is NULL */
        };
        struct {
            Expr *first, *step, *last; /* step NULL: 1 */
        } range;
        struct {
            ExprList *conditions; /* "if" and each "elseif" */
            ExprList *values;     /* one more: the last is the "else" */
        } choice;
        CallExpr *call;
        ExprList list;
        struct {
            Expr *body;
            ForIndexList *iterators;
        } collect;
        struct {
            ExprList **rows;
            size_t nrow;
        } matrix;
        struct {
            Expr *base;
            ExprList *subscripts; /* or NULL, then name */
            const char *name;
        } select;
    };
};

/* ------------------------------------------------------------------ comments, modifications */

/* what may follow a declaration, an equation or a class */
typedef struct Comment {
    const char *text; /* description string, parts joined; NULL: none */
    ArgumentList annotation;
} Comment;

typedef struct Modification {
    SourceSpan span;
    ArgumentList arguments;
    Expr *value;   /* after "=", or NULL */
    bool is_break; /* "= break": takes a binding away */
} Modification;

typedef enum ArgumentKind {
    AR_MODIFY,       /* name, modification, text */
    AR_ELEMENT,      /* element: redeclare and / or replaceable, of a component or short class */
    AR_BREAK,        /* name: of a component that extends leaves out */
    AR_BREAK_CONNECT /* connect: a connection that extends leaves out */
} ArgumentKind;

struct Argument {
    ArgumentKind kind;
    SourceSpan span;
    bool each, final;
    Ref *name;                  /* modify: may be dotted; break */
    Modification *modification; /* modify: or NULL */
    const char *text;           /* modify: description string or NULL */
    ClassElement *element;
    Equation *connect;
};

/* ------------------------------------------------------------------ elements of a class */

typedef enum ElementKind { EL_IMPORT, EL_EXTENDS, EL_CLASS, EL_COMPONENT } ElementKind;

typedef enum FlowPrefix { CONNECT_POTENTIAL, CONNECT_FLOW, CONNECT_STREAM } FlowPrefix;
typedef enum Variability {
    VARY_CONTINUOUS,
    VARY_DISCRETE,
    VARY_PARAMETER,
    VARY_CONSTANT
} Variability;
typedef enum Causality { CAUSE_NONE, CAUSE_INPUT, CAUSE_OUTPUT } Causality;

typedef struct TypePrefix {
    FlowPrefix connection;
    Variability variability;
    Causality causality;
} TypePrefix;

typedef struct ImportedName {
    SourceSpan span;
    const char *name;
} ImportedName;

typedef struct Import {
    const char *alias; /* import alias = name; or NULL */
    Ref *name;
    bool all;                   /* import name.* */
    LIST(ImportedName *) names; /* import name.{a, b} */
} Import;

typedef struct Extends {
    Ref *type;
    Modification *modification; /* arguments only; or NULL */
} Extends;

typedef struct ComponentDecl {
    const char *name;
    SourceSpan name_span;
    TypePrefix prefix;
    Ref *type;
    ExprList type_subscripts;   /* Real[3] x: these dimensions come last */
    ExprList subscripts;        /* Real x[3] */
    Modification *modification; /* or NULL */
    Expr *condition;            /* if ...; or NULL */
} ComponentDecl;

/* constrainedby type (modification) "text" annotation(...) */
typedef struct Constraint {
    SourceSpan span;
    Ref *type;
    Modification *modification; /* arguments only; or NULL */
    Comment comment;
} Constraint;

struct ClassElement {
    ElementKind kind;
    SourceSpan span;
    bool is_protected;
    bool redeclare, final, inner, outer, replaceable;
    bool each;              /* as an argument only */
    Constraint *constraint; /* or NULL */
    Comment comment;        /* a class has its own */
    union {
        Import *import;
        Extends *extends;
        Class *class_;
        ComponentDecl *component;
    };
};

/* ------------------------------------------------------------------ equations, statements */

typedef enum EquationKind {
    EQ_NONE,    /* a hole after a syntax error */
    EQ_EQUAL,   /* equation: left = right */
    EQ_CONNECT, /* equation: connect(left, right), both EX_REF */
    EQ_ASSIGN,  /* statement: left := right; left is EX_REF, EX_TUPLE or a call of der */
    EQ_CALL,    /* both: left is EX_CALL */
    EQ_IF,      /* both: branches */
    EQ_WHEN,    /* both: branches, the first is "when", the others "elsewhen" */
    EQ_FOR,     /* both: indices, body */
    EQ_WHILE,   /* statement: left is the condition, body */
    EQ_BREAK,   /* statement */
    EQ_RETURN   /* statement */
} EquationKind;

typedef struct Branch {
    SourceSpan span; /* of the keyword */
    Expr *condition; /* NULL: else */
    EquationList body;
} Branch;

struct Equation {
    EquationKind kind;
    SourceSpan span;
    Comment comment;
    Expr *left, *right;
    LIST(Branch *) branches;
    ForIndexList indices;
    EquationList body;
};

typedef struct Algorithm {
    SourceSpan span; /* of the keyword */
    bool initial;
    EquationList statements;
} Algorithm;

/* external "language" [result =] name(arguments) annotation(...) */
typedef struct External {
    SourceSpan span;
    const char *language; /* or NULL */
    Ref *result;          /* or NULL */
    const char *name;     /* or NULL: the function's own name and the standard call */
    ExprList arguments;
    ArgumentList annotation;
} External;

/* ------------------------------------------------------------------ classes */

typedef enum ClassKind {
    CLASS_CLASS,
    CLASS_MODEL,
    CLASS_RECORD,
    CLASS_OPERATOR_RECORD,
    CLASS_BLOCK,
    CLASS_CONNECTOR,
    CLASS_EXPANDABLE_CONNECTOR,
    CLASS_TYPE,
    CLASS_PACKAGE,
    CLASS_FUNCTION,
    CLASS_OPERATOR_FUNCTION,
    CLASS_OPERATOR
} ClassKind;

const char *class_kind_text(ClassKind kind); /* "expandable connector", ... */

typedef enum ClassForm {
    FORM_LONG,    /* model A ... end A */
    FORM_EXTENDS, /* model extends A(modification) ... end A */
    FORM_SHORT,   /* type A = prefix base[subscripts](modification) */
    FORM_ENUM,    /* type A = enumeration(literals), or (:) with open_enum */
    FORM_DER      /* function A = der(base, inputs) */
} ClassForm;

typedef enum Purity { PURITY_NONE, PURITY_PURE, PURITY_IMPURE } Purity;

typedef struct EnumLiteral {
    SourceSpan span;
    const char *name;
    Comment comment;
} EnumLiteral;

struct Class {
    SourceSpan span;
    SourceSpan name_span;
    const char *name;
    Class *parent; /* the class it stands in, or NULL */
    ClassKind kind;
    ClassForm form;
    unsigned names_read; /* in which instantiation, see unused.c */
    unsigned rules_read; /* likewise, see class_rules.c */
    Purity purity;
    bool encapsulated, partial;
    Class *text; /* of a class of the compiled library: what it was compiled from; or NULL */
    const char *pending; /* file or folder that it is read from when it is asked for; or NULL */
    bool has_head;       /* pending, but its head was read: see parse_outline */
    bool final;          /* only of a class at the top of a file; else see ClassElement */
    Comment comment;     /* all class annotations joined */

    /* long and extends */
    ElementList elements;
    ElementList imports; /* those of the elements, too: asked for at every lookup */
    EquationList equations, initial_equations;
    LIST(Algorithm *) algorithms;
    External *external; /* or NULL */

    /* extends and short */
    Modification *modification; /* arguments only; or NULL */

    /* short and der */
    Ref *base;
    TypePrefix prefix; /* input or output; the others up to Modelica 3.4 */
    ExprList subscripts;
    LIST(Ref *) inputs; /* der: the names derived after */

    LIST(EnumLiteral *) literals; /* enum */
    bool open_enum;
};

/* ------------------------------------------------------------------ one text */

struct SyntaxFile {
    const char *name, *text;
    uint32_t length;
    uint32_t *line_starts; /* byte offsets */
    uint32_t nline;
    bool has_within;
    Ref *within; /* NULL: top level */
    ClassList classes;
    size_t nerrors;
};

#endif
