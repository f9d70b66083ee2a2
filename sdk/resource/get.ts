import { version } from "@pulumi/pulumi/version";
import { TriviumError } from "../base/errors";

const oldestMinor = 268;
const oldest = `3.${oldestMinor}.0`;

/**
 * Reading an existing object by id crashes in older SDKs, in the engine's provider process, where nothing can be
 * said about it any more.
 *
 * @param className as a program writes it: `provisioning.Project`
 * @throws TriviumError naming the version to install
 */
export function assertGetSupported(className: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 3 && minor < oldestMinor) {
    throw new TriviumError(
      `${className}.get needs @pulumi/pulumi ${oldest} or newer, but this program runs ${version}. ` +
        `Run \`npm install @pulumi/pulumi@^${oldest}\`: without a version, npm installs an older one on Node.js 20. ` +
        "Everything else in pulumi-trivium works with the version that you have.",
    );
  }
}
