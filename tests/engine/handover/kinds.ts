import type { Emulator } from "pulumi-trivium/testing";
import type { Values } from "../../cases/support/case";

/** A class that has an own way of being handed over, as the tests of the engine's alternatives use it. */
export interface Kind {
  /** As in state, without the package. */
  readonly type: string;
  /** Whether a resource that gets another name without an alias needs `adopt`. */
  readonly adopts: boolean;
  /** Whether a replaced object is deleted before the new one is created. */
  readonly deletesFirst: boolean;
  /** Whether inputs or outputs are of the object with these arguments. */
  concerns(values: Values, args: Values): boolean;
  /** Sets up what an object needs. */
  prepare(emulator: Emulator, key: string): Values;
  /** Other values of the arguments that can be changed in place. */
  changed(emulator: Emulator, key: string): Values;
  /** What the service holds of an object; `undefined` when it is as before the object was made. */
  held(emulator: Emulator, key: string): unknown;
  /** What it is to hold, before and after the change. */
  expected(key: string, changed: boolean): unknown;
}

const project: Kind = {
  type: "provisioning:Project",
  adopts: true,
  deletesFirst: true,
  concerns: (values, args) => values.organization === args.organization,
  prepare(emulator, key) {
    const { name: organization } = emulator.provisioning.addOrganization({ name: `of-${key}` });
    return { organization, name: key };
  },
  changed: (_emulator, key) => ({ name: `${key}-changed` }),
  held(emulator, key) {
    const found = emulator
      .inspect()
      .provisioning.projects.filter((each) => each.organization === `of-${key}` && !each.isDefault);
    return found.length === 0 ? undefined : found.map(({ name }) => name);
  },
  expected: (key, changed) => [changed ? `${key}-changed` : key],
};

/** The projects that each group of workspaces can be in. */
const projectsOf = (emulator: Emulator, key: string) =>
  emulator.inspect().provisioning.projects.filter(({ organization }) => organization === `groups-${key}`);

const projectWorkspaces: Kind = {
  type: "provisioning:ProjectWorkspaces",
  adopts: false,
  deletesFirst: false,
  concerns: (values, args) => values.fallbackProjectId === args.fallbackProjectId,
  prepare({ provisioning }, key) {
    const { name: organization, defaultProjectId } = provisioning.addOrganization({ name: `groups-${key}` });
    const { id: projectId } = provisioning.addProject({ organization, name: "first" });
    provisioning.addProject({ organization, name: "second" });
    return {
      projectId,
      workspaceIds: ["a", "b"].map((name) => provisioning.addWorkspace({ organization, name }).id),
      fallbackProjectId: defaultProjectId,
    };
  },
  changed: (emulator, key) => ({
    projectId: projectsOf(emulator, key).find(({ name }) => name === "second")?.id,
  }),
  held(emulator, key) {
    const projects = new Map(
      projectsOf(emulator, key).map(({ id, name, isDefault }) => [id, { name, isDefault }]),
    );
    const places = emulator
      .inspect()
      .provisioning.workspaces.filter(({ organization }) => organization === `groups-${key}`)
      .map(({ projectId }) => projects.get(projectId));
    return places.every((place) => place?.isDefault) ? undefined : places.map((place) => place?.name);
  },
  expected: (_key, changed) => (changed ? ["second", "second"] : ["first", "first"]),
};

const totpSecret: Kind = {
  type: "secrets/mfa:TotpSecret",
  adopts: true,
  deletesFirst: true,
  concerns: (values, args) => values.methodId === args.methodId,
  prepare: ({ secrets }, key) => ({
    methodId: secrets.addTotpMethod({ issuer: key }).id,
    entityId: secrets.addEntity({ name: key }).id,
    triggers: { round: 1 },
  }),
  changed: () => ({ triggers: { round: 2 } }),
  held(emulator, key) {
    const { totpSecrets, totpMethods } = emulator.inspect().secrets;
    const methods = totpMethods.filter(({ issuer }) => issuer === key).map(({ id }) => id);
    const found = totpSecrets.filter(({ methodId }) => methods.includes(methodId));
    return found.length === 0 ? undefined : found.length;
  },
  expected: () => 1,
};

const adminOrganization: Kind = {
  type: "provisioning:AdminOrganization",
  adopts: false,
  deletesFirst: false,
  concerns: (values, args) => values.name === args.name,
  prepare: ({ provisioning }, key) => ({
    name: provisioning.addOrganization({ name: `limited-${key}`, workspaceLimit: 10 }).name,
    workspaceLimit: 20,
    onDestroy: "restore",
  }),
  changed: () => ({ workspaceLimit: 30 }),
  held(emulator, key) {
    const found = emulator.inspect().provisioning.organizations.find(({ name }) => name === `limited-${key}`);
    return found?.workspaceLimit === 10 ? undefined : found?.workspaceLimit;
  },
  expected: (_key, changed) => (changed ? 30 : 20),
};

/** Each class with an own mechanism, and one that has none. */
export const kinds: readonly Kind[] = [project, projectWorkspaces, totpSecret, adminOrganization];
