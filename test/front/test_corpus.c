/* test_corpus.c - the fuzz target on the kept corpus and on small changes of it, without libFuzzer:
 * every file whole, cut short, with a byte changed and with two lines exchanged. The changes are
 * the same in every run. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fuzz_instantiate.c"

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void run_changed(const char *text, size_t n, unsigned *seed)
{
    static const char letters[] = "(){}[];,.=:+-*/\"' 019aEnx\n";
    char *copy = malloc(n + 1);
    LLVMFuzzerTestOneInput((const uint8_t *)text, n);
    for (int i = 0; i < 12 && n > 1; i++) {
        memcpy(copy, text, n);
        size_t length = n, at = next(seed) % n;
        if (i % 3 == 0) {
            length = at;
        } else if (i % 3 == 1) {
            copy[at] = letters[next(seed) % (sizeof letters - 1)];
        } else {
            /* a piece from elsewhere over what stands here */
            size_t from = next(seed) % n, m = next(seed) % 40;
            if (m > n - at)
                m = n - at;
            if (m > n - from)
                m = n - from;
            memmove(copy + at, text + from, m);
        }
        LLVMFuzzerTestOneInput((const uint8_t *)copy, length);
    }
    free(copy);
}

static int run_folder(const char *folder, unsigned *seed)
{
    DIR *dir = opendir(folder);
    int n = 0;
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        FILE *in = strstr(d->d_name, ".mo") ? fopen(path, "rb") : NULL;
        if (!in)
            continue;
        char *text = malloc(20000);
        size_t length = fread(text, 1, 20000, in);
        fclose(in);
        run_changed(text, length, seed);
        free(text);
        n++;
    }
    closedir(dir);
    return n;
}

static void test_corpus(void **state)
{
    (void)state;
    unsigned seed = 1;
    assert_true(run_folder(SOURCE_DIR "/test/front/corpus", &seed) >= 10);
    assert_true(run_folder(SOURCE_DIR "/test/front/wrong", &seed) >= 40);
    int models = run_folder(SOURCE_DIR "/models", &seed) +
                 run_folder(SOURCE_DIR "/models/scale", &seed) +
                 run_folder(SOURCE_DIR "/models/papers/000", &seed) +
                 run_folder(SOURCE_DIR "/models/papers/001", &seed) +
                 run_folder(SOURCE_DIR "/models/papers/004", &seed) +
                 run_folder(SOURCE_DIR "/models/papers/phenomena", &seed);
    assert_true(models >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
