import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { startEmulator } from "pulumi-trivium/testing";
import { useEmulator } from "../../support/use-emulator";
import { SecretsApi } from "../support/api";
import { EmulatedProvisioning } from "../../cases/support/emulated-provisioning";
import { describeWithAdapters, typeWith } from "../support/adapter";
import { failureOf, projectsIn, projectType } from "../support/projects";
import { type Program, TestStack } from "../support/stack";

const { AdminOrganization, ModuleConsumers, NotificationConfiguration, Project, ProjectWorkspaces } =
  trivium.provisioning;

const tokens = { provisioning: "canary-provisioning-8e1", secrets: "canary-secrets-77b" };

/** Ordinary changes of a program, after each of which the services hold what the program says. */
describeWithAdapters("a refactoring", function (adapter) {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false, tokens });
  let stack: TestStack;
  let entityId: string;
  let accessor: string;
  before(async () => {
    entityId = emulator.secrets.addEntity({}).id;
    accessor = emulator.secrets.addMount({ type: "userpass", path: "auth/logins" }).accessor;
    for (const name of ["acme", "other"]) {
      emulator.provisioning.addOrganization({ name });
    }
    stack = await TestStack.create(
      "engine-refactorings",
      {
        "trivium:provisioningAddress": emulator.provisioning.address,
        "trivium:provisioningToken": { secret: tokens.provisioning },
        "trivium:secretsAddress": emulator.secrets.address,
        "trivium:secretsToken": { secret: tokens.secrets },
      },
      {},
      adapter,
    );
  });
  afterEach(async () => {
    await stack.destroy();
  });
  after(() => {
    stack.remove();
  });

  const program =
    (declare: () => unknown): Program =>
    () => {
      declare();
      return Promise.resolve(undefined);
    };
  /** Nothing is left to do, also when the services are asked. */
  const settled = async (declare: () => unknown): Promise<void> => {
    await stack.previewWithoutChanges(program(declare), { refresh: true });
    await stack.previewWithoutChanges(program(declare));
  };
  const urns = async (type: string): Promise<string[]> =>
    (await stack.resources(typeWith(adapter, `pulumi-nodejs:dynamic/trivium/${type}`))).map(({ urn }) => urn);
  const replace = async (type: string, declare: () => unknown): Promise<void> => {
    await stack.up(program(declare), { replace: await urns(type) });
    await settled(declare);
  };
  const providerFor = (name: string, address = emulator.provisioning.address): trivium.Provider =>
    new trivium.Provider(name, { provisioning: { address, token: tokens.provisioning } });

  describe("of an AdminOrganization", () => {
    const limited =
      (name: string, onDestroy: "restore" | "delete", workspaceLimit = 20) =>
      () =>
        new AdminOrganization(name, { name: "other", workspaceLimit, onDestroy });
    const limit = (): number | null | undefined =>
      emulator.inspect().provisioning.organizations.find(({ name }) => name === "other")?.workspaceLimit;

    it("that is renamed does not delete the organization", async () => {
      await stack.up(program(limited("first", "delete")));
      await stack.up(program(limited("second", "delete")));
      assert.equal(limit(), 20);
      await settled(limited("second", "delete"));
      // The organization is needed by the cases below.
      await stack.up(program(() => new AdminOrganization("second", { name: "other", workspaceLimit: 20 })));
    });

    it("that is renamed, and replaced by hand, restores what was there before the first", async () => {
      const before = limit();
      await stack.up(program(limited("first", "restore", 30)));
      await stack.up(program(limited("second", "restore", 40)));
      assert.equal(limit(), 40);
      await settled(limited("second", "restore", 40));
      await stack.up(program(limited("third", "restore", 40)));
      assert.equal(limit(), 40);
      await replace("provisioning:AdminOrganization", limited("third", "restore", 40));
      assert.equal(limit(), 40);
      await stack.destroy();
      assert.equal(limit(), before);
    });
  });

  describe("of ProjectWorkspaces", () => {
    let workspaces: readonly string[];
    let projects: Readonly<Record<"one" | "two" | "fallback", string>>;
    before(() => {
      const { provisioning } = emulator;
      workspaces = ["a", "b"].map((name) => provisioning.addWorkspace({ organization: "acme", name }).id);
      const [one, two, fallback] = ["one", "two", "fallback"].map(
        (name) => provisioning.addProject({ organization: "acme", name }).id,
      );
      assert.ok(one && two && fallback);
      projects = { one, two, fallback };
    });
    const place = (name: string, project: "one" | "two", workspaceIds: readonly string[]) =>
      new ProjectWorkspaces(name, {
        projectId: projects[project],
        workspaceIds: [...workspaceIds],
        fallbackProjectId: projects.fallback,
      });
    const placesOf = (): readonly (string | undefined)[] =>
      workspaces.map(
        (workspace) =>
          emulator.inspect().provisioning.workspaces.find(({ id }) => id === workspace)?.projectId,
      );
    it("leaves a workspace where another one has moved it before", async () => {
      const [a = "", b = ""] = workspaces;
      await stack.up(program(() => [place("from", "one", [a, b]), place("to", "two", [])]));
      const declare = (): unknown => {
        const to = place("to", "two", [a]);
        return new ProjectWorkspaces(
          "from",
          { projectId: projects.one, workspaceIds: [b], fallbackProjectId: projects.fallback },
          { dependsOn: to },
        );
      };
      await stack.up(program(declare));
      assert.deepEqual(placesOf(), [projects.two, projects.one]);
      await settled(declare);
    });

    it("leaves them where they are when it is renamed, and replaced by hand", async () => {
      await stack.up(program(() => place("first", "one", workspaces)));
      const renamed = (): unknown => place("second", "one", workspaces);
      await stack.up(program(renamed));
      assert.deepEqual(placesOf(), [projects.one, projects.one]);
      await settled(renamed);
      await replace("provisioning:ProjectWorkspaces", renamed);
      assert.deepEqual(placesOf(), [projects.one, projects.one]);
      await stack.destroy();
      assert.deepEqual(placesOf(), [projects.fallback, projects.fallback]);
    });
  });

  describe("of a TotpSecret", () => {
    let methodId: string;
    before(() => {
      methodId = emulator.secrets.addTotpMethod({ issuer: "Acme" }).id;
    });
    const enrolment =
      (name: string, adopt = false) =>
      () =>
        new trivium.secrets.mfa.TotpSecret(name, { methodId, entityId, adopt });
    const keys = (): readonly string[] => emulator.inspect().secrets.totpSecrets.map(({ key }) => key);

    it("keeps the secret that state has when it is renamed, and replaced by hand", async () => {
      const outputs =
        (name: string, adopt: boolean): Program =>
        () => {
          const { secret } = enrolment(name, adopt)();
          return Promise.resolve({ secret });
        };
      await stack.up(outputs("first", false));
      const [first] = keys();
      await stack.up(outputs("second", true));
      const [second] = keys();
      assert.notEqual(second, first);
      assert.equal((await stack.outputs())["secret"]?.value, second);
      await replace("secrets/mfa:TotpSecret", enrolment("second", true));
      const [third, ...more] = keys();
      assert.ok(third !== undefined && third !== second);
      assert.deepEqual(more, []);
      await replace("secrets/mfa:TotpSecret", enrolment("second", false));
      assert.equal(keys().length, 1);
    });
  });

  it("moves a project to another provider of the same address", async () => {
    await stack.up(
      program(
        () =>
          new Project(
            "a",
            { organization: "acme", name: "aaa", adopt: true },
            { provider: providerFor("one") },
          ),
      ),
    );
    const [made] = projectsIn(emulator).filter(({ name }) => name === "aaa");
    const moved = (): unknown =>
      new Project("b", { organization: "acme", name: "aaa", adopt: true }, { provider: providerFor("two") });
    await stack.up(program(moved));
    assert.deepEqual(
      projectsIn(emulator).filter(({ name }) => name === "aaa"),
      [made],
    );
    await settled(moved);
  });

  for (const [type, declare] of Object.entries<() => unknown>({
    "provisioning:Project": () => new Project("it", { organization: "acme", name: "it-1" }),
    "secrets/scheduler:Role": () =>
      new trivium.secrets.scheduler.Role("it", { name: "it", policies: ["readonly"] }),
    "secrets/scheduler:Lease": () => new trivium.secrets.scheduler.Lease("it", { ttl: "1h" }),
    "secrets/directory:Config": () =>
      new trivium.secrets.directory.Config("it", {
        binddn: "cn=binds,dc=acme,dc=example",
        bindpass: "canary-bind",
        url: "ldap://ldap.example",
      }),
    "secrets/identity:EntityAlias": () =>
      new trivium.secrets.identity.EntityAlias("it", {
        name: "it",
        canonicalId: entityId,
        mountAccessor: accessor,
      }),
    "provisioning:ModuleConsumers": () =>
      new ModuleConsumers("it", { organization: "acme", consumers: ["other"] }),
  })) {
    it(`replaces a ${type} by hand`, async () => {
      await stack.up(program(declare));
      const asked = emulator.journal.count({ method: "DELETE" });
      await replace(type, declare);
      if (type !== "provisioning:ModuleConsumers") {
        assert.equal(emulator.journal.count({ method: "DELETE" }), asked + 1);
      }
    });
  }

  it("refuses two resources that have come to claim one project, and keeps it for the one that stays", async () => {
    await stack.up(program(() => new Project("a", { organization: "acme", name: "xxx" })));
    const [x] = projectsIn(emulator).filter(({ name }) => name === "xxx");
    const both = (): unknown => [
      new Project("c", { organization: "acme", name: "xxx", adopt: true }),
      new Project("a", { organization: "acme", name: "yyy" }),
    ];
    const ids = async () => [...(await stack.idsByName(typeWith(adapter, projectType)))];
    await stack.up(program(both)).catch(() => undefined);
    const held = await ids();
    // Whichever came first: none is lost, and none is deleted with the other.
    assert.ok(projectsIn(emulator).some(({ id }) => id === x?.id));
    if (held.length === 2 && held[0]?.[1] === held[1]?.[1]) {
      assert.match(
        await failureOf(stack.up(program(both))),
        /is (?:also )?managed by the resource "[ac]" of this program/,
      );
    }
    await stack.up(program(() => new Project("a", { organization: "acme", name: "yyy" })));
    assert.deepEqual(
      projectsIn(emulator)
        .filter(({ id }) => id === x?.id)
        .map(({ name }) => name),
      ["yyy"],
    );
    await settled(() => new Project("a", { organization: "acme", name: "yyy" }));
  });

  it("renames ModuleConsumers without consumers to one with", async () => {
    const consumers = (name: string, names: string[]) => () =>
      new ModuleConsumers(name, { organization: "acme", consumers: names });
    await stack.up(program(consumers("first", [])));
    await stack.up(program(consumers("second", ["other"])));
    const [acme] = emulator.inspect().provisioning.organizations;
    assert.deepEqual(acme?.moduleConsumers, ["other"]);
    await settled(consumers("second", ["other"]));
  });

  describe("beside a change in the service", () => {
    let provisioning: EmulatedProvisioning;
    let workspaceId: string;
    before(() => {
      provisioning = new EmulatedProvisioning(emulator);
      workspaceId = emulator.provisioning.addWorkspace({ organization: "acme", name: "noisy" }).id;
    });
    after(() => provisioning.close());
    const notification =
      (name: string, enabled?: boolean, options = {}) =>
      () =>
        new NotificationConfiguration(
          "it",
          { workspaceId, name, destinationType: "email", enabled },
          options,
        );
    const stored = () => emulator.inspect().provisioning.notificationConfigurations[0];
    const disable = async (enabled: boolean): Promise<void> => {
      const path = `notification-configurations/${String(stored()?.id)}`;
      await provisioning.change(path, "notification-configuration", { enabled });
    };

    it("puts the other argument back", async () => {
      await stack.up(program(notification("first", true)));
      await disable(false);
      const { text } = await stack.up(program(notification("second", true)));
      assert.match(text, /enabled had drifted and is restored/);
      assert.deepEqual([stored()?.name, stored()?.enabled], ["second", true]);
      await settled(notification("second", true));
    });

    it("puts a cleared argument back", async () => {
      await stack.up(program(notification("first", true)));
      await stack.up(program(notification("first")));
      const cleared = stored()?.enabled;
      await disable(cleared !== true);
      await stack.up(program(notification("second")));
      assert.deepEqual([stored()?.name, stored()?.enabled], ["second", cleared]);
      await settled(notification("second"));
    });

    it("leaves an argument alone that the program ignores, also after a refresh", async () => {
      const ignoring = (name: string) => notification(name, true, { ignoreChanges: ["enabled"] });
      await stack.up(program(ignoring("first")));
      await disable(false);
      await stack.up(program(ignoring("second")));
      assert.deepEqual([stored()?.name, stored()?.enabled], ["second", false]);
      await stack.refresh();
      await settled(ignoring("second"));
      assert.equal(stored()?.enabled, false);
    });

    it("puts back attributes of an organization, and templates of a role", async () => {
      const declare = (limit: number, maxTtl: string) => () => [
        new AdminOrganization("it", { name: "other", accessBetaTools: true, workspaceLimit: limit }),
        new trivium.secrets.directory.DynamicRole("it", {
          roleName: "it",
          creationLdif: "dn: cn={{.Username}},dc=acme\nchangetype: add\nobjectClass: person",
          deletionLdif: "dn: cn={{.Username}},dc=acme\nchangetype: delete",
          defaultTtl: "1h",
          maxTtl,
        }),
      ];
      const secrets = new SecretsApi(emulator.secrets.address, tokens.secrets, "documented");
      await stack.up(program(declare(20, "2h")));
      await provisioning.change("admin/organizations/other", "organizations", { "access-beta-tools": false });
      await secrets.write("ldap/role/it", { default_ttl: 60 });
      await stack.up(program(declare(30, "3h")));
      const { organizations } = emulator.inspect().provisioning;
      assert.equal(organizations.find(({ name }) => name === "other")?.accessBetaTools, true);
      assert.equal(emulator.inspect().secrets.directoryDynamicRoles[0]?.defaultTtl, 3600);
      await settled(declare(30, "3h"));
    });
  });

  it("renames a set whose name differs by case alone, where the product folds it", async () => {
    const product = await startEmulator({ tokens, dialect: "hashicorp" });
    try {
      const set = (resource: string, name: string, adopt: boolean) => () =>
        new trivium.secrets.directory.LibrarySet(
          resource,
          { mount: "openldap", name, serviceAccountNames: ["ada"], adopt },
          {
            provider: new trivium.Provider("product", {
              secrets: { address: product.secrets.address, token: tokens.secrets, dialect: "hashicorp" },
            }),
          },
        );
      product.secrets.addMount({ type: "directory", path: "openldap" });
      const base = "dc=acme,dc=example";
      product.secrets.addDirectoryEntry({ dn: `cn=ada,${base}` });
      product.secrets.addDirectoryEntry({ dn: `cn=binds,${base}`, password: "canary-bind" });
      await new SecretsApi(product.secrets.address, tokens.secrets, "hashicorp").write("openldap/config", {
        binddn: `cn=binds,${base}`,
        bindpass: "canary-bind",
        url: "ldap://ldap.example",
      });
      await stack.up(program(set("first", "Ops", false)));
      await stack.up(program(set("second", "ops", true)));
      assert.equal(product.inspect().secrets.directoryLibrarySets.length, 1);
      await settled(set("second", "ops", true));
      await stack.destroy();
      assert.equal(product.inspect().secrets.directoryLibrarySets.length, 0);
    } finally {
      await product.close();
    }
  });

  it("does nothing silently at another address, and replaces where the program asks for it", async () => {
    const elsewhere = await startEmulator({ tokens });
    try {
      elsewhere.provisioning.addOrganization({ name: "acme" });
      const at =
        (address?: string, options = {}) =>
        () =>
          new Project(
            "it",
            { organization: "acme", name: "wanderer" },
            { ...options, ...(address === undefined ? {} : { provider: providerFor("elsewhere", address) }) },
          );
      await stack.up(program(at()));
      const away = at(elsewhere.provisioning.address);
      const failure = await failureOf(stack.preview(program(away)));
      assert.match(failure, /This object was created at http/);
      const followed = at(elsewhere.provisioning.address, { replaceOnChanges: ["provider"] });
      await stack.up(program(followed));
      assert.deepEqual(
        [projectsIn(emulator), projectsIn(elsewhere)].map(
          (all) => all.filter(({ name }) => name === "wanderer").length,
        ),
        [0, 1],
      );
      await settled(followed);
      await stack.destroy();
      assert.equal(projectsIn(elsewhere).length, 0);
    } finally {
      await elsewhere.close();
    }
  });
});
