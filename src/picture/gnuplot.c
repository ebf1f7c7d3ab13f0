/* gnuplot.c - has gnuplot draw a script.
 *
 * The script is a temporary file that becomes gnuplot's standard input, and what gnuplot complains
 * about goes to another: no pipe can fill up while the other end waits. The picture is gnuplot's
 * standard output, which is opened here: so a name with quotes needs no care, and what is wrong
 * with a path is said in our words. It goes to a file beside the target first, which takes its
 * place when gnuplot is done: a failure costs no picture.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "picture/picture.h"

extern char **environ;

__attribute__((format(printf, 4, 5))) static LiederStatus
fail(char *message, size_t size, LiederStatus status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, size, format, args);
    va_end(args);
    return status;
}

/* the line of gnuplot's complaint that says what is wrong: the last with letters */
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
static LiederStatus run(FILE *script, int fd, char *message, size_t size)
{
    FILE *complaints = tmpfile();
    posix_spawn_file_actions_t actions;
    if (!complaints || posix_spawn_file_actions_init(&actions) != 0) {
        if (complaints)
            fclose(complaints);
        return fail(message, size, LIEDER_IO, "cannot write a temporary file: %s", strerror(errno));
    }
    rewind(script);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    if (fd != STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
    char *const arguments[] = {"gnuplot", "-d", "-", NULL}; // -d: without the user's settings
    pid_t child;
    int error = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
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

/* what `script` writes, drawn to fd */
static LiederStatus draw(GnuplotScript *script, const void *user, int fd, char *message,
                         size_t size)
{
    FILE *to = tmpfile();
    if (!to)
        return fail(message, size, LIEDER_IO, "cannot write a temporary file: %s", strerror(errno));
    script(user, to);
    LiederStatus status =
        fflush(to) == 0 && !ferror(to)
            ? run(to, fd, message, size)
            : fail(message, size, LIEDER_IO, "cannot write a temporary file: %s", strerror(errno));
    fclose(to);
    return status;
}

/* ------------------------------------------------------------------ files */

static LiederStatus fail_write(const char *path, char *message, size_t size)
{
    return fail(message, size, LIEDER_IO, "cannot write the picture %.700s: %s", path,
                errno == ENOENT ? "the directory does not exist" : strerror(errno));
}

/* a file beside the target; what is no ordinary file, or must not be replaced, is opened itself */
static int open_beside(const char *path, char *beside, size_t size)
{
    struct stat st;
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    *beside = '\0';
    if (stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || access(path, W_OK) != 0))
        return open(path, flags, 0666);
    if (snprintf(beside, size, "%s.part", path) < (int)size)
        return open(beside, flags, 0666);
    errno = ENAMETOOLONG;
    return -1;
}

/* the file beside takes the place of the target, unless it failed */
static LiederStatus settle(const char *path, const char *beside, int fd, LiederStatus status,
                           char *message, size_t size)
{
    struct stat st;
    bool empty = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
    if (close(fd) != 0 && status == LIEDER_DONE)
        status = fail_write(path, message, size);
    if (status == LIEDER_DONE && empty)
        status = fail(message, size, LIEDER_IO,
                      "nothing could be written to %.700s: is the disk full, or does this gnuplot "
                      "lack the format?",
                      path);
    if (status == LIEDER_DONE && *beside && rename(beside, path) != 0)
        status = fail_write(path, message, size);
    if (status < 0 && *beside)
        unlink(beside);
    return status;
}

LiederStatus gnuplot_draw(const char *path, GnuplotScript *script, const void *user, char *message,
                          size_t size)
{
    char beside[4096];
    if (!path) {
        fflush(stdout);
        return draw(script, user, STDOUT_FILENO, message, size);
    }
    int fd = open_beside(path, beside, sizeof beside);
    if (fd < 0)
        return fail_write(path, message, size);
    LiederStatus status = draw(script, user, fd, message, size);
    return settle(path, beside, fd, status, message, size);
}

LiederStatus picture_file(const char *path, GnuplotScript *script, const void *user, char *message,
                          size_t size)
{
    char beside[4096];
    int fd = open_beside(path, beside, sizeof beside), copy = fd < 0 ? -1 : dup(fd);
    FILE *to = copy < 0 ? NULL : fdopen(copy, "w");
    if (!to) {
        LiederStatus status = fail_write(path, message, size);
        if (copy >= 0)
            close(copy);
        return fd < 0 ? status : settle(path, beside, fd, status, message, size);
    }
    script(user, to);
    bool wrong = ferror(to);
    LiederStatus status = fclose(to) != 0 || wrong ? fail_write(path, message, size) : LIEDER_DONE;
    return settle(path, beside, fd, status, message, size);
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

/* a panel without a point would only make gnuplot say "undefined" */
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
