/* resolve.c - see resolve.h. Chains of extends, short classes and imports are followed MAX_DEPTH
 * far. */
#include "lsp/resolve.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 12 };

static TokenKind kind_at(const Scan *s, size_t i)
{
    return i < s->tokens.n ? s->tokens.items[i].kind : TK_END_OF_FILE;
}

bool meaning_equal(Meaning a, Meaning b)
{
    return a.kind == b.kind && a.scan == b.scan && a.index == b.index;
}

size_t meaning_token(Meaning y)
{
    return y.kind == MEANS_CLASS ? y.scan->classes.items[y.index].name
                                 : y.scan->components.items[y.index].name;
}

const char *meaning_full_name(Meaning y, char *buffer, size_t size)
{
    const ScanClass *c = &y.scan->classes.items[y.index];
    const Token *t = &y.scan->tokens.items[c->name];
    char before[512] = "";
    if (c->parent != SCAN_NONE)
        meaning_full_name((Meaning){MEANS_CLASS, y.scan, c->parent}, before, sizeof before);
    snprintf(buffer, size, "%s%s%.*s", before, *before ? "." : "", (int)t->length,
             y.scan->text + t->at);
    return buffer;
}

/* ------------------------------------------------------------------ members */

static Meaning resolve_deep(const Texts *t, const Scan *s, size_t class_, size_t token, int depth);

typedef struct Members {
    const Texts *texts;
    ResolveVisit *visit;
    void *user;
    bool stopped;
} Members;

/* what a class declares itself */
static void visit_own(Members *m, Meaning y)
{
    const Scan *s = y.scan;
    for (size_t i = 0; i < s->components.n && !m->stopped; i++)
        if (s->components.items[i].class_ == y.index)
            m->stopped = !m->visit(m->user, (Meaning){MEANS_COMPONENT, s, i});
    for (size_t i = 0; i < s->classes.n && !m->stopped; i++)
        if (s->classes.items[i].parent == y.index)
            m->stopped = !m->visit(m->user, (Meaning){MEANS_CLASS, s, i});
}

/* the same package in another text: the library has packages that several files fill */
static bool same_package(const Scan *a, size_t i, const Scan *b, size_t k)
{
    while (i != SCAN_NONE && k != SCAN_NONE) {
        const ScanClass *x = &a->classes.items[i], *y = &b->classes.items[k];
        if (kind_at(a, x->keyword) != TK_PACKAGE || kind_at(b, y->keyword) != TK_PACKAGE ||
            !scan_same(a, x->name, b, y->name))
            return false;
        i = x->parent;
        k = y->parent;
    }
    return i == k;
}

static void visit_other_files(Members *m, Meaning y)
{
    for (size_t k = 1; k < m->texts->n; k++) {
        const Scan *s = m->texts->scans[k];
        for (size_t i = 0; s != y.scan && i < s->classes.n && !m->stopped; i++)
            if (same_package(y.scan, y.index, s, i))
                visit_own(m, (Meaning){MEANS_CLASS, s, i});
    }
}

/* everything that a class has by itself and by extends */
static void visit_members(Members *m, Meaning y, int depth)
{
    const Scan *s = y.scan;
    if (y.kind != MEANS_CLASS || depth == MAX_DEPTH)
        return;
    visit_own(m, y);
    if (s != m->texts->scans[0] && !m->stopped)
        visit_other_files(m, y);
    const ScanClass *c = &s->classes.items[y.index];
    if (c->base && !m->stopped)
        visit_members(m, resolve_deep(m->texts, s, c->parent, c->base, depth + 1), depth + 1);
    for (size_t i = 0; i < s->links.n && !m->stopped; i++) {
        const ScanLink *l = &s->links.items[i];
        if (l->class_ == y.index && !l->import)
            visit_members(m, resolve_deep(m->texts, s, y.index, l->type, depth + 1), depth + 1);
    }
}

void resolve_members(const Texts *t, Meaning class_, ResolveVisit *visit, void *user)
{
    visit_members(&(Members){.texts = t, .visit = visit, .user = user}, class_, 0);
}

typedef struct WantedName {
    const Scan *scan; /* of the token with the name */
    size_t token;
    Meaning found;
} WantedName;

static bool is_wanted(void *user, Meaning member)
{
    WantedName *w = user;
    if (!scan_same(member.scan, meaning_token(member), w->scan, w->token))
        return true;
    w->found = member;
    return false;
}

/* the member of a class that has the name of a token */
static Meaning find_member(const Texts *t, Meaning class_, const Scan *s, size_t token, int depth)
{
    WantedName w = {.scan = s, .token = token};
    visit_members(&(Members){.texts = t, .visit = is_wanted, .user = &w}, class_, depth);
    return w.found;
}

/* ------------------------------------------------------------------ names */

/* a class at the top of any text */
static Meaning find_top(const Texts *t, const Scan *s, size_t token)
{
    for (size_t k = 0; k < t->n; k++)
        for (size_t i = 0; i < t->scans[k]->classes.n; i++) {
            const ScanClass *c = &t->scans[k]->classes.items[i];
            if (c->parent == SCAN_NONE && scan_same(t->scans[k], c->name, s, token))
                return (Meaning){MEANS_CLASS, t->scans[k], i};
        }
    return (Meaning){0};
}

/* what a class imports under the name of a token */
static Meaning find_import(const Texts *t, const Scan *s, size_t class_, size_t token, int depth)
{
    for (size_t i = 0; i < s->links.n && depth < MAX_DEPTH; i++) {
        const ScanLink *l = &s->links.items[i];
        if (!l->import || l->class_ != class_ || l->type == token)
            continue;
        size_t behind = scan_behind_name(s, l->type), known = l->alias ? l->alias : behind - 1;
        if (l->all) {
            Meaning found = find_member(t, resolve_deep(t, s, SCAN_NONE, l->type, depth + 1), s,
                                        token, depth + 1);
            if (found.kind)
                return found;
        } else if (scan_same(s, known, s, token) && (token < l->type || token >= behind)) {
            return resolve_deep(t, s, SCAN_NONE, l->type, depth + 1);
        }
    }
    return (Meaning){0};
}

/* a first name: in the class around, outward, at the top */
static Meaning find_first(const Texts *t, const Scan *s, size_t class_, size_t token, int depth)
{
    for (size_t c = class_; depth < MAX_DEPTH; c = s->classes.items[c].parent) {
        Meaning found = {0};
        if (c != SCAN_NONE)
            found = find_member(t, (Meaning){MEANS_CLASS, s, c}, s, token, depth + 1);
        if (!found.kind)
            found = find_import(t, s, c, token, depth);
        if (found.kind)
            return found;
        if (c == SCAN_NONE)
            break;
    }
    return find_top(t, s, token);
}

static Meaning type_deep(const Texts *t, Meaning y, int depth)
{
    if (y.kind != MEANS_COMPONENT)
        return y;
    const ScanComponent *c = &y.scan->components.items[y.index];
    return resolve_deep(t, y.scan, c->class_, c->type, depth + 1);
}

/* what a name with dots means, looked up from the class around it */
static Meaning resolve_deep(const Texts *t, const Scan *s, size_t class_, size_t token, int depth)
{
    bool global = kind_at(s, token) == TK_DOT;
    if (depth >= MAX_DEPTH || kind_at(s, token + global) != TK_IDENT)
        return (Meaning){0};
    token += global;
    Meaning y = global ? find_top(t, s, token) : find_first(t, s, class_, token, depth);
    while (y.kind && kind_at(s, token + 1) == TK_DOT && kind_at(s, token + 2) == TK_IDENT) {
        token += 2;
        y = find_member(t, type_deep(t, y, depth), s, token, depth);
    }
    return y;
}

/* the class that a dotted name means, from a class on */
static Meaning resolve_name(const Texts *t, const Scan *s, size_t class_, size_t token)
{
    return resolve_deep(t, s, class_, token, 0);
}

Meaning resolve_type(const Texts *t, Meaning y)
{
    return type_deep(t, y, 0);
}

/* ------------------------------------------------------------------ modifiers */

/* the bracket around a token in the same statement, or 0 */
static size_t bracket_around(const Scan *s, size_t i)
{
    int depth = 0;
    while (i-- > 0) {
        TokenKind k = kind_at(s, i);
        if (k == TK_SEMICOLON || k == TK_EQUATION || k == TK_ALGORITHM)
            return 0;
        depth += k == TK_RPAREN || k == TK_RBRACE || k == TK_RBRACKET;
        depth -= k == TK_LPAREN || k == TK_LBRACE || k == TK_LBRACKET;
        if (depth < 0)
            return k == TK_LPAREN ? i : 0;
    }
    return 0;
}

/* Is a name here one of a modifier, "name = 3" or "name(start = 1)", or may it become one? */
static bool begins_argument(const Scan *s, size_t i)
{
    while (i > 0 && (kind_at(s, i - 1) == TK_EACH || kind_at(s, i - 1) == TK_FINAL ||
                     kind_at(s, i - 1) == TK_REDECLARE))
        i--;
    return i > 0 && (kind_at(s, i - 1) == TK_LPAREN || kind_at(s, i - 1) == TK_COMMA);
}

static Meaning component_named_at(const Scan *s, size_t token)
{
    for (size_t i = 0; i < s->components.n; i++)
        if (s->components.items[i].name == token)
            return (Meaning){MEANS_COMPONENT, s, i};
    return (Meaning){0};
}

/* what a name in a modifier means: a member of what is modified */
static Meaning modified_deep(const Texts *t, const Scan *s, size_t token, int depth)
{
    size_t open = begins_argument(s, token) ? bracket_around(s, token) : 0, owner = open;
    if (!open || depth == MAX_DEPTH)
        return (Meaning){0};
    owner--;
    if (kind_at(s, owner) == TK_RBRACKET) {
        while (owner > 0 && kind_at(s, owner) != TK_LBRACKET)
            owner--;
        owner -= owner > 0;
    }
    if (kind_at(s, owner) != TK_IDENT)
        return (Meaning){0};
    Meaning y = component_named_at(s, owner);
    for (size_t i = 0; i < s->links.n && !y.kind; i++)
        if (!s->links.items[i].import && scan_behind_name(s, s->links.items[i].type) == owner + 1)
            y = resolve_name(t, s, s->links.items[i].class_, s->links.items[i].type);
    if (!y.kind && begins_argument(s, owner)) { // a modifier in a modifier
        Meaning outer = modified_deep(t, s, owner, depth + 1);
        if (outer.kind == MEANS_CLASS)
            y = find_member(t, outer, s, owner, 0);
    }
    Meaning type = resolve_type(t, y);
    return type.kind ? type : y;
}

Meaning resolve_modified(const Texts *t, const Scan *s, size_t token)
{
    return modified_deep(t, s, token, 0);
}

/* ------------------------------------------------------------------ tokens */

/* the token with the name before a dot: "crab[3].load" from load to crab; 0: none */
static size_t name_before(const Scan *s, size_t token)
{
    if (token < 2 || kind_at(s, token - 1) != TK_DOT)
        return 0;
    size_t i = token - 2;
    if (kind_at(s, i) == TK_RBRACKET) {
        while (i > 0 && kind_at(s, i) != TK_LBRACKET)
            i--;
        i -= i > 0;
    }
    return kind_at(s, i) == TK_IDENT ? i + 1 : 0; // + 1, so that 0 is none
}

/* what the token under the cursor means, wherever it stands */
static Meaning token_deep(const Texts *t, const Scan *s, size_t token, int depth)
{
    if (kind_at(s, token) != TK_IDENT || depth == MAX_DEPTH)
        return (Meaning){0};
    Meaning y = component_named_at(s, token);
    size_t class_ = scan_class_around(s, token), before = name_before(s, token);
    for (size_t i = 0; i < s->classes.n && !y.kind; i++)
        if (s->classes.items[i].name == token ||
            (s->classes.items[i].last == token && kind_at(s, token - 1) == TK_END))
            y = (Meaning){MEANS_CLASS, s, i};
    if (y.kind)
        return y;
    if (before)
        return find_member(t, resolve_type(t, token_deep(t, s, before - 1, depth + 1)), s, token,
                           0);
    if (token > 0 && kind_at(s, token - 1) == TK_DOT)
        return find_top(t, s, token);
    bool named = kind_at(s, token + 1) == TK_EQUAL || kind_at(s, token + 1) == TK_LPAREN;
    if (named && begins_argument(s, token) && bracket_around(s, token)) {
        Meaning outer = resolve_modified(t, s, token);
        if (outer.kind == MEANS_CLASS)
            return find_member(t, outer, s, token, 0);
        if (outer.kind ||
            kind_at(s, token + 1) == TK_EQUAL) // an attribute, an argument of a function
            return (Meaning){0};
    }
    return find_first(t, s, class_, token, 0);
}

Meaning resolve_token(const Texts *t, const Scan *s, size_t token)
{
    return token_deep(t, s, token, 0);
}
