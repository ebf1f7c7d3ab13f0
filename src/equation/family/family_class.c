/* family_class.c - the class for the size that is wanted: layout, members, code. See family.h. */
#include "equation/family/family_work.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool class_no_room(Family *f)
{
    f->failed = true;
    return false;
}

void family_name(const char *name, const int *subscripts, const long *element, char *buffer,
                 size_t size)
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
        int length = k == subscripts[ROW] || k == subscripts[COLUMN]
                         ? snprintf(buffer + n, size - n, "%ld", element[k == subscripts[COLUMN]])
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
    VEC(LiederSystemDef) systems;
    uint32_t nreal;
    bool uses_time;
} FamilyMaker;

static Element series_last(const FamilyMaker *m, const MemberSeries *s)
{
    return (Element){
        {(long)form_at(s->last[ROW], (double)m->n), (long)form_at(s->last[COLUMN], (double)m->n)}};
}

/* the k-th of its elements, row by row */
static Element element_of(const MemberSeries *s, uint32_t k)
{
    return (Element){
        {s->first.at[ROW] + (long)(k / s->columns), s->first.at[COLUMN] + (long)(k % s->columns)}};
}

/* the vector that the series before is a part of */
static bool is_same_vector(const MemberSeries *s, const MemberSeries *before)
{
    return s->is_vector && before->is_vector && s->kind == before->kind && !s->grows &&
           !before->grows && strcmp(s->member.name, before->member.name) == 0;
}

/* Start values of a growing array are one vector of the class, and so are numbers of the text
 * (front/divide/loop_number.c): nobody sets them by name. */
static bool is_collapsed(const MemberSeries *s)
{
    return s->kind == SERIES_PARAMETER && s->grows &&
           (strncmp(s->member.name, "start(", 6) == 0 ||
            strncmp(s->member.name, "number ", 7) == 0);
}

/* places of all series, one after the other */
static bool lay_out(FamilyMaker *m)
{
    Family *f = m->f;
    double total = 0;
    for (size_t i = 0; i < f->series.n; i++) {
        MemberSeries *s = &f->series.items[i];
        s->place = (uint32_t)total;
        s->is_collapsed = is_collapsed(s);
        if (s->is_vector && s->grows && !strstr(s->name, s->ngrow == 1 ? "{#}" : "{#,#}"))
            return family_refuse(f, "'%s' is an array of vectors", s->member.name);
        double rows = form_at(s->last[ROW], (double)m->n) - (double)s->first.at[ROW] + 1,
               columns = form_at(s->last[COLUMN], (double)m->n) - (double)s->first.at[COLUMN] + 1,
               count = rows * columns;
        if (rows < 0 || columns < 0 || count > INT32_MAX)
            return family_refuse(f, "it has too many numbers");
        s->columns = (uint32_t)columns;
        s->count = (uint32_t)count;
        if (s->kind == SERIES_VALUE) { /* those of a system are neighbours */
            s->stride = (uint32_t)s->def->nvalue;
            s->place = s->value ? s[-1].place + 1 : s->place;
            total += s->value ? 0 : count * (double)s->stride;
        } else if (s->kind != SERIES_SHADOW || s->is_placed)
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
                                Element element)
{
    char buffer[500];
    if (!s->ngrow)
        return keep_text(m, name);
    family_name(name, s->subscripts, element.at, buffer, sizeof buffer);
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
    const Element last = series_last(m, s);
    FamilySeries x = {.name = keep_text(m, s->member.name),
                      .subscripts = {s->is_vector ? -1 : s->subscripts[ROW],
                                     s->is_vector ? -1 : s->subscripts[COLUMN]},
                      .kind = s->member.kind,
                      .is_vector = s->is_vector,
                      .whole = whole,
                      .is_initial = s->is_initial,
                      .first = {s->first.at[ROW], s->first.at[COLUMN]},
                      .last = {last.at[ROW], last.at[COLUMN]}};
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

/* the sizes of a matrix that grows */
static const size_t *matrix_sizes(FamilyMaker *m, const MemberSeries *s)
{
    size_t *sizes = arena_zeroed(&m->c->arena, DIRECTIONS * sizeof *sizes);
    if (!sizes) {
        class_no_room(m->f);
        return NULL;
    }
    sizes[0] = s->count / s->columns;
    sizes[1] = s->columns;
    return sizes;
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
        const char *whole = s->is_collapsed ? whole_name(m, s) : NULL;
        if (!note_series(m, s, whole))
            return false;
        member.index = (int)s->place;
        if (s->is_vector || whole) {
            member.name = whole ? whole : keep_text(m, s->member.name);
            member.length = s->grows ? (int)s->count : s->member.length;
            if (s->is_vector && s->ngrow == DIRECTIONS)
                member.sizes = matrix_sizes(m, s);
            if (!push_member(m, member))
                return false;
            continue;
        }
        for (uint32_t k = 0; k < s->count; k++, member.index++) {
            member.name = element_name(m, s, s->member.name, element_of(s, k));
            if (!push_member(m, member))
                return false;
        }
    }
    return true;
}

/* one element of a series of states or observables */
static bool add_element_member(FamilyMaker *m, const MemberSeries *s, LiederMember member,
                               Element element)
{
    const int k = (int)((element.at[ROW] - s->first.at[ROW]) * (long)s->columns +
                        element.at[COLUMN] - s->first.at[COLUMN]);
    member.name = element_name(m, s, s->member.name, element);
    member.index = (int)s->place + k;
    if (s->kind == SERIES_STATE) { /* its derivative is the series behind it */
        member.other = (int)s[1].place + k;
        member.other_name = element_name(m, s, s->member.other_name, element);
    }
    return push_member(m, member);
}

/* a series whose members are added, and what their tables say */
typedef struct SegmentSeries {
    const MemberSeries *series;
    LiederMember member;
} SegmentSeries;

/* how many leading ones of a list alternate in the smallest class, in a row or altogether */
static size_t alternating(const SegmentSeries *list, size_t n, int direction)
{
    long end = -1;
    for (size_t i = 0; i < n; i++) {
        const MemberSeries *s = list[i].series;
        long last = direction == ROW ? s->end : s->ngrow == DIRECTIONS ? s->row_end : s->position;
        if (i && s->position > end)
            return i;
        end = !i || last > end ? last : end;
    }
    return n;
}

/* the elements of a series from one to another step of a segment; see add_segment */
static void segment_range(const FamilyMaker *m, const MemberSeries *s, int direction, long *from,
                          long *to)
{
    int d = s->ngrow == DIRECTIONS ? direction : COLUMN;
    bool once = direction == COLUMN && s->ngrow < DIRECTIONS;
    *from = once ? 1 : s->first.at[d];
    *to = once ? 1 : series_last(m, s).at[d];
}

/* Adds the elements of series that alternate, one of each after the other; where some grow in two
 * directions row by row (direction ROW), and in a row (COLUMN) those that alternate there together.
 * What grows in one direction has one element in each row. `row`: which it is. */
static bool add_segment(FamilyMaker *m, const SegmentSeries *list, size_t n, int direction,
                        long row)
{
    long first = 0, last = -1, from, to;
    bool rows = false;
    for (size_t i = 0; i < n; i++) {
        segment_range(m, list[i].series, direction, &from, &to);
        first = i == 0 || from < first ? from : first;
        last = to > last ? to : last;
        rows |= direction == ROW && list[i].series->ngrow == DIRECTIONS;
    }
    for (long e = first; e <= last; e++) {
        for (size_t i = 0, k; rows && i < n; i += k) {
            k = alternating(list + i, n - i, COLUMN);
            if (!add_segment(m, list + i, k, COLUMN, e))
                return false;
        }
        for (size_t i = 0; !rows && i < n; i++) {
            const MemberSeries *s = list[i].series;
            const Element end = series_last(m, s);
            const Element x = s->ngrow == DIRECTIONS ? (Element){{row, e}}
                                                     : (Element){{1, direction == ROW ? e : row}};
            segment_range(m, s, direction, &from, &to);
            if (e >= from && e <= to && x.at[ROW] >= s->first.at[ROW] && x.at[ROW] <= end.at[ROW] &&
                x.at[COLUMN] >= s->first.at[COLUMN] && x.at[COLUMN] <= end.at[COLUMN] &&
                !add_element_member(m, s, list[i].member, x))
                return false;
        }
    }
    return true;
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

/* relations, memory, guesses, requests and the timer */
static bool add_family_events(FamilyMaker *m)
{
    Family *f = m->f;
    long numbers[SERIES_HIDDEN + 1] = {0}; /* of relations, requests and memory without names */
    for (size_t i = 0; i < f->nnamed; i++) {
        const MemberSeries *s = &f->series.items[i];
        if (s->kind != SERIES_CROSSING && s->kind != SERIES_MEMORY && s->kind != SERIES_TIMER &&
            s->kind != SERIES_REQUEST && s->kind != SERIES_GUESS)
            continue;
        LiederMember member = member_of(m, s);
        member.other_name = s->member.other_name ? keep_text(m, s->member.other_name) : NULL;
        if (s->kind == SERIES_MEMORY && !note_series(m, s, NULL))
            return false;
        for (int k = 0; k < (int)s->count; k++) {
            const Element e = element_of(s, (uint32_t)k);
            member.index = (int)s->place + k;
            /* what belongs to it is the series behind it */
            if (s->kind == SERIES_CROSSING || s->kind == SERIES_MEMORY || s->kind == SERIES_GUESS)
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

/* a text about the first element of a series as one about another: subscripts move on with it */
static const char *moved_text(FamilyMaker *m, const MemberSeries *s, const char *text, Element e)
{
    char buffer[500];
    size_t n = 0;
    int k = 0;
    bool inside = false;
    for (const char *c = text; *c && n + 24 < sizeof buffer; c++) {
        inside = *c == '[' || (inside && *c != ']');
        if (!inside || !isdigit((unsigned char)*c)) {
            buffer[n++] = *c;
            continue;
        }
        char *end;
        long x = strtol(c, &end, 10);
        for (int d = 0; d < DIRECTIONS; d++)
            x += k == s->subscripts[d] ? e.at[d] - s->first.at[d] : 0;
        n += (size_t)snprintf(buffer + n, sizeof buffer - n, "%ld", x);
        k++;
        c = end - 1;
    }
    buffer[n] = 0;
    return keep_text(m, buffer);
}

/* a list of texts about a system, up to NULL, for one of the elements */
static const char *const *moved_texts(FamilyMaker *m, const MemberSeries *s,
                                      const char *const *texts, Element e)
{
    size_t n = 0;
    while (texts[n])
        n++;
    const char **list = arena_zeroed(&m->c->arena, (n + 1) * sizeof *list);
    for (size_t k = 0; list && k < n; k++)
        list[k] = moved_text(m, s, texts[k], e);
    if (!list)
        class_no_room(m->f);
    return list;
}

/* what messages say of the systems: each element has its own */
static bool add_family_systems(FamilyMaker *m)
{
    Family *f = m->f;
    for (size_t i = 0; i < f->nnamed; i++) {
        const MemberSeries *s = &f->series.items[i];
        for (uint32_t k = 0; s->kind == SERIES_STATUS && k < s->count; k++) {
            const Element e = element_of(s, k);
            LiederSystemDef def = *s->def;
            def.status = (int)(s->place + k);
            def.values = (int)(s[1].place + k * (uint32_t)def.nvalue);
            def.names = moved_texts(m, s, s->def->names, e);
            def.places = moved_texts(m, s, s->def->places, e);
            if (f->failed || !vec_push(f->alloc, &m->systems, def))
                return class_no_room(f);
        }
    }
    return true;
}

/* All series of a kind. Those whose elements alternate in the small class (those of an array of
 * components) alternate here, too: results have the same order. */
static bool add_family_series(FamilyMaker *m, SeriesKind kind)
{
    Family *f = m->f;
    VEC(SegmentSeries) list = {0};
    bool good = true;
    for (size_t i = 0; i < f->nnamed && good; i++) {
        const MemberSeries *s = &f->series.items[i];
        if (s->kind != kind)
            continue;
        good = (kind != SERIES_STATE || note_series(m, s, NULL)) &&
               (vec_push(f->alloc, &list, (SegmentSeries){s, member_of(m, s)}) || class_no_room(f));
    }
    for (size_t i = 0, k; good && i < list.n; i += k) {
        k = alternating(list.items + i, list.n - i, ROW);
        good = add_segment(m, list.items + i, k, ROW, 0);
    }
    vec_drop(f->alloc, &list);
    return good;
}

/* ------------------------------------------------------------------ what reports say */

/* what a piece computes: "der(x[2:1000])" */
static const char *piece_name(FamilyMaker *m, const Piece *p)
{
    const MemberSeries *s = &m->f->series.items[p->series];
    char buffer[520];
    size_t n = 0;
    int d = s->ngrow == DIRECTIONS ? ROW : COLUMN;
    bool is_der = s->kind == SERIES_DERIVATIVE;
    if (s->kind == SERIES_HIDDEN)
        return keep_text(m, p->kind != PIECE_FOLD ? "first terms of sums"
                            : p->sum              ? "a sum"
                                                  : "sums");
    const Element from = family_element(p, p->first), to = family_element(p, p->last);
    n = (size_t)snprintf(buffer, sizeof buffer, "%s", is_der ? "der(" : "");
    for (const char *c = s->ngrow ? s->name + 1 : s->member.name; *c && n < 400; c++)
        if (*c != '#' || !s->ngrow)
            buffer[n++] = *c;
        else {
            n += (size_t)snprintf(buffer + n, sizeof buffer - n,
                                  from.at[d] < to.at[d] ? "%ld:%ld" : "%ld", from.at[d], to.at[d]);
            d = COLUMN;
        }
    snprintf(buffer + n, sizeof buffer - n, "%s", is_der ? ")" : "");
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
        size_t count = (size_t)(s->last[ROW] - s->first[ROW] + 1) *
                       (size_t)(s->last[COLUMN] - s->first[COLUMN] + 1);
        if (s->subscripts[COLUMN] < 0)
            snprintf(buffer, sizeof buffer, "%s", s->name);
        else
            snprintf(buffer, sizeof buffer, "%.400s and %zu more elements", s->name, count - 1);
        list[to->nstate++] = (CellStateSummary){.name = keep_text(m, buffer),
                                                .why = "as in the model with few elements"};
        to->nelement += count;
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
        SeriesKind kind = f->series.items[p->series].kind;
        if (kind >= SERIES_FOUND && kind <= SERIES_VALUE)
            continue;
        if (p->kind == PIECE_POINT) {
            to->npoint++;
            continue;
        }
        bool sweeps = false;
        for (size_t k = 0; k < p->body->nleaf; k++)
            sweeps |= p->forms[k].kind == LEAF_ELEMENT && p->forms[k].series == p->series;
        list[to->nloop++] =
            (CellLoopSummary){.name = piece_name(m, p),
                              .kind = p->kind == PIECE_FOLD    ? "sum"
                                      : sweeps                 ? "sweep"
                                      : family_solves(p->body) ? "lanes that solve"
                                                               : "lanes",
                              .nturn = (size_t)piece_turns(p, ROW) * piece_turns(p, COLUMN)};
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
    LiederSystemDef *systems = arena_zeroed(&m->c->arena, (m->systems.n + 1) * sizeof *systems);
    if (!members || !ports || !systems) {
        class_no_room(f);
        return NULL;
    }
    if (m->members.n)
        memcpy(members, m->members.items, m->members.n * sizeof *members);
    if (m->systems.n)
        memcpy(systems, m->systems.items, m->systems.n * sizeof *systems);
    BlockClassInfo info = {.def = {.name = keep_text(m, m->info->name),
                                   .text = keep_text(m, m->info->text),
                                   .nmember = (int)m->members.n,
                                   .ports = ports,
                                   .nsystem = (int)m->systems.n,
                                   .systems = systems,
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
           add_family_series(m, SERIES_OBSERVABLE) && add_family_events(m) && add_family_systems(m);
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
        for (int kind = 0; kind < BLOCK_KINDS; kind++)
            if (kind != BLOCK_CONSTANT && kind != BLOCK_EXPLICIT && kind != BLOCK_START &&
                kind != BLOCK_EVENT && block_has(b, (BlockKind)kind))
                return family_refuse(f, kind == BLOCK_CHECK ? "it has assertions on parameters"
                                                            : "it has ports");
    }
    return true;
}

/* all but the class that was made */
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
    vec_drop(f->alloc, &f->systems);
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

/* how many there are, by the parabola through three sizes */
static size_t count_at(const Family *f, const size_t *at, long n)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double x = (double)at[i];
        for (int k = 0; k < 3; k++)
            if (k != i)
                x *= (double)(n - f->sizes[k].n) / (double)(f->sizes[i].n - f->sizes[k].n);
        sum += x;
    }
    return (size_t)llround(sum);
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
        size_t nvariable[3], nequation[3];
        for (int k = 0; k < 3; k++) {
            nvariable[k] = cell_class_summary(sizes[k].class_)->nvariable;
            nequation[k] = cell_class_summary(sizes[k].class_)->nequation;
        }
        c->summary.nvariable = count_at(&f, nvariable, n);
        c->summary.nequation = count_at(&f, nequation, n);
        FamilySeries *list = arena_zeroed(&c->arena, (m.series.n + 1) * sizeof *list);
        good = list || class_no_room(&f);
        if (list && m.series.n)
            memcpy(list, m.series.items, m.series.n * sizeof *list);
        result->series = list;
        result->nseries = m.series.n;
    }
    vec_drop(alloc, &m.members);
    vec_drop(alloc, &m.series);
    vec_drop(alloc, &m.systems);
    memcpy(result->why, f.why, sizeof result->why);
    bool failed = f.failed || f.arena.failed || c->arena.failed;
    family_drop(&f);
    if (good && !failed)
        result->class_ = c;
    else
        cell_class_destroy(c);
    return !failed;
}
