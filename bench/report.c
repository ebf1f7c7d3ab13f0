/* report.c - what was measured, as a table while it grows, and at the end as files:
 *
 *   results/bench.json     one object per line of the table
 *   results/bench.md       the table for docs/performance.md
 *   results/bench_time.csv, bench_memory.csv
 *                          one evaluation of all crabs in ms, and bytes of the process, against the
 *                          number of equations in the counting of paper 003 (figures 7 and 6)
 *
 * `flat` is how many times faster than flat C of the same equations at the same n a line is. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Record *records;
static size_t nrecord;

void report_open(const Bench *bench)
{
    printf("%s\n%-34s %9s %-8s %3s %-9s %9s %7s %9s %9s %9s %9s %9s %7s\n",
           bench->scope == BENCH_QUICK ? "short run" : "full run", "case", "n", "solver", "thr",
           "tier", "ns", "flat", "start s", "us/unit", "compile s", "MB", "B/unit", "steps");
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
    write_line(stdout, record, "%-34s %9s %-8s %3s %-9s %9s %7s %9s %9s %9s %9s %9s %7s\n");
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

static const Record *find(const char *case_, size_t n, const char *tier)
{
    for (size_t i = 0; i < nrecord; i++)
        if (records[i].n == n && strcmp(records[i].tier, tier) == 0 &&
            strcmp(records[i].case_, case_) == 0)
            return &records[i];
    return NULL;
}

/* a crab has 189 equations as a Modelica tool counts them, the world 17 */
static void write_figure(FILE *f, bool memory)
{
    static const char *const tiers[] = {"kernels", "compiled", "flat C", "paper"};
    static const char *const names[] = {"kernels", "compiled", "flat", "paper"};
    int most = memory ? 2 : 4;
    fputs("equations", f);
    for (int k = 0; k < most; k++)
        fprintf(f, ",%s", names[k]);
    fputc('\n', f);
    for (size_t i = 0; i < nrecord; i++) {
        const Record *r = &records[i];
        if (strcmp(r->case_, "crane crab") != 0 || strcmp(r->tier, "kernels") != 0)
            continue;
        fprintf(f, "%.0f", 189.0 * (double)r->n + 17);
        for (int k = 0; k < most; k++) {
            const Record *c = find(r->case_, r->n, tiers[k]);
            if (c)
                fprintf(f, ",%.6g", memory ? c->resident : c->ns * (double)c->n * 1e-6);
            else
                fputs(",", f);
        }
        fputc('\n', f);
    }
}

static void write_time(FILE *f)
{
    write_figure(f, false);
}

static void write_memory(FILE *f)
{
    write_figure(f, true);
}

bool report_close(void)
{
    static const struct {
        const char *name;
        void (*write)(FILE *f);
    } files[] = {{"results/bench.json", write_json},
                 {"results/bench.md", write_markdown},
                 {"results/bench_time.csv", write_time},
                 {"results/bench_memory.csv", write_memory}};
    bool ok = true;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *f = fopen(files[i].name, "w");
        if (f)
            files[i].write(f);
        if (!f || fclose(f) != 0) {
            perror(files[i].name);
            ok = false;
        } else {
            printf("%s%s", i ? ", " : "\nwritten: ", files[i].name);
        }
    }
    putchar('\n');
    free(records);
    return ok;
}
