/* test_headers.c - the public headers are understood by C and C++ compilers, each alone, without a
 * warning. */
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_c), cmocka_unit_test(test_cplusplus)};
    return cmocka_run_group_tests(tests, enter, leave);
}
