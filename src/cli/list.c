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
#include "library/texts.h"

enum { OPT_LOG_FORMAT };
static const Option options[] = {[OPT_LOG_FORMAT] = LOG_FORMAT_OPTION, {0}};

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

/* a class by the name that Modelica knows it by */
typedef struct ListEntry {
    char name[128];
    const char *text;
    bool model; /* composed, not compiled */
} ListEntry;

typedef struct EntryList {
    ListEntry *items;
    size_t n, room;
    const char *pattern;
} EntryList;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ListEntry *)a)->name, ((const ListEntry *)b)->name);
}

/* a line or a JSON object for each class, names in one column */
static void print_entries(const Log *log, const ListEntry *entries, size_t n)
{
    int widest = 0;
    for (size_t i = 0; i < n; i++) {
        int width = (int)strlen(entries[i].name);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < n; i++) {
        const char *text = entries[i].text;
        if (log->json) {
            json_begin(stdout, "class");
            json_text(stdout, "name", entries[i].name);
            json_text(stdout, "text", text);
            json_flag(stdout, "model", entries[i].model);
            json_end(stdout);
        } else {
            printf("%-*s  %s\n", widest, entries[i].name, text ? text : "");
        }
    }
}

/* an entry more, if it fits; false: memory ran out */
static bool add_entry(EntryList *l, const char *name, const char *short_name, const char *text,
                      bool model)
{
    if (l->pattern && !name_fits(name, l->pattern) && !name_fits(short_name, l->pattern))
        return true;
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 128;
        ListEntry *items = realloc(l->items, room * sizeof *items);
        if (!items)
            return false;
        l->items = items;
        l->room = room;
    }
    ListEntry *e = &l->items[l->n++];
    *e = (ListEntry){.text = text, .model = model};
    snprintf(e->name, sizeof e->name, "%s", name);
    return true;
}

static void add_text_class(void *list, const char *name, const char *text)
{
    add_entry(list, name, name, text, false);
}

/* the classes whose name fits the pattern, sorted; EXIT_MODEL if there are none */
static ExitCode list_library(Log *log, Lieder *session, const char *pattern)
{
    size_t n = lieder_class_count(session); /* before the front end adds its own */
    Front *front = front_create(session);
    EntryList list = {.pattern = pattern};
    if (!front) {
        log_error(log, "out of memory");
        return EXIT_SIMULATION;
    }
    for (size_t i = 0; i < n; i++) {
        const LiederClass *class_ = lieder_class_get(session, i);
        char name[128];
        if (library_is_text(lieder_class_name(class_)))
            continue;
        library_name(front, lieder_class_name(class_), name, sizeof name);
        add_entry(&list, name, lieder_class_name(class_), lieder_class_text(class_),
                  lieder_class_is_model(class_));
    }
    front_visit_library(front, add_text_class, &list);
    if (list.n)
        qsort(list.items, list.n, sizeof *list.items, by_name);
    print_entries(log, list.items, list.n);
    free(list.items);
    front_destroy(front);
    if (list.n)
        return EXIT_DONE;
    log_error(log, "no class of the library fits \"%s\"\n'lieder list' shows all of them", pattern);
    return EXIT_MODEL;
}

static bool read_list_option(Arguments *a, int option, const char *value, void *pattern)
{
    return option == ARGUMENT_OPERAND && arguments_operand(a, value, pattern);
}

/* reads the pattern and prints the classes that fit */
static ExitCode list_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    const char *pattern = NULL;
    ExitCode code;
    if (!arguments_all(&a, read_list_option, &pattern, &code))
        return code;
    Lieder *session = lieder_create(NULL);
    if (!session) {
        log_error(&log, "out of memory");
        return EXIT_SIMULATION;
    }
    code = list_library(&log, session, pattern);
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
                              .run = list_command};
