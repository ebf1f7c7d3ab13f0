/* test_right.c - right models and their numbers.
 *
 * Each file of test/front/right is a model with what comes of it, from a closed form or an
 * independent integration, which its first comment names where the text does not show it. The last
 * lines say what is compared:
 *
 *   // x = 0.5        the last value of a variable
 *   // x(2) = 0.5     its value in the row at this time
 *   // stop 2         the run, else to 1 s
 *   // class P.M      the model, else the last one
 *   // warns          there is a warning, else there is none
 *
 * Numbers agree to 1e-6 of 1 + |value|: runs have the tolerance 1e-9, and errors of steps add up
 * over a run (docs/solvers.md).
 */
#include <dirent.h>

#include "help/run.h"

enum { MAX_TEXT = 100000, MAX_CLAIMS = 64 };

typedef struct Claim {
    char name[100];
    double time, value; /* time NAN: the last row */
} Claim;

typedef struct RightModel {
    char text[MAX_TEXT], class_name[100];
    double stop;
    bool warns;
    size_t nclaim;
    Claim claim[MAX_CLAIMS];
} RightModel;

/* "x(0.5) = 2" without the comment sign; false: it claims nothing */
static bool read_claim(const char *line, Claim *c)
{
    int at = 0;
    c->time = NAN;
    if (sscanf(line, "%99[^= ] = %lf %n", c->name, &c->value, &at) != 2 || line[at])
        return false;
    char *open = strrchr(c->name, '(');
    if (open && open[strlen(open) - 1] == ')') {
        c->time = strtod(open + 1, NULL);
        *open = '\0';
    }
    return true;
}

static void read_model(const char *path, RightModel *m)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    *m = (RightModel){.stop = 1};
    m->text[fread(m->text, 1, MAX_TEXT - 1, in)] = '\0';
    fclose(in);
    for (const char *p = strstr(m->text, "\n// "); p; p = strstr(p + 1, "\n// ")) {
        char line[200];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p + 4, "\n"), p + 4);
        if (strcmp(line, "warns") == 0)
            m->warns = true;
        else if (sscanf(line, "stop %lf", &m->stop) != 1 &&
                 sscanf(line, "class %99s", m->class_name) != 1 && m->nclaim < MAX_CLAIMS &&
                 read_claim(line, &m->claim[m->nclaim]))
            m->nclaim++;
    }
}

/* the model of the file as a system with an observer of what is claimed */
static bool build_right(Run *run, const RightModel *m, const char *path)
{
    FrontExperiment experiment;
    const char *name = NULL;
    bool good = front_load(run->front, path) == LIEDER_DONE;
    good = good && front_instantiate(run->front,
                                     *m->class_name ? m->class_name : front_last_model(run->front),
                                     NULL, 0, &experiment, &name) == LIEDER_DONE;
    run->system = good ? lieder_system_create(run->session, name, NULL) : NULL;
    run->observer = run->system ? lieder_observer_create(run->system) : NULL;
    for (; run->observer && run->nvalue < m->nclaim; run->nvalue++)
        if (lieder_observer_add(run->observer, m->claim[run->nvalue].name) < 0) {
            print_error("there is no %s\n", m->claim[run->nvalue].name);
            return false;
        }
    return run->observer != NULL;
}

/* how many claims do not hold */
static int count_wrong(const Run *run, const RightModel *m)
{
    int wrong = 0;
    for (size_t k = 0; k < m->nclaim; k++) {
        const Claim *c = &m->claim[k];
        double value = isnan(c->time) ? run_last(run, k) : run_at(run, c->time, k);
        if (fabs(value - c->value) <= 1e-6 * (1 + fabs(c->value)))
            continue;
        print_error("%s is %.12g, not %.12g\n", c->name, value, c->value);
        wrong++;
    }
    return wrong;
}

static int check_file(const char *path, RightModel *m)
{
    read_model(path, m);
    Run *run = run_create();
    int wrong = m->nclaim == 0 || m->nclaim > RUN_VALUES || !build_right(run, m, path);
    if (!wrong) {
        run->options = lieder_simulate_defaults();
        run->options.stop = m->stop;
        run->options.interval = m->stop / 100;
        run->options.tolerance = 1e-9;
        run->options.output = run_keep_row;
        run->options.user = run;
        wrong = lieder_simulate(run->system, &run->options, &run->statistics) != LIEDER_DONE;
        wrong += run->nrow > 1 && !wrong ? count_wrong(run, m) : 1;
    }
    size_t nmessage = lieder_diagnostic_count(run->session);
    if (wrong || (nmessage > 0) != m->warns) {
        print_error("%s: %d wrong, %zu messages\n", path, wrong, nmessage);
        lieder_diagnostic_print_all(run->session, stderr);
        wrong++;
    }
    run_drop(run);
    return wrong;
}

static void test_all(void **state)
{
    (void)state;
    char path[1000];
    snprintf(path, sizeof path, "%s/test/front/right", SOURCE_DIR);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    RightModel *m = malloc(sizeof *m);
    assert_non_null(m);
    int wrong = 0, n = 0;
    for (struct dirent *d; (d = readdir(folder));)
        if (strstr(d->d_name, ".mo")) {
            snprintf(path, sizeof path, "%s/test/front/right/%s", SOURCE_DIR, d->d_name);
            wrong += check_file(path, m);
            n++;
        }
    closedir(folder);
    free(m);
    assert_true(n >= 5);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
