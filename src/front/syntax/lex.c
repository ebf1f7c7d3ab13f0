/* lex.c - see token.h. Lexical units of the Modelica 3.6 specification, appendix A.1.
 *
 * More is let through than the appendix allows, where real libraries need it: a byte order
 * mark at the start, any character in comments, strings and quoted names, and text that is
 * not valid UTF-8 in those three.
 */
#include "front/front.h"
#include "front/syntax/token.h"

#include <stdlib.h>
#include <string.h>

#define FRONT_SPELLING(kind, spelling) [kind] = spelling,
static const char *const spellings[TK_COUNT] = {FRONT_MARKS(FRONT_SPELLING)
                                                    FRONT_KEYWORDS(FRONT_SPELLING)};
#undef FRONT_SPELLING

const char *token_spelling(TokenKind kind)
{
    return spellings[kind] ? spellings[kind] : "";
}

bool token_is_keyword(TokenKind kind)
{
    return kind >= TK_ALGORITHM && kind < TK_COUNT;
}

bool front_is_keyword(const char *word)
{
    for (int kind = TK_ALGORITHM; kind < TK_COUNT; kind++)
        if (strcmp(spellings[kind], word) == 0)
            return true;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void lex_init(Lexer *lexer, const char *text, uint32_t length)
{
    *lexer = (Lexer){.text = text, .length = length};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        lexer->at = 3;
    int kind = TK_ALGORITHM;
    for (int letter = 0; letter < 27; letter++) {
        while (kind < TK_COUNT && spellings[kind][0] < 'a' + letter)
            kind++;
        lexer->keyword[letter] = (unsigned char)(kind - TK_ALGORITHM);
    }
}

static Token bad(uint32_t at, uint32_t end, const char *problem)
{
    return (Token){.kind = TK_BAD, .at = at, .length = end - at, .problem = problem};
}

/* Skips blanks and comments. True when a token follows or the text ends; false with *trouble
 * set when a comment has no end. */
static bool skip_blanks(Lexer *lexer, bool *newline, Token *trouble)
{
    const char *text = lexer->text;
    uint32_t at = lexer->at;
    for (;;) {
        char c = text[at];
        if (c == ' ' || c == '\t' || c == '\f' || c == '\v') {
            at++;
        } else if (c == '\n' || c == '\r') {
            *newline = true;
            at++;
        } else if (c == '/' && text[at + 1] == '/') {
            while (text[at] != '\n' && text[at] != '\r' && at < lexer->length)
                at++;
        } else if (c == '/' && text[at + 1] == '*') {
            uint32_t start = at;
            for (at += 2; !(text[at] == '*' && text[at + 1] == '/'); at++) {
                *newline |= text[at] == '\n' || text[at] == '\r';
                if (at >= lexer->length) {
                    lexer->at = lexer->length;
                    *trouble = bad(start, start + 2, "this comment has no end\nclose it with '*/'");
                    return false;
                }
            }
            at += 2;
        } else {
            break;
        }
    }
    lexer->at = at;
    return true;
}

/* the kind of a word: a keyword's or TK_IDENT */
static TokenKind word_kind(const Lexer *lexer, const char *word, uint32_t length)
{
    if (word[0] < 'a' || word[0] > 'z')
        return TK_IDENT;
    int letter = word[0] - 'a';
    for (int k = lexer->keyword[letter]; k < lexer->keyword[letter + 1]; k++) {
        const char *spelling = spellings[TK_ALGORITHM + k];
        if (memcmp(spelling, word, 2) == 0 && strncmp(spelling, word, length) == 0 &&
            spelling[length] == '\0')
            return (TokenKind)(TK_ALGORITHM + k);
    }
    return TK_IDENT;
}

/* UNSIGNED-INTEGER | UNSIGNED-REAL; at a digit, or at a point before a digit */
static Token lex_digits(Lexer *lexer)
{
    const char *text = lexer->text;
    uint32_t start = lexer->at, at = start;
    Token token = {.kind = TK_INTEGER, .at = start};
    while (is_digit(text[at]))
        at++;
    if (text[at] == '.') {
        token.kind = TK_REAL;
        at++;
        while (is_digit(text[at]))
            at++;
    }
    if (text[at] == 'e' || text[at] == 'E') {
        uint32_t digits = at + 1 + (text[at + 1] == '+' || text[at + 1] == '-');
        if (!is_digit(text[digits])) {
            lexer->at = digits;
            return bad(start, digits,
                       "the exponent of this number has no digits\nwrite it as in 1.5e-3");
        }
        token.kind = TK_REAL;
        at = digits;
        while (is_digit(text[at]))
            at++;
    }
    lexer->at = at;
    token.length = at - start;
    return token;
}

/* STRING: '"' { S-CHAR | S-ESCAPE } '"' */
static Token lex_string(Lexer *lexer)
{
    const char *text = lexer->text;
    uint32_t start = lexer->at, at = start + 1, zero = 0;
    Token token = {.kind = TK_STRING, .at = start};
    while (text[at] != '"') {
        if (text[at] == '\0') {
            if (at >= lexer->length) {
                lexer->at = lexer->length;
                return bad(start, start + 1,
                           "this string has no end\nclose it with '\"'; a quote inside a string "
                           "is written \\\"");
            }
            zero = at;
        } else if (text[at] == '\\') {
            token.escaped = true;
            at += text[at + 1] != '\0';
        } else if (text[at] == '\r') {
            token.escaped = true;
        }
        at++;
    }
    lexer->at = at + 1;
    if (zero)
        return bad(zero, zero + 1, "a string cannot hold a NUL byte\nremove it");
    token.length = lexer->at - start;
    return token;
}

/* Q-IDENT: "'" { Q-CHAR | S-ESCAPE } "'", on one line */
static Token quoted_name(Lexer *lexer)
{
    const char *text = lexer->text;
    uint32_t start = lexer->at, at = start + 1;
    Token token = {.kind = TK_IDENT, .at = start};
    while (text[at] != '\'') {
        if (text[at] == '\\' && text[at + 1] != '\0') {
            token.escaped = true;
            at++;
        }
        if (text[at] == '\n' || text[at] == '\r' || text[at] == '\0') {
            // what follows a ';' is more likely the next item than part of the name
            const char *semicolon = memchr(text + start, ';', at - start);
            lexer->at = semicolon ? (uint32_t)(semicolon - text) : at;
            return bad(start, lexer->at,
                       "this quoted name has no end\nclose it with \"'\" on the same line; a "
                       "derivative is "
                       "written der(x)");
        }
        at++;
    }
    lexer->at = at + 1;
    token.length = lexer->at - start;
    return token;
}

/* what no token starts with; takes in a whole UTF-8 character, and operators of other languages */
static Token stranger(Lexer *lexer)
{
    static const struct {
        const char *text, *message;
    } foreign[] = {
        {"&", "this is no operator of Modelica\nboth conditions: a and b"},
        {"|", "this is no operator of Modelica\none of two conditions: a or b"},
        {"!=", "this is no operator of Modelica\nunequal: a <> b"},
        {"!", "this is no operator of Modelica\nthe contrary: not a"},
        {"#", "this character has no meaning in Modelica\na comment begins with //"},
        {"?", "this character has no meaning in Modelica\na choice: if c then a else b"},
        {"%", "this character has no meaning in Modelica\na comment begins with //, the rest of a "
              "division is mod(a, b)"},
    };
    uint32_t start = lexer->at, at = start + 1;
    const char *text = lexer->text + start;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        uint32_t length = (uint32_t)strlen(foreign[i].text);
        if (strncmp(text, foreign[i].text, length) != 0)
            continue;
        lexer->at = start + length + (length == 1 && text[1] == text[0]); /* && */
        return bad(start, lexer->at, foreign[i].message);
    }
    bool ascii = (unsigned char)lexer->text[start] < 0x80;
    while (!ascii && ((unsigned char)lexer->text[at] & 0xC0) == 0x80)
        at++;
    lexer->at = at;
    return bad(start, at,
               ascii ? "this character has no meaning in Modelica\nremove it; in a name it needs "
                       "single quotes around the name"
                     : "letters beyond A to Z have no meaning here\nput the name in single quotes, "
                       "or the text in double quotes");
}

/* one or two characters of punctuation */
static TokenKind mark_kind(const char *text)
{
    switch (text[0]) {
    case ';':
        return TK_SEMICOLON;
    case ',':
        return TK_COMMA;
    case '(':
        return TK_LPAREN;
    case ')':
        return TK_RPAREN;
    case '[':
        return TK_LBRACKET;
    case ']':
        return TK_RBRACKET;
    case '{':
        return TK_LBRACE;
    case '}':
        return TK_RBRACE;
    case ':':
        return text[1] == '=' ? TK_ASSIGN : TK_COLON;
    case '=':
        return text[1] == '=' ? TK_EQUAL_EQUAL : TK_EQUAL;
    case '<':
        return text[1] == '=' ? TK_LESS_EQUAL : text[1] == '>' ? TK_NOT_EQUAL : TK_LESS;
    case '>':
        return text[1] == '=' ? TK_GREATER_EQUAL : TK_GREATER;
    case '+':
        return TK_PLUS;
    case '-':
        return TK_MINUS;
    case '*':
        return TK_STAR;
    case '/':
        return TK_SLASH;
    case '^':
        return TK_CARET;
    case '.':
        switch (text[1]) {
        case '+':
            return TK_DOT_PLUS;
        case '-':
            return TK_DOT_MINUS;
        case '*':
            return TK_DOT_STAR;
        case '/':
            return TK_DOT_SLASH;
        case '^':
            return TK_DOT_CARET;
        default:
            return TK_DOT;
        }
    default:
        return TK_BAD;
    }
}

Token lex_next(Lexer *lexer)
{
    const char *text = lexer->text;
    Token token = {0};
    bool first = lexer->at == 0 || (lexer->at == 3 && text[0] == '\xEF');
    if (!skip_blanks(lexer, &first, &token)) {
        token.first = first;
        return token;
    }
    uint32_t start = lexer->at;
    char c = text[start];
    if (is_letter(c)) {
        uint32_t at = start + 1;
        while (is_letter(text[at]) || is_digit(text[at]))
            at++;
        lexer->at = at;
        token = (Token){
            .kind = word_kind(lexer, text + start, at - start), .at = start, .length = at - start};
    } else if (is_digit(c) || (c == '.' && is_digit(text[start + 1]))) {
        token = lex_digits(lexer);
    } else if (c == '"') {
        token = lex_string(lexer);
    } else if (c == '\'') {
        token = quoted_name(lexer);
    } else if (start >= lexer->length) {
        token = (Token){.kind = TK_END_OF_FILE, .at = lexer->length};
    } else {
        TokenKind kind = mark_kind(text + start);
        if (kind == TK_BAD) {
            token = stranger(lexer);
        } else {
            token = (Token){.kind = kind, .at = start};
            token.length = (uint32_t)strlen(spellings[kind]);
            lexer->at = start + token.length;
        }
    }
    token.first = first;
    return token;
}

uint32_t lex_unescape(char *to, const char *inside, uint32_t length)
{
    static const char codes[] = "'\"?\\abfnrtv";
    static const char values[] = "'\"?\\\a\b\f\n\r\t\v";
    uint32_t n = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (inside[i] == '\r' && i + 1 < length && inside[i + 1] == '\n')
            continue;
        const char *code = NULL;
        if (inside[i] == '\\' && i + 1 < length)
            code = memchr(codes, inside[i + 1], sizeof codes - 1);
        // an escape that Modelica does not know stays as it stands
        to[n++] = code ? values[code - codes] : inside[i];
        i += code != NULL;
    }
    return n;
}

/* The digits without the point, as an integer times a power of ten. Up to 15 digits and a
 * power up to 22 are exact in a double, so one multiplication or division rounds once; the
 * rest goes to strtod, which sees no decimal point and so cannot ask the locale for one. */
double lex_number(const char *text, uint32_t length)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    // 800 digits decide every double; a later digit that is not zero only breaks a tie
    char digits[800 + 40];
    int n = 0;
    long power = 0;
    bool after_point = false, more = false;
    uint32_t i = 0;
    for (; i < length && (is_digit(text[i]) || text[i] == '.'); i++) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        power -= after_point;
        if (n == 0 && text[i] == '0')
            continue;
        if (n < 800) {
            digits[n++] = text[i];
        } else {
            more |= text[i] != '0';
            power++;
        }
    }
    if (n == 0)
        return 0;
    if (i < length) {
        bool negative = text[++i] == '-';
        i += text[i] == '-' || text[i] == '+';
        long exponent = 0;
        for (; i < length; i++)
            exponent = exponent < 1000000000 ? exponent * 10 + (text[i] - '0') : exponent;
        power += negative ? -exponent : exponent;
    }
    if (n <= 15 && power >= -22 && power <= 22) {
        double value = 0;
        for (int k = 0; k < n; k++)
            value = value * 10 + (digits[k] - '0');
        return power < 0 ? value / ten[-power] : value * ten[power];
    }
    if (more) {
        digits[n++] = '1';
        power--;
    }
    digits[n++] = 'e';
    if (power < 0)
        digits[n++] = '-';
    unsigned long rest = power < 0 ? 0ul - (unsigned long)power : (unsigned long)power;
    char reversed[24];
    int nreversed = 0;
    do
        reversed[nreversed++] = (char)('0' + rest % 10);
    while (rest /= 10);
    while (nreversed > 0)
        digits[n++] = reversed[--nreversed];
    digits[n] = '\0';
    return strtod(digits, NULL);
}
