import { ServiceError } from "../../base/errors";
import { mountPath, path } from "../../base/path";
import type { Dialect } from "../../base/settings";
import type { SecretsClient } from "../client";

/** Deleted or found missing by this process: writing one again sends a password that may have been rotated. */
export class FormerConfigurations {
  readonly mounts = new Set<string>();

  /** An engine that was never configured has neither roles nor sets. */
  async had(client: SecretsClient, mount: string): Promise<boolean> {
    if (this.mounts.has(mount)) {
      return true;
    }
    const at = mountPath(mount);
    const lists = [
      { path: path`/${at}/static-role`, isPlain: true as const },
      { path: path`/${at}/library`, isPlain: undefined },
    ];
    for (const list of lists) {
      // A failed list proves nothing.
      const names = await client
        .list({ ...list, summary: `list the roles and sets of ${mount}` })
        .catch(() => []);
      if (names.length > 0) {
        return true;
      }
    }
    return false;
  }
}

/** Mounts whose bind password this process has rotated. */
export class RotatedMounts {
  readonly mounts = new Set<string>();
}

/** The documentation requires a password in each write, without showing the error; the products only in the first. */
export function mayLackBindPassword(error: unknown, dialect: Dialect): boolean {
  if (!ServiceError.isInstance(error) || [401, 403, 404].includes(error.status)) {
    return false;
  }
  return dialect === "documented"
    ? [400, 422].includes(error.status)
    : error.messages.some((text) => /bind[ _-]?pass/i.test(text));
}
