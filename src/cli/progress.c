/* progress.c - how far the run is: a bar on a terminal, a line a second in
 * JSON, else nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

enum { BAR = 24 };

Progress progress_begin(Log *log, const char *title, double start, double stop)
{
    double now = clock_seconds();
    return (Progress){.log = log,
                      .title = title,
                      .start = start,
                      .stop = stop,
                      .begun = now,
                      .drawn = now,
                      .bar = !log->json && isatty(STDERR_FILENO)};
}

/* "0:07", "1:02:33" */
static const char *clock_text(double seconds, char *buffer, size_t size)
{
    if (!isfinite(seconds) || seconds > 8.64e6) {
        snprintf(buffer, size, "--:--");
        return buffer;
    }
    long s = lround(ceil(seconds));
    if (s >= 3600)
        snprintf(buffer, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(buffer, size, "%ld:%02ld", s / 60, s % 60);
    return buffer;
}

const char *factor_text(double factor, char *buffer, size_t size)
{
    snprintf(buffer, size, factor >= 100 && factor < 1e9 ? "%.0f" : "%.3g", factor);
    return buffer;
}

/* title, bar, share, time left; cut to the width of the terminal */
static void draw_bar(Progress *p, double t, double share, double left, double factor)
{
    char bar[BAR * 3 + 1] = "", clock[32], times[32], line[256];
    int full = (int)(share * BAR);
    for (int i = 0; i < BAR; i++)
        strcat(bar, i < full ? "#" : ".");
    clock_text(left, clock, sizeof clock);
    int n = p->counts
                ? snprintf(line, sizeof line, "%.40s [%s] %3d %%  %.0f of %.0f members  %s left",
                           p->title, bar, (int)(100 * share), t, p->stop, clock)
                : snprintf(line, sizeof line,
                           "%.40s [%s] %3d %%  t = %.4g s  %s left  %s x real time", p->title, bar,
                           (int)(100 * share), t, clock, factor_text(factor, times, sizeof times));
    int width = log_width(stderr) - 1;
    fprintf(stderr, "\r%.*s\033[K", n < width ? n : width, line);
    fflush(stderr);
}

void progress_show(Progress *p, double t)
{
    if (p->log->quiet || (!p->bar && !p->log->json))
        return;
    double now = clock_seconds();
    if (now - p->drawn < (p->bar ? 0.1 : 1.0))
        return;
    p->drawn = now;
    double span = p->stop - p->start, share = span > 0 ? (t - p->start) / span : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    double seconds = now - p->begun;
    double left = share > 0 ? seconds * (1 - share) / share : INFINITY;
    double factor = seconds > 0 ? (t - p->start) / seconds : 0;
    if (p->bar) {
        draw_bar(p, t, share, left, factor);
        return;
    }
    json_begin(stdout, "progress");
    json_number(stdout, p->counts ? "members" : "time", t);
    json_number(stdout, "share", share);
    json_number(stdout, "seconds", seconds);
    json_number(stdout, "seconds_left", left);
    if (!p->counts)
        json_number(stdout, "real_time_factor", factor);
    json_end(stdout);
}

void progress_end(Progress *p)
{
    if (p->bar && p->drawn > p->begun && !p->log->quiet)
        fputs("\r\033[K", stderr);
    p->drawn = p->begun;
}
