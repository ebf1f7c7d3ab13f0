/* test_lex.c - lex.c: every token, its place, numbers, strings, what is no token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "front/syntax/token.h"

static Lexer lexer_on(const char *text)
{
    Lexer lexer;
    lex_init(&lexer, text, (uint32_t)strlen(text));
    return lexer;
}

static void assert_next(Lexer *lexer, TokenKind kind, uint32_t at, uint32_t length)
{
    Token token = lex_next(lexer);
    assert_int_equal(token.kind, kind);
    assert_int_equal(token.at, at);
    assert_int_equal(token.length, length);
}

/* each mark and keyword alone, and as the start of a longer word */
static void spells_every_token(void **state)
{
    (void)state;
    for (TokenKind kind = TK_SEMICOLON; kind < TK_COUNT; kind++) {
        const char *spelling = token_spelling(kind);
        Lexer lexer = lexer_on(spelling);
        assert_next(&lexer, kind, 0, (uint32_t)strlen(spelling));
        assert_next(&lexer, TK_END_OF_FILE, (uint32_t)strlen(spelling), 0);
        if (token_is_keyword(kind)) {
            char longer[40];
            snprintf(longer, sizeof longer, "%sX", spelling);
            lexer = lexer_on(longer);
            assert_next(&lexer, TK_IDENT, 0, (uint32_t)strlen(longer));
            snprintf(longer, sizeof longer, "%.*s", (int)strlen(spelling) - 1, spelling);
            lexer = lexer_on(longer);
            // "elsei" is a name, but "els" + "e" apart, some keywords start others
            TokenKind part = lex_next(&lexer).kind;
            assert_true(part == TK_IDENT || strcmp(token_spelling(part), longer) == 0);
        }
    }
}

static void keywords_are_sorted(void **state)
{
    (void)state;
    for (int kind = TK_ALGORITHM; kind + 1 < TK_COUNT; kind++)
        assert_true(strcmp(token_spelling((TokenKind)kind), token_spelling((TokenKind)(kind + 1))) <
                    0);
}

static void takes_the_longest(void **state)
{
    (void)state;
    Lexer lexer = lexer_on("a.b 1.e2.*x<>=:=..5");
    assert_next(&lexer, TK_IDENT, 0, 1);
    assert_next(&lexer, TK_DOT, 1, 1);
    assert_next(&lexer, TK_IDENT, 2, 1);
    assert_next(&lexer, TK_REAL, 4, 4);
    assert_next(&lexer, TK_DOT_STAR, 8, 2);
    assert_next(&lexer, TK_IDENT, 10, 1);
    assert_next(&lexer, TK_NOT_EQUAL, 11, 2);
    assert_next(&lexer, TK_EQUAL, 13, 1);
    assert_next(&lexer, TK_ASSIGN, 14, 2);
    assert_next(&lexer, TK_DOT, 16, 1);
    assert_next(&lexer, TK_REAL, 17, 2);
    assert_next(&lexer, TK_END_OF_FILE, 19, 0);
    assert_next(&lexer, TK_END_OF_FILE, 19, 0);
}

static void knows_the_first_of_a_line(void **state)
{
    (void)state;
    Lexer lexer = lexer_on("\xEF\xBB\xBF"
                           "a b // c\r\nd /*\n*/ e /* x */ f\rg");
    static const bool first[] = {true, false, true, true, false, true};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(lex_next(&lexer).first, first[i]);
}

static void comments_do_not_nest(void **state)
{
    (void)state;
    Lexer lexer = lexer_on("/* a /* b */ c // /* \n d /**/ e /***/ f");
    assert_next(&lexer, TK_IDENT, 13, 1);
    assert_next(&lexer, TK_IDENT, 23, 1);
    assert_next(&lexer, TK_IDENT, 30, 1);
    assert_next(&lexer, TK_IDENT, 38, 1);
}

static void assert_bad(const char *text, size_t size, uint32_t at, uint32_t length,
                       const char *problem)
{
    Lexer lexer;
    lex_init(&lexer, text, (uint32_t)size);
    Token token;
    do
        token = lex_next(&lexer);
    while (token.kind != TK_BAD && token.kind != TK_END_OF_FILE);
    assert_int_equal(token.kind, TK_BAD);
    assert_int_equal(token.at, at);
    assert_int_equal(token.length, length);
    assert_string_equal(token.problem, problem);
}
#define ASSERT_BAD(text, at, length, problem) assert_bad(text, sizeof text - 1, at, length, problem)

static void names_what_is_no_token(void **state)
{
    (void)state;
    ASSERT_BAD("x = \"no end\n", 4, 1,
               "this string has no end\nclose it with '\"'; a quote inside a string is written "
               "\\\"");
    ASSERT_BAD("x = \"no end\\\"", 4, 1,
               "this string has no end\nclose it with '\"'; a quote inside a string is written "
               "\\\"");
    ASSERT_BAD("x = \"no end\\", 4, 1,
               "this string has no end\nclose it with '\"'; a quote inside a string is written "
               "\\\"");
    ASSERT_BAD("x /* no end *", 2, 2, "this comment has no end\nclose it with '*/'");
    ASSERT_BAD("x /*/", 2, 2, "this comment has no end\nclose it with '*/'");
    ASSERT_BAD("'a b\n'", 0, 4,
               "this quoted name has no end\nclose it with \"'\" on the same line; a derivative is "
               "written der(x)");
    ASSERT_BAD("1.5e+ 3", 0, 5, "the exponent of this number has no digits\nwrite it as in 1.5e-3");
    ASSERT_BAD("a $", 2, 1,
               "this character has no meaning in Modelica\nremove it; in a name it needs single "
               "quotes around the name");
    ASSERT_BAD("a \xC3\xA4", 2, 2,
               "letters beyond A to Z have no meaning here\nput the name in single quotes, or the "
               "text in double quotes");
    ASSERT_BAD("\"a\0b\"", 2, 1, "a string cannot hold a NUL byte\nremove it");
    ASSERT_BAD("\"a\\\0b\"", 3, 1, "a string cannot hold a NUL byte\nremove it");
    ASSERT_BAD("a \0 b", 2, 1,
               "this character has no meaning in Modelica\nremove it; in a name it needs single "
               "quotes around the name");
}

static void resolves_escapes(void **state)
{
    (void)state;
    static const char inside[] = "\\'\\\"\\?\\\\\\a\\b\\f\\n\\r\\t\\v \\d\r\n.\r.\\";
    char to[sizeof inside];
    uint32_t n = lex_unescape(to, inside, sizeof inside - 1);
    to[n] = '\0';
    assert_string_equal(to, "'\"?\\\a\b\f\n\r\t\v \\d\n.\r.\\");
}

static void assert_number(const char *text)
{
    double value = lex_number(text, (uint32_t)strlen(text));
    double expected = strtod(text, NULL);
    assert_memory_equal(&value, &expected, sizeof value);
}

/* exactly what strtod makes of the same text, on both of our paths */
static void reads_numbers_exactly(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "0.0",
                                        "1",
                                        "00012.50",
                                        ".5",
                                        "7.",
                                        "1e22",
                                        "1e23",
                                        "1e-22",
                                        "1e-23",
                                        "123456789012345",
                                        "1234567890123456",
                                        "0.1",
                                        "2.5E+3",
                                        "1e308",
                                        "1e309",
                                        "4.9406564584124654e-324",
                                        "2.4703282292062327e-324",
                                        "2.2250738585072014e-308",
                                        "9007199254740993",
                                        "9007199254740992.9999999999999999999",
                                        "0.000001e6",
                                        "1e999999999999",
                                        "1e-999999999999",
                                        "0e999999999999",
                                        "3.141592653589793238462643383279502884197169399375"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_number(texts[i]);
    // half way between two doubles in 900 digits: the last one decides
    char tie[1000] = "9007199254740993.";
    memset(tie + 17, '0', 900);
    assert_number(tie);
    tie[916] = '1';
    assert_number(tie);
}

/* the same for random digits; the seed is fixed */
static void reads_random_numbers_exactly(void **state)
{
    (void)state;
    unsigned long long seed = 12345;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        unsigned long long digits = seed >> (seed >> 58);
        int power = (int)(seed >> 20 & 1023) % 660 - 340;
        snprintf(text, sizeof text, i % 2 ? "%llue%d" : "0.%llue%d", digits, power);
        assert_number(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spells_every_token),
        cmocka_unit_test(keywords_are_sorted),
        cmocka_unit_test(takes_the_longest),
        cmocka_unit_test(knows_the_first_of_a_line),
        cmocka_unit_test(comments_do_not_nest),
        cmocka_unit_test(names_what_is_no_token),
        cmocka_unit_test(resolves_escapes),
        cmocka_unit_test(reads_numbers_exactly),
        cmocka_unit_test(reads_random_numbers_exactly),
    };
    return cmocka_run_group_tests_name("lex", tests, NULL, NULL);
}
