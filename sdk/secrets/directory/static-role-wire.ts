import { mountPath, path, type Path } from "../../base/path";
import { builtOnce } from "../../base/validation";
import { durationInSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import type { RoleName } from "./names";

/** A static role as the service answers it. */
export interface StaticRoleState {
  readonly username: string;
  /** `undefined` where the service does not say. */
  readonly dn: string | null | undefined;
  readonly rotationPeriod: number;
  readonly lastRotation: string | null;
}

// How a time is written that has not been.
const never = /^0001-01-01T/;

/**
 * When a password was last rotated, as answers tell it.
 *
 * @returns null when it never was
 * @internal
 */
export function lastRotationOf(
  data: Readonly<Record<string, unknown>>,
  client: SecretsClient,
): string | null {
  const time = data[client.dialect.lastRotation];
  return typeof time === "string" && time !== "" && !never.test(time) ? time : null;
}

/** @internal */
export function staticRolePath({ mount, roleName }: RoleName): Path {
  return path`/${mountPath(mount)}/static-role/${roleName}`;
}

const staticRoleShape = builtOnce((z) =>
  z.looseObject({
    username: z.string(),
    dn: z.string().nullish(),
    rotation_period: durationInSeconds(z),
  }),
);

/**
 * Reads a static role.
 *
 * @returns `undefined` when there is none
 * @internal
 */
export async function readStaticRole(
  client: SecretsClient,
  role: RoleName,
): Promise<StaticRoleState | undefined> {
  const data = await client.read({
    summary: `read the static role ${role.roleName} of ${role.mount}`,
    path: staticRolePath(role),
    data: staticRoleShape,
  });
  return (
    data && {
      username: data.username,
      dn: data.dn,
      rotationPeriod: data.rotation_period,
      lastRotation: lastRotationOf(data, client),
    }
  );
}
