/* test_lsp.c - a scripted client of `lieder lsp`: the program in a process of its own, messages
 * over two pipes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/json_tree.h"

#define URI "file:///tmp/a%20model.mo"

static const char model[] = "model Crab \"a crane\"\n"
                            "  parameter Real mass(unit = \"kg\") = 2 \"of the cart\";\n"
                            "  Dialectic.Planar.Fixed fixed;\n"
                            "  Dialectic.Planar.Prismatic slider(r = {1, 0}, s(start = 1));\n"
                            "  Dialectic.Planar.Body cart(m = mass) \"\xc3\xa4\xf0\x9f\x98\x80\"; "
                            "Signals.Gain gain(u = 0);\n"
                            "equation\n"
                            "  connect(fixed.frame, slider.frame_a);\n"
                            "  connect(slider.frame_b, cart.frame_a);\n"
                            "end Crab;\n"
                            "model Two\n"
                            "  Crab crab[2](mass = {1, 2});\n"
                            "  parameter Real y = crab[1].mass;\n"
                            "end Two;\n";

typedef struct Client {
    int to, from, id;
    pid_t child;
    Arena arena; /* of the last answer */
} Client;

static void client_start(Client *c)
{
    int in[2], out[2];
    assert_true(pipe(in) == 0 && pipe(out) == 0);
    c->child = fork();
    assert_true(c->child >= 0);
    if (c->child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execl(PROGRAM, PROGRAM, "lsp", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    *c = (Client){.to = in[1], .from = out[0], .child = c->child};
    arena_init(&c->arena, &memory_default);
}

/* the exit code when the input has ended */
static int client_end(Client *c)
{
    int status;
    close(c->to);
    assert_int_equal(waitpid(c->child, &status, 0), c->child);
    close(c->from);
    arena_drop(&c->arena);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void send_bytes(const Client *c, const char *body)
{
    char head[64];
    int n = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", strlen(body));
    assert_int_equal(write(c->to, head, (size_t)n), n);
    assert_int_equal(write(c->to, body, strlen(body)), (ssize_t)strlen(body));
}

static void read_bytes(const Client *c, char *to, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t some = read(c->from, to + done, n - done);
        assert_true(some > 0);
        done += (size_t)some;
    }
}

/* the next message of the server */
static const JsonValue *receive(Client *c)
{
    char head[256] = "";
    size_t n = 0;
    while (!strstr(head, "\r\n\r\n")) {
        assert_true(n < sizeof head - 1);
        read_bytes(c, head + n++, 1);
    }
    size_t length = strtoul(head + strlen("Content-Length:"), NULL, 10);
    char *body = malloc(length + 1);
    read_bytes(c, body, length);
    arena_drop(&c->arena);
    arena_init(&c->arena, &memory_default);
    const JsonValue *v = json_tree_read(&c->arena, body, length, NULL);
    free(body);
    assert_non_null(v);
    return v;
}

/* a request with parameters as JSON; its answer, other messages are passed over */
static const JsonValue *ask(Client *c, const char *method, const char *params)
{
    char *body;
    assert_true(asprintf(&body, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}",
                         ++c->id, method, params) > 0);
    send_bytes(c, body);
    free(body);
    for (;;) {
        const JsonValue *v = receive(c);
        if (json_tree_number(json_tree_member(v, "id"), -1) == c->id)
            return v;
    }
}

/* opens or changes the document; its diagnostics */
static const JsonValue *give_text(Client *c, const char *text, bool first)
{
    char *body = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&body, &n);
    fprintf(f,
            "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
            "did%s\",\"params\":{\"textDocument\":{\"uri\":\"%s\"%s",
            first ? "Open" : "Change", URI,
            first ? ",\"text\":" : "},\"contentChanges\":[{\"text\":");
    json_string(f, text);
    fputs(first ? "}}}" : "}]}}", f);
    fclose(f);
    send_bytes(c, body);
    free(body);
    const JsonValue *v = receive(c);
    assert_string_equal(json_tree_text(json_tree_member(v, "method")),
                        "textDocument/publishDiagnostics");
    return json_tree_path(v, "params.diagnostics");
}

/* a question at `mark` + offset of a text in which only ASCII stands before it on the line */
static const JsonValue *ask_at(Client *c, const char *method, const char *text, const char *mark,
                               int offset, const char *more)
{
    const char *at = strstr(text, mark);
    assert_non_null(at);
    int line = 0, column = 0;
    for (const char *p = text; p < at; p++) {
        column = *p == '\n' ? 0 : column + 1;
        line += *p == '\n';
    }
    char *params, full[64];
    assert_true(asprintf(&params,
                         "{\"textDocument\":{\"uri\":\"%s\"},"
                         "\"position\":{\"line\":%d,\"character\":%d}%s}",
                         URI, line, column + offset, more) > 0);
    snprintf(full, sizeof full, "textDocument/%s", method);
    const JsonValue *v = ask(c, full, params);
    free(params);
    return v;
}

static size_t length_of(const JsonValue *list)
{
    size_t n = 0;
    for (const JsonValue *v = list ? list->first : NULL; v; v = v->next)
        n++;
    return n;
}

static bool offers(const JsonValue *answer, const char *label)
{
    for (const JsonValue *v = json_tree_path(answer, "result.items")->first; v; v = v->next)
        if (strcmp(json_tree_text(json_tree_member(v, "label")), label) == 0)
            return true;
    return false;
}

static void client_ready(Client *c)
{
    client_start(c);
    assert_non_null(
        json_tree_path(ask(c, "initialize", "{}"), "result.capabilities.hoverProvider"));
    assert_int_equal(length_of(give_text(c, model, true)), 0);
}

static void client_bye(Client *c)
{
    ask(c, "shutdown", "null");
    send_bytes(c, "{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}");
    assert_int_equal(client_end(c), 0);
}

/* ------------------------------------------------------------------ tests */

static void test_life(void **unused)
{
    (void)unused;
    Client c;
    client_start(&c);
    assert_true(json_tree_number(json_tree_path(ask(&c, "shutdown", "{}"), "error.code"), 0) ==
                -32002);
    ask(&c, "initialize", "{}");
    assert_true(json_tree_number(json_tree_path(ask(&c, "no/such", "{}"), "error.code"), 0) ==
                -32601);
    send_bytes(&c, "{\"id\": 1");
    assert_true(json_tree_number(json_tree_path(receive(&c), "error.code"), 0) == -32700);
    assert_true(json_tree_number(json_tree_path(ask(&c, "textDocument/hover", "{}"), "error.code"),
                                 0) == -32602);
    client_bye(&c);

    // gone without a word, and a head that says no length
    client_start(&c);
    assert_int_equal(client_end(&c), 4);
    client_start(&c);
    assert_int_equal(write(c.to, "Hello: world\r\n\r\n", 16), 16);
    assert_true(json_tree_number(json_tree_path(receive(&c), "error.code"), 0) == -32700);
    assert_int_equal(client_end(&c), 4);
}

/* messages, edits and documents that make no sense: the server answers or passes over them, and
 * still knows the document afterwards */
static void test_hostile(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {"[1, 2]", "5", "\"x\"", "null"};
    static const char *const edits[] = {
        "{\"start\":{\"line\":0,\"character\":5000},\"end\":{\"line\":0,\"character\":5000}}",
        "{\"start\":{\"line\":900,\"character\":0},\"end\":{\"line\":901,\"character\":9}}",
        "{\"start\":{\"line\":-1,\"character\":-1},\"end\":{\"line\":-1,\"character\":-1}}",
        "{\"start\":{\"line\":1e300,\"character\":1e300},\"end\":{\"line\":2e300,\"character\":0}}",
        "{\"start\":{\"line\":3,\"character\":3},\"end\":{\"line\":1,\"character\":1}}",
        "[]",
        "7"};
    Client c;
    client_ready(&c);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        send_bytes(&c, wrong[i]);
        assert_true(json_tree_number(json_tree_path(receive(&c), "error.code"), 0) == -32600);
    }
    char *deep = calloc(1, 200001);
    memset(deep, '[', 200000);
    send_bytes(&c, deep);
    free(deep);
    assert_true(json_tree_number(json_tree_path(receive(&c), "error.code"), 0) == -32700);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *body;
        assert_true(
            asprintf(&body,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\",\"params\":{"
                     "\"textDocument\":{\"uri\":\"%s\"},\"contentChanges\":[{\"range\":%s,"
                     "\"text\":\"q\"}]}}",
                     URI, edits[i]) > 0);
        send_bytes(&c, body);
        free(body);
    }
    send_bytes(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":77}}");
    for (int i = 0; i < 2; i++) { /* closed twice */
        char *body;
        assert_true(
            asprintf(&body,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didClose\",\"params\":{"
                     "\"textDocument\":{\"uri\":\"%s\"}}}",
                     URI) > 0);
        send_bytes(&c, body);
        free(body);
    }
    const JsonValue *closed =
        ask(&c, "textDocument/hover",
            "{\"textDocument\":{\"uri\":\"" URI "\"},\"position\":{\"line\":1,\"character\":1}}");
    assert_null(json_tree_path(closed, "result.contents"));
    client_bye(&c);
}

static void test_diagnostics(void **unused)
{
    (void)unused;
    Client c;
    client_ready(&c);
    char *wrong = strdup(model);
    memcpy(strstr(wrong, "m = mass"), "q = mass", 8);
    const JsonValue *list = give_text(&c, wrong, false);
    assert_true(length_of(list) >= 1);
    assert_true(json_tree_number(json_tree_path(list->first, "range.start.line"), -1) == 4);
    assert_true(json_tree_number(json_tree_path(list->first, "range.start.character"), -1) == 29);
    assert_true(json_tree_number(json_tree_member(list->first, "severity"), -1) == 1);
    memcpy(strstr(wrong, "q = mass"), "m = ma+ ", 8);
    assert_true(length_of(give_text(&c, wrong, false)) >= 1);
    assert_int_equal(length_of(give_text(&c, model, false)), 0);
    free(wrong);
    client_bye(&c);
}

static void test_hover(void **unused)
{
    (void)unused;
    Client c;
    client_ready(&c);
    const char *value = "result.contents.value";
    assert_non_null(strstr(
        json_tree_text(json_tree_path(ask_at(&c, "hover", model, "Prismatic", 1, ""), value)),
        "Sliding joint"));
    assert_non_null(
        strstr(json_tree_text(json_tree_path(ask_at(&c, "hover", model, "m = mass", 0, ""), value)),
               "parameter Real m("));
    assert_non_null(
        strstr(json_tree_text(json_tree_path(ask_at(&c, "hover", model, "= mass)", 2, ""), value)),
               "of the cart"));
    assert_non_null(strstr(
        json_tree_text(json_tree_path(ask_at(&c, "hover", model, "Crab crab", 1, ""), value)),
        "a crane"));
    assert_true(json_tree_path(ask_at(&c, "hover", model, "equation", 1, ""), "result")->kind ==
                JSON_NULL);
    client_bye(&c);
}

static void test_completion(void **unused)
{
    (void)unused;
    Client c;
    client_ready(&c);
    const JsonValue *v = ask_at(&c, "completion", model, "Planar.Body", 7, "");
    assert_true(offers(v, "Revolute") && offers(v, "Body") && !offers(v, "cart"));
    v = ask_at(&c, "completion", model, "Signals.Gain", 8, ""); // several files fill this package
    assert_true(offers(v, "Gain") && offers(v, "Integrator"));
    v = ask_at(&c, "completion", model, "cart.frame_a", 5, "");
    assert_true(offers(v, "frame_a") && offers(v, "m") && !offers(v, "frame_b"));
    v = ask_at(&c, "completion", model, "m = mass)", 1, "");
    assert_true(offers(v, "I") && !offers(v, "equation"));
    v = ask_at(&c, "completion", model, "start = 1", 2, "");
    assert_true(offers(v, "fixed") && !offers(v, "cart"));
    v = ask_at(&c, "completion", model, "crab[1].mass", 8, "");
    assert_true(offers(v, "mass") && offers(v, "slider"));
    v = ask_at(&c, "completion", model, "slider.frame_b", 2, "");
    assert_true(offers(v, "slider") && offers(v, "Dialectic") && offers(v, "Two"));

    // a text that does not parse
    const char *broken = "model A\n  Dialectic.Planar.Body b;\nequation\n  connect(b., \n";
    give_text(&c, broken, false);
    v = ask_at(&c, "completion", broken, "b.,", 2, "");
    assert_true(offers(v, "frame_a"));
    client_bye(&c);
}

static void test_definition(void **unused)
{
    (void)unused;
    Client c;
    client_ready(&c);
    const JsonValue *v = ask_at(&c, "definition", model, "slider.frame_b", 1, "");
    assert_string_equal(json_tree_text(json_tree_path(v, "result.uri")), URI);
    assert_true(json_tree_number(json_tree_path(v, "result.range.start.line"), -1) == 3);
    assert_true(json_tree_number(json_tree_path(v, "result.range.start.character"), -1) == 29);
    v = ask_at(&c, "definition", model, "Crab crab", 1, "");
    assert_true(json_tree_number(json_tree_path(v, "result.range.start.line"), -1) == 0);
    assert_true(
        json_tree_path(ask_at(&c, "definition", model, "Prismatic", 1, ""), "result")->kind ==
        JSON_NULL);
    v = ask_at(&c, "references", model, "slider.frame_b", 1, "");
    assert_int_equal(length_of(json_tree_member(v, "result")), 3);
    client_bye(&c);
}

/* a place that is edited */
static bool edits(const JsonValue *list, int line, int column)
{
    for (const JsonValue *v = list->first; v; v = v->next)
        if (json_tree_number(json_tree_path(v, "range.start.line"), -1) == line &&
            json_tree_number(json_tree_path(v, "range.start.character"), -1) == column)
            return true;
    return false;
}

static void test_rename(void **unused)
{
    (void)unused;
    Client c;
    client_ready(&c);
    // declared, read, modified from outside and read from outside; not the parameter m of Body
    const JsonValue *v = ask_at(&c, "rename", model, "mass(unit", 0, ",\"newName\":\"weight\"");
    const JsonValue *list = json_tree_path(v, "result.changes");
    assert_string_equal(list->first->name, URI);
    list = list->first;
    assert_int_equal(length_of(list), 4);
    assert_true(edits(list, 1, 17) && edits(list, 4, 33) && edits(list, 10, 15) &&
                edits(list, 11, 29));
    assert_string_equal(json_tree_text(json_tree_member(list->first, "newText")), "weight");
    const char *wrong[] = {"slider", "1a", "model", ""};
    for (int i = 0; i < 4; i++) {
        char more[64];
        snprintf(more, sizeof more, ",\"newName\":\"%s\"", wrong[i]);
        assert_non_null(
            json_tree_path(ask_at(&c, "rename", model, "mass(unit", 0, more), "error.message"));
    }
    assert_non_null(json_tree_path(
        ask_at(&c, "rename", model, "Prismatic", 0, ",\"newName\":\"P\""), "error.message"));
    // columns count UTF-16 units: two bytes are one, four are two
    v = ask_at(&c, "references", model, "Real y", 5, "");
    assert_int_equal(length_of(json_tree_member(v, "result")), 1);
    v = ask(&c, "textDocument/references",
            "{\"textDocument\":{\"uri\":\"" URI "\"},\"position\":{\"line\":4,\"character\":60}}");
    assert_true(edits(json_tree_member(v, "result"), 4, 59));
    client_bye(&c);
}

/* a class of one document in another */
static void test_two_documents(void **unused)
{
    (void)unused;
    Client c;
    client_ready(&c);
    send_bytes(
        &c,
        "{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///b\","
        "\"text\":\"model B\\n  Crab c(mass = 3);\\nend B;\"}}}");
    receive(&c);
    const char *at =
        "{\"textDocument\":{\"uri\":\"file:///b\"},\"position\":{\"line\":1,\"character\":10},"
        "\"newName\":\"weight\"}";
    assert_string_equal(
        json_tree_text(json_tree_path(ask(&c, "textDocument/definition", at), "result.uri")), URI);
    const JsonValue *changes = json_tree_path(ask(&c, "textDocument/rename", at), "result.changes");
    assert_int_equal(length_of(changes), 2);
    assert_int_equal(length_of(changes->first) + length_of(changes->first->next), 5);
    client_bye(&c);
}

/* opens a file of a package with a text; the number of its diagnostics */
static size_t open_file(Client *c, const char *folder, const char *file, const char *text)
{
    char *body = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&body, &n);
    fprintf(f,
            "{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file://"
            "%s/%s\",\"text\":",
            folder, file);
    json_string(f, text);
    fputs("}}}", f);
    fclose(f);
    send_bytes(c, body);
    free(body);
    return length_of(json_tree_path(receive(c), "params.diagnostics"));
}

/* files of a package in a folder see each other, as they are or as the editor has them */
static void test_package(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/lieder_lsp_XXXXXX", command[512];
    Client c;
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "cd %s && echo 'package P end P;' > package.mo && echo 'within P; model B parameter "
             "Real k = 1; "
             "Real x(start = 1); equation der(x) = -k*x; end B;' > B.mo && echo 'within P; model A "
             "end A;' > A.mo && mkdir P "
             "&& mv *.mo P",
             folder);
    assert_int_equal(system(command), 0);
    client_ready(&c);
    assert_int_equal(
        open_file(&c, folder, "P/A.mo", "within P;\nmodel A\n  P.B b(k = 3);\nend A;\n"), 0);
    assert_int_equal(
        open_file(&c, folder, "P/A.mo", "within P;\nmodel A\n  P.B b(kk = 3);\nend A;\n"), 1);
    assert_int_equal(
        open_file(&c, folder, "P/B.mo", "within P;\nmodel B\n  parameter Real kk = 2;\nend B;\n"),
        0);
    assert_int_equal(
        open_file(&c, folder, "P/A.mo", "within P;\nmodel A\n  P.B b(kk = 3);\nend A;\n"), 0);
    assert_int_equal(open_file(&c, folder, "P/C.mo", "within P;\nfunction C\nend D;\n"), 1);
    client_bye(&c);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* names of a package that a folder of MODELICAPATH has are offered and followed */
static void test_library(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/lieder-lsp-XXXXXX", command[200];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "mkdir -p '%s/Lib 2.0/Sub' %s/none", folder, folder);
    assert_int_equal(system(command), 0);
    write_file(folder, "Lib 2.0/package.mo",
               "package Lib \"a library\"\n  model A\n    Real x = 1;\n  end A;\nend Lib;\n");
    write_file(folder, "Lib 2.0/Sub/package.mo", "within Lib;\npackage Sub\nend Sub;\n");
    write_file(folder, "Lib 2.0/Sub/B.mo",
               "within Lib.Sub; model B extends A; parameter Real q = 1 \"of B\"; end B;\n");
    write_file(folder, "One.mo", "model One\n  Real y = 1;\nend One;\n");
    setenv("MODELICAPATH", folder, 1);
    Client c;
    client_ready(&c);
    static const char text[] = "model M\n  Lib.Sub.B b(q = 2);\n  One one;\nend M;\n";
    assert_int_equal(length_of(give_text(&c, text, false)), 0);
    const JsonValue *v = ask_at(&c, "completion", text, "Lib.Sub", 4, "");
    assert_true(offers(v, "A") && offers(v, "Sub"));
    v = ask_at(&c, "completion", text, "Sub.B", 4, "");
    assert_true(offers(v, "B") && !offers(v, "A"));
    v = ask_at(&c, "completion", text, "q = 2", 1, "");
    assert_true(offers(v, "q") && offers(v, "x"));
    v = json_tree_member(ask_at(&c, "definition", text, "q = 2", 0, ""), "result");
    assert_non_null(strstr(json_tree_text(json_tree_member(v, "uri")), "Lib%202.0/Sub/B.mo"));
    assert_true(json_tree_number(json_tree_path(v, "range.start.line"), -1) == 0);
    assert_true(json_tree_number(json_tree_path(v, "range.start.character"), -1) == 50);
    v = json_tree_member(ask_at(&c, "definition", text, "One one", 0, ""), "result");
    assert_non_null(strstr(json_tree_text(json_tree_member(v, "uri")), "One.mo"));
    assert_non_null(
        json_tree_member(ask_at(&c, "rename", text, "q = 2", 0, ",\"newName\":\"r\""), "error"));
    client_bye(&c);
    unsetenv("MODELICAPATH");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_symbols(void **unused)
{
    (void)unused;
    Client c;
    client_ready(&c);
    const JsonValue *v = json_tree_member(
        ask(&c, "textDocument/documentSymbol", "{\"textDocument\":{\"uri\":\"" URI "\"}}"),
        "result");
    assert_int_equal(length_of(v), 2);
    assert_string_equal(json_tree_text(json_tree_member(v->first, "name")), "Crab");
    assert_int_equal(length_of(json_tree_member(v->first, "children")), 5);
    client_bye(&c);
}

/* lines move, and nothing else changes */
static void test_formatting(void **unused)
{
    (void)unused;
    Client c;
    client_ready(&c);
    static const char ask_for[] =
        "{\"textDocument\":{\"uri\":\"" URI "\"},\"options\":{\"tabSize\":4}}";
    static const char wild[] = "model A \"a\nb\"\n"
                               "parameter Real k=2; \t\n"
                               "\tReal x(start = 1,\n"
                               "\t     fixed = true);\n"
                               "  /* free\n"
                               "text */\n"
                               "      model B Real y; equation y = 1; end B;\n"
                               "  initial equation\n"
                               "x = 1;\n"
                               "   equation\n"
                               "if k > 1 then\n"
                               "der(x) = if k > 3 then\n"
                               "  1 else 2;\n"
                               "// why\n"
                               "else\n"
                               "der(x) = 0;\n"
                               "end if;\n"
                               "for i in 1:2 loop\n"
                               "when x > i then\n"
                               "reinit(x, 0);\n"
                               "elsewhen x < -1 then\n"
                               "reinit(x, 1);\n"
                               "end when;\n"
                               "end for;\n"
                               "\n"
                               "  end A;";
    static const char tidy[] = "model A \"a\nb\"\n"
                               "  parameter Real k=2;\n"
                               "  Real x(start = 1,\n"
                               "       fixed = true);\n"
                               "  /* free\n"
                               "text */\n"
                               "  model B Real y; equation y = 1; end B;\n"
                               "initial equation\n"
                               "  x = 1;\n"
                               "equation\n"
                               "  if k > 1 then\n"
                               "    der(x) = if k > 3 then\n"
                               "      1 else 2;\n"
                               "    // why\n"
                               "  else\n"
                               "    der(x) = 0;\n"
                               "  end if;\n"
                               "  for i in 1:2 loop\n"
                               "    when x > i then\n"
                               "      reinit(x, 0);\n"
                               "    elsewhen x < -1 then\n"
                               "      reinit(x, 1);\n"
                               "    end when;\n"
                               "  end for;\n"
                               "\n"
                               "end A;\n";
    give_text(&c, wild, false);
    const JsonValue *v = json_tree_member(ask(&c, "textDocument/formatting", ask_for), "result");
    assert_int_equal(length_of(v), 1);
    assert_string_equal(json_tree_text(json_tree_member(v->first, "newText")), tidy);
    give_text(&c, tidy, false);
    v = json_tree_member(ask(&c, "textDocument/formatting", ask_for), "result");
    assert_int_equal(length_of(v), 0);
    give_text(&c, model, false);
    v = json_tree_member(ask(&c, "textDocument/formatting", ask_for), "result");
    assert_int_equal(length_of(v), 0);
    client_bye(&c);
}

static void test_json(void **unused)
{
    (void)unused;
    Arena arena;
    arena_init(&arena, &memory_default);
    const char *good =
        " {\"a\": [1, -2.5e3, true, null, \"x\\n\\u00e4\\ud83d\\ude00\"], \"b\": {}} ";
    const JsonValue *v = json_tree_read(&arena, good, strlen(good), NULL);
    assert_non_null(v);
    const JsonValue *a = json_tree_member(v, "a");
    assert_int_equal(length_of(a), 5);
    assert_true(a->first->next->number == -2500);
    assert_string_equal(a->first->next->next->next->next->text, "x\n\xc3\xa4\xf0\x9f\x98\x80");
    const char *bad[] = {"",    "{",  "[1,]", "{\"a\"}", "\"\n\"",   "\"\\x\"",
                         "01x", "+1", "nul",  "1 2",     "\"\\u12\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (json_tree_read(&arena, bad[i], strlen(bad[i]), NULL))
            fail_msg("%s is no JSON", bad[i]);
    char deep[400];
    memset(deep, '[', sizeof deep);
    assert_null(json_tree_read(&arena, deep, sizeof deep, NULL));
    arena_drop(&arena);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_diagnostics), cmocka_unit_test(test_hover),
        cmocka_unit_test(test_completion),  cmocka_unit_test(test_definition),
        cmocka_unit_test(test_rename),      cmocka_unit_test(test_two_documents),
        cmocka_unit_test(test_package),     cmocka_unit_test(test_library),
        cmocka_unit_test(test_symbols),     cmocka_unit_test(test_formatting),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
