import { dirname, join } from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { ensurePulumiCli, type PulumiInstallation } from "../../../scripts/pulumi-cli";
import { quickStart } from "../../support/quick-start";

export interface TestCli {
  readonly command: PulumiCommand;
  /** The environment of the CLI and its child processes; `extra` takes precedence. */
  environment(extra: Readonly<Record<string, string>>): Record<string, string>;
}

let found: Promise<TestCli> | undefined;

/** Searched once per process, because each search runs the CLI. */
export function testCli(): Promise<TestCli> {
  found ??= find();
  return found;
}

async function find(): Promise<TestCli> {
  const installation = await ensurePulumiCli();
  const root = dirname(installation.directory);
  return {
    // The Automation API accepts `<root>/bin/pulumi` or the first `pulumi` on PATH.
    command: await PulumiCommand.get(installation.command === join(root, "bin", "pulumi") ? { root } : {}),
    environment: (extra) => installation.environment({ ...settingsFor(installation), ...extra }),
  };
}

/** Make the many short operations of the tests faster without changing what they do. */
export const quickOperations = {
  // `npm run check` and the tests of documents check the types of all programs.
  PULUMI_NODEJS_TRANSPILE_ONLY: "true",
  // The CLI collects garbage less often.
  GOGC: "400",
};

function settingsFor(installation: PulumiInstallation): Record<string, string> {
  const { NODE_OPTIONS = "" } = installation.environment();
  return { ...quickOperations, NODE_OPTIONS: `${NODE_OPTIONS} ${quickStart}`.trim() };
}
