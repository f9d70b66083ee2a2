import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { EventTopic, EventType } from "../../sdk/scheduler/event";
import { eventGateDefinition } from "../../sdk/scheduler/event-gate";
import { type EventMatch, waitForEvent } from "../../sdk/scheduler/index";
import { Refused } from "../engine/support/api";
import { providerWith } from "../support/fake-engine";
import {
  addPolicy,
  examinedServers,
  readingJobs,
  schedulerApi,
  title,
  uniqueName,
  useCleanUp,
} from "./live-services";

const { scheduler } = examinedServers();
const restart = process.env.NOMAD_RESTART ?? "";

if (scheduler !== undefined) {
  describe(`gates.nomad ${title}`, function () {
    this.timeout(120_000);

    const api = schedulerApi(scheduler);
    const cleanUp = useCleanUp();

    /** A job without a group runs nowhere. A scheduler that has just started refuses every token. */
    const register = async (id: string): Promise<void> => {
      const task = { Name: "none", Driver: "raw_exec", Config: { command: "true" } };
      const group = { Name: "none", Count: 0, Tasks: [task] };
      const job = { ID: id, Name: id, Type: "batch", Datacenters: ["*"], TaskGroups: [group] };
      cleanUp.add(`the job ${id}`, () => api.remove(`job/${id}?purge=true`));
      let error: unknown;
      for (let attempt = 1; attempt <= 60; attempt++) {
        error = await api.send("PUT", "jobs", { Job: job }).catch((caught: unknown) => caught);
        if (!(error instanceof Error) || (error instanceof Refused && error.status < 403)) {
          break;
        }
        await sleep(500);
      }
      assert.ok(!(error instanceof Error), error as Error);
    };

    const snapshot = async (method: "GET" | "PUT", body: ArrayBuffer | null = null): Promise<ArrayBuffer> => {
      const headers = { "x-nomad-token": scheduler.token };
      const response = await fetch(`${scheduler.address}/v1/operator/snapshot`, { method, headers, body });
      return response.ok ? response.arrayBuffer() : Promise.reject(new Error(await response.text()));
    };
    const interruptions: Readonly<Record<string, (policy: string) => Promise<unknown>>> = {
      "the policy of its token was narrowed": (Name) =>
        api.send("POST", `acl/policy/${Name}`, { Name, Rules: readingJobs }),
      "its snapshot was restored": async () => snapshot("PUT", await snapshot("GET")),
      "it was restarted": () => promisify(execFile)("sh", ["-c", restart]),
    };

    it("gates output events of topics that are not documented, with their payloads", async () => {
      const name = await addPolicy(api, cleanUp);
      /** Creates something, which can have an ID, until the clean-up. */
      const make = async (path: string, body: object, removed = path): Promise<void> => {
        const { ID = name } = ((await api.send("POST", path, body)) ?? {}) as { readonly ID?: string };
        cleanUp.add(`${removed} ${ID}`, () => api.remove(`${removed}/${ID}`));
      };
      const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const key = publicKey.export({ type: "spki", format: "pem" });
      await make("acl/role", { Name: name, Policies: [{ Name: name }] });
      const method = { Type: "JWT", TokenLocality: "local", MaxTokenTTL: "1h0m0s", Default: false };
      await make("acl/auth-method", { Name: name, ...method, Config: { JWTValidationPubKeys: [key] } });
      const rule = { Description: name, AuthMethod: name, BindType: "role", BindName: name };
      await make("acl/binding-rule", rule);
      await make("node/pools", { Name: name }, "node/pool");
      const expected: readonly [topic: EventTopic, type: EventType, payload: Record<string, object>][] = [
        ["ACLRole", "ACLRoleUpserted", { ACLRole: { Name: name } }],
        ["ACLAuthMethod", "ACLAuthMethodUpserted", { AuthMethod: { Name: name } }],
        ["ACLBindingRule", "ACLBindingRuleUpserted", { ACLBindingRule: { Description: name } }],
        ["NodePool", "NodePoolUpserted", { NodePool: { Name: name } }],
      ];
      for (const [topic, type, payload] of expected) {
        const { address, token } = scheduler;
        const connection = { address, token, dialect: "hashicorp" } as const;
        const match: EventMatch = { topic, type, payload };
        const event = await waitForEvent({ ...connection, topics: [topic], match, timeout: "30s" });
        assert.deepEqual([event.topic, event.type], [topic, type]);
      }
    });

    for (const [what, interrupt] of Object.entries(interruptions)) {
      if (!what.includes("policy") && restart === "") {
        it.skip(
          `a gate that opens after ${what} is left out: NOMAD_RESTART does not name a command, so Nomad's data might be in memory`,
        );
        continue;
      }
      it(`a gate opens with the next event after ${what}`, async () => {
        const policy = await addPolicy(api, cleanUp, `${readingJobs}\nnode { policy = "read" }`);
        const token = { Name: policy, Type: "client", Policies: [policy] };
        const { AccessorID, SecretID } = (await api.send("POST", "acl/token", token)) as {
          readonly [name in "AccessorID" | "SecretID"]: string;
        };
        cleanUp.add(`the token of ${policy}`, () => api.remove(`acl/token/${AccessorID}`));
        const provider = providerWith(eventGateDefinition, {
          "trivium:schedulerAddress": scheduler.address,
          "trivium:schedulerToken": SecretID,
          "trivium:schedulerDialect": "hashicorp",
        });
        const job = uniqueName();
        const match = { type: "JobRegistered", key: job };
        const { inputs } = await provider.check({}, { topics: ["Job"], match, timeout: "90s" });
        const opened = provider.create(inputs);
        // Nothing tells when the subscription is there.
        await sleep(1_500);
        // Without an event, the response has not begun.
        await register(`${job}-before`);
        await sleep(1_500);
        await interrupt(policy);
        await register(job);
        await opened;
      });
    }
  });
}
