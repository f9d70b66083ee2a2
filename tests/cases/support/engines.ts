import type { Inspection } from "pulumi-trivium/testing";
import type { Values } from "./case";
import type { CaseContext, EngineType, TestServices } from "./test-services";

/** Only the hashicorp dialect ignores case. */
export function inAnotherCase({ dialect }: Pick<TestServices, "dialect">, name: string): string {
  return dialect === "hashicorp" ? name.toUpperCase() : name;
}

/** What a case says of objects at a path of the secrets service. @param kept what a write by hand must repeat */
export function objectsAt(
  pathOf: (id: string, services: TestServices) => string,
  kept: readonly string[] = [],
) {
  return {
    async count({ services }: CaseContext, ids: readonly string[]): Promise<number> {
      const found = await Promise.all(ids.map((id) => services.secrets.api.read(pathOf(id, services))));
      return found.filter((data) => data !== undefined).length;
    },
    changeByHand: ({ services }: CaseContext, id: string, values: Values) =>
      services.secrets.api.change(pathOf(id, services), kept, values),
    deleteByHand: ({ services }: CaseContext, id: string): unknown =>
      services.secrets.api.remove(pathOf(id, services)),
  };
}

/** Where the object of an engine is whose id is `<mount>/<name>`. */
export function pathIn(kind: string): (id: string) => string {
  return (id) => {
    const end = id.lastIndexOf("/");
    return `${id.slice(0, end)}/${kind}${id.slice(end)}`;
  };
}

type SecretsObjects = (secrets: Inspection["secrets"]) => readonly object[];

/** Not configured. */
export async function engineIn(services: TestServices, type: EngineType, objects: SecretsObjects) {
  const context = services.context("secrets", ({ secrets }) => objects(secrets));
  return { ...context, ...(await services.secrets.mount(type)) };
}

/** Configured to manage a directory that has these accounts. */
export async function directoryIn(
  services: TestServices,
  accounts: readonly string[],
  objects: SecretsObjects,
) {
  const engine = await engineIn(services, "directory", objects);
  const { api, directory } = services.secrets;
  const { dn: binddn, password: bindpass } = await directory.administrator();
  const userdn = await directory.base();
  for (const mount of [engine.mount, engine.otherMount]) {
    await api.write(`${mount}/config`, { binddn, bindpass, url: directory.url, userdn });
  }
  for (const account of accounts) {
    await directory.add(account);
  }
  return { ...engine, base: userdn };
}

/** What a configuration and a static role say alike about rotation without a trigger. */
export const automatedChanges = [
  { rotationWindow: 3600, rotationSchedule: "0 3 * * SUN", rotationPeriod: null },
  { disableAutomatedRotation: true },
  { rotateOnRead: true },
  { rotateOnReadCooldown: "5m" },
];

/** Drift of the same, except to false, which the emulator leaves out. */
export const automatedDrifts = {
  rotationWindow: { rotation_window: 10_800, rotation_schedule: "0 3 * * SUN" },
  rotationSchedule: { rotation_schedule: "0 5 * * MON" },
  rotateOnReadCooldown: { rotate_on_read_cooldown: 600 },
};
