// Property tests draw the same values in every run, so that what fails fails again. PROPERTY_SEED=7 draws others, and
// PROPERTY_RUNS=5000 more of them.
import fc from "fast-check";

const { PROPERTY_SEED: seed = "1", PROPERTY_RUNS: runs } = process.env;

fc.configureGlobal({ seed: Number(seed), ...(runs === undefined ? {} : { numRuns: Number(runs) }) });
