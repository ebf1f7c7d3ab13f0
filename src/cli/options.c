/* options.c - GNU-style options from a table, help out of the same table, and
 * suggestions.
 *
 * Long options take their value after "=" or as the next argument and may be
 * shortened as long as they stay unambiguous; letters may stand together (-qo
 * FILE); "--" ends the options. getopt_long does most of this too, but knows no
 * suggestions and keeps its state in globals.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "cli/cli.h"

enum { MAX_WORD = 64 };

/* ------------------------------------------------------------------ suggestions */

const char *suggest(const char *word, CandidateFunction candidate, const void *from)
{
    const char *best = NULL, *name;
    int least = (int)strlen(word) / 3 + 1; /* a third of the letters may be wrong */
    for (size_t i = 0; (name = candidate(from, i)); i++) {
        /* "CraneCrab" means "Examples.CraneCrab" */
        const char *tail = strrchr(name, '.');
        int d = edit_distance(word, name);
        if (tail && edit_distance(word, tail + 1) + 1 < d)
            d = edit_distance(word, tail + 1) + 1;
        if (d <= least && (!best || d < least)) {
            best = name;
            least = d;
        }
    }
    return best;
}

static const char *option_name(const void *from, size_t index)
{
    return ((const Option *)from)[index].name;
}

/* ------------------------------------------------------------------ reading */

/* JSON is wanted from the first message on, whatever else is wrong */
static bool wants_json(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--log-format=json") == 0 ||
            (strcmp(argv[i], "--log-format") == 0 && i + 1 < argc &&
             strcmp(argv[i + 1], "json") == 0))
            return true;
    return false;
}

Arguments arguments_read(const Command *command, Log *log, int argc, char **argv)
{
    log->json = wants_json(argc, argv);
    return (Arguments){.command = command, .log = log, .argc = argc, .argv = argv};
}

static int wrong_option(Arguments *a, const char *text, const char *name)
{
    char letter[2] = {name[0], '\0'};
    const char *meant = name == letter ? NULL : suggest(name, option_name, a->command->options);
    if (meant)
        log_error(a->log, "unknown option %s\ndid you mean --%s?", text, meant);
    else
        log_error(a->log, "unknown option %s\n'lieder %s --help' lists the options", text,
                  a->command->name);
    return ARGUMENT_WRONG;
}

/* an option by name, or by an unambiguous beginning of it */
static int find_long(Arguments *a, const char *name, size_t n)
{
    char given[MAX_WORD], text[MAX_WORD + 8];
    snprintf(given, sizeof given, "%.*s", (int)n, name);
    snprintf(text, sizeof text, "--%s", given);
    int found = -1, nfound = 0;
    const Option *options = a->command->options;
    for (int i = 0; options[i].name; i++) {
        if (strncmp(options[i].name, name, n) != 0)
            continue;
        if (strlen(options[i].name) == n)
            return i;
        found = nfound++ ? found : i;
    }
    if (strncmp("help", name, n) == 0 && n > 0 && nfound == 0)
        return ARGUMENT_HELP;
    if (nfound > 1) {
        for (int i = found + 1; options[i].name; i++)
            if (strncmp(options[i].name, name, n) == 0) {
                log_error(a->log, "option %s is ambiguous\nis it --%s or --%s?", text,
                          options[found].name, options[i].name);
                return ARGUMENT_WRONG;
            }
    }
    return nfound == 1 ? found : wrong_option(a, text, given);
}

static int find_letter(Arguments *a, char letter)
{
    for (int i = 0; a->command->options[i].name; i++)
        if (a->command->options[i].letter == letter)
            return i;
    if (letter == 'h')
        return ARGUMENT_HELP;
    char text[3] = {'-', letter, '\0'};
    log_error(a->log, "unknown option %s\n'lieder %s --help' lists the options", text,
              a->command->name);
    return ARGUMENT_WRONG;
}

/* the argument after an option, which is its value */
static int take_value(Arguments *a, int option, const char **value)
{
    const Option *o = &a->command->options[option];
    if (a->at >= a->argc) {
        log_error(a->log, "option --%s needs a value: --%s %s", o->name, o->name, o->value);
        return ARGUMENT_WRONG;
    }
    *value = a->argv[a->at++];
    return option;
}

static int help(const Arguments *a)
{
    command_help(a->command, stdout);
    return ARGUMENT_HELP;
}

/* index of an option in the table with its value, or one of ARGUMENT_*: WRONG has been reported,
 * HELP has been printed */
static int arguments_next(Arguments *a, const char **value)
{
    *value = NULL;
    if (a->cluster && *a->cluster) {
        int option = find_letter(a, *a->cluster++);
        if (option == ARGUMENT_HELP)
            return help(a);
        if (option < 0 || !a->command->options[option].value)
            return option;
        /* -oFILE */
        if (*a->cluster) {
            *value = a->cluster;
            a->cluster = NULL;
            return option;
        }
        return take_value(a, option, value);
    }
    if (a->at >= a->argc)
        return ARGUMENT_END;
    const char *text = a->argv[a->at++];
    if (a->only_operands || text[0] != '-' || !text[1]) {
        *value = text;
        return ARGUMENT_OPERAND;
    }
    if (strcmp(text, "--") == 0) {
        a->only_operands = true;
        return arguments_next(a, value);
    }
    if (text[1] != '-') {
        a->cluster = text + 1;
        return arguments_next(a, value);
    }
    size_t n = strcspn(text + 2, "=");
    int option = find_long(a, text + 2, n);
    if (option == ARGUMENT_HELP)
        return help(a);
    if (option < 0)
        return option;
    const Option *o = &a->command->options[option];
    if (text[2 + n] == '=') {
        if (!o->value) {
            log_error(a->log, "option --%s takes no value", o->name);
            return ARGUMENT_WRONG;
        }
        *value = text + 2 + n + 1;
        return option;
    }
    return o->value ? take_value(a, option, value) : option;
}

static bool read_log_format(Arguments *a, const char *text)
{
    a->log->json = strcmp(text, "json") == 0;
    if (a->log->json || strcmp(text, "text") == 0)
        return true;
    log_error(a->log, "--log-format is text or json, not \"%s\"", text);
    return false;
}

static bool read_extension(Arguments *a, const char *path)
{
    Log *log = a->log;
    if (log->nextension < MAX_EXTENSIONS) {
        log->extensions[log->nextension++] = path;
        return true;
    }
    log_error(log, "--load may be given %d times at most", MAX_EXTENSIONS);
    return false;
}

/* steps=N, loops=N, memory=SIZE with K, M, G or T behind it */
static bool read_limit(Arguments *a, const char *text, FrontLimits *limits)
{
    const char *p = text;
    do {
        size_t key = strcspn(p, "=");
        char *end = (char *)p + key;
        double value = p[key] == '=' ? strtod(p + key + 1, &end) : 0;
        const char *units = "KMGT",
                   *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
        bool memory = key == 6 && strncmp(p, "memory", 6) == 0;
        if (memory && unit) {
            value *= (double)(1ull << (10 * (unit - units + 1)));
            end++;
        }
        bool loops = key == 5 && strncmp(p, "loops", 5) == 0;
        bool known = memory || loops || (key == 5 && strncmp(p, "steps", 5) == 0);
        if (!known || !(value >= 1 && value <= 1e18) || (*end && *end != ',')) {
            log_error(
                a->log,
                "--limit needs steps=N, memory=SIZE, loops=N or several of these, not \"%s\"\n"
                "as in --limit steps=1e9,memory=8G",
                text);
            return false;
        }
        size_t *to = memory ? &limits->memory : loops ? &limits->loops : &limits->steps;
        if (*to) {
            log_error(a->log, "--limit %.*s is given twice\ngive it once", (int)key, p);
            return false;
        }
        *to = (size_t)value;
        p = end + (*end == ',');
    } while (*p);
    return true;
}

static bool add_text(Arguments *a, bool good)
{
    if (!good)
        log_error(a->log, "out of memory");
    return good;
}

/* length of the name of what an override sets: x.start is what x is */
static size_t target_length(const char *name, size_t n)
{
    static const char start[] = ".start";
    const size_t m = sizeof start - 1;
    return n > m && memcmp(name + n - m, start, m) == 0 ? n - m : n;
}

/* Do two overrides set the same number? x and x.start, r and r[2] do. */
static bool overlap(const char *a, size_t na, const char *b, size_t nb)
{
    na = target_length(a, na);
    nb = target_length(b, nb);
    size_t n = na < nb ? na : nb;
    return memcmp(a, b, n) == 0 &&
           (na == nb || ((na < nb ? b : a)[n] == '[' && (na < nb ? b : a)[na + nb - n - 1] == ']'));
}

/* NAME=VALUE; the value lives as long as argv */
static bool add_override(Arguments *a, const char *text, Overrides *overrides)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        log_error(a->log, "--override needs NAME=VALUE, not \"%s\"\nas in --override cart.m=3",
                  text);
        return false;
    }
    size_t n = (size_t)(equals - text);
    for (size_t i = 0; i < overrides->n; i++) {
        const char *other = overrides->items[i].name;
        if (!overlap(other, strlen(other), text, n))
            continue;
        if (strncmp(other, text, n) == 0 && !other[n])
            log_error(a->log, "--override %.*s is given twice\ngive it once", (int)n, text);
        else
            log_error(a->log, "--override %s and %.*s set the same number\ngive one of them", other,
                      (int)n, text);
        return false;
    }
    char *name = memory_copy(HEAP, text, n + 1);
    if (name)
        name[n] = '\0';
    if (name && vec_push(HEAP, overrides, (FrontOverride){.name = name, .value = equals + 1}))
        return true;
    memory_free(HEAP, name, n + 1);
    log_error(a->log, "out of memory");
    return false;
}

static void drop_overrides(Overrides *overrides)
{
    for (size_t i = 0; i < overrides->n; i++)
        memory_free_text(HEAP, (char *)overrides->items[i].name);
    vec_drop(HEAP, overrides);
}

void model_source_drop(ModelSource *source)
{
    drop_overrides(&source->overrides);
    vec_drop(HEAP, &source->before);
    vec_drop(HEAP, &source->libraries);
}

/* a folder of packages is there: a wrong name would do nothing */
static bool is_folder(Arguments *a, const char *path)
{
    struct stat s;
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        return true;
    log_error(a->log, "--library %.200s is no folder\ncheck its name", path);
    return false;
}

/* a name that is not empty */
static bool read_name(Arguments *a, const char *option, const char *value, const char **to)
{
    *to = value;
    if (!*value)
        log_error(a->log, "--%s needs a name, not \"\"", option);
    return *value;
}

/* the operands and options that say what is loaded; false: `option` is none of them */
static bool read_source(Arguments *a, int option, const char *name, const char *value, bool *good)
{
    static const Option library = LIBRARY_OPTION, limit = LIMIT_OPTION;
    ModelSource *source = a->source;
    if (option == ARGUMENT_OPERAND && *a->command->operands)
        *good = arguments_operand(a, value, &source->file);
    else if (strcmp(name, "model") == 0)
        *good = read_name(a, name, value, &source->model);
    else if (strcmp(name, "override") == 0)
        *good = add_override(a, value, &source->overrides);
    else if (strcmp(name, library.name) == 0)
        *good = is_folder(a, value) && add_text(a, vec_push(HEAP, &source->libraries, value));
    else if (strcmp(name, limit.name) == 0)
        *good = read_limit(a, value, &source->limits);
    else
        return false;
    return true;
}

/* options that are the same for all commands; false: `option` is none of them */
static bool read_shared(Arguments *a, int option, const char *value, bool *good)
{
    static const Option log_format = LOG_FORMAT_OPTION, quiet = QUIET_OPTION, load = LOAD_OPTION;
    const char *name = option >= 0 ? a->command->options[option].name : "";
    *good = true;
    if (strcmp(name, log_format.name) == 0)
        *good = read_log_format(a, value);
    else if (strcmp(name, quiet.name) == 0)
        a->log->quiet = true;
    else if (strcmp(name, load.name) == 0)
        *good = read_extension(a, value);
    else
        return a->source && read_source(a, option, name, value, good);
    return true;
}

/* an option that takes one value has it once: the first one would be forgotten without a word */
static bool note_given(Arguments *a, int option)
{
    const Option *o = &a->command->options[option];
    bool again = a->given >> option & 1;
    a->given |= UINT64_C(1) << option;
    if (!again || !o->value || strstr(o->text, "may be repeated"))
        return true;
    log_error(a->log, "--%s is given twice\ngive it once", o->name);
    return false;
}

bool arguments_refuse(const Arguments *a, const int *list, const char *why)
{
    for (; *list >= 0; list++)
        if (a->given >> *list & 1) {
            log_error(a->log, "--%s does nothing %s\nleave it out", a->command->options[*list].name,
                      why);
            return false;
        }
    return true;
}

bool arguments_all(Arguments *a, ReadOption *read, void *settings, ExitCode *code)
{
    const char *value;
    for (int o; (o = arguments_next(a, &value)) != ARGUMENT_END;) {
        bool good;
        if (o >= ARGUMENT_OPERAND && (o < 0 || note_given(a, o)) &&
            (read_shared(a, o, value, &good) ? good : read && read(a, o, value, settings)))
            continue;
        *code = o == ARGUMENT_HELP ? EXIT_DONE : EXIT_USAGE;
        return false;
    }
    return true;
}

bool arguments_number(Arguments *a, const char *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && isfinite(*value))
        return true;
    log_error(a->log, "--%s needs a number, not \"%s\"", option, text);
    return false;
}

bool arguments_positive(Arguments *a, const char *option, const char *text, double *value)
{
    if (!arguments_number(a, option, text, value))
        return false;
    if (*value > 0)
        return true;
    log_error(a->log, "--%s must be greater than zero, not %s", option, text);
    return false;
}

bool arguments_count(Arguments *a, const char *option, const char *text, size_t *value)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end != text && !*end && n >= 1 && errno == 0) {
        *value = (size_t)n;
        return true;
    }
    log_error(a->log, "--%s needs a whole number from 1 on, not \"%s\"", option, text);
    return false;
}

/* fewer would not hold an axis, more no program shows */
enum { MIN_WIDTH = 20, MIN_HEIGHT = 8, MAX_SIZE = 20000 };

bool arguments_size(Arguments *a, const char *text, size_t *width, size_t *height)
{
    char *end = (char *)text;
    *width = *height = 0;
    if (isdigit((unsigned char)*text))
        *width = strtoul(text, &end, 10);
    if (*end == 'x' && isdigit((unsigned char)end[1]))
        *height = strtoul(end + 1, &end, 10);
    if (!*end && *width >= MIN_WIDTH && *width <= MAX_SIZE && *height >= MIN_HEIGHT &&
        *height <= MAX_SIZE)
        return true;
    log_error(a->log, "--size needs WIDTHxHEIGHT, not \"%s\"\nas in --size 1200x800", text);
    return false;
}

static const char *solver_name(const void *from, size_t index)
{
    (void)from;
    LiederSolver solver = (LiederSolver)(LIEDER_SOLVER_AUTO + 1 + index);
    return solver < LIEDER_SOLVER_COUNT ? lieder_solver_name(solver) : NULL;
}

bool arguments_solver(Arguments *a, const char *text, LiederSolver *solver)
{
    if (lieder_solver_find(text, solver))
        return true;
    const char *meant = suggest(text, solver_name, NULL);
    log_error(a->log, "there is no solver \"%s\"\n%s%s%s%s", text, meant ? "did you mean " : "",
              meant ? meant : "", meant ? "? There are " : "there are ", lieder_solver_names());
    return false;
}

bool arguments_operand(Arguments *a, const char *text, const char **operand)
{
    if (*operand && a->source && strstr(a->command->operands, "...")) {
        if (!add_text(a, vec_push(HEAP, &a->source->before, *operand)))
            return false;
    } else if (*operand) {
        log_error(a->log, "one %s is enough: \"%s\" is too many\nlieder %s [OPTION]... %s",
                  a->command->operands, text, a->command->name, a->command->operands);
        return false;
    }
    *operand = text;
    return true;
}

ExitCode arguments_missing(Arguments *a, const char *what)
{
    log_error(a->log, "%s is missing: lieder %s %s\n'lieder %s --help' says more", what,
              a->command->name, a->command->operands, a->command->name);
    return EXIT_USAGE;
}

/* ------------------------------------------------------------------ help */

/* text from a column on, lines broken between words */
static void wrap(FILE *to, const char *text, int column, int width)
{
    int at = column;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (at > column && at + 1 + n > width) {
            fprintf(to, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', to);
            at++;
        }
        fprintf(to, "%.*s", n, text);
        at += n;
        text += n;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

void command_help(const Command *command, FILE *to)
{
    enum { COLUMN = 26 };
    int width = log_width(to) > 100 ? 100 : log_width(to);
    fprintf(to, "Usage: lieder %s [OPTION]... %s\n%s.\n\n%s\n\nOptions:\n", command->name,
            command->operands, command->text, command->description);
    for (const Option *o = command->options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "  %c%c%c --%s%s%s", o->letter ? '-' : ' ',
                 o->letter ? o->letter : ' ', o->letter ? ',' : ' ', o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        if (strlen(left) + 1 > COLUMN)
            fprintf(to, "%s\n%*s", left, COLUMN, "");
        else
            fprintf(to, "%-*s", COLUMN, left);
        wrap(to, o->text, COLUMN, width);
    }
    fprintf(to, "%-*s%s\n", COLUMN, "  -h, --help", "print this help");
    fprintf(to, "\nExamples:\n%s", command->examples);
}
