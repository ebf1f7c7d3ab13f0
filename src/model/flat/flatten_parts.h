/* flatten_parts.h - what the files that flatten a model share: flat.c has names and numbers of what
 * was flattened, flatten_settings.c follows the paths of settings, flatten.c walks over
 * declarations. */
#ifndef LIEDER_MODEL_FLATTEN_PARTS_H
#define LIEDER_MODEL_FLATTEN_PARTS_H

#include "model/flat/flatten.h"

#define ALLOC            (&flat->session->alloc)
#define DIAG             (&flat->session->diag)
#define WRONG(path, ...) (flat->nwrong++, diag_error(DIAG, NULL, path, __VA_ARGS__))

/* the arrays that a path goes through, each with an element or all lanes of an axis */
typedef struct LanePath {
    size_t n;
    struct {
        size_t n;        /* elements */
        ptrdiff_t index; /* the element, or -1 for every lane */
        int axis;        /* or -1 */
    } step[2 * MAX_AXES + MAX_DEPTH];
} LanePath;

/* the index along each axis */
void lane_indices(const Sheet *sheet, size_t lane, size_t *at);
/* path of something below a scope, for messages; lanes are shown without index */
const char *path_below(const Flat *flat, uint32_t scope, const char *tail, char *buffer,
                       size_t size);
/* gives a slot these values by lane and takes over the caller's hold of the list; NULL: there was
 * no memory for it */
NumberList *give_lanes(Flat *flat, Sheet *sheet, uint32_t slot, NumberList *numbers);
/* the values of a slot by lane, to be written; NULL: no memory */
double *lane_values(Flat *flat, Sheet *sheet, uint32_t slot);
/* a table of its own for a slot; false: no memory */
bool store_table(Flat *flat, Sheet *sheet, uint32_t slot, const double *numbers, size_t rows);
/* reports what is wrong with the indices of a step that name no element */
void report_index(Flat *flat, const Declaration *d, const PathStep *step, const char *path);
/* applies a setting of the model of a scope, to all elements where an array has no index */
void apply_setting(Flat *flat, uint32_t scope, const Setting *setting);

#endif
