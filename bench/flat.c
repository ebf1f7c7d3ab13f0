/* flat.c - see flat.h; plain scalar C at -O2 with libm, as a flattening tool would hope to emit it.
 *
 * Crane crab: cart M on a slider, load m on a rod l, gravity g. With Phi = w + T_D z:
 *   (M + m) a + m l (cos z - sin Phi w) = 0,   cos a + l z + g sin = 0
 *
 * Chain: absolute angles q_i and rates w_i are sums over the joints; link i carries its mass at its
 * end. Written as the three passes of an articulated chain with a 3 x 4 answer per link,
 * columns for (Phi, a_x, a_y, z) and one constant. The tree is the same with a sum over children.
 *
 * Cable: with k = d_el TD the accelerations couple neighbours,
 *   m a_i + k (a_i - a_{i-1}) - k (a_{i+1} - a_i) = e_{i+1} - e_i,
 *   e_i = c (s_i - s_{i-1}) + d (v_i - v_{i-1}):
 * a tridiagonal system, solved by elimination. */
#include "flat.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

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

/* the law F of a link, rows fx, fy, t and columns Phi, ax, ay, z, one: taken from its end, where
 * its mass is added, to its joint, which is eliminated; row is the answer of the joint */
static inline void reduce_link(double F[3][5], double *row, double rx, double ry, double wi,
                               double own, double TD, double m)
{
    const double g = 9.81;
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
    double pivot = F[2][3] + TD * F[2][0], u[3];
    for (int r = 0; r < 3; r++) {
        F[r][4] += F[r][0] * own;
        u[r] = F[r][3] + TD * F[r][0];
    }
    for (int c = 0; c < 5; c++) {
        row[c] = -F[2][c] / pivot;
        for (int r = 0; r < 3; r++)
            F[r][c] += u[r] * row[c];
    }
}

void flat_chain(const double *x, double *dx, double *work, double TD, double l, double m, size_t n)
{
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
        double *link = work + 16 * i;
        reduce_link(F, link + 3, link[0], link[1], link[2], x[n + i], TD, m);
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

/* what the tree keeps of a link: 32 numbers */
typedef struct TreeLink {
    double q, w, rx, ry;
    double Phi, ax, ay, z; /* at its end */
    double row[5], F[3][5], spare[4];
} TreeLink;

void flat_tree(const double *x, double *dx, double *work, const int *parent, double TD, double l,
               double m, size_t n)
{
    TreeLink *links = (TreeLink *)work;
    static const TreeLink ground;
    for (size_t i = 0; i < n; i++) {
        const TreeLink *p = parent[i] < 0 ? &ground : &links[parent[i]];
        TreeLink *k = &links[i];
        k->q = p->q + x[i];
        k->w = p->w + x[n + i];
        k->rx = l * cos(k->q);
        k->ry = l * sin(k->q);
        memset(k->F, 0, sizeof k->F);
    }
    for (size_t i = n; i-- > 0;) {
        TreeLink *k = &links[i];
        reduce_link(k->F, k->row, k->rx, k->ry, k->w, x[n + i], TD, m);
        if (parent[i] < 0)
            continue;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 5; c++)
                links[parent[i]].F[r][c] += k->F[r][c];
    }
    for (size_t i = 0; i < n; i++) {
        const TreeLink *p = parent[i] < 0 ? &ground : &links[parent[i]];
        TreeLink *k = &links[i];
        const double *row = k->row;
        double u = row[0] * p->Phi + row[1] * p->ax + row[2] * p->ay + row[3] * p->z + row[4];
        dx[i] = x[n + i] + TD * u;
        dx[n + i] = u;
        k->Phi = p->Phi + dx[i];
        k->z = p->z + u;
        k->ax = p->ax - k->z * k->ry - k->Phi * k->w * k->rx;
        k->ay = p->ay + k->z * k->rx - k->Phi * k->w * k->ry;
    }
}

void flat_cable(const double *x, double *dx, double *work, double TD, double m, double c, double d,
                size_t n)
{
    const double *s = x, *v = x + n;
    double *upper = work, *right = work + n; /* row i: a_i = right_i - upper_i a_{i+1} */
    double k = (d + c * TD) * TD, e = c * s[0] + d * v[0];
    double before_upper = 0, before_right = 0;
    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n;
        double next = last ? 0 : c * (s[i + 1] - s[i]) + d * (v[i + 1] - v[i]);
        double diagonal = m + (last ? k : 2 * k);
        double pivot = diagonal + k * before_upper; /* the coupling downward is -k */
        upper[i] = before_upper = last ? 0 : -k / pivot;
        right[i] = before_right = (next - e + k * before_right) / pivot;
        e = next;
    }
    double a = 0;
    for (size_t i = n; i-- > 0;) {
        a = right[i] - upper[i] * a;
        dx[i] = v[i] + TD * a;
        dx[n + i] = a;
    }
}
