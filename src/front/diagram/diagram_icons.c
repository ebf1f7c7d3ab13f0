/* diagram_icons.c - how the library's classes look in a diagram, as Icon(graphics = {...}) of
 * Modelica: coordinates from -100 to 100, y upwards. Parsed when a diagram is asked for, so that no
 * other run pays for it. Only the last part of a name counts where the packages share an idea: a
 * spring is a spring.
 */
#include <string.h>

#include "front/diagram/diagram_read.h"

/* clang-format off: a line of this table is a picture */

/* the words of the notation, short; numbers become text */
#define EXTENT(a, b, c, d)     "extent={{" #a "," #b "},{" #c "," #d "}}"
#define LINE(...)              "Line(thickness=0.4,color={60,60,60},points={" #__VA_ARGS__ "})"
#define BLUE(...)              "Line(thickness=0.4,color={0,0,255},points={" #__VA_ARGS__ "})"
#define NAVY(...)              "Line(thickness=0.4,color={0,0,127},points={" #__VA_ARGS__ "})"
#define STEEL                  "lineColor={60,60,60},fillColor={203,208,214},fillPattern=FillPattern.Solid"
#define MASS                   "lineColor={0,60,110},fillColor={92,156,214},fillPattern=FillPattern.Solid"
#define PAPER                  "lineColor={60,60,60},fillColor={255,255,255},fillPattern=FillPattern.Solid"
#define DARK                   "lineColor={60,60,60},fillColor={60,60,60},fillPattern=FillPattern.Solid"
#define BOX(a, b, c, d, pen)   "Rectangle(" EXTENT(a, b, c, d) "," pen ")"
#define ROUND(a, b, c, d, pen) "Ellipse(" EXTENT(a, b, c, d) "," pen ")"
#define AREA(pen, ...)         "Polygon(" pen ",points={" #__VA_ARGS__ "})"
#define WORD(a, b, c, d, text)                                                                     \
    "Text(" EXTENT(a, b, c, d) ",textColor={60,60,60},textString=\"" text "\")"
#define NAME "Text(extent={{-150,-150},{150,-110}},textColor={30,60,140},textString=\"%name\")"

/* hatching left of a vertical line at x = 0, and a stub to the right */
#define WALL                                                                                       \
    LINE({0, 80}, {0, -80})                                                                        \
    "," LINE({0, 80}, {-40, 40}) "," LINE({0, 40}, {-40, 0}) "," LINE(                             \
        {0, 0}, {-40, -40}) "," LINE({0, -40}, {-40, -80}) "," LINE({0, 0}, {100, 0})
#define ZIGZAG(y)                                                                                  \
    LINE({-100, y}, {-60, y}, {-50, y - 30}, {-30, y + 30}, {-10, y - 30}, {10, y + 30},           \
         {30, y - 30}, {50, y + 30}, {60, y}, {100, y})
#define DASHPOT(y)                                                                                 \
    BOX(-50, y - 30, 30, y + 30,                                                                   \
        "lineColor={255,255,255},fillColor={203,208,214},fillPattern=FillPattern.Solid")           \
    "," LINE({-100, y}, {-50, y}) "," LINE(                                                        \
        {30, y + 30}, {-50, y + 30}, {-50, y - 30},                                                \
        {30, y - 30}) "," LINE({5, y + 24}, {5, y - 24}) "," LINE({5, y}, {100, y})
#define BLOCK                                                                                      \
    BOX(-100, -100, 100, 100,                                                                      \
        "lineColor={0,0,127},fillColor={255,255,255},fillPattern=FillPattern.Solid")
#define AXES LINE({-70, 80}, {-70, -70}, {80, -70})
#define GAUGE(word)                                                                                \
    LINE({-100, 0}, {-70, 0})                                                                      \
    "," LINE({70, 0}, {100, 0}) "," ROUND(-70, -70, 70, 70, PAPER) "," LINE(                       \
        {0, 0}, {32, 44}) "," ROUND(-8, -8, 8, 8, DARK) "," WORD(-50, -55, 50, -20, word)
#define ARROW                                                                                      \
    AREA("lineColor={0,110,0},fillColor={0,150,80},fillPattern=FillPattern.Solid", {-90, 14},      \
         {30, 14}, {30, 44}, {95, 0}, {30, -44}, {30, -14}, {-90, -14})

typedef struct LibraryIcon {
    const char *end; /* of the full name of the class */
    const char *graphics;
} LibraryIcon;

/* the first that fits counts */
static const LibraryIcon icons[] = {
    {"Dialectic.World",
     BOX(-100, -100, 100, 100, PAPER) "," LINE({-60, -80}, {-60, 60}) "," LINE(
         {-60, -80},
         {60, -80}) "," AREA(DARK, {-60, 80}, {-72, 50},
                             {-48,
                              50}) "," AREA(DARK, {85, -80}, {55, -68},
                                            {55, -92}) ","
                                                       "Line(thickness=0.5,color={190,60,0},points="
                                                       "{{30,60},{30,-20}}),"
                                                       "Polygon(lineColor={190,60,0},fillColor={"
                                                       "190,60,0},fillPattern=FillPattern.Solid,"
                                                       "points={{30,-45},{18,-12},{42,-12}})," WORD(
                                                           42, 10, 92, 50, "g") "," NAME},
    /* planar */
    {"Planar.Fixed", WALL "," NAME},
    {"Planar.Prismatic", BOX(-100, -50, -20, 50, STEEL) "," BOX(-20, -26, 100, 26, STEEL) "," LINE(
                             {-20, 0}, {100, 0}) "," NAME},
    {"Planar.Revolute", BOX(-100, -50, -40, 50, STEEL) "," BOX(40, -50, 100, 50, STEEL) "," ROUND(
                            -48, -48, 48, 48, PAPER) "," ROUND(-14, -14, 14, 14, DARK) "," NAME},
    {"Planar.Body", BOX(-100, -22, 0, 22, STEEL) "," ROUND(-60, -60, 60, 60, MASS) "," NAME},
    {"Planar.FixedTranslation", BOX(-100, -9, 100, 9, STEEL) "," NAME},
    {"Planar.FixedRotation",
     LINE({-100, 0}, {0, 0},
          {80, 60}) ",Line(color={60,60,60},pattern=LinePattern.Dash,points={{0,0},{100,0}}),"
                    "Ellipse(extent={{-50,-50},{50,50}},startAngle=0,endAngle=37,closure="
                    "EllipseClosure.None)," NAME},
    {"Planar.Lever", BOX(-100, -9, 60, 9, STEEL) "," ROUND(50, -25, 100, 25, PAPER) "," NAME},
    {"Planar.FreeMotion",
     ROUND(-96, -14, -68, 14, STEEL) "," ROUND(-42, 26, -14, 54, STEEL) "," ROUND(
         12, 40, 40, 68,
         STEEL) "," ROUND(66, 26, 94, 54,
                          STEEL) ",Line(color={60,60,60},pattern=LinePattern.Dash,smooth=Smooth."
                                 "Bezier,points={{-82,0},{-30,60},{30,60},{90,10}})," NAME},
    {"Planar.Contact",
     LINE({-100, -40}, {100, -40}) "," LINE({-80, -40}, {-100, -60}) "," LINE(
         {-40, -40},
         {-60, -60}) "," LINE({0, -40},
                              {-20,
                               -60}) "," LINE({40, -40},
                                              {20, -60}) "," LINE({80, -40},
                                                                  {60,
                                                                   -60}) "," ROUND(-44, -40, 44, 48,
                                                                                   MASS) "," NAME},
    {"Planar.Touch", LINE({-100, 0}, {-12, 0}) "," LINE({-12, 50}, {-12, -50}) "," LINE(
                         {12, 50}, {12, -50}) "," LINE({12, 0}, {100, 0}) "," NAME},
    {"Planar.WallSensor", GAUGE("d") "," NAME},
    {"Planar.PositionSensor", GAUGE("x y") "," NAME},
    {"Planar.ForceSensor", GAUGE("F") "," NAME},
    {"Planar.WorldForce", ARROW "," NAME},
    /* along a line, and about an axis */
    {".SpringDamper", ZIGZAG(45) "," DASHPOT(-40) "," LINE({-100, 45}, {-100, -40}) "," LINE(
                          {100, 45}, {100, -40}) "," NAME},
    {".Spring", ZIGZAG(0) "," NAME},
    {".Damper", DASHPOT(0) "," NAME},
    {".ElastoGap",
     LINE({-100, 0}, {-70, 0}, {-60, 30}, {-40, -30}, {-20, 30}, {0, 0}, {20, 0}) "," LINE(
         {20, 50}, {20, -50}) "," LINE({55, 50}, {55, -50}) "," LINE({55, 0}, {100, 0}) "," NAME},
    {".Breakable", LINE({-100, 0}, {-60, 0}, {-50, 30}, {-30, -30}, {-12, 12}) "," LINE(
                       {12, -12}, {30, 30}, {50, -30}, {60, 0},
                       {100, 0}) ","
                                 "Line(color={190,60,0},thickness=0.5,points={{10,60},{-12,10},{12,"
                                 "-10},{-10,-60}})," NAME},
    {"Clutch", BOX(-100, -12, -20, 12, STEEL) "," BOX(-20, -60, -6, 60, STEEL) "," BOX(
                   6, -60, 20, 60, STEEL) "," BOX(20, -12, 100, 12, STEEL) "," NAME},
    {".Brake", BOX(-100, -12, 60, 12, STEEL) "," BOX(-10, -70, 10, 70, STEEL) "," BOX(
                   14, 30, 34, 66, MASS) "," BOX(14, -66, 34, -30, MASS) "," NAME},
    {"Friction", BOX(-60, 4, 60, 50, STEEL) "," BOX(-90, -46, 90, -4, STEEL) "," LINE(
                     {-100, 0}, {-90, 0}, {-90, 26}, {-60, 26}) "," LINE({60, 26}, {100, 26},
                                                                         {100, 0}) "," NAME},
    {".Fixed", WALL "," NAME},
    {"Translational.Joint", BOX(-100, -44, 0, 44, STEEL) "," BOX(0, -22, 100, 22, STEEL) "," NAME},
    {"Rotational.Joint", BOX(-100, -44, -30, 44, STEEL) "," BOX(30, -44, 100, 44, STEEL) "," BOX(
                             -30, -16, 30, 16, STEEL) "," NAME},
    {"Translational.Body", LINE({-100, 0}, {-60, 0}) "," BOX(-60, -50, 60, 50, MASS) "," NAME},
    {"Rotational.Inertia", BOX(-100, -12, -50, 12, STEEL) "," BOX(-50, -70, 50, 70, MASS) "," NAME},
    {"Translational.Translation", BOX(-100, -9, 100, 9, STEEL) "," NAME},
    {"Rotational.Rotation", BOX(-100, -9, 100, 9, STEEL) "," NAME},
    {"Translational.Force", ARROW "," NAME},
    {"Rotational.Torque", "Ellipse(extent={{-70,-70},{70,70}},startAngle=-30,endAngle=210,closure="
                          "EllipseClosure.None,lineColor={0,110,0},lineThickness=0.8),"
                          "Polygon(lineColor={0,110,0},fillColor={0,150,80},fillPattern="
                          "FillPattern.Solid,points={{61,-66},{36,-18},{86,-24}})," NAME},
    {".PositionSensor", GAUGE("s") "," NAME},
    {".AngleSensor", GAUGE("phi") "," NAME},
    {".ForceSensor", GAUGE("f") "," NAME},
    {".TorqueSensor", GAUGE("tau") "," NAME},
    {".IdealGear", BOX(-100, -12, -40, 12, STEEL) "," BOX(-40, -70, 0, 30, STEEL) "," BOX(
                       0, -30, 40, 70, STEEL) "," BOX(40, -12, 100, 12, STEEL) "," NAME},
    {".RollingWheel", ROUND(-70, -70, 70, 70, STEEL) "," ROUND(-12, -12, 12, 12, DARK) "," LINE(
                          {-100, -70}, {100, -70}) "," NAME},
    {".SquareLink",
     BOX(-100, -50, 100, 50, PAPER) ",Line(smooth=Smooth.Bezier,color={60,60,60},points={{-70,-36},"
                                    "{-10,-6},{10,6},{70,36}})," NAME},
    /* electrical */
    {".VariableResistor", BLUE({-100, 0}, {-60, 0}) "," BLUE({60, 0}, {100, 0}) "," BOX(
                              -60, -28, 60, 28,
                              "lineColor={0,0,255},fillColor={255,255,255},fillPattern=FillPattern."
                              "Solid") "," BLUE({-60, -60}, {60, 60}) "," NAME},
    {".Resistor",
     BLUE({-100, 0}, {-60, 0}) "," BLUE({60, 0}, {100, 0}) "," BOX(
         -60, -28, 60, 28,
         "lineColor={0,0,255},fillColor={255,255,255},fillPattern=FillPattern.Solid") "," NAME},
    {".Capacitor", BLUE({-100, 0}, {-10, 0}) "," BLUE({10, 0}, {100, 0}) "," BLUE(
                       {-10, 50}, {-10, -50}) "," BLUE({10, 50}, {10, -50}) "," NAME},
    {".Inductor",
     BLUE({-100, 0}, {-60, 0}) "," BLUE(
         {60, 0}, {100, 0}) ","
                            "Ellipse(extent={{-60,-20},{-20,20}},startAngle=0,endAngle=180,closure="
                            "EllipseClosure.None,lineColor={0,0,255},lineThickness=0.4),"
                            "Ellipse(extent={{-20,-20},{20,20}},startAngle=0,endAngle=180,closure="
                            "EllipseClosure.None,lineColor={0,0,255},lineThickness=0.4),"
                            "Ellipse(extent={{20,-20},{60,20}},startAngle=0,endAngle=180,closure="
                            "EllipseClosure.None,lineColor={0,0,255},lineThickness=0.4)," NAME},
    {".Ground", BLUE({0, 100}, {0, 20}) "," BLUE({-60, 20}, {60, 20}) "," BLUE(
                    {-40, -5}, {40, -5}) "," BLUE({-20, -30}, {20, -30}) "," NAME},
    {"Diode", BLUE({-100, 0}, {100, 0}) "," AREA(
                  "lineColor={0,0,255},fillColor={255,255,255},fillPattern=FillPattern.Solid",
                  {-40, 44}, {40, 0}, {-40, -44}) "," BLUE({40, 48}, {40, -48}) "," NAME},
    {".SineVoltage", BLUE({-100, 0}, {-56, 0}) "," BLUE({56, 0}, {100, 0}) "," ROUND(
                         -56, -56, 56, 56,
                         "lineColor={0,0,255},fillColor={255,255,255},fillPattern=FillPattern."
                         "Solid") ","
                                  "Line(color={0,0,255},thickness=0.4,smooth=Smooth.Bezier,points={"
                                  "{-36,0},{-26,34},{-8,34},{8,-34},{26,-34},{36,0}})," WORD(
                                      -96, 10, -62, 50, "+") "," NAME},
    /* signals */
    {"Signals.Add", BLOCK "," WORD(-60, -50, 60, 50, "Σ") "," NAME},
    {"Signals.Gain",
     AREA("lineColor={0,0,127},fillColor={255,255,255},fillPattern=FillPattern.Solid", {-100, 100},
          {100, 0}, {-100, -100}) "," WORD(-95, -20, 40, 20, "%k") "," NAME},
    {"Signals.Constant", BLOCK "," AXES "," NAVY({-70, 10}, {75, 10}) "," NAME},
    {"Signals.Step", BLOCK "," AXES "," NAVY({-70, -50}, {-10, -50}, {-10, 40}, {75, 40}) "," NAME},
    {"Signals.Ramp", BLOCK "," AXES "," NAVY({-70, -50}, {-30, -50}, {35, 40}, {75, 40}) "," NAME},
    {"Signals.Pulse", BLOCK "," AXES "," NAVY({-70, -50}, {-40, -50}, {-40, 40}, {0, 40}, {0, -50},
                                              {40, -50}, {40, 40}, {75, 40}) "," NAME},
    {"Signals.Sine",
     BLOCK "," AXES ",Line(color={0,0,127},thickness=0.4,smooth=Smooth.Bezier,points={{-70,0},{-55,"
           "60},{-25,60},{0,-60},{35,-60},{50,60},{75,60}})," NAME},
    {"Signals.TimeTable", BLOCK
     "," BOX(-60, -60, 60, 60,
             "lineColor={0,0,127},fillColor={244,240,200},fillPattern=FillPattern."
             "Solid") "," NAVY({0, 60},
                               {0, -60}) "," NAVY({-60, 30},
                                                  {60, 30}) "," NAVY({-60, 0},
                                                                     {60,
                                                                      0}) "," NAVY({-60, -30},
                                                                                   {60,
                                                                                    -30}) "," NAME},
    /* connectors */
    {".Frame", BOX(-60, -60, 60, 60, STEEL)},
    {".Pin", BOX(-60, -60, 60, 60,
                 "lineColor={0,0,255},fillColor={0,0,255},fillPattern=FillPattern.Solid")},
};
/* clang-format on */

const char *diagram_library_icon(const char *class_name)
{
    size_t n = strlen(class_name);
    for (size_t i = 0; i < sizeof icons / sizeof *icons; i++) {
        size_t k = strlen(icons[i].end);
        if (n >= k && strcmp(class_name + n - k, icons[i].end) == 0)
            return icons[i].graphics;
    }
    return NULL;
}
