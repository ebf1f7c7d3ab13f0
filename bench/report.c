/* report.c - what was measured, as a table while it grows, and at the end as files:
 *
 *   results/bench.json     one object per line of the table
 *   results/bench.md       the table for docs/performance/table.md
 *   results/bench_aims.md  what was aimed at beside what was measured, for docs/performance.md
 *   results/bench_time.csv, bench_memory.csv, bench_start.csv
 *                          one evaluation of all crabs in ms, bytes of the process, and seconds of
 *                          instantiation, against the number of equations in the counting of paper
 *                          003 (figures 7 and 6)
 *
 * A run of some cases only has files of its own (bench_quick, bench_huge, bench_some).
 *
 * `flat` is how many times faster than flat C of the same equations at the same n a line is. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Record *records;
static size_t nrecord;
static const char *stem;

void report_open(const char *name)
{
    stem = name;
    printf("%-34s %9s %-6s %3s %-14s %9s %7s %9s %9s %9s %9s %9s %7s\n", "case", "n", "solver",
           "thr", "tier", "ns", "flat", "start s", "us/unit", "compile s", "MB", "B/unit", "steps");
}

/* times faster than flat C of the same case and size, or 0 */
static double against_flat(const Record *r)
{
    for (size_t i = 0; i < nrecord; i++)
        if (strcmp(records[i].tier, "flat C") == 0 && records[i].n == r->n &&
            strcmp(records[i].case_, r->case_) == 0 && r->ns > 0)
            return records[i].ns / r->ns;
    return 0;
}

/* a number, or nothing where there is none */
static const char *cell(double value, const char *format)
{
    static char texts[16][32];
    static int next;
    char *text = texts[next++ % 16];
    text[0] = 0;
    if (value != 0)
        snprintf(text, sizeof texts[0], format, value);
    return text;
}

static void write_line(FILE *f, const Record *r, const char *format)
{
    char n[24], threads[12] = "", steps[24] = "";
    snprintf(n, sizeof n, "%zu", r->n);
    if (r->threads)
        snprintf(threads, sizeof threads, "%d", r->threads);
    if (r->steps)
        snprintf(steps, sizeof steps, "%zu", r->steps);
    fprintf(f, format, r->case_, n, r->solver, threads, r->tier, cell(r->ns, "%.4g"),
            cell(against_flat(r), "%.2f"), cell(r->instantiation, "%.3g"),
            cell(r->instantiation * 1e6 / (double)r->n, "%.3g"), cell(r->compilation, "%.2f"),
            cell(r->resident / 1e6, "%.1f"), cell(r->bytes, "%.4g"), steps);
}

void report_add(const Record *record)
{
    Record *grown = realloc(records, (nrecord + 1) * sizeof *records);
    if (!grown)
        return;
    records = grown;
    records[nrecord++] = *record;
    write_line(stdout, record, "%-34s %9s %-6s %3s %-14s %9s %7s %9s %9s %9s %9s %9s %7s\n");
    fflush(stdout);
}

/* ------------------------------------------------------------------ files */

static void write_json(FILE *f)
{
    fputs("[", f);
    for (size_t i = 0; i < nrecord; i++) {
        const Record *r = &records[i];
        fprintf(f,
                "%s\n  {\"case\": \"%s\", \"n\": %zu, \"solver\": \"%s\", \"threads\": %d, "
                "\"tier\": \"%s\", \"ns\": %.6g, \"instantiation_seconds\": %.6g, "
                "\"compilation_seconds\": %.6g, \"resident_bytes\": %.0f, "
                "\"bytes_per_unit\": %.6g, \"steps\": %zu}",
                i ? "," : "", r->case_, r->n, r->solver, r->threads, r->tier, r->ns,
                r->instantiation, r->compilation, r->resident, r->bytes, r->steps);
    }
    fputs("\n]\n", f);
}

static void write_markdown(FILE *f)
{
    fputs("| case | n | solver | threads | tier | ns | times flat C | start s | us per unit | "
          "compile s | MB | bytes per unit | steps |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
          f);
    for (size_t i = 0; i < nrecord; i++)
        write_line(f, &records[i],
                   "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n");
}

/* ------------------------------------------------------------------ curves against the size */

typedef enum Quantity { TIME, MEMORY, START } Quantity;

/* a curve: a case and a tier, with one evaluation and one thread at most */
typedef struct Curve {
    const char *name, *case_, *tier;
} Curve;

static bool on_curve(const Record *r, const Curve *c)
{
    return strcmp(r->case_, c->case_) == 0 && strcmp(r->tier, c->tier) == 0 && r->threads <= 1;
}

/* one evaluation in ms; bytes; seconds */
static double quantity(const Record *r, Quantity what)
{
    return what == TIME     ? r->ns * (double)r->n * 1e-6
           : what == MEMORY ? r->resident
                            : r->instantiation;
}

/* a column for each curve, empty where another one has its row; a crab has 189 equations as a
 * Modelica tool counts them, the world 17 */
static void write_curves(FILE *f, Quantity what, const Curve *curves, int ncurve)
{
    fputs("equations", f);
    for (int k = 0; k < ncurve; k++)
        fprintf(f, ",%s", curves[k].name);
    for (int k = 0; k < ncurve; k++)
        for (size_t i = 0; i < nrecord; i++) {
            if (!on_curve(&records[i], &curves[k]))
                continue;
            fprintf(f, "\n%.0f", 189.0 * (double)records[i].n + 17);
            for (int m = 0; m < ncurve; m++)
                fprintf(f, m == k ? ",%.6g" : ",", quantity(&records[i], what));
        }
    fputc('\n', f);
}

static const Curve ways[] = {{"paper", "crane crab", "paper"},
                             {"kernels", "crane crab", "kernels"},
                             {"flat C", "crane crab", "flat C"},
                             {"compiled", "crane crab", "compiled"}};
static const Curve origins[] = {{"from text", "fleet from text, RK4", "kernels"},
                                {"from C", "crane crab", "kernels"}};

static void write_time(FILE *f)
{
    write_curves(f, TIME, ways, 4);
}

static void write_memory(FILE *f)
{
    write_curves(f, MEMORY, origins, 2);
}

static void write_start(FILE *f)
{
    write_curves(f, START, origins, 2);
}

/* false: it could not be written */
static bool write_file(const char *ending, void (*write)(FILE *f))
{
    char path[128];
    snprintf(path, sizeof path, "results/%s%s", stem, ending);
    FILE *f = fopen(path, "w");
    if (f)
        write(f);
    if (!f || fclose(f) != 0) {
        perror(path);
        return false;
    }
    printf("written: %s\n", path);
    return true;
}

static void write_aims(FILE *f)
{
    fputs("| | aim | measured | met |\n|---|---|---|---|\n", f);
    aims_write(f, "| %s | %s | %s | %s |\n", records, nrecord);
}

bool report_close(void)
{
    printf("\n%-58s %-14s %-18s %s\n", "aim", "", "measured", "met");
    aims_write(stdout, "%-58s %-14s %-18s %s\n", records, nrecord);
    bool ok = write_file(".json", write_json) & write_file(".md", write_markdown) &
              write_file("_aims.md", write_aims) & write_file("_time.csv", write_time) &
              write_file("_memory.csv", write_memory) & write_file("_start.csv", write_start);
    free(records);
    return ok;
}
