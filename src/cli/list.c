/* list.c - lieder list [PATTERN]: the classes of the library. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* FNM_CASEFOLD */
#endif
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { OPT_LOG_FORMAT };
static const Option options[] = {
    [OPT_LOG_FORMAT] = {"log-format", 0, "FORMAT", "text, or json: one object a line"}, {0}};

/* a glob if it has the characters of one, else a part of the name; case does
 * not count */
static bool name_fits(const char *name, const char *pattern)
{
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    for (; *name; name++) {
        size_t i = 0;
        while (pattern[i] && tolower((unsigned char)name[i]) == tolower((unsigned char)pattern[i]))
            i++;
        if (!pattern[i])
            return true;
    }
    return false;
}

/* users write the name with or without that of the library */
static bool class_fits(const LiederClass *class_, const char *pattern)
{
    char name[256];
    snprintf(name, sizeof name, LIBRARY "%s", lieder_class_name(class_));
    return name_fits(name, pattern) || name_fits(name + strlen(LIBRARY), pattern);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(lieder_class_name(*(const LiederClass *const *)a),
                  lieder_class_name(*(const LiederClass *const *)b));
}

static void print_classes(const Log *log, const LiederClass **found, size_t n)
{
    int widest = 0;
    for (size_t i = 0; i < n; i++) {
        int width = (int)strlen(lieder_class_name(found[i]));
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < n; i++) {
        const char *text = lieder_class_text(found[i]);
        char name[256];
        if (log->json) {
            json_begin(stdout, "class");
            snprintf(name, sizeof name, LIBRARY "%s", lieder_class_name(found[i]));
            json_text(stdout, "name", name);
            json_text(stdout, "text", text);
            json_flag(stdout, "model", lieder_class_is_model(found[i]));
            json_end(stdout);
        } else {
            printf(LIBRARY "%-*s  %s\n", widest, lieder_class_name(found[i]), text ? text : "");
        }
    }
}

static ExitCode list_session(Log *log, const Lieder *session, const char *pattern)
{
    size_t n = lieder_class_count(session), nfound = 0;
    const LiederClass **found = malloc((n + 1) * sizeof *found);
    if (!found) {
        log_error(log, "out of memory");
        return EXIT_SIMULATION;
    }
    for (size_t i = 0; i < n; i++)
        if (!pattern || class_fits(lieder_class_get(session, i), pattern))
            found[nfound++] = lieder_class_get(session, i);
    qsort(found, nfound, sizeof *found, by_name);
    print_classes(log, found, nfound);
    free(found);
    if (nfound)
        return EXIT_DONE;
    log_error(log, "no class of the library fits \"%s\"\n'lieder list' shows all of them", pattern);
    return EXIT_MODEL;
}

static ExitCode run(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    const char *value, *pattern = NULL;
    for (int o; (o = arguments_next(&a, &value)) != ARGUMENT_END;) {
        if (o == ARGUMENT_OPERAND ? !arguments_operand(&a, value, &pattern)
                                  : o == OPT_LOG_FORMAT && !arguments_log_format(&a, value))
            return EXIT_USAGE;
        if (o < ARGUMENT_OPERAND)
            return arguments_exit(o);
    }
    Lieder *session = lieder_create(NULL);
    if (!session) {
        log_error(&log, "out of memory");
        return EXIT_SIMULATION;
    }
    ExitCode code = list_session(&log, session, pattern);
    lieder_destroy(session);
    return code;
}

const Command command_list = {.name = "list",
                              .operands = "[PATTERN]",
                              .text = "List the classes of the library",
                              .description =
                                  "PATTERN is a part of the name, or a shell pattern such as "
                                  "'Planar.*'; upper and lower\n"
                                  "case are the same.",
                              .examples = "  lieder list\n"
                                          "  lieder list spring\n"
                                          "  lieder list 'Planar.*'\n",
                              .options = options,
                              .run = run};
