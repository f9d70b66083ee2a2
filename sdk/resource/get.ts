import { version } from "@pulumi/pulumi/version";
import { TriviumError } from "../base/errors";

const oldestMinor = 268;
const oldest = `3.${oldestMinor}.0`;

/**
 * Older SDKs crash in the engine's provider process when they read an existing object by id, and cannot show
 * a message.
 *
 * @param className as written in a program: `provisioning.Project`
 * @throws TriviumError naming the version to install
 */
export function assertGetSupported(className: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 3 && minor < oldestMinor) {
    throw new TriviumError(
      `${className}.get requires @pulumi/pulumi ${oldest} or later, but this program uses ${version}. ` +
        `Run \`npm install @pulumi/pulumi@^${oldest}\`: without a version, npm installs an older one on Node.js 20. ` +
        "The rest of pulumi-trivium works with your version.",
    );
  }
}
