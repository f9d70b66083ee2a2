import type { Inspection } from "pulumi-trivium/testing";
import type { EngineMounts, TestServices, CaseContext } from "./test-services";

/** Only the hashicorp dialect ignores case. */
export function inAnotherCase({ dialect }: Pick<TestServices, "dialect">, name: string): string {
  return dialect === "hashicorp" ? name.toUpperCase() : name;
}

export function countAt(pathOf: (id: string) => string) {
  return async <Context extends CaseContext>(
    { services }: Context,
    ids: readonly string[],
  ): Promise<number> => {
    const found = await Promise.all(ids.map((id) => services.secrets.api.read(pathOf(id))));
    return found.filter((data) => data !== undefined).length;
  };
}

/** Both parts remain encoded, as in a path. */
function placeOf(id: string): { readonly mount: string; readonly name: string } {
  const end = id.lastIndexOf("/");
  return { mount: id.slice(0, end), name: id.slice(end + 1) };
}

export function pathIn(kind: string): (id: string) => string {
  return (id) => {
    const { mount, name } = placeOf(id);
    return `${mount}/${kind}/${name}`;
  };
}

/** It must not be shown anywhere. */
export const bindPassword = "canary-bind-password-77ce";

/** Not configured. */
export async function directoryEngineIn(
  services: TestServices,
  objects: (inspection: Inspection) => readonly object[],
): Promise<CaseContext & EngineMounts> {
  return { ...services.context("secrets", objects), ...(await services.secrets.mount("directory")) };
}

/** Configured to manage a directory that has these accounts. */
export async function configuredEngineIn(
  services: TestServices,
  accounts: readonly string[],
  objects: (inspection: Inspection) => readonly object[],
): Promise<CaseContext & EngineMounts> {
  const engine = await directoryEngineIn(services, objects);
  const { api, directory } = services.secrets;
  const { dn: binddn, password: bindpass } = await directory.administrator();
  const userdn = await directory.base();
  for (const mount of [engine.mount, engine.otherMount]) {
    await api.write(`${mount}/config`, { binddn, bindpass, url: directory.url, userdn });
  }
  for (const account of accounts) {
    await directory.add(account);
  }
  return engine;
}

/** It must not be shown anywhere. */
export const managementToken = "canary-management-token-51c0";

export async function schedulerEngineIn(
  services: TestServices,
  objects: (inspection: Inspection) => readonly object[],
): Promise<CaseContext & EngineMounts> {
  return { ...services.context("secrets", objects), ...(await services.secrets.mount("scheduler")) };
}

export const enterprise = "Vault Enterprise" as const;

type Values = Readonly<Record<string, unknown>>;

/** Drift of what a configuration and a static role say alike, except to false, which the emulator leaves out. */
export function automatedDrifts(
  change: (context: CaseContext & EngineMounts, id: string, values: Values) => unknown,
  more: Readonly<Record<string, Values>>,
) {
  const all = {
    rotationWindow: { rotation_window: 10_800, rotation_schedule: "0 3 * * SUN" },
    rotationSchedule: { rotation_schedule: "0 5 * * MON" },
    rotateOnReadCooldown: { rotate_on_read_cooldown: 600 },
    ...more,
  };
  return Object.entries(all).map(([argument, values]) => ({
    argument,
    cause: (context: CaseContext & EngineMounts, id: string) => change(context, id, values),
    beside: () => ({ disableAutomatedRotation: true }),
  }));
}

/** Those of {@link automatedChanges} that another argument does not need. */
export const automatedCleared = [
  ...["disableAutomatedRotation", "rotateOnRead", "rotateOnReadCooldown", "autoUnlock"],
];

/** Changes of what a configuration and a static role say alike about rotation without a trigger. */
export const automatedChanges = [
  {
    argument: "rotationWindow",
    to: 7200,
    also: { rotationSchedule: "0 3 * * SUN", rotationPeriod: null },
    needs: enterprise,
  },
  { argument: "disableAutomatedRotation", to: true, needs: enterprise },
  { argument: "rotateOnRead", to: true, needs: enterprise },
  { argument: "rotateOnReadCooldown", to: "5m", needs: enterprise },
] as const;
