/* draw.c - lieder draw RESULT: the mechanism itself, as a stroboscopic picture or moving.
 *
 * A result has the states; where the frames are follows from them. So the model is loaded again,
 * its states are set to those of a row, and an observer gives the poses of all ports. symbol.c
 * knows how each class looks. Elements of one dimension that act along a sliding joint are drawn in
 * its axis; a model of one dimension alone is drawn along a line, its frames below each other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/draw.h"
#include "cli/mechanism.h"

/* ------------------------------------------------------------------ options */

enum {
    OPT_MODEL,
    OPT_OVERRIDE,
    OPT_LOAD,
    OPT_LIBRARY,
    OPT_LIMIT,
    OPT_OUTPUT,
    OPT_FRAMES,
    OPT_ANIMATE,
    OPT_DIAGRAM,
    OPT_SPEED,
    OPT_FROM,
    OPT_TO,
    OPT_TITLE,
    OPT_SIZE,
    OPT_LOG_FORMAT,
    OPT_QUIET
};

static const Option options[] = {
    [OPT_MODEL] = {"model", 0, "MODEL",
                   "what was simulated: FILE.mo or a folder with package.mo, FILE.mo:NAME or "
                   "FOLDER:NAME for another than the last model, or the name of a library model"},
    [OPT_OVERRIDE] = {"override", 0, "NAME=VALUE",
                      "a parameter that was set for the run; may be repeated"},
    [OPT_OUTPUT] = {"output", 'o', "FILE",
                    "the picture: .svg, .png or .pdf; moving: .svg or .gif (RESULT_motion.svg)"},
    [OPT_FRAMES] = {"frames", 0, "N", "positions in the picture (9), or frames of the animation"},
    [OPT_ANIMATE] = {"animate", 0, NULL, "a moving picture instead of all positions in one"},
    [OPT_DIAGRAM] = {"diagram", 0, NULL,
                     "the diagram of a model: RESULT is then FILE.mo or the name of a library "
                     "model (MODEL_diagram.svg)"},
    [OPT_SPEED] = {"speed", 0, "X",
                   "times real time, of the animation (1, but so that it lasts 3 to 20 s)"},
    [OPT_FROM] = {"from", 0, "T", "draw from this time on"},
    [OPT_TO] = {"to", 0, "T", "draw up to this time"},
    [OPT_TITLE] = {"title", 0, "TEXT", "a line above the picture"},
    [OPT_SIZE] = {"size", 0, "WxH", "size in pixels (800 wide)"},
    [OPT_LOAD] = LOAD_OPTION,
    [OPT_LIBRARY] = LIBRARY_OPTION,
    [OPT_LIMIT] = LIMIT_OPTION,
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    [OPT_QUIET] = QUIET_OPTION,
    {0}};

typedef struct DrawSettings {
    const char *output, *title;
    ModelSource source; /* file: the result; model: FILE.mo:NAME */
    double from, to, speed;
    size_t frames, width, height;
    bool animate, diagram;
} DrawSettings;

/* reads one option into DrawSettings; false after reporting an error */
static bool read_option(Arguments *a, int option, const char *value, void *settings)
{
    DrawSettings *w = settings;
    switch (option) {
    case OPT_OUTPUT:
        w->output = value;
        return true;
    case OPT_FRAMES:
        return arguments_count(a, "frames", value, &w->frames);
    case OPT_ANIMATE:
        return w->animate = true;
    case OPT_DIAGRAM:
        return w->diagram = true;
    case OPT_SPEED:
        return arguments_positive(a, "speed", value, &w->speed);
    case OPT_FROM:
        return arguments_number(a, "from", value, &w->from);
    case OPT_TO:
        return arguments_number(a, "to", value, &w->to);
    case OPT_TITLE:
        w->title = value;
        return true;
    case OPT_SIZE:
        return arguments_size(a, value, &w->width, &w->height);
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ parts */

enum { MAX_PARTS = 5000, MAX_SAMPLES = 2000, MAX_FRAMES = 500, LAYERS = 6 };
static const double FRAMES_A_SECOND = 25, SHORTEST = 3, LONGEST = 20; /* of an animation, s */

typedef struct Draw {
    Log *log;
    const DrawSettings *settings;
    char *file, *output; /* of the model; the picture */
    Loaded loaded;
    LiederSystem *system;
    Mechanism mechanism;
    Result result;
    size_t nstate;
    VEC(double) times, states; /* rows of the result; nstate each */
    Scene scene;
    ScenePoint least, most; /* where ports are at any time */
    double unit;
    size_t guide; /* the body that goes furthest: times are written there */
    bool failed;  /* memory */
} Draw;

static ExitCode no_memory(Log *log)
{
    log_error(log, "out of memory for the picture\ndraw a part of the time by --from and --to");
    return EXIT_SIMULATION;
}

/* finds what can be drawn; reports why nothing can, or that it is too much */
static ExitCode find_parts(Draw *d)
{
    MechanismStatus status = mechanism_open(&d->mechanism, d->system, MAX_PARTS, NULL);
    log_diagnostics(d->log, d->loaded.session, d->loaded.front);
    switch (status) {
    case MECHANISM_DONE:
        return EXIT_DONE;
    case MECHANISM_TOO_LARGE:
        log_error(d->log,
                  "the model has more than %d parts: too many for a picture\nsimulate and "
                  "draw one of the models it is made of",
                  MAX_PARTS);
        return EXIT_MODEL;
    case MECHANISM_EMPTY:
        log_error(d->log,
                  "%s has nothing that could be drawn\nbodies, joints, rods and springs in "
                  "the plane or along a line are drawn",
                  d->loaded.title);
        return EXIT_MODEL;
    default:
        return no_memory(d->log);
    }
}

static bool place_parts(Draw *d, size_t row)
{
    return mechanism_place(&d->mechanism, d->times.items[row], d->states.items + row * d->nstate);
}

/* ------------------------------------------------------------------ the result */

/* keeps time and states of a row within --from and --to; the second run of a file ends the reading
 */
static bool on_row(void *user, const double *values)
{
    Draw *d = user;
    double t = values[0];
    if (t < d->settings->from || t > d->settings->to)
        return true;
    if (d->times.n && t < d->times.items[d->times.n - 1]) {
        log_note(d->log, "%s holds several runs: the first one is drawn", d->settings->source.file);
        return false;
    }
    d->failed |= !vec_push(HEAP, &d->times, t);
    for (size_t i = 0; i < d->nstate; i++)
        d->failed |= !vec_push(HEAP, &d->states, values[1 + i]);
    return !d->failed;
}

/* the column of every state; says which one is missing */
static ExitCode find_states(Draw *d, size_t *columns)
{
    char name[1024];
    columns[0] = d->result.time;
    for (size_t i = 0; i < d->nstate; i++) {
        lieder_system_state_name(d->system, i, name, sizeof name);
        ptrdiff_t at = result_find(&d->result, name);
        if (at < 0) {
            log_error(
                d->log,
                "%s lacks the state %s of %s\nis it the result of that model? A picture needs "
                "all states, which simulate records unless --record asks for others",
                d->settings->source.file, name, d->loaded.title);
            return EXIT_USAGE;
        }
        columns[1 + i] = (size_t)at;
    }
    return EXIT_DONE;
}

/* reads the states of all wanted rows out of the file of results */
static ExitCode read_states(Draw *d)
{
    if (result_open(&d->result, NULL, d->settings->source.file) < 0) {
        log_error(d->log, "%s", d->result.message);
        return EXIT_IO;
    }
    d->nstate = lieder_system_state_count(d->system);
    size_t *columns = calloc(d->nstate + 1, sizeof *columns);
    ExitCode code = columns ? find_states(d, columns) : no_memory(d->log);
    LiederStatus status = LIEDER_DONE;
    if (code == EXIT_DONE)
        status = result_read(&d->result, columns, d->nstate + 1, on_row, d);
    free(columns);
    if (d->failed)
        return no_memory(d->log);
    if (status < 0) {
        log_error(d->log, "%s", d->result.message);
        return EXIT_IO;
    }
    if (*d->result.message && code == EXIT_DONE)
        log_note(d->log, "%s", d->result.message);
    if (code == EXIT_DONE && d->times.n == 0) {
        log_error(d->log, "%s has no rows%s", d->settings->source.file,
                  isinf(d->settings->from) && isinf(d->settings->to) ? "" : " in that time");
        return EXIT_USAGE;
    }
    return code;
}

/* ------------------------------------------------------------------ how large it is */

static void widen_bounds(Draw *d, SymbolPose p)
{
    if (!isfinite(p.x) || !isfinite(p.y))
        return;
    d->least = (ScenePoint){fmin(d->least.x, p.x), fmin(d->least.y, p.y)};
    d->most = (ScenePoint){fmax(d->most.x, p.x), fmax(d->most.y, p.y)};
}

/* the way of a sliding joint, or of a shape along its wall, so far */
static void widen_span(SymbolPart *joint)
{
    SymbolPose e = mechanism_on_axis(joint, 1), a = joint->pose[0], b = joint->pose[1];
    double dx = e.x - a.x, dy = e.y - a.y, s = (b.x - a.x) * dx + (b.y - a.y) * dy;
    if (symbol_is_contact(joint->symbol))
        s = (b.x - a.x) * dy - (b.y - a.y) * dx;
    joint->span[0] = fmin(joint->span[0], s);
    joint->span[1] = fmax(joint->span[1], s);
}

/* row of the k-th of n samples */
static size_t sample(const Draw *d, size_t k, size_t n)
{
    return n < 2 ? 0 : k * (d->times.n - 1) / (n - 1);
}

static size_t sample_count(const Draw *d)
{
    return d->times.n < MAX_SAMPLES ? d->times.n : MAX_SAMPLES;
}

static ExitCode failed_row(Draw *d, size_t row)
{
    log_diagnostics(d->log, d->loaded.session, d->loaded.front);
    log_error(d->log, "the model cannot be evaluated at t = %g s of %s", d->times.items[row],
              d->settings->source.file);
    return EXIT_SIMULATION;
}

/* the shape of a contact around a pose: how far it reaches, or 0 */
static double shape_around(const Draw *d, SymbolPose p)
{
    double reach = 0;
    for (size_t i = 0; i < 2 * d->mechanism.parts.n; i++) {
        const SymbolPart *c = &d->mechanism.parts.items[i / 2].drawn;
        const Outline *o = c->outline[i % 2];
        if (o && !c->hidden &&
            hypot(c->pose[i % 2].x - p.x, c->pose[i % 2].y - p.y) < 1e-6 * d->unit)
            reach = fmax(reach, o->reach);
    }
    return reach;
}

/* all of a part, with the shape at a port */
static void widen_part(Draw *d, const SymbolPart *p, int port)
{
    const Outline *o = p->outline[port];
    SymbolPose at = p->pose[port];
    widen_bounds(d, at);
    for (size_t i = 0; o && i < o->n; i++)
        widen_bounds(
            d, (SymbolPose){at.x + cos(at.phi) * o->points[i].x - sin(at.phi) * o->points[i].y,
                            at.y + sin(at.phi) * o->points[i].x + cos(at.phi) * o->points[i].y, 0});
}

/* the extent of all sampled frames, from which the size of symbols follows, and the share of each
 * mass */
static ExitCode measure(Draw *d)
{
    d->least = (ScenePoint){INFINITY, INFINITY};
    d->most = (ScenePoint){-INFINITY, -INFINITY};
    for (size_t k = 0, n = sample_count(d); k < n; k++) {
        if (!place_parts(d, sample(d, k, n)))
            return failed_row(d, sample(d, k, n));
        for (size_t i = 0; i < d->mechanism.parts.n; i++) {
            SymbolPart *p = &d->mechanism.parts.items[i].drawn;
            for (int port = 0; port < 2 && p->symbol->ports[port] && !p->hidden; port++)
                widen_part(d, p, port);
            if (symbol_is_slider(p->symbol) || symbol_is_contact(p->symbol))
                widen_span(p);
        }
    }
    double extent = fmax(d->most.x - d->least.x, d->most.y - d->least.y), heaviest = 0;
    if (!isfinite(extent)) {
        log_error(d->log, "no part of %s has a position that is a number", d->loaded.title);
        return EXIT_SIMULATION;
    }
    d->unit = extent > 0 ? extent / 45 : 0.1;
    for (size_t i = 0; i < d->mechanism.parts.n; i++)
        heaviest = fmax(heaviest, d->mechanism.parts.items[i].mass);
    for (size_t i = 0; i < d->mechanism.parts.n; i++) {
        DrawnPart *p = &d->mechanism.parts.items[i];
        p->drawn.unit = d->unit;
        p->drawn.share = heaviest > 0 ? p->mass / heaviest : 0;
        p->drawn.hidden |= symbol_is_body(p->drawn.symbol) && p->mass == 0;
        /* a shape has its true size: its mass is a point in it */
        if (symbol_is_body(p->drawn.symbol) && shape_around(d, p->drawn.pose[0]) > 0)
            p->drawn.share = 0;
    }
    return EXIT_DONE;
}

/* ------------------------------------------------------------------ the scene */

static bool is_trailing(const DrawnPart *p)
{
    return symbol_is_body(p->drawn.symbol) && !p->drawn.hidden;
}

/* the ways of the bodies as thin lines; the longest is where times are written */
static void draw_trails(Draw *d)
{
    double longest = -1;
    size_t n = sample_count(d);
    for (size_t i = 0; i < d->mechanism.parts.n; i++) {
        if (!is_trailing(&d->mechanism.parts.items[i]))
            continue;
        scene_shape(&d->scene, SCENE_LINE, 0xa8c8e0, 0, 1);
        SymbolPose last = {0};
        double length = 0;
        for (size_t k = 0; k < n; k++) {
            place_parts(d, sample(d, k, n));
            SymbolPose p = d->mechanism.parts.items[i].drawn.pose[0];
            length += k ? hypot(p.x - last.x, p.y - last.y) : 0;
            last = p;
            scene_point(&d->scene, p.x, p.y);
        }
        if (length > longest) {
            longest = length;
            d->guide = i;
        }
    }
}

static void draw_parts(Draw *d, bool still)
{
    for (int layer = 0; layer < LAYERS; layer++)
        for (size_t i = 0; i < d->mechanism.parts.n; i++) {
            const SymbolPart *p = &d->mechanism.parts.items[i].drawn;
            if (p->symbol->layer == layer && !p->hidden && symbol_is_still(p->symbol) == still)
                p->symbol->draw(&d->scene, p);
        }
}

/* ------------------------------------------------------------------ times */

/* a rectangle, that of a text for example */
typedef struct Box {
    double left, right, low, high;
} Box;

static bool boxes_meet(Box a, Box b)
{
    return a.left < b.right && b.left < a.right && a.low < b.high && b.low < a.high;
}

/* where the text of a label stands that begins here: put_label of picture/scene.c */
static Box label_box(const Draw *d, ScenePoint at)
{
    double u = d->unit;
    return (Box){at.x + 0.3 * u, at.x + 4.6 * u, at.y - 0.2 * u, at.y + 1.4 * u};
}

/* does a line from p to q meet the box? By what is left of it after each side has cut it. */
static bool line_meets(ScenePoint p, ScenePoint q, Box b)
{
    const double along[4] = {p.x - q.x, q.x - p.x, p.y - q.y, q.y - p.y},
                 room[4] = {p.x - b.left, b.right - p.x, p.y - b.low, b.high - p.y};
    double from = 0, to = 1;
    for (int i = 0; i < 4; i++) {
        if (along[i] == 0 && room[i] < 0)
            return false;
        if (along[i] < 0)
            from = fmax(from, room[i] / along[i]);
        else if (along[i] > 0)
            to = fmin(to, room[i] / along[i]);
    }
    return from <= to;
}

/* whether a shape of the scene crosses a box; `lines`: its lines count as well */
static bool shape_meets(const Scene *s, const SceneShape *shape, Box b, bool lines)
{
    const ScenePoint *p = s->points.items + shape->first;
    Box own = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < shape->n; i++) {
        own.left = fmin(own.left, p[i].x - shape->radius);
        own.right = fmax(own.right, p[i].x + shape->radius);
        own.low = fmin(own.low, p[i].y - shape->radius);
        own.high = fmax(own.high, p[i].y + shape->radius);
        if (shape->kind == SCENE_LINE && lines && i && line_meets(p[i - 1], p[i], b))
            return true;
    }
    return shape->kind != SCENE_LINE && boxes_meet(own, b);
}

/* other times, bodies, and with `lines` rods and springs */
static bool is_free(const Draw *d, ScenePoint at, bool lines)
{
    const Scene *s = &d->scene;
    Box box = label_box(d, at);
    Box sheet = {s->least.x, s->most.x, s->least.y, s->most.y};
    if (box.left < sheet.left || box.right > sheet.right || box.low < sheet.low ||
        box.high > sheet.high)
        return false;
    for (size_t k = 0; k < s->frames.n; k++)
        if (!isnan(s->frames.items[k].label.x) &&
            boxes_meet(box, label_box(d, s->frames.items[k].label)))
            return false;
    size_t background = s->frames.items[0].first;
    for (size_t i = 0; i < s->shapes.n; i++)
        if (shape_meets(s, &s->shapes.items[i], box, lines && i >= background))
            return false;
    return true;
}

/* A time stands close to its guide where nothing is, else over a line, never over a body or another
 * time: then it is left out. */
static ScenePoint find_room(const Draw *d, ScenePoint guide, double radius)
{
    enum { DIRECTIONS = 12, LEVELS = 4 };
    for (int lines = 1; lines >= 0; lines--)
        for (int level = 0; level < LEVELS; level++)
            for (int i = 0; i < DIRECTIONS; i++) {
                /* from above to both sides in turn */
                double angle = (i % 2 ? -1 : 1) * ((i + 1) / 2) * 6.283185307179586 / DIRECTIONS,
                       far = radius + (0.9 + 1.2 * level) * d->unit;
                ScenePoint middle = {guide.x + (far + 1.6 * d->unit) * sin(angle),
                                     guide.y + far * cos(angle)};
                ScenePoint at = {middle.x - 2.45 * d->unit, middle.y - 0.6 * d->unit};
                if (is_free(d, at, lines))
                    return at;
            }
    return (ScenePoint){NAN, NAN};
}

/* the times of all frames; guides: where the body that goes furthest is in each */
static void label_frames(Draw *d, const ScenePoint *guides, size_t n)
{
    enum { MANY_POINTS = 20000 };
    double radius = shape_around(d, d->mechanism.parts.items[d->guide].drawn.pose[0]);
    if (d->scene.points.n > MANY_POINTS) /* nothing could be read */
        return;
    for (size_t k = 0; k < n; k++)
        d->scene.frames.items[k].label = find_room(d, guides[k], fmax(radius, 0.4 * d->unit));
}

/* one dimension: every frame has its row */
static void shift_row(Draw *d, size_t k)
{
    double y = -6 * d->unit * (double)k;
    for (size_t i = 0; i < d->mechanism.parts.n; i++)
        for (int port = 0; port < 2; port++)
            d->mechanism.parts.items[i].drawn.pose[port].y = y;
    d->scene.frames.items[k].label = (ScenePoint){d->least.x - 9 * d->unit, y};
}

/* places the parts at n times, nearest row each, and draws them as frames, with labels if they
 * share a picture */
static ExitCode draw_frames(Draw *d, size_t n)
{
    ScenePoint guides[MAX_FRAMES];
    bool labels = !d->scene.rows && !d->settings->animate && n <= MAX_FRAMES;
    for (size_t k = 0; k < n && !d->scene.failed; k++) {
        size_t row = sample(d, k, n);
        /* rows may stand closer at events: the one nearest in time */
        double t = d->times.items[0] + (d->times.items[d->times.n - 1] - d->times.items[0]) *
                                           (double)k / (double)(n > 1 ? n - 1 : 1);
        while (row > 0 && d->times.items[row] > t)
            row--;
        while (row + 1 < d->times.n && d->times.items[row + 1] <= t * (1 + 1e-12))
            row++;
        if (!place_parts(d, row))
            return failed_row(d, row);
        if (!d->settings->animate && n > 1 && !d->scene.rows)
            d->scene.fade = 0.72 * (1 - (double)k / (double)(n - 1));
        scene_frame(&d->scene, d->times.items[row]);
        if (d->scene.failed)
            break;
        if (d->scene.rows && !d->settings->animate)
            shift_row(d, k);
        draw_parts(d, false);
        if (d->scene.rows)
            draw_parts(d, true);
        if (labels) {
            SymbolPose p = d->mechanism.parts.items[d->guide].drawn.pose[0];
            guides[k] = (ScenePoint){p.x, p.y};
        }
    }
    if (labels && !d->scene.failed)
        label_frames(d, guides, d->scene.frames.n);
    return EXIT_DONE;
}

static void set_bounds(Draw *d, size_t n)
{
    double u = d->unit;
    d->scene.least = (ScenePoint){d->least.x - 4 * u, d->least.y - 3 * u};
    double above = d->settings->animate ? 3 * u : 4.5 * u; /* times stand there */
    d->scene.most = (ScenePoint){d->most.x + 4 * u, d->most.y + above};
    if (d->scene.rows && !d->settings->animate) {
        d->scene.least.x -= 6 * u;
        d->scene.least.y -= 6 * u * (double)(n - 1);
    }
}

/* frames of the picture, and how long an animation lasts */
static size_t plan(Draw *d)
{
    const DrawSettings *w = d->settings;
    if (!w->animate)
        return w->frames ? w->frames : d->times.n < 9 ? d->times.n : 9;
    double span = d->times.items[d->times.n - 1] - d->times.items[0];
    double seconds = w->speed > 0 ? span / w->speed : fmin(fmax(span, SHORTEST), LONGEST);
    d->scene.seconds = fmax(seconds, 0.1);
    size_t n = w->frames ? w->frames : (size_t)fmin(FRAMES_A_SECOND * seconds + 1, MAX_FRAMES);
    return n < 2 ? 2 : n;
}

/* the whole scene: bounds, trails and what stands still once, then the frames */
static ExitCode compose(Draw *d)
{
    d->scene = (Scene){.alloc = memory_default,
                       .title = d->settings->title,
                       .rows = !d->mechanism.planar,
                       .width = (int)d->settings->width,
                       .height = (int)d->settings->height};
    size_t n = plan(d);
    set_bounds(d, n);
    if (!d->scene.rows) {
        draw_trails(d);
        place_parts(d, 0);
        draw_parts(d, true);
    }
    ExitCode code = draw_frames(d, n);
    return d->scene.failed ? no_memory(d->log) : code;
}

/* ------------------------------------------------------------------ the command */

/* prints what was written: file, frames, span of time */
static void print_picture(const Draw *d, const char *output)
{
    size_t n = d->scene.frames.n;
    if (d->log->json) {
        json_begin(stdout, "picture");
        json_text(stdout, "output", output);
        json_count(stdout, "frames", n);
        json_count(stdout, "parts", d->mechanism.parts.n);
        json_number(stdout, "seconds", d->scene.seconds);
        json_end(stdout);
    } else if (!d->log->quiet) {
        printf("%s: %zu %s from %.4g to %.4g s", output, n, n == 1 ? "frame" : "frames",
               d->scene.frames.items[0].t, d->scene.frames.items[n - 1].t);
        if (d->scene.seconds > 0)
            printf(", shown in %.3g s", d->scene.seconds);
        putchar('\n');
    }
}

static ExitCode load_result(Draw *d)
{
    ModelSource source = d->settings->source;
    source.file = d->file = load_file_of(d->log, source.model, &source.model);
    if (!d->file)
        return EXIT_SIMULATION;
    ExitCode code = load_model(&d->loaded, d->log, &source);
    if (code == EXIT_DONE && !(d->system = load_system(&d->loaded, d->log)))
        code = EXIT_MODEL;
    return code;
}

/* RESULT_motion.svg unless given; neither the result nor the model */
static ExitCode choose_output(Draw *d)
{
    const char *given = d->settings->output, *result = d->settings->source.file;
    const char *slash = strrchr(result, '/'), *dot = strrchr(slash ? slash : result, '.');
    d->output = given ? path_join(d->log, given, strlen(given), "")
                      : path_join(d->log, result, dot ? (size_t)(dot - result) : strlen(result),
                                  "_motion.svg");
    if (!d->output)
        return EXIT_SIMULATION;
    const PathOfCommand paths[] = {{"the picture", d->output, true},
                                   {"the result", result, false},
                                   {"the model", d->file, false}};
    return paths_check(d->log, paths, 3) &&
                   paths_check_read(d->log, &d->loaded, "the picture", d->output)
               ? EXIT_DONE
               : EXIT_USAGE;
}

static ExitCode write_picture(Draw *d)
{
    char message[PICTURE_MESSAGE];
    LiederStatus status = scene_write(&d->scene, d->output, message, sizeof message);
    if (status == LIEDER_DONE) {
        print_picture(d, d->output);
        return EXIT_DONE;
    }
    log_error(d->log, "%s", message);
    return status == LIEDER_BAD_USE ? EXIT_USAGE : EXIT_IO;
}

static void drop(Draw *d)
{
    scene_drop(&d->scene);
    vec_drop(HEAP, &d->times);
    vec_drop(HEAP, &d->states);
    free(d->file);
    free(d->output);
    mechanism_close(&d->mechanism);
    result_close(&d->result);
    lieder_system_destroy(d->system);
    loaded_drop(&d->loaded);
}

/* what can be known to be wrong before anything is loaded */
static ExitCode check_draw(Log *log, const DrawSettings *w)
{
    PictureFormat format;
    bool known = !w->output || picture_format(w->output, &format);
    if (!known || (w->output && format == PICTURE_GIF && !w->animate)) {
        log_error(log, "a picture is .svg, .png or .pdf: %s is none of them%s", w->output,
                  known ? "\n--animate makes a .gif" : "");
        return EXIT_USAGE;
    }
    if (w->output && w->animate && (format == PICTURE_PNG || format == PICTURE_PDF)) {
        log_error(log, "an animation is .svg or .gif: %s is neither", w->output);
        return EXIT_USAGE;
    }
    if (w->frames > MAX_FRAMES) {
        log_error(log, "--frames goes up to %d", MAX_FRAMES);
        return EXIT_USAGE;
    }
    if (!w->source.model) {
        log_error(log, "--model is missing: the model that was simulated\nas in lieder draw "
                       "crane.csv --model crane.mo");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* from a file of results to a picture, step by step; the first failure ends it */
static ExitCode draw(Log *log, const DrawSettings *w)
{
    ExitCode code = check_draw(log, w);
    if (code != EXIT_DONE)
        return code;
    Draw d = {.log = log, .settings = w};
    code = load_result(&d);
    if (code == EXIT_DONE)
        code = choose_output(&d);
    if (code == EXIT_DONE)
        code = find_parts(&d);
    if (code == EXIT_DONE)
        code = read_states(&d);
    if (code == EXIT_DONE)
        code = measure(&d);
    if (code == EXIT_DONE)
        code = compose(&d);
    if (code == EXIT_DONE)
        code = write_picture(&d);
    drop(&d);
    return code;
}

/* no option is left without effect */
static ExitCode diagram(Log *log, const DrawSettings *w)
{
    if (w->animate || w->frames || w->speed > 0 || isfinite(w->from) || isfinite(w->to) ||
        w->title || w->width) {
        log_error(log, "a diagram has no motion: --diagram goes with --model, --override and "
                       "--output only");
        return EXIT_USAGE;
    }
    return draw_diagram(log, &(DiagramSettings){w->output, &w->source});
}

/* lieder draw */
static ExitCode draw_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    DrawSettings w = {.from = -INFINITY, .to = INFINITY};
    a.source = &w.source;
    static const int moving[] = {OPT_SPEED, -1};
    ExitCode code;
    if (arguments_all(&a, read_option, &w, &code))
        code = !w.source.file ? arguments_missing(&a, "RESULT")
               : w.diagram    ? diagram(&log, &w)
               : w.animate || arguments_refuse(&a, moving, "without --animate") ? draw(&log, &w)
                                                                                : EXIT_USAGE;
    model_source_drop(&w.source);
    return code;
}

const Command command_draw = {
    .name = "draw",
    .operands = "RESULT",
    .text = "Draw a mechanism in motion, or the diagram of a model",
    .description =
        "RESULT is a .csv, .mat or .h5 file with all states of the model, as simulate writes it. "
        "Bodies, "
        "rods,\njoints, springs and threads of a planar model are drawn at several times over each "
        "other, the\nearlier the paler, or moving; a model of one dimension in rows along its "
        "line. "
        "A parameter that\nwas overridden for the run must be overridden here as well. --diagram "
        "draws components and\nconnections of a model instead, by its annotations where it has "
        "any.",
    .examples = "  lieder draw crane.csv --model crane.mo --to 1 -o crane.png\n"
                "  lieder draw crane.csv --model crane.mo --animate -o crane.svg\n"
                "  lieder draw chain.mat --model machines.mo:Chain --frames 20\n"
                "  lieder draw crane.mo --diagram -o crane_diagram.svg\n",
    .options = options,
    .run = draw_command};
