/* share.c - which lanes of a model a system owns, if several processes share it.
 *
 * The lanes of all shapes stand in a row, shape after shape, each with the weight of its
 * components. The row is cut into a piece of equal weight for each rank; a lane belongs to the
 * piece that its middle lies in. So a rank owns a range of lanes of each shape, most often of one
 * shape only, and none at all if there are more ranks than lanes. Every rank computes all cuts by
 * itself.
 *
 * Lanes do not depend on each other, whatever the method; but a net has one vector for all of its
 * lanes, so that its shape stays whole. A model that is one large net is cut before its shape is
 * made (split.h): all ranks own its lane.
 */
#include "model/system/system.h"

static uint64_t weight_of(const Shape *shape)
{
    return shape->components.n ? shape->components.n : 1;
}

/* the rank that the middle of n lanes from `first` on lies in; counted in halves */
static int rank_at(const ShapeList *list, const Shape *shape, size_t first, size_t n, int count)
{
    unsigned __int128 lanes = 2 * (unsigned __int128)first + n;
    unsigned __int128 point =
        2 * (unsigned __int128)shape->weight_before + weight_of(shape) * lanes;
    return (int)(point * (unsigned)count / (2 * (unsigned __int128)list->weight));
}

/* sets whole: one rank owns all lanes of a net */
static LiederStatus find_whole(const LiederSystem *system, Shape *shape)
{
    LiederMethod method;
    LiederStatus status =
        choose_method(shape, system->options.method, SYSTEM_ALLOC(system), &method);
    shape->whole = !shape->asleep && method == LIEDER_METHOD_NET;
    return status;
}

/* the first lane that belongs to `rank` or a later one */
static size_t first_of_rank(const ShapeList *list, const Shape *shape, int rank, int count)
{
    size_t low = 0, high = shape->all_lanes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rank_at(list, shape, middle, 1, count) < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void lanes_of_rank(const LiederSystem *system, const Shape *shape, int rank, size_t *first,
                   size_t *n)
{
    const ShapeList *list = &system->list;
    int count = rank_count(system);
    *first = 0;
    if (shape->cut) {
        *n = 1;
        return;
    }
    if (count < 2 || shape->whole) {
        int owner = count < 2 ? 0 : rank_at(list, shape, 0, shape->all_lanes, count);
        *n = owner == rank ? shape->all_lanes : 0;
        return;
    }
    *first = first_of_rank(list, shape, rank, count);
    *n = first_of_rank(list, shape, rank + 1, count) - *first;
}

LiederStatus share_lanes(LiederSystem *system)
{
    const LiederRanks *ranks = system->options.ranks;
    ShapeList *list = &system->list;
    LiederStatus status = LIEDER_DONE;
    if (rank_count(system) < 2)
        return LIEDER_DONE;
    if (ranks->rank < 0 || ranks->rank >= ranks->count) {
        diag_error(&system->session->diag, NULL, NULL, "there is no rank %d of %d", ranks->rank,
                   ranks->count);
        return LIEDER_BAD_USE;
    }
    for (size_t i = 0; i < list->shapes.n && status == LIEDER_DONE; i++) {
        Shape *shape = list->shapes.items[i];
        shape->weight_before = list->weight;
        list->weight += weight_of(shape) * shape->all_lanes;
        if (!shape->cut)
            status = find_whole(system, shape);
    }
    for (size_t i = 0; i < list->shapes.n; i++) {
        Shape *shape = list->shapes.items[i];
        lanes_of_rank(system, shape, ranks->rank, &shape->first_lane, &shape->nlane);
    }
    return status;
}
