# Paper 000: damped dialectic mechanics. What they show: docs/papers/000.md

# table 1: behind the filter the dialectic mass moves as the classical one
run 000_table_1 papers/000/spring_damper --solver rk3 --step 1e-4 \
    --record 'joint\.s|sensor\.y|classicalJoint\.s'
picture 000_table_1 000_table_1.mat --panel --y joint.s sensor.y classicalJoint.s

# figure 6: the force of the spring after the step from 10 N to 0 N
sweep 000_figure_6 papers/000/two_masses --solver rk3 --step 1.2e-3 --vary world.TD=0,1e-3 \
    --record 'springForce\.y'
picture 000_figure_6 000_figure_6.csv --y springForce.y --from 0.117 --to 0.2

# figure 7: the difference of the positions, scaled, for three stiffnesses and one step
sweep 000_figure_7 papers/000/two_masses --solver rk3 --step 1.2e-3 --vary c=1e6,1e12,1e18 \
    --record 'scaled\.y'
picture 000_figure_7 000_figure_7.csv --y scaled.y --from 0.115 --to 0.15
