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

/* ------------------------------------------------------------------ the table */

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

void aims_write(FILE *f, const char *format, const Record *records, size_t n)
{
    __builtin_cpu_init();
    const double lanes =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? 5.0 : 3.5;
    const Aim aims[] = {
        {"one crab, compiled / flat C",
         false,
         1.3,
         NS,
         {"crane crab", "compiled", 0, 1, 0},
         {"crane crab", "flat C", 0, 0, 0}},
        {lanes == 5 ? "1024 crabs and more, flat C / compiled (AVX-512)"
                    : "1024 crabs and more, flat C / compiled (AVX2)",
         true,
         lanes,
         NS,
         {"crane crab", "flat C", 0, 1024, ANY},
         {"crane crab", "compiled", 0, 0, 0}},
        {"256 crabs and more, flat C / without a compiler",
         true,
         1.5,
         NS,
         {"crane crab", "flat C", 0, 256, ANY},
         {"crane crab", "kernels", 0, 0, 0}},
        {"two threads / one beside another program, median",
         true,
         0.85,
         NS,
         {"crane crabs beside another program", "kernels", 1, 1, ANY},
         {"crane crabs beside another program", "kernels", 2, 0, 0}},
        {"code of gcc / of clang",
         false,
         1.5,
         NS,
         {"crane crab, compilers", "gcc", 0, 1, ANY},
         {"crane crab, compilers", "clang", 0, 0, 0}},
        {"`lieder simulate` of a crane crab, s of the processor",
         false,
         0.01,
         SECONDS,
         {"program, crane crab from text", "program", 0, 1, 0},
         {0}},
        {"generated code of own classes / of the library",
         false,
         1.05,
         NS,
         {"crab of parts", "own in C", 0, 1, ANY},
         {"crab of parts", "library in C", 0, 0, 0}},
        {"own classes / library, without a compiler, 64 lanes and more",
         false,
         1.5,
         NS,
         {"crab of parts", "own", 0, 64, ANY},
         {"crab of parts", "library", 0, 0, 0}},
        {"own classes / library, without a compiler, one crab",
         false,
         1.3,
         NS,
         {"crab of parts", "own", 0, 1, 0},
         {"crab of parts", "library", 0, 0, 0}},
        {"a small own model from text to result, s",
         false,
         0.05,
         SECONDS,
         {"program, own equations from text", "program", 0, 1, 0},
         {0}},
        {"an own class compiled (Prismatic, both orientations), s",
         false,
         0.005,
         SECONDS,
         {"own class, both orientations", "text", 0, 1, 0},
         {0}},
        {"a million instances of an own class, us each",
         false,
         1,
         US_PER_UNIT,
         {"own equations, two numbers differ", "text", 0, 1000000, 0},
         {0}},
        {"the same, bytes each",
         false,
         40,
         BYTES,
         {"own equations, two numbers differ", "text", 0, 1000000, 0},
         {0}},
        {"100 000 different components from text, s",
         false,
         3,
         SECONDS,
         {"different components", "text", 0, 100000, 0},
         {0}},
        {"the same, per component at 100 000 / at 50 000",
         false,
         1.07,
         US_PER_UNIT,
         {"different components", "text", 0, 100000, 0},
         {"different components", "text", 0, 50000, 0}},
        {"bouncing balls, each of 1000 and 100 000 / of 64",
         false,
         1.2,
         NS,
         {"bouncing balls", "kernels", 1, 1000, ANY},
         {"bouncing balls", "kernels", 1, 64, 0}},
        {"the same from text",
         false,
         1.2,
         NS,
         {"bouncing balls", "text", 1, 1000, ANY},
         {"bouncing balls", "text", 1, 64, 0}},
        {"bouncing balls with drag, likewise",
         false,
         1.2,
         NS,
         {"bouncing balls with drag", "kernels", 1, 1000, ANY},
         {"bouncing balls with drag", "kernels", 1, 64, 0}},
        {"the same from text",
         false,
         1.2,
         NS,
         {"bouncing balls with drag", "text", 1, 1000, ANY},
         {"bouncing balls with drag", "text", 1, 64, 0}},
        {"64 crabs and more, paper / compiled",
         true,
         80,
         NS,
         {"crane crab", "paper", 0, 64, ANY},
         {"crane crab", "compiled", 0, 0, 0}},
        {"fleet from text, us per crab, 65536 and more",
         false,
         1,
         US_PER_UNIT,
         {"fleet from text, RK4", "kernels", 1, 65536, ANY},
         {0}},
        {"RK4 step per crab at a million / at 4096, compiled",
         false,
         1.25,
         NS,
         {"fleet from text, RK4", "compiled", 1, 1000000, 0},
         {"fleet from text, RK4", "compiled", 1, 4096, 0}},
        {"two threads / one, a million crabs and more, RK4",
         true,
         1.6,
         NS,
         {"fleet from text, RK4", "compiled", 1, 1000000, ANY},
         {"fleet from text, RK4", "compiled", 2, 0, 0}},
        {"chain, per link at 10000 / at 64",
         false,
         1.3,
         NS,
         {"chain of links", "kernels", 0, 10000, 0},
         {"chain of links", "kernels", 0, 64, 0}},
        {"net of 300 x 300, ns per degree of freedom",
         false,
         250,
         NS,
         {"net, c TD^2/m = 1", "iteration", 0, 180000, 0},
         {0}},
    };
    for (size_t i = 0; i < sizeof aims / sizeof *aims; i++)
        write_aim(f, format, &aims[i], records, n);
}
