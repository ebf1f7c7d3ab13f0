/* read.c - modelDescription.xml of FMI 2 and 3, by expat. Entities are not expanded and sizes are
 * limited by the archive, so that a hostile file costs time and memory in proportion to its
 * length. */
#include "fmi/fmi.h"

#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 100000 };

typedef struct ModelReader {
    ForeignModel *m;
    XML_Parser parser;
    bool in_variables, open; /* open: the last variable has not ended */
    bool in_derivatives;     /* of FMI 2 */
    bool failed;
} ModelReader;

static void fail_reading(ModelReader *r, const char *what)
{
    if (!r->failed)
        snprintf(r->m->wrong, sizeof r->m->wrong, "%s (line %lu of modelDescription.xml)", what,
                 (unsigned long)XML_GetCurrentLineNumber(r->parser));
    r->failed = true;
}

static const char *xml_attribute(const char **attributes, const char *name)
{
    for (; attributes && attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static char *copy(ModelReader *r, const char *text)
{
    char *result = text ? memory_text(r->m->alloc, text) : NULL;
    if (text && !result)
        fail_reading(r, "not enough memory");
    return result;
}

/* ------------------------------------------------------------------ elements */

/* the type of an element by its name, of FMI 3 or 2; FOREIGN_OTHER: none that carries numbers */
static ForeignType find_type(const char *name)
{
    static const char *const names[] = {
        [FOREIGN_FLOAT64] = "Float64", [FOREIGN_FLOAT32] = "Float32", [FOREIGN_INT8] = "Int8",
        [FOREIGN_UINT8] = "UInt8",     [FOREIGN_INT16] = "Int16",     [FOREIGN_UINT16] = "UInt16",
        [FOREIGN_INT32] = "Int32",     [FOREIGN_UINT32] = "UInt32",   [FOREIGN_INT64] = "Int64",
        [FOREIGN_UINT64] = "UInt64",   [FOREIGN_BOOLEAN] = "Boolean"};
    for (int i = 0; i < FOREIGN_TYPES; i++)
        if (strcmp(names[i], name) == 0)
            return (ForeignType)i;
    if (strcmp(name, "Real") == 0)
        return FOREIGN_FLOAT64;
    if (strcmp(name, "Integer") == 0)
        return FOREIGN_INT32;
    return FOREIGN_OTHER;
}

static ForeignRole find_role(const char *causality)
{
    static const char *const names[] = {"", "input", "output", "parameter"};
    for (int i = 1; causality && i < 4; i++)
        if (strcmp(names[i], causality) == 0)
            return (ForeignRole)i;
    return FOREIGN_NONE;
}

/* name, reference and role, which both versions have at the variable itself */
static void begin_variable(ModelReader *r, const char *element, const char **attributes)
{
    const char *reference = xml_attribute(attributes, "valueReference"),
               *name = xml_attribute(attributes, "name"), *type = xml_attribute(attributes, "unit");
    if (!reference || !name) {
        fail_reading(r, "a variable has no name or no valueReference");
        return;
    }
    char *end;
    unsigned long long number = strtoull(reference, &end, 10);
    if (*end || reference[0] < '0' || reference[0] > '9' || number > UINT32_MAX) {
        fail_reading(r, "a valueReference is no number of 32 bits");
        return;
    }
    ForeignVariable v = {.reference = (uint32_t)number,
                         .role = find_role(xml_attribute(attributes, "causality")),
                         .type = find_type(element),
                         .name = copy(r, name),
                         .text = copy(r, xml_attribute(attributes, "description")),
                         .unit = copy(r, type),
                         .starts = copy(r, xml_attribute(attributes, "start")),
                         .n = 1};
    if (!vec_push(r->m->alloc, &r->m->variables, v))
        fail_reading(r, "not enough memory");
    r->open = true;
}

/* <Real start=... unit=...> inside <ScalarVariable>, <Dimension> inside a variable */
static void inside_variable(ModelReader *r, const char *element, const char **attributes)
{
    ForeignVariable *v = &r->m->variables.items[r->m->variables.n - 1];
    if (r->m->version == 3 && strcmp(element, "Dimension") == 0) {
        const char *start = xml_attribute(attributes, "start"),
                   *size = xml_attribute(attributes, "valueReference");
        size_t n = start ? strtoul(start, NULL, 10) : 1;
        if (n > MAX_NUMBERS || v->n * n > MAX_NUMBERS)
            fail_reading(r, "an array has more than 100000 numbers");
        else
            v->n *= n;
        if (size && !vec_push(r->m->alloc, &v->sizes, (uint32_t)strtoul(size, NULL, 10)))
            fail_reading(r, "not enough memory");
    } else if (r->m->version == 2 && find_type(element) != FOREIGN_OTHER) {
        if (v->unit || v->starts) {
            fail_reading(r, "a variable has two types");
            return;
        }
        v->type = find_type(element);
        v->unit = copy(r, xml_attribute(attributes, "unit"));
        v->starts = copy(r, xml_attribute(attributes, "start"));
    }
}

static void begin_model(ModelReader *r, const char **attributes)
{
    const char *version = xml_attribute(attributes, "fmiVersion");
    r->m->version = version && version[0] == '2' ? 2 : version && version[0] == '3' ? 3 : 0;
    if (!r->m->version)
        fail_reading(r, "it is neither of FMI 2 nor of FMI 3");
    const char *indicators = xml_attribute(attributes, "numberOfEventIndicators");
    r->m->nindicator = indicators ? strtoul(indicators, NULL, 10) : 0;
    r->m->token =
        copy(r, xml_attribute(attributes, r->m->version == 3 ? "instantiationToken" : "guid"));
}

/* keeps the identifier; that of co-simulation is preferred, since the FMU has its own solver
 * then */
static void take_identifier(ModelReader *r, const char **attributes, bool exchange)
{
    ForeignModel *m = r->m;
    if (m->identifier && (exchange || !m->exchange))
        return;
    if (m->identifier)
        memory_free_text(m->alloc, m->identifier);
    m->identifier = copy(r, xml_attribute(attributes, "modelIdentifier"));
    m->exchange = exchange;
}

/* expat: an element begins */
static void XMLCALL begin_element(void *user, const char *name, const char **attributes)
{
    ModelReader *r = user;
    if (r->failed)
        return;
    if (strcmp(name, "fmiModelDescription") == 0)
        begin_model(r, attributes);
    else if (strcmp(name, "CoSimulation") == 0)
        take_identifier(r, attributes, false);
    else if (strcmp(name, "ModelExchange") == 0)
        take_identifier(r, attributes, true);
    else if (strcmp(name, "Derivatives") == 0)
        r->in_derivatives = true;
    else if (strcmp(name, "Unknown") == 0)
        r->m->nderivative += r->in_derivatives;
    else if (strcmp(name, "DefaultExperiment") == 0 && xml_attribute(attributes, "stepSize"))
        r->m->step = strtod(xml_attribute(attributes, "stepSize"), NULL);
    else if (strcmp(name, "ModelVariables") == 0)
        r->in_variables = true;
    else if (r->in_variables && !r->open)
        begin_variable(r, name, attributes);
    else if (r->in_variables)
        inside_variable(r, name, attributes);
}

/* expat: an element ends; the last variable is complete if it was one */
static void XMLCALL end_element(void *user, const char *name)
{
    ModelReader *r = user;
    if (strcmp(name, "ModelVariables") == 0)
        r->in_variables = false;
    if (strcmp(name, "Derivatives") == 0)
        r->in_derivatives = false;
    if (strcmp(name, "ScalarVariable") == 0 ||
        (r->m->version == 3 && strcmp(name, "Dimension") != 0 && strcmp(name, "Start") != 0 &&
         strcmp(name, "Alias") != 0 && strcmp(name, "Annotations") != 0 &&
         strcmp(name, "Annotation") != 0))
        r->open = false;
}

/* ------------------------------------------------------------------ the whole */

typedef struct SizeKey {
    uint32_t reference;
    const char *start;
} SizeKey;

static int compare_sizes(const void *a, const void *b)
{
    uint32_t x = ((const SizeKey *)a)->reference, y = ((const SizeKey *)b)->reference;
    return x < y ? -1 : x > y;
}

/* start values of all variables, sorted by reference, since there may be many arrays */
static bool list_sizes(ModelReader *r, SizeKey **keys)
{
    const ForeignModel *m = r->m;
    *keys = memory_zeroed(m->alloc, (m->variables.n + 1) * sizeof **keys);
    if (!*keys) {
        fail_reading(r, "not enough memory");
        return false;
    }
    for (size_t i = 0; i < m->variables.n; i++)
        (*keys)[i] = (SizeKey){m->variables.items[i].reference, m->variables.items[i].starts};
    qsort(*keys, m->variables.n, sizeof **keys, compare_sizes);
    return true;
}

/* multiplies sizes of arrays that are given by variables, by the start values of these */
static void resolve_sizes(ModelReader *r)
{
    ForeignModel *m = r->m;
    SizeKey *keys;
    if (!list_sizes(r, &keys))
        return;
    for (size_t i = 0; i < m->variables.n; i++) {
        ForeignVariable *v = &m->variables.items[i];
        for (size_t s = 0; s < v->sizes.n && !r->failed; s++) {
            const SizeKey *size = bsearch(&(SizeKey){v->sizes.items[s], NULL}, keys, m->variables.n,
                                          sizeof *keys, compare_sizes);
            unsigned long long n = size && size->start ? strtoull(size->start, NULL, 10) : 0;
            if (n == 0)
                fail_reading(r, "the size of an array is not found");
            else if (n > MAX_NUMBERS || v->n * n > MAX_NUMBERS)
                fail_reading(r, "an array has more than 100000 numbers");
            else
                v->n *= n;
        }
    }
    memory_free(m->alloc, keys, (m->variables.n + 1) * sizeof *keys);
}

/* start values are finite numbers, or true and false */
static void check_starts(ModelReader *r)
{
    const ForeignModel *m = r->m;
    for (size_t i = 0; i < m->variables.n && !r->failed; i++) {
        const ForeignVariable *v = &m->variables.items[i];
        const char *at = v->starts;
        if (!at || v->role == FOREIGN_NONE || v->type == FOREIGN_OTHER)
            continue;
        for (at += strspn(at, " \t\r\n"); *at && !r->failed; at += strspn(at, " \t\r\n")) {
            char *end;
            size_t word = strcspn(at, " \t\r\n");
            bool truth = (word == 4 && memcmp(at, "true", 4) == 0) ||
                         (word == 5 && memcmp(at, "false", 5) == 0);
            if (!truth && (!isfinite(strtod(at, &end)) || end != at + word))
                fail_reading(r, "a start value is no finite number");
            at += word;
        }
    }
}

bool foreign_read(ForeignModel *m, const LiederAllocator *alloc, const char *text, size_t n)
{
    *m = (ForeignModel){.alloc = alloc};
    ModelReader r = {.m = m, .parser = XML_ParserCreate(NULL)};
    if (!r.parser) {
        snprintf(m->wrong, sizeof m->wrong, "not enough memory");
        return false;
    }
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin_element, end_element);
    if (XML_Parse(r.parser, text, (int)n, XML_TRUE) != XML_STATUS_OK)
        fail_reading(&r, XML_ErrorString(XML_GetErrorCode(r.parser)));
    if (!r.failed)
        resolve_sizes(&r);
    if (!r.failed)
        check_starts(&r);
    if (!r.failed && (!m->version || !m->token))
        fail_reading(&r, "it has no fmiVersion or no token");
    if (!r.failed && m->identifier &&
        (strchr(m->identifier, '/') || !m->identifier[0] || strlen(m->identifier) > 200))
        fail_reading(&r, "its modelIdentifier is no name of a file");
    if (!r.failed && !m->identifier)
        fail_reading(&r, "it has neither co-simulation nor model exchange");
    XML_ParserFree(r.parser);
    return !r.failed;
}

void foreign_drop(ForeignModel *m)
{
    if (!m->alloc)
        return;
    for (size_t i = 0; i < m->variables.n; i++) {
        ForeignVariable *v = &m->variables.items[i];
        char *const texts[] = {v->name, v->text, v->unit, v->starts};
        for (size_t k = 0; k < 4; k++)
            if (texts[k])
                memory_free_text(m->alloc, texts[k]);
        vec_drop(m->alloc, &v->sizes);
    }
    vec_drop(m->alloc, &m->variables);
    if (m->token)
        memory_free_text(m->alloc, m->token);
    if (m->identifier)
        memory_free_text(m->alloc, m->identifier);
    *m = (ForeignModel){0};
}

void foreign_starts(const ForeignVariable *v, double *to)
{
    const char *at = v->starts;
    double last = 0;
    for (size_t i = 0; i < v->n; i++) {
        char *end = NULL;
        if (at && strncmp(at, "true", 4) == 0) {
            last = 1;
            end = (char *)at + 4;
        } else if (at && strncmp(at, "false", 5) == 0) {
            last = 0;
            end = (char *)at + 5;
        } else if (at) {
            double value = strtod(at, &end);
            if (end != at)
                last = value; /* a single number serves all elements */
        }
        to[i] = last;
        at = end;
        while (at && *at == ' ')
            at++;
    }
}
