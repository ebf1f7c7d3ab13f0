/* clock.h - time that passes, whatever happens to the date. */
#ifndef LIEDER_BASE_CLOCK_H
#define LIEDER_BASE_CLOCK_H

double clock_seconds(void); /* CLOCK_MONOTONIC */

#endif
