# Paper 001: dialectic mechanics. What they show: docs/papers/001.md

sweep 001_mass_on_spring papers/001/mass_on_spring --solver rk4 --step 5e-5 \
    --vary world.TD=1e-4,1e-3,5e-3,2e-2 --record 'joint\.s'
picture 001_mass_on_spring 001_mass_on_spring.csv --y joint.s

# figure 4: both with the step that belongs to their T_D
for TD in 1e-3 1e-6; do
    run 001_clamp_$TD papers/001/clamp --solver rk3 --step $TD --interval 1e-3 \
        --override world.TD=$TD --record 'penetration\.y'
done
picture 001_figure_4 001_clamp_1e-6.mat 001_clamp_1e-3.mat --y penetration.y \
    --label 'T_D = 1 us' --label 'T_D = 1 ms' \
    --title 'penetration into the left jaw in mm'

sweep 001_limited_joint papers/001/limited_joint --solver rk4 --step 1e-3 \
    --vary world.TD=1e-4,1e-3,1e-2 --record 'revolute\.phi'
picture 001_limited_joint 001_limited_joint.csv --y revolute.phi

# figures 6 to 8
run 001_thread_pendulum papers/001/thread_pendulum --tolerance 1e-8
drawing 001_figure_6.svg 001_thread_pendulum.mat papers/001/thread_pendulum --to 2.6 --frames 30
sweep 001_thread papers/001/thread_pendulum --tolerance 1e-8 --vary world.TD=1e-4,1e-3,1e-2 \
    --record 'thread\.gap|prismatic\.s'
picture 001_figure_7 001_thread.csv --y thread.gap --to 0.83 \
    --title 'gap of the thread in m: negative where it is longer than at rest'
picture 001_figure_8 001_thread.csv --y prismatic.s

# figures 9 and 10
run 001_landing_gear papers/001/landing_gear
picture 001_figure_9 001_landing_gear.mat --panel --y legJoint.phi --panel knee.phi --to 2.5
drawing 001_figure_10.svg 001_landing_gear.mat papers/001/landing_gear --to 0.9 --frames 7
