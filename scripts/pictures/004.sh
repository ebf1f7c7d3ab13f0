# Paper 004: mechanics in one dimension. What they show: docs/papers/004.md

run 004_spring_damper_mass papers/004/spring_damper_mass --solver rk4 --step 1e-3
picture 004_spring_damper_mass 004_spring_damper_mass.mat --y slide.s --panel hinge.phi

run 004_gear papers/004/gear --solver rk4 --step 1e-3 \
    --record 'joint\.phi|load\.flange_a\.phi|before\.y|behind\.y'
picture 004_gear 004_gear.mat --y joint.phi load.flange_a.phi --panel before.y behind.y

run 004_rolling_wheel papers/004/rolling_wheel --solver rk4 --step 1e-2 \
    --record 'axle\.phi|mass\.flange_a\.s'
picture 004_rolling_wheel 004_rolling_wheel.mat --y mass.flange_a.s --panel axle.phi

run 004_two_springs papers/004/two_springs --record 'joint\.s|mass1\.flange_a\.s'
picture 004_two_springs 004_two_springs.mat --y joint.s --panel mass1.flange_a.s

run 004_friction_curve papers/004/friction_curve --solver rk4 --step 1e-3 \
    --record '(single|triple)S\.(v_rel|f_ki)'
picture 004_friction_curve 004_friction_curve.mat --x tripleS.v_rel --y singleS.f_ki tripleS.f_ki

# the ball with counter spin: its velocity, and that of its rim against its middle
for contact in damper friction; do
    run 004_counter_spin_$contact papers/004/counter_spin_$contact --record 'travel\.v|wheel\.flangeT\.v'
    picture 004_counter_spin_$contact 004_counter_spin_$contact.mat --y travel.v wheel.flangeT.v
done
