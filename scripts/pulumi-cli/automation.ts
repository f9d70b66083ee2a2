import path from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import type { PulumiInstallation } from "./installation";

/**
 * The installation as the Automation API takes it: the option `pulumiCommand` of a workspace. Give the
 * workspace `installation.environment(...)` as its `envVars`.
 */
export async function automationCommand(installation: PulumiInstallation): Promise<PulumiCommand> {
  const root = path.dirname(installation.directory);
  // The API finds `<root>/bin/pulumi` and the first `pulumi` on PATH, and an installation is one of the two.
  return PulumiCommand.get(installation.command === path.join(root, "bin", "pulumi") ? { root } : {});
}
