/* mujoco.c - chains and cart-poles in MuJoCo, from a model text that is written here.
 *
 * The reader of XML refuses elements nested too deep, and every link of a chain is inside the one
 * before: long chains are written as several files that include each other. */
#include "peer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

typedef struct Mechanism {
    mjModel *model;
    mjData *data;
    size_t n;
} Mechanism;

/* ------------------------------------------------------------------ texts */

typedef struct Text {
    char *at;
    size_t n, room;
} Text;

static void add(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *t, const char *format, ...)
{
    va_list args;
    if (t->room - t->n < 512) {
        t->room = 2 * t->room + 1024;
        t->at = realloc(t->at, t->room);
        if (!t->at)
            abort();
    }
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, t->room - t->n, format, args);
    va_end(args);
}

static mjVFS *files; /* two megabytes */

/* a whole file named `name`; the text is used up */
static void keep(Text *t, const char *name)
{
    if (mj_makeEmptyFileVFS(files, name, (int)t->n) != 0)
        abort();
    memcpy(files->filedata[files->nfile - 1], t->at, t->n);
    free(t->at);
    *t = (Text){0};
}

static void begin(Text *t)
{
    add(t, "<mujoco><compiler angle=\"radian\"/><option gravity=\"0 -9.81 0\"/><worldbody>\n");
}

/* the model whose first file is "model.xml" */
static void *load(size_t n)
{
    char message[1000] = "";
    Mechanism *k = calloc(1, sizeof *k);
    k->model = mj_loadXML("model.xml", files, message, sizeof message);
    mj_deleteVFS(files);
    free(files);
    if (k->model)
        k->data = mj_makeData(k->model);
    if (k->data && (size_t)k->model->nv == n) {
        k->n = n;
        return k;
    }
    fprintf(stderr, "mujoco: %s\n", message);
    exit(1);
}

static void new_files(void)
{
    files = malloc(sizeof *files);
    if (!files)
        abort();
    mj_defaultVFS(files);
}

/* ------------------------------------------------------------------ mechanisms */

enum { DEEPEST = 32 }; /* links in a file */

static void *chain(size_t n, PeerLink link)
{
    Text t = {0};
    char name[64] = "model.xml";
    new_files();
    begin(&t);
    for (size_t i = 0; i < n; i += DEEPEST) {
        size_t here = n - i < DEEPEST ? n - i : DEEPEST;
        if (i > 0)
            add(&t, "<mujocoinclude>\n");
        for (size_t k = i; k < i + here; k++)
            add(&t,
                "<body pos=\"%.17g 0 0\"><joint type=\"hinge\" axis=\"0 0 1\"/>"
                "<inertial pos=\"%.17g 0 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>\n",
                k ? link.l : 0, link.l, link.m, link.I, link.I, link.I);
        if (i + here < n)
            add(&t, "<include file=\"part%zu.xml\"/>\n", i + here);
        for (size_t k = 0; k < here; k++)
            add(&t, "</body>");
        add(&t, i > 0 ? "</mujocoinclude>\n" : "</worldbody></mujoco>\n");
        keep(&t, name);
        snprintf(name, sizeof name, "part%zu.xml", i + here);
    }
    return load(n);
}

static void *carts(size_t n, PeerCart c)
{
    Text t = {0};
    new_files();
    begin(&t);
    for (size_t i = 0; i < n; i++)
        add(&t,
            "<body><joint type=\"slide\" axis=\"1 0 0\"/>"
            "<inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"1 1 1\"/>"
            "<body><joint type=\"hinge\" axis=\"0 0 1\"/><inertial pos=\"0 %.17g 0\" "
            "mass=\"%.17g\" "
            "diaginertia=\"%.17g %.17g %.17g\"/></body></body>\n",
            c.cart, -c.l, c.load, c.I, c.I, c.I);
    add(&t, "</worldbody></mujoco>\n");
    keep(&t, "model.xml");
    return load(2 * n);
}

/* ------------------------------------------------------------------ numbers */

static void set(void *mechanism, const double *position, const double *velocity)
{
    Mechanism *k = mechanism;
    memcpy(k->data->qpos, position, k->n * sizeof *position);
    memcpy(k->data->qvel, velocity, k->n * sizeof *velocity);
}

static void evaluate(void *mechanism)
{
    Mechanism *k = mechanism;
    mj_forward(k->model, k->data);
}

static void evaluate_bare(void *mechanism)
{
    Mechanism *k = mechanism;
    k->model->opt.disableflags =
        mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_SENSOR;
    mj_forward(k->model, k->data);
}

static void accelerations(const void *mechanism, double *to)
{
    const Mechanism *k = mechanism;
    memcpy(to, k->data->qacc, k->n * sizeof *to);
}

static void drop(void *mechanism)
{
    Mechanism *k = mechanism;
    mj_deleteData(k->data);
    mj_deleteModel(k->model);
    free(k);
}

const Peer peer_mujoco = {"MuJoCo", chain, carts, set, evaluate, accelerations, drop};
const Peer peer_mujoco_bare = {"MuJoCo bare", chain,         carts, set,
                               evaluate_bare, accelerations, drop};
