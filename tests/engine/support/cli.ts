import { dirname, join } from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { ensurePulumiCli, type PulumiInstallation } from "../../../scripts/pulumi-cli";

/** The Pulumi CLI as the tests run it. */
export interface TestCli {
  /** As the Automation API takes it. */
  readonly command: PulumiCommand;
  /** The environment of the CLI and of what it starts; `extra` is applied last. */
  environment(extra: Readonly<Record<string, string>>): Record<string, string>;
}

let found: Promise<TestCli> | undefined;

/** The CLI, which is looked for once a process: each look runs it. */
export function testCli(): Promise<TestCli> {
  found ??= find();
  return found;
}

async function find(): Promise<TestCli> {
  const installation = await ensurePulumiCli();
  const root = dirname(installation.directory);
  return {
    // The Automation API finds `<root>/bin/pulumi` and the first `pulumi` on PATH; an installation is one of the two.
    command: await PulumiCommand.get(installation.command === join(root, "bin", "pulumi") ? { root } : {}),
    environment: (extra) => installation.environment({ ...quickStart(installation), ...extra }),
  };
}

/** What makes the many short operations of these tests cheaper and changes nothing that they do. */
function quickStart(installation: PulumiInstallation): Record<string, string> {
  const { NODE_OPTIONS = "" } = installation.environment();
  const preloaded = JSON.stringify(join(__dirname, "load-when-used.cjs"));
  return {
    NODE_OPTIONS: `${NODE_OPTIONS} --require=${preloaded}`.trim(),
    // The CLI collects garbage only when it would become large.
    GOGC: "off",
    GOMEMLIMIT: "1GiB",
  };
}
