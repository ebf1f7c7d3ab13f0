/* log.c - what the program says: text for people, or JSON with one object a
 * line.
 *
 * Text: errors, warnings and notes go to stderr, results that were asked for to
 * stdout. JSON: all of it goes to stdout, so that one pipe sees everything in
 * order.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cluster/cluster.h"
#include "model/class/session.h"

Log log_open(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    static FILE *nowhere;
    if (cluster_rank() > 0 && !nowhere)
        nowhere = fopen("/dev/null", "w");
    return (Log){.stream = cluster_rank() > 0 ? nowhere : NULL,
                 .quiet = cluster_rank() > 0,
                 .colour =
                     isatty(STDERR_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0)};
}

int log_width(FILE *to)
{
    struct winsize size;
    if (ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
        return size.ws_col;
    return 80;
}

/* ------------------------------------------------------------------ JSON */

void json_begin(FILE *to, const char *type)
{
    fputs("{\"type\":", to);
    json_string(to, type);
}

void json_text(FILE *to, const char *key, const char *value)
{
    if (!value)
        return;
    fprintf(to, ",\"%s\":", key);
    json_string(to, value);
}

void json_number(FILE *to, const char *key, double value)
{
    fprintf(to, ",\"%s\":", key);
    json_value(to, value);
}

void json_count(FILE *to, const char *key, size_t value)
{
    fprintf(to, ",\"%s\":%zu", key, value);
}

void json_flag(FILE *to, const char *key, bool value)
{
    fprintf(to, ",\"%s\":%s", key, value ? "true" : "false");
}

void json_texts(FILE *to, const char *key, const char *const *values, size_t n)
{
    fprintf(to, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputc(',', to);
        json_string(to, values[i]);
    }
    fputc(']', to);
}

void json_numbers(FILE *to, const char *key, const double *values, size_t n)
{
    fprintf(to, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputc(',', to);
        json_value(to, values[i]);
    }
    fputc(']', to);
}

void json_end(FILE *to)
{
    fputs("}\n", to);
    fflush(to);
}

/* ------------------------------------------------------------------ diagnostics */

static const char *shade(const Log *log, const char *code)
{
    return log->colour ? code : "";
}
#define BOLD(log)   shade(log, "\033[1m")
#define RED(log)    shade(log, "\033[1;31m")
#define VIOLET(log) shade(log, "\033[1;35m")
#define GREEN(log)  shade(log, "\033[1;32m")
#define BLUE(log)   shade(log, "\033[1;34m")
#define PLAIN(log)  shade(log, "\033[0m")

/* lieder_diagnostic_print with colours */
static void print_diagnostic(const Log *log, const LiederDiagnostic *g, FILE *to)
{
    if (g->file)
        fprintf(to, "%s%s:%d:%d:%s ", BOLD(log), g->file, g->line, g->column, PLAIN(log));
    fprintf(to, g->severity == LIEDER_ERROR ? "%serror:%s " : "%swarning:%s ",
            g->severity == LIEDER_ERROR ? RED(log) : VIOLET(log), PLAIN(log));
    if (g->path)
        fprintf(to, "%s%s:%s ", BOLD(log), g->path, PLAIN(log));
    fprintf(to, "%s", g->message ? g->message : "(out of memory)");
    if (g->nelement)
        fprintf(to, " (and %zu more element%s likewise)", g->nelement, g->nelement == 1 ? "" : "s");
    fputc('\n', to);
    if (g->source) {
        fprintf(to, "    %s\n    ", g->source);
        size_t n = strlen(g->source);
        for (int i = 1; i < g->column && (size_t)i <= n; i++)
            fputc(g->source[i - 1] == '\t' ? '\t' : ' ', to);
        fprintf(to, "%s^", GREEN(log));
        for (int i = 1; i < g->length && (size_t)(g->column - 1 + i) < n; i++)
            fputc('~', to);
        fprintf(to, "%s\n", PLAIN(log));
    }
    if (g->advice)
        fprintf(to, "    %s\n", g->advice);
}

/* a diagnostic as one JSON object; the place is left out if there is none */
static void json_diagnostic(const LiederDiagnostic *g, FILE *to)
{
    json_begin(to, "diagnostic");
    json_text(to, "severity", g->severity == LIEDER_ERROR ? "error" : "warning");
    json_text(to, "message", g->message ? g->message : "out of memory");
    json_text(to, "advice", g->advice);
    json_text(to, "path", g->path);
    json_text(to, "file", g->file);
    if (g->file) {
        json_count(to, "line", (size_t)g->line);
        json_count(to, "column", (size_t)g->column);
        json_count(to, "length", (size_t)g->length);
    }
    json_text(to, "source", g->source);
    if (g->nelement)
        json_count(to, "more_elements", g->nelement);
    json_end(to);
}

/* the line without its end, which Place does not cut off */
static const char *source_line(const char *source, char *buffer, size_t size)
{
    snprintf(buffer, size, "%.*s", (int)strcspn(source, "\r\n"), source);
    return buffer;
}

/* The front end reads an override as the text "model O equation NAME = VALUE;" of a file
 * "override". A person wrote --override NAME=VALUE: that is the place, without line and column. */
static void place_override(LiederDiagnostic *g, char *buffer, size_t size)
{
    static const char before[] = "equation ";
    const char *text = g->source ? strstr(g->source, before) : NULL;
    if (!g->file || strcmp(g->file, "override") != 0 || !text)
        return;
    text += strlen(before);
    snprintf(buffer, size, "--override '%.*s'", (int)strcspn(text, ";"), text);
    g->path = buffer;
    g->file = g->source = NULL;
}

void log_diagnostics(Log *log, const Lieder *session, const Front *front)
{
    size_t n = lieder_diagnostic_count(session);
    if (log->shown > n)
        log->shown = 0; /* the list was cleared */
    for (; log->shown < n; log->shown++) {
        LiederDiagnostic g = *lieder_diagnostic_get(session, log->shown);
        if (g.counted)
            continue;
        *(g.severity == LIEDER_ERROR ? &log->nerror : &log->nwarning) += 1;
        if (log->quiet && g.severity != LIEDER_ERROR)
            continue;
        char line[512];
        Place place;
        if (!g.file && g.path && front && front_place(front, g.path, &place)) {
            g.file = place.file;
            g.line = place.line;
            g.column = place.column;
            g.length = place.length;
            g.source = place.source ? source_line(place.source, line, sizeof line) : NULL;
        }
        place_override(&g, line, sizeof line);
        if (log->json)
            json_diagnostic(&g, log->stream ? log->stream : stdout);
        else
            print_diagnostic(log, &g, log->stream ? log->stream : stderr);
    }
    size_t left_out = session->diag.nleft_out;
    if (left_out > log->left_out)
        log_note(log, "%zu more errors and warnings are not shown", left_out - log->left_out);
    log->left_out = left_out;
}

/* ------------------------------------------------------------------ the program's own words */

/* what and advice, in the program's name */
static void print_message(Log *log, const char *kind, const char *colour, char *text)
{
    char *advice = strchr(text, '\n');
    if (advice)
        *advice++ = '\0';
    if (log->json) {
        bool note = strcmp(kind, "note") == 0;
        FILE *to = log->stream ? log->stream : stdout;
        json_begin(to, note ? "note" : "diagnostic");
        if (!note)
            json_text(to, "severity", kind);
        json_text(to, "message", text);
        json_text(to, "advice", advice);
        json_end(to);
        return;
    }
    FILE *to = log->stream ? log->stream : stderr;
    fprintf(to, "%slieder:%s %s%s:%s %s\n", BOLD(log), PLAIN(log), colour, kind, PLAIN(log), text);
    if (advice)
        fprintf(to, "    %s\n", advice);
}

void log_error(Log *log, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log->nerror++;
    print_message(log, "error", RED(log), text);
}

void log_note(Log *log, const char *format, ...)
{
    if (log->quiet)
        return;
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_message(log, "note", BLUE(log), text);
}
