/* json.c - texts and numbers as JSON. */
#include "base/json.h"

#include <math.h>

/* length of the UTF-8 sequence at s, or 0 if it is not one */
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80                   ? 1
            : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
            : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
            : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                          : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

void json_string(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_length(s);
        if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(to, "\\u%04x", *s);
        else if (n == 0)
            fputs("\\ufffd", to);
        else
            fwrite(s, 1, (size_t)n, to);
        s += n ? n : 1;
    }
    fputc('"', to);
}

void json_value(FILE *to, double value)
{
    if (isfinite(value))
        fprintf(to, "%.17g", value);
    else
        fputs("null", to);
}
