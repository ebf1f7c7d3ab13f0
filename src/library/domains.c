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

const LiederDomain lieder_translational = {
    "Translational.Flange", "1D translational flange", Flange_NS, Flange_NP, Flange_NF, Flange_NR,
    Flange_INERTIAL,        translational_variables};
const LiederDomain lieder_rotational = {
    "Rotational.Flange", "1D rotational flange", Flange_NS,           Flange_NP, Flange_NF,
    Flange_NR,           Flange_INERTIAL,        rotational_variables};
const LiederDomain lieder_planar = {
    "Planar.Frame", "frame in the plane", Frame_NS,        Frame_NP, Frame_NF,
    Frame_NR,       Frame_INERTIAL,       planar_variables};
const LiederDomain lieder_electrical = {
    "Electrical.Pin", "electrical pin", Pin_NS,       Pin_NP,
    Pin_NF,           Pin_NR,           Pin_INERTIAL, electrical_variables};

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
