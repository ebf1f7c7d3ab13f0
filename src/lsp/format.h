/* format.h - a text with its lines indented: see format.c. */
#ifndef LIEDER_LSP_FORMAT_H
#define LIEDER_LSP_FORMAT_H

#include <stdio.h>

#include "lsp/scan.h"

/* tab: columns that a tabulator at the beginning of a line counts */
void format_text(const Scan *s, size_t length, size_t tab, FILE *to);

#endif
