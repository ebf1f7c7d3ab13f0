/* test_loops.c - models whose arrays stay loops, against the same models written out as scalars:
 * the same states and names, start values, derivatives at random states and all other variables,
 * bit for bit, for every size from the least one on. The code has the same length for all sizes.
 * What cannot stay a loop is written out and says why. */
#include "help/full.h"
#include "hybrid_help.h"

#include <lieder/variables.h>

#include "equation/class/summary.h"
#include "starved.h"

enum { WRITTEN_OUT = 1000000000, LEAST = 18 };

/* N is the size of all of them */
static const char *const models[][2] = {
    {"Upwind", "parameter Integer N = 20; parameter Real L = 2, v = 3; parameter Real dx = L/N;\n"
               "Real x[N](each start = 0.1, each fixed = true);\n"
               "equation der(x[1]) = -v/dx*(x[1] - sin(time));\n"
               "for i in 2:N loop der(x[i]) = -v/dx*(x[i] - x[i - 1]); end for;"},
    {"Heat",
     "parameter Integer N = 20; parameter Real k[N + 1] = {1 + 0.1*i for i in 0:N};\n"
     "parameter Real c[N] = linspace(1, 2, N); Real T[N](start = {300 + i^2 for i in 1:N});\n"
     "Real Q[N + 1], total;\n"
     "equation Q[1] = k[1]*(400 - T[1]); Q[N + 1] = k[N + 1]*(T[N] - 290 - time);\n"
     "Q[2:N] = k[2:N].*(T[1:N - 1] - T[2:N]); c.*der(T) = Q[1:N] - Q[2:N + 1];\n"
     "total = sum(c[i]*T[i] for i in 1:N);"},
    {"Counter", "parameter Integer N = 20; Real a[N](each start = 1), b[N](each start = 2), q[N];\n"
                "Real power, most;\n"
                "equation for i in 1:N loop q[i] = a[i] - b[N + 1 - i]; end for;\n"
                "der(a[1]) = 1 - a[1] - q[1]; der(b[1]) = 3 - b[1] + q[N];\n"
                "for i in 2:N loop der(a[i]) = a[i - 1] - a[i] - q[i];\n"
                "der(b[i]) = b[i - 1] - b[i] + q[N + 1 - i]; end for;\n"
                "power = sum(q); most = sum(a) - sum(b);"},
    {"Sweep", "parameter Integer N = 20; Real x[N](each start = 0.5), up[N], down[N], both[N];\n"
              "equation up[1] = x[1]; for i in 2:N loop up[i] = 0.5*up[i - 1] + x[i]; end for;\n"
              "down[N] = sin(x[N]);\n"
              "for i in 1:N - 1 loop down[i] = 0.3*down[i + 1]*x[i]; end for;\n"
              "for i in 1:N loop both[i] = up[i] - down[i]; der(x[i]) = -both[i]; end for;"},
    {"Entwined",
     "parameter Integer N = 20; Real x[N](each start = 0.5), p[N], q[N];\n"
     "equation p[1] = x[1]; q[1] = 0;\n"
     "for i in 2:N loop p[i] = 0.9*q[i - 1] + x[i]; q[i] = 0.8*p[i] - x[i - 1]; end for;\n"
     "der(x) = p - q;"},
    {"Oscillators",
     "parameter Integer N = 20; parameter Real m = 2, c = 30;\n"
     "Real x[N](each start = 0), v[N](start = {sin(i) for i in 1:N});\n"
     "equation for i in 1:N loop der(x[i]) = v[i]; end for;\n"
     "m*der(v[1]) = c*(x[2] - x[1]); m*der(v[N]) = c*(x[N - 1] - x[N]);\n"
     "for i in 2:N - 1 loop m*der(v[i]) = c*(x[i + 1] - 2*x[i] + x[i - 1]); end for;"},
    {"Numbers", "parameter Integer N = 20; Real x[N](each start = 1), y[N], z[2, N];\n"
                "equation for i in 1:N loop der(x[i]) = -i*x[i] + (N - i)*y[i] + N; end for;\n"
                "for i in 1:N loop y[i] = 2*i + 1 + x[1]; z[1, i] = x[i]; z[2, i] = i*z[1, i];\n"
                "end for;"},
    {"Pairs", "parameter Integer N = 20; Real x[N](each start = 1), y[N], z[N];\n"
              "equation for i in 1:N loop y[i] + 2*z[i] = x[i]; y[i] - z[i]*x[i]^2 = time;\n"
              "der(x[i]) = y[i] - z[i]; end for;"},
    {"Second",
     "parameter Integer N = 20; Real x[N](each start = 1), w[N];\n"
     "equation for i in 1:N loop der(w[i]) = -x[i] - 0.1*w[i]; w[i] = der(x[i]); end for;"},
    {"Index",
     "parameter Integer N = 20; Real a[N](each start = 1), b[N], f[N];\n"
     "equation for i in 1:N loop a[i] = 2*b[i] + i; der(a[i]) + der(b[i]) = f[i]; end for;\n"
     "f[1] = -a[1]; for i in 2:N loop f[i] = b[i - 1] - a[i]; end for;"},
    {"Begun", "parameter Integer N = 20; parameter Real x0 = 3; Real x[N];\n"
              "initial equation x[1] = x0*N; for i in 2:N loop x[i] = 0.5*x[i - 1] + i; end for;\n"
              "equation for i in 1:N loop der(x[i]) = -x[i]; end for;"},
    {"Step", "parameter Integer N = 20; Real x[N](each start = 0), u;\n"
             "equation u = if time < 0.5 then 1 else 2; der(x[1]) = u - x[1];\n"
             "for i in 2:N loop der(x[i]) = x[i - 1] - x[i]; end for;"},
    {"Curves",
     "parameter Integer N = 20; parameter Real a = 0.7; Real x[N](each start = 1), y[N];\n"
     "equation der(x[1]) = (1.0/N)*x[2]; der(x[N]) = -0.5/(N - 1)*x[N];\n"
     "for i in 2:N - 1 loop\n"
     "der(x[i]) = N^2*a*(x[i - 1] - 2*x[i] + x[i + 1]) - 3*(N + 1)^2*x[i]; end for;\n"
     "for i in 1:N loop y[i] = x[i]*(1.0/N) - x[1]*(2/(N + 2)); end for;"},
    {"Chain", "connector Port Real T; flow Real Q; end Port;\n"
              "model Mass Port p; parameter Real C = 1; Real T(start = 300, fixed = true);\n"
              "equation T = p.T; C*der(T) = p.Q; end Mass;\n"
              "model Wall Port a, b; parameter Real G = 2;\n"
              "equation a.Q = G*(a.T - b.T); a.Q + b.Q = 0; end Wall;\n"
              "model Hot Port p; equation p.T = 400 + 10*time; end Hot;\n"
              "parameter Integer N = 20; Hot h; Mass m[N](C = {3 + i for i in 1:N}); Wall w[N];\n"
              "Real heat = sum(m.T);\n"
              "equation connect(h.p, w[1].a); for i in 1:N loop connect(w[i].b, m[i].p); end for;\n"
              "for i in 1:N - 1 loop connect(m[i].p, w[i + 1].a); end for;"},
    {"Bounce", "parameter Integer N = 20; parameter Real r[N] = linspace(1, 2, N);\n"
               "Real h[N](start = r, each fixed = true), v[N](each start = 0, each fixed = true);\n"
               "equation for i in 1:N loop der(h[i]) = v[i]; der(v[i]) = -9.81;\n"
               "when h[i] < 0 then reinit(v[i], -0.8*pre(v[i])); end when; end for;"},
    {"Switched", "parameter Integer N = 20; parameter Real r[N] = linspace(1, 2, N);\n"
                 "Real x[N](each start = 0, each fixed = true), y[N];\n"
                 "Boolean e[N](each start = false, each fixed = true);\n"
                 "Integer c[N](each start = 0, each fixed = true);\n"
                 "equation for i in 1:N loop der(x[i]) = r[i];\n"
                 "y[i] = if x[i] > 0.2 then 1 else 2*x[i];\n"
                 "when x[i] > 0.3 then e[i] = true; end when;\n"
                 "when x[i] > 0.15*(1 + pre(c[i])) then c[i] = pre(c[i]) + 1; end when; end for;"},
    {"Watched",
     "model Part parameter Real T = 2; Real x(start = 0.5); equation der(x) = -T*x;\n"
     "assert(x > -1e3, \"too low\"); end Part;\n"
     "parameter Integer N = 20; Part p[N](T = linspace(1, 2, N)); Real sum = 0.5*p[N].x;"},
    {"Ends",
     "parameter Integer N = 20; Real x[N](start = {sin(i) for i in 1:N}), y[N], z[N], w[N];\n"
     "equation for i in 1:N loop der(x[i]) = if i == 1 then -x[i] elseif i == N then x[i - 1]\n"
     "else x[i - 1] - 2*x[i] + x[i + 1];\n"
     "if i > 3 then y[i] = x[i - 3]; else y[i] = i*time; end if;\n"
     "z[i] = if N - 2 >= i then 2*x[i] else x[i]; end for;\n"
     "for i in 1:N - 1 loop w[i] = if i < N then x[i + 1] else 1; end for; w[N] = x[1];"},
    {"Smoothed",
     "parameter Integer N = 20; Real x[N](start = {sin(i) for i in 1:N}), y[N];\n"
     "algorithm for i in 1:N loop y[i] := if i > 1 then 0.5*(x[i] + x[i - 1]) else x[i];\n"
     "end for; equation der(x) = -y;"},
    {"Numbered",
     "model Cell parameter Integer k; parameter Integer last; Real x(start = 1);\n"
     "equation if k == 1 then der(x) = -x; elseif k >= last - 1 then der(x) = -2*x;\n"
     "else der(x) = -3*x; end if; end Cell;\n"
     "parameter Integer N = 20; Cell c[N](k = 1:N, each last = N); Real s = c[1].x + c[N].x;"},
    {"Implicit",
     "parameter Integer N = 20; parameter Real k[N] = linspace(1, 2, N);\n"
     "Real p[N](start = linspace(2, 1, N)), w[N], y[N](each start = 0.5, each nominal = 2);\n"
     "equation for i in 1:N loop k[i]*y[i]^3 + y[i] = p[i] + 0.1*exp(-y[i]); w[i] = y[i] - p[i];\n"
     "end for; der(p[1]) = 2 - y[1]; for i in 2:N loop der(p[i]) = y[i - 1] - y[i]; end for;"},
    {"Flow", "parameter Integer N = 20;\n"
             "Real m[N - 1](each start = 1), p[N](start = {2 - 0.5*i/N for i in 1:N});\n"
             "equation for i in 1:N - 1 loop p[i] - p[i + 1] = 0.3*m[i]*abs(m[i]) + 0.1*m[i];\n"
             "end for; der(p[1]) = 1 - m[1]; der(p[N]) = m[N - 1] - sqrt(p[N] + 4);\n"
             "for i in 2:N - 1 loop der(p[i]) = m[i - 1] - m[i]; end for;"},
    {"Cells", "model Cell parameter Real k = 2; input Real u; Real p(start = 1), a, b, c, d, e;\n"
              "Real f(start = 0.1), g; equation\n"
              "a + p*b - c*k + sin(p)*d = p; a*p + 3*b + c*k - d + e = u;\n"
              "a - p*p*b - 5*c*k + 7*d - cos(p)*e = time; a*2 + p*b - c*k + 8*d*exp(p) = 2;\n"
              "a*2 + p*b - c*k + 8*d + 9*e = 2; f^5 + f = a + g; g^3 + 2*g = b - f;\n"
              "der(p) = -p + 0.01*(f + a); end Cell;\n"
              "parameter Integer N = 20; Cell c[N](k = linspace(2, 3, N), u = {i for i in 1:N});\n"
              "Real z[N](each start = 1), s = sum(c.g);\n"
              "equation for i in 1:N loop der(z[i]) = c[i].f - z[i]; end for;"},
    {"Found", "parameter Integer N = 20; parameter Real k[N] = linspace(1, 9, N);\n"
              "Real x[N], y[N](each start = 1);\n"
              "initial equation for i in 1:N loop x[i]^3 + x[i] = k[i]; end for;\n"
              "equation for i in 1:N loop der(x[i]) = -y[i]; y[i]*exp(y[i]) = 1 + x[i]^2;\n"
              "end for;"},
    {"Star", "connector Pin Real v; flow Real i; end Pin;\n"
             "model Branch Pin p, n; parameter Real R = 1, L = 2; Real i(start = 0.1);\n"
             "equation p.v - n.v = R*i + L*der(i); p.i = i; n.i = -i; end Branch;\n"
             "model Ground Pin p; equation p.v = 0; end Ground;\n"
             "model Source Pin p; equation p.v = sin(time); end Source;\n"
             "parameter Integer N = 20; Source s; Ground g; Branch b[N](R = linspace(1, 3, N));\n"
             "equation for i in 1:N loop connect(s.p, b[i].p); connect(b[i].n, g.p); end for;"},
    {"Called",
     "function f input Integer i; output Real y; algorithm y := if i > 2 then 1 else 2; end f;\n"
     "parameter Integer N = 20; Real x[N](each start = 1);\n"
     "equation for i in 1:N loop der(x[i]) = -f(i)*x[i]; end for;"},
    {"Odd", "parameter Integer N = 20; Real x[N](each start = 1);\n"
            "equation for i in 1:N loop der(x[i]) = -(1 + mod(i, 2))*x[i]; end for;"},
    {"Rounded", "parameter Integer N = 20; Real x[N](each start = 1);\n"
                "equation for i in 1:N loop der(x[i]) = -x[i]/i*(1.0/N)*(3*(1.0/N)); end for;"},
    {"Sine", "parameter Integer N = 20; Real x[N](each start = 1);\n"
             "equation for i in 1:N loop der(x[i]) = -sin(i*0.3/N)*x[i]; end for;"},
    {"Grid", "constant Real L = 0.3, k = 1.1; parameter Integer N = 20; constant Real dx = L/20;\n"
             "final parameter Real c = 2.5; constant Real pi = 3.14159265358979;\n"
             "Real u[N](each start = 0), s[N], r = 0.1*N^3;\n"
             "equation for i in 1:N loop s[i] = sin(2*pi*(i - 0.5)/N)*exp(-k*time) + i*(L/N);\n"
             "der(u[i]) = c*((if i > 1 then u[i - 1] else 0.1/N) - 2*u[i]\n"
             "+ (if i < N then u[i + 1] else L))/(L/N)^2 + s[i]/dx; end for;"},
    {"Weights",
     "constant Real w[:] = {0.5, 0.25, 0.125, 1/3}; parameter Integer N = 20; Real x[N], y[N], z;\n"
     "Real q[N] = {sqrt(i)/N for i in 1:N}; parameter Real a = 2;\n"
     "initial equation for i in 1:N loop x[i] = a*cos(i*0.7); end for;\n"
     "equation der(x) = -linspace(0.1, 0.9, N).*x + q; y = {x[i]/(i + 1/3) for i in 1:N};\n"
     "z = sum(w[k]*x[k] for k in 1:4) + sum(i^2*x[i] for i in 1:N)/N^3 + max(x[1], 1.0/N);"},
    {"Profiles",
     "model Part parameter Integer n; parameter Integer k; input Real u; Real x(start = 1);\n"
     "constant Real g = 9.81; equation der(x) = u - x*k/n^2 - g*x*(if k > n/2 then 1 else 2);\n"
     "end Part; connector Signal = input Real;\n"
     "parameter Integer N = 20; Part p[N](each n = N, k = 1:N, u = {sin(i/N)*time for i in 1:N});\n"
     "Real s; equation s = sum(p.x) + p[1].x*p[N].x;"},
    {"Late", "parameter Integer N = 20; Real x[N](each start = 0, each fixed = true);\n"
             "discrete Real y[N](each start = 0, each fixed = true); equation for i in 1:N loop\n"
             "der(x[i]) = if x[i] > 0.02*i/N then 1 else 0.3/i;\n"
             "when x[i] > 0.07*sqrt(i) then y[i] = time; end when; end for;"},
};

/* arrays that grow in two directions */
static const char *const planes[][2] = {
    {"Plate",
     "parameter Integer N = 20; parameter Real k = 2, L = 3, h = L/N;\n"
     "parameter Real c[N, N] = {{1 + 0.1*i + sin(j) for j in 1:N} for i in 1:N};\n"
     "Real T[N, N](start = {{300 + i^2 + cos(j) for j in 1:N} for i in 1:N});\n"
     "Real Qx[N + 1, N], Qy[N, N + 1], heat;\n"
     "equation for j in 1:N loop Qx[1, j] = 2*k*(400 - T[1, j]);\n"
     "Qx[N + 1, j] = 2*k*(T[N, j] - 290 - time); Qy[j, 1] = 0; Qy[j, N + 1] = 0; end for;\n"
     "for i in 2:N, j in 1:N loop Qx[i, j] = k*(T[i - 1, j] - T[i, j]); end for;\n"
     "for i in 1:N, j in 2:N loop Qy[i, j] = k*(T[i, j - 1] - T[i, j]); end for;\n"
     "for i in 1:N, j in 1:N loop\n"
     "h^2*c[i, j]*der(T[i, j]) = Qx[i, j] - Qx[i + 1, j] + Qy[i, j] - Qy[i, j + 1]; end for;\n"
     "heat = sum(c[i, j]*T[i, j] for i in 1:N, j in 1:N) + sum(Qx[1, :]);"},
    {"Stencil",
     "parameter Integer N = 20; Real u[N, N](start = {{sin(i)*j for j in 1:N} for i in 1:N});\n"
     "Real v[N, N](each start = 0), e[N, N], edge[N];\n"
     "equation for i in 1:N loop for j in 1:N loop der(u[i, j]) = v[i, j];\n"
     "der(v[i, j]) = (if i > 1 then u[i - 1, j] else 0) + (if i < N then u[i + 1, j] else u[1, "
     "j])\n"
     "+ (if j > 2 then u[i, j - 2] else time) + (if j < N then u[i, j + 1] else 0) - 4*u[i, j];\n"
     "e[i, j] = (i + 2*j)*u[i, j] + N*v[j, i]; end for; edge[i] = e[i, 1] + e[N, i]; end for;"},
    {"Rows", "parameter Integer N = 20; Real x[N, N + 2](each start = 1), row[N], column[N + 2];\n"
             "Real all, mean[N];\n"
             "equation for i in 1:N loop row[i] = sum(x[i, :]); mean[i] = sum(x[i, j]*j for j in "
             "1:N + 2)/N; end for; for j in 1:N + 2 loop column[j] = sum(x[:, j]); end for;\n"
             "for i in 1:N, j in 1:N + 2 loop der(x[i, j]) = row[i] - column[j] - i*x[i, j];\n"
             "end for; all = sum(x) - sum(row) + mean[2];"},
    {"Corner",
     "parameter Integer N = 20; Real x[N, N](start = {{i - j for j in 1:N} for i in 1:N});\n"
     "Real u[N, N], d[N, N], m[N, N];\n"
     "equation u[1, :] = x[1, :]; for i in 2:N loop u[i, 1] = x[i, 1]; for j in 2:N loop\n"
     "u[i, j] = 0.5*u[i - 1, j] + 0.25*u[i, j - 1] + x[i, j]; end for; end for;\n"
     "for i in 1:N loop d[i, N] = x[i, N]; for j in 1:N - 1 loop\n"
     "d[i, j] = 0.3*d[i, j + 1] + x[i, j]; end for; end for;\n"
     "m[N, :] = x[:, N]; for i in 1:N - 1 loop m[i, 1] = time; for j in 2:N loop\n"
     "m[i, j] = 0.5*m[i + 1, j] - 0.5*m[i, j - 1] + x[j, i]; end for; end for;\n"
     "der(x) = u - d + m;"},
    {"Net", "connector Port Real T; flow Real Q; end Port;\n"
            "model Cell Port l, r, b, t; parameter Real C = 1, G = 2; Real T(start = 300);\n"
            "equation C*der(T) = l.Q + r.Q + b.Q + t.Q; l.Q = G*(l.T - T); r.Q = G*(r.T - T);\n"
            "b.Q = G*(b.T - T); t.Q = G*(t.T - T); end Cell;\n"
            "model Hot Port p; equation p.T = 400 + 10*time; end Hot;\n"
            "parameter Integer N = 20; Hot h;\n"
            "Cell c[N, N](C = {{1 + i + 0.1*j for j in 1:N} for i in 1:N});\n"
            "equation for i in 1:N loop connect(h.p, c[i, 1].l); end for;\n"
            "for i in 1:N, j in 1:N - 1 loop connect(c[i, j].r, c[i, j + 1].l); end for;\n"
            "for i in 1:N - 1, j in 1:N loop connect(c[i, j].t, c[i + 1, j].b); end for;"},
    {"Layers",
     "model Layer parameter Integer n = 3; input Real u; parameter Real k[n] = linspace(1, 2, n);\n"
     "Real s(start = 2); Real x[n](each start = 1), y[n](each start = 0), z;\n"
     "equation der(s) = u - s; der(x[1]) = u - x[1]; for i in 2:n loop der(x[i]) = x[i - 1] - "
     "x[i]; end for; der(y) = x - y; z = x[n]*s; end Layer;\n"
     "parameter Integer N = 20; Layer a[N](each n = N, u = {i*time for i in 1:N});\n"
     "Real out = a[2].z + a[N].x[3];"},
    {"Rectangle",
     "parameter Integer N = 20, M = 31; Real x[N, M](each start = 1), y[M, N], top[M];\n"
     "equation for i in 1:N loop der(x[i, 1]) = time - x[i, 1]; for j in 2:M loop\n"
     "der(x[i, j]) = M*x[i, j - 1] - N*x[i, j]; end for; end for;\n"
     "for i in 1:M, j in 1:N loop y[i, j] = (2*M - i)*x[j, i]; end for;\n"
     "for i in 1:M loop top[i] = y[i, N] - x[1, i]; end for;"},
    {"Wells", "parameter Integer N = 20; Real x[N, N](each start = 1), y[N, N](each start = 1);\n"
              "equation for i in 1:N, j in 1:N loop y[i, j]^3 + y[i, j] = x[i, j] + 2*i + j;\n"
              "der(x[i, j]) = y[i, j] - (if j > 1 then 2*y[i, j - 1] else 0); end for;"},
    {"Laid", "parameter Integer N = 20; Real x[N, N];\n"
             "initial equation for i in 1:N, j in 1:N loop x[i, j] = i + N*time - 2*j; end for;\n"
             "equation for i in 1:N, j in 1:N loop der(x[i, j]) = -x[j, i]; end for;"},
    {"Fourier",
     "parameter Integer N = 20; Real a[N, N](each start = 1), b[N];\n"
     "equation for i in 1:N, j in 1:N loop der(a[i, j]) = -sin(i*j*0.1/N)*a[i, j] + 1/(i + j);\n"
     "end for; for i in 1:N loop b[i] = sum(cos(j*0.2)*a[i, j] for j in 1:N)/N; end for;"},
};

/* sizes that are no parameters of the model: @ is the size, # one less, ~ one more, % twice the
 * size and three */
static const char *const written[][2] = {
    {"Plain", "Real x[@](each start = 1), q[~]; parameter Real k = 3;\n"
              "equation q[1] = sin(time); q[~] = 0; for i in 2:@ loop q[i] = x[i - 1] - x[i];\n"
              "end for; for i in 1:@ loop der(x[i]) = k*(q[i] - q[i + 1]); end for;"},
    {"Dense", "Real x[@](start = linspace(1, 2, @)), y[#]; Real heavy = 1000*x[3], near = @*x[2];\n"
              "equation for i in 1:# loop y[i] = x[i + 1] - x[i]; der(x[i]) = y[i]; end for;\n"
              "der(x[@]) = -x[@]/@;"},
    {"Constant", "constant Integer n = @; Real x[n](each start = 1);\n"
                 "equation der(x[1]) = -x[1]; for i in 2:n loop der(x[i]) = x[i - 1] - n*x[i];\n"
                 "end for;"},
    {"Final", "final parameter Integer n = @; parameter Real c[n] = {i^2 for i in 1:n};\n"
              "Real x[n](each start = 1); equation for i in 1:n loop der(x[i]) = -c[i]*x[i];\n"
              "end for;"},
    {"Inner",
     "model Pipe parameter Integer n = 5; parameter Real k = 2; Real x[n](each start = 1);\n"
     "equation der(x[1]) = time - x[1];\n"
     "for i in 2:n loop der(x[i]) = k*(x[i - 1] - x[i]); end for; end Pipe;\n"
     "Pipe p(n = @, k = 4); Real out = p.x[p.n];"},
    {"Default", "model Pipe parameter Integer n = @; Real x[n](each start = 1);\n"
                "equation der(x[1]) = time - x[1];\n"
                "for i in 2:n loop der(x[i]) = x[i - 1] - x[i]; end for; end Pipe;\n"
                "Pipe p; Real y(start = 0); equation der(y) = p.x[end] - y;"},
    {"Twins", "model Pipe parameter Integer n = 5; input Real u; Real x[n](each start = 1);\n"
              "equation der(x[1]) = u - x[1];\n"
              "for i in 2:n loop der(x[i]) = x[i - 1] - n*x[i]; end for; end Pipe;\n"
              "Pipe p(n = @, u = sin(time)), q(n = @, u = p.x[end]); Real s = sum(p.x);"},
    {"Uneven", "model Pipe parameter Integer n = 5; input Real u; Real x[n](each start = 1);\n"
               "equation der(x[1]) = u - x[1];\n"
               "for i in 2:n loop der(x[i]) = x[i - 1] - n*x[i]; end for; end Pipe;\n"
               "Pipe p(n = @, u = sin(time)), q(n = %, u = p.x[end]); Real s = sum(q.x);"},
    {"Several",
     "parameter Integer n = @, m = %; Real x[n](each start = 1), y[m](each start = 2);\n"
     "Real z[~](each start = 0);\n"
     "equation der(x[1]) = y[m]; for i in 2:n loop der(x[i]) = x[i - 1] - x[i]; end for;\n"
     "for i in 1:m loop der(y[i]) = x[n] - m*y[i] + n; end for;\n"
     "for i in 1:n loop der(z[i]) = x[i] - i*z[i]; end for; der(z[n + 1]) = -z[n];"},
    {"Joined", "connector Port Real T; flow Real Q; end Port;\n"
               "model Rod parameter Integer n = 3; Port a, b; Real T[n](each start = 300);\n"
               "Real Q[n + 1]; equation Q[1] = 2*(a.T - T[1]); Q[n + 1] = 2*(T[n] - b.T);\n"
               "for i in 2:n loop Q[i] = T[i - 1] - T[i]; end for; der(T) = Q[1:n] - Q[2:n + 1];\n"
               "a.Q = Q[1]; b.Q = -Q[n + 1]; end Rod;\n"
               "model Hot Port p; equation p.T = 400 + 10*time; end Hot;\n"
               "Hot h, g; Rod r(n = @); equation connect(h.p, r.a); connect(r.b, g.p);"},
};

/* what does not stay a loop, and what is said about it */
static const char *const others[][3] = {
    {"Half",
     "parameter Integer N = 20; Real x[N](each start = 1);\n"
     "equation for i in 1:N loop der(x[i]) = if i > 50 then -x[i] else -2*x[i]; end for;",
     "compares"},
    {"Beyond",
     "model Pipe parameter Integer n = 5, cut = 2; Real x[n](each start = 1);\n"
     "equation for i in 1:n loop der(x[i]) = if i > cut then -x[i] else -2*x[i]; end for; end "
     "Pipe;\n"
     "parameter Integer N = 20; Pipe a(n = N, cut = 2), b(n = N, cut = 60); Real s = a.x[1] + "
     "b.x[2];",
     "compares"},
    {"Sixth",
     "parameter Integer N = 20; Real x[N](each start = 1);\n"
     "equation for i in 1:N loop der(x[i]) = if i == 6 then -x[i] else -2*x[i]; end for;",
     "compares"},
    {"Middle",
     "parameter Integer N = 20; Real x[N](each start = 1);\n"
     "equation for i in 1:N loop der(x[i]) = if 2*i > N then -x[i] else -2*x[i]; end for;",
     "compares"},
    {"Tenth",
     "parameter Integer N = 20; Real x[N](each start = 1);\n"
     "equation for i in 1:N loop der(x[i]) = -div(N, 10)*x[i]; end for;",
     "compares or rounds"},
    {"Whole",
     "parameter Integer N = 20; parameter Integer M = div(N, 2); Real x[N], y[M];\n"
     "equation der(x) = -x; for i in 1:M loop y[i] = x[2*i]; end for;",
     "evenly"},
    {"Diagonal",
     "parameter Integer N = 20; Real x[N, N](each start = 1);\n"
     "equation for i in 1:N loop for j in 1:N loop\n"
     "der(x[i, j]) = if i == j then -x[i, j] else 0; end for; end for;",
     "compares"},
    {"Line",
     "parameter Integer N = 20; Real x[N](each start = 1), y[N];\n"
     "equation y[1] = x[1]; y[N] = x[N]; der(x) = -y;\n"
     "for i in 2:N - 1 loop 4*y[i] - y[i - 1] - y[i + 1] = x[i]; end for;",
     ""},
    {"Chained",
     "parameter Integer N = 20; Real x[N](each start = 1), y[N](each start = 1);\n"
     "equation y[1] = x[1]; y[N] = x[N]; der(x) = -y;\n"
     "for i in 2:N - 1 loop 4*y[i]^3 - y[i - 1] - y[i + 1] = x[i]; end for;",
     "several elements"},
    {"Numbered",
     "parameter Integer N = 20; Real x[N](each start = 1), y[N](each start = 1);\n"
     "equation for i in 1:N loop der(x[i]) = -y[i]; y[i]^3 + i*y[i] = x[i]; end for;",
     "the same form"},
};

static Built build_size(const char *name, const char *body, long n, size_t loops)
{
    char text[4000], number[30];
    snprintf(text, sizeof text, "model %s %s end %s;", name, body, name);
    snprintf(number, sizeof number, "%ld", n);
    const FrontOverride override = {.name = "N", .value = number};
    const FrontLimits limits = {.loops = loops};
    return require_built(build_within(text, name, &override, 1, &limits));
}

/* the same with the size in the text */
static Built build_written(const char *name, const char *body, long n, size_t loops)
{
    char text[4000];
    int at = snprintf(text, sizeof text, "model %s ", name);
    for (const char *c = body; *c; c++) {
        long number = *c == '@'   ? n
                      : *c == '#' ? n - 1
                      : *c == '~' ? n + 1
                      : *c == '%' ? 2 * n + 3
                                  : 0;
        at += number ? snprintf(text + at, sizeof text - (size_t)at, "%ld", number)
                     : snprintf(text + at, sizeof text - (size_t)at, "%c", *c);
        assert_true((size_t)at < sizeof text - 40);
    }
    snprintf(text + at, sizeof text - (size_t)at, " end %s;", name);
    const FrontLimits limits = {.loops = loops};
    return require_built(build_within(text, name, NULL, 0, &limits));
}

/* the class of the model */
static const CellSummary *summary(const Built *b)
{
    return front_cell(b->front, front_cell_count(b->front) - 1);
}

/* a number in -1 ... 1 */
static double draw_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || a == b;
}

/* Is a variable one of the text? Start values are one vector, and what has no name there, such as
 * relations, is numbered in another order. */
static bool is_of_text(const LiederSystem *system, size_t i, char *name, size_t size)
{
    LiederVariableKind kind = lieder_variable_info(system, i).kind;
    lieder_variable_name(system, i, name, size);
    return kind != LIEDER_VARIABLE_PARAMETER && !strchr(name, ' ');
}

/* every variable that is a function of time and states, by its name */
static void compare_variables(Built *a, Built *b, double t, const double *x)
{
    LiederObserver *p = lieder_observer_create(a->system), *q = lieder_observer_create(b->system);
    size_t n = 0, count = 0, room = 4 * lieder_variable_count(a->system) + 1000;
    double *u = test_calloc(room, sizeof *u), *v = test_calloc(room, sizeof *v);
    char name[200], next[200];
    ptrdiff_t other = -1;
    for (size_t i = 0; i < lieder_variable_count(a->system); i++) {
        LiederHandle h, k;
        if (!is_of_text(a->system, i, name, sizeof name))
            continue;
        count++;
        other++; /* most are in the same order */
        next[0] = 0;
        if ((size_t)other < lieder_variable_count(b->system))
            lieder_variable_name(b->system, (size_t)other, next, sizeof next);
        if (strcmp(name, next) != 0)
            other = lieder_variable_find(b->system, name);
        if (other < 0)
            fail_msg("'%s' is no variable of the model written out", name);
        if (!lieder_variable_handle(a->system, i, 0, &h) ||
            !lieder_variable_handle(b->system, (size_t)other, 0, &k))
            continue;
        if (lieder_observer_watch(p, &h) >= 0 && lieder_observer_watch(q, &k) >= 0)
            n++;
    }
    for (size_t i = 0; i < lieder_variable_count(b->system); i++)
        count -= is_of_text(b->system, i, name, sizeof name);
    assert_int_equal(count, 0);
    assert_true(n > 0);
    assert_int_equal(lieder_observer_evaluate(p, t, x, u), LIEDER_DONE);
    assert_int_equal(lieder_observer_evaluate(q, t, x, v), LIEDER_DONE);
    for (size_t i = 0; i < n; i++)
        if (!same_bits(u[i], v[i]))
            fail_msg("variable %zu is %.17g and %.17g", i, u[i], v[i]);
    test_free(u);
    test_free(v);
    lieder_observer_destroy(p);
    lieder_observer_destroy(q);
}

/* states, start values, derivatives and variables of both forms */
static void compare_forms(const char *name, Built *a, Built *b)
{
    size_t n = lieder_system_state_count(a->system);
    uint64_t seed = 7;
    double *x = test_calloc(n + 1, sizeof *x), *y = test_calloc(n + 1, sizeof *y),
           *dx = test_calloc(n + 1, sizeof *dx), *dy = test_calloc(n + 1, sizeof *dy);
    assert_int_equal(lieder_system_state_count(b->system), n);
    assert_int_equal(lieder_system_start(a->system, x), LIEDER_DONE);
    assert_int_equal(lieder_system_start(b->system, y), LIEDER_DONE);
    for (size_t i = 0; i < n; i++) {
        char p[100], q[100];
        lieder_system_state_name(a->system, i, p, sizeof p);
        lieder_system_state_name(b->system, i, q, sizeof q);
        assert_string_equal(p, q);
        if (!same_bits(x[i], y[i]))
            fail_msg("%s: %s starts at %.17g and %.17g", name, p, x[i], y[i]);
    }
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n && k; i++)
            x[i] = 3 * draw_number(&seed);
        assert_int_equal(lieder_system_derivatives(a->system, 0.4 * k, x, dx), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(b->system, 0.4 * k, x, dy), LIEDER_DONE);
        for (size_t i = 0; i < n; i++)
            if (!same_bits(dx[i], dy[i]))
                fail_msg("%s: derivative %zu is %.17g and %.17g", name, i, dx[i], dy[i]);
        compare_variables(a, b, 0.4 * k, x);
    }
    test_free(x);
    test_free(y);
    test_free(dx);
    test_free(dy);
}

/* a model with both forms of its arrays, for some sizes */
static void compare_sizes(const char *const *model, const long *sizes, size_t n)
{
    for (size_t s = 0; s < n; s++) {
        Built a = build_size(model[0], model[1], sizes[s], 1);
        Built b = build_size(model[0], model[1], sizes[s], WRITTEN_OUT);
        if (!summary(&a)->loops)
            fail_msg("%s is written out: %s", model[0], front_scalars_why(a.front));
        assert_null(summary(&b)->loops);
        compare_forms(model[0], &a, &b);
        drop(&a);
        drop(&b);
    }
}

static void loops_are_scalars(void **state)
{
    static const long sizes[] = {LEAST,     LEAST + 1, LEAST + 2, LEAST + 3,
                                 LEAST + 4, LEAST + 5, LEAST + 6, 77};
    (void)state;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t s = m % IN_FULL(1, 3); s < sizeof sizes / sizeof *sizes; s += IN_FULL(1, 3))
            compare_sizes(models[m], &sizes[s], 1);
}

/* arrays of two indices: boxes, their edges and corners */
static void planes_are_scalars(void **state)
{
    static const long sizes[] = {LEAST, LEAST + 5};
    (void)state;
    for (size_t m = 0; m < sizeof planes / sizeof *planes; m++)
        compare_sizes(planes[m], sizes, sizeof sizes / sizeof *sizes);
}

/* sizes in the text, of constants and of components */
static void written_sizes_are_scalars(void **state)
{
    static const long sizes[] = {LEAST + 4, LEAST + 5, LEAST + 6, LEAST + 7, 77, 1000};
    (void)state;
    for (size_t m = 0; m < sizeof written / sizeof *written; m++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            if ((m + s) % IN_FULL(1, 3) != 0)
                continue;
            Built a = build_written(written[m][0], written[m][1], sizes[s], 1);
            Built b = build_written(written[m][0], written[m][1], sizes[s], WRITTEN_OUT);
            if (!summary(&a)->loops)
                fail_msg("%s is written out: %s", written[m][0], front_scalars_why(a.front));
            assert_null(summary(&b)->loops);
            compare_forms(written[m][0], &a, &b);
            drop(&a);
            drop(&b);
        }
}

/* runs with events, row by row */
static void events_are_those_of_scalars(void **state)
{
    static const char *const paths[][2] = {{"Bounce", "h[1] v[1] h[7] v[20] h[20]"},
                                           {"Switched", "x[3] y[5] e[20] c[1] c[20]"},
                                           {"Step", "x[1] x[20] u"}};
    (void)state;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            if (strcmp(models[m][0], paths[k][0]) != 0)
                continue;
            Built a = build_size(models[m][0], models[m][1], 20, 1);
            Built b = build_size(models[m][0], models[m][1], 20, WRITTEN_OUT);
            Run p = run_with(&a, adaptive(1), paths[k][1]),
                q = run_with(&b, adaptive(1), paths[k][1]);
            assert_int_equal(p.status, LIEDER_DONE);
            assert_int_equal(q.status, LIEDER_DONE);
            assert_int_equal(p.nrow, q.nrow);
            assert_true(p.statistics.state_events + p.statistics.time_events > 0);
            assert_int_equal(p.statistics.state_events, q.statistics.state_events);
            for (size_t i = 0; i < p.nrow; i++)
                for (size_t c = 0; c <= p.npath; c++)
                    assert_true(same_bits(p.rows[i * (1 + MAX_PATHS) + c],
                                          q.rows[i * (1 + MAX_PATHS) + c]));
            run_drop(&p);
            run_drop(&q);
            drop(&a);
            drop(&b);
        }
}

/* a model with two sizes: what is made of it has one length */
static void compare_lengths(const char *const *model, long few, long many)
{
    Built a = build_size(model[0], model[1], few, 1);
    Built b = build_size(model[0], model[1], many, 1);
    const CellSummary *p = summary(&a), *q = summary(&b);
    assert_non_null(p->loops);
    assert_int_equal(p->ncode, q->ncode);
    assert_int_equal(p->nloop, q->nloop);
    assert_int_equal(p->npoint, q->npoint);
    assert_int_equal(q->nelement, lieder_system_state_count(b.system));
    drop(&a);
    drop(&b);
}

/* neither steps of the analysis nor code depend on the size; memory is that of numbers and names */
static void code_has_one_length(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        compare_lengths(models[m], 100, IN_FULL(5000, 1000));
    for (size_t m = 0; m < sizeof planes / sizeof *planes; m++)
        compare_lengths(planes[m], 19, 70);
}

static void others_are_written_out(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof others / sizeof *others; m++) {
        Built a = build_size(others[m][0], others[m][1], 120, 1);
        if (summary(&a)->loops)
            fail_msg("%s is no loop", others[m][0]);
        if (!*front_scalars_why(a.front) || !strstr(front_scalars_why(a.front), others[m][2]))
            fail_msg("%s: %s", others[m][0], front_scalars_why(a.front));
        drop(&a);
    }
}

/* What small sizes do not tell: thresholds and tables whose numbers change beyond them. Loops or
 * not, the numbers are those of the model written out. */
static const char *const misleading[][2] = {
    {"Capped", "parameter Integer N = 40; parameter Integer k[N] = {min(i, 25) for i in 1:N};\n"
               "Real x[N](start = {i for i in 1:N}), y[N]; equation for i in 1:N loop\n"
               "der(x[i]) = -x[i]; y[i] = x[k[i]]; end for;"},
    {"Threshold", "parameter Integer N = 40; parameter Real c = 0.04, p[N] = {i*c for i in 1:N};\n"
                  "Real x[N](each start = 1), y[N]; equation for i in 1:N loop der(x[i]) = -x[i];\n"
                  "if p[i] > 1 then y[i] = 5*x[i]; else y[i] = x[i]; end if; end for;"},
    {"Switch", "parameter Integer N = 40; parameter Real h = 1/N; Real x[N](each start = 1);\n"
               "equation if h < 0.04 then for i in 1:N loop der(x[i]) = -x[i]; end for;\n"
               "else der(x) = -2*x; end if;"},
    {"Evaluated",
     "parameter Integer N = 40; Real x[N](each start = 1), y[N];\n"
     "parameter Real p[N] = {i*0.04 for i in 1:N} annotation(Evaluate = true);\n"
     "equation for i in 1:N loop der(x[i]) = -x[i]; y[i] = floor(p[i])*x[i]; end for;"},
    {"Listed",
     "constant Real c[:] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 9,\n"
     "9, -8, 7, 7, 7, 1}; parameter Integer N = 24; Real x[N](each start = 1);\n"
     "equation for i in 1:N loop der(x[i]) = -c[i]*x[i]; end for;"},
    {"Chosen",
     "constant Boolean c[:] = cat(1, fill(true, 19), {false, true, false, true, true});\n"
     "parameter Integer N = 24; Real x[N](start = 1:N), y[N]; equation for i in 1:N loop\n"
     "der(x[i]) = -x[i]; if c[i] then y[i] = x[i]; else y[i] = 2*x[i]; end if; end for;"},
    {"Gathered",
     "constant Integer c[:] = cat(1, 2:20, {1, 1, 2, 1, 3}); parameter Integer N = 24;\n"
     "Real x[N](start = 1:N), y[N]; equation for i in 1:N loop der(x[i]) = -x[i];\n"
     "y[i] = x[c[i]]; end for;"},
    {"Hidden",
     "function f input Integer i; output Real y; protected Real t[:] = cat(1, ones(19),\n"
     "{5, 6, 7, 8, 9}); algorithm y := t[i]; end f; parameter Integer N = 24;\n"
     "Real x[N](start = 1:N); equation for i in 1:N loop der(x[i]) = -f(i)*x[i]; end for;"},
    {"Mixed", "function f input Real x; input Integer i; output Real y; protected Real t[:] =\n"
              "cat(1, ones(19), {5, 6, 7, 8, 9}); algorithm y := t[i]*x; end f;\n"
              "parameter Integer N = 24; Real x[N](start = 1:N); equation for i in 1:N loop\n"
              "der(x[i]) = -f(x[i], i); end for;"},
    {"Tiny", "parameter Integer N = 120; Real x[N](each start = 1); equation for i in 1:N loop\n"
             "der(x[i]) = -(i + 1e-20*2.0^i)*x[i]; end for;"},
    {"Parts", "connector Port Real v; flow Real i; end Port; model Part Port p; parameter Real k;\n"
              "parameter Boolean big = k > 1; Real x(start = 1); equation der(x) = p.v - x;\n"
              "if big then p.i = x; else p.i = 2*p.v; end if; end Part;\n"
              "model Drive Port p; parameter Real u = 1; equation p.v = sin(u*time); end Drive;\n"
              "parameter Integer N = 40; Part c[N](k = {0.04*i for i in 1:N}); Drive d[N];\n"
              "equation for i in 1:N loop connect(c[i].p, d[i].p); end for;"},
    {"Ranged", "parameter Integer N = 24; parameter Integer k[N] = cat(1, 1:20, {1, 1, 2, 3});\n"
               "Real x[N](each start = 1), s[N]; equation for i in 1:N loop der(x[i]) = -x[i];\n"
               "s[i] = sum(x[1:k[i]]); end for;"},
    {"Quiet",
     "parameter Integer N = 40; parameter Integer m = if N > 30 then 3 else 2;\n"
     "Real x[N](each start = 1); equation for i in 1:N loop der(x[i]) = -m*x[i]; end for;"},
};

static void misleading_models_are_right(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof misleading / sizeof *misleading; m++) {
        const char *const *model = misleading[m];
        const char *size = strstr(model[1], "Integer N = ");
        assert_non_null(size);
        const long n = strtol(size + 12, NULL, 10);
        Built a = build_size(model[0], model[1], n, 1);
        Built b = build_size(model[0], model[1], n, WRITTEN_OUT);
        compare_forms(model[0], &a, &b);
        drop(&a);
        drop(&b);
    }
}

/* the k-th allocation fails */
static void starve_model(const char *const *model)
{
    char text[2000];
    snprintf(text, sizeof text, "model %s %s end %s;", model[0], model[1], model[0]);
    for (char *p = text; (p = strstr(p, "N = 20")); p += 6)
        memcpy(p, "N = 40", 6);
    starve((Starved){.text = text, .class_name = model[0], .finer = 10, .loops = 30});
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        if (strcmp(models[m][0], "Counter") == 0 || strcmp(models[m][0], "Implicit") == 0)
            starve_model(models[m]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_are_scalars),
                                       cmocka_unit_test(planes_are_scalars),
                                       cmocka_unit_test(written_sizes_are_scalars),
                                       cmocka_unit_test(events_are_those_of_scalars),
                                       cmocka_unit_test(code_has_one_length),
                                       cmocka_unit_test(others_are_written_out),
                                       cmocka_unit_test(misleading_models_are_right),
                                       cmocka_unit_test(memory_may_run_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
