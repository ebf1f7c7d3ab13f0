/* report.h - errors and warnings of the front end, and its budget of steps, memory and stack.
 * Private to front/. */
#ifndef LIEDER_FRONT_REPORT_H
#define LIEDER_FRONT_REPORT_H

#include "front/front.h"
#include "front/syntax/tree.h"

typedef struct Inst Inst;

/* A diagnostic at a place; `where` gives the component path. What was reported once for a
 * place is not reported again for the next instance. */
__attribute__((format(printf, 4, 5))) void report_error(Front *f, SourceSpan span,
                                                        const Inst *where, const char *format, ...);
__attribute__((format(printf, 4, 5))) void warn(Front *f, SourceSpan span, const Inst *where,
                                                const char *format, ...);
/* "crab[3].cart"; with the cursor of an array that is not at its first element */
char *inst_path(const Inst *inst, char *buffer, size_t size);
char *ref_text(const Ref *ref, char *buffer, size_t size);
/* what a node of the graph and a variable of a class with equations count: they are remembered */
enum { VARIABLE_STEPS = 8 };
/* counts work; false, with one diagnostic, when the limits are reached */
bool spend(Front *f, SourceSpan span, size_t steps);
/* the diagnostic, once */
void report_exhausted(Front *f, SourceSpan span);
/* what was reported up to now; forgetting what came after it, for attempts that may fail */
typedef struct ReportMark {
    size_t said, nerrors, nreport, nwrong;
} ReportMark;
ReportMark report_mark(const Front *f);
void report_forget(Front *f, ReportMark mark);
bool enter(Front *f, SourceSpan span); /* deeper by one, if that is possible */
/* reports that memory went beyond its limit; false if it did not */
bool report_memory(Front *f);
/* so many errors that no more are listed: advice need not be looked for */
bool reports_are_full(const Front *f);
void leave(Front *f);

#endif
