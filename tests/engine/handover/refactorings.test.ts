import assert from "node:assert/strict";
import { mkdirSync, rmdirSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { describeWithAdapters } from "../support/adapter";
import { ProvisioningApi, SecretsApi } from "../support/api";
import { configurationFor, failureOf, projectsIn } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

const { AdminOrganization, ModuleConsumers, NotificationConfiguration, Project, ProjectWorkspaces } =
  trivium.provisioning;

const tokens = { provisioning: "canary-provisioning-8e1", secrets: "canary-secrets-77b" };

/** Changes of a program that only these classes know, after each of which the services hold what the program says. */
describeWithAdapters("a refactoring", function (adapter) {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false, tokens });
  const elsewhere = useEmulator({ resets: false, tokens });
  const product = useEmulator({ resets: false, tokens, dialect: "hashicorp" });
  const configuration = () => configurationFor(emulator, "provisioning", "secrets");
  const stack = useSharedStack("engine-refactorings", configuration, { adapter });
  const mount = "openldap";
  before(async () => {
    ["acme", "other"].forEach((name) => emulator.provisioning.addOrganization({ name }));
    const { secrets } = product;
    secrets.addMount({ type: "directory", path: mount });
    const [binddn, bindpass] = ["cn=binds,dc=acme,dc=example", "canary-bind"];
    secrets.addDirectoryEntry({ dn: "cn=ada,dc=acme,dc=example" });
    secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
    const config = { binddn, bindpass, url: "ldap://ldap.example" };
    await new SecretsApi(secrets.address, tokens.secrets, "hashicorp").write(`${mount}/config`, config);
  });
  afterEach(() => stack.destroy());

  /** Nothing is left to do, also when the services are asked. */
  const assertSettled = async (program: Program): Promise<void> => {
    await stack.previewWithoutChanges(program, { refresh: true });
    await stack.previewWithoutChanges(program);
  };
  /** For a second, as while the engine writes the attributes of the state's file. */
  const makeStateUnreadable = (): void => {
    const attributes = `${stack.statePath}.attrs`;
    rmSync(attributes, { force: true });
    mkdirSync(attributes);
    setTimeout(() => rmdirSync(attributes), 1_000);
  };

  it("a refactoring keeps renamed resources and everything in them, and does not move a workspace that another resource has moved", async () => {
    const { provisioning } = emulator;
    const organization = "acme";
    const [a = "", b = ""] = ["a", "b"].map((name) => provisioning.addWorkspace({ organization, name }).id);
    const [one = "", two = "", fallbackProjectId = ""] = ["one", "two", "fallback"].map(
      (name) => provisioning.addProject({ organization, name }).id,
    );
    const workspaces = (name: string, projectId: string, workspaceIds: string[], options = {}) =>
      new ProjectWorkspaces(name, { projectId, workspaceIds, fallbackProjectId }, options);
    const limited = (name: string, onDestroy: "restore" | "delete") =>
      new AdminOrganization(name, { name: "other", workspaceLimit: 20, onDestroy });
    const set = (resource: string, name: string, adopt: boolean) => {
      const { address } = product.secrets;
      const connection = { address, token: tokens.secrets, dialect: "hashicorp" } as const;
      const provider = new trivium.Provider("product", { secrets: connection });
      const args = { mount, name, serviceAccountNames: ["ada"], adopt };
      new trivium.secrets.directory.LibrarySet(resource, args, { provider });
    };
    await stack.up(() => {
      limited("first", "delete");
      workspaces("from", one, [a, b]);
      workspaces("to", two, []);
      new ModuleConsumers("first", { organization, consumers: [] });
      // The product does not distinguish the case of the name.
      set("first", "Ops", false);
    });
    const present = async (pause = 0): Promise<void> => {
      limited("second", "restore");
      await sleep(pause);
      workspaces("from", one, [b], { dependsOn: workspaces("to", two, [a]) });
      new ModuleConsumers("second", { organization, consumers: ["other"] });
      set("second", "ops", true);
    };
    await stack.up(() => {
      // Until then nothing is made, so the engine does not write the state.
      makeStateUnreadable();
      return present(2_000);
    });
    const held = () => {
      const { organizations, workspaces: all } = emulator.inspect().provisioning;
      return {
        limit: organizations.find(({ name }) => name === "other")?.workspaceLimit,
        consumers: organizations.find(({ name }) => name === organization)?.moduleConsumers,
        places: [a, b].map((workspace) => all.find(({ id }) => id === workspace)?.projectId),
        sets: product.inspect().secrets.directoryLibrarySets.length,
      };
    };
    assert.deepEqual(held(), { limit: 20, consumers: ["other"], places: [two, one], sets: 1 });
    await assertSettled(() => present());
    await stack.destroy();
    const places = [fallbackProjectId, fallbackProjectId];
    assert.deepEqual(held(), { limit: 0, consumers: [], places, sets: 0 });
  });

  it("an update reverts drift, but not in ignored arguments, even after a refresh", async () => {
    const api = new ProvisioningApi(emulator.provisioning.address, tokens.provisioning);
    const workspaceId = emulator.provisioning.addWorkspace({ organization: "acme", name: "noisy" }).id;
    const notification =
      (name: string, ignoreChanges: string[] = []): Program =>
      () => {
        const args = { workspaceId, name, destinationType: "email", enabled: true } as const;
        new NotificationConfiguration("it", args, { ignoreChanges });
      };
    const stored = () => {
      const [found] = emulator.inspect().provisioning.notificationConfigurations;
      return { id: found?.id, state: [found?.name, found?.enabled] };
    };
    const disable = (): Promise<void> =>
      api.change(`notification-configurations/${stored().id}`, "notification-configuration", {
        enabled: false,
      });
    await stack.up(notification("first"));
    await disable();
    assert.match((await stack.up(notification("second"))).text, /reverting drift in enabled\./);
    assert.deepEqual(stored().state, ["second", true]);

    await disable();
    const third = notification("third", ["enabled"]);
    await stack.up(third);
    await stack.refresh();
    await assertSettled(third);
    assert.deepEqual(stored().state, ["third", false]);
  });

  it("a project at another address is rejected, or replaced if the program requests it", async () => {
    elsewhere.provisioning.addOrganization({ name: "acme" });
    const args = { organization: "acme", name: "wanderer" };
    const away =
      (options = {}): Program =>
      () => {
        const connection = { address: elsewhere.provisioning.address, token: tokens.provisioning };
        const provider = new trivium.Provider("elsewhere", { provisioning: connection });
        new Project("it", args, { ...options, provider });
      };
    const wanderers = () =>
      [emulator, elsewhere].map((all) => projectsIn(all).filter(({ name }) => name === "wanderer").length);
    await stack.up(() => new Project("it", args));
    assert.match(await failureOf(stack.preview(away())), /This object was created at http/);
    const followed = away({ replaceOnChanges: ["provider"] });
    await stack.up(followed);
    assert.deepEqual(wanderers(), [0, 1]);
    await assertSettled(followed);
    await stack.destroy();
    assert.deepEqual(wanderers(), [0, 0]);
  });
});
