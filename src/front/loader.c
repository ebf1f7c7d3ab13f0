/* loader.c - the front end of a session: lieder/load.h.
 *
 * The engine knows no text, so the session holds the front end behind three functions (Loader in
 * base/loader.h), and lieder_system_create asks it for classes that were loaded. */
#include <lieder/load.h>

#include <math.h>

#include "front/front.h"
#include "front/native.h"

static bool loader_knows(const void *front, const char *class_name)
{
    return front_has_class(front, class_name);
}

static LiederStatus loader_instantiate(void *front, const char *class_name,
                                       const LiederOverride *overrides, size_t noverride,
                                       LiederExperiment *experiment, const char **model_name)
{
    return front_instantiate(front, class_name, overrides, noverride, experiment, model_name);
}

static void loader_destroy(void *front)
{
    front_destroy(front);
}

/* the front end of the session, made with the first load; NULL: no memory */
static Front *loader_of(Lieder *session)
{
    static const Loader functions = {
        .knows = loader_knows, .instantiate = loader_instantiate, .destroy = loader_destroy};
    Loader *loader = native_loader(session);
    if (!loader->front) {
        Front *front = front_create(session);
        if (front) {
            *loader = functions;
            loader->front = front;
        }
    }
    return loader->front;
}

LiederStatus lieder_load(Lieder *session, const char *path)
{
    Front *front = loader_of(session);
    return front ? front_load(front, path) : LIEDER_NO_MEMORY;
}

LiederStatus lieder_load_text(Lieder *session, const char *name, const char *text)
{
    Front *front = loader_of(session);
    return front ? front_load_text(front, name, text) : LIEDER_NO_MEMORY;
}

const char *lieder_last_model(const Lieder *session)
{
    const Front *front = native_loader((Lieder *)session)->front;
    return front ? front_last_model(front) : NULL;
}

LiederSystem *lieder_system_load(Lieder *session, const char *class_name,
                                 const LiederOverride *overrides, size_t noverride,
                                 const LiederSystemOptions *options, LiederExperiment *experiment)
{
    Front *front = loader_of(session);
    const char *model;
    if (!front ||
        front_instantiate(front, class_name, overrides, noverride, experiment, &model) < 0)
        return NULL;
    return native_system(session, model, options);
}

LiederSimulateOptions lieder_experiment_options(const LiederExperiment *e)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.start = !isnan(e->start) ? e->start : 0;
    o.stop = !isnan(e->stop) ? e->stop : o.start + 1;
    if (e->tolerance > 0)
        o.tolerance = e->tolerance;
    o.interval = e->interval > 0 ? e->interval : 0;
    o.solver = e->solver;
    o.step = !isnan(e->step) ? e->step : 0;
    o.chatter = e->chatter;
    return o;
}
