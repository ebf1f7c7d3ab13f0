/* tree.c - see tree.h. */
#include "front/syntax/tree.h"

#include "front/syntax/token.h"

/* index of the line that holds the byte: the last that starts at or before it */
static uint32_t line_index(const SyntaxFile *file, uint32_t at)
{
    uint32_t low = 0, high = file->nline;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (file->line_starts[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* characters, not bytes: UTF-8 continuation bytes do not count */
static int count_characters(const char *text, uint32_t from, uint32_t to)
{
    int n = 0;
    for (uint32_t i = from; i < to; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

int span_line(SourceSpan span)
{
    return span.file ? (int)line_index(span.file, span.at) + 1 : 0;
}

Place span_place(SourceSpan span)
{
    const SyntaxFile *file = span.file;
    if (!file)
        return (Place){0};
    uint32_t line = line_index(file, span.at), start = file->line_starts[line];
    uint32_t end = span.at;
    while (end < span.at + span.length && file->text[end] != '\n' && file->text[end] != '\r')
        end++;
    int length = count_characters(file->text, span.at, end);
    return (Place){.file = file->name,
                   .line = (int)line + 1,
                   .column = count_characters(file->text, start, span.at) + 1,
                   .length = length ? length : 1,
                   .source = file->text + start};
}

SourceSpan ref_span(const Ref *ref)
{
    SourceSpan span = ref->span;
    for (; ref; ref = ref->rest)
        span.length = ref->span.at + ref->span.length - span.at;
    return span;
}

const char *operator_text(Operator op)
{
    static const TokenKind tokens[] = {
        [OP_OR] = TK_OR,
        [OP_AND] = TK_AND,
        [OP_NOT] = TK_NOT,
        [OP_LESS] = TK_LESS,
        [OP_LESS_EQUAL] = TK_LESS_EQUAL,
        [OP_GREATER] = TK_GREATER,
        [OP_GREATER_EQUAL] = TK_GREATER_EQUAL,
        [OP_EQUAL] = TK_EQUAL_EQUAL,
        [OP_NOT_EQUAL] = TK_NOT_EQUAL,
        [OP_ADD] = TK_PLUS,
        [OP_SUB] = TK_MINUS,
        [OP_EACH_ADD] = TK_DOT_PLUS,
        [OP_EACH_SUB] = TK_DOT_MINUS,
        [OP_MUL] = TK_STAR,
        [OP_DIV] = TK_SLASH,
        [OP_EACH_MUL] = TK_DOT_STAR,
        [OP_EACH_DIV] = TK_DOT_SLASH,
        [OP_POW] = TK_CARET,
        [OP_EACH_POW] = TK_DOT_CARET,
    };
    return token_spelling(tokens[op]);
}

const char *class_kind_text(ClassKind kind)
{
    static const char *const texts[] = {
        [CLASS_CLASS] = "class",
        [CLASS_MODEL] = "model",
        [CLASS_RECORD] = "record",
        [CLASS_OPERATOR_RECORD] = "operator record",
        [CLASS_BLOCK] = "block",
        [CLASS_CONNECTOR] = "connector",
        [CLASS_EXPANDABLE_CONNECTOR] = "expandable connector",
        [CLASS_TYPE] = "type",
        [CLASS_PACKAGE] = "package",
        [CLASS_FUNCTION] = "function",
        [CLASS_OPERATOR_FUNCTION] = "operator function",
        [CLASS_OPERATOR] = "operator",
    };
    return texts[kind];
}
