import { entityAliasDefinition, listAliases, readAlias } from "../../../sdk/secrets/identity/entity-alias";
import { pushMethodDefinition } from "../../../sdk/secrets/mfa/push-method";
import { listTotpMethods, totpMethodDefinition, totpMethods } from "../../../sdk/secrets/mfa/totp-method";
import { adminDestroySecret, generateSecret } from "../../../sdk/secrets/mfa/totp-secret";
import { camelCased, only, type Operations } from "./operation";

const none = new Set<string>();

function secretIn({ barcode, url }: Readonly<Record<string, unknown>>): unknown {
  const secret = new URL(String(url)).searchParams.get("secret");
  return { barcode, url, secret };
}

/** Entity aliases and MFA methods. */
export const identityOperations: Operations = {
  "LIST /identity/entity-alias/id": {
    make: ({ step }) => listAliases(step.client),
    absent: new Map(),
    brings: ({ keys, key_info: described }) =>
      new Map(
        (keys as string[]).map((id) => {
          const alias = (described as Record<string, Record<string, unknown>>)[id] ?? {};
          return [id, { name: alias.name, mountAccessor: alias.mount_accessor }];
        }),
      ),
  },
  "POST /identity/entity-alias": {
    make: ({ step, values }) => entityAliasDefinition.create(step, values as never),
    brings: ({ id = "25f8d60f-ee51-8058-f387-d12f7cc9da31" }) => ({ id, state: {} }),
  },
  "GET /identity/entity-alias/id/:name": {
    make: ({ step, names: [id = ""] }) => readAlias(step.client, id),
    absent: undefined,
    brings: (data) => ({
      ...only(camelCased(data), "name", "canonicalId", "mountAccessor", "creationTime", "lastUpdateTime"),
      ...only(camelCased(data), "local", "mountPath", "mountType"),
      customMetadata: data.custom_metadata ?? {},
      metadata: data.metadata ?? {},
    }),
  },
  "POST /identity/entity-alias/id/:name": {
    make: ({ step, names: [id = ""], values }) =>
      entityAliasDefinition.update(step, id, values as never, none, {}),
    brings: () => ({}),
  },
  "DELETE /identity/entity-alias/id/:name": {
    make: ({ step, names: [id = ""] }) => entityAliasDefinition.delete(step, id, {}),
  },
  "LIST /identity/mfa/method/totp": {
    make: () => listTotpMethods(),
    absent: { ids: [], methods: [] },
    brings: ({ keys, key_info: described }) => ({
      ids: keys,
      methods: (keys as readonly string[]).map((id) => {
        const {
          namespace_id: namespace,
          namespace_path: _path,
          ...method
        } = (described as Readonly<Record<string, Record<string, unknown>>>)[id] as Record<string, unknown>;
        return { ...camelCased(method), namespace };
      }),
    }),
  },
  "POST /identity/mfa/method/totp": {
    make: ({ step, values }) => totpMethodDefinition.create(step, values as never),
    brings: ({ method_id: id }) => ({ id, state: {} }),
  },
  "POST /identity/mfa/method/totp/generate": {
    make: ({ step, values }) => generateSecret(step.client, values as never, ""),
    brings: secretIn,
  },
  "POST /identity/mfa/method/totp/admin-generate": {
    make: ({ step, values }) => generateSecret(step.client, values as never, ""),
    brings: (data) => (data.url === undefined ? undefined : secretIn(data)),
  },
  "POST /identity/mfa/method/totp/admin-destroy": {
    make: ({ step, values }) => adminDestroySecret(step.client, values as never),
  },
  "POST /identity/mfa/method/totp/:name": {
    make: ({ step, names: [id = ""], values }) =>
      totpMethodDefinition.update(step, id, values as never, none, {}),
    brings: () => ({}),
  },
  "GET /identity/mfa/method/totp/:name": {
    make: ({ step, names: [id = ""] }) => totpMethods.read(step.client, id),
    absent: undefined,
    brings: (data) => ({
      ...only(camelCased(data), "issuer", "period", "keySize", "qrSize", "algorithm", "digits", "skew"),
      ...only(camelCased(data), "maxValidationAttempts", "type", "name"),
      namespace: data.namespace_id,
    }),
  },
  "DELETE /identity/mfa/method/totp/:name": {
    make: ({ step, names: [id = ""] }) => totpMethodDefinition.delete(step, id, {}),
  },
  "POST /sys/mfa/method/duo/:name": {
    make: ({ step, names: [name = ""], values }) =>
      pushMethodDefinition.update(step, name, values as never, none, {}),
    brings: () => ({}),
  },
};
