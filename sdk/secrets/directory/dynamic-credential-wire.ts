import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { nameInAnswer } from "../../resource/schemas";
import type { Lease } from "../answer";
import type { SecretsClient } from "../client";
import { explainLostAnswer } from "../leased";
import { dynamicRoles } from "./dynamic-role";
import type { RoleName } from "./names";

/** A credential that was minted a moment ago. */
export interface MintedCredential {
  readonly username: string;
  readonly password: string;
  readonly distinguishedNames: readonly string[];
  readonly lease: Lease;
}

/** Has the service make an account in the directory, in one request that is not repeated once it may have been seen. */
export async function mintCredential(
  client: SecretsClient,
  { mount, roleName }: RoleName,
): Promise<MintedCredential> {
  try {
    const { data, lease } = await client.issue({
      summary: `mint a credential of the role ${roleName} of the mount ${mount}`,
      method: "GET",
      path: path`/${mountPath(mount)}/creds/${roleName}`,
      data: (z) =>
        z.object({
          username: nameInAnswer(z),
          password: z.string(),
          distinguished_names: z.array(z.string()).nullish(),
        }),
    });
    const { username, password, distinguished_names: distinguishedNames } = data;
    processRedactor.register(password);
    return { username, password, distinguishedNames: distinguishedNames ?? [], lease };
  } catch (error) {
    throw explainLostAnswer(
      error,
      "The service may have made a credential all the same. Nobody has its password, and it ends by its time to live. " +
        "It is not asked for again by itself: run this again to mint another one.",
    );
  }
}

/** How long a role's credentials live by default, in seconds; 0 when nobody says. */
export async function defaultTtlOf(client: SecretsClient, role: RoleName): Promise<number> {
  const defaultTtl = (await dynamicRoles.read(client, role))?.defaultTtl ?? 0;
  return defaultTtl;
}
