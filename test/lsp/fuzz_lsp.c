/* fuzz_lsp.c - any bytes as JSON, and as a text that is scanned and in which every name is looked
 * up. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "lsp/format.h"
#include "lsp/resolve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count(void *user, Meaning member)
{
    (void)member;
    return ++*(size_t *)user < 10000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena;
    arena_init(&arena, &memory_default);
    const JsonValue *v = json_tree_read(&arena, (const char *)data, size, NULL);
    json_tree_text(json_tree_path(v, "params.textDocument.uri"));
    arena_drop(&arena);

    char *text = calloc(size + 1, 1);
    Scan scan;
    if (!text)
        return 0;
    memcpy(text, data, size);
    if (scan_text(&scan, text, size)) {
        const Scan *list[] = {&scan};
        Texts texts = {.n = 1, .scans = list};
        for (size_t i = 0; i < scan.tokens.n; i++) {
            size_t n = 0;
            Meaning y = resolve_token(&texts, &scan, i);
            resolve_modified(&texts, &scan, i);
            resolve_members(&texts, resolve_type(&texts, y), count, &n);
        }
    }
    char *tidy = NULL;
    size_t n;
    FILE *to = open_memstream(&tidy, &n);
    if (to) {
        format_text(&scan, size, 4, to);
        fclose(to);
    }
    free(tidy);
    scan_drop(&scan);
    free(text);
    return 0;
}
