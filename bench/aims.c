/* aims.c - what was aimed at beside what was measured, from the records of a run.
 *
 * An aim bounds one number of the lines of a case and tier, or its ratio to the same number of
 * another line. The line of the table has the range of all sizes, and is met if the worst one
 * is. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum Quantity { NS, SECONDS, US_PER_UNIT, BYTES } Quantity;

/* lines of the table; n == 0: of the same size as the other side */
typedef struct Lines {
    const char *case_, *tier;
    int threads;
    size_t n, most; /* from n to most; most == 0: n alone */
} Lines;

typedef struct Aim {
    const char *text;
    bool at_least;
    double limit;
    Quantity quantity;
    Lines of, by; /* by.case_ == NULL: no ratio */
} Aim;

#define ANY (size_t) - 1

static double quantity_of(const Record *r, Quantity q)
{
    return q == NS            ? r->ns
           : q == SECONDS     ? r->instantiation
           : q == US_PER_UNIT ? r->instantiation * 1e6 / (double)r->n
                              : r->bytes;
}

static bool is_line(const Record *r, const Lines *l, size_t same)
{
    size_t from = l->n ? l->n : same, to = l->n ? (l->most ? l->most : l->n) : same;
    return strcmp(r->case_, l->case_) == 0 && strcmp(r->tier, l->tier) == 0 &&
           r->threads == l->threads && r->n >= from && r->n <= to;
}

/* the range of what was measured; false: nothing was */
static bool range_of(const Aim *aim, const Record *records, size_t n, double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!is_line(&records[i], &aim->of, 0))
            continue;
        double value = quantity_of(&records[i], aim->quantity), by = 1;
        for (size_t k = 0; aim->by.case_ && k < n; k++)
            if (is_line(&records[k], &aim->by, records[i].n))
                by = quantity_of(&records[k], aim->quantity);
        range[0] = fmin(range[0], value / by);
        range[1] = fmax(range[1], value / by);
    }
    return range[0] <= range[1];
}

/* ------------------------------------------------------------------ the aims */

/* clang-format off: an aim, the lines it is about, the lines they are divided by */
#define AT_MOST(limit)  false, limit
#define AT_LEAST(limit) true, limit
#define ONE(case_, tier, n)                                                                        \
    {                                                                                              \
        case_, tier, 0, n, 0                                                                       \
    }
#define FROM(case_, tier, n)                                                                       \
    {                                                                                              \
        case_, tier, 0, n, ANY                                                                     \
    }
#define SAME_SIZE(case_, tier)                                                                     \
    {                                                                                              \
        case_, tier, 0, 0, 0                                                                       \
    }
#define NO_RATIO                                                                                   \
    {                                                                                              \
        0                                                                                          \
    }

static const Aim aims[] = {
    {"one crab, compiled / flat C", AT_MOST(1.3), NS, ONE("crane crab", "compiled", 1),
     SAME_SIZE("crane crab", "flat C")},
    {"1024 crabs and more, flat C / compiled (AVX-512)", AT_LEAST(5), NS,
     FROM("crane crab", "flat C", 1024), SAME_SIZE("crane crab", "compiled")},
    {"1024 crabs and more, flat C / compiled (AVX2)", AT_LEAST(3.5), NS,
     FROM("crane crab", "flat C", 1024), SAME_SIZE("crane crab", "compiled")},
    {"256 crabs and more, flat C / without a compiler", AT_LEAST(1.5), NS,
     FROM("crane crab", "flat C", 256), SAME_SIZE("crane crab", "kernels")},
    {"two threads / one beside another program, median",
     AT_LEAST(0.85),
     NS,
     {"crane crabs beside another program", "kernels", 1, 1, ANY},
     {"crane crabs beside another program", "kernels", 2, 0, 0}},
    {"code of gcc / of clang", AT_MOST(1.5), NS, FROM("crane crab, compilers", "gcc", 1),
     SAME_SIZE("crane crab, compilers", "clang")},
    {"`lieder simulate` of a crane crab, s of the processor", AT_MOST(0.01), SECONDS,
     ONE("program, crane crab from text", "program", 1), NO_RATIO},
    {"generated code of own classes / of the library", AT_MOST(1.05), NS,
     FROM("crab of parts", "own in C", 1), SAME_SIZE("crab of parts", "library in C")},
    {"own classes / library, without a compiler, 64 lanes and more", AT_MOST(1.5), NS,
     FROM("crab of parts", "own", 64), SAME_SIZE("crab of parts", "library")},
    {"own classes / library, without a compiler, one crab", AT_MOST(1.3), NS,
     ONE("crab of parts", "own", 1), SAME_SIZE("crab of parts", "library")},
    {"a small own model from text to result, s", AT_MOST(0.05), SECONDS,
     ONE("program, own equations from text", "program", 1), NO_RATIO},
    {"an own class compiled (Prismatic, both orientations), s", AT_MOST(0.005), SECONDS,
     ONE("own class, both orientations", "text", 1), NO_RATIO},
    {"a million instances of an own class, us each", AT_MOST(1), US_PER_UNIT,
     ONE("own equations, two numbers differ", "text", 1000000), NO_RATIO},
    {"the same, bytes each", AT_MOST(40), BYTES,
     ONE("own equations, two numbers differ", "text", 1000000), NO_RATIO},
    {"100 000 different components from text, s", AT_MOST(3), SECONDS,
     ONE("different components", "text", 100000), NO_RATIO},
    {"the same, per component at 100 000 / at 50 000", AT_MOST(1.07), US_PER_UNIT,
     ONE("different components", "text", 100000), ONE("different components", "text", 50000)},
    {"bouncing balls, each of 1000 and 100 000 / of 64",
     AT_MOST(1.2),
     NS,
     {"bouncing balls", "kernels", 1, 1000, ANY},
     {"bouncing balls", "kernels", 1, 64, 0}},
    {"the same from text",
     AT_MOST(1.2),
     NS,
     {"bouncing balls", "text", 1, 1000, ANY},
     {"bouncing balls", "text", 1, 64, 0}},
    {"bouncing balls with drag, likewise",
     AT_MOST(1.2),
     NS,
     {"bouncing balls with drag", "kernels", 1, 1000, ANY},
     {"bouncing balls with drag", "kernels", 1, 64, 0}},
    {"the same from text",
     AT_MOST(1.2),
     NS,
     {"bouncing balls with drag", "text", 1, 1000, ANY},
     {"bouncing balls with drag", "text", 1, 64, 0}},
    {"64 crabs and more, paper / compiled", AT_LEAST(80), NS, FROM("crane crab", "paper", 64),
     SAME_SIZE("crane crab", "compiled")},
    {"fleet from text, us per crab, 65536 and more",
     AT_MOST(1),
     US_PER_UNIT,
     {"fleet from text, RK4", "kernels", 1, 65536, ANY},
     NO_RATIO},
    {"RK4 step per crab at a million / at 4096, compiled",
     AT_MOST(1.25),
     NS,
     {"fleet from text, RK4", "compiled", 1, 1000000, 0},
     {"fleet from text, RK4", "compiled", 1, 4096, 0}},
    {"two threads / one, a million crabs and more, RK4",
     AT_LEAST(1.6),
     NS,
     {"fleet from text, RK4", "compiled", 1, 1000000, ANY},
     {"fleet from text, RK4", "compiled", 2, 0, 0}},
    {"chain, per link at 10000 / at 64", AT_MOST(1.3), NS, ONE("chain of links", "kernels", 10000),
     ONE("chain of links", "kernels", 64)},
    {"net of 300 x 300, ns per degree of freedom", AT_MOST(250), NS,
     ONE("net, c TD^2/m = 1", "iteration", 180000), NO_RATIO},
};
/* clang-format on */

/* ------------------------------------------------------------------ the table */

/* one line of the table: what was aimed at, what was measured, and whether it is met */
static void write_aim(FILE *f, const char *format, const Aim *aim, const Record *records, size_t n)
{
    double range[2];
    char limit[48], measured[64] = "not measured";
    const char *met = "";
    snprintf(limit, sizeof limit, "at %s %g", aim->at_least ? "least" : "most", aim->limit);
    if (range_of(aim, records, n, range)) {
        if (range[1] - range[0] < 0.005 * fabs(range[1]))
            snprintf(measured, sizeof measured, "%.3g", range[1]);
        else
            snprintf(measured, sizeof measured, "%.3g to %.3g", range[0], range[1]);
        met = (aim->at_least ? range[0] >= aim->limit : range[1] <= aim->limit) ? "yes" : "no";
    }
    fprintf(f, format, aim->text, limit, measured, met);
}

/* is an aim of one instruction set of another one than this machine has? */
static bool is_of_other_machine(const Aim *aim)
{
    __builtin_cpu_init();
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return strstr(aim->text, wide ? "(AVX2)" : "(AVX-512)") != NULL;
}

void aims_write(FILE *f, const char *format, const Record *records, size_t n)
{
    for (size_t i = 0; i < sizeof aims / sizeof *aims; i++)
        if (!is_of_other_machine(&aims[i]))
            write_aim(f, format, &aims[i], records, n);
}
