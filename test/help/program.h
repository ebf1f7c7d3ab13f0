/* program.h - the program itself, run as a user runs it: a folder of its own, exit codes, what it
 * says, the results it writes. */
#ifndef TEST_HELP_PROGRAM_H
#define TEST_HELP_PROGRAM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused)) /* not every test needs all */

/* ------------------------------------------------------------------ running the program */

static char folder[] = "/tmp/lieder_cli_XXXXXX";
static char *out, *err; /* of the last run */

UNUSED static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s is not there", path);
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(n + 1);
    n = fread(text, 1, n, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

UNUSED static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* lieder with these arguments, in the shell, inside the folder; its exit code */
UNUSED __attribute__((format(printf, 1, 2))) static int lieder(const char *format, ...)
{
    char arguments[2048], command[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(arguments, sizeof arguments, format, args);
    va_end(args);
    snprintf(command, sizeof command, "%s %s >stdout.txt 2>stderr.txt </dev/null", PROGRAM,
             arguments);
    int status = system(command);
    free(out);
    free(err);
    out = read_text("stdout.txt");
    err = read_text("stderr.txt");
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* lieder with these arguments, ended by NULL, and Ctrl-C after a second */
UNUSED static void interrupt(const char *const *arguments)
{
    char *argv[32] = {(char *)"lieder"};
    for (size_t i = 0; arguments[i] && i < 30; i++)
        argv[i + 1] = (char *)arguments[i];
    pid_t child = fork();
    if (child == 0) {
        if (freopen("stdout.txt", "w", stdout) && freopen("stderr.txt", "w", stderr))
            execv(PROGRAM, argv);
        _exit(99);
    }
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    kill(child, SIGINT);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    free(out);
    free(err);
    out = read_text("stdout.txt");
    err = read_text("stderr.txt");
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
}

UNUSED static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is missing in:\n%s", part, text);
}

UNUSED static void assert_exit(int code, int expected)
{
    if (code != expected)
        fail_msg("exit code %d, not %d\n%s%s", code, expected, out, err);
}

/* ------------------------------------------------------------------ results */

typedef struct Csv {
    char *text;
    size_t nrow, ncolumn;
    char *header;
    double *values; /* nrow x ncolumn */
} Csv;

UNUSED static Csv read_csv(const char *path)
{
    Csv c = {.text = read_text(path)};
    char *line = strchr(c.text, '\n');
    assert_non_null(line);
    *line++ = '\0';
    c.header = c.text;
    c.ncolumn = 1;
    bool quoted = false;
    for (const char *s = c.header; *s; s++) {
        quoted ^= *s == '"';
        c.ncolumn += *s == ',' && !quoted;
    }
    for (char *s = line; *s; s++)
        c.nrow += *s == '\n';
    c.values = malloc((c.nrow * c.ncolumn + 1) * sizeof(double));
    for (size_t i = 0; i < c.nrow * c.ncolumn; i++) {
        char *end;
        c.values[i] = strtod(line, &end);
        assert_ptr_not_equal(end, line);
        assert_true(*end == ',' || *end == '\n');
        line = end + 1;
    }
    return c;
}

UNUSED static void drop_csv(Csv *c)
{
    free(c->text);
    free(c->values);
}

UNUSED static double last_value(const Csv *c, size_t column)
{
    return c->values[(c->nrow - 1) * c->ncolumn + column];
}

/* ------------------------------------------------------------------ JSON */

static const char *json_value(const char *s);

static const char *json_blank(const char *s)
{
    return s + strspn(s, " \t");
}

static const char *json_string(const char *s)
{
    if (*s++ != '"')
        return NULL;
    while (*s != '"') {
        if ((unsigned char)*s < 0x20)
            return NULL;
        if (*s++ == '\\') {
            if (*s == 'u') {
                for (int i = 1; i <= 4; i++)
                    if (!isxdigit((unsigned char)s[i]))
                        return NULL;
                s += 4;
            } else if (!*s || !strchr("\"\\/bfnrt", *s)) {
                return NULL;
            }
            s++;
        }
    }
    return s + 1;
}

static const char *json_number(const char *s)
{
    s += *s == '-';
    if (!isdigit((unsigned char)*s) || (*s == '0' && isdigit((unsigned char)s[1])))
        return NULL;
    s += strspn(s, "0123456789");
    if (*s == '.') {
        if (!isdigit((unsigned char)*++s))
            return NULL;
        s += strspn(s, "0123456789");
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        if (!isdigit((unsigned char)*s))
            return NULL;
        s += strspn(s, "0123456789");
    }
    return s;
}

static const char *json_list(const char *s, char end, bool keys)
{
    s = json_blank(s + 1);
    while (*s != end) {
        if (keys) {
            s = json_string(s);
            if (!s || *(s = json_blank(s)) != ':')
                return NULL;
            s++;
        }
        s = json_value(json_blank(s));
        if (!s)
            return NULL;
        s = json_blank(s);
        if (*s == ',')
            s = json_blank(s + 1);
        else if (*s != end)
            return NULL;
    }
    return s + 1;
}

static const char *json_value(const char *s)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0)
            return s + strlen(words[i]);
    return *s == '"'   ? json_string(s)
           : *s == '{' ? json_list(s, '}', true)
           : *s == '[' ? json_list(s, ']', false)
                       : json_number(s);
}

/* every line is one object with a type; the number of lines */
UNUSED static size_t assert_json_lines(char *text)
{
    size_t n = 0;
    for (char *line = text, *end; *line; line = end + 1, n++) {
        end = strchr(line, '\n');
        if (!end)
            fail_msg("the last line has no end: %s", line);
        const char *stop = *line == '{' ? json_value(line) : NULL;
        if (stop != end)
            fail_msg("not an object: %.*s", (int)(end - line), line);
        if (strncmp(line, "{\"type\":\"", 9) != 0)
            fail_msg("no type: %.*s", (int)(end - line), line);
    }
    return n;
}

/* a number of the line that has the type */
UNUSED static double json_member(const char *text, const char *type, const char *key)
{
    char begin[64], name[64];
    snprintf(begin, sizeof begin, "{\"type\":\"%s\"", type);
    snprintf(name, sizeof name, "\"%s\":", key);
    const char *line = strstr(text, begin), *at = line ? strstr(line, name) : NULL;
    if (!at || at > strchr(line, '\n'))
        fail_msg("no %s in a %s: %s", key, type, text);
    return strtod(at + strlen(name), NULL);
}

/* ------------------------------------------------------------------ the folder of a test */

static bool enter_folder(void)
{
    return mkdtemp(folder) && chdir(folder) == 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(out);
    free(err);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

#endif
