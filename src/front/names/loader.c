/* loader.c - the front end of a session: lieder/load.h.
 *
 * The engine knows no text, so the session holds the front end behind three functions (Loader in
 * base/loader.h), and lieder_system_create asks it for classes that were loaded. */
#include <lieder/load.h>

#include <math.h>

#include "front/front.h"
#include "front/names/native.h"

static bool loader_knows(const void *front, const char *class_name)
{
    return front_has_class(front, class_name);
}

static bool loader_locate(const void *front, const char *path, Place *place)
{
    return front_place(front, path, place);
}

/* Instantiates a class and makes it ready for numbers. What the engine has to say about a component
 * meanwhile gets the place where the text declares it. */
static LiederSystem *load_system(Front *front, const char *class_name,
                                 const LiederOverride *overrides, size_t noverride,
                                 const LiederSystemOptions *options, LiederExperiment *experiment)
{
    const char *model;
    if (front_instantiate(front, class_name, overrides, noverride, experiment, &model) < 0)
        return NULL;
    Lieder *session = front_session(front);
    Diagnostics *diag = native_diagnostics(session);
    diag->locate = loader_locate;
    diag->locate_user = front;
    LiederSystem *system = native_system(session, model, options);
    diag->locate = NULL;
    return system;
}

static LiederSystem *loader_create(void *front, const char *class_name,
                                   const LiederSystemOptions *options)
{
    return load_system(front, class_name, NULL, 0, options, NULL);
}

static void loader_destroy(void *front)
{
    front_destroy(front);
}

/* the front end of the session, made with the first load; NULL: no memory */
static Front *loader_of(Lieder *session)
{
    static const Loader functions = {
        .knows = loader_knows, .create = loader_create, .destroy = loader_destroy};
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
    Front *front = native_loader((Lieder *)session)->front;
    return front ? front_last_model(front) : NULL;
}

LiederSystem *lieder_system_load(Lieder *session, const char *class_name,
                                 const LiederOverride *overrides, size_t noverride,
                                 const LiederSystemOptions *options, LiederExperiment *experiment)
{
    Front *front = loader_of(session);
    return front ? load_system(front, class_name, overrides, noverride, options, experiment) : NULL;
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
