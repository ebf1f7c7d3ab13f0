# The phenomena that paper 001 opens with. What they show: docs/papers/phenomena.md

run breaking_thread papers/phenomena/breaking_thread
drawing breaking_thread.svg breaking_thread.mat papers/phenomena/breaking_thread --to 0.75 --frames 9

run stick_slip papers/phenomena/stick_slip --record 'slide\.[sv]|pull\.y'
picture stick_slip stick_slip.mat --panel --y pull.y --panel slide.v

run hard_contact papers/phenomena/hard_contact \
    --record 'flight\.(y|vx)|floor\.touch\.slip'
picture hard_contact hard_contact.mat --panel --y flight.y --panel flight.vx floor.touch.slip

run gripper papers/phenomena/gripper
drawing gripper.svg gripper.mat papers/phenomena/gripper --from 0.3 --to 2.2 --frames 4
sweep gripper_forces papers/phenomena/gripper \
    --vary grip=9,9.7,12,20,60 --record 'motion\.y|atLeft\.touch\.N'
picture gripper_forces gripper_forces.csv --y motion.y --title 'height of the workpiece in m'

run servicing papers/phenomena/servicing
drawing servicing.svg servicing.mat papers/phenomena/servicing --to 1.5 --frames 4
picture servicing_rates servicing.mat --y chaserMotion.w targetMotion.w --to 3
