import assert from "node:assert/strict";
import { stopServers } from "../http/server";
import { interfacesOf, LiveWorld } from "./live-worlds";
import { probe } from "./probes";
import { replayOf } from "./replay";
import { serversIn } from "./servers";

const environmentOf = (secrets: string, scheduler: string) => ({
  VAULT_ADDR: secrets,
  VAULT_TOKEN: "canary-token-5d31",
  NOMAD_ADDR: scheduler,
  NOMAD_TOKEN: "canary-token-90b2",
});

describe("what the tests against real servers ask of OpenBao and Nomad themselves", () => {
  afterEach(stopServers);

  it("is what the servers were asked when it was recorded: nothing else, and nothing is left behind", async () => {
    const [bao, nomad] = await replayOf("openbao-2.6.2-operator.json", "nomad-1.10.5-operator.json");
    assert.ok(bao !== undefined && nomad !== undefined);
    const environment = environmentOf(bao.address, nomad.address);
    const servers = serversIn(environment);

    const { products, missing, unusable } = await probe(servers, interfacesOf(servers), environment);
    assert.deepEqual(unusable, []);
    assert.deepEqual(products, [
      `OpenBao 2.0.0-HEAD at ${bao.address} (a server in dev mode: it stores nothing)`,
      `Nomad 1.10.5 at ${nomad.address} (an agent in dev mode)`,
      "its engine ldap v2.0.0+builtin.bao",
      "its engine nomad",
    ]);
    const lacking = [
      "secrets service",
      "directory engine",
      "scheduler engine",
      "scheduler with ACLs",
    ] as const;
    assert.deepEqual(
      lacking.map((need) => missing.get(need)),
      [undefined, undefined, undefined, undefined],
    );
    assert.match(missing.get("step-up methods") ?? "", /^OpenBao 2\.0\.0-HEAD has no sys\/mfa\/method\/duo/);

    const world = new LiveWorld(servers);
    assert.match(await world.secrets.addEntity(), /^[\da-f-]{36}$/);
    assert.match(await world.secrets.addLogin(), /^auth_userpass_/);
    const { mount, otherMount } = await world.secrets.mount("directory");
    assert.notEqual(mount, otherMount);
    const { filter, keys } = await world.scheduler.happen();
    assert.ok(keys.includes(filter));
    assert.equal(await world.scheduler.knowsToken("99999999-8888-7777-6666-555555555555"), true);
    assert.equal(await world.scheduler.knowsToken("11111111-2222-3333-4444-555555555555"), false);
    await world.close();
    assert.deepEqual([...bao.left, ...nomad.left], []);
  });
});
