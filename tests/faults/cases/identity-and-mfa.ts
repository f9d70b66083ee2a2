import type { FaultCase } from "../support/fault-case";

const entityAlias: FaultCase = {
  type: "secrets/identity:EntityAlias",
  prepare({ emulator: { secrets } }, mark) {
    const { accessor: mountAccessor } = secrets.addMount({
      type: "userpass",
      path: `auth/people-${mark}`,
      accessor: `auth_userpass_${mark}`,
    });
    const canonicalId = secrets.addEntity({ name: `alice-${mark}` }).id;
    // Somebody else's, which has to be looked at as well.
    const other = secrets.addEntity({ name: `bob-${mark}` }).id;
    secrets.addEntityAlias({ name: `bob-${mark}`, canonicalId: other, mountAccessor });
    const made = { name: `alice-${mark}`, canonicalId, mountAccessor };
    return {
      made: { ...made, customMetadata: { team: "payments" } },
      changed: { ...made, customMetadata: { team: "search" } },
      secrets: [],
    };
  },
};

const totpMethod: FaultCase = {
  type: "secrets/mfa:TotpMethod",
  prepare({ emulator: { secrets } }, mark) {
    secrets.addTotpMethod({ issuer: `somebody else's ${mark}` });
    const made = { issuer: `acme-${mark}`, period: "30s", digits: 6 };
    return { made, changed: { ...made, digits: 8 }, secrets: [] };
  },
  leftovers: {
    // A method has no name by which a later run could know it again.
    find: (inspection, id) =>
      inspection.secrets.totpMethods
        .filter((method) => method.id !== id && method.issuer.startsWith("acme"))
        .map((method) => ({
          expiresAt: null,
          end: ({ secrets }) => secrets.removeTotpMethod(method.id),
        })),
    named: /TOTP method may (?:have been|still be) created/,
    endsByItself: false,
  },
};

const totpSecret: FaultCase = {
  type: "secrets/mfa:TotpSecret",
  prepare({ emulator: { secrets } }, mark) {
    const methodId = secrets.addTotpMethod({ issuer: `acme-${mark}` }).id;
    const entityId = secrets.addEntity({ name: `alice-${mark}` }).id;
    const made = { methodId, entityId, triggers: { round: 1 } };
    return { made, changed: { ...made, triggers: { round: 2 } }, secrets: [] };
  },
};

const pushMethod: FaultCase = {
  type: "secrets/mfa:PushMethod",
  prepare({ emulator: { secrets } }, mark) {
    const { accessor: mountAccessor } = secrets.addMount({
      type: "userpass",
      path: `auth/people-${mark}`,
      accessor: `auth_userpass_${mark}`,
    });
    const secretKey = `canary-secret-key-${mark}`;
    const integrationKey = `canary-integration-key-${mark}`;
    const made = {
      name: `push-${mark}`,
      mountAccessor,
      secretKey,
      integrationKey,
      apiHostname: "api.example",
    };
    return {
      made,
      changed: { ...made, secretKey: `${secretKey}-2`, pushInfo: "from=acme" },
      secrets: [secretKey, `${secretKey}-2`, integrationKey],
    };
  },
};

export const identityAndMfaCases: readonly FaultCase[] = [entityAlias, totpMethod, totpSecret, pushMethod];
