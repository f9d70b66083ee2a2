import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { nameInAnswer } from "../../resource/schemas";
import type { Lease } from "../answer";
import type { SecretsClient } from "../client";
import { explainLostAnswer } from "../leased";

/** A token that was issued a moment ago. */
export interface IssuedToken {
  /** Names the token without giving access. */
  readonly accessorId: string;
  /** The token itself. */
  readonly secretId: string;
  readonly lease: Lease;
}

/** Has a token issued, in one request that is not repeated once it may have been seen. */
export async function issueToken(
  client: SecretsClient,
  mount: string,
  roleName: string,
): Promise<IssuedToken> {
  const role = `scheduler role ${JSON.stringify(roleName)} of the mount ${mount}`;
  try {
    const { data, lease } = await client.issue({
      summary: `have a token of the ${role} issued`,
      method: "GET",
      path: path`/${mountPath(mount)}/creds/${roleName}`,
      data: (z) => z.object({ accessor_id: nameInAnswer(z), secret_id: z.string().min(1) }),
    });
    processRedactor.register(data.secret_id);
    return { accessorId: data.accessor_id, secretId: data.secret_id, lease };
  } catch (error) {
    throw explainLostAnswer(
      error,
      `A token of the ${role} may have been issued all the same. Nobody has it, and it is revoked when its lease ends, ` +
        "or before by whoever finds it in the scheduler. It was not asked for again: the next run has another one issued.",
    );
  }
}
