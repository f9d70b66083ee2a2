import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Provider } from "../../sdk/connection/provider";
import { events } from "../../sdk/scheduler";
import type { ConnectionOptions } from "../../sdk/scheduler/options";
import type { Emulator } from "../../sdk/testing";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { stopServers } from "../http/server";
import { useMocks } from "../resource/mocks";
import { certificates } from "../support/certificates";
import { temporaryDirectory } from "../support/packed-library";
import { useEmulator } from "../support/use-emulator";
import { frameLine, startRawScheduler, wireEvent } from "./raw-scheduler";

/** Where the events come from that these settings lead to. */
async function source(options: ConnectionOptions): Promise<string> {
  const stream = events({ ...options, maxRetries: 0 });
  try {
    return (await stream.next()).value?.key ?? "nowhere";
  } finally {
    await stream.return?.();
  }
}

describe("the connection of the event stream", () => {
  useEnvironment(() => ({}));
  useMocks();
  afterEach(stopServers);

  const here = useEmulator({ resets: false });
  const elsewhere = useEmulator({ resets: false });
  const product = useEmulator({ dialect: { scheduler: "hashicorp" } });
  const { authority, server, client } = certificates();
  const secure = useEmulator({ tls: { ...server, clientCertificateAuthority: authority.certificate } });
  before(() => {
    here.events.emit({ topic: "Node", type: "NodeRegistration", key: "here" });
    elsewhere.events.emit({ topic: "Node", type: "NodeRegistration", key: "elsewhere" });
  });

  const argumentsFor = ({ scheduler: { address, token } }: Emulator) => ({ address, token });
  const configureFor = ({ scheduler: { address, token } }: Emulator): void =>
    pulumi.runtime.setAllConfig({ "trivium:schedulerAddress": address, "trivium:schedulerToken": token });

  it("the connection of the event stream comes from the arguments, then from stack configuration, then from the environment", async () => {
    Object.assign(process.env, elsewhere.environment);
    assert.equal(await source({}), "elsewhere");
    configureFor(here);
    assert.equal(await source({}), "here");
    assert.equal(await source(argumentsFor(elsewhere)), "elsewhere");
  });

  it("the connection of the event stream comes from a provider that is passed", async () => {
    configureFor(elsewhere);
    const provider = new Provider("here", { scheduler: argumentsFor(here) });
    assert.equal(await source({ provider }), "here");
  });

  it("the connection of the event stream can come partly from the arguments", async () => {
    configureFor(here);
    const error = await failure(source({ token: "canary-wrong-token" }));
    assert.match(error.message, /403.*token from the argument token/);
    const directory = temporaryDirectory("token");
    const tokenFile = join(directory, "token");
    await writeFile(tokenFile, `${here.scheduler.token}\n`);
    assert.equal(await source({ tokenFile }), "here");
    await rm(directory, { recursive: true });
  });

  it("the connection of the event stream sends no token to an address in the arguments unless they also set one", async () => {
    const server = await startRawScheduler((request) => {
      request.write(frameLine(1, [wireEvent(1, { Key: "open" })]));
    });
    configureFor(here);
    Object.assign(process.env, here.environment, {
      TRIVIUM_SCHEDULER_TOKEN: "canary-override",
      NOMAD_TOKEN: "canary-product",
    });
    for (const dialect of ["documented", "hashicorp"] as const) {
      assert.equal(await source({ address: server.address, dialect }), "open");
    }
    assert.equal(server.requests.length, 2);
    for (const { head } of server.requests) {
      assert.doesNotMatch(head, /authorization|x-nomad-token|canary/i);
      assert.ok(!head.includes(here.scheduler.token));
    }
  });

  it("the connection of the event stream logs in, and always requests the region from the arguments, the stack or the environment", async () => {
    const login = { method: "ci", jwt: "canary-identity" };
    product.scheduler.addLogin(login);
    product.events.emit({ topic: "Node", type: "NodeRegistration", key: "product" });
    const { address } = product.scheduler;
    const regions = async (options: ConnectionOptions): Promise<(string | null)[]> => {
      product.journal.clear();
      const outcome = source({ address, dialect: "hashicorp", login, ...options });
      assert.match(await outcome.catch(String), /^product$|No path to region/);
      return product.journal.requests().map(({ query }) => new URLSearchParams(query).get("region"));
    };
    process.env.NOMAD_REGION = "global";
    assert.deepEqual(await regions({}), ["global", "global"]);
    process.env.SCHEDULER_REGION = "eu west";
    assert.deepEqual(await regions({}), ["eu west"]);
    pulumi.runtime.setAllConfig({ "trivium:schedulerRegion": "stack" });
    assert.deepEqual(await regions({}), ["stack"]);
    assert.deepEqual(await regions({ region: "own" }), ["own"]);
    // The connection of before is logged in.
    assert.deepEqual(await regions({ region: "global" }), ["global"]);
  });

  it("the error of the event stream names the invalid argument, but not its value", async () => {
    const error = await failure(source({ ...argumentsFor(here), caCertificate: "canary-certificate" }));
    assert.match(error.message, /The argument caCertificate is neither PEM nor a readable file/);
    assert.ok(!error.message.includes("canary"));
  });

  it("the error of the event stream says what to do while a provider's settings are unknown", async () => {
    const provider = new Provider("later", {
      scheduler: { address: pulumi.output(pulumi.unknown as string), token: "canary" },
    });
    const error = await failure(source({ provider }));
    assert.match(error.message, /scheduler\.events cannot be called yet.*in `apply` of an output/);
  });

  it("the connection of the event stream uses TLS with the CA, client certificate and headers that were set", async () => {
    secure.events.emit({ topic: "Node", type: "NodeRegistration", key: "secure" });
    const { certificate: clientCertificate, key: clientKey } = client;
    const untrusting = { ...argumentsFor(secure), clientCertificate, clientKey, headers: { "X-Team": "a" } };
    assert.equal(await source({ ...untrusting, caCertificate: authority.certificate }), "secure");
    const error = await failure(source({ ...untrusting, maxRetries: 5 }));
    assert.match(error.message, /unknown authority/);
    assert.equal(secure.journal.count(), 1, "it was not tried again");
    assert.equal(await source({ ...untrusting, insecureSkipVerify: true }), "secure");
  });
});
