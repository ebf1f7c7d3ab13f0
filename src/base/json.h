/* json.h - texts and numbers as JSON. */
#ifndef LIEDER_BASE_JSON_H
#define LIEDER_BASE_JSON_H

#include <stdio.h>

/* in quotes; what is no UTF-8 becomes U+FFFD */
void json_string(FILE *to, const char *text);
/* 17 digits; what is not finite becomes null */
void json_value(FILE *to, double value);

#endif
