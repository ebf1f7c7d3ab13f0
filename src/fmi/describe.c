/* describe.c - modelDescription.xml and buildDescription.xml. Defaults of the standards are left
 * out (causality local, variability continuous, initial calculated), and arrays are one variable in
 * FMI 3, so that a fleet of a million has the file of one. */
#include "fmi/fmi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fmi/runtime/kinds.h"
#include "front/front.h"

typedef struct DescriptionWriter {
    const FmiTexts *t;
    TextBuffer *to;
    bool ok;
} DescriptionWriter;

#define WRITE(w, ...) ((w)->ok = (w)->ok && text_add((w)->t->alloc, (w)->to, __VA_ARGS__))

/* ------------------------------------------------------------------ attributes */

/* a text as the value of an attribute */
static void write_escaped(DescriptionWriter *w, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        switch (*c) {
        case '&':
            WRITE(w, "&amp;");
            break;
        case '<':
            WRITE(w, "&lt;");
            break;
        case '>':
            WRITE(w, "&gt;");
            break;
        case '"':
            WRITE(w, "&quot;");
            break;
        default:
            WRITE(w, *c < ' ' ? " " : "%c", *c);
        }
}

static void write_text(DescriptionWriter *w, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    WRITE(w, " %s=\"", name);
    write_escaped(w, value);
    WRITE(w, "\"");
}

/* the shortest text that reads back as the same number */
static const char *number_text(double x, char buffer[32])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, x);
        double back;
        if (sscanf(buffer, "%lf", &back) == 1 && back == x)
            break;
    }
    return buffer;
}

static void write_number(DescriptionWriter *w, const char *name, double x)
{
    char text[32];
    if (isfinite(x))
        WRITE(w, " %s=\"%s\"", name, number_text(x, text));
}

/* ------------------------------------------------------------------ units */

static bool unit_seen(const FmiRows *rows, size_t row)
{
    const char *unit = rows->list.items[row].info.unit;
    for (size_t i = 0; i < row; i++)
        if (strcmp(rows->list.items[i].info.unit, unit) == 0)
            return true;
    return strcmp(unit, "s") == 0; /* that of the time stands first */
}

/* a unit of the model by its powers of SI base units; a unit that is not in the table of units only
 * by its name */
static void write_unit(DescriptionWriter *w, const char *unit)
{
    static const char *const bases[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    double factor;
    int power[7];
    WRITE(w, "    <Unit");
    write_text(w, "name", unit);
    if (!unit_base(unit, &factor, power)) {
        WRITE(w, "/>\n");
        return;
    }
    WRITE(w, "><BaseUnit");
    for (int i = 0; i < 7; i++) /* the standard has kg before m, attributes have no order */
        if (power[i])
            WRITE(w, " %s=\"%d\"", bases[i], power[i]);
    if (strstr(unit, "rad") || strstr(unit, "deg"))
        WRITE(w, " rad=\"%d\"", strstr(unit, "/rad") || strstr(unit, "/deg") ? -1 : 1);
    if (factor != 1)
        write_number(w, "factor", factor);
    WRITE(w, "/></Unit>\n");
}

static void write_units(DescriptionWriter *w)
{
    const FmiRows *rows = w->t->rows;
    WRITE(w, "  <UnitDefinitions>\n");
    write_unit(w, "s");
    for (size_t i = 0; i < rows->list.n; i++)
        if (*rows->list.items[i].info.unit && !unit_seen(rows, i))
            write_unit(w, rows->list.items[i].info.unit);
    WRITE(w, "  </UnitDefinitions>\n");
}

/* ------------------------------------------------------------------ variables */

static const char *type_name(const FmiRow *row, int version)
{
    if (row->causality == ROW_SIZE)
        return "UInt64";
    static const char *const names[][3] = {{"Real", "Integer", "Boolean"},
                                           {"Float64", "Int32", "Boolean"}};
    return names[version == 3][row->info.type];
}

static bool has_start(const FmiRow *row)
{
    return row->causality == ROW_CONSTANT || row->causality == ROW_PARAMETER ||
           row->causality == ROW_INPUT || row->causality == ROW_SIZE ||
           (row->kind == FMU_STATE && !row->solved_start);
}

/* causality, variability and initial, where they are not what the standard assumes */
static void write_roles(DescriptionWriter *w, const FmiRow *row)
{
    switch (row->causality) {
    case ROW_CONSTANT:
        WRITE(w, " variability=\"constant\"");
        break;
    case ROW_PARAMETER:
        WRITE(w, " causality=\"parameter\" variability=\"tunable\"");
        break;
    case ROW_CALCULATED:
        WRITE(w, " causality=\"calculatedParameter\" variability=\"tunable\"");
        break;
    case ROW_INPUT:
        WRITE(w, " causality=\"input\"");
        break;
    case ROW_OUTPUT:
        WRITE(w, " causality=\"output\"");
        break;
    case ROW_SIZE:
        WRITE(w, " causality=\"structuralParameter\" variability=\"fixed\" min=\"1\"");
        if (w->t->rows->most_lanes)
            WRITE(w, " max=\"%zu\"", w->t->rows->most_lanes);
        break;
    case ROW_LOCAL:
        break;
    }
    if (row->kind == FMU_STATE && !row->solved_start)
        WRITE(w, " initial=\"exact\"");
    /* FMI 2 assumes it of no type */
    bool whole = w->t->e->version == 2 && row->info.type != LIEDER_TYPE_REAL &&
                 (row->causality == ROW_LOCAL || row->causality == ROW_OUTPUT);
    if (row->info.kind == LIEDER_VARIABLE_DISCRETE || whole)
        WRITE(w, " variability=\"discrete\"");
}

static void write_start(DescriptionWriter *w, const FmiRow *row, double value)
{
    char text[32];
    if (row->info.type == LIEDER_TYPE_BOOLEAN)
        WRITE(w, "%s", value != 0 ? "true" : "false");
    else
        WRITE(w, "%s", number_text(value, text));
}

/* unit, range and start of elements first ... first + n - 1 */
static void write_facts(DescriptionWriter *w, const FmiRow *row, size_t first, size_t n)
{
    if (row->info.type == LIEDER_TYPE_REAL)
        write_text(w, "unit", row->info.unit);
    if (row->causality == ROW_PARAMETER || row->causality == ROW_INPUT || row->kind == FMU_STATE) {
        write_number(w, "min", row->info.min);
        write_number(w, "max", row->info.max);
        if (row->info.nominal != 1)
            write_number(w, "nominal", row->info.nominal);
    }
    if (!has_start(row))
        return;
    WRITE(w, " start=\"");
    for (size_t i = 0; i < (row->values ? n : 1); i++) {
        WRITE(w, "%s", i ? " " : "");
        write_start(w, row, row->values ? row->values[first + i] : row->info.start);
    }
    WRITE(w, "\"");
}

/* FMI 3: a row is a variable, its number is the reference */
static void write_row(DescriptionWriter *w, size_t number)
{
    const FmiRow *row = &w->t->rows->list.items[number];
    const char *type = type_name(row, 3);
    WRITE(w, "    <%s", type);
    write_text(w, "name", row->name);
    WRITE(w, " valueReference=\"%zu\"", number + 1);
    write_text(w, "description", row->info.text);
    write_roles(w, row);
    write_facts(w, row, 0, row->n);
    if (row->kind == FMU_DERIVATIVE)
        WRITE(w, " derivative=\"%zu\"", (size_t)row->state + 1);
    if (row->ndim == 0) {
        WRITE(w, "/>\n");
        return;
    }
    WRITE(w, ">");
    for (size_t i = 0; i < row->ndim; i++)
        if (row->scales)
            WRITE(w, "<Dimension valueReference=\"%zu\"/>", w->t->rows->size);
        else
            WRITE(w, "<Dimension start=\"%zu\"/>", row->dimensions[i]);
    WRITE(w, "</%s>\n", type);
}

/* FMI 2: an element is a variable; its number is the reference, and its position from 1 one more */
static void write_elements(DescriptionWriter *w, size_t number)
{
    const FmiRows *rows = w->t->rows;
    const FmiRow *row = &rows->list.items[number];
    char name[1200], raw[1024];
    for (size_t i = 0; i < row->n && w->ok; i++) {
        LiederHandle h;
        bool found =
            lieder_variable_handle(rows->system, row->variable, i * row->stride + row->offset, &h);
        snprintf(name, sizeof name, "%s", row->name);
        if (found && row->n > 1 && !row->info.alias) {
            lieder_handle_name(rows->system, &h, raw, sizeof raw);
            row_name(raw, name, sizeof name);
        }
        WRITE(w, "    <ScalarVariable");
        write_text(w, "name", name);
        WRITE(w, " valueReference=\"%zu\"", row->first + i);
        write_text(w, "description", row->info.text);
        write_roles(w, row);
        WRITE(w, "><%s", type_name(row, 2));
        write_facts(w, row, i, 1);
        if (row->kind == FMU_DERIVATIVE)
            WRITE(w, " derivative=\"%zu\"", rows->list.items[row->state].first + i + 1);
        WRITE(w, "/></ScalarVariable>\n");
    }
}

/* all variables; FMI 3 has arrays, FMI 2 a variable for each element */
static void write_variables(DescriptionWriter *w)
{
    const char *time =
        w->t->e->version == 3
            ? "    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" "
              "unit=\"s\"/>\n"
            : "    <ScalarVariable name=\"time\" valueReference=\"0\" "
              "causality=\"independent\"><Real unit=\"s\"/></ScalarVariable>\n";
    WRITE(w, "  <ModelVariables>\n%s", time);
    for (size_t i = 0; i < w->t->rows->list.n && w->ok; i++)
        if (w->t->e->version == 3)
            write_row(w, i);
        else
            write_elements(w, i);
    WRITE(w, "  </ModelVariables>\n");
}

/* ------------------------------------------------------------------ structure */

typedef bool RowTest(const FmiRow *row);

static bool is_output(const FmiRow *row)
{
    return row->causality == ROW_OUTPUT;
}

static bool is_derivative(const FmiRow *row)
{
    return row->kind == FMU_DERIVATIVE;
}

static bool is_initial(const FmiRow *row)
{
    bool exact = row->kind == FMU_STATE && !row->solved_start; /* a state may be an output */
    return (is_output(row) && !exact) || is_derivative(row) || row->causality == ROW_CALCULATED ||
           (row->kind == FMU_STATE && row->solved_start);
}

static bool is_crossing(const FmiRow *row)
{
    return row->info.kind == LIEDER_VARIABLE_CROSSING;
}

/* states and inputs: what derivatives, outputs and indicators may depend on beside the time */
static bool is_known(const FmiRow *row)
{
    return row->kind == FMU_STATE || row->causality == ROW_INPUT;
}

/* do they have numbers in the same shape? Nothing leads from one shape to another. */
static bool share_shape(const FmiRows *rows, const FmiRow *a, const FmiRow *b)
{
    for (size_t i = a->first_piece; i < a->first_piece + a->npiece; i++)
        for (size_t k = b->first_piece; k < b->first_piece + b->npiece; k++)
            if (rows->pieces.items[i].shape == rows->pieces.items[k].shape)
                return true;
    return false;
}

/* FMI 3: the knowns on which an unknown may depend, those with numbers in its shapes; without the
 * attribute it may depend on all */
static void write_dependencies(DescriptionWriter *w, const FmiRow *unknown)
{
    const FmiRows *rows = w->t->rows;
    bool all = true;
    for (size_t i = 0; i < rows->list.n && all; i++)
        all = !is_known(&rows->list.items[i]) || share_shape(rows, unknown, &rows->list.items[i]);
    if (all)
        return;
    WRITE(w, " dependencies=\"0"); /* the time */
    for (size_t i = 0; i < rows->list.n; i++)
        if (is_known(&rows->list.items[i]) && share_shape(rows, unknown, &rows->list.items[i]))
            WRITE(w, " %zu", i + 1);
    WRITE(w, "\"");
}

/* FMI 2: the elements of known rows that are in a lane */
static void write_knowns_of_lane(DescriptionWriter *w, uint32_t shape, size_t lane)
{
    const FmiRows *rows = w->t->rows;
    for (size_t i = 0; i < rows->list.n; i++) {
        const FmiRow *row = &rows->list.items[i];
        size_t before = row->first + 1;
        for (size_t k = row->first_piece; k < row->first_piece + row->npiece; k++) {
            const RowPiece *p = &rows->pieces.items[k];
            bool here = is_known(row) && p->shape == shape && lane >= p->lane &&
                        lane < p->lane + p->n / p->length;
            for (size_t e = 0; here && e < p->length; e++)
                WRITE(w, " %zu", before + (lane - p->lane) * p->length + e);
            before += p->n;
        }
    }
}

/* FMI 2: the knowns on which an element may depend, those of its lane */
static void write_element_dependencies(DescriptionWriter *w, const FmiRow *unknown, size_t element)
{
    const FmiRows *rows = w->t->rows;
    if (rows->system->shapes.n == 1 && rows->system->shapes.items[0].shape->nlane == 1)
        return;
    for (size_t k = unknown->first_piece; k < unknown->first_piece + unknown->npiece; k++) {
        const RowPiece *p = &rows->pieces.items[k];
        if (element < p->n) {
            WRITE(w, " dependencies=\"1"); /* the time */
            write_knowns_of_lane(w, p->shape, p->lane + element / p->length);
            WRITE(w, "\"");
            return;
        }
        element -= p->n;
    }
}

/* with what they depend on, unless that is what the standard assumes */
static void write_references(DescriptionWriter *w, const char *element, RowTest *test,
                             bool dependencies)
{
    const FmiRows *rows = w->t->rows;
    for (size_t i = 0; i < rows->list.n; i++)
        if (test(&rows->list.items[i])) {
            WRITE(w, "    <%s valueReference=\"%zu\"", element, i + 1);
            if (dependencies)
                write_dependencies(w, &rows->list.items[i]);
            WRITE(w, "/>\n");
        }
}

/* FMI 2: the indices of all elements of the rows that pass a test, with what they depend on */
static void write_indices(DescriptionWriter *w, const char *element, RowTest *test,
                          bool dependencies)
{
    const FmiRows *rows = w->t->rows;
    bool any = false;
    for (size_t i = 0; i < rows->list.n; i++) {
        const FmiRow *row = &rows->list.items[i];
        for (size_t k = 0; k < row->n && test(row); k++) {
            if (!any)
                WRITE(w, "    <%s>\n", element);
            any = true;
            WRITE(w, "      <Unknown index=\"%zu\"", row->first + k + 1);
            if (dependencies)
                write_element_dependencies(w, row, k);
            WRITE(w, "/>\n");
        }
    }
    if (any)
        WRITE(w, "    </%s>\n", element);
}

/* outputs, derivatives and initial unknowns, and in FMI 3 event indicators */
static void write_structure(DescriptionWriter *w)
{
    WRITE(w, "  <ModelStructure>\n");
    if (w->t->e->version == 3) {
        write_references(w, "Output", is_output, true);
        write_references(w, "ContinuousStateDerivative", is_derivative, true);
        write_references(w, "InitialUnknown", is_initial, false);
        write_references(w, "EventIndicator", is_crossing, true);
    } else {
        write_indices(w, "Outputs", is_output, true);
        write_indices(w, "Derivatives", is_derivative, true);
        write_indices(w, "InitialUnknowns", is_initial, false);
    }
    WRITE(w, "  </ModelStructure>\n");
}

/* ------------------------------------------------------------------ the whole */

static void write_experiment(DescriptionWriter *w)
{
    const FmiExport *e = w->t->e;
    WRITE(w, "  <DefaultExperiment");
    write_number(w, "startTime", e->start);
    write_number(w, "stopTime", e->stop);
    write_number(w, "tolerance", e->tolerance);
    write_number(w, "stepSize", e->step);
    WRITE(w, "/>\n");
}

static void write_sources2(DescriptionWriter *w)
{
    WRITE(w, "    <SourceFiles>\n      <File name=\"fmu.c\"/>\n");
    for (size_t i = 0; i < w->t->rows->system->shapes.n; i++)
        WRITE(w, "      <File name=\"shape_%zu.c\"/>\n", i);
    WRITE(w, "    </SourceFiles>\n");
}

/* has an importer to notify the FMU of its steps? Conditions are checked there, and modes armed */
static bool needs_steps(const DescriptionWriter *w)
{
    return system_has_events(w->t->rows->system);
}

/* the two kinds of FMI 2; no model exchange for models with delays */
static void write_kinds2(DescriptionWriter *w)
{
    static const char *const shared = " canNotUseMemoryManagementFunctions=\"true\" "
                                      "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                                      "providesDirectionalDerivative=\"true\"";
    if (!system_has_pasts(w->t->rows->system)) {
        WRITE(w, "  <ModelExchange modelIdentifier=\"%s\"%s%s>\n", w->t->identifier,
              needs_steps(w) ? "" : " completedIntegratorStepNotNeeded=\"true\"", shared);
        write_sources2(w);
        WRITE(w, "  </ModelExchange>\n");
    }
    WRITE(w,
          "  <CoSimulation modelIdentifier=\"%s\" "
          "canHandleVariableCommunicationStepSize=\"true\"%s>\n",
          w->t->identifier, shared);
    write_sources2(w);
    WRITE(w, "  </CoSimulation>\n");
}

/* the same for FMI 3, with what its co-simulation can do */
static void write_kinds3(DescriptionWriter *w)
{
    static const char *const shared =
        " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
        "providesDirectionalDerivatives=\"true\"";
    if (!system_has_pasts(w->t->rows->system))
        WRITE(w, "  <ModelExchange modelIdentifier=\"%s\"%s%s/>\n", w->t->identifier,
              needs_steps(w) ? " needsCompletedIntegratorStep=\"true\"" : "", shared);
    WRITE(w, "  <CoSimulation modelIdentifier=\"%s\"%s ", w->t->identifier, shared);
    WRITE(w, "canHandleVariableCommunicationStepSize=\"true\" providesIntermediateUpdate=\"true\" "
             "canReturnEarlyAfterIntermediateUpdate=\"true\"");
    write_number(w, "fixedInternalStepSize", w->t->e->step);
    WRITE(w, "/>\n");
}

bool model_description(const FmiTexts *t, TextBuffer *to)
{
    DescriptionWriter w = {.t = t, .to = to, .ok = true};
    const FmiExport *e = t->e;
    WRITE(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
          e->version == 3 ? "3.0" : "2.0");
    write_text(&w, "modelName", e->model);
    write_text(&w, e->version == 3 ? "instantiationToken" : "guid", t->token);
    write_text(&w, "description", e->text);
    WRITE(&w,
          " generationTool=\"Lieder " LIEDER_VERSION "\" variableNamingConvention=\"structured\"");
    if (e->version == 2)
        WRITE(&w, " numberOfEventIndicators=\"%zu\"", t->rows->system->nchoice);
    WRITE(&w, ">\n");
    if (e->version == 3)
        write_kinds3(&w);
    else
        write_kinds2(&w);
    write_units(&w);
    WRITE(&w, "  <LogCategories><Category name=\"logStatusError\" description=\"errors\"/>"
              "<Category name=\"logStatusWarning\" description=\"warnings\"/></LogCategories>\n");
    write_experiment(&w);
    write_variables(&w);
    write_structure(&w);
    WRITE(&w, "</fmiModelDescription>\n");
    return w.ok;
}

bool build_description(const FmiTexts *t, const char *options, TextBuffer *to)
{
    DescriptionWriter w = {.t = t, .to = to, .ok = true};
    WRITE(&w,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
          "  <BuildConfiguration modelIdentifier=\"%s\">\n"
          "    <SourceFileSet language=\"C17\" compilerOptions=\"%s\">\n"
          "      <SourceFile name=\"fmu.c\"/>\n",
          t->identifier, options);
    for (size_t i = 0; i < t->rows->system->shapes.n; i++)
        WRITE(&w, "      <SourceFile name=\"shape_%zu.c\"/>\n", i);
    WRITE(&w, "      <IncludeDirectory name=\".\"/>\n    </SourceFileSet>\n"
              "    <Library name=\"m\" description=\"mathematical functions of C\"/>\n"
              "  </BuildConfiguration>\n</fmiBuildDescription>\n");
    return w.ok;
}
