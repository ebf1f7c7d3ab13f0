/* observe.h - numbers of a built model by name, for tests of the front end. */
#ifndef TEST_HELP_OBSERVE_H
#define TEST_HELP_OBSERVE_H

/* any variable at time t of a model without states */
static inline double observe_at(Built *b, double t, const char *path)
{
    LiederObserver *observer = lieder_observer_create(b->system);
    double value[1], x[8] = {0};
    assert_true(lieder_system_state_count(b->system) <= 8);
    if (lieder_observer_add(observer, path) != 0)
        lieder_diagnostic_print_all(b->session, stderr);
    assert_int_equal(lieder_observer_evaluate(observer, t, x, value), LIEDER_DONE);
    lieder_observer_destroy(observer);
    return value[0];
}

#define assert_observed(b, t, path, expected)                                                      \
    do {                                                                                           \
        double value_ = observe_at(b, t, path), expected_ = expected;                              \
        if (fabs(value_ - expected_) > 1e-14 * (1 + fabs(expected_)))                              \
            fail_msg("%s is %.17g, not %.17g", path, value_, expected_);                           \
    } while (0)

#endif
