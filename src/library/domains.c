/* domains.c - the domains of the library and the World: what classes in C and in Modelica text
 * share. */
#include "library/library.h"

#include <lieder/electrical.h>
#include <lieder/mechanics.h>

static const LiederVariable translational_variables[] = {
    {"s", "m", "position"},
    {"v", "m/s", "kinetic velocity"},
    {"v_el", "m/s", "elastic velocity"},
    {"a", "m/s2", "kinetic acceleration"},
    {"f_el", "N", "elastic force"},
    {"f_ki", "N", "kinetic force"},
};

static const LiederVariable rotational_variables[] = {
    {"phi", "rad", "angle"},
    {"w", "rad/s", "kinetic angular velocity"},
    {"w_el", "rad/s", "elastic angular velocity"},
    {"z", "rad/s2", "kinetic angular acceleration"},
    {"tau_el", "N.m", "elastic torque"},
    {"tau_ki", "N.m", "kinetic torque"},
};

static const LiederVariable planar_variables[] = {
    {"x", "m", "position"},
    {"y", "m", "position"},
    {"phi", "rad", "angle"},
    {"vx", "m/s", "kinetic velocity"},
    {"vy", "m/s", "kinetic velocity"},
    {"w", "rad/s", "kinetic angular velocity"},
    {"vx_el", "m/s", "elastic velocity"},
    {"vy_el", "m/s", "elastic velocity"},
    {"w_el", "rad/s", "elastic angular velocity"},
    {"ax", "m/s2", "kinetic acceleration"},
    {"ay", "m/s2", "kinetic acceleration"},
    {"z", "rad/s2", "kinetic angular acceleration"},
    {"fx_el", "N", "elastic force"},
    {"fy_el", "N", "elastic force"},
    {"t_el", "N.m", "elastic torque"},
    {"fx_ki", "N", "kinetic force"},
    {"fy_ki", "N", "kinetic force"},
    {"t_ki", "N.m", "kinetic torque"},
};

static const LiederVariable electrical_variables[] = {
    {"v", "V", "potential"},
    {"i", "A", "current into the component"},
};

/* what the engine says where a model of these domains goes wrong, see LiederAdvice */
static const char *const mechanical_advice[LIEDER_ADVICE_COUNT] = {
    [LIEDER_ADVICE_RIGID_LOOP] =
        "close the loop with an elastic element such as a SpringDamper; joints, rods and bodies "
        "that stand in one Modelica model may close it as they are",
    [LIEDER_ADVICE_NO_ROOT] =
        "connect the part to a Fixed through joints; a body that flies freely "
        "hangs on a FreeMotion joint",
    [LIEDER_ADVICE_NO_PIVOT] = "no inertia moves with this joint\nconnect a Body or an Inertia "
                               "outboard, or give the one that is there a mass",
    [LIEDER_ADVICE_LARGE_PIVOT] = "the inertia that moves with this joint is beyond the range of "
                                  "numbers\nis TD, a mass or a stiffness far too large?",
    [LIEDER_ADVICE_OPEN] = "is there inertia outboard along this degree of freedom?",
    [LIEDER_ADVICE_SINGULAR] =
        "a mechanism may lock; in dialectic mechanics a smaller T_D may keep it away",
    [LIEDER_ADVICE_LOST_DIGITS] =
        "let a joint between its ends have the elongation as its state and connect the element to "
        "its flanges axis and support (flange_a and support of a planar joint), or take a smaller "
        "stiffness",
    [LIEDER_ADVICE_LONG_STEP] = "; in dialectic mechanics, a T_D of about the step helps, too",
    [LIEDER_ADVICE_LOPSIDED] =
        ", or give all joints the same T_D; levers that turn make it so, too",
};

static const char *const electrical_advice[LIEDER_ADVICE_COUNT] = {
    [LIEDER_ADVICE_NO_ZERO] = "add an Electrical.Ground",
    [LIEDER_ADVICE_SINGULAR] =
        "look for voltages in parallel or in a loop (sources, capacitors, conducting diodes) and "
        "for nodes that only currents reach (inductors, blocking diodes); Ron and Goff of ideal "
        "diodes help",
};

static const LiederElastic line_spring = {"s_rel", "c", "f_el"},
                           torsion_spring = {"phi_rel", "c", "tau_el"};

const LiederDomain lieder_translational = {.name = "Translational.Flange",
                                           .text = "1D translational flange",
                                           .nsignal = Flange_NS,
                                           .npotential = Flange_NP,
                                           .nflow = Flange_NF,
                                           .nregime = Flange_NR,
                                           .inertial = Flange_INERTIAL,
                                           .variables = translational_variables,
                                           .power = true,
                                           .elastic = &line_spring,
                                           .advice = mechanical_advice};
const LiederDomain lieder_rotational = {.name = "Rotational.Flange",
                                        .text = "1D rotational flange",
                                        .nsignal = Flange_NS,
                                        .npotential = Flange_NP,
                                        .nflow = Flange_NF,
                                        .nregime = Flange_NR,
                                        .inertial = Flange_INERTIAL,
                                        .variables = rotational_variables,
                                        .power = true,
                                        .elastic = &torsion_spring,
                                        .advice = mechanical_advice};
const LiederDomain lieder_planar = {.name = "Planar.Frame",
                                    .text = "frame in the plane",
                                    .nsignal = Frame_NS,
                                    .npotential = Frame_NP,
                                    .nflow = Frame_NF,
                                    .nregime = Frame_NR,
                                    .inertial = Frame_INERTIAL,
                                    .variables = planar_variables,
                                    .power = true,
                                    .advice = mechanical_advice};
const LiederDomain lieder_electrical = {.name = "Electrical.Pin",
                                        .text = "electrical pin",
                                        .nsignal = Pin_NS,
                                        .npotential = Pin_NP,
                                        .nflow = Pin_NF,
                                        .nregime = Pin_NR,
                                        .inertial = Pin_INERTIAL,
                                        .variables = electrical_variables,
                                        .advice = electrical_advice};

/* World has no blocks: other classes take defaults from it by name */
typedef struct World {
    real g, TD, damped;
} World;

static const LiederMember world_members[] = {
    PARAMETER(World, g, "m/s2", 9.81, ANY, "gravity of planar bodies along -y"),
    PARAMETER(World, TD, "s", 1e-3, AT_LEAST(0),
              "dialectic time constant; 0 is classical mechanics"),
    SWITCH(World, damped, 1, "elastic elements add d_el = d + c TD"),
};

const LiederClassDef library_world = {.name = "World",
                                      .text =
                                          "Environment: gravity, T_D, damped or not; one per model",
                                      .nmember = LIEDER_COUNT(world_members),
                                      .members = world_members};
