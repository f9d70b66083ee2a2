import { ServiceError } from "../../base/errors";
import { mountPath, path } from "../../base/path";
import type { SecretsClient } from "../client";

/**
 * The configurations that this process has deleted or found missing. Writing one again sends the program's
 * password, which may have been rotated since.
 */
export class FormerConfigurations {
  readonly mounts = new Set<string>();

  /** Whether an engine was configured before it is configured now: without that it can hold neither roles nor sets. */
  async had(client: SecretsClient, mount: string): Promise<boolean> {
    if (this.mounts.has(mount)) {
      return true;
    }
    const lists: readonly (readonly [folder: string, isPlain?: true])[] = [
      ["static-role", true],
      ["library"],
    ];
    for (const [folder, isPlain] of lists) {
      const at = path`/${mountPath(mount)}/${folder}`;
      // A failure to list proves nothing, and the configuration exists.
      const names = await client
        .list({ summary: `list ${folder} of ${mount}`, path: at, isPlain })
        .catch(() => []);
      if (names.length > 0) {
        return true;
      }
    }
    return false;
  }
}

/** Whether a service has refused a write because it has no password to bind with. How it says so is not documented. */
export function lacksBindPassword(error: unknown): boolean {
  return (
    ServiceError.isInstance(error) &&
    ![401, 403, 404].includes(error.status) &&
    error.words.some((text) => /bind[ _-]?pass/i.test(text))
  );
}
