import { dirname, join } from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { ensurePulumiCli } from "../../../scripts/pulumi-cli";
import { quickStart } from "../../support/quick-start";

let found: ReturnType<typeof find> | undefined;

/** Searched once per process, because each search runs the CLI. */
export function testCli(): ReturnType<typeof find> {
  return (found ??= find());
}

async function find() {
  const installation = await ensurePulumiCli();
  const root = dirname(installation.directory);
  // The Automation API accepts `<root>/bin/pulumi` or the first `pulumi` on PATH.
  const command = PulumiCommand.get(installation.command === join(root, "bin", "pulumi") ? { root } : {});
  const { NODE_OPTIONS = "" } = installation.environment();
  return {
    command: await command,
    /** The environment of the CLI and its child processes; `extra` takes precedence. */
    environment: (extra: Readonly<Record<string, string>>) =>
      installation.environment({
        // `npm run check` and the tests of documents check the types of all programs.
        PULUMI_NODEJS_TRANSPILE_ONLY: "true",
        // The CLI collects garbage less often, for many short operations.
        GOGC: "400",
        NODE_OPTIONS: `${NODE_OPTIONS} ${quickStart}`.trim(),
        ...extra,
      }),
  };
}
