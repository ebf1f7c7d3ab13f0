/* pattern.c - POSIX extended regular expressions that are matched against whole names.
 *
 * Names of a model form a tree: a million crabs share the few continuations of "crab[17].". regexec
 * takes only whole strings, so every one of a hundred million names would have to be built to be
 * refused. This automaton takes a name piece by piece instead: the walk over the instances carries
 * a state along, leaves a branch when the state is dead, and recognises a branch by its state when
 * it comes there again (select.c).
 *
 *   expression  = branch { "|" branch }
 *   branch      = { piece }
 *   piece       = atom { "*" | "+" | "?" | "{" min [ "," [ max ] ] "}" }
 *   atom        = "(" expression ")" | "[" set "]" | "." | "^" | "$" | "\" char | char
 *
 * * \d, \w and \s and their opposites \D, \W, \S are understood besides POSIX. The tree is compiled
 * from its end into a nondeterministic automaton, in which each node has its successor;
 * deterministic states (sets of its nodes) are made when they are first reached.
 *
 * For any expression time, memory and stack are bounded: sequences and alternatives are lists that
 * are walked through, so that only parentheses and repetitions of repetitions are recursion
 * (MAX_DEPTH; all of it fits a stack of 64 kB), the work of compiling is counted, and so are states
 * and their nodes.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/select.h"

enum {
    MAX_REPEAT = 255,
    MAX_EXPRESSIONS = 100000,
    MAX_NODES = 20000,
    MAX_STATES = 20000,
    MAX_DEPTH = 64,       /* of the tree, where it is not a list */
    MAX_WORK = 1000000,   /* pieces compiled, of which many may make no node */
    MAX_MEMBERS = 4000000 /* nodes of all states together */
};

/* ------------------------------------------------------------------ types */

typedef struct CharSet {
    uint64_t bits[4];
} CharSet;

typedef enum PatternExprKind {
    PX_EMPTY,
    PX_SET,
    PX_BEGIN,
    PX_END,
    PX_JOIN,
    PX_EITHER,
    PX_REPEAT
} PatternExprKind;

typedef struct PatternExpr {
    PatternExprKind kind;
    CharSet set;
    struct PatternExpr *a, *b; /* PX_JOIN: b is the last piece, PX_EITHER: a is the first branch */
    int min, max;              /* PX_REPEAT; max -1: any number */
    int depth;                 /* calls of compile_expr inside each other */
} PatternExpr;

typedef enum PatternNodeKind { ND_SET, ND_SPLIT, ND_BEGIN, ND_END, ND_ACCEPT } PatternNodeKind;

typedef struct NfaNode {
    PatternNodeKind kind;
    CharSet set;
    int next, other; /* other: of a split */
} NfaNode;

typedef struct DfaState {
    size_t first, n; /* nodes, in Pattern.members */
    uint64_t hash;
    bool accepts;
    int next[256]; /* -1: not known yet */
} DfaState;

struct Pattern {
    Arena arena; /* expressions */
    VEC(NfaNode) nodes;
    VEC(int) members;
    VEC(DfaState) states;
    VEC(int) set;       /* nodes of the state being made */
    VEC(int) pending;   /* nodes that `reach` has yet to follow */
    VEC(uint32_t) mark; /* by node: the last round in which it was reached */
    uint32_t round;
    int entry, start;
    bool failed;
    size_t nexpr, work;
    /* while parsing */
    const char *at, *begin;
    int nesting;
    char *message;
    size_t size;
};

static bool set_has(const CharSet *s, unsigned char c)
{
    return s->bits[c / 64] >> (c % 64) & 1;
}

static void set_add(CharSet *s, unsigned char c)
{
    s->bits[c / 64] |= (uint64_t)1 << (c % 64);
}

static void set_invert(CharSet *s)
{
    for (int i = 0; i < 4; i++)
        s->bits[i] = ~s->bits[i];
    s->bits[0] &= ~(uint64_t)1; /* NUL is in no name */
}

/* ------------------------------------------------------------------ parser */

static PatternExpr *parse_expression(Pattern *p);

/* keeps the first message only, with the place in the expression; returns NULL */
__attribute__((format(printf, 2, 3))) static PatternExpr *pattern_error(Pattern *p,
                                                                        const char *format, ...)
{
    if (!*p->message) {
        va_list args;
        va_start(args, format);
        int n = vsnprintf(p->message, p->size, format, args);
        va_end(args);
        if (n >= 0 && (size_t)n < p->size)
            snprintf(p->message + n, p->size - (size_t)n, " (at character %td)",
                     p->at - p->begin + 1);
    }
    return NULL;
}

static int depth_of(const PatternExpr *e)
{
    return e ? e->depth : 0;
}

/* lists of pieces or of branches are no deeper than their deepest element */
static PatternExpr *new_expr(Pattern *p, PatternExprKind kind, PatternExpr *a, PatternExpr *b)
{
    if (++p->nexpr > MAX_EXPRESSIONS)
        return pattern_error(p, "the expression is too large");
    PatternExpr *e = arena_zeroed(&p->arena, sizeof *e);
    if (!e)
        return pattern_error(p, "out of memory");
    *e = (PatternExpr){.kind = kind, .a = a, .b = b};
    int left = depth_of(a) + (kind != PX_JOIN || a->kind != PX_JOIN);
    int right = depth_of(b) + (kind != PX_EITHER || b->kind != PX_EITHER);
    e->depth = left > right ? left : right;
    if (e->depth > MAX_DEPTH)
        return pattern_error(p, "too many parentheses or repetitions inside each other");
    return e;
}

/* the characters of [:alpha:] and so on; false if there is no such class */
static bool add_named_class(CharSet *set, const char *name, size_t n)
{
    static const struct {
        const char *name;
        int (*test)(int);
    } classes[] = {{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum}, {"upper", isupper},
                   {"lower", islower}, {"space", isspace}, {"punct", ispunct}, {"xdigit", isxdigit},
                   {"blank", isblank}, {"print", isprint}, {"graph", isgraph}, {"cntrl", iscntrl}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == n && memcmp(classes[i].name, name, n) == 0) {
            for (int c = 1; c < 256; c++)
                if (classes[i].test(c))
                    set_add(set, (unsigned char)c);
            return true;
        }
    return false;
}

/* set = [ "^" ] { "[:" class ":]" | char [ "-" char ] } "]"; a leading "]" is a character */
static PatternExpr *parse_set(Pattern *p)
{
    PatternExpr *e = new_expr(p, PX_SET, NULL, NULL);
    if (!e)
        return NULL;
    bool invert = *p->at == '^';
    p->at += invert;
    for (bool first = true; first || *p->at != ']'; first = false) {
        if (!*p->at)
            return pattern_error(p, "the set [... has no end: ']' is missing");
        if (p->at[0] == '[' && p->at[1] == ':') {
            const char *end = strstr(p->at + 2, ":]");
            if (!end || !add_named_class(&e->set, p->at + 2, (size_t)(end - p->at - 2)))
                return pattern_error(p,
                                     "unknown class of characters: use [:alpha:], [:digit:], ...");
            p->at = end + 2;
            continue;
        }
        if (p->at[0] == '[' && (p->at[1] == '.' || p->at[1] == '='))
            return pattern_error(p, "collating elements are not supported");
        unsigned char low = (unsigned char)*p->at++, high = low;
        if (p->at[0] == '-' && p->at[1] && p->at[1] != ']') {
            high = (unsigned char)p->at[1];
            p->at += 2;
        }
        if (high < low)
            return pattern_error(p, "the range %c-%c is empty", low, high);
        for (int c = low; c <= high; c++)
            set_add(&e->set, (unsigned char)c);
    }
    p->at++;
    if (invert)
        set_invert(&e->set);
    return e;
}

/* what follows a backslash */
static PatternExpr *parse_escape(Pattern *p)
{
    unsigned char c = (unsigned char)*p->at;
    if (!c)
        return pattern_error(p, "nothing follows the backslash");
    PatternExpr *e = new_expr(p, PX_SET, NULL, NULL);
    if (!e)
        return NULL;
    if (!isalnum(c)) {
        set_add(&e->set, c);
    } else if (strchr("dwsDWS", c)) {
        int kind = tolower(c);
        add_named_class(&e->set, kind == 'd' ? "digit" : kind == 'w' ? "alnum" : "space", 5);
        if (kind == 'w')
            set_add(&e->set, '_');
        if (isupper(c))
            set_invert(&e->set);
    } else {
        return pattern_error(p, "\\%c is not supported", c);
    }
    p->at++;
    return e;
}

/* atom: '(' expression ')' | '[' set ']' | '\' char | '.' | '^' | '$' | char */
static PatternExpr *parse_atom(Pattern *p)
{
    char c = *p->at;
    if (strchr("*+?", c))
        return pattern_error(p, "there is nothing before '%c' that could be repeated", c);
    p->at++;
    if (c == '[')
        return parse_set(p);
    if (c == '\\')
        return parse_escape(p);
    if (c == '(') {
        if (++p->nesting > MAX_DEPTH)
            return pattern_error(p, "too many parentheses inside each other");
        PatternExpr *e = parse_expression(p);
        p->nesting--;
        if (e && *p->at != ')')
            return pattern_error(p, "')' is missing");
        p->at++;
        return e;
    }
    PatternExpr *e = new_expr(p, c == '^' ? PX_BEGIN : c == '$' ? PX_END : PX_SET, NULL, NULL);
    if (e && c == '.')
        set_invert(&e->set);
    else if (e)
        set_add(&e->set, (unsigned char)c);
    return e;
}

/* the numbers of {min,max}; false: it is an ordinary brace */
static bool parse_bounds(Pattern *p, int *min, int *max)
{
    if (p->at[0] != '{' || !isdigit((unsigned char)p->at[1]))
        return false;
    char *end;
    long low = strtol(p->at + 1, &end, 10), high = low;
    if (*end == ',') {
        end++;
        high = isdigit((unsigned char)*end) ? strtol(end, &end, 10) : -1;
    }
    if (*end != '}' || low > MAX_REPEAT || high > MAX_REPEAT || (high >= 0 && high < low)) {
        pattern_error(p, "a repetition is {min,max} with numbers up to %d", MAX_REPEAT);
        return false;
    }
    p->at = end + 1;
    *min = (int)low;
    *max = (int)high;
    return true;
}

/* piece: atom { '*' | '+' | '?' | '{' min, max '}' } */
static PatternExpr *parse_piece(Pattern *p)
{
    PatternExpr *e = parse_atom(p);
    while (e) {
        int min = *p->at == '+', max = *p->at == '?' ? 1 : -1;
        if (*p->at && strchr("*+?", *p->at))
            p->at++;
        else if (!parse_bounds(p, &min, &max))
            break;
        e = new_expr(p, PX_REPEAT, e, NULL);
        if (e) {
            e->min = min;
            e->max = max;
        }
    }
    return *p->message ? NULL : e;
}

/* branch: { piece }, joined in order; empty matches the empty text */
static PatternExpr *parse_branch(Pattern *p)
{
    PatternExpr *e = NULL;
    while (*p->at && *p->at != '|' && !(*p->at == ')' && p->nesting)) {
        PatternExpr *piece = parse_piece(p);
        if (!piece)
            return NULL;
        e = e ? new_expr(p, PX_JOIN, e, piece) : piece;
        if (!e)
            return NULL;
    }
    return e ? e : new_expr(p, PX_EMPTY, NULL, NULL);
}

/* the branches come into a list from the last to the first */
static PatternExpr *parse_expression(Pattern *p)
{
    PatternExpr *newest = parse_branch(p), *e = NULL;
    while (newest && *p->at == '|') {
        p->at++;
        PatternExpr *next = parse_branch(p);
        e = !next ? NULL : e ? new_expr(p, PX_EITHER, newest, e) : newest;
        if (!e)
            return NULL;
        newest = next;
    }
    return e && newest ? new_expr(p, PX_EITHER, newest, e) : newest;
}

/* ------------------------------------------------------------------ nodes */

static int new_node(Pattern *p, NfaNode node)
{
    if (p->nodes.n >= MAX_NODES) {
        pattern_error(p, "the expression is too large");
        return 0;
    }
    if (!vec_push(HEAP, &p->nodes, node)) {
        pattern_error(p, "out of memory");
        return 0;
    }
    return (int)p->nodes.n - 1;
}

static int compile_expr(Pattern *p, const PatternExpr *e, int next);

/* one branch or another: a chain of splits */
static int compile_branches(Pattern *p, const PatternExpr *e, int next)
{
    int first = -1, last = -1;
    for (; e->kind == PX_EITHER && !*p->message; e = e->b) {
        int branch = compile_expr(p, e->a, next);
        int split = new_node(p, (NfaNode){.kind = ND_SPLIT, .next = branch});
        if (*p->message)
            return 0;
        if (last < 0)
            first = split;
        else
            p->nodes.items[last].other = split;
        last = split;
    }
    int branch = compile_expr(p, e, next);
    if (*p->message)
        return 0;
    p->nodes.items[last].other = branch;
    return first;
}

/* min copies in a row, then max - min optional ones, or a loop if there is no max; returns the
 * first node */
static int compile_repeat(Pattern *p, const PatternExpr *e, int next)
{
    int first = next;
    if (e->max < 0) {
        first = new_node(p, (NfaNode){.kind = ND_SPLIT, .other = next});
        int loop = compile_expr(p, e->a, first);
        if (!*p->message)
            p->nodes.items[first].next = loop;
    }
    for (int i = e->min; i < e->max && !*p->message; i++) {
        int once = compile_expr(p, e->a, first);
        first = new_node(p, (NfaNode){.kind = ND_SPLIT, .next = once, .other = next});
    }
    for (int i = 0; i < e->min && !*p->message; i++)
        first = compile_expr(p, e->a, first);
    return first;
}

/* nodes for an expression that is followed by `next`; the first of them */
static int compile_expr(Pattern *p, const PatternExpr *e, int next)
{
    if (++p->work > MAX_WORK)
        pattern_error(p, "the expression is too large");
    for (; e->kind == PX_JOIN && !*p->message; e = e->a) // the last piece first
        next = compile_expr(p, e->b, next);
    if (*p->message)
        return 0;
    switch (e->kind) {
    case PX_SET:
        return new_node(p, (NfaNode){.kind = ND_SET, .set = e->set, .next = next});
    case PX_BEGIN:
        return new_node(p, (NfaNode){.kind = ND_BEGIN, .next = next});
    case PX_END:
        return new_node(p, (NfaNode){.kind = ND_END, .next = next});
    case PX_EITHER:
        return compile_branches(p, e, next);
    case PX_REPEAT:
        return compile_repeat(p, e, next);
    default:
        return next;
    }
}

/* ------------------------------------------------------------------ states */

/* Adds to p->set the nodes for a character or an end that are reached from `node` without a
 * character; true: the end of the expression is reached. Edges to follow later wait in a list, not
 * on the stack. */
static bool reach(Pattern *p, int node, bool at_begin, bool at_end)
{
    bool accepted = false;
    p->pending.n = 0;
    for (;;) {
        while (p->mark.items[node] != p->round) {
            p->mark.items[node] = p->round;
            const NfaNode *n = &p->nodes.items[node];
            if (n->kind == ND_SPLIT) {
                p->failed |= !vec_push(HEAP, &p->pending, n->other);
            } else if (n->kind == ND_ACCEPT) {
                accepted = true;
                break;
            } else if (!(n->kind == ND_BEGIN && at_begin) && !(n->kind == ND_END && at_end)) {
                if (!at_end && n->kind != ND_BEGIN)
                    p->failed |= !vec_push(HEAP, &p->set, node);
                break;
            }
            node = n->next;
        }
        if (p->pending.n == 0)
            return accepted;
        node = p->pending.items[--p->pending.n];
    }
}

static int by_number(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* the state for the nodes in p->set, which is known already or new */
static int find_state(Pattern *p, bool accepts, bool at_begin)
{
    size_t n = p->set.n;
    if (n == 0 && !accepts)
        return PATTERN_DEAD;
    if (n > 1)
        qsort(p->set.items, n, sizeof(int), by_number);
    /* a $ leads on to the end of the expression only if the name ends here */
    p->round++;
    for (size_t i = 0; i < n; i++)
        if (p->nodes.items[p->set.items[i]].kind == ND_END)
            accepts |= reach(p, p->set.items[i], at_begin, true);
    uint64_t hash = 1469598103934665603u + accepts;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)p->set.items[i]) * 1099511628211u;
    for (size_t i = 1; i < p->states.n; i++) {
        const DfaState *s = &p->states.items[i];
        if (s->hash == hash && s->n == n && s->accepts == accepts &&
            (n == 0 || memcmp(p->members.items + s->first, p->set.items, n * sizeof(int)) == 0))
            return (int)i;
    }
    DfaState s = {.first = p->members.n, .n = n, .hash = hash, .accepts = accepts};
    memset(s.next, 0xff, sizeof s.next);
    p->failed |= p->members.n + n > MAX_MEMBERS;
    for (size_t i = 0; i < n && !p->failed; i++)
        p->failed |= !vec_push(HEAP, &p->members, p->set.items[i]);
    if (p->failed || p->states.n >= MAX_STATES || !vec_push(HEAP, &p->states, s)) {
        p->failed = true;
        return PATTERN_DEAD;
    }
    return (int)p->states.n - 1;
}

/* the state after reading c, made and remembered when it is first needed */
static int make_step(Pattern *p, int state, unsigned char c)
{
    if (p->failed)
        return PATTERN_DEAD;
    p->set.n = 0;
    p->round++;
    bool accepts = false;
    for (size_t i = 0; i < p->states.items[state].n; i++) {
        const NfaNode *n = &p->nodes.items[p->members.items[p->states.items[state].first + i]];
        if (n->kind == ND_SET && set_has(&n->set, c))
            accepts |= reach(p, n->next, false, false);
    }
    int next = find_state(p, accepts, false);
    p->states.items[state].next[c] = next;
    return next;
}

/* ------------------------------------------------------------------ interface
 */

Pattern *pattern_create(const char *regex, char *message, size_t size)
{
    *message = '\0';
    Pattern *p = memory_zeroed(HEAP, sizeof *p);
    if (!p) {
        snprintf(message, size, "out of memory");
        return NULL;
    }
    arena_init(&p->arena, HEAP);
    p->begin = p->at = regex;
    p->message = message;
    p->size = size;
    const PatternExpr *e = parse_expression(p);
    if (e) {
        int end = new_node(p, (NfaNode){.kind = ND_ACCEPT});
        p->entry = compile_expr(p, e, end);
    }
    DfaState dead = {.accepts = false}; /* all its ways lead to itself */
    if (!*message && (!vec_resize(HEAP, &p->mark, p->nodes.n) || !vec_push(HEAP, &p->states, dead)))
        pattern_error(p, "out of memory");
    if (!*message) {
        p->round = 1;
        bool accepts = reach(p, p->entry, true, false);
        p->start = find_state(p, accepts, true);
        if (p->failed)
            pattern_error(p, "out of memory");
    }
    if (*message) {
        pattern_destroy(p);
        return NULL;
    }
    return p;
}

void pattern_destroy(Pattern *p)
{
    if (!p)
        return;
    arena_drop(&p->arena);
    vec_drop(HEAP, &p->nodes);
    vec_drop(HEAP, &p->members);
    vec_drop(HEAP, &p->states);
    vec_drop(HEAP, &p->set);
    vec_drop(HEAP, &p->pending);
    vec_drop(HEAP, &p->mark);
    memory_free(HEAP, p, sizeof *p);
}

int pattern_start(const Pattern *p)
{
    return p->start;
}

int pattern_step(Pattern *p, int state, const char *text, size_t n)
{
    for (size_t i = 0; i < n && state != PATTERN_DEAD; i++) {
        int next = p->states.items[state].next[(unsigned char)text[i]];
        state = next >= 0 ? next : make_step(p, state, (unsigned char)text[i]);
    }
    return state;
}

bool pattern_accepts(const Pattern *p, int state)
{
    return p->states.items[state].accepts;
}

bool pattern_matches(Pattern *p, const char *text)
{
    return pattern_accepts(p, pattern_step(p, p->start, text, strlen(text)));
}

bool pattern_failed(const Pattern *p)
{
    return p->failed;
}
