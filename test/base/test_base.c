/* test_base.c - memory, interned texts and diagnostics. */
#include "help/engine.h"
#include "help/meter.h"

#include "base/diag.h"
#include "base/intern.h"

static void vectors_grow(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(vec_push(&alloc, &v, i));
    assert_int_equal(v.n, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.items[i], i);
    assert_true(meter.calls < 30); /* by halves, not one by one */
    assert_true(vec_resize(&alloc, &v, 1500));
    assert_int_equal(v.items[1499], 0);
    /* a growth that fails leaves the vector as it was */
    meter.fail_at = meter.calls + 1;
    assert_false(vec_resize(&alloc, &v, 100000));
    assert_int_equal(v.n, 1500);
    assert_int_equal(v.items[999], 999);
    assert_false(vec_reserve(&alloc, &v, SIZE_MAX / 2)); /* no overflow */
    vec_drop(&alloc, &v);
    assert_int_equal(meter.bytes, 0);
    assert_int_equal(meter.wrong, 0);
}

static void blocks_of_nothing(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    void *a = memory_zeroed(&alloc, 0), *b = memory_copy(&alloc, NULL, 0);
    assert_non_null(a);
    assert_non_null(b);
    memory_free(&alloc, a, 0);
    memory_free(&alloc, b, 0);
    memory_free(&alloc, NULL, 10);
    assert_int_equal(meter.live, 0);
    assert_int_equal(meter.wrong, 0);
}

static void aligned_blocks(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    for (size_t size = 1; size < 2000; size = size * 3 + 1) {
        unsigned char *block = memory_aligned(&alloc, size);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(block[i], 0);
            block[i] = 0xff;
        }
        memory_free_aligned(&alloc, block, size);
    }
    assert_int_equal(meter.bytes, 0);
    assert_int_equal(meter.wrong, 0);
}

static void equal_texts_have_equal_pointers(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Interner in;
    intern_init(&in, &alloc);
    enum { COUNT = 5000 };
    static const char *first[COUNT];
    char text[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "name%d", i);
        first[i] = intern_text(&in, text);
        assert_string_equal(first[i], text);
    }
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "name%d.tail", i);
        assert_ptr_equal(intern_range(&in, text, strcspn(text, ".")), first[i]);
    }
    assert_ptr_not_equal(first[1], first[10]);
    /* a text that cannot be stored is not half stored */
    meter.fail_at = meter.calls + 1;
    char longer[100000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_null(intern_text(&in, longer));
    assert_non_null(intern_text(&in, longer));
    assert_ptr_equal(intern_text(&in, "name77"), first[77]);
    intern_drop(&in);
    assert_int_equal(meter.bytes, 0);
}

static void diagnostics_keep_everything(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Diagnostics d;
    diag_init(&d, &alloc);
    Place place = {"crab.mo", 3, 5, 4, "    rods rod;\nnext line"};
    diag_error(&d, &place, "crab.rod", "value %d is wrong\ntake %d", 7, 8);
    diag_warning(&d, NULL, NULL, "only a warning");
    assert_int_equal(d.list.n, 2);
    assert_int_equal(d.nerrors, 1);
    const LiederDiagnostic *g = &d.list.items[0];
    assert_string_equal(g->message, "value 7 is wrong");
    assert_string_equal(g->advice, "take 8");
    assert_string_equal(g->path, "crab.rod");
    assert_string_equal(g->source, "    rods rod;");
    assert_int_equal(g->line, 3);
    assert_null(d.list.items[1].advice);
    char text[2000];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    diag_error(&d, NULL, NULL, "%s", text); /* long ones are cut */
    assert_true(strlen(d.list.items[2].message) >= 1000);
    diag_clear(&d);
    assert_int_equal(d.list.n, 0);
    /* none of the allocations of a diagnostic may fail badly */
    for (size_t k = 1; k < 8; k++) {
        meter.fail_at = meter.calls + k;
        diag_error(&d, &place, "crab.rod", "wrong\nbetter");
    }
    assert_true(d.no_memory);
    diag_drop(&d);
    assert_int_equal(meter.bytes, 0);
    assert_int_equal(meter.wrong, 0);
}

/* the caret stands under the place */
static void printed_diagnostic(void **state)
{
    (void)state;
    LiederDiagnostic g = {.severity = LIEDER_ERROR,
                          .message = "no class 'rods'",
                          .advice = "look at the spelling",
                          .path = "crab",
                          .file = "crab.mo",
                          .line = 3,
                          .column = 5,
                          .length = 4,
                          .source = "\t   rods rod;"};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    lieder_diagnostic_print(&g, to);
    fclose(to);
    assert_string_equal(text, "crab.mo:3:5: error: crab: no class 'rods'\n"
                              "    \t   rods rod;\n"
                              "    \t   ^~~~\n"
                              "    look at the spelling\n");
    free(text);
}

/* what is wrong with many elements of an array is reported once, with their number; each entry is
 * still in the list, so that whoever compares its length sees that something was reported */
static void elements_are_counted(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Diagnostics d;
    diag_init(&d, &alloc);
    Place place = {.file = "a.mo", .line = 3, .column = 5},
          other = {.file = "a.mo", .line = 4, .column = 5};
    diag_error(&d, &place, "arm[1].joint[1]", "no inertia");
    diag_error(&d, &place, "arm[1].joint[12]", "no inertia");
    diag_error(&d, &place, "arm[2].joint[1]", "no inertia");
    assert_int_equal(d.list.n, 3);
    assert_int_equal(d.nerrors, 3);
    assert_int_equal(d.list.items[0].nelement, 2);
    assert_false(d.list.items[0].counted);
    assert_true(d.list.items[1].counted && d.list.items[2].counted);
    /* other words, another place, another component, another severity, no array, the same
     * element */
    diag_error(&d, &place, "arm[3].joint[1]", "no mass");
    diag_error(&d, &other, "arm[3].joint[1]", "no inertia");
    diag_error(&d, &place, "arm[3].hinge[1]", "no inertia");
    diag_error(&d, &place, "arm[3].joint", "no inertia");
    diag_warning(&d, &place, "arm[3].joint[1]", "no inertia");
    diag_error(&d, &place, "arm", "no inertia");
    diag_error(&d, &place, "arm", "no inertia");
    diag_error(&d, &place, "arm[1].joint[1]", "no inertia");
    for (size_t i = 3; i < d.list.n; i++)
        assert_false(d.list.items[i].counted);
    /* what is forgotten counts no longer */
    diag_forget(&d, 2);
    assert_int_equal(d.list.items[0].nelement, 1);
    diag_forget(&d, 1);
    assert_int_equal(d.list.items[0].nelement, 0);
    /* a thousand elements are no thousand diagnostics that are left out */
    for (int i = 2; i <= 1000; i++) {
        char path[40];
        snprintf(path, sizeof path, "arm[1].joint[%d]", i);
        diag_error(&d, &place, path, "no inertia");
    }
    assert_int_equal(d.list.items[0].nelement, 999);
    assert_int_equal(d.nleft_out, 0);
    diag_drop(&d);
    assert_int_equal(meter.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_grow),
        cmocka_unit_test(blocks_of_nothing),
        cmocka_unit_test(aligned_blocks),
        cmocka_unit_test(equal_texts_have_equal_pointers),
        cmocka_unit_test(diagnostics_keep_everything),
        cmocka_unit_test(printed_diagnostic),
        cmocka_unit_test(elements_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
