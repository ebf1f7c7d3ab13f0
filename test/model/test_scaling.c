/* test_scaling.c - nothing grows faster than the model: instantiation, memory and evaluation of
 * crabs, links, masses and shapes against their number, as counts.
 *
 * Allocations and bytes come from the allocator. Arrays grow by halves, so bytes jump: the exponent
 * is the slope of a line through many sizes. Instructions come from callgrind, under which this
 * program starts itself again with "count": a quadratic loop that allocates nothing is seen as
 * well. That takes longer, for n, 2n, 4n and 8n only, in brief from a quarter of the size on; a
 * count is a + b n^p, differences lose a, and
 *
 *   (c(8n) - c(4n)) / (c(2n) - c(n)) = 4^p
 */
#include <valgrind/callgrind.h>

#include <unistd.h>

#include "compile/compile.h"
#include "front/front.h"
#include "help/engine.h"
#include "help/meter.h"
#include "help/row.h"
#include "help/full.h"

static const double MOST = 1.05;    /* exponents */
enum { DOUBLINGS = 4, SIZES = 16 }; /* n ... 8n by doubling; n ... 32n in equal ratios */

/* ------------------------------------------------------------------ models that grow */

static void fleet(Lieder *session, LiederModel *m, size_t n)
{
    (void)session;
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", n);
}

/* every crab has a mass of its own */
static void unequal(Lieder *session, LiederModel *m, size_t n)
{
    double *values = malloc(n * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = 1 + (double)i;
    fleet(session, m, n);
    lieder_model_set_each(m, "crab.cart.m", values, n);
    free(values);
}

static void chain(Lieder *session, LiederModel *m, size_t n)
{
    (void)session;
    lieder_model_add(m, "chain", "Examples.Chain");
    lieder_model_set(m, "chain.n", (double)n);
}

/* n joints that all stand on one hub, which turns */
static void star(Lieder *session, LiederModel *m, size_t n)
{
    char a[64], b[64];
    (void)session;
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "stem", "Planar.Revolute");
    lieder_model_add_array(m, "revolute", "Planar.Revolute", n);
    lieder_model_add_array(m, "body", "Planar.Body", n);
    lieder_model_set(m, "body.I", 1);
    lieder_model_add(m, "hub", "Planar.Body");
    lieder_model_set(m, "hub.I", 1);
    lieder_model_connect(m, "fixed.frame", "stem.frame_a");
    lieder_model_connect(m, "stem.frame_b", "hub.frame_a");
    for (size_t i = 1; i <= n; i++) {
        snprintf(a, sizeof a, "revolute[%zu].frame_a", i);
        lieder_model_connect(m, "stem.frame_b", a);
        snprintf(a, sizeof a, "revolute[%zu].frame_b", i);
        snprintf(b, sizeof b, "body[%zu].frame_a", i);
        lieder_model_connect(m, a, b);
    }
}

/* masses with damped springs between neighbours: one linear group with n loops */
static void cable(Lieder *session, LiederModel *m, size_t n)
{
    (void)session;
    row_build(m, "Translational.SpringDamper", n);
}

enum { DIGITS = 10 };

/* n arms whose joints turn or slide as the binary digits of i say, no two alike */
static void shapes(Lieder *session, LiederModel *m, size_t n)
{
    char name[32], a[64], b[64];
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "Arm%zu", i);
        LiederModel *arm = lieder_model_create(session, name, "");
        lieder_model_add(arm, "fixed", "Planar.Fixed");
        snprintf(a, sizeof a, "fixed.frame");
        for (int k = 0; k < DIGITS; k++) {
            snprintf(b, sizeof b, "joint%d", k);
            bool turns = i >> k & 1;
            lieder_model_add(arm, b, turns ? "Planar.Revolute" : "Planar.Prismatic");
            if (!turns) {
                snprintf(b, sizeof b, "joint%d.r", k);
                lieder_model_set_vector(arm, b, (double[]){1, k % 2}, 2);
            }
            snprintf(b, sizeof b, "joint%d.frame_a", k);
            lieder_model_connect(arm, a, b);
            snprintf(b, sizeof b, "body%d", k);
            lieder_model_add(arm, b, "Planar.Body");
            snprintf(b, sizeof b, "body%d.I", k);
            lieder_model_set(arm, b, 1);
            snprintf(a, sizeof a, "joint%d.frame_b", k);
            snprintf(b, sizeof b, "body%d.frame_a", k);
            lieder_model_connect(arm, a, b);
        }
        snprintf(b, sizeof b, "arm%zu", i);
        lieder_model_add_array(m, b, name, 2);
    }
}

/* text with n joints, masses and springs, each declared by itself */
static char *declarations(size_t n)
{
    enum { EACH = 400 };
    char *all = malloc(n * EACH + 200), *at = all;
    at += sprintf(at, "model M\n  Dialectic.Translational.Fixed fixed;\n");
    for (size_t i = 0; i < n; i++)
        at += sprintf(at,
                      "  Dialectic.Translational.Joint j%zu(s(start = 0.1));\n"
                      "  Dialectic.Translational.Body b%zu(m = 2, g = 0);\n"
                      "  Dialectic.Translational.Spring c%zu(c = 3);\n",
                      i, i, i);
    at += sprintf(at, "equation\n");
    for (size_t i = 0; i < n; i++)
        at += sprintf(at,
                      "  connect(fixed.flange_b, j%zu.flange_a);\n"
                      "  connect(j%zu.flange_b, b%zu.flange_a);\n"
                      "  connect(fixed.flange_b, c%zu.flange_a);\n"
                      "  connect(c%zu.flange_b, b%zu.flange_a);\n",
                      i, i, i, i, i, i);
    sprintf(at, "end M;\n");
    return all;
}

typedef struct Growing {
    const char *name;
    void (*build)(Lieder *session, LiederModel *m, size_t n); /* or ... */
    char *(*write)(size_t n);                                 /* ... a text, or ... */
    const char *text;                                         /* ... a file with n */
    size_t n;
} Growing;

static const Growing growing[] = {
    {.name = "fleet", .build = fleet, .n = 1000},
    {.name = "unequal crabs", .build = unequal, .n = 8000},
    {.name = "chain", .build = chain, .n = 100},
    {.name = "star", .build = star, .n = 100},
    {.name = "cable", .build = cable, .n = 100},
    {.name = "shapes", .build = shapes, .n = 16},
    {.name = "fleet from text", .text = SOURCE_DIR "/models/scale/Fleet.mo", .n = 8000},
    {.name = "declarations", .write = declarations, .n = 50},
    {.name = "chain from text", .text = SOURCE_DIR "/models/scale/Chain.mo", .n = 100},
};
enum { NGROWING = sizeof growing / sizeof *growing };

/* from nothing, or from text, to a system */
static LiederSystem *instantiate(const Growing *g, Lieder *session, size_t n)
{
    if (g->build) {
        LiederModel *m = lieder_model_create(session, "M", "");
        lieder_model_add(m, "world", "World");
        g->build(session, m, n);
        return lieder_system_create(session, "M", NULL);
    }
    char size[24];
    const char *model = NULL;
    const FrontOverride count = {.name = "n", .value = size};
    snprintf(size, sizeof size, "%zu", n);
    Front *front = front_create(session);
    char *text = g->write ? g->write(n) : NULL;
    bool ok =
        front &&
        (text ? front_load_text(front, "M.mo", text) : front_load(front, g->text)) == LIEDER_DONE &&
        front_instantiate(front, front_last_model(front), &count, text ? 0 : 1, NULL, &model) ==
            LIEDER_DONE;
    free(text);
    front_destroy(front);
    return ok ? lieder_system_create(session, model, NULL) : NULL;
}

/* ------------------------------------------------------------------ exponents */

static void judge(const Growing *g, const char *what, double first, double last, double exponent)
{
    print_message("  %-16s %-14s %12.0f ... %12.0f   exponent %.3f\n", g->name, what, first, last,
                  exponent);
    if (!(exponent <= MOST))
        fail_msg("%s: %s grows with n^%.2f", g->name, what, exponent);
}

/* slope of log count against log n */
static double slope(const double n[SIZES], const double count[SIZES])
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int k = 0; k < SIZES; k++) {
        x += log(n[k]) / SIZES;
        y += log(count[k]) / SIZES;
        xx += log(n[k]) * log(n[k]) / SIZES;
        xy += log(n[k]) * log(count[k]) / SIZES;
    }
    return (xy - x * y) / (xx - x * x);
}

/* allocations and bytes to make a system, and those it holds */
static void memory_grows_with_the_model(void **state)
{
    (void)state;
    for (int i = 0; i < NGROWING; i++) {
        const Growing *g = &growing[i];
        double n[SIZES], calls[SIZES], asked[SIZES], held[SIZES];
        for (int k = 0; k < SIZES; k++) {
            Meter meter = {0};
            LiederAllocator alloc = METER_ALLOCATOR(&meter);
            Lieder *session = lieder_create(&alloc);
            size_t before = meter.calls, asked_before = meter.asked;
            n[k] = round((double)g->n * pow(32, (double)k / (SIZES - 1)));
            LiederSystem *system = instantiate(g, session, (size_t)n[k]);
            assert_non_null(system);
            calls[k] = (double)(meter.calls - before);
            asked[k] = (double)(meter.asked - asked_before);
            held[k] = (double)lieder_system_info(system).bytes;
            lieder_system_destroy(system);
            lieder_destroy(session);
            assert_int_equal(meter.live, 0);
        }
        judge(g, "allocations", calls[0], calls[SIZES - 1], slope(n, calls));
        judge(g, "bytes asked", asked[0], asked[SIZES - 1], slope(n, asked));
        judge(g, "bytes held", held[0], held[SIZES - 1], slope(n, held));
    }
}

/* ------------------------------------------------------------------ instructions */

static const char *const pieces[] = {"instantiation", "evaluation", "fusing"};
enum { PIECES = sizeof pieces / sizeof *pieces };

/* finds the sequences that generated code would have kernels for */
static bool fuse(LiederSystem *system)
{
    bool ok = true;
    for (size_t i = 0; i < system->shapes.n && ok; i++) {
        SystemShape *ss = &system->shapes.items[i];
        Fusion fusion = {0};
        if (!shape_uncompilable(ss))
            ok = known_find(ss, SYSTEM_ALLOC(system), &ss->code.known) &&
                 fusion_make(&ss->plan.lean, &ss->code.known.places, &fusion, SYSTEM_ALLOC(system));
        fusion_drop(&fusion, SYSTEM_ALLOC(system));
    }
    return ok;
}

/* Libraries such as CHOLMOD are loaded when a model first needs them, which costs as much as a
 * model of thousands of components: a small model has that done before anything is counted. */
static void load_libraries(const Growing *g)
{
    Lieder *session = lieder_create(NULL);
    lieder_system_destroy(instantiate(g, session, g->n));
    lieder_destroy(session);
}

/* under callgrind: each piece of work becomes a file of its own, in this order */
static int count_instructions(void)
{
    for (int i = 0; i < NGROWING; i++) {
        const size_t first = growing[i].n / IN_FULL(1, 4);
        load_libraries(&growing[i]);
        for (int k = 0; k < DOUBLINGS; k++) {
            Lieder *session = lieder_create(NULL);
            CALLGRIND_ZERO_STATS;
            LiederSystem *system = instantiate(&growing[i], session, first << k);
            CALLGRIND_DUMP_STATS_AT(pieces[0]);
            if (!system) {
                lieder_diagnostic_print_all(session, stderr);
                return 1;
            }
            size_t nstate = lieder_system_state_count(system);
            double *x = malloc(2 * nstate * sizeof *x);
            lieder_system_start(system, x);
            /* what happens once happens here */
            derivatives(session, system, 0, x, x + nstate);
            CALLGRIND_ZERO_STATS;
            lieder_system_derivatives(system, 0, x, x + nstate);
            CALLGRIND_DUMP_STATS_AT(pieces[1]);
            CALLGRIND_ZERO_STATS;
            bool fused = fuse(system);
            CALLGRIND_DUMP_STATS_AT(pieces[2]);
            free(x);
            lieder_system_destroy(system);
            lieder_destroy(session);
            if (!fused)
                return 1;
        }
    }
    return 0;
}

/* the total of a file that callgrind left */
static double read_total(const char *path)
{
    char line[512];
    double total = -1;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "totals: %lf", &total) == 1)
            break;
    if (f)
        fclose(f);
    if (!(total > 0))
        fail_msg("callgrind left no total in %s", path);
    remove(path);
    return total;
}

static const char *program;

static void work_grows_with_the_model(void **state)
{
    (void)state;
    if (IS_SANITIZED)
        skip(); /* valgrind and AddressSanitizer exclude each other */
    char folder[] = "/tmp/lieder-scaling-XXXXXX", line[1024];
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line,
             "valgrind --tool=callgrind --callgrind-out-file=%s/out %s count > %s/log 2>&1", folder,
             program, folder);
    if (system(line) != 0)
        fail_msg("callgrind did not work, see %s/log", folder);
    for (int i = 0; i < NGROWING; i++) {
        for (int what = 0; what < PIECES; what++) {
            double c[DOUBLINGS];
            for (int k = 0; k < DOUBLINGS; k++) {
                snprintf(line, sizeof line, "%s/out.%d", folder,
                         PIECES * (DOUBLINGS * i + k) + what + 1);
                c[k] = read_total(line);
            }
            /* what does not grow by a hundredth from n to 8n does not grow */
            bool grows = c[3] - c[0] > 0.01 * c[0];
            judge(&growing[i], pieces[what], c[0], c[3],
                  grows ? log((c[3] - c[2]) / (c[1] - c[0])) / log(4) : 0);
        }
    }
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "count") == 0)
        return count_instructions();
    program = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_with_the_model),
        cmocka_unit_test(work_grows_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
