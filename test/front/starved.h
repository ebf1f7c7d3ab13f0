/* starved.h - the k-th allocation fails, from text to a model or a system: LIEDER_NO_MEMORY or
 * nothing wrong, and nothing lost. k grows until all allocations of one pass succeed. */
#ifndef TEST_STARVED_H
#define TEST_STARVED_H

#include "front_help.h"
#include "help/meter.h"

typedef struct Starved {
    const char *text, *class_name;
    size_t finer;                               /* k grows by 1 + k / finer */
    size_t merge, loops;                        /* of FrontLimits; 0: the default */
    bool model_only;                            /* no system is made */
    LiederStatus (*then)(LiederSystem *system); /* or NULL */
} Starved;

/* one pass with whatever memory the session has; *complete: it came to its end */
static inline LiederStatus starved_pass(const Starved *s, Lieder *session, bool *complete)
{
    Front *front = session ? front_create(session) : NULL;
    LiederSystem *system = NULL;
    const char *model = NULL;
    LiederStatus status = LIEDER_NO_MEMORY;
    if (front && (s->merge || s->loops))
        front_set_limits(front, (FrontLimits){.merge = s->merge, .loops = s->loops});
    if (front)
        status = front_load_text(front, "test.mo", s->text);
    if (status == LIEDER_DONE)
        status = front_instantiate(front, s->class_name, NULL, 0, NULL, &model);
    if (status == LIEDER_DONE && !s->model_only)
        system = lieder_system_create(session, model, NULL);
    if (system && s->then)
        status = s->then(system);
    *complete = status == LIEDER_DONE && (s->model_only ? model != NULL : system != NULL);
    lieder_system_destroy(system);
    front_destroy(front);
    return status;
}

static inline void starve(Starved s)
{
    bool whole = false;
    for (size_t k = 1; !whole; k += 1 + k / s.finer) {
        Meter meter = {.fail_at = k};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        bool complete;
        Lieder *session = lieder_create(&alloc);
        LiederStatus status = starved_pass(&s, session, &complete);
        assert_true(status == LIEDER_NO_MEMORY || status == LIEDER_DONE);
        whole = meter.calls < k;
        if (whole)
            assert_true(complete);
        lieder_destroy(session);
        assert_int_equal(meter.bytes, 0);
        assert_int_equal(meter.wrong, 0);
    }
}

#endif
