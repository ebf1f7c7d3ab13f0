/* write.c - see write.h. A class becomes
 *
 *   TAG_text, TAG_tapes     its C text for generated code and its packed tapes (block/pack.h),
 *                           in the file of tables
 *   TAG_at_solve_0 ...      where the tape of a kernel begins
 *   its blocks and kernels  as block/write.c writes them, with kernels.inc
 *   ports, members, a row   of the list of classes
 */
#include "precompile/write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <lieder/mechanics.h>

#include "block/pack.h"

#define WRITE(f, to, ...) ((f)->ok = (f)->ok && text_add((f)->alloc, to, __VA_ARGS__))

/* ------------------------------------------------------------------ pieces */

static void write_number(Files *f, TextBuffer *to, double x)
{
    if (isnan(x))
        WRITE(f, to, "NAN");
    else if (isinf(x))
        WRITE(f, to, x < 0 ? "-INFINITY" : "INFINITY");
    else
        WRITE(f, to, "%a", x);
}

/* a string literal; lines of a long text stand below each other */
static void write_literal(Files *f, TextBuffer *to, const char *text)
{
    WRITE(f, to, "\"");
    for (; text && *text; text++)
        if (*text == '\n')
            WRITE(f, to, text[1] ? "\\n\"\n    \"" : "\\n");
        else
            WRITE(f, to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    WRITE(f, to, "\"");
}

static void write_optional(Files *f, TextBuffer *to, const char *field, const char *text)
{
    if (!text)
        return;
    WRITE(f, to, ", .%s = ", field);
    write_literal(f, to, text);
}

/* the name of a domain in C; NULL after an error */
static const char *domain_name(Files *f, const LiederDomain *d)
{
    const struct {
        const LiederDomain *domain;
        const char *name;
    } names[] = {{&lieder_signal, "lieder_signal"},
                 {&lieder_translational, "lieder_translational"},
                 {&lieder_rotational, "lieder_rotational"},
                 {&lieder_planar, "lieder_planar"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].domain == d)
            return names[i].name;
    fprintf(stderr, "the domain %s has no name in C\nadd it to src/precompile/write.c\n", d->name);
    f->ok = false;
    return "";
}

/* ------------------------------------------------------------------ tapes */

typedef struct Tapes {
    Files *f;
    const char *tag;
    PackedTapes words;
    VEC(size_t) first; /* of each code */
} Tapes;

/* the words of a code once; where they begin */
static size_t pack_once(Tapes *t, const TapeCode *code)
{
    size_t first = t->words.n;
    if (!t->f->ok || tape_pack(code, &t->words, t->f->alloc) != TAPE_DONE) {
        if (t->f->ok)
            fprintf(stderr, "%s: a tape cannot be packed (src/block/pack.h)\n", t->tag);
        t->f->ok = false;
        return 0;
    }
    size_t n = t->words.n - first;
    for (size_t i = 0; i < t->first.n; i++) {
        size_t at = t->first.items[i];
        if (at + n <= first && memcmp(t->words.items + at, t->words.items + first, 2 * n) == 0) {
            t->words.n = first;
            return at;
        }
    }
    t->f->ok = vec_push(t->f->alloc, &t->first, first);
    return first;
}

static void write_tape(Tapes *t, const char *name, int variant, const char *suffix, LiederCode code)
{
    size_t at = code.code ? pack_once(t, code.code) : 0;
    WRITE(t->f, &t->f->blocks, "    %s_at_%s_", t->tag, name);
    if (variant >= 0)
        WRITE(t->f, &t->f->blocks, "%d%s = %zu,\n", variant, suffix, at);
    else
        WRITE(t->f, &t->f->blocks, "%s = %zu,\n", suffix, at);
}

/* the tapes of all blocks of a class as numbers in C */
static void write_tapes(Files *f, const BlockClass *c)
{
    const LiederKernels *k = &c->kernels[LIEDER_ISA_SCALAR];
    Tapes t = {.f = f, .tag = c->info.tag};
    WRITE(f, &f->blocks,
          "extern const uint16_t %s_tapes[];\nextern const char %s_text[];\nenum {\n", t.tag,
          t.tag);
    for (int r = 0; r < 2; r++) {
        const char *suffix = r ? "reversed" : "forward";
        write_tape(&t, "incoming", -1, suffix, k->incoming[r]);
        write_tape(&t, "explicit", -1, suffix, k->explicit_[r]);
        write_tape(&t, "basic", -1, suffix, k->basic[r]);
        if (k->nmore)
            write_tape(&t, "explicit", 1, r ? "_reversed" : "_forward", k->more[0][r]);
    }
    for (int v = 0; v < LIEDER_VARIANTS; v++) {
        write_tape(&t, "solve", v, "", k->solve[v]);
        write_tape(&t, "reduce", v, "", k->reduce[v]);
    }
    WRITE(f, &f->blocks, "};\n");
    WRITE(f, &f->tables, "extern const uint16_t %s_tapes[];\nconst uint16_t %s_tapes[] = {", t.tag,
          t.tag);
    for (size_t i = 0; i < t.words.n; i++)
        WRITE(f, &f->tables, "%s%u",
              i == 0   ? "\n    "
              : i % 20 ? ", "
                       : ",\n    ",
              t.words.items[i]);
    WRITE(f, &f->tables, "%s};\n\n", t.words.n ? "" : "0");
    vec_drop(f->alloc, &t.words);
    vec_drop(f->alloc, &t.first);
}

/* ------------------------------------------------------------------ ports and members */

/* the ports of a class as a C table */
static void write_ports(Files *f, const BlockClass *c)
{
    WRITE(f, &f->blocks, "static const LiederPortDef %s_ports[] = {\n", c->info.tag);
    for (int i = 0; i < c->info.def.nport; i++) {
        const LiederPortDef *p = &c->info.def.ports[i];
        WRITE(f, &f->blocks,
              "    {.name = \"%s\", .domain = &%s, .role = %s, .optional = %d, .text = ", p->name,
              domain_name(f, p->domain), p->role == LIEDER_IN ? "LIEDER_IN" : "LIEDER_OUT",
              p->optional);
        write_literal(f, &f->blocks, p->text);
        WRITE(f, &f->blocks, "},\n");
    }
    WRITE(f, &f->blocks, "};\n");
}

/* a member of a class as a row of a C table */
static void write_member(Files *f, const LiederMember *m)
{
    TextBuffer *to = &f->blocks;
    WRITE(f, to, "    {.kind = (LiederMemberKind)%d, .name = ", (int)m->kind);
    write_literal(f, to, m->name);
    write_optional(f, to, "unit", m->unit);
    WRITE(f, to, ", .index = %d, .other = %d, .length = %d, .fallback = ", m->index, m->other,
          m->length);
    write_number(f, to, m->fallback);
    for (int k = 0; k < m->ndim; k++)
        WRITE(f, to, k ? ", %zu" : ", .sizes = (const size_t[]){%zu", m->sizes[k]);
    if (m->ndim)
        WRITE(f, to, "}, .ndim = %d", m->ndim);
    WRITE(f, to, ", .min = ");
    write_number(f, to, m->min);
    WRITE(f, to, ", .max = ");
    write_number(f, to, m->max);
    write_optional(f, to, "environment", m->environment);
    write_optional(f, to, "other_name", m->other_name);
    write_optional(f, to, "only_if", m->only_if);
    WRITE(
        f, to,
        ", .structural = %d, .crossing = (LiederCrossingKind)%d, .request = (LiederRequestKind)%d, "
        ".type = (LiederType)%d",
        m->structural, (int)m->crossing, (int)m->request, (int)m->type);
    write_optional(f, to, "text", m->text);
    WRITE(f, to, "},\n");
}

/* the row of the table of classes */
static void write_row(Files *f, const BlockClass *c)
{
    const LiederClassDef *def = &c->info.def;
    const char *tag = c->info.tag;
    WRITE(f, &f->rows,
          "    {.name = \"%s\", .nport = %d, .ports = %s_ports, .kernels = &%s_kernels", def->name,
          def->nport, tag, tag);
    write_optional(f, &f->rows, "text", def->text);
    if (def->nmember)
        WRITE(f, &f->rows, ", .nmember = %d, .members = %s_members", def->nmember, tag);
    if (def->uses_time)
        WRITE(f, &f->rows, ", .uses_time = true");
    if (block_has(c, BLOCK_CHECK))
        WRITE(f, &f->rows, ", .check = %s_check", tag);
    if (block_has(c, BLOCK_COUPLES))
        WRITE(f, &f->rows, ", .couples = %s_couples", tag);
    if (block_has(c, BLOCK_NEXT_TIME))
        WRITE(f, &f->rows, ", .next_time = %s_next_time", tag);
    WRITE(f, &f->rows, "},\n");
}

/* ------------------------------------------------------------------ files */

void files_begin(Files *f, const LiederAllocator *alloc, const char *source)
{
    *f = (Files){.alloc = alloc, .ok = true};
    WRITE(
        f, &f->blocks,
        "/* made of %s by lieder-precompile */\n#define LIEDER_SOURCE \"%s\"\n#include <math.h>\n\n"
        "#include <lieder/mechanics.h>\n\n#include \"block/joined.h\"\n#include "
        "\"library/library.h\"\n",
        source, source);
    WRITE(f, &f->tables, "/* made of %s by lieder-precompile */\n#include <stdint.h>\n\n", source);
}

void files_add(Files *f, const BlockClass *c)
{
    if (c->info.def.nsystem) {
        fprintf(stderr, "%s solves systems of equations, for which there are no tables yet\n",
                c->info.tag);
        f->ok = false;
    }
    WRITE(f, &f->blocks, "\n/* ---- %s: tapes */\n\n", c->info.def.name);
    write_tapes(f, c);
    WRITE(f, &f->tables, "extern const char %s_text[];\nconst char %s_text[] =\n    ", c->info.tag,
          c->info.tag);
    write_literal(f, &f->tables, c->text.items);
    WRITE(f, &f->tables, ";\n\n");
    WRITE(f, &f->blocks, "%s", c->whole.items);
    write_ports(f, c);
    if (c->info.def.nmember)
        WRITE(f, &f->blocks, "static const LiederMember %s_members[] = {\n", c->info.tag);
    for (int i = 0; i < c->info.def.nmember; i++)
        write_member(f, &c->info.def.members[i]);
    if (c->info.def.nmember)
        WRITE(f, &f->blocks, "};\n");
    write_row(f, c);
}

void files_end(Files *f, const char *name)
{
    WRITE(f, &f->blocks, "\nstatic const LiederClassDef classes[] = {\n%s};\n\n",
          f->rows.items ? f->rows.items : "");
    WRITE(f, &f->blocks,
          "const LiederClassList LIEDER_SYMBOL(library_%s) = {LIEDER_COUNT(classes), classes};\n",
          name);
}

void files_drop(Files *f)
{
    vec_drop(f->alloc, &f->blocks);
    vec_drop(f->alloc, &f->tables);
    vec_drop(f->alloc, &f->rows);
}
