/* test_headers.c - the public headers are understood by C and C++ compilers, each alone, without a
 * warning; the installed libraries have the symbols that the headers declare, and no others. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lieder/lieder.h>

#include "help/full.h"

static char folder[] = "/tmp/lieder_headers_XXXXXX";

/* One file that includes the header; 0: it is fine. Fields that an initialiser leaves out are zero
 * in both languages, g++ warns of them only where they are named. */
static int compile(const char *compiler, const char *language, const char *header, const char *use)
{
    char command[1024], file[128];
    snprintf(file, sizeof file, "%s/one", folder);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fprintf(f, "#include <lieder/%s>\n%s\n", header, use);
    fclose(f);
    snprintf(command, sizeof command,
             "%s -x %s -std=gnu%s -Wall -Wextra -Werror -Wno-missing-field-initializers "
             "-I" SOURCE_DIR "/include -fsyntax-only %s",
             compiler, language, strcmp(language, "c") == 0 ? "17" : "++17", file);
    return system(command);
}

static bool has(const char *compiler)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s > /dev/null", compiler);
    return system(command) == 0;
}

static void check_all(const char *const compilers[2], const char *language)
{
    glob_t headers;
    size_t ncompiler = 0;
    assert_int_equal(glob(SOURCE_DIR "/include/lieder/*.h", 0, NULL, &headers), 0);
    assert_true(headers.gl_pathc >= 5);
    for (int k = 0; k < 2; k++) {
        if (!has(compilers[k]))
            continue;
        ncompiler++;
        for (size_t i = 0; i < headers.gl_pathc; i++) {
            const char *header = strrchr(headers.gl_pathv[i], '/') + 1;
            /* in brief each header goes to one of the two */
            if ((i + (size_t)k) % IN_FULL(1, 2) != 0)
                continue;
            if (compile(compilers[k], language, header, "") != 0)
                fail_msg("%s does not understand %s", compilers[k], header);
        }
        if (compile(compilers[k], language, "real.h",
                    "real f(real x); real f(real x) { return choose(x < 1.0, REAL(2), "
                    "maximum(x, 0.5) + absolute(square_root(sine(3.0)))); }") != 0)
            fail_msg("%s does not understand blocks", compilers[k]);
    }
    globfree(&headers);
    if (!ncompiler)
        skip();
}

static void test_c(void **state)
{
    (void)state;
    check_all((const char *const[2]){"gcc", "clang"}, "c");
}

static void test_cplusplus(void **state)
{
    (void)state;
    check_all((const char *const[2]){"g++", "clang++"}, "c++");
}

#ifdef SHARED
enum { MAX_NAMES = 1000, MAX_NAME = 80 };
typedef struct Names {
    size_t n;
    char name[MAX_NAMES][MAX_NAME];
} Names;

static bool listed(const Names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

static void list_name(Names *names, const char *name)
{
    if (listed(names, name))
        return;
    assert_true(names->n < MAX_NAMES && strlen(name) < MAX_NAME);
    strcpy(names->name[names->n++], name);
}

/* what a command prints, a name in each line */
static void list_output(Names *names, const char *command)
{
    char line[512];
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        list_name(names, line);
    }
    assert_int_equal(pclose(f), 0);
}

/* The preprocessed headers without comments: functions are lieder_name( outside of braces that no
 * static inline one defines; variables follow "extern const". */
static void list_declared(Names *declared)
{
    list_output(declared,
                "cd " SOURCE_DIR
                "/include && for h in lieder/*.h; do echo \"#include <$h>\"; done | "
                "gcc -std=gnu17 -E -P -I. -x c - | tr '\\n' ' ' | "
                "sed -e ':a' -e 's/{[^{}]*}/@/g' -e 'ta' -e 's/[;@]/\\n/g' | "
                "grep -v 'static\\|typedef' | grep -v '^ *inline' | "
                "sed -n -e 's/.*[ *]\\(lieder_[a-z_]*\\)(.*/\\1/p' "
                "-e '/extern const LiederDomain/{s/.*LiederDomain //;s/[, ]\\+/\\n/g;p}'");
}

static void compare_names(const Names *declared, const Names *symbols, const char *file)
{
    for (size_t i = 0; i < declared->n; i++)
        if (!listed(symbols, declared->name[i]))
            fail_msg("%s has no %s, which the headers declare", file, declared->name[i]);
    for (size_t i = 0; i < symbols->n; i++)
        if (!listed(declared, symbols->name[i]))
            fail_msg("%s shows %s, which no header declares", file, symbols->name[i]);
}

static void test_symbols(void **state)
{
    (void)state;
    static Names declared, shared, fixed;
    list_declared(&declared);
    assert_true(declared.n > 100 && listed(&declared, "lieder_create") &&
                listed(&declared, "lieder_planar") && !listed(&declared, "lieder_matrix_solve"));
    list_output(&shared, "nm -D --defined-only " SHARED " | cut -d' ' -f3");
    list_output(&fixed,
                "nm -g --defined-only " STATIC " 2>/dev/null | sed -n 's/^[0-9a-f]* . //p'");
    compare_names(&declared, &shared, "liblieder.so");
    compare_names(&declared, &fixed, "liblieder.a");
}
#endif

/* the version of the header is that of the manual, and the library tells it */
static void test_version(void **state)
{
    (void)state;
    assert_string_equal(lieder_version(), LIEDER_VERSION);
    assert_int_equal(
        system("grep -q '\"lieder " LIEDER_VERSION "\"' " SOURCE_DIR "/docs/man/lieder.1"), 0);
}

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    char file[128];
    snprintf(file, sizeof file, "%s/one", folder);
    unlink(file);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_c), cmocka_unit_test(test_cplusplus),
#ifdef SHARED
                                       cmocka_unit_test(test_symbols),
#endif
                                       cmocka_unit_test(test_version)};
    return cmocka_run_group_tests(tests, enter, leave);
}
