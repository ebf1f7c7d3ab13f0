/* test_matrices.c - named matrices: MATLAB v4 read back with matio, and JSON. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "in_folder.h"

#include <matio.h>

#include "record/matrices.h"

static const double A[] = {1, 2, 3, -4, 1.0 / 3, 6e-300};
static const char *const names[] = {"joint.s", "a \"quoted\" one"};
static const Matrix list[] = {{.name = "A", .nrow = 2, .ncolumn = 3, .values = A},
                              {.name = "B", .nrow = 2, .ncolumn = 0, .values = A},
                              {.name = "x_names", .nrow = 2, .texts = names}};

static void test_mat(void **state)
{
    (void)state;
    char path[512], message[512];
    snprintf(path, sizeof path, "%s/m.mat", folder);
    assert_int_equal(matrices_write(path, list, 3, message, sizeof message), LIEDER_DONE);
    mat_t *file = Mat_Open(path, MAT_ACC_RDONLY);
    assert_non_null(file);
    matvar_t *v = Mat_VarRead(file, "A");
    assert_non_null(v);
    assert_int_equal(v->dims[0], 2);
    assert_int_equal(v->dims[1], 3);
    assert_memory_equal(v->data, A, sizeof A);
    Mat_VarFree(v);
    v = Mat_VarRead(file, "x_names");
    assert_non_null(v);
    assert_int_equal(v->class_type, MAT_C_CHAR);
    assert_int_equal(v->dims[0], 2);
    assert_int_equal(v->dims[1], strlen(names[1]));
    const char *text = v->data; /* column by column */
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < v->dims[1]; j++)
            assert_int_equal(text[2 * j + i], j < strlen(names[i]) ? names[i][j] : ' ');
    Mat_VarFree(v);
    Mat_Close(file);
}

static void test_json(void **state)
{
    (void)state;
    char path[512], message[512], text[1024];
    snprintf(path, sizeof path, "%s/m.json", folder);
    assert_int_equal(matrices_write(path, list, 3, message, sizeof message), LIEDER_DONE);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, "{\n\"A\": [[1, 3, 0.33333333333333331],\n"
                              "  [2, -4, 6.0000000000000005e-300]],\n"
                              "\"B\": [[],\n  []],\n"
                              "\"x_names\": [\"joint.s\",\n  \"a \\\"quoted\\\" one\"]\n}\n");
}

static void test_failures(void **state)
{
    (void)state;
    char message[512];
    assert_int_equal(matrices_write("/nowhere/m.mat", list, 3, message, sizeof message), LIEDER_IO);
    assert_non_null(strstr(message, "/nowhere/m.mat"));
    assert_int_equal(matrices_write("/dev/full", list, 3, message, sizeof message), LIEDER_IO);
    assert_true(matrices_know("a.mat") && matrices_know("b/a.json"));
    assert_false(matrices_know("a.csv") || matrices_know(".mat"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mat),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
