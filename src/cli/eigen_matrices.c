/* eigen_matrices.c - A, B, C, D of the whole system, with the names of states, inputs and outputs.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/eigen.h"
#include "record/matrices.h"

ExitCode eigen_write_matrices(const Analysis *a)
{
    const EigenSettings *w = a->settings;
    const Linear *l = &a->linear;
    size_t n = a->system->nstate, nu = l->ninput, ny = l->noutput;
    if (n > MAX_DENSE) {
        log_error(a->log,
                  "A of %zu states has %.3g numbers and is not written\n--output takes up to %d "
                  "states",
                  n, (double)n * (double)n, MAX_DENSE);
        return EXIT_USAGE;
    }
    double *A = calloc(n * n + 1, sizeof *A);
    const char **names = calloc(n + 1, sizeof *names);
    Arena arena;
    char name[512], message[1024];
    arena_init(&arena, HEAP);
    for (size_t i = 0; i < n && names; i++) {
        lieder_system_state_name(a->system, i, name, sizeof name);
        names[i] = arena_text(&arena, name, strlen(name));
    }
    ExitCode code = EXIT_DONE;
    if (!A || !names || arena.failed) {
        log_error(a->log, "out of memory");
        code = EXIT_SIMULATION;
    } else {
        linear_matrix(l, A);
        const Matrix list[] = {
            {.name = "A", .nrow = n, .ncolumn = n, .values = A},
            {.name = "B", .nrow = n, .ncolumn = nu, .values = l->B},
            {.name = "C", .nrow = ny, .ncolumn = n, .values = l->C},
            {.name = "D", .nrow = ny, .ncolumn = nu, .values = l->D},
            {.name = "x_names", .nrow = n, .texts = names},
            {.name = "u_names", .nrow = nu, .texts = w->inputs.items ? w->inputs.items : names},
            {.name = "y_names", .nrow = ny, .texts = w->outputs.items ? w->outputs.items : names},
            {.name = "t", .nrow = 1, .ncolumn = 1, .values = &l->t},
            {.name = "x", .nrow = n, .ncolumn = 1, .values = l->x},
            {.name = "u", .nrow = nu, .ncolumn = 1, .values = l->u},
            {.name = "y", .nrow = ny, .ncolumn = 1, .values = l->y},
        };
        if (matrices_write(w->output, list, sizeof list / sizeof *list, message, sizeof message) !=
            LIEDER_DONE) {
            log_error(a->log, "%s", message);
            code = EXIT_IO;
        } else {
            log_note(a->log, "A, B, C and D are in %s", w->output);
        }
    }
    arena_drop(&arena);
    free(names);
    free(A);
    return code;
}
