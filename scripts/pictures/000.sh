# Paper 000: damped dialectic mechanics. What they show: docs/papers/000.md

# eigenvalues NAME [OPTION]...: adds those of one mass to results/papers/NAME.dat, a line for each
eigenvalues() {
    name=$1
    shift
    "$lieder" eigen models/papers/000/one_mass.mo --log-format json "$@" > "$results/eigen.json"
    sed -n '/"eigenvalue"/s/.*"real":\([^,]*\),"imaginary":\([^,]*\),.*/\1,\2/p' \
        "$results/eigen.json" >> "$results/$name.dat"
}

# plane NAME WIDTH HEIGHT: a picture of the complex plane by gnuplot, whose commands follow
plane() {
    {
        echo "set encoding utf8
set terminal svg enhanced size $2,$3 font 'Helvetica,Arial,sans-serif,14' background '#ffffff'
set output '$pictures/$1.svg'
set border 3 linecolor rgb '#555555' linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb '#222222'
set grid linetype 1 linecolor rgb '#dddddd' linewidth 0.7
set size ratio -1
set xlabel 'T_D Re λ'
set ylabel 'T_D Im λ'
set key outside top center horizontal Left reverse samplen 1 width 1
TD = 1e-5
set datafile separator ','
set parametric
set trange [pi/2:3*pi/2]
set samples 200
set style fill solid 1 noborder"
        cat
    } > "$results/$1.gp"
    (cd "$results" && gnuplot "$1.gp")
    echo "docs/pictures/$1.svg"
}

# figure 2: eigenvalues of masses of all kinds, and the half circle they keep to
rm -f "$results"/000_figure_2.dat
for omega in 1e3 1e4 3e4 1e5 2e5 5e5 1e6 1e8; do
    for zeta in 0.01 0.1 0.3 1 2 5 20 100 1000; do
        eigenvalues 000_figure_2 --override omega=$omega --override zeta=$zeta
    done
done
plane 000_figure_2 620 680 << 'end'
set xrange [-1.1:0.1]
set yrange [-1.1:1.1]
plot cos(t), sin(t) with filledcurves closed linecolor rgb '#e4e4e4' title 'below 1/T_D', \
    -1+cos(2*t), sin(2*t) with lines dashtype 2 linecolor rgb '#555555' title '|1 + T_D λ| = 1', \
    '000_figure_2.dat' using ($1*TD):($2*TD) with points pointtype 7 pointsize 0.5 linecolor rgb '#0072b2' title 'dialectic'
end

# figure 3: growing damping at three frequencies; classical eigenvalues and where they go
rm -f "$results"/000_figure_3*.dat
for omega in 1e6 1e5 1e4; do
    for zeta in 0.05 0.2 0.4 0.6 0.8 0.95 1.02 1.1 1.25; do
        eigenvalues 000_figure_3_classical_$omega --override omega=$omega --override zeta=$zeta --override world.TD=0
        eigenvalues 000_figure_3_dialectic_$omega --override omega=$omega --override zeta=$zeta
    done
done
plane 000_figure_3 1150 620 << 'end'
set multiplot
set key at screen 0.5, screen 0.98 center top horizontal
do for [i=1:3] {
    omega = word("1e6 1e5 1e4", i)
    w = 10**(2-i)
    set lmargin at screen 0.09 + 0.32*(i-1)
    set rmargin at screen 0.35 + 0.32*(i-1)
    set bmargin at screen 0.12
    set tmargin at screen 0.84
    set title sprintf('undamped frequency %g / T_D', w)
    set xrange [-2.2*w:0.2*w]
    set yrange [-1.6*w:1.6*w]
    set xtics w
    set ytics w
    plot cos(t), sin(t) with filledcurves closed linecolor rgb '#e4e4e4' title 'below 1/T_D', \
        '000_figure_3_classical_'.omega.'.dat' using ($1*TD):($2*TD) with points pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072b2' title 'classical', \
        '000_figure_3_dialectic_'.omega.'.dat' using ($1*TD):($2*TD) with points pointtype 2 pointsize 0.6 linewidth 1.5 linecolor rgb '#d55e00' title 'dialectic'
    unset ylabel
    unset key
}
unset multiplot
end

# figure 4: a stiff mass with little damping; d + c T_D in place of d, or T_D, and the regions where
# explicit solvers are stable, for a step of 1e-5 s
rm -f "$results"/000_figure_4*.dat
"$lieder" stability --solver rk1 --solver rk2 --solver rk3 --solver rk4 \
    --output "$results/000_figure_4_regions.csv" > "$results/000_figure_4_regions.txt"
eigenvalues 000_figure_4 --override omega=4e5 --override zeta=0.02 --override world.TD=0
for TD in 2e-7 5e-7 1e-6 1.5e-6 2e-6 3e-6 4e-6 6e-6 1e-5 2e-5; do
    eigenvalues 000_figure_4_TD --override omega=4e5 --override zeta=0.02 --override world.TD=$TD
    eigenvalues 000_figure_4_d --override omega=4e5 --override world.TD=0 \
        --override zeta="$(awk "BEGIN { print 0.02 + 4e5 * $TD / 2 }")"
done
plane 000_figure_4 720 760 << 'end'
h = 1e-5
set xlabel 'h Re λ'
set ylabel 'h Im λ'
set xrange [-4.6:0.7]
set yrange [-4.4:4.4]
set key maxcols 4
unset parametric
plot for [k=1:4] '000_figure_4_regions.csv' skip 1 using (column(2*k)):(column(2*k+1)) with lines linewidth 1.6 linecolor rgb word('#999999 #009e73 #cc79a7 #222222', k) title 'rk'.k, \
    '000_figure_4.dat' using (h*$1):(h*$2) with points pointtype 3 pointsize 1 linewidth 2 linecolor rgb '#222222' title 'original', \
    '000_figure_4_d.dat' using ($1*h):($2*h) with points pointtype 6 pointsize 0.7 linewidth 1.5 linecolor rgb '#0072b2' title 'growing d', \
    '000_figure_4_TD.dat' using ($1*h):($2*h) with points pointtype 1 pointsize 0.8 linewidth 1.8 linecolor rgb '#d55e00' title 'growing T_D'
end

# table 1: behind the filter the dialectic mass moves as the classical one
run 000_table_1 papers/000/spring_damper --solver rk3 --step 1e-4 \
    --record 'joint\.s|sensor\.y|classicalJoint\.s'
picture 000_table_1 000_table_1.mat --panel --y joint.s sensor.y classicalJoint.s

# figure 6: the force of the spring after the step from 10 N to 0 N
sweep 000_figure_6 papers/000/two_masses --solver rk3 --step 1.2e-3 --vary world.TD=0,1e-3 \
    --record 'springForce\.y'
picture 000_figure_6 000_figure_6.csv --y springForce.y --from 0.117 --to 0.2 \
    --title 'force of the spring in N, after 10 N end at 0.12 s'

# figure 7: the difference of the positions, scaled, for three stiffnesses and one step
sweep 000_figure_7 papers/000/two_masses --solver rk3 --step 1.2e-3 --vary c=1e6,1e12,1e18 \
    --record 'scaled\.y'
picture 000_figure_7 000_figure_7.csv --y scaled.y --from 0.118 --to 0.14 \
    --title 'difference of the positions in m, times c / 1e6'
