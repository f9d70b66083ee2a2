import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Dialect, ServiceName } from "../sdk/base/settings";
import { adminOrganizationDefinition } from "../sdk/provisioning/admin-organization";
import { notificationConfigurationDefinition } from "../sdk/provisioning/notification-configuration";
import { projectDefinition } from "../sdk/provisioning/project";
import type { AnyResourceDefinition } from "../sdk/resource/definition";
import { entityAliasDefinition } from "../sdk/secrets/identity/entity-alias";
import { pushMethodDefinition } from "../sdk/secrets/mfa/push-method";
import { totpMethodDefinition } from "../sdk/secrets/mfa/totp-method";
import type { Emulator } from "../sdk/testing";
import { lifecycleOn } from "./support/fake-engine";
import type { Properties } from "./support/provider-process";
import { useEmulator } from "./support/use-emulator";

const count = 20;
const keys = { secretKey: "secret", integrationKey: "integration" };
const numbers = Array.from({ length: count }, (_, index) => index);

interface Kind {
  readonly definition: unknown;
  readonly service: ServiceName;
  readonly dialects: readonly Dialect[];
  readonly list: string;
  program(emulator: Emulator, number: number): Properties;
  /** What another client changes. */
  readonly drift: Properties;
  /** Creations at once are read back from lists. */
  readonly sharesCreations?: true;
}

const [documented, hashicorp] = ["documented", "hashicorp"] as const;

const kinds: Readonly<Record<string, Kind>> = {
  projects: {
    definition: projectDefinition,
    service: "provisioning",
    dialects: [documented, hashicorp],
    list: "/api/v2/organizations/acme/projects",
    program: (_, number) => ({ organization: "acme", name: `project-${number}` }),
    drift: { name: "elsewhere" },
  },
  "notification configurations": {
    definition: notificationConfigurationDefinition,
    service: "provisioning",
    dialects: [documented, hashicorp],
    list: "/api/v2/workspaces/ws-web/notification-configurations",
    program: (_, number) => ({
      workspaceId: "ws-web",
      name: `mails-${number}`,
      destinationType: "email",
      userIds: ["user-ada"],
    }),
    drift: { name: "elsewhere" },
  },
  "administrative organizations": {
    definition: adminOrganizationDefinition,
    service: "provisioning",
    dialects: [documented, hashicorp],
    list: "/api/v2/admin/organizations",
    program: (_, number) => ({ name: `organization-${number}`, workspaceLimit: number }),
    drift: { workspaceLimit: 77 },
  },
  "TOTP methods": {
    definition: totpMethodDefinition,
    service: "secrets",
    dialects: [hashicorp],
    list: "/v1/identity/mfa/method/totp",
    program: (_, number) => ({ issuer: `Acme ${number}`, period: 60 }),
    drift: { issuer: "Other" },
    sharesCreations: true,
  },
  "Duo methods": {
    definition: pushMethodDefinition,
    service: "secrets",
    dialects: [hashicorp],
    list: "/v1/identity/mfa/method/duo",
    program: (_, number) => ({ ...keys, name: `phone-${number}`, apiHostname: "api-1.example.com" }),
    drift: { pushInfo: "from=elsewhere" },
  },
  "entity aliases": {
    definition: entityAliasDefinition,
    service: "secrets",
    dialects: [hashicorp],
    list: "/v1/identity/entity-alias/id",
    program: (emulator, number) => ({
      name: `user-${number}`,
      canonicalId: emulator.secrets.addEntity({}).id,
      mountAccessor: "auth_userpass_00000001",
    }),
    drift: { customMetadata: { team: "other" } },
  },
};

interface Managed {
  readonly id: string;
  readonly args: Properties;
  readonly outs: Properties;
}

for (const [what, { definition, service, dialects, list, drift, sharesCreations, ...kind }] of Object.entries(
  kinds,
)) {
  for (const dialect of dialects) {
    describe(`${what} of one stack, in the ${dialect} dialect,`, () => {
      const emulator = useEmulator({
        dialect,
        seed: {
          organizations: ["acme", ...numbers.map((number) => `organization-${number}`)].map((name) => ({
            name,
          })),
          workspaces: [{ id: "ws-web", organization: "acme" }],
          users: [{ username: "ada", id: "user-ada", organization: "acme" }],
        },
      });

      /** With a connection of its own. */
      const provider = () =>
        lifecycleOn(emulator, definition as AnyResourceDefinition, {
          [`trivium:${service}Dialect`]: dialect,
          [`trivium:${service}Headers`]: JSON.stringify({ "x-row": randomUUID() }),
        });
      const create = async (): Promise<readonly Managed[]> => {
        const own = provider();
        return Promise.all(
          numbers.map(async (number) => {
            const args = kind.program(emulator, number);
            const { id, outs } = await own.create(args);
            return { id, args, outs };
          }),
        );
      };
      const update = ({ id, outs, args }: Managed, of = provider()) =>
        of.update(id, outs, { ...args, ...drift });
      const refresh = async (objects: readonly Managed[], of = provider()) => {
        emulator.journal.clear();
        return Promise.all(objects.map(({ id, outs }) => of.read(id, outs)));
      };
      const reads = () => {
        const found = emulator.journal.requests({ method: "GET" }).map(({ path }) => path === list);
        const lists = found.filter(Boolean).length;
        return { lists, alone: found.length - lists };
      };
      const withDrift = (props: Properties | undefined) => ({ ...props, ...drift });

      it(`${what} are refreshed from one list, after two reads, with the same result as single reads`, async () => {
        const objects = await create();
        const found = await refresh(objects);
        assert.deepEqual(reads(), { lists: 1, alone: 2 });
        assert.deepEqual(
          found.map(({ props }) => props),
          objects.map(({ outs }) => outs),
        );
      });

      if (sharesCreations === true) {
        it(`${what} that are created at once share lists afterwards, each with its own values`, async () => {
          const objects = await create();
          assert.ok(reads().alone < count / 2, JSON.stringify(reads()));
          const [first = assert.fail()] = objects;
          const [found] = await refresh([first]);
          assert.deepEqual(found?.props, first.outs);
        });
      }

      it(`${what} that another client has changed or deleted are detected in a refresh of many`, async () => {
        const objects = await create();
        const [deleted = assert.fail(), changed = assert.fail()] = objects.slice(-2);
        await update(changed);
        await provider().delete(deleted.id, deleted.outs);
        const found = await refresh(objects);
        const { props } = found.at(-1) ?? {};
        assert.deepEqual(withDrift(props), props);
        const kept = found.filter(({ id }) => id !== undefined).length;
        // A restoration is the deletion of an organization's resource.
        assert.equal(kept, service === "provisioning" && "workspaceLimit" in drift ? count : count - 1);
        assert.ok(reads().alone <= 5, JSON.stringify(reads()));
      });

      it(`${what} are read one by one if the token is not allowed to list them`, async () => {
        const objects = await create();
        const body = { errors: ["permission denied"] };
        emulator.faults.add({ method: "GET", path: list, status: 403, body, times: count });
        const found = await refresh(objects);
        assert.equal(found.filter(({ id }) => id !== undefined).length, count);
        assert.equal(reads().alone, count);
      });

      it(`${what} that this process has just written are not served from an older list`, async () => {
        const objects = await create();
        const of = provider();
        await refresh(objects, of);
        const [first = assert.fail()] = objects;
        await update(first, of);
        const { props } = await of.read(first.id, first.outs);
        assert.deepEqual(withDrift(props), props);
      });
    });
  }
}
