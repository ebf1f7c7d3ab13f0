/* flat.c - see flat.h; plain scalar C at -O2 with libm, as a flattening tool would hope to emit it.
 *
 * Crane crab: cart M on a slider, load m on a rod l, gravity g. With Phi = w + T_D z:
 *   (M + m) a + m l (cos z - sin Phi w) = 0,   cos a + l z + g sin = 0
 *
 * Chain: absolute angles q_i and rates w_i are sums over the joints; link i carries its mass at its
 * end. Written as the three passes of an articulated chain with a 3 x 4 answer per link,
 * columns for (Phi, a_x, a_y, z) and one constant. */
#include "flat.h"

#include <math.h>

void flat_crab(const double *x, double *dx, double TD, size_t n)
{
    const double M = 2, m = 1, l = 1, g = 9.81;
    for (size_t i = 0; i < n; i++) {
        double v = x[n + i], phi = x[2 * n + i], w = x[3 * n + i];
        double s = sin(phi), c = cos(phi);
        double a11 = M + m, a12 = m * l * (c - s * w * TD), b1 = m * l * s * w * w;
        double a21 = c, a22 = l, b2 = -g * s;
        double det = a11 * a22 - a12 * a21;
        double a = (b1 * a22 - a12 * b2) / det, z = (a11 * b2 - a21 * b1) / det;
        dx[i] = v + TD * a;
        dx[n + i] = a;
        dx[2 * n + i] = w + TD * z;
        dx[3 * n + i] = z;
    }
}

/* F: rows fx, fy, t; columns Phi, ax, ay, z, one */
void flat_chain(const double *x, double *dx, double *work, double TD, double l, double m, size_t n)
{
    const double g = 9.81;
    double q = 0, w = 0;
    for (size_t i = 0; i < n; i++) { /* outward: lever and rate of each link */
        q += x[i];
        w += x[n + i];
        work[16 * i] = l * cos(q);
        work[16 * i + 1] = l * sin(q);
        work[16 * i + 2] = w;
    }
    double F[3][5] = {{0}};
    for (size_t i = n; i-- > 0;) { /* inward */
        double rx = work[16 * i], ry = work[16 * i + 1], wi = work[16 * i + 2];
        F[0][1] += m;
        F[1][2] += m;
        F[1][4] += m * g;
        for (int r = 0; r < 3; r++) { /* through the lever: a + z J r0 - Phi w r0 */
            F[r][3] += F[r][2] * rx - F[r][1] * ry;
            F[r][0] -= (F[r][1] * rx + F[r][2] * ry) * wi;
        }
        for (int c = 0; c < 5; c++)
            F[2][c] += rx * F[1][c] - ry * F[0][c];
        /* the joint: z_out = z + u, Phi_out = Phi + w_i + TD u; torque zero */
        double own = x[n + i], pivot = F[2][3] + TD * F[2][0];
        double u[3];
        for (int r = 0; r < 3; r++) {
            F[r][4] += F[r][0] * own;
            u[r] = F[r][3] + TD * F[r][0];
        }
        double *row = work + 16 * i + 3;
        for (int c = 0; c < 5; c++) {
            row[c] = -F[2][c] / pivot;
            for (int r = 0; r < 3; r++)
                F[r][c] += u[r] * row[c];
        }
    }
    double Phi = 0, ax = 0, ay = 0, z = 0;
    for (size_t i = 0; i < n; i++) { /* outward: accelerations */
        double rx = work[16 * i], ry = work[16 * i + 1], wi = work[16 * i + 2];
        const double *row = work + 16 * i + 3;
        double u = row[0] * Phi + row[1] * ax + row[2] * ay + row[3] * z + row[4];
        dx[i] = x[n + i] + TD * u;
        dx[n + i] = u;
        Phi += x[n + i] + TD * u;
        z += u;
        ax += -z * ry - Phi * wi * rx;
        ay += z * rx - Phi * wi * ry;
    }
}
