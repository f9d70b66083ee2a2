import { table } from "./tally";

/** Loaded before the tests by `npm run test:hostile`: everything is tried, and what was tried is shown in the end. */
process.env.TRIVIUM_HOSTILE = "all";

export const mochaHooks = {
  afterAll(): void {
    process.stdout.write(`\n${table()}\n`);
  },
};
