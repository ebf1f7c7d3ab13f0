/* draw_diagram.c - lieder draw MODEL --diagram: the model's diagram as SVG. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/draw.h"
#include "diagram/diagram.h"

/* prints what was written: file, components, connections */
static void print_diagram(const Log *log, const char *output, const Diagram *d)
{
    if (log->json) {
        json_begin(stdout, "diagram");
        json_text(stdout, "output", output);
        json_count(stdout, "components", d->components.n);
        json_count(stdout, "connections", d->connections.n);
        json_end(stdout);
    } else if (!log->quiet) {
        printf("%s: %zu component%s, %zu connection%s\n", output, d->components.n,
               d->components.n == 1 ? "" : "s", d->connections.n, d->connections.n == 1 ? "" : "s");
    }
}

/* the file appears when it is whole */
static int write_file(const Diagram *d, const char *path)
{
    NewFile f;
    int error = new_file_open(&f, path, FILE_STREAMS);
    FILE *to = error ? NULL : new_file_stream(&f);
    if (to) {
        diagram_svg(d, to);
        if (ferror(to) || fflush(to) != 0)
            error = errno ? errno : EIO;
        fclose(to);
    } else if (!error) {
        error = ENOMEM;
    }
    if (!error)
        error = new_file_publish(&f);
    int closed = new_file_close(&f);
    return error ? error : closed;
}

bool diagram_read(Loaded *loaded, Log *log, Diagram *d)
{
    bool good = front_diagram(loaded->front, d) && diagram_layout(d);
    if (!good)
        log_error(log, "out of memory for the diagram");
    else if (d->nleft_out)
        log_note(log, "the diagram shows the first %d components, and leaves out %zu", MAX_DIAGRAM,
                 d->nleft_out);
    return good;
}

/* writes the diagram of a loaded model; a model without components is a usage error */
static ExitCode draw_loaded(Log *log, Loaded *loaded, const char *output)
{
    Diagram d;
    char reason[FILE_REASON];
    ExitCode code = EXIT_SIMULATION;
    if (diagram_read(loaded, log, &d)) {
        if (d.components.n == 0) {
            log_error(log, "%s has no components: its equations have no diagram", loaded->title);
            code = EXIT_USAGE;
        } else {
            int error = write_file(&d, output);
            code = error ? EXIT_IO : EXIT_DONE;
            if (error)
                log_error(log, "cannot write %s: %s", output, file_reason(error, reason));
            else
                print_diagram(log, output, &d);
        }
    }
    diagram_drop(&d);
    return code;
}

/* MODEL_diagram.svg unless given */
static char *choose_output(Log *log, const DiagramSettings *w)
{
    const char *from = w->source->file, *slash = strrchr(from, '/');
    const char *dot = strrchr(slash ? slash : from, '.');
    bool text = dot && text_ends(from, ".mo");
    return w->output
               ? path_join(log, w->output, strlen(w->output), "")
               : path_join(log, from, text ? (size_t)(dot - from) : strlen(from), "_diagram.svg");
}

ExitCode draw_diagram(Log *log, const DiagramSettings *w)
{
    if (w->output && !text_ends(w->output, ".svg")) {
        log_error(log, "a diagram is an .svg: %s is none", w->output);
        return EXIT_USAGE;
    }
    char *output = choose_output(log, w);
    if (!output)
        return EXIT_SIMULATION;
    const PathOfCommand paths[] = {{"the diagram", output, true},
                                   {"the model", w->source->file, false}};
    ExitCode code = paths_check(log, paths, 2) ? EXIT_DONE : EXIT_USAGE;
    if (code == EXIT_DONE) {
        Loaded loaded;
        code = load_model(&loaded, log, w->source);
        if (code == EXIT_DONE)
            code = draw_loaded(log, &loaded, output);
        loaded_drop(&loaded);
    }
    free(output);
    return code;
}
