// Every run draws the same values, so that a failure repeats. PROPERTY_SEED=7 draws others, PROPERTY_RUNS=5000 more.
import fc from "fast-check";

const { PROPERTY_SEED: seed = "1", PROPERTY_RUNS: runs } = process.env;

fc.configureGlobal({ seed: Number(seed), ...(runs === undefined ? {} : { numRuns: Number(runs) }) });
