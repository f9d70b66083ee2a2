import { ServiceError } from "../../base/errors";
import { mountPath, path } from "../../base/path";
import type { Dialect } from "../../base/settings";
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

/** The mounts whose bind password this process has rotated. */
export class RotatedMounts {
  readonly mounts = new Set<string>();
}

/**
 * Whether a service may have refused a write because it has no password to bind with. The documents require one in each
 * write, and do not show how its lack is said; the products only want it in the first.
 */
export function mayLackBindPassword(error: unknown, dialect: Dialect): boolean {
  if (!ServiceError.isInstance(error) || [401, 403, 404].includes(error.status)) {
    return false;
  }
  return dialect === "documented"
    ? [400, 422].includes(error.status)
    : error.messages.some((text) => /bind[ _-]?pass/i.test(text));
}
