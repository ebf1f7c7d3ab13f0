/* gnuplot.c - has gnuplot draw a script.
 *
 * The script is a temporary file that becomes gnuplot's standard input, and gnuplot's messages go
 * to another: no pipe can fill up while the other end waits. The picture is gnuplot's standard
 * output, which is opened here: so a name with quotes needs no care, and an error of a path is
 * reported in the words of this program. It goes to a file beside the target first (base/file.h),
 * which takes its place when gnuplot is done: after a failure the old picture is still there.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "picture/picture.h"

__attribute__((format(printf, 4, 5))) static LiederStatus
fail(char *message, size_t size, LiederStatus status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, size, format, args);
    va_end(args);
    return status;
}

/* the line of gnuplot's messages that has the reason: the last one that is not empty */
static void last_complaint(FILE *complaints, char *text, size_t size)
{
    char line[512];
    snprintf(text, size, "it gave no reason");
    rewind(complaints);
    while (fgets(line, sizeof line, complaints)) {
        line[strcspn(line, "\n")] = '\0';
        const char *from = line + strspn(line, " \t^");
        if (*from)
            snprintf(text, size, "%s", from);
    }
}

/* runs gnuplot on the script with its output to fd */
static LiederStatus run_gnuplot(FILE *script, int fd, char *message, size_t size)
{
    FILE *complaints = tmpfile();
    if (!complaints)
        return fail(message, size, LIEDER_IO, "cannot write a temporary file: %s", strerror(errno));
    rewind(script);
    const char *const arguments[] = {"gnuplot", "-d", "-", NULL}; // -d: without the user's settings
    pid_t child;
    int error = child_start(&child, arguments, fileno(script), fd, fileno(complaints));
    LiederStatus status = LIEDER_DONE;
    int ended = 0;
    if (error == ENOENT)
        status = fail(message, size, LIEDER_IO,
                      "gnuplot, which draws the pictures, is not installed\non Debian: apt-get "
                      "install gnuplot-nox; --script writes what it would get");
    else if (error)
        status = fail(message, size, LIEDER_IO, "cannot start gnuplot: %s", strerror(error));
    while (!error && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (!error && !(WIFEXITED(ended) && WEXITSTATUS(ended) == 0)) {
        char text[512];
        last_complaint(complaints, text, sizeof text);
        status = fail(message, size, LIEDER_IO, "gnuplot could not draw the picture: %s", text);
    }
    fclose(complaints);
    return status;
}

/* has gnuplot draw the script to fd */
static LiederStatus draw_script(GnuplotScript *script, const void *user, int fd, char *message,
                                size_t size)
{
    FILE *to = tmpfile();
    if (!to)
        return fail(message, size, LIEDER_IO, "cannot write a temporary file: %s", strerror(errno));
    script(user, to);
    LiederStatus status =
        fflush(to) == 0 && !ferror(to)
            ? run_gnuplot(to, fd, message, size)
            : fail(message, size, LIEDER_IO, "cannot write a temporary file: %s", strerror(errno));
    fclose(to);
    return status;
}

/* ------------------------------------------------------------------ files */

static LiederStatus fail_write(const char *path, int error, char *message, size_t size)
{
    char reason[FILE_REASON];
    return fail(message, size, LIEDER_IO, "cannot write %.700s: %s", path,
                file_reason(error, reason));
}

/* the new file takes the place of the target, unless it failed */
static LiederStatus settle(const char *path, NewFile *f, LiederStatus status, char *message,
                           size_t size)
{
    struct stat st;
    bool empty = fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
    if (status == LIEDER_DONE && empty)
        status = fail(message, size, LIEDER_IO,
                      "nothing could be written to %.700s: is the disk full, or does this gnuplot "
                      "lack the format?",
                      path);
    int error = status == LIEDER_DONE ? new_file_publish(f) : 0;
    int closed = new_file_close(f);
    if (status == LIEDER_DONE && (error || closed))
        status = fail_write(path, error ? error : closed, message, size);
    return status;
}

/* gnuplot does not notice a pipe that breaks or a full disk: so it writes to a temporary file,
 * which is copied to stdout here; errors are those of the stream. */
static LiederStatus draw_to_stdout(GnuplotScript *script, const void *user, char *message,
                                   size_t size)
{
    FILE *output = tmpfile();
    if (!output)
        return fail(message, size, LIEDER_IO, "cannot write a temporary file: %s", strerror(errno));
    LiederStatus status = draw_script(script, user, fileno(output), message, size);
    char block[4096];
    size_t n;
    rewind(output);
    while (status == LIEDER_DONE && (n = fread(block, 1, sizeof block, output)) > 0)
        fwrite(block, 1, n, stdout);
    fclose(output);
    return status;
}

LiederStatus gnuplot_draw(const char *path, GnuplotScript *script, const void *user, char *message,
                          size_t size)
{
    if (!path)
        return draw_to_stdout(script, user, message, size);
    NewFile f;
    int error = new_file_open(&f, path, FILE_STREAMS);
    if (error)
        return fail_write(path, error, message, size);
    LiederStatus status = draw_script(script, user, f.fd, message, size);
    return settle(path, &f, status, message, size);
}

LiederStatus picture_file(const char *path, GnuplotScript *script, const void *user, char *message,
                          size_t size)
{
    NewFile f;
    int error = new_file_open(&f, path, FILE_STREAMS);
    FILE *to = error ? NULL : new_file_stream(&f);
    if (!to) {
        error = error ? error : errno;
        new_file_close(&f);
        return fail_write(path, error, message, size);
    }
    script(user, to);
    error = ferror(to) ? (errno ? errno : EIO) : 0;
    if (fclose(to) != 0 && !error)
        error = errno;
    LiederStatus status = error ? fail_write(path, error, message, size) : LIEDER_DONE;
    return settle(path, &f, status, message, size);
}

/* ------------------------------------------------------------------ pictures */

typedef struct Drawn {
    const Picture *picture;
    PictureFormat format;
    bool coloured;
} Drawn;

static void put_script(const void *user, FILE *to)
{
    const Drawn *d = user;
    picture_script(d->picture, d->format, NULL, d->coloured, to);
}

/* a panel without a point is reported here, since gnuplot would only say "undefined" */
static LiederStatus check(const Picture *p, char *message, size_t size)
{
    for (size_t i = 0; i < p->npanel; i++)
        if (!picture_has_points(&p->panels[i]))
            return fail(message, size, LIEDER_IO,
                        "there is nothing to draw in panel %zu%s%s: no value is a number%s", i + 1,
                        p->panels[i].y_label ? ", " : "",
                        p->panels[i].y_label ? p->panels[i].y_label : "",
                        p->panels[i].log_x || p->panels[i].log_y ? " above zero" : "");
    return LIEDER_DONE;
}

LiederStatus picture_print(const Picture *p, bool coloured, char *message, size_t size)
{
    if (check(p, message, size) < 0)
        return LIEDER_IO;
    return gnuplot_draw(NULL, put_script, &(Drawn){p, PICTURE_TEXT, coloured}, message, size);
}

LiederStatus picture_write(const Picture *p, const char *path, char *message, size_t size)
{
    PictureFormat format;
    if (!picture_format(path, &format) || format == PICTURE_GIF)
        return fail(message, size, LIEDER_BAD_USE,
                    "a picture is .svg, .png or .pdf: %.700s is none of them", path);
    if (check(p, message, size) < 0)
        return LIEDER_IO;
    return gnuplot_draw(path, put_script, &(Drawn){p, format, false}, message, size);
}
