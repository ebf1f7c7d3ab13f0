# Paper 003: the crane crab. What it shows: docs/papers/003.md
run 003_crane_crab crane_crab
picture 003_crane_crab 003_crane_crab.mat --y prismatic.s revolute.phi --to 5
drawing 003_crane_crab_motion.svg 003_crane_crab.mat crane_crab --to 0.95
