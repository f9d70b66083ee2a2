import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { resourceCases } from "../cases";
import { batchesOf, together, type Values } from "../cases/support/case";
import type { CaseContext, EngineMounts } from "../cases/support/test-services";
import type { Adapter } from "./support/adapter";
import { ClassLifecycle } from "./support/class-lifecycle";
import { useOneStackForAll } from "./support/lifecycle";
import type { TestedResource } from "./support/tested-resource";
import { presentTarget } from "./support/lifecycle-target";

type Prepared = Readonly<Record<string, string>>;

/** A class, and the resources that examples and guides make of its outputs. */
interface Family {
  /** As in state: `provisioning:Project`. */
  readonly type: string;
  /** What else has to exist. */
  readonly prepare?: (context: CaseContext) => Promise<Prepared>;
  /** What the parent has beside, or in place of, the arguments of its case. */
  readonly args?: (prepared: Prepared) => Values;
  /** The changes of these arguments of its case are left out. */
  readonly without?: readonly string[];
  /** Arguments whose change makes a child follow. */
  readonly follows?: readonly string[];
  /** Makes the children of a parent. */
  readonly children: (parent: Parent) => void;
}

/** The outputs of a parent that children take. */
interface Outputs extends Readonly<
  Record<"canonicalId" | "mount" | "name" | "roleName" | "algorithm", pulumi.Output<string>>
> {
  readonly id: pulumi.Output<string>;
  readonly digits: pulumi.Output<number>;
  readonly period: pulumi.Output<number>;
}

/** A parent in a program. */
interface Parent {
  readonly outputs: Outputs;
  readonly prepared: Prepared;
  /** Names a child. */
  readonly name: (name: string) => string;
  readonly options: pulumi.CustomResourceOptions;
}

const { directory, mfa, scheduler } = trivium.secrets;

const below = "ou=services,dc=acme,dc=example";
const creationLdif = `dn: cn={{.Username}},${below}\nchangetype: add\nobjectClass: person\nsn: {{.Username}}\nuserPassword: {{.Password}}`;
const deletionLdif = `dn: cn={{.Username}},${below}\nchangetype: delete`;

/** Every class that the examples, and the guide of the emulator, make others of. */
const families: readonly Family[] = [
  {
    type: "provisioning:Project",
    children({ outputs: { id }, name, options }) {
      new trivium.provisioning.ProjectWorkspaces(name("empty"), { projectId: id, workspaceIds: [] }, options);
    },
  },
  {
    type: "secrets/identity:EntityAlias",
    follows: ["canonicalId"],
    children({ outputs: { canonicalId }, name, options }) {
      const method = new mfa.TotpMethod(name("method"), { issuer: "Acme", qrSize: 0 }, options);
      new mfa.TotpSecret(name("secret"), { methodId: method.id, entityId: canonicalId }, options);
    },
  },
  {
    type: "secrets/mfa:TotpMethod",
    prepare: async ({ services }) => ({ entityId: await services.secrets.addEntity() }),
    args: () => ({ algorithm: undefined, digits: undefined, qrSize: 0 }),
    follows: ["period", "algorithm", "digits"],
    without: ["digits", "qrSize"],
    children({ outputs: { id, algorithm, digits, period }, prepared: { entityId = "" }, name, options }) {
      const triggers = { algorithm, digits, period };
      new mfa.TotpSecret(name("secret"), { methodId: id, entityId, triggers }, options);
    },
  },
  {
    type: "secrets/directory:Config",
    async prepare({ services, emulator }) {
      emulator?.secrets.addDirectoryEntry({ dn: `cn=somebody,${below}` });
      const { dn: binddn, password: bindpass } = await services.secrets.directory.administrator();
      await services.secrets.directory.add("svc-ledger");
      await services.secrets.directory.add("svc-operator");
      return { binddn, bindpass, userdn: await services.secrets.directory.base() };
    },
    args: (prepared) => prepared,
    children({ outputs: { mount }, name, options }) {
      const root = new directory.RootRotation(name("root"), { mount }, options);
      const after = { ...options, dependsOn: root };
      const role = new directory.StaticRole(
        name("ledger"),
        { mount, roleName: "ledger", username: "svc-ledger", rotationPeriod: "24h" },
        after,
      );
      new directory.StaticRoleRotation(name("rotation"), { mount, roleName: role.roleName }, options);
      const reports = new directory.DynamicRole(
        name("reports"),
        { mount, roleName: "reports", creationLdif, deletionLdif },
        after,
      );
      new directory.DynamicCredential(name("credential"), { mount, roleName: reports.roleName }, options);
      const set = new directory.LibrarySet(
        name("operators"),
        { mount, name: "operators", serviceAccountNames: ["svc-operator"] },
        after,
      );
      new directory.LibraryCheckout(name("operator"), { mount, setName: set.name }, options);
    },
  },
  {
    type: "secrets/directory:StaticRole",
    children({ outputs: { mount, roleName }, name, options }) {
      new directory.StaticRoleRotation(name("rotation"), { mount, roleName }, options);
    },
  },
  {
    type: "secrets/directory:DynamicRole",
    async prepare(context) {
      const { api, directory: entries } = context.services.secrets;
      const { mount } = context as CaseContext & EngineMounts;
      const { dn: binddn, password: bindpass } = await entries.administrator();
      context.emulator?.secrets.addDirectoryEntry({ dn: `cn=somebody else,${below}` });
      await api.write(`${mount}/config`, {
        binddn,
        bindpass,
        url: entries.url,
        userdn: await entries.base(),
      });
      return {};
    },
    children({ outputs: { mount, roleName }, name, options }) {
      new directory.DynamicCredential(name("credential"), { mount, roleName }, options);
    },
  },
  {
    type: "secrets/directory:LibrarySet",
    children({ outputs: { mount, name: setName }, name, options }) {
      new directory.LibraryCheckout(name("checkout"), { mount, setName }, options);
    },
  },
  {
    type: "secrets/scheduler:Access",
    children({ outputs: { mount }, name, options }) {
      new scheduler.Lease(name("hour"), { mount, ttl: "1h" }, options);
      new scheduler.Role(name("reader"), { mount, name: "reader", type: "management" }, options);
    },
  },
  {
    type: "secrets/scheduler:Role",
    prepare: ({ services: { scheduler } }) =>
      Promise.resolve({ address: scheduler.address, token: scheduler.token }),
    children({ outputs: { mount, name: roleName }, prepared: { address, token }, name, options }) {
      const access = new scheduler.Access(name("access"), { mount, address, token }, options);
      new scheduler.Token(name("token"), { mount, roleName }, { ...options, dependsOn: access });
    },
  },
];

/** Shows with the real CLI that a plan changes no child of a family unless something follows. */
function lifecycleOf(family: Family, adapter: Adapter): ClassLifecycle {
  const { type, without = [], follows = [] } = family;
  const resourceCase = resourceCases.get(type) ?? assert.fail(`there is no case of ${type}`);
  const prepared = new Map<TestedResource, Prepared>();
  const lifecycle = new ClassLifecycle(
    resourceCase,
    presentTarget(),
    adapter,
    (tested, resource, options) => {
      const name = (child: string): string => `${tested.name}-${child}`;
      const outputs = resource as unknown as Outputs;
      family.children({ outputs, prepared: prepared.get(tested) ?? {}, options, name });
    },
  );

  lifecycle.step("are made", async () => {
    await lifecycle.each(async (tested) => {
      const more = (await family.prepare?.(tested.context)) ?? {};
      prepared.set(tested, more);
      tested.args = { ...tested.args, ...family.args?.(more) };
    });
    assert.deepEqual(Object.keys((await lifecycle.up()).changes), ["create"]);
  });
  const changes = resourceCase.changes.filter(({ argument }) => !without.includes(argument));
  const batches = batchesOf({ ...resourceCase, changes }, (argument) => follows.includes(argument));
  for (const batch of batches.filter(([first]) => first?.replaces !== true)) {
    const names = batch.map(({ argument }) => argument);
    const isFollowed = names.some((name) => follows.includes(name));
    const title = `${isFollowed ? "follow" : "stay as they are after"} a change of ${names.join(", ")}`;
    lifecycle.step(title, async () => {
      const { steps, changes, text } = await lifecycle.take("preview", ({ args, context }) => ({
        ...args,
        ...together(batch, context),
      }));
      await lifecycle.each(({ name }) => assert.equal(steps.get(name)?.[0]?.operation, "update", text));
      const parents = { update: lifecycle.resources.length };
      if (isFollowed) {
        assert.notDeepEqual(changes, parents, text);
      } else {
        assert.deepEqual(changes, parents, text);
      }
    });
  }
  return lifecycle;
}

for (const adapter of ["dynamic", "plugin"] as const) {
  describe(`plans${adapter === "plugin" ? ", with the plugin" : ""},`, function () {
    this.timeout(300_000);

    const lifecycles = families.map((family) => lifecycleOf(family, adapter));
    useOneStackForAll(lifecycles, presentTarget(), adapter);
    lifecycles.forEach((lifecycle) =>
      describe(`the children of ${lifecycle.name}`, () => lifecycle.describeSteps()),
    );
  });
}
