/* net.h - nets of bodies and springs beside a factorisation of the same matrix, see net.c. */
#ifndef LIEDER_BENCH_NET_H
#define LIEDER_BENCH_NET_H

#include <stdbool.h>
#include <stddef.h>

/* prints a table; each figure goes to record (case, evaluator, cells, ns per degree of freedom,
 * seconds of instantiation, bytes per cell) */
void bench_nets(bool quick, void (*record)(const char *what, const char *how, size_t n, double ns,
                                           double instantiation, double bytes));

#endif
