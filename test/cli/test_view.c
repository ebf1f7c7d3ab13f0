/* test_view.c - lieder view as a page speaks with it: runs with the bits of the command line, rows
 * of a run that goes on, errors as the command line has them, the saved page. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "help/program.h"

static const char crane[] = "model Crane\n"
                            "  parameter Real mass = 2;\n"
                            "  inner Dialectic.World world(TD = 1e-3);\n"
                            "  Dialectic.Examples.CraneCrab crab(cart(m = mass));\n"
                            "  annotation(experiment(StopTime = 1, Interval = 0.02));\n"
                            "end Crane;\n";

static int set_up(void **state)
{
    (void)state;
    if (!enter_folder())
        return -1;
    write_text("crane.mo", crane);
    write_text("wrong.mo", "model Wrong\n  Dialectic.Planar.Bdoy body;\nend Wrong;\n");
    return 0;
}

/* ------------------------------------------------------------------ the program, and its page */

static pid_t child;
static int port;
static char token[64];

/* starts the program; false: it was built without the viewer, and has said so */
static bool start(const char *const *arguments)
{
    int ends[2];
    char *argv[32] = {(char *)"lieder", (char *)"view", (char *)"--no-open"};
    for (size_t i = 0; arguments[i] && i < 28; i++)
        argv[i + 3] = (char *)arguments[i];
    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (freopen("stderr.txt", "w", stderr))
            execv(PROGRAM, argv);
        _exit(99);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    char line[256];
    bool good = fgets(line, sizeof line, from);
    fclose(from);
    if (good) {
        assert_int_equal(sscanf(line, "http://127.0.0.1:%d/#%63[0-9a-f]\n", &port, token), 2);
        return true;
    }
    waitpid(child, NULL, 0);
    char *said = read_text("stderr.txt");
    assert_contains(said, "built without the viewer");
    free(said);
    return false;
}

static void stop(void)
{
    int status;
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* body of the reply, to be freed, with a NUL behind it; the status */
static int post(const char *path, const char *message, char **body, size_t *n)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)port)};
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    dprintf(fd,
            "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Lieder-Token: %s\r\nConnection: close\r\n"
            "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
            path, port, token, strlen(message), message);
    size_t room = 1 << 24, came = 0;
    char *all = malloc(room);
    for (ssize_t now; (now = read(fd, all + came, room - came - 1)) > 0;)
        came += (size_t)now;
    close(fd);
    all[came] = '\0';
    char *begin = strstr(all, "\r\n\r\n");
    assert_non_null(begin);
    int status;
    assert_int_equal(sscanf(all, "HTTP/1.1 %d", &status), 1);
    *n = came - (size_t)(begin + 4 - all);
    *body = malloc(*n + 1);
    memcpy(*body, begin + 4, *n + 1);
    free(all);
    return status;
}

/* a message: its JSON with a NUL behind it, and its columns */
typedef struct Answer {
    char *body, *json;
    const double *columns;
    size_t rows;
} Answer;

static Answer answer(const char *path, const char *message)
{
    Answer a = {0};
    size_t n;
    uint32_t length;
    assert_int_equal(post(path, message, &a.body, &n), 200);
    memcpy(&length, a.body, 4);
    assert_true(4 + length <= n && (4 + length) % 8 == 0);
    a.columns = (const double *)(a.body + 4 + length);
    a.json = strndup(a.body + 4, length);
    assert_non_null(json_value(a.json));
    a.rows = (size_t)strtoul(strstr(a.json, "\"rows\":") + 7, NULL, 10);
    return a;
}

static void drop_answer(Answer *a)
{
    free(a->body);
    free(a->json);
}

/* A run answers early if it takes long: its rows once it is done. */
static void wait_for_rows(Answer *a, int run, const char *wanted)
{
    char message[256];
    snprintf(message, sizeof message, "{\"run\":%d,\"want\":[%s],\"from\":0}", run, wanted);
    const char *known = a->json;
    for (int tries = 0; strstr(known, "\"done\":false") && tries < 600; tries++) {
        usleep(100000);
        Answer now = answer("/api/rows", message);
        bool done = !strstr(now.json, "\"done\":false");
        if (done) { /* the description is that of the first answer */
            free(a->body);
            a->body = now.body;
            a->columns = now.columns;
            a->rows = now.rows;
            free(now.json);
            return;
        }
        drop_answer(&now);
    }
}

/* the index of a variable in the description, which stands in the order of the indices */
static int variable(const Answer *a, const char *name)
{
    char key[128];
    snprintf(key, sizeof key, "{\"name\":\"%s\"", name);
    const char *list = strstr(a->json, "\"variables\":["), *end = strstr(list, key);
    int n = 0;
    assert_non_null(end);
    for (const char *at = strstr(list, "{\"name\":"); at < end; at = strstr(at + 1, "{\"name\":"))
        n++;
    return n;
}

/* ------------------------------------------------------------------ tests */

/* every number of a run is that of simulate --override, to the last bit */
static void runs_have_the_bits_of_the_command_line(void **state)
{
    (void)state;
    if (!start((const char *[]){"crane.mo", NULL}))
        return;
    Answer first = answer("/api/run", "{\"want\":[]}");
    int phi = variable(&first, "crab.revolute.phi"),
        force = variable(&first, "crab.load.frame_a.fy_el");
    int m = variable(&first, "crab.cart.m");
    wait_for_rows(&first, 1, "");
    assert_int_equal(first.rows, 51);
    assert_contains(first.json, "\"look\":\"body\"");
    assert_contains(first.json, "\"exit_code\":0");
    char message[256], column[64], both[64];
    snprintf(
        message, sizeof message,
        "{\"set\":{\"mass\":\"3.5\",\"crab.revolute.phi\":\"0.5\"},\"stop\":2,\"want\":[%d,%d]}",
        phi, force);
    Answer a = answer("/api/run", message);
    snprintf(both, sizeof both, "%d,%d", phi, force);
    wait_for_rows(&a, 2, both);
    assert_exit(lieder("simulate crane.mo --stop-time 2 --override mass=3.5 --override "
                       "crab.revolute.phi=0.5 -o r.csv --record "
                       "'crab.revolute.phi|crab.load.frame_a.fy_el'"),
                0);
    Csv c = read_csv("r.csv");
    assert_int_equal(a.rows, c.nrow);
    for (size_t row = 0; row < c.nrow; row++)
        for (size_t k = 0; k < 3; k++)
            assert_true(fabs(a.columns[k * a.rows + row] - c.values[row * 3 + k]) <=
                        1e-15 * fabs(c.values[row * 3 + k])); /* the file has 16 digits */
    /* the parameter of the model has reached its component */
    snprintf(column, sizeof column, "\"%d\":3.5", m);
    assert_contains(a.json, column);
    /* more columns of that run */
    snprintf(message, sizeof message, "{\"run\":2,\"want\":[%d],\"from\":90}", phi);
    Answer more = answer("/api/rows", message);
    assert_int_equal(more.rows, a.rows - 90);
    assert_memory_equal(more.columns + more.rows, a.columns + a.rows + 90,
                        more.rows * sizeof(double));
    drop_csv(&c);
    drop_answer(&first);
    drop_answer(&a);
    drop_answer(&more);
    stop();
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    if (!start((const char *[]){"crane.mo", "--keep", NULL}))
        return;
    static const struct {
        const char *path, *message, *said;
        int status;
    } cases[] = {
        {"/api/run", "{\"set\":{\"mass\":\"1; end X;\"}}", "a number", 400},
        {"/api/run", "{\"set\":{\"mass\":\"readFile(1)\"}}", "a number", 400},
        {"/api/run", "{\"set\":{\"a = 1, mass\":\"1\"}}", "a number", 400},
        {"/api/run", "{\"set\":{\"\":\"1\"}}", "a number", 400},
        {"/api/run", "{\"tolerance\":-1}", "more than zero", 400},
        {"/api/run", "{\"tolerance\":2}", "less than one", 400},
        {"/api/run", "{\"solver\":\"magic\"}", "no such solver", 400},
        {"/api/run", "{\"set\":1", "the message is wrong", 400},
        {"/api/rows", "{\"run\":77}", "no longer kept", 404},
        {"/api/rows", "{}", "no longer kept", 404},
        {"/api/sweep", "{\"vary\":{\"mass\":\"readFile(1)\"},\"variable\":\"a\"}", "is varied",
         400},
        {"/api/sweep", "{\"vary\":{\"a = 1, mass\":\"1,2\"},\"variable\":\"a\"}", "is varied", 400},
        {"/api/members", "{\"sweep\":7,\"first\":0}", "no longer kept", 400},
        {"/api/file", "{\"path\":\"/etc/passwd\"}", "no such request", 404},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *body;
        size_t n;
        int status = post(cases[i].path, cases[i].message, &body, &n);
        if (status != cases[i].status)
            fail_msg("%d for %s", status, cases[i].message);
        assert_contains(body, cases[i].said);
        free(body);
    }
    /* what the model or the run says comes as the command line has it */
    Answer a = answer("/api/run", "{\"set\":{\"crab.cart.m\":\"-1\"}}");
    assert_int_equal(a.rows, 0);
    assert_contains(a.json, "\"exit_code\":1");
    assert_contains(a.json, "\"severity\":\"error\"");
    assert_contains(a.json, "crab.cart");
    drop_answer(&a);
    a = answer("/api/run", "{\"set\":{\"crab.cart.mm\":\"1\"},\"want\":[-1,0.5,1e30]}");
    assert_contains(a.json, "\"exit_code\":1");
    drop_answer(&a);
    stop();
}

/* members come some at a time, with the numbers of lieder sweep */
static void sweeps_have_the_bits_of_the_command_line(void **state)
{
    (void)state;
    enum { MEMBERS = 70, ROWS = 51 };
    if (!start((const char *[]){"crane.mo", "--keep", NULL}))
        return;
    assert_exit(lieder("sweep crane.mo --vary mass=1:3:70 --solver rk4 --step 0.01 --override "
                       "crab.load.m=2 --record crab.revolute.phi -o s.csv -q"),
                0);
    Csv c = read_csv("s.csv");
    assert_int_equal(c.nrow, MEMBERS * ROWS);
    size_t done = 0;
    char message[256] =
        "{\"vary\":{\"mass\":\"1:3:70\"},\"variable\":\"crab.revolute.phi\",\"solver\":\"rk4\","
        "\"step\":0.01,\"set\":{\"mass\":\"9\",\"crab.load.m\":\"2\"}}";
    for (int answers = 0; done < MEMBERS && answers < MEMBERS; answers++) {
        Answer a = answer(done ? "/api/members" : "/api/sweep", message);
        assert_contains(a.json, "\"members\":70");
        assert_contains(a.json, "\"exit_code\":0");
        const char *rows = strstr(a.json, "\"rows\":[") + 8;
        const double *numbers = a.columns;
        for (; done < MEMBERS && (size_t)strtoul(rows, (char **)&rows, 10) == ROWS;
             rows++, done++) {
            for (size_t k = 0; k < ROWS; k++) {
                const double *line = &c.values[(done * ROWS + k) * c.ncolumn];
                assert_true(numbers[k] == line[1]);
                assert_true(fabs(numbers[ROWS + k] - line[2]) <= 1e-15 * fabs(line[2]));
            }
            numbers += 2 * ROWS;
        }
        int sweep;
        assert_int_equal(sscanf(strstr(a.json, "\"number\":"), "\"number\":%d", &sweep), 1);
        snprintf(message, sizeof message, "{\"sweep\":%d,\"first\":%zu}", sweep, done);
        drop_answer(&a);
    }
    assert_int_equal(done, MEMBERS);
    /* a member that fails, and names that are none */
    Answer a =
        answer("/api/sweep", "{\"vary\":{\"mass\":\"-1,1,2\"},\"variable\":\"crab.revolute.phi\"}");
    assert_contains(a.json, "\"rows\":[0");
    assert_contains(a.json, "crab.cart");
    drop_answer(&a);
    a = answer("/api/sweep", "{\"vary\":{\"mas\":\"1,2\"},\"variable\":\"crab.revolute.phi\"}");
    assert_contains(a.json, "\"members\":0");
    assert_contains(a.json, "mass");
    drop_answer(&a);
    a = answer("/api/sweep", "{\"vary\":{\"mass\":\"1,2\"},\"variable\":\"crab.revolute.psi\"}");
    assert_contains(a.json, "\"severity\":\"error\"");
    drop_answer(&a);
    drop_csv(&c);
    stop();
}

/* the text is kept between runs, and read again when the file is another one */
static void a_changed_file_is_read_again(void **state)
{
    (void)state;
    write_text("changing.mo", crane);
    if (!start((const char *[]){"changing.mo", "--keep", NULL}))
        return;
    Answer a = answer("/api/run", "{\"want\":[]}");
    char column[64];
    snprintf(column, sizeof column, "\"%d\":2", variable(&a, "crab.cart.m"));
    assert_contains(a.json, column);
    drop_answer(&a);
    char *text = strdup(crane);
    memcpy(strstr(text, "mass = 2"), "mass = 7", 8);
    write_text("changing.mo", text);
    a = answer("/api/run", "{\"want\":[]}");
    snprintf(column, sizeof column, "\"%d\":7", variable(&a, "crab.cart.m"));
    assert_contains(a.json, column);
    drop_answer(&a);
    memcpy(strstr(text, "CraneCrab"), "CraneCrap", 9);
    write_text("changing.mo", text);
    a = answer("/api/run", "{\"want\":[]}");
    assert_contains(a.json, "\"exit_code\":1");
    drop_answer(&a);
    write_text("changing.mo", crane);
    a = answer("/api/run", "{\"want\":[]}");
    assert_contains(a.json, "\"exit_code\":0");
    drop_answer(&a);
    free(text);
    stop();
}

/* the mechanism of a member has the parameters of the member */
static void members_of_a_file_have_their_parameters(void **state)
{
    (void)state;
    write_text("rod.mo", "model Rod\n"
                         "  parameter Real l = 1;\n"
                         "  inner Dialectic.World world(TD = 1e-3);\n"
                         "  Dialectic.Planar.Fixed fixed;\n"
                         "  Dialectic.Planar.Revolute revolute(phi(start = 1));\n"
                         "  Dialectic.Planar.FixedTranslation rod(r = {l, 0});\n"
                         "  Dialectic.Planar.Body load(m = 1);\n"
                         "equation\n"
                         "  connect(fixed.frame, revolute.frame_a);\n"
                         "  connect(revolute.frame_b, rod.frame_a);\n"
                         "  connect(rod.frame_b, load.frame_a);\n"
                         "  annotation(experiment(StopTime = 0.1, Interval = 0.05));\n"
                         "end Rod;\n");
    static const char *const files[] = {"rod.csv", "rod.h5"};
    for (int i = 0; i < 2; i++) {
        char command[100], message[64];
        snprintf(command, sizeof command, "sweep rod.mo --vary l=1,3 -o %s -q", files[i]);
        assert_exit(lieder("%s", command), 0);
        if (!start((const char *[]){files[i], "--model", "rod.mo", NULL}))
            return;
        Answer a = answer("/api/run", "{\"want\":[]}");
        assert_contains(a.json, "\"varied\":[\"l\"]");
        const char *at = strstr(strstr(a.json, "\"parts\":["), "{\"name\":\"load\"");
        int x, y;
        assert_int_equal(sscanf(strstr(at, "\"at\":["), "\"at\":[%d,%d", &x, &y), 2);
        drop_answer(&a);
        snprintf(message, sizeof message, "{\"want\":[%d,%d]}", x, y);
        a = answer("/api/run", message);
        for (size_t row = 0; row < a.rows; row++)
            assert_true(fabs(hypot(a.columns[a.rows + row], a.columns[2 * a.rows + row]) -
                             (row < a.rows / 2 ? 1 : 3)) < 1e-12);
        drop_answer(&a);
        stop();
    }
}

static void results_are_shown_with_their_model(void **state)
{
    (void)state;
    assert_exit(lieder("simulate crane.mo -o r.csv"), 0);
    if (!start((const char *[]){"r.csv", "--model", "crane.mo", NULL}))
        return;
    Answer a = answer("/api/run", "{\"want\":[0]}");
    assert_contains(a.json, "\"file\":true");
    assert_contains(a.json, "\"look\":\"pivot\"");
    Csv c = read_csv("r.csv");
    assert_int_equal(a.rows, c.nrow);
    for (size_t row = 0; row < c.nrow; row++)
        assert_true(a.columns[a.rows + row] == c.values[row * c.ncolumn + 1]);
    drop_csv(&c);
    drop_answer(&a);
    stop();
    if (start((const char *[]){"r.csv", NULL})) {
        a = answer("/api/run", "{\"want\":[]}");
        assert_contains(a.json, "\"parts\":[]");
        drop_answer(&a);
        stop();
    }
}

static void pages_are_saved(void **state)
{
    (void)state;
    if (lieder("view crane.mo --save page.html") == 2) {
        assert_contains(err, "built without the viewer");
        return;
    }
    char *page = read_text("page.html");
    assert_contains(page, "<title>Crane</title>");
    assert_contains(page, "id=\"lieder-script\"");
    assert_contains(page, "id=\"lieder-data\"");
    assert_contains(page, "default-src 'none'");
    assert_null(strstr(page, "https://"));
    assert_true(strlen(page) < 800000);
    free(page);
    assert_exit(lieder("simulate crane.mo -o r.csv"), 0);
    assert_exit(lieder("view r.csv --save page.html -q"), 0);
    assert_exit(lieder("view crane.mo --save crane.mo"), 2);
    assert_exit(lieder("view wrong.mo --save page.html"), 1);
    assert_contains(err, "Bdoy");
    assert_exit(lieder("view wrong.mo --no-open"), 1);
    assert_exit(lieder("view nowhere.csv"), 4);
    assert_exit(lieder("view r.csv --model wrong.mo"), 1);
    assert_exit(lieder("view crane.mo --port 70000"), 2);
    assert_exit(lieder("view r.csv r.csv --save page.html"), 2);
    assert_exit(lieder("view crane.mo r.csv"), 2);
    assert_exit(lieder("view r.csv --lanes 1:3"), 2);
    assert_exit(lieder("view crane.mo --lanes 3:x --save page.html"), 2);
    assert_exit(lieder("view crane.mo --lanes 0 --save page.html"), 2);
    assert_contains(err, "no choice of lanes");
    assert_exit(lieder("simulate crane.mo --output view: --checkpoint c.state"), 2);
    assert_exit(lieder("view crane.mo --save /nowhere/page.html"), 4);
    assert_exit(lieder("view"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_have_the_bits_of_the_command_line),
                                       cmocka_unit_test(wrong_requests_are_refused),
                                       cmocka_unit_test(sweeps_have_the_bits_of_the_command_line),
                                       cmocka_unit_test(a_changed_file_is_read_again),
                                       cmocka_unit_test(members_of_a_file_have_their_parameters),
                                       cmocka_unit_test(results_are_shown_with_their_model),
                                       cmocka_unit_test(pages_are_saved)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
