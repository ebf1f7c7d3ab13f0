/* test_pattern.c - the automaton of --record against regexec on random expressions and names, and
 * against what is promised beyond POSIX. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/pattern.c"

static bool fits(const char *regex, const char *text)
{
    char message[128];
    Pattern *p = pattern_create(regex, message, sizeof message);
    if (!p)
        fail_msg("%s: %s", regex, message);
    bool result = pattern_matches(p, text);
    assert_false(pattern_failed(p));
    pattern_destroy(p);
    return result;
}

static void test_names(void **state)
{
    (void)state;
    assert_true(fits("crab\\[3\\]\\.revolute\\.phi", "crab[3].revolute.phi"));
    assert_false(fits("crab\\[3\\]\\.revolute\\.phi", "crab[31].revolute.phi"));
    assert_true(fits(".*phi", "crab[3].revolute.phi"));
    assert_false(fits("phi", "revolute.phi"));
    assert_true(fits("der\\(.*\\)", "der(revolute.phi)"));
    assert_true(fits("(a|b)\\.(x|y)", "b.x"));
    assert_false(fits("(a|b)\\.(x|y)", "b.z"));
    assert_true(fits("crab\\[[0-9]{1,3}\\]", "crab[123]"));
    assert_false(fits("crab\\[[0-9]{1,3}\\]", "crab[1234]"));
    assert_true(fits("^a$|^b$", "b"));
    assert_true(fits("\\w+\\[\\d+\\]", "crab_1[12]"));
    assert_true(fits("[^.]*", "time"));
    assert_false(fits("[^.]*", "a.b"));
    assert_true(fits("", ""));
    assert_true(fits("[]x]+", "]x]"));
    assert_true(fits("a{2}", "aa"));
    assert_true(fits("(a*)*b", "aaab"));
}

/* piece by piece is the same as at once; a dead state stays dead */
static void test_pieces(void **state)
{
    (void)state;
    char message[128];
    Pattern *p = pattern_create("crab\\[7\\]\\..*", message, sizeof message);
    int s = pattern_step(p, pattern_start(p), "crab", 4);
    int dead = pattern_step(p, s, "[8]", 3), live = pattern_step(p, s, "[7]", 3);
    assert_int_equal(dead, PATTERN_DEAD);
    assert_int_equal(pattern_step(p, dead, ".x", 2), PATTERN_DEAD);
    assert_false(pattern_accepts(p, live));
    assert_true(pattern_accepts(p, pattern_step(p, live, ".x", 2)));
    pattern_destroy(p);
}

static void test_wrong(void **state)
{
    (void)state;
    static const char *const wrong[] = {"[a",
                                        "(a",
                                        "*a",
                                        "a|*",
                                        "a\\",
                                        "[z-a]",
                                        "[[:foo:]]",
                                        "a{3,2}",
                                        "a{999}",
                                        "\\b",
                                        "(((a{255}){255}){255})"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char message[128];
        Pattern *p = pattern_create(wrong[i], message, sizeof message);
        if (p)
            fail_msg("%s was taken", wrong[i]);
        assert_true(strlen(message) > 0);
    }
    /* deep nesting ends with a message, not with the stack */
    char deep[4001], message[128];
    memset(deep, '(', 4000);
    deep[4000] = '\0';
    assert_null(pattern_create(deep, message, sizeof message));
}

static unsigned rng = 1;
static unsigned dice(unsigned n)
{
    rng = rng * 1664525u + 1013904223u;
    return (rng >> 16) % n;
}

/* a random expression over a small alphabet */
static void make(char *to, size_t size, int depth)
{
    static const char *const atoms[] = {"a", "b", "c", ".", "[ab]", "[^a]", "\\.", "\\["};
    size_t n = 0;
    for (unsigned i = 0, pieces = 1 + dice(3); i < pieces; i++) {
        char piece[256];
        if (depth > 0 && dice(3) == 0) {
            char inner[200];
            make(inner, sizeof inner, depth - 1);
            snprintf(piece, sizeof piece, "(%s)", inner);
        } else {
            snprintf(piece, sizeof piece, "%s", atoms[dice(8)]);
        }
        static const char *const marks[] = {"", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,1}"};
        if (n + strlen(piece) + 8 < size)
            n += (size_t)snprintf(to + n, size - n, "%s%s%s", i && dice(4) == 0 ? "|" : "", piece,
                                  marks[dice(9)]);
    }
    to[n] = '\0';
}

static void test_against_regexec(void **state)
{
    (void)state;
    size_t nmatch = 0;
    for (int round = 0; round < 4000; round++) {
        char regex[256], anchored[300], message[128];
        regex[0] = '\0';
        make(regex, sizeof regex, 2);
        snprintf(anchored, sizeof anchored, "^(%s)$", regex);
        regex_t posix;
        if (regcomp(&posix, anchored, REG_EXTENDED | REG_NOSUB) != 0)
            continue;
        Pattern *p = pattern_create(regex, message, sizeof message);
        if (!p)
            fail_msg("%s: %s", regex, message);
        for (int k = 0; k < 40; k++) {
            char text[8];
            unsigned n = dice(7);
            for (unsigned i = 0; i < n; i++)
                text[i] = "abc.["[dice(5)];
            text[n] = '\0';
            bool expected = regexec(&posix, text, 0, NULL, 0) == 0;
            nmatch += expected;
            if (pattern_matches(p, text) != expected)
                fail_msg("'%s' and '%s': expected %d", regex, text, expected);
        }
        pattern_destroy(p);
        regfree(&posix);
    }
    assert_true(nmatch > 1000); /* the comparison saw both answers */
}

/* ------------------------------------------------------------------ bounds */

/* n times a text, between two others; to be freed */
static char *repeated(const char *before, const char *text, size_t n, const char *after)
{
    size_t length = strlen(text), first = strlen(before);
    char *all = malloc(first + n * length + strlen(after) + 1);
    strcpy(all, before);
    for (size_t i = 0; i < n; i++)
        memcpy(all + first + i * length, text, length);
    strcpy(all + first + n * length, after);
    return all;
}

typedef struct Hard {
    char *regex;
    bool refused, failed;
    double seconds;
} Hard;

/* on a stack of 256 kB, as threads of embedding programs have it */
static void *try_hard(void *user)
{
    Hard *h = user;
    char message[128], text[3000];
    clock_t start = clock();
    Pattern *p = pattern_create(h->regex, message, sizeof message);
    h->refused = !p;
    for (int i = 0; p && i < 20; i++) {
        for (size_t k = 0; k < sizeof text - 1; k++)
            text[k] = "ab"[rand() >> 8 & 1];
        text[sizeof text - 1] = '\0';
        pattern_matches(p, text);
    }
    h->failed = p && pattern_failed(p);
    pattern_destroy(p);
    h->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    return NULL;
}

/* whatever the expression, it is matched or refused, soon and on a small stack */
static void test_bounds(void **state)
{
    (void)state;
    Hard cases[] = {
        {.regex = strdup("(){255}{255}{255}{255}")},
        {.regex = strdup("(()()){255}{255}{255}{255}{255}{255}")},
        {.regex = strdup("((){0,255}){0,255}{0,255}{0,255}")},
        {.regex = strdup("(a{255}){255}{255}{255}")},
        {.regex = strdup("(((a*)*)*)*{255}{255}{255}")},
        {.regex = repeated("", "|", 75000, "")},
        {.regex = repeated("", "a|", 75000, "b")},
        {.regex = repeated("(", "a|", 75000, "b)*")},
        {.regex = repeated("", "a", 120000, "")},
        {.regex = repeated("", "a*", 60000, "")},
        {.regex = repeated("", "a?", 9000, "")},
        {.regex = repeated("", "a*b*", 4000, "")},
        {.regex = repeated("a", "*", 100000, "")},
        {.regex = repeated("a", "+", 100000, "")},
        {.regex = repeated("a", "{1}", 40000, "")},
        {.regex = repeated("", "(", 100000, "")},
        {.regex = repeated("", "()", 50000, "")},
        {.regex = repeated("", "^$", 50000, "")},
        {.regex = repeated("", "[a-z]", 20000, "")},
        {.regex = strdup("(a|b)*a(a|b){250}")}, /* more states than can be kept */
        {.regex = strdup("((a|b)*a(a|b){200}){20}")},
        {.regex = repeated("", "(a|(b|(", 20, ".))))))))))))))))))))))))))))))))))))))))")},
        {.regex = strdup("((.*a.*|b).*(a|.*b)){60}")},
    };
    pthread_attr_t small;
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, 256 * 1024), 0);
    size_t nrefused = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, &small, try_hard, &cases[i]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        if (cases[i].seconds > 5) /* of this processor; under sanitizers mostly below one */
            fail_msg("%.60s takes %g s", cases[i].regex, cases[i].seconds);
        nrefused += cases[i].refused || cases[i].failed;
        free(cases[i].regex);
    }
    pthread_attr_destroy(&small);
    assert_true(nrefused > 5 && nrefused < sizeof cases / sizeof *cases);
    /* what is large and simple goes on to work */
    char *many = repeated("", "a|", 5000, "b"), *deep = repeated("", "(", 60, "a");
    assert_true(fits(many, "b"));
    char *whole = repeated(deep, ")", 60, "");
    assert_true(fits(whole, "a"));
    free(many);
    free(deep);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),  cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_wrong),  cmocka_unit_test(test_against_regexec),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
