import { version } from "@pulumi/pulumi/version";
import { TriviumError } from "../http/errors";

const oldestMinor = 268;

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
      `${className}.get needs @pulumi/pulumi 3.${oldestMinor}.0 or newer; this program runs ${version}. ` +
        "Everything else of pulumi-trivium works with it.",
    );
  }
}
