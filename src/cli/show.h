/* show.h - the parts of lieder show: show.c has the options and the order of things. */
#ifndef LIEDER_CLI_SHOW_H
#define LIEDER_CLI_SHOW_H

#include "cli/cli.h"
#include "model/system/system.h"

/* ------------------------------------------------------------------ show_cells.c */

/* the classes made of equations */
void show_cells(const LiederSystem *system, const Front *front);
void show_cells_json(const LiederSystem *system, const Front *front);

#endif
