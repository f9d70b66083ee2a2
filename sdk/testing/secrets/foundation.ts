import { lettersAndDigits } from "../tokens";
import type { FixedEndpoint, SecretsArea } from "./endpoint";
import type { Records } from "./records";
import type { FoundationSetup } from "./types";

/** The documentation has no endpoints for mounts, entities, password policies and leases. */
export function createFoundationArea(
  records: Records,
): SecretsArea<FixedEndpoint, "mounts" | "entities" | "passwordPolicies" | "leases", FoundationSetup> {
  const { mounts, entities, passwordPolicies, leases } = records;
  return {
    endpoints: [],
    setup: {
      addMount: (mount) => mounts.add(mount),
      removeMount: (path) => records.unmount(path),
      addEntity: (entity) => records.addEntity(entity),
      removeEntity: (id) => records.removeEntity(id),
      addPasswordPolicy({ name, length = 20, characters = lettersAndDigits }) {
        if (!Number.isInteger(length) || length < 1 || characters === "") {
          throw new RangeError("A password policy needs a length of at least 1 and at least one character.");
        }
        return passwordPolicies.set({ name, length, characters });
      },
      removePasswordPolicy: (name) => passwordPolicies.remove(name),
      revokeLease(id) {
        if (!leases.revoke(id)) {
          throw new Error(`The emulator has no lease ${JSON.stringify(id)}.`);
        }
      },
    },
    inspect: () => ({
      mounts: mounts.all(),
      entities: entities.all(),
      passwordPolicies: passwordPolicies.all(),
      leases: leases.all(),
    }),
  };
}
