import assert from "node:assert/strict";
import { accessDefinition } from "../../../sdk/secrets/scheduler/access";
import { useEnvironment } from "../../connection/environment";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";

describe("secrets.scheduler.Access and the scheduler of our own process", () => {
  const emulator = useEmulator();

  const ours = "https://canary-ours:4646";
  const token = "canary-token-of-ours";
  useEnvironment(() => ({
    SCHEDULER_DIALECT: "hashicorp",
    SCHEDULER_ADDR: ours,
    SCHEDULER_TOKEN: token,
    TRIVIUM_SCHEDULER_TOKEN: token,
    NOMAD_ADDR: ours,
    NOMAD_TOKEN: token,
    NOMAD_CACERT: "/canary/ca",
    NOMAD_CLIENT_CERT: "/canary/certificate",
    NOMAD_CLIENT_KEY: "/canary/key",
    NOMAD_NAMESPACE: "canary",
  }));

  const programs: readonly [string, Properties][] = [
    ["neither address nor token", { maxTokenNameLength: 64 }],
    ["an address alone", { address: "https://theirs:4646" }],
    ["a token alone", { token: "token-of-theirs" }],
  ];
  for (const [what, args] of programs) {
    it(`sends nothing of ours where a program gives ${what}`, async () => {
      const managed = new Managed(accessDefinition, emulator, {
        "trivium:schedulerAddress": ours,
        "trivium:schedulerToken": token,
      });
      await managed.up(args);
      await managed.refresh();
      assert.equal(await managed.up({ ...args, maxTokenNameLength: 32 }), "updated");
      const requests = emulator.journal
        .requests()
        .map(({ target, headers, body }) => ({ target, headers, body }));
      assert.ok(requests.some(({ body }) => body !== null));
      assert.doesNotMatch(JSON.stringify([requests, managed.inputs, managed.outputs]), /canary/);
    });
  }
});
