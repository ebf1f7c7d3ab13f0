/* modes.h - systems that take turns: a model whose set of states changes while it runs.
 *
 * A mode is a system of its own. A transition leads from one mode to another (or back into the
 * same): it is taken where its guard crosses zero, and maps the states of the old mode to those of
 * the new one.
 *
 *   LiederModes *modes = lieder_modes_create(session);
 *   size_t bound = lieder_modes_add(modes, "bound", bound_system);     2 states
 *   size_t flying = lieder_modes_add(modes, "flying", flying_system);  4 states
 *   lieder_modes_connect(modes, &(LiederTransition){
 *       .from = bound, .to = flying, .path = "pendulum.force", .direction = LIEDER_FALLING,
 *       .map = let_go});
 *   lieder_modes_simulate(modes, &options, &statistics);
 *
 * Guards are located like the state events of components, to `event_tolerance` of a step, with
 * adaptive solvers and with fixed steps, too: there by shorter steps from the last point of the
 * grid, so that a method keeps its order through a change of modes. The mode after it begins with
 * a short step back to the grid.
 *
 * A transition that happens 32 times within 1e-8 of the run's length chatters, or is a Zeno point.
 * The run ends there with LIEDER_GAVE_UP and the name of the transition, unless
 * lieder_modes_rest says which mode rests on its surface and the run has LIEDER_CHATTER_HOLD.
 * examples/pendulum_flight.c shows all of it on one page. Modes may share one system whose
 * connections a transition changes: examples/drop_the_load.c. */
#ifndef LIEDER_MODES_H
#define LIEDER_MODES_H

#include <lieder/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LiederModes LiederModes;

/* the caller's to destroy, before the session; NULL: no memory */
LiederModes *lieder_modes_create(Lieder *session);
void lieder_modes_destroy(LiederModes *modes); /* the systems stay */

/* A new mode; its number, or -1. The system belongs to the caller, must be of the same session and
 * outlive the modes. One system may serve several modes. */
ptrdiff_t lieder_modes_add(LiederModes *modes, const char *name, LiederSystem *system);

typedef enum LiederDirection {
    LIEDER_FALLING, /* the guard becomes negative */
    LIEDER_RISING,
    LIEDER_EITHER
} LiederDirection;

/* the states x of the old mode become the states y of the new one, which hold its start values */
typedef void LiederStateMap(void *user, double t, const double *x, double *y);

typedef struct LiederTransition {
    const char *name; /* for messages; NULL: "old to new" */
    size_t from, to;
    /* the guard: a function of the old mode's state, or a variable of its system minus a level */
    double (*guard)(void *user, double t, const double *x);
    const char *path;
    double level;
    LiederDirection direction;
    /* Taken at once if the guard is beyond zero already when the mode is entered. Otherwise it must
     * cross, and a guard that begins at zero give or take rounding is no event. */
    bool at_entry;
    /* NULL, or: connects and disconnects in the new mode's system (lieder_system_connect ...),
     * which is then restructured before the map. If both modes have the same system, y begins with
     * the states of x. */
    void (*change)(void *user, LiederSystem *system, double t);
    LiederStateMap *map; /* NULL: states of the same name keep their values */
    void *user;          /* for guard, change and map */
} LiederTransition;

/* Its number, or -1 with a diagnostic. Name and path are copied; `user` must live as long as the
 * modes. */
ptrdiff_t lieder_modes_connect(LiederModes *modes, const LiederTransition *transition);
/* where a transition leads if it chatters; map as above */
LiederStatus lieder_modes_rest(LiederModes *modes, size_t transition, size_t mode,
                               LiederStateMap *map, void *user);

typedef struct LiederModesOptions {
    /* As for one system: x0 is the state of the first mode. No state files and no progress; output
     * and user are those below, the latter for `restructured`, too. */
    LiederSimulateOptions run;
    size_t mode; /* the first one */
    /* called for every row; the row after a transition shows the new mode. False stops the run. */
    bool (*output)(void *user, size_t mode, double t, const double *x, LiederRow kind);
    void *user;
} LiederModesOptions;
LiederModesOptions lieder_modes_defaults(void);

typedef struct LiederModesStatistics {
    LiederStatistics run; /* summed over modes; limiting_state is -1 */
    size_t transitions;
    size_t mode;               /* in which the run ended */
    ptrdiff_t last_transition; /* or -1 */
} LiederModesStatistics;

/* A run as lieder_simulate, from options->mode on; statistics may be NULL. The systems may be used
 * again afterwards. */
LiederStatus lieder_modes_simulate(LiederModes *modes, const LiederModesOptions *options,
                                   LiederModesStatistics *statistics);

#ifdef __cplusplus
}
#endif
#endif
