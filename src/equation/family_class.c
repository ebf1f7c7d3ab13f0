/* family_class.c - the class for the size that is wanted: layout, members, code. See family.h. */
#include "equation/family_work.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool class_no_room(Family *f)
{
    f->failed = true;
    return false;
}

void family_name(const char *name, int subscript, long element, char *buffer, size_t size)
{
    size_t n = 0;
    int k = 0;
    bool inside = false, quoted = false;
    for (const char *c = name; *c && n + 1 < size; c++) {
        quoted ^= *c == '\'';
        inside = !quoted && (*c == '[' || (inside && *c != ']'));
        if (!inside || !isdigit((unsigned char)*c)) {
            buffer[n++] = *c;
            continue;
        }
        const char *end = c;
        while (isdigit((unsigned char)*end))
            end++;
        int length = k == subscript ? snprintf(buffer + n, size - n, "%ld", element)
                                    : snprintf(buffer + n, size - n, "%.*s", (int)(end - c), c);
        n = n + (size_t)length < size ? n + (size_t)length : size - 1;
        k++;
        c = end - 1;
    }
    buffer[n] = 0;
}

/* ------------------------------------------------------------------ layout */

typedef struct FamilyMaker {
    Family *f;
    CellClass *c;
    long n;
    const CellClassInfo *info;
    VEC(LiederMember) members;
    VEC(FamilySeries) series;
    uint32_t nreal;
    bool uses_time;
} FamilyMaker;

static long series_last(const FamilyMaker *m, const MemberSeries *s)
{
    return (long)form_at(s->last, (double)m->n);
}

/* the vector that the series before is a part of */
static bool is_same_vector(const MemberSeries *s, const MemberSeries *before)
{
    return s->is_vector && before->is_vector && s->kind == before->kind && !s->grows &&
           !before->grows && strcmp(s->member.name, before->member.name) == 0;
}

/* Start values of a growing array are one vector of the class: nobody sets them by name. */
static bool is_start_value(const MemberSeries *s)
{
    return s->kind == SERIES_PARAMETER && s->grows && strncmp(s->member.name, "start(", 6) == 0;
}

/* places of all series, one after the other */
static bool lay_out(FamilyMaker *m)
{
    Family *f = m->f;
    double total = 0;
    for (size_t i = 0; i < f->series.n; i++) {
        MemberSeries *s = &f->series.items[i];
        s->place = (uint32_t)total;
        s->is_collapsed = is_start_value(s);
        if (s->is_vector && s->grows && !strstr(s->name, "{#}"))
            return family_refuse(f, "'%s' is an array of vectors", s->member.name);
        double count = form_at(s->last, (double)m->n) - (double)s->first + 1;
        if (count < 0 || count > INT32_MAX)
            return family_refuse(f, "it has too many numbers");
        s->count = (uint32_t)count;
        if (s->kind != SERIES_SHADOW || s->is_placed)
            total += count;
    }
    if (total > INT32_MAX / 16)
        return family_refuse(f, "it has too many numbers");
    m->nreal = total < 1 ? 1 : (uint32_t)total;
    return true;
}

/* ------------------------------------------------------------------ members */

static const char *keep_text(FamilyMaker *m, const char *text)
{
    const char *copy = arena_text(&m->c->arena, text ? text : "", text ? strlen(text) : 0);
    if (!copy)
        class_no_room(m->f);
    return copy;
}

/* the name of an element, in the arena of the class */
static const char *element_name(FamilyMaker *m, const MemberSeries *s, const char *name,
                                long element)
{
    char buffer[500];
    if (s->subscript < 0)
        return keep_text(m, name);
    family_name(name, s->subscript, element, buffer, sizeof buffer);
    return keep_text(m, buffer);
}

static bool push_member(FamilyMaker *m, LiederMember member)
{
    return (vec_push(m->f->alloc, &m->members, member)) || class_no_room(m->f);
}

/* "start(x[:])" */
static const char *whole_name(FamilyMaker *m, const MemberSeries *s)
{
    char buffer[500];
    size_t n = 0;
    for (const char *c = s->name + 1; *c && n + 1 < sizeof buffer; c++)
        buffer[n++] = *c == '#' ? ':' : *c;
    buffer[n] = 0;
    return keep_text(m, buffer);
}

/* notes a series for those who set its numbers */
static bool note_series(FamilyMaker *m, const MemberSeries *s, const char *whole)
{
    FamilySeries x = {.name = keep_text(m, s->member.name),
                      .subscript = s->is_vector ? -1 : s->subscript,
                      .kind = s->member.kind,
                      .is_vector = s->is_vector,
                      .whole = whole,
                      .is_initial = s->is_initial,
                      .first = s->first,
                      .last = series_last(m, s)};
    return vec_push(m->f->alloc, &m->series, x) || class_no_room(m->f);
}

/* units and texts, once for all elements */
static LiederMember member_of(FamilyMaker *m, const MemberSeries *s)
{
    LiederMember member = s->member;
    member.unit = keep_text(m, member.unit);
    member.text = keep_text(m, member.text);
    return member;
}

/* parameters: vectors, or one by one */
static bool add_family_parameters(FamilyMaker *m)
{
    Family *f = m->f;
    for (size_t i = 0; i < f->nnamed; i++) {
        const MemberSeries *s = &f->series.items[i];
        if (s->kind != SERIES_PARAMETER || (i && is_same_vector(s, s - 1)))
            continue;
        LiederMember member = member_of(m, s);
        long last = series_last(m, s);
        const char *whole = s->is_collapsed ? whole_name(m, s) : NULL;
        if (!note_series(m, s, whole))
            return false;
        member.index = (int)s->place;
        if (s->is_vector || whole) {
            member.name = whole ? whole : keep_text(m, s->member.name);
            member.length = s->grows ? (int)(last - s->first + 1) : s->member.length;
            if (!push_member(m, member))
                return false;
            continue;
        }
        for (long e = s->first; e <= last; e++, member.index++) {
            member.name = element_name(m, s, s->member.name, e);
            if (!push_member(m, member))
                return false;
        }
    }
    return true;
}

/* one element of a series of states or observables */
static bool add_element_member(FamilyMaker *m, const MemberSeries *s, LiederMember member,
                               long element)
{
    member.name = element_name(m, s, s->member.name, element);
    member.index = (int)s->place + (int)(element - s->first);
    if (s->kind == SERIES_STATE) { /* its derivative is the series behind it */
        member.other = (int)s[1].place + (int)(element - s->first);
        member.other_name = element_name(m, s, s->member.other_name, element);
    }
    return push_member(m, member);
}

/* MemberSeries whose elements alternate in the small class (those of an array of components)
 * alternate here, too: results have the same order. */
static bool add_segment(FamilyMaker *m, SeriesKind kind, const size_t *list, size_t n)
{
    Family *f = m->f;
    long first = 0, last = -1;
    VEC(LiederMember) members = {0};
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        const MemberSeries *s = &f->series.items[list[i]];
        long end = series_last(m, s);
        first = i == 0 || s->first < first ? s->first : first;
        last = end > last ? end : last;
        good = vec_push(f->alloc, &members, member_of(m, s)) &&
               (kind != SERIES_STATE || note_series(m, s, NULL));
    }
    for (long e = first; e <= last && good; e++)
        for (size_t i = 0; i < n && good; i++) {
            const MemberSeries *s = &f->series.items[list[i]];
            if (e >= s->first && e <= series_last(m, s))
                good = add_element_member(m, s, members.items[i], e);
        }
    vec_drop(f->alloc, &members);
    return good || class_no_room(f);
}

/* "relation 3 (line 7)" with another number */
static const char *numbered_name(FamilyMaker *m, const MemberSeries *s, long number)
{
    char buffer[500];
    const char *name = s->member.name;
    size_t head = strcspn(name, "0123456789"), digits = strspn(name + head, "0123456789");
    if (!digits) /* "side before", as often as there are sides */
        return keep_text(m, name);
    snprintf(buffer, sizeof buffer, "%.*s%ld%.300s", (int)head, name, number, name + head + digits);
    return keep_text(m, buffer);
}

/* relations, memory, requests and the timer */
static bool add_family_events(FamilyMaker *m)
{
    Family *f = m->f;
    long numbers[SERIES_HIDDEN + 1] = {0}; /* of relations, requests and memory without names */
    for (size_t i = 0; i < f->nnamed; i++) {
        const MemberSeries *s = &f->series.items[i];
        if (s->kind != SERIES_CROSSING && s->kind != SERIES_MEMORY && s->kind != SERIES_TIMER &&
            s->kind != SERIES_REQUEST)
            continue;
        LiederMember member = member_of(m, s);
        member.other_name = s->member.other_name ? keep_text(m, s->member.other_name) : NULL;
        if (s->kind == SERIES_MEMORY && !note_series(m, s, NULL))
            return false;
        for (long e = s->first; e <= series_last(m, s); e++) {
            int k = (int)(e - s->first);
            member.index = (int)s->place + k;
            /* what belongs to it is the series behind it */
            if (s->kind == SERIES_CROSSING || s->kind == SERIES_MEMORY)
                member.other = (int)s[1].place + k;
            bool numbered = family_is_numbered(&s->member);
            numbers[s->kind] += numbered;
            member.name = numbered ? numbered_name(m, s, numbers[s->kind])
                                   : element_name(m, s, s->member.name, e);
            if (s->kind == SERIES_REQUEST)
                member.text = element_name(m, s, s->member.text, e);
            if (!push_member(m, member))
                return false;
        }
    }
    return true;
}

/* all series of a kind, those that alternate together */
static bool add_family_series(FamilyMaker *m, SeriesKind kind)
{
    Family *f = m->f;
    VEC(size_t) list = {0};
    long end = -1;
    bool good = true;
    for (size_t i = 0; i < f->nnamed && good; i++) {
        const MemberSeries *s = &f->series.items[i];
        if (s->kind != kind)
            continue;
        if (list.n && s->position > end) {
            good = add_segment(m, kind, list.items, list.n);
            list.n = 0;
        }
        end = !list.n || s->end > end ? s->end : end;
        good = good && (vec_push(f->alloc, &list, i) || class_no_room(f));
    }
    good = good && add_segment(m, kind, list.items, list.n);
    vec_drop(f->alloc, &list);
    return good;
}

/* ------------------------------------------------------------------ what a reader is told */

/* what a piece computes: "der(x[2:1000])" */
static const char *piece_name(FamilyMaker *m, const Piece *p)
{
    const MemberSeries *s = &m->f->series.items[p->series];
    char buffer[520];
    const char *hash = s->kind == SERIES_HIDDEN ? NULL : strchr(s->name, '#');
    bool is_der = s->kind == SERIES_DERIVATIVE;
    if (s->kind == SERIES_HIDDEN)
        snprintf(buffer, sizeof buffer, "a sum");
    else if (!hash)
        snprintf(buffer, sizeof buffer, "%s%.450s%s", is_der ? "der(" : "", s->member.name,
                 is_der ? ")" : "");
    else
        snprintf(buffer, sizeof buffer, "%s%.*s%ld:%ld%.200s%s", is_der ? "der(" : "",
                 (int)(hash - s->name - 1) > 200 ? 200 : (int)(hash - s->name - 1), s->name + 1,
                 p->first, p->last, hash + 1, is_der ? ")" : "");
    return keep_text(m, buffer);
}

/* the states, each array once */
static bool summarise_states_of(FamilyMaker *m, CellSummary *to)
{
    CellStateSummary *list = arena_zeroed(&m->c->arena, (m->series.n + 1) * sizeof *list);
    if (!list)
        return class_no_room(m->f);
    for (size_t i = 0; i < m->series.n; i++) {
        const FamilySeries *s = &m->series.items[i];
        char buffer[520];
        if (s->kind != LIEDER_STATE)
            continue;
        if (s->subscript < 0)
            snprintf(buffer, sizeof buffer, "%s", s->name);
        else
            snprintf(buffer, sizeof buffer, "%.400s and %ld more elements", s->name,
                     s->last - s->first);
        list[to->nstate++] = (CellStateSummary){.name = keep_text(m, buffer),
                                                .why = "as in the model with few elements"};
        to->nelement += (size_t)(s->last - s->first + 1);
    }
    to->states = list;
    return true;
}

/* loops of the explicit block and what they compute, while its pieces are at hand */
static bool summarise_loops(FamilyMaker *m)
{
    Family *f = m->f;
    CellSummary *to = &m->c->summary;
    CellLoopSummary *list = arena_zeroed(&m->c->arena, (f->pieces.n + 1) * sizeof *list);
    if (!list)
        return class_no_room(f);
    for (size_t i = 0; i < f->pieces.n; i++) {
        const Piece *p = &f->pieces.items[i];
        if (p->kind == PIECE_POINT) {
            to->npoint++;
            continue;
        }
        bool sweeps = false;
        for (size_t k = 0; k < p->body->nleaf; k++)
            sweeps |= p->forms[k].kind == LEAF_ELEMENT && p->forms[k].series == p->series;
        list[to->nloop++] = (CellLoopSummary){.name = piece_name(m, p),
                                              .kind = p->kind == PIECE_FOLD ? "sum"
                                                      : sweeps              ? "sweep"
                                                                            : "lanes",
                                              .nturn = (size_t)(p->last - p->first + 1)};
    }
    to->loops = list;
    return !f->failed;
}

/* ------------------------------------------------------------------ all of it */

static LoopBlock *new_block(Family *f)
{
    LoopBlock *b = memory_zeroed(f->alloc, sizeof *b);
    if (!b)
        class_no_room(f);
    return b;
}

static bool reads_time_of_call(const Family *f)
{
    for (size_t i = 0; i < f->pieces.n; i++)
        for (size_t k = 0; k < f->pieces.items[i].body->nleaf; k++)
            if (f->pieces.items[i].forms[k].kind == LEAF_CALL &&
                f->pieces.items[i].forms[k].series <= TAPE_EVENT_TIME)
                return true;
    return false;
}

/* the tables, as they stay with the class */
static BlockClass *make_block_class(FamilyMaker *m)
{
    Family *f = m->f;
    LiederMember *members = arena_zeroed(&m->c->arena, (m->members.n + 1) * sizeof *members);
    LiederPortDef *ports = arena_zeroed(&m->c->arena, sizeof *ports);
    if (!members || !ports) {
        class_no_room(f);
        return NULL;
    }
    if (m->members.n)
        memcpy(members, m->members.items, m->members.n * sizeof *members);
    BlockClassInfo info = {.def = {.name = keep_text(m, m->info->name),
                                   .text = keep_text(m, m->info->text),
                                   .nmember = (int)m->members.n,
                                   .ports = ports,
                                   .members = members},
                           .nreal = (int)m->nreal};
    BlockClass *block = f->failed ? NULL : block_class_create(f->alloc, &info);
    if (!block)
        class_no_room(f);
    return block;
}

/* the blocks of a class made of loops */
typedef struct FamilyProgram {
    BlockKind kind;
    PieceList pieces;
    VEC(uint8_t) used; /* by series: a shadow that it sets */
    LoopBlock *block, *constant;
} FamilyProgram;
enum { NPROGRAM = 3 };

/* pieces of a program, for all sizes */
static bool read_program(Family *f, FamilyProgram *p)
{
    f->pieces = (PieceList){0};
    bool good = family_read_program(f, p->kind) && family_fit(f) &&
                vec_resize(f->alloc, &p->used, f->nnamed + 1);
    for (size_t i = 0; i < f->nnamed && good; i++) {
        p->used.items[i] = f->series.items[i].is_used;
        f->series.items[i].is_placed |= f->series.items[i].is_used;
    }
    p->pieces = f->pieces;
    f->pieces = (PieceList){0};
    return good;
}

/* its loops, for the size that is wanted */
static bool write_program(FamilyMaker *m, FamilyProgram *p)
{
    Family *f = m->f;
    f->program = p->kind;
    f->pieces = p->pieces;
    for (size_t i = 0; i < f->nnamed; i++)
        f->series.items[i].is_used = p->used.items[i];
    bool explicit_ = p->kind == BLOCK_EXPLICIT;
    bool good = (p->block = new_block(f)) && (!explicit_ || (p->constant = new_block(f))) &&
                family_place_pieces(f, m->n) &&
                (!explicit_ || family_write(f, PART_CONSTANT, false, &p->constant->whole)) &&
                family_write(f, PART_VARYING, false, &p->block->whole) &&
                (!explicit_ || family_write(f, PART_VARYING, true, &p->block->lean));
    if (good && explicit_) {
        m->uses_time = reads_time_of_call(f);
        m->c->summary.ncode = loop_code_size(&p->block->whole);
        good = summarise_loops(m);
    }
    p->pieces = f->pieces; /* some were cut */
    f->pieces = (PieceList){0};
    return good;
}

/* a block that has loops; one without is dropped */
static LoopBlock *take_block(Family *f, LoopBlock **block)
{
    LoopBlock *b = *block;
    if (b && !b->whole.loops.n) {
        loop_block_drop(b, f->alloc);
        b = NULL;
    }
    *block = NULL;
    return b;
}

/* all programs, then the layout, then their loops and the tables */
static bool make_class(FamilyMaker *m)
{
    Family *f = m->f;
    FamilyProgram programs[NPROGRAM] = {
        {.kind = BLOCK_EXPLICIT}, {.kind = BLOCK_START}, {.kind = BLOCK_EVENT}};
    bool good = true;
    for (int i = 0; i < NPROGRAM && good; i++)
        good = read_program(f, &programs[i]);
    good = good && lay_out(m);
    for (int i = 0; i < NPROGRAM && good; i++)
        good = write_program(m, &programs[i]);
    good = good && add_family_parameters(m) && add_family_series(m, SERIES_STATE) &&
           add_family_series(m, SERIES_OBSERVABLE) && add_family_events(m);
    m->c->block = good ? make_block_class(m) : NULL;
    if (m->c->block) {
        LoopBlock *blocks[] = {take_block(f, &programs[0].constant),
                               take_block(f, &programs[1].block), take_block(f, &programs[0].block),
                               take_block(f, &programs[2].block)};
        good = block_class_set_loops(m->c->block, blocks[0], blocks[1], blocks[2], blocks[3],
                                     m->uses_time) ||
               class_no_room(f);
    }
    for (int i = 0; i < NPROGRAM; i++) {
        loop_block_drop(programs[i].block, f->alloc);
        loop_block_drop(programs[i].constant, f->alloc);
        vec_drop(f->alloc, &programs[i].pieces);
        vec_drop(f->alloc, &programs[i].used);
    }
    return good && m->c->block;
}

/* what only some classes have, and loops cannot do */
static bool check_sizes(Family *f)
{
    for (int s = 0; s < FAMILY_SIZES; s++) {
        const BlockClass *b = f->sizes[s].class_->block;
        if (b->info.def.nport)
            return family_refuse(f, "it has ports");
        if (b->info.def.nsystem)
            return family_refuse(f, "equations have to be solved together where it runs");
        for (int kind = 0; kind < BLOCK_KINDS; kind++)
            if (kind != BLOCK_CONSTANT && kind != BLOCK_EXPLICIT && kind != BLOCK_START &&
                kind != BLOCK_EVENT && block_has(b, (BlockKind)kind))
                return family_refuse(f, kind == BLOCK_CHECK ? "it has assertions on parameters"
                                                            : "it has ports");
    }
    return true;
}

static void family_drop(Family *f)
{
    for (int s = 0; s < FAMILY_SIZES; s++) {
        vec_drop(f->alloc, &f->def_of[s]);
        vec_drop(f->alloc, &f->def_at[s]);
        vec_drop(f->alloc, &f->tried[s]);
        vec_drop(f->alloc, &f->hidden[s]);
    }
    vec_drop(f->alloc, &f->series);
    vec_drop(f->alloc, &f->pieces);
    arena_drop(&f->arena);
}

/* the summary of the small class, with what differs here */
static bool begin_summary(FamilyMaker *m)
{
    const CellSummary *small = cell_class_summary(m->f->sizes[0].class_);
    m->c->summary =
        (CellSummary){.name = keep_text(m, m->info->name),
                      .role = "alone",
                      .merged = m->info->merged ? keep_text(m, m->info->merged) : NULL,
                      .merged_why = m->info->merged_why ? keep_text(m, m->info->merged_why) : NULL,
                      .nmerged = m->info->nmerged,
                      .ndifferentiated = small->ndifferentiated};
    return !m->f->failed;
}

/* how many variables and equations there are, by the line through two sizes */
static size_t line_through(const Family *f, size_t at0, size_t at1, long n)
{
    double slope = ((double)at1 - (double)at0) / (double)(f->sizes[1].n - f->sizes[0].n);
    return (size_t)((double)at0 + slope * (double)(n - f->sizes[0].n));
}

bool family_class_create(const FamilySize *sizes, long n, const CellClassInfo *info,
                         FamilyClass *result)
{
    const LiederAllocator *alloc = sizes[0].class_->alloc;
    Family f = {.sizes = sizes, .alloc = alloc};
    *result = (FamilyClass){0};
    CellClass *c = memory_zeroed(alloc, sizeof *c);
    if (!c)
        return false;
    c->alloc = alloc;
    arena_init(&c->arena, alloc);
    arena_init(&f.arena, alloc);
    FamilyMaker m = {.f = &f, .c = c, .n = n, .info = info};
    bool good = begin_summary(&m) && check_sizes(&f) && family_read_series(&f) && make_class(&m) &&
                summarise_states_of(&m, &c->summary);
    if (good) {
        const CellSummary *a = cell_class_summary(sizes[0].class_),
                          *b = cell_class_summary(sizes[1].class_);
        c->summary.nvariable = line_through(&f, a->nvariable, b->nvariable, n);
        c->summary.nequation = line_through(&f, a->nequation, b->nequation, n);
        FamilySeries *list = arena_zeroed(&c->arena, (m.series.n + 1) * sizeof *list);
        good = list || class_no_room(&f);
        if (list && m.series.n)
            memcpy(list, m.series.items, m.series.n * sizeof *list);
        result->series = list;
        result->nseries = m.series.n;
    }
    vec_drop(alloc, &m.members);
    vec_drop(alloc, &m.series);
    memcpy(result->why, f.why, sizeof result->why);
    bool failed = f.failed || f.arena.failed || c->arena.failed;
    family_drop(&f);
    if (good && !failed)
        result->class_ = c;
    else
        cell_class_destroy(c);
    return !failed;
}
