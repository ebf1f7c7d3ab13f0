/* contact.c - Planar.Contact: a disc against a straight wall, of the parts that library/Planar.mo
 * and planar.c have for it.
 *
 *   frame_a --+-- onWall (Lever) -- touch -- onDisc (Lever) --+-- frame_b
 *             +---------------- wall (WallSensor) ------------+
 */
#include "library/library.h"

/* the components of a contact and their connections */
static void build_contact(LiederModel *m, const double *arguments, void *user)
{
    (void)arguments;
    (void)user;
    static const char *const links[][2] = {{"wall.frame_a", "onWall.frame_a"},
                                           {"wall.frame_b", "onDisc.frame_a"},
                                           {"wall.x", "onWall.x"},
                                           {"wall.y", "onWall.y"},
                                           {"wall.x", "onDisc.x"},
                                           {"wall.y", "onDisc.y"},
                                           {"wall.phi", "touch.phi"},
                                           {"wall.gap", "touch.gap"},
                                           {"onWall.frame_b", "touch.frame_a"},
                                           {"onDisc.frame_b", "touch.frame_b"}};
    lieder_model_add(m, "wall", "Planar.WallSensor");
    lieder_model_add(m, "onWall", "Planar.Lever");
    lieder_model_add(m, "onDisc", "Planar.Lever");
    lieder_model_add(m, "touch", "Planar.Touch");
    for (int i = 0; i < LIEDER_COUNT(links); i++)
        lieder_model_connect(m, links[i][0], links[i][1]);
    lieder_model_expose(m, "frame_a", "wall.frame_a");
    lieder_model_expose(m, "frame_b", "wall.frame_b");
    lieder_model_expose(m, "lossPower", "touch.lossPower");
}

LiederStatus library_register_contact(Lieder *session)
{
    return lieder_template_register(
        session,
        &(LiederTemplate){.name = "Planar.Contact",
                          .text = "A disc at frame_b against a straight wall at frame_a: wall(n, "
                                  "radius), touch(c, d, mu_A, mu_S)",
                          .build = build_contact});
}
