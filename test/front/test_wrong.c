/* test_wrong.c - wrong models and what is said about them.
 *
 * Each file of test/front/wrong ends in comments: "// error LINE: text" for every error it must
 * give, no more and no less, "// warning LINE: text" likewise (a file without errors is a model
 * that runs), "// advice text" for an advice that must appear, and "// class NAME" where the last
 * model is not the one meant.
 */
#include <dirent.h>
#include <stdlib.h>

#include "front_help.h"

static char *read_text(const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = calloc(1, 100000);
    size_t n = fread(text, 1, 99999, in);
    text[n] = '\0';
    fclose(in);
    return text;
}

/* is there a diagnostic of this line and text that has not been matched yet? */
static bool match(const Lieder *session, bool *matched, bool warning, int line, const char *text)
{
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        if (!matched[i] && d->line == line && strstr(d->message, text) &&
            (!warning || d->severity == LIEDER_WARNING))
            return matched[i] = true;
    }
    return false;
}

static int check_comments(const Lieder *session, const char *text, const char *name)
{
    int wrong = 0;
    bool matched[500] = {false};
    for (const char *p = strstr(text, "\n// "); p; p = strstr(p + 1, "\n// ")) {
        char line[400];
        int number, at = 0;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p + 4, "\n"), p + 4);
        bool warning = sscanf(line, "warning %d: %n", &number, &at) == 1 && at;
        if (warning || (sscanf(line, "error %d: %n", &number, &at) == 1 && at)) {
            if (!match(session, matched, warning, number, line + at)) {
                wrong++;
                print_error("%s: nothing says in line %d: %s\n", name, number, line + at);
            }
        } else if (strncmp(line, "advice ", 7) == 0) {
            bool found = false;
            for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
                const char *advice = lieder_diagnostic_get(session, i)->advice;
                found |= advice && strstr(advice, line + 7);
            }
            if (!found) {
                wrong++;
                print_error("%s: no advice: %s\n", name, line + 7);
            }
        }
    }
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        if (!matched[i]) {
            wrong++;
            print_error("%s:%d: not expected: %s\n", name, d->line, d->message);
        }
        /* fit for a person: a place with its line, and what to do; what a parser expected says both
         */
        bool advised = (d->advice && *d->advice) || strncmp(d->message, "expected", 8) == 0;
        if (!d->file || d->line < 1 || d->column < 1 || !d->source || !advised) {
            wrong++;
            print_error("%s:%d: no place or no advice: %s\n", name, d->line, d->message);
        }
    }
    return wrong;
}

static int check_file(const char *name)
{
    char path[600], class_name[100] = "";
    snprintf(path, sizeof path, "%s/test/front/wrong/%s", SOURCE_DIR, name);
    char *text = read_text(path);
    const char *class_line = strstr(text, "\n// class ");
    if (class_line)
        sscanf(class_line, "\n// class %99s", class_name);
    Built b = build_with(text, *class_name ? class_name : NULL, NULL, 0);
    int wrong = check_comments(b.session, text, name);
    bool runs = strstr(text, "\n// warning ") && !strstr(text, "\n// error ");
    if (b.status != (runs ? LIEDER_DONE : LIEDER_BAD_MODEL)) {
        print_error("%s: %s\n", name, lieder_status_text(b.status));
        wrong++;
    }
    drop(&b);
    free(text);
    return wrong;
}

static void test_all(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/test/front/wrong", SOURCE_DIR);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    int wrong = 0, n = 0;
    for (struct dirent *d; (d = readdir(folder));)
        if (strstr(d->d_name, ".mo")) {
            wrong += check_file(d->d_name);
            n++;
        }
    closedir(folder);
    assert_true(n >= 40);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
