/* test_message.c - the objects that the page sends, and what is no such object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/message.h"

static bool read_text(Message *m, const char *text)
{
    size_t n = strlen(text);
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    bool good = message_read(m, &memory_default, copy, n);
    free(copy); /* texts of the message are its own */
    return good;
}

static void reads_members(void **state)
{
    (void)state;
    Message m;
    assert_true(read_text(
        &m, " {\"stop\" : 1e1, \"solver\":\"rk4\",\"set\":{\"cart.m\":\"3\",\"a\":\"true\"},"
            "\"want\":[0, -4.5,5e-1],\"live\":true,\"empty\":[],\"none\":{}} \n"));
    assert_true(message_number(&m, "stop") == 10);
    assert_string_equal(message_text(&m, "solver"), "rk4");
    assert_true(message_flag(&m, "live"));
    const JsonValue *set = message_find(&m, "set", JSON_OBJECT);
    assert_string_equal(set->first->name, "cart.m");
    assert_string_equal(set->first->next->text, "true");
    assert_null(set->first->next->next);
    const JsonValue *want = message_find(&m, "want", JSON_LIST);
    assert_true(want->first->next->number == -4.5);
    assert_null(want->first->next->next->next);
    assert_null(message_find(&m, "empty", JSON_LIST)->first);
    assert_null(message_find(&m, "none", JSON_OBJECT)->first);
    /* another kind, or nothing */
    assert_true(isnan(message_number(&m, "solver")));
    assert_null(message_text(&m, "stop"));
    assert_false(message_flag(&m, "nothing"));
    message_drop(&m);
}

static void resolves_escapes(void **state)
{
    (void)state;
    Message m;
    assert_true(
        read_text(&m, "{\"\\u0061\":\"\\\"\\\\\\/\\n\\t\\u00e4\\u20ac\\ud83d\\ude00\xc3\xa4\"}"));
    assert_string_equal(message_text(&m, "a"),
                        "\"\\/\n\t\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa4");
    message_drop(&m);
    /* what no text can hold */
    assert_true(read_text(&m, "{\"a\":\"x\\ud83d\\ude00\\ud83dy\\ude00\\u0000z\"}"));
    assert_string_equal(message_text(&m, "a"),
                        "x\xf0\x9f\x98\x80\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbdz");
    message_drop(&m);
}

static void refuses_what_is_no_object(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        " ",
                                        "[]",
                                        "{",
                                        "{\"a\"",
                                        "{\"a\":",
                                        "{\"a\":}",
                                        "{\"a\":1",
                                        "{\"a\":1,",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{\"a\":1}x",
                                        "{\"a\":1}{}",
                                        "{\"a\":1,\"a\":2}",
                                        "{\"a\":01}",
                                        "{\"a\":+1}",
                                        "{\"a\":.5}",
                                        "{\"a\":1e999}",
                                        "{\"a\":nan}",
                                        "{\"a\":null}",
                                        "{\"a\":tru}",
                                        "{\"a\":[1,]}",
                                        "{\"a\":[[1]]}",
                                        "{\"a\":[\"1\"]}",
                                        "{\"a\":{\"b\":1}}",
                                        "{\"a\":{\"b\":{}}}",
                                        "{\"a\":\"\\x\"}",
                                        "{\"a\":\"\\u12\"}",
                                        "{\"a\":\"\n\"}",
                                        "{\"a\":\"b",
                                        "{\"a\":\"b\\",
                                        "{\"a\":--1}",
                                        "{\"a\":1-1}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Message m;
        if (read_text(&m, wrong[i]))
            fail_msg("taken: %s", wrong[i]);
        assert_true(*m.reason);
        message_drop(&m);
    }
    Message m;
    assert_false(message_read(&m, &memory_default, "{\"a\":\"\0\"}", 9));
    message_drop(&m);
}

static void members_are_limited(void **state)
{
    (void)state;
    char text[4096] = "{";
    for (int i = 0; i <= MESSAGE_MAX_MEMBERS; i++)
        sprintf(text + strlen(text), "%s\"m%d\":1", i ? "," : "", i);
    strcat(text, "}");
    Message m;
    assert_false(read_text(&m, text));
    assert_non_null(strstr(m.reason, "too many"));
    message_drop(&m);
}

/* ------------------------------------------------------------------ memory */

static size_t left;

static void *failing(void *user, void *block, size_t old_size, size_t size)
{
    if (size && size > old_size && left-- == 0) {
        left = 0;
        return NULL;
    }
    return memory_default.resize(user, block, old_size, size);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    LiederAllocator alloc = memory_default;
    alloc.resize = failing;
    char text[4096] = "{\"a\":\"text\",\"c\":{\"d\":\"e\",\"f\":\"g\"},\"b\":[1";
    for (int i = 0; i < 300; i++)
        strcat(text, ",2");
    strcat(text, "]}");
    for (size_t k = 0;; k++) {
        Message m;
        left = k;
        bool good = message_read(&m, &alloc, text, strlen(text));
        assert_true(good || strstr(m.reason, "memory"));
        message_drop(&m);
        if (good) {
            assert_true(k > 2);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_members), cmocka_unit_test(resolves_escapes),
        cmocka_unit_test(refuses_what_is_no_object), cmocka_unit_test(members_are_limited),
        cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
