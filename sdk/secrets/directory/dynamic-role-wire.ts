import { mountPath, path, type Path } from "../../base/path";
import { builtOnce } from "../../base/validation";
import { durationInSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import type { RoleName } from "./names";

/** A dynamic role as the service answers it. */
export interface DynamicRoleState {
  readonly creationLdif: string;
  readonly deletionLdif: string;
  readonly rollbackLdif: string;
  readonly usernameTemplate: string;
  readonly defaultTtl: number;
  readonly maxTtl: number;
}

/** The members of a request that arguments are sent as. */
const members: Readonly<Record<keyof DynamicRoleState, string>> = {
  creationLdif: "creation_ldif",
  deletionLdif: "deletion_ldif",
  rollbackLdif: "rollback_ldif",
  usernameTemplate: "username_template",
  defaultTtl: "default_ttl",
  maxTtl: "max_ttl",
};

/** @internal */
export function dynamicRolePath({ mount, roleName }: RoleName): Path {
  return path`/${mountPath(mount)}/role/${roleName}`;
}

const dynamicRoleShape = builtOnce((z) => {
  const text = z
    .string()
    .nullable()
    .transform((value) => value ?? "");
  const seconds = durationInSeconds(z)
    .nullable()
    .transform((value) => value ?? 0);
  return z
    .object({
      creation_ldif: text,
      deletion_ldif: text,
      rollback_ldif: text,
      username_template: text,
      default_ttl: seconds,
      max_ttl: seconds,
    })
    .partial();
});

/**
 * Reads a dynamic role.
 *
 * @returns `undefined` when there is none
 * @internal
 */
export async function readDynamicRole(
  client: SecretsClient,
  role: RoleName,
): Promise<Partial<DynamicRoleState> | undefined> {
  const data = await client.read({
    summary: `read the dynamic role ${role.roleName} of ${role.mount}`,
    path: dynamicRolePath(role),
    data: dynamicRoleShape,
  });
  return (
    data && {
      creationLdif: data.creation_ldif,
      deletionLdif: data.deletion_ldif,
      rollbackLdif: data.rollback_ldif,
      usernameTemplate: data.username_template,
      defaultTtl: data.default_ttl,
      maxTtl: data.max_ttl,
    }
  );
}

/**
 * Writes what is named of a role; the service leaves the rest as it is.
 *
 * @param values by argument
 * @param isSent whether an argument is named
 * @internal
 */
export async function writeDynamicRole(
  client: SecretsClient,
  role: RoleName,
  values: Readonly<Record<string, unknown>>,
  isSent: (argument: string, value: unknown) => boolean,
): Promise<void> {
  const sent = Object.entries(members).filter(
    ([name]) => isSent(name, values[name]) && values[name] !== undefined,
  );
  await client.write({
    summary: `write the dynamic role ${role.roleName} of ${role.mount}`,
    path: dynamicRolePath(role),
    body: Object.fromEntries(sent.map(([name, member]) => [member, values[name]])),
    data: (z) => z.unknown(),
  });
}

/**
 * Deletes a dynamic role; accounts that it has issued live on to their end.
 *
 * @internal
 */
export function deleteDynamicRole(client: SecretsClient, role: RoleName): Promise<void> {
  return client.delete({
    summary: `delete the dynamic role ${role.roleName} of ${role.mount}`,
    path: dynamicRolePath(role),
  });
}
