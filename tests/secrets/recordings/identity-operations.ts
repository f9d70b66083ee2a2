import { aliasesOf, entityAliasDefinition } from "../../../sdk/secrets/identity/entity-alias";
import { pushMethodDefinition } from "../../../sdk/secrets/mfa/push-method";
import { listTotpMethods, readTotpMethod, totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import {
  adminDestroySecret,
  adminGenerateSecret,
  generateSecret,
} from "../../../sdk/secrets/mfa/totp-secret";
import { camelCased, only, type Operation } from "./operation";

const none = new Set<string>();

/** What the data of a generation are: nothing when there is a secret already. */
function secretIn({ barcode, url }: Readonly<Record<string, unknown>>): unknown {
  const secret = new URL(String(url)).searchParams.get("secret");
  return { barcode, url, secret };
}

/** Entity aliases and MFA methods. */
export const identityOperations: readonly Operation[] = [
  {
    request: /^(?:LIST|GET) \/identity\/entity-alias\/id(?:\?list=true)?$/,
    make: ({ step }) => aliasesOf(step.client).list(),
    absent: new Map(),
    brings: ({ keys, key_info: described }) =>
      new Map(
        (keys as string[]).map((id) => {
          const alias = (described as Record<string, Record<string, unknown>>)[id] ?? {};
          return [id, { name: alias.name, mountAccessor: alias.mount_accessor }];
        }),
      ),
  },
  {
    request: /^POST \/identity\/entity-alias$/,
    make: ({ step, values }) => entityAliasDefinition.create(step, values as never),
    brings: ({ id = "25f8d60f-ee51-8058-f387-d12f7cc9da31" }) => ({ id, state: {} }),
  },
  {
    request: /^GET \/identity\/entity-alias\/id\/([^/]+)$/,
    make: ({ step, names: [id = ""] }) => aliasesOf(step.client).read(id),
    absent: undefined,
    brings: (data) => ({
      ...only(camelCased(data), "name", "canonicalId", "mountAccessor", "creationTime", "lastUpdateTime"),
      ...only(camelCased(data), "local", "mountPath", "mountType"),
      customMetadata: data.custom_metadata ?? {},
      metadata: data.metadata ?? {},
    }),
  },
  {
    request: /^POST \/identity\/entity-alias\/id\/([^/]+)$/,
    make: ({ step, names: [id = ""], values }) =>
      entityAliasDefinition.update(step, id, values as never, none, {}),
    brings: () => ({}),
  },
  {
    request: /^DELETE \/identity\/entity-alias\/id\/([^/]+)$/,
    make: ({ step, names: [id = ""] }) => entityAliasDefinition.delete(step, id, {}),
    brings: () => undefined,
  },
  {
    request: /^LIST \/identity\/mfa\/method\/totp$/,
    make: () => listTotpMethods(),
    absent: { ids: [] },
    brings: ({ keys }) => ({ ids: keys }),
  },
  {
    request: /^POST \/identity\/mfa\/method\/totp$/,
    make: ({ step, values }) => totpMethodDefinition.create(step, values as never),
    brings: ({ method_id: id }) => ({ id, state: {} }),
  },
  {
    request: /^POST \/identity\/mfa\/method\/totp\/generate$/,
    make: ({ step, values }) => generateSecret(step.client, values as never),
    brings: secretIn,
  },
  {
    request: /^POST \/identity\/mfa\/method\/totp\/admin-generate$/,
    make: ({ step, values }) => adminGenerateSecret(step.client, camelIds(values)),
    brings: (data) => (data.url === undefined ? undefined : secretIn(data)),
  },
  {
    request: /^POST \/identity\/mfa\/method\/totp\/admin-destroy$/,
    make: ({ step, values }) => adminDestroySecret(step.client, camelIds(values)),
    brings: () => undefined,
  },
  {
    request: /^POST \/identity\/mfa\/method\/totp\/([^/]+)$/,
    make: ({ step, names: [id = ""], values }) =>
      totpMethodDefinition.update(step, id, values as never, none, {}),
    brings: () => ({}),
  },
  {
    request: /^GET \/identity\/mfa\/method\/totp\/([^/]+)$/,
    make: ({ step, names: [id = ""] }) => readTotpMethod(step.client, id),
    absent: undefined,
    brings: (data) => ({
      ...only(camelCased(data), "issuer", "period", "keySize", "qrSize", "algorithm", "digits", "skew"),
      ...only(camelCased(data), "maxValidationAttempts", "type"),
      namespace: data.namespace_id,
    }),
  },
  {
    request: /^DELETE \/identity\/mfa\/method\/totp\/([^/]+)$/,
    make: ({ step, names: [id = ""] }) => totpMethodDefinition.delete(step, id, {}),
    brings: () => undefined,
  },
  {
    request: /^POST \/sys\/mfa\/method\/duo\/([^/]+)$/,
    make: ({ step, names: [name = ""], values }) =>
      pushMethodDefinition.update(step, name, values as never, none, {}),
    brings: () => ({}),
  },
];

function camelIds({ methodId, entityId }: Readonly<Record<string, unknown>>): {
  readonly methodId: string;
  readonly entityId: string;
} {
  return { methodId: String(methodId), entityId: String(entityId) };
}
