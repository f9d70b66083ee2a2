import assert from "node:assert/strict";
import { configDefinition } from "../../sdk/secrets/directory/config";
import { leaseDefinition } from "../../sdk/secrets/scheduler/lease";
import { roleDefinition } from "../../sdk/secrets/scheduler/role";
import { stopServers } from "../http/server";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";
import { type Alteration, serviceWith } from "./altered-responses";

const bodies = {
  "a message": { message: "no such object" },
  "an error": { error: "not found" },
  "an error with members": { error: { code: 404, reason: "gone" } },
  nothing: undefined,
};

describe("404 with whatever JSON or nothing", () => {
  const emulator = useEmulator();
  afterEach(stopServers);

  const objects: readonly (readonly [unknown, Record<string, string>])[] = [
    [roleDefinition, { name: "deploy", policies: "deploy" }],
    [leaseDefinition, { ttl: "1h" }],
    [configDefinition, { binddn: "cn=admin", bindpass: "bind-password" }],
  ];
  for (const [what, body] of Object.entries(bodies)) {
    const alter: Alteration = (_request, response) =>
      response.status === 404 ? { status: 404, body: body as never } : response;

    it(`is absence: a missing object is created, and a deleted one is created again (${what})`, async () => {
      const settings = await serviceWith(emulator, alter);
      for (const [definition, args] of objects) {
        const managed = new Managed(definition, emulator, settings);
        assert.equal(await managed.up(args), "created");
        assert.equal(await managed.refresh(), true);
        await new Managed(definition, emulator, settings).up({ ...args, adopt: true });
        await managed.destroy();
        const { id } = managed;
        assert.equal(id, undefined);
        assert.equal(await managed.up(args), "created");
        emulator.reset();
        assert.equal(await managed.refresh(), false);
      }
    });
  }
});
