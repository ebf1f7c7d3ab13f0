/* lsp.c - lieder lsp: the language server of src/lsp on standard input and output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lsp/lsp.h"

enum { OPT_LIBRARY, OPT_LIMIT, OPT_STDIO };
static const Option options[] = {
    [OPT_LIBRARY] = LIBRARY_OPTION,
    [OPT_LIMIT] = LIMIT_OPTION,
    [OPT_STDIO] = {"stdio", 0, NULL, "talk over standard input and output, as it always does"},
    {0}};

typedef struct LspSettings {
    ModelSource source;
    FmiImports imports;
} LspSettings;

static bool prepare_session(void *user, Front *front)
{
    LspSettings *w = user;
    front_set_limits(front, w->source.limits);
    front_set_fmu(front, imports_class, &w->imports);
    return load_libraries(front, &w->source);
}

/* --library, then MODELICAPATH */
static bool folder(void *user, size_t index, char *path, size_t size)
{
    const LspSettings *w = user;
    if (index < w->source.libraries.n)
        return snprintf(path, size, "%s", w->source.libraries.items[index]) < (int)size;
    const char *list = getenv("MODELICAPATH");
    for (size_t i = w->source.libraries.n; list && *list && i < index; i++) {
        list += strcspn(list, ":");
        list += *list == ':';
    }
    return list && *list && snprintf(path, size, "%.*s", (int)strcspn(list, ":"), list) < (int)size;
}

static bool reference(void *user, const Lieder *session, const Front *front, const char *name,
                      FILE *to)
{
    (void)user;
    return doc_write(to, session, front, name);
}

static bool read_lsp_option(Arguments *a, int option, const char *value, void *settings)
{
    (void)settings;
    if (option == OPT_STDIO)
        return true;
    log_error(a->log, "unexpected argument %s\n'lieder lsp --help' lists the options", value);
    return false;
}

/* lieder lsp: serves an editor on standard input and output until it leaves */
static ExitCode lsp_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    LspSettings w = {.imports.alloc = HEAP};
    ExitCode code;
    a.source = &w.source;
    if (arguments_all(&a, read_lsp_option, &w, &code)) {
        LspOptions o = {
            .prepare = prepare_session, .reference = reference, .folder = folder, .user = &w};
        code = lsp_serve(STDIN_FILENO, STDOUT_FILENO, &o) == 0 ? EXIT_DONE : EXIT_IO;
        if (code != EXIT_DONE)
            log_error(&log, "the connection ended before the editor sent 'shutdown'");
    }
    imports_drop(&w.imports);
    model_source_drop(&w.source);
    return code;
}

const Command command_lsp = {
    .name = "lsp",
    .operands = "",
    .text = "Serve an editor: diagnostics, hover, completion, rename",
    .description =
        "A language server (Language Server Protocol) over standard input and output, which "
        "editors\n"
        "start: what is wrong while one types, the reference of classes, completion of "
        "components,\n"
        "parameters and modifiers, definitions, references, rename, outline. editors/vscode is an\n"
        "extension for VS Code; others are told to run `lieder lsp` for files *.mo.",
    .examples = "  lieder lsp --library ~/Modelica\n",
    .options = options,
    .run = lsp_command};
