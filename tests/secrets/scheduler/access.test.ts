import assert from "node:assert/strict";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import type { Dialect } from "../../../sdk/base/settings";
import type { Step } from "../../../sdk/resource/definition";
import type { SecretsClient } from "../../../sdk/secrets/client";
import { accessDefinition, getAccess } from "../../../sdk/secrets/scheduler/access";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";

const path = "/v1/scheduler/config/access";
const address = "https://10.0.0.4:4646";
const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

for (const schedulerReads of ["documented", "real"] as const) {
  describe(`secrets.scheduler.Access, read as ${schedulerReads}`, () => {
    const emulator = useEmulator({ secrets: { schedulerReads } });
    afterEach(stopServers);

    const stored = () => emulator.inspect().secrets.schedulerAccess;
    const sent = (): unknown[] => emulator.journal.requests({ method: "POST", path }).map(({ body }) => body);
    const manage = async (args: Properties): Promise<Managed> => {
      const managed = new Managed(accessDefinition, emulator);
      await managed.up(args);
      return managed;
    };
    const everything = {
      address,
      token: "management-1",
      maxTokenNameLength: 64,
      caCert: certificate,
      clientCert: certificate,
      clientKey: "key-1",
    };

    it("sends everything with an update, the token as well", async () => {
      const managed = await manage(everything);
      const changed = { ...everything, address: "https://10.0.0.5:4646" };
      assert.equal(await managed.up(changed), "updated");
      assert.equal(await managed.up({ ...changed, token: "management-2" }), "updated");
      const rest = {
        address: "https://10.0.0.5:4646",
        max_token_name_length: 64,
        ca_cert: certificate,
        client_cert: certificate,
        client_key: "key-1",
      };
      assert.deepEqual(sent().slice(1), [
        { ...rest, token: "management-1" },
        { ...rest, token: "management-2" },
      ]);
      assert.deepEqual([stored()[0]?.token, stored()[0]?.maxTokenNameLength], ["management-2", 64]);
    });

    it("leaves alone what the program has never named", async () => {
      emulator.secrets.changeSchedulerAccess({ caCert: "theirs", token: "theirs" });
      const managed = await manage({ address });
      emulator.secrets.changeSchedulerAccess({ caCert: "theirs again" });
      await managed.up({ address: "https://10.0.0.5:4646" });
      const [first, second] = sent();
      assert.deepEqual(first, { address });
      assert.deepEqual(second, {
        address: "https://10.0.0.5:4646",
        // Left out it would be reset; only the service can say what it is.
        ...(schedulerReads === "real" ? { max_token_name_length: 0 } : {}),
      });
      assert.deepEqual([stored()[0]?.caCert, stored()[0]?.token], ["theirs again", "theirs"]);
    });

    it("clears what is no longer in the program", async () => {
      const managed = await manage(everything);
      assert.equal(await managed.up({ token: "management-1" }), "updated");
      assert.deepEqual(stored(), [
        {
          mount: "scheduler",
          address: "",
          token: "management-1",
          maxTokenNameLength: 0,
          caCert: "",
          clientCert: "",
          clientKey: "",
        },
      ]);
      assert.equal(await managed.up({ token: "management-1" }), "same");
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up({ token: "management-1" }), "same");
      assert.equal(await managed.up({}), "updated");
      assert.equal(stored()[0]?.token, "");
    });

    it("treats null in a response as no value", async () => {
      const nothing = { address: null, ca_cert: null, client_cert: null, max_token_name_length: null };
      const settings = await serviceWith(emulator, (_request, { status, body }) => ({
        status,
        body: body?.data ? { data: nothing } : body,
      }));
      const managed = new Managed(accessDefinition, emulator, settings);
      await managed.up({ token: "management-1" });
      assert.deepEqual([managed.outputs.address, managed.outputs.maxTokenNameLength], ["", 0]);
      assert.equal(await managed.up({ token: "management-2" }), "updated");
      assert.ok(!JSON.stringify(sent()).includes("null"));
    });

    it("shows in a refresh that the address was changed in the service, and puts it right", async () => {
      const managed = await manage({ address, token: "management-1", maxTokenNameLength: 64 });
      emulator.secrets.changeSchedulerAccess({ address: "a://b", maxTokenNameLength: 5 });
      assert.equal(await managed.refresh(), true);
      assert.equal(managed.inputs.address, "a://b");
      assert.equal(managed.inputs.maxTokenNameLength, schedulerReads === "real" ? 5 : 64);
      assert.equal(managed.inputs.token, "management-1");
      assert.equal(await managed.up({ address, token: "management-1", maxTokenNameLength: 64 }), "updated");
      assert.deepEqual(
        [stored()[0]?.address, stored()[0]?.token, stored()[0]?.maxTokenNameLength],
        [address, "management-1", 64],
      );
      assert.equal((sent()[1] as { token?: string }).token, "management-1");
    });

    it("writes over a configuration that is there already", async () => {
      emulator.secrets.changeSchedulerAccess({ address: "a://b" });
      await manage({ address });
      assert.equal(stored()[0]?.address, address);
    });

    it("stays when it is destroyed, without a request, and says so", async () => {
      const announced: string[] = [];
      const step = {
        announce: (kind: string, message: string) => void announced.push(`${kind}: ${message}`),
      } as unknown as Step<SecretsClient>;
      await accessDefinition.delete(step, "teams/eu", {});
      assert.equal(announced.length, 1);
      assert.match(
        announced[0] ?? "",
        /^warning: The access configuration of the scheduler engine at teams\/eu stays .* no request that deletes it/,
      );
      const managed = await manage({ address });
      emulator.journal.clear();
      await managed.destroy();
      assert.equal(emulator.journal.count(), 0);
      assert.equal(stored()[0]?.address, address);
    });
  });
}

describe("the arguments of secrets.scheduler.Access", () => {
  const emulator = useEmulator();
  const problems = (args: Properties, dialect: Dialect = "documented"): string[] =>
    checkArguments(accessDefinition, z, dialect, args as never).failures.map(
      ({ property, reason }) => `${property} ${reason}`,
    );
  const scheme = "address must be protocol://host:port, such as https://10.0.0.4:4646";
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

  for (const [args, expected] of [
    [{}, []],
    [{ address, token: "t", maxTokenNameLength: 0, bootstrap: false }, []],
    [{ clientCert: "c", clientKey: "k" }, []],
    [{ clientCert: "c" }, ["clientCert requires clientKey"]],
    [{ clientCert: "c", clientKey: null }, ["clientCert requires clientKey"]],
    [{ clientKey: "k" }, ["clientCert is required with clientKey"]],
    [{ clientCert: "", clientKey: "k" }, ["clientCert is required with clientKey"]],
    [{ clientCert: "c", clientKey: unknown }, []],
    [{ clientCert: null, clientKey: null }, []],
    [{ address: "" }, []],
    [{ address: null }, []],
    [{ token: "" }, []],
    [{ maxTokenNameLength: 1.5 }, ["maxTokenNameLength must be a whole number"]],
  ] as const) {
    it(`are ${expected.length === 0 ? "accepted" : "refused"}: ${JSON.stringify(args)}`, () => {
      assert.deepEqual(problems(args), expected);
    });
  }

  for (const [args, warning] of [
    [{ address: "10.0.0.4:4646" }, scheme],
    [{ maxTokenNameLength: -1 }, "maxTokenNameLength is negative; for the longest names, use 0"],
  ] as const) {
    it(`are warned about: ${JSON.stringify(args)}`, () => {
      assert.deepEqual(checkArguments(accessDefinition, z, "documented", args), {
        failures: [],
        warnings: [warning],
      });
    });
  }

  it("are only warned about in the hashicorp dialect, whose products take a certificate alone", () => {
    const { failures, warnings } = checkArguments(accessDefinition, z, "hashicorp", {
      token: "t",
      clientCert: "c",
    });
    assert.deepEqual([failures, warnings], [[], ["clientCert requires clientKey"]]);
  });

  const bootstrap =
    /^token is required: without it, the service bootstraps the ACL system .* set bootstrap to true$/;
  const bootstrapping: readonly Properties[] = [{ address }, { token: null, bootstrap: null }, { token: "" }];
  for (const args of bootstrapping) {
    it(`are refused in the hashicorp dialect, where they would bootstrap: ${JSON.stringify(args)}`, () => {
      const [problem, ...more] = problems(args, "hashicorp");
      assert.match(problem ?? "", bootstrap);
      assert.deepEqual(more, []);
      assert.deepEqual(problems(args), []);
    });
  }
  const harmless: readonly Properties[] = [{ token: "t" }, { bootstrap: true }, { token: unknown }];
  for (const args of harmless) {
    it(`are accepted in the hashicorp dialect: ${JSON.stringify(args)}`, () => {
      assert.deepEqual(problems(args, "hashicorp"), []);
    });
  }

  it("are refused by the lifecycle in the dialect of its connection, without the token's value", async () => {
    const managed = new Managed(accessDefinition, emulator, { "trivium:secretsDialect": "hashicorp" });
    const [problem = ""] = await managed.problems({ address });
    assert.match(problem, bootstrap);
    assert.equal(emulator.journal.count(), 0);
  });
});

const untold = { maxTokenNameLength: null, caCert: null, clientCert: null };

for (const [schedulerReads, rest] of [
  ["documented", untold],
  ["real", { maxTokenNameLength: 64, caCert: "ca", clientCert: "certificate" }],
] as const) {
  describe(`secrets.scheduler.getAccess, of a service that responds as ${schedulerReads}`, () => {
    const emulator = useEmulator({ secrets: { schedulerReads } });
    useEnvironment(() => emulator.environment);

    it("reads how the scheduler is reached, and no secrets", async () => {
      emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
      emulator.secrets.changeSchedulerAccess(
        {
          address: "https://10.0.0.4:4646",
          token: "management",
          maxTokenNameLength: 64,
          caCert: "ca",
          clientCert: "certificate",
          clientKey: "key",
        },
        "teams/eu",
      );
      assert.deepEqual(await getAccess({ mount: "teams/eu" }), {
        mount: "teams/eu",
        address: "https://10.0.0.4:4646",
        ...rest,
      });
    });

    it("says so when there is nothing to read", async () => {
      const error = await failure(getAccess());
      assert.equal(
        error.message,
        "The scheduler access configuration of the mount scheduler does not exist.",
      );
    });
  });
}

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
