import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../sdk/package.json";
import { recordings } from "../tests/upgrade/support/recording";
import { recordStates } from "../tests/upgrade/support/record";

const help = `Records the states that the version in sdk/package.json writes, for the tests of later versions.

  node -r ts-node/register scripts/record-state.ts [--again]

  --again  replaces the recordings: only before the version has been published
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { again: { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help === true) {
    process.stdout.write(help);
    return;
  }
  if (existsSync(join(recordings, version)) && values.again !== true) {
    throw new Error(`The states of version ${version} are kept already. What was published never changes.`);
  }
  const folder = await recordStates(version);
  process.stdout.write(`Recorded in ${relative(resolve(__dirname, ".."), folder)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
