import assert from "node:assert/strict";
import { definitionIn } from "../../../sdk/resource/definition";
import { z } from "zod";
import { messageOf } from "../../../sdk/base/errors";
import type { Dialect } from "../../../sdk/base/settings";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { accessDefinition, getAccess } from "../../../sdk/secrets/scheduler/access";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { unknownValues } from "../../support/values";
import { reading, serviceWith } from "../altered-responses";
import { bodiesSentTo, hashicorp, stepAt, useSecrets } from "../emulated-client";

const address = "https://10.0.0.4:4646";
const otherAddress = "https://10.0.0.5:4646";
const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const certificates = { caCert: certificate, clientCert: certificate, clientKey: "key-1" };
const everything = { address, token: "management-1", maxTokenNameLength: 64, ...certificates };

for (const schedulerReads of ["documented", "real"] as const) {
  describe(`secrets.scheduler.Access, read as ${schedulerReads}`, () => {
    const emulator = useSecrets({ secrets: { schedulerReads } });

    const stored = () => emulator.inspect().secrets.schedulerAccess[0];
    const sent = () => bodiesSentTo(emulator, "scheduler/config/access");
    const manage = (args: Properties, settings = {}) =>
      FakeEngine.create(accessDefinition, emulator, args, settings);

    it("the access of a scheduler engine sends everything with an update, including the token, and clears the token", async () => {
      const managed = await manage(everything);
      const { token: _first, ...changed } = { ...everything, address: otherAddress };
      const certs = { ca_cert: certificate, client_cert: certificate, client_key: "key-1" };
      for (const token of ["management-1", "management-2", ""]) {
        assert.equal(await managed.up({ ...changed, ...(token && { token }) }), "updated");
        const body = { address: otherAddress, max_token_name_length: 64, ...certs, token };
        assert.deepEqual(sent().at(-1), body);
      }
      assert.equal(stored()?.token, "");
    });

    it("the access of a scheduler engine keeps values that the program has never set, and overwrites a configuration", async () => {
      emulator.secrets.changeSchedulerAccess({ address: "a://b", caCert: "theirs", token: "theirs" });
      const managed = await manage({ address });
      emulator.secrets.changeSchedulerAccess({ caCert: "theirs again" });
      await managed.up({ address: otherAddress });
      assert.deepEqual(sent(), [{ address }, { address: otherAddress }]);
      assert.deepEqual([stored()?.caCert, stored()?.token], ["theirs again", "theirs"]);
    });

    it("the access of a scheduler engine treats null in a response as no value", async () => {
      const nothing = { address: null, ca_cert: null, client_cert: null, max_token_name_length: null };
      const altered = reading(() => nothing);
      const managed = await manage({ token: "management-1" }, await serviceWith(emulator, altered));
      assert.deepEqual([managed.outputs.address, managed.outputs.maxTokenNameLength], ["", 0]);
      assert.equal(await managed.up({ token: "management-2" }), "updated");
      assert.ok(!JSON.stringify(sent()).includes("null"));
    });

    it("the access of a scheduler engine stays when it is destroyed, without a request and with a message", async () => {
      const managed = await manage({ address });
      const announced: string[] = [];
      emulator.journal.clear();
      await accessDefinition.delete(stepAt(emulator, announced), "teams/eu", { mount: "teams/eu" });
      await managed.destroy();
      const stays =
        /^warning: The access configuration of the scheduler engine at teams\/eu stays .* no request that deletes it/;
      assert.match(announced.join("\n"), stays);
      assert.deepEqual([emulator.journal.count(), stored()?.address], [0, address]);
    });

    it("the access of a scheduler engine is read by a function without its secrets", async () => {
      emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
      emulator.secrets.changeSchedulerAccess(everything, "teams/eu");
      const { token, clientKey, ...readable } = everything;
      const unread = { maxTokenNameLength: null, caCert: null, clientCert: null };
      const rest = schedulerReads === "real" ? {} : unread;
      assert.deepEqual(await getAccess({ mount: "teams/eu" }), { mount: "teams/eu", ...readable, ...rest });
      const { message } = await failure(getAccess());
      assert.equal(message, "The scheduler access configuration of the mount scheduler does not exist.");
    });
  });
}

describe("the arguments of secrets.scheduler.Access", () => {
  const requires = "clientCert requires clientKey";
  const isRequired = "clientCert is required with clientKey";
  const bootstraps =
    "token is required: without it, the service bootstraps the scheduler's ACL system, which can only be done once. " +
    "To do that, set `bootstrap: true`";
  const form = "address must be protocol://host:port, such as https://10.0.0.4:4646";
  const negative = "maxTokenNameLength is negative; for the longest names, use 0";
  const cases: readonly [Dialect, Properties, failures?: readonly string[], warnings?: readonly string[]][] =
    [
      ["documented", { address, token: "t", maxTokenNameLength: 0, bootstrap: false }],
      ["documented", { address: "", token: "" }],
      ["documented", { address: null, token: null, bootstrap: null }],
      ["documented", { clientCert: "c", clientKey: unknownValues.string }],
      ["documented", { clientCert: null, clientKey: null }],
      ["documented", { clientCert: "c" }, [requires]],
      ["documented", { clientCert: "c", clientKey: null }, [requires]],
      ["documented", { clientCert: "", clientKey: "k" }, [isRequired]],
      ["documented", { maxTokenNameLength: 1.5 }, ["maxTokenNameLength must be a whole number"]],
      ["documented", { address: "10.0.0.4:4646", maxTokenNameLength: -1 }, [], [form, negative]],
      ["documented", { address: `${address} ` }, ["address must be a URL without spaces or line breaks"]],
      ["hashicorp", { token: "t", clientCert: "c" }, [], [requires]],
      ["hashicorp", { address }, [bootstraps]],
      ["hashicorp", { token: null, bootstrap: null }, [bootstraps]],
      ["hashicorp", { token: "" }, [bootstraps]],
      ["hashicorp", { bootstrap: true }],
      ["hashicorp", { token: unknownValues.string }],
    ];
  for (const [dialect, args, expected = [], warned = []] of cases) {
    it(`the arguments of an access are checked in the ${dialect} dialect: ${JSON.stringify(args)}`, () => {
      const { failures, warnings } = checkArguments(definitionIn(accessDefinition, dialect), z, args);
      const problems = failures.map(({ property, reason }) => `${property} ${reason}`);
      assert.deepEqual([problems, warnings], [expected, warned]);
    });
  }
});

describe("secrets.scheduler.Access, destroyed in the hashicorp dialect", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });

  const path = "/v1/nomad/config/access";
  const unsupported = "1 error occurred:\n\t* unsupported path\n\n";
  const nil = 'no handler for route "nomad/config/access". route entry found, but backend is nil.';
  const tooOld = /^warning: .* engine at nomad stays .* no request that deletes[^\n]*$/;
  for (const [what, status, errors, said] of [
    ["is deleted with its token", 204, undefined, /^$/],
    ["stays, with a warning, if the engine is too old", 404, [], tooOld],
    ["stays, with a warning, if the engine has no such path", 404, [unsupported], tooOld],
    ["stays, with a warning, if the engine has no such method", 405, [], tooOld],
    ["stays in state if the plugin is not loaded", 404, [nil], /^error: .*nomad.*nil/],
    ["stays in state if the service fails", 500, [], /^error: .*returned 500/],
  ] as const) {
    it(`a destroyed access ${what}: ${status}`, async () => {
      emulator.secrets.changeSchedulerAccess({ address, token: "management-1" });
      if (errors !== undefined) {
        emulator.faults.add({ method: "DELETE", path, status, body: { errors } });
      }
      const announced: string[] = [];
      const step = stepAt(emulator, announced, { settings: hashicorp });
      const deletion = Promise.resolve(accessDefinition.delete(step, "nomad", { mount: "nomad" }));
      await deletion.catch((error: unknown) => announced.push(`error: ${messageOf(error)}`));
      assert.match(announced.join("\n"), said);
      assert.equal(emulator.inspect().secrets.schedulerAccess.length, status === 204 ? 0 : 1);
    });
  }
});

describe("secrets.scheduler.Access that has bootstrapped the scheduler", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });
  const settings = { "trivium:secretsDialect": "hashicorp" };
  const refused = {
    message:
      /The access configuration "nomad" of a scheduler engine contains the only copy of the management token .* Nothing was deleted\. Create a management token in the scheduler and set it as token, or allow the loss with forgetToken: true/s,
  };
  const deletions = (): number =>
    emulator.journal.requests().filter(({ method }) => method === "DELETE").length;
  let managed: FakeEngine;
  beforeEach(async () => {
    emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
    managed = await FakeEngine.create(accessDefinition, emulator, { bootstrap: true }, settings);
    assert.equal(emulator.inspect().scheduler.aclTokens[0]?.type, "management");
  });

  it("a bootstrapped access is not deleted by a destroy", async () => {
    await assert.rejects(managed.destroy(), refused);
    assert.deepEqual([deletions(), emulator.inspect().secrets.schedulerAccess.length], [0, 1]);
  });

  it("a bootstrapped access is not replaced, and the preview reports that", async () => {
    const args = { bootstrap: true, mount: "teams/eu" };
    await assert.rejects(managed.preview(args), refused);
    await assert.rejects(managed.up(args), refused);
    assert.deepEqual([deletions(), emulator.inspect().secrets.schedulerAccess.length], [0, 1]);
  });

  const ways: readonly Properties[] = [{ bootstrap: true, forgetToken: true }, { token: "known-1" }];
  for (const allowing of ways) {
    it(`a bootstrapped access is replaced and destroyed after the program has set ${Object.keys(allowing).join(" and ")}`, async () => {
      await managed.up(allowing);
      assert.equal(await managed.up({ token: "known-1", mount: "teams/eu" }), "replaced");
      await managed.destroy();
      assert.deepEqual([deletions(), emulator.inspect().secrets.schedulerAccess], [2, []]);
    });
  }

  it("an access with the program's own token is destroyed as usual", async () => {
    const other = await FakeEngine.create(
      accessDefinition,
      emulator,
      { token: "known-1", bootstrap: false, mount: "teams/eu" },
      settings,
    );
    await other.destroy();
    assert.equal(deletions(), 1);
  });
});

describe("secrets.scheduler.Access and the settings of this process's scheduler", () => {
  const emulator = useEmulator();

  const ours = { "trivium:schedulerAddress": "https://canary-ours:4646", "trivium:schedulerToken": "canary" };
  const names = ["SCHEDULER_ADDR", "SCHEDULER_TOKEN", "TRIVIUM_SCHEDULER_TOKEN", "NOMAD_ADDR", "NOMAD_TOKEN"];
  const paths = ["NOMAD_CACERT", "NOMAD_CLIENT_CERT", "NOMAD_CLIENT_KEY", "NOMAD_NAMESPACE"];
  useEnvironment(() => ({
    SCHEDULER_DIALECT: "hashicorp",
    ...Object.fromEntries([...names, ...paths].map((name) => [name, "https://canary-ours:4646"])),
  }));

  for (const [what, args] of [
    ["neither address nor token", { maxTokenNameLength: 64 }],
    ["an address alone", { address: "https://theirs:4646" }],
    ["a token alone", { token: "token-of-theirs" }],
  ] as const) {
    it(`an access does not send the environment's address or token if a program sets ${what}`, async () => {
      const managed = await FakeEngine.create(accessDefinition, emulator, args, ours);
      await managed.refresh();
      assert.equal(await managed.up({ ...args, maxTokenNameLength: 32 }), "updated");
      const sent = emulator.journal.requests().map(({ target, headers, body }) => [target, headers, body]);
      assert.doesNotMatch(JSON.stringify([sent, managed.inputs, managed.outputs]), /canary/);
    });
  }
});
