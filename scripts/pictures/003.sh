# Paper 003: the crane crab. What it shows: docs/papers/003.md
run 003_crane_crab crane_crab --record 'prismatic\.s|revolute\.phi'
picture 003_crane_crab 003_crane_crab.mat --y prismatic.s revolute.phi
