import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { describeWithAdapters } from "../support/adapter";
import { ProvisioningApi, SecretsApi } from "../support/api";
import { configurationFor, failureOf, projectsIn } from "../support/projects";
import { type Program, useStack } from "../support/stack";

const { AdminOrganization, ModuleConsumers, NotificationConfiguration, Project, ProjectWorkspaces } =
  trivium.provisioning;

const tokens = { provisioning: "canary-provisioning-8e1", secrets: "canary-secrets-77b" };

/** Changes of a program that only these classes know, after each of which the services hold what the program says. */
describeWithAdapters("a refactoring", function (adapter) {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false, tokens });
  const elsewhere = useEmulator({ resets: false, tokens });
  const product = useEmulator({ resets: false, tokens, dialect: "hashicorp" });
  const stack = useStack("engine-refactorings", () => configurationFor(emulator, "provisioning", "secrets"), {
    adapter,
  });
  before(() => {
    ["acme", "other"].forEach((name) => emulator.provisioning.addOrganization({ name }));
  });
  afterEach(() => stack.destroy());

  /** Nothing is left to do, also when the services are asked. */
  const settled = async (program: Program): Promise<void> => {
    await stack.previewWithoutChanges(program, { refresh: true });
    await stack.previewWithoutChanges(program);
  };

  it("of an AdminOrganization that is renamed keeps the organization and its original settings", async () => {
    const limit = () =>
      emulator.inspect().provisioning.organizations.find(({ name }) => name === "other")?.workspaceLimit;
    const limited = (name: string, onDestroy: "restore" | "delete") => () =>
      new AdminOrganization(name, { name: "other", workspaceLimit: 20, onDestroy });
    await stack.up(limited("first", "delete"));
    await stack.up(() => {
      stack.makeStateUnreadable(1000);
      limited("second", "delete")();
    });
    assert.equal(limit(), 20);
    await settled(limited("second", "delete"));
    await stack.up(limited("second", "restore"));
    await stack.destroy();
    assert.equal(limit(), 0);
  });

  it("of ProjectWorkspaces leaves a workspace where another one has moved it before", async () => {
    const { provisioning } = emulator;
    const organization = "acme";
    const [a = "", b = ""] = ["a", "b"].map((name) => provisioning.addWorkspace({ organization, name }).id);
    const [one = "", two = "", fallbackProjectId = ""] = ["one", "two", "fallback"].map(
      (name) => provisioning.addProject({ organization, name }).id,
    );
    await stack.up(() => {
      new ProjectWorkspaces("from", { projectId: one, workspaceIds: [a, b], fallbackProjectId });
      new ProjectWorkspaces("to", { projectId: two, workspaceIds: [], fallbackProjectId });
    });
    const moved: Program = () => {
      const to = new ProjectWorkspaces("to", { projectId: two, workspaceIds: [a], fallbackProjectId });
      const args = { projectId: one, workspaceIds: [b], fallbackProjectId };
      new ProjectWorkspaces("from", args, { dependsOn: to });
    };
    await stack.up(moved);
    const { workspaces } = emulator.inspect().provisioning;
    assert.deepEqual(
      [a, b].map((workspace) => workspaces.find(({ id }) => id === workspace)?.projectId),
      [two, one],
    );
    await settled(moved);
  });

  it("renames ModuleConsumers without consumers to one with", async () => {
    const sharing = (name: string, consumers: string[]) => () =>
      new ModuleConsumers(name, { organization: "acme", consumers });
    await stack.up(sharing("first", []));
    await stack.up(sharing("second", ["other"]));
    assert.deepEqual(emulator.inspect().provisioning.organizations[0]?.moduleConsumers, ["other"]);
    await settled(sharing("second", ["other"]));
  });

  it("puts back what has drifted, and leaves alone what the program ignores, also after a refresh", async () => {
    const api = new ProvisioningApi(emulator.provisioning.address, tokens.provisioning);
    const workspaceId = emulator.provisioning.addWorkspace({ organization: "acme", name: "noisy" }).id;
    const notification =
      (name: string, options = {}): Program =>
      () =>
        new NotificationConfiguration(
          "it",
          { workspaceId, name, destinationType: "email", enabled: true },
          options,
        );
    const stored = () => {
      const [found] = emulator.inspect().provisioning.notificationConfigurations;
      return found ?? assert.fail("there is none");
    };
    const disable = (): Promise<void> =>
      api.change(`notification-configurations/${stored().id}`, "notification-configuration", {
        enabled: false,
      });
    await stack.up(notification("first"));
    await disable();
    assert.match((await stack.up(notification("second"))).text, /enabled had drifted and is restored/);
    assert.deepEqual([stored().name, stored().enabled], ["second", true]);

    const ignoring = { ignoreChanges: ["enabled"] };
    await disable();
    await stack.up(notification("third", ignoring));
    assert.deepEqual([stored().name, stored().enabled], ["third", false]);
    await stack.refresh();
    await settled(notification("third", ignoring));
    assert.equal(stored().enabled, false);
  });

  it("renames a set whose name differs by case alone, where the product folds it", async () => {
    const mount = "openldap";
    const { secrets } = product;
    const set = (resource: string, name: string, adopt: boolean) => () => {
      const connection = { address: secrets.address, token: tokens.secrets, dialect: "hashicorp" } as const;
      const provider = new trivium.Provider("product", { secrets: connection });
      const args = { mount, name, serviceAccountNames: ["ada"], adopt };
      new trivium.secrets.directory.LibrarySet(resource, args, { provider });
    };
    secrets.addMount({ type: "directory", path: mount });
    const [binddn, bindpass] = ["cn=binds,dc=acme,dc=example", "canary-bind"];
    secrets.addDirectoryEntry({ dn: "cn=ada,dc=acme,dc=example" });
    secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
    const config = { binddn, bindpass, url: "ldap://ldap.example" };
    await new SecretsApi(secrets.address, tokens.secrets, "hashicorp").write(`${mount}/config`, config);
    await stack.up(set("first", "Ops", false));
    await stack.up(set("second", "ops", true));
    assert.equal(product.inspect().secrets.directoryLibrarySets.length, 1);
    await settled(set("second", "ops", true));
    await stack.destroy();
    assert.equal(product.inspect().secrets.directoryLibrarySets.length, 0);
  });

  it("does nothing silently at another address, and replaces where the program asks for it", async () => {
    elsewhere.provisioning.addOrganization({ name: "acme" });
    const args = { organization: "acme", name: "wanderer" };
    const away =
      (options = {}): Program =>
      () => {
        const { address } = elsewhere.provisioning;
        const provider = new trivium.Provider("elsewhere", {
          provisioning: { address, token: tokens.provisioning },
        });
        new Project("it", args, { ...options, provider });
      };
    const wanderers = () =>
      [emulator, elsewhere].map((all) => projectsIn(all).filter(({ name }) => name === "wanderer").length);
    await stack.up(() => new Project("it", args));
    assert.match(await failureOf(stack.preview(away())), /This object was created at http/);
    const followed = away({ replaceOnChanges: ["provider"] });
    await stack.up(followed);
    assert.deepEqual(wanderers(), [0, 1]);
    await settled(followed);
    await stack.destroy();
    assert.deepEqual(wanderers(), [0, 0]);
  });
});
