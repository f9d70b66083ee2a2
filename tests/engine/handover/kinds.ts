import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
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
  declare(name: string, args: Values, options: pulumi.CustomResourceOptions): pulumi.CustomResource;
  /** What the service holds of an object; `undefined` when it is as before the object was made. */
  held(emulator: Emulator, key: string): unknown;
  /** What it is to hold, before and after the change. */
  expected(key: string, changed: boolean): unknown;
}

const { provisioning, secrets } = trivium;

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
  declare: (name, args, options) =>
    new provisioning.Project(name, args as unknown as trivium.provisioning.ProjectArgs, options),
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
  prepare({ provisioning: service }, key) {
    const { name: organization, defaultProjectId } = service.addOrganization({ name: `groups-${key}` });
    const { id: projectId } = service.addProject({ organization, name: "first" });
    service.addProject({ organization, name: "second" });
    return {
      projectId,
      workspaceIds: ["a", "b"].map((name) => service.addWorkspace({ organization, name }).id),
      fallbackProjectId: defaultProjectId,
    };
  },
  changed: (emulator, key) => ({
    projectId: projectsOf(emulator, key).find(({ name }) => name === "second")?.id,
  }),
  declare: (name, args, options) =>
    new provisioning.ProjectWorkspaces(
      name,
      args as unknown as trivium.provisioning.ProjectWorkspacesArgs,
      options,
    ),
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
  prepare: ({ secrets: service }, key) => ({
    methodId: service.addTotpMethod({ issuer: key }).id,
    entityId: service.addEntity({ name: key }).id,
    triggers: { round: 1 },
  }),
  changed: () => ({ triggers: { round: 2 } }),
  declare: (name, args, options) =>
    new secrets.mfa.TotpSecret(name, args as unknown as trivium.secrets.mfa.TotpSecretArgs, options),
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
  prepare: ({ provisioning: service }, key) => ({
    name: service.addOrganization({ name: `limited-${key}`, workspaceLimit: 10 }).name,
    workspaceLimit: 20,
    onDestroy: "restore",
  }),
  changed: () => ({ workspaceLimit: 30 }),
  declare: (name, args, options) =>
    new provisioning.AdminOrganization(
      name,
      args as unknown as trivium.provisioning.AdminOrganizationArgs,
      options,
    ),
  held(emulator, key) {
    const found = emulator.inspect().provisioning.organizations.find(({ name }) => name === `limited-${key}`);
    return found?.workspaceLimit === 10 ? undefined : found?.workspaceLimit;
  },
  expected: (_key, changed) => (changed ? 30 : 20),
};

/** Each class with an own mechanism, and one that has none. */
export const kinds: readonly Kind[] = [project, projectWorkspaces, totpSecret, adminOrganization];
