/**
 * Installs an official release: `install-release <directory> <version>`. It is a process of its own because
 * the Automation API's installation cannot be interrupted, while a process can.
 */
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { SemVer } from "semver";

const [root, version] = process.argv.slice(2);
PulumiCommand.install({ root, version: new SemVer(version ?? "") }).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
