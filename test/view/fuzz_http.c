/* fuzz_http.c - libFuzzer target: no bytes make the readers of requests and messages crash, loop or
 * lie.
 *
 * A request is refused with a status that has a name, needs more, or is whole: then it lies inside
 * the bytes, every beginning of it needs more, and bytes behind it change nothing. Its body, or the
 * input itself if it is no request, is read as a message, now and then with memory that runs out.
 *
 *   clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc \
 *       test/view/fuzz_http.c src/view/http.c src/view/message.c src/base/[a-z]*.c -lm -o fuzz_http
 *   ./fuzz_http -max_len=4096 NEW_CORPUS test/view/corpus
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/http.h"
#include "view/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_http: %s\n", what);
        abort();
    }
}

static bool inside(HttpText text, const char *bytes, size_t n)
{
    return !text.at || (text.at >= bytes && text.at + text.n <= bytes + n);
}

static size_t allowed; /* allocations before memory runs out */

static void *resize(void *user, void *block, size_t old_size, size_t size)
{
    if (size > old_size && allowed-- == 0) {
        allowed = 0;
        return NULL;
    }
    return memory_default.resize(user, block, old_size, size);
}

static void read_message(const char *bytes, size_t n)
{
    LiederAllocator alloc = memory_default;
    alloc.resize = resize;
    for (int round = 0; round < 2; round++) {
        allowed = round ? n % 5 : SIZE_MAX;
        Message m;
        bool good = message_read(&m, &alloc, bytes, n);
        require(good || *m.reason, "a refusal without a reason");
        for (const JsonValue *x = good ? m.object->first : NULL; x; x = x->next) {
            require(x->name && message_find(&m, x->name, x->kind) == x, "a member is not found");
            for (const JsonValue *v = x->first; v; v = v->next)
                require(x->kind == JSON_LIST ? v->kind == JSON_NUMBER : v->text && v->name,
                        "a value of another kind inside");
        }
        message_drop(&m);
    }
}

static ptrdiff_t read_copy(const uint8_t *data, size_t n, HttpRequest *r)
{
    char *copy = malloc(n ? n : 1);
    memcpy(copy, data, n);
    ptrdiff_t length = http_read(copy, n, r);
    if (length > 0) {
        require((size_t)length <= n, "longer than what has come");
        require(inside(r->path, copy, n) && inside(r->host, copy, n) && inside(r->token, copy, n) &&
                    inside(r->body, copy, n),
                "a part lies outside");
        require(r->host.at && r->path.n && r->path.at[0] == '/', "no host or path");
        read_message(r->body.at, r->body.n);
    }
    free(copy);
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    HttpRequest r;
    ptrdiff_t length = read_copy(data, size, &r);
    if (length < 0)
        require(strcmp(http_reason((int)-length), "Error") != 0, "a status without a name");
    if (length > 0) {
        require(read_copy(data, (size_t)length, &r) == length, "what follows matters");
        require(read_copy(data, (size_t)length - 1, &r) == 0, "a part is a whole");
    }
    read_message((const char *)data, size);
    return 0;
}
