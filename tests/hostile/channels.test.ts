import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../command-line/binary";
import { Processes, projectInputs } from "../contract/support/contracts";
import { startServer, stopServers, type TestServer } from "../http/server";
import { CallError } from "../support/provider-process";
import { certificates } from "../support/certificates";
import { dangersIn } from "../support/texts";
import { useEmulator } from "../support/use-emulator";
import { tried } from "./support/extent";

/** Longer than anything that a person reads: a text of this length is no part of a message. */
const longest = 4_000;

/** What would steer a terminal, reorder a line, begin a line of its own, or give a CI runner a command. */
const texts: readonly string[] = [
  "\u001b[31mred\u001b[0m",
  "\u001b]0;title\u0007",
  "\u009b2J",
  "\rgone",
  "one\ntwo",
  "one\r\n::error::two",
  "::error file=a::b",
  "\n##vso[task.setvariable variable=x]y",
  "##[error]x",
  "##teamcity[buildStop]",
  "a\u2028::warning::b",
  "a\u2029b",
  "a\u0085b",
  "\u202egnp.exe",
  "\u2066a\u2069",
  "a\u200bb\ufeff",
  "\ud800",
  "\0\b\u007f",
  "x".repeat(100_000),
];

/** Some of them, where each takes seconds. */
const fewTexts = texts.filter((_, index) => index % 6 === 0);

/** The same for a header, which carries bytes and no line breaks. */
const headerTexts = texts.filter((text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text) && text.length < 10_000);

describe("texts of a service, wherever they are shown", function () {
  this.timeout("5m");

  const processes = new Processes();
  const emulator = useEmulator({ resets: false });
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "channels-"));
  });
  after(async () => {
    await processes.stop([]);
    rmSync(folder, { recursive: true });
  });
  afterEach(stopServers);

  /** Notes that so many texts went through a channel, and that all that came out may be shown. */
  function assertShowable(channel: string, shown: readonly string[], number = texts.length): void {
    assert.ok(shown.length > 0, `${channel}: nothing was shown`);
    for (const line of shown) {
      assert.deepEqual(dangersIn(line, longest), [], `${channel}: ${JSON.stringify(line.slice(0, 300))}`);
    }
    tried(`channel: ${channel}`, "texts", number);
  }

  const provisioning = ({ address }: TestServer): Record<string, string> => ({
    "trivium:provisioningAddress": address,
    "trivium:provisioningToken": "canary-token",
    "trivium:provisioningMaxRetries": "0",
    "trivium:secretsAddress": address,
    "trivium:secretsToken": "canary-token",
    "trivium:secretsMaxRetries": "0",
  });
  const inputs = (): ReturnType<typeof projectInputs> =>
    projectInputs({ organization: "acme", name: "payments", __urn: "urn:pulumi:s::p::t::payments" });
  const failure = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => "",
      (error: unknown) =>
        error instanceof CallError
          ? [error.message, ...(error.partial?.reasons ?? [])].join(" ")
          : String(error),
    );

  it("errors show no control characters of bodies, request ids and retry-after", async () => {
    let respond: (text: string) => { status: number; headers: Record<string, string>; body: string };
    let text = "";
    const server = await startServer((response) => {
      const { status, headers, body } = respond(text);
      response.writeHead(status, headers).end(body);
    });
    const provider = await processes.start(provisioning(server));
    const through = async (all: readonly string[]): Promise<string[]> => {
      const shown: string[] = [];
      for (const each of all) {
        text = each;
        shown.push(await failure(provider.create(inputs())));
      }
      return [...shown, ...provider.engine.lines.map(({ message }) => message)];
    };
    respond = (each) => ({
      status: 422,
      headers: {},
      body: JSON.stringify({ errors: [{ title: each, detail: each }] }),
    });
    assertShowable("error bodies as JSON", await through(texts));
    respond = (each) => ({ status: 500, headers: {}, body: `<html><title>${each}</title>${each}</html>` });
    assertShowable("error bodies as pages", await through(texts));
    respond = (each) => ({ status: 500, headers: {}, body: each });
    assertShowable("error bodies as text", await through(texts));
    respond = (each) => ({ status: 500, headers: { "x-request-id": each }, body: "" });
    assertShowable("request ids", await through(headerTexts), headerTexts.length);
    respond = (each) => ({ status: 503, headers: { "retry-after": each }, body: "" });
    assertShowable("retry-after", await through(headerTexts), headerTexts.length);
  });

  it("messages show no control characters of names and ids", async () => {
    let text = "";
    const server = await startServer((response) => {
      const data = [{ id: text, type: "projects", attributes: { name: "payments" } }];
      response.writeHead(200, { "content-type": "application/vnd.api+json" }).end(JSON.stringify({ data }));
    });
    const provider = await processes.start(provisioning(server));
    const shown: string[] = [];
    for (const each of texts) {
      text = each;
      shown.push(await failure(provider.create(inputs())));
    }
    assertShowable("ids of what exists already", shown);
  });

  it("warnings show no control characters of envelopes and names", async () => {
    let text = "";
    const server = await startServer((response, { method }) => {
      const data = method === "GET" ? { ttl: 60, max_ttl: 120 } : null;
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ data, warnings: Array.from({ length: 50 }, () => text) }));
    });
    const provider = await processes.start(provisioning(server));
    for (const each of texts) {
      text = each;
      await failure(
        provider.create({
          __provider:
            'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/scheduler:Lease")',
          __urn: "urn:pulumi:s::p::t::lease",
          mount: "scheduler",
          ttl: 60,
          maxTtl: 120,
          adopt: true,
        }),
      );
    }
    const lines = provider.engine.lines.map(({ message }) => message);
    assert.ok(
      lines.some((line) => line.startsWith("The secrets service warns: ")),
      lines.join("\n"),
    );
    assertShowable("warnings in envelopes", lines);
  });

  it("certificate errors show no control characters", async () => {
    const { otherHost, selfSigned, authority } = certificates();
    const shown: string[] = [];
    for (const pair of [otherHost, selfSigned]) {
      const server = await startServer((response) => response.end(), {
        cert: pair.certificate,
        key: pair.key,
      });
      const provider = await processes.start({
        ...provisioning(server),
        "trivium:provisioningCaCertificate": authority.certificate,
      });
      shown.push(await failure(provider.create(inputs())));
    }
    assertShowable("certificates", shown, shown.length);
  });

  it("doctor shows no control characters, for people and as JSON", async () => {
    let text = "";
    const server = await startServer((response) => {
      const body = {
        errors: [text],
        warnings: [text],
        version: text,
        cluster_name: text,
        data: { display_name: text },
      };
      response
        .writeHead(text.length % 2 === 0 ? 200 : 500, { "content-type": "application/json" })
        .end(JSON.stringify(body));
    });
    const environment = {
      SECRETS_ADDR: server.address,
      SECRETS_TOKEN: "canary-token",
      SECRETS_MAX_RETRIES: "0",
    };
    for (const [channel, args] of [
      ["doctor", []],
      ["doctor --json", ["--json"]],
    ] as const) {
      const shown: string[] = [];
      for (const each of fewTexts) {
        text = each;
        shown.push(...linesOf(await outputOf(["doctor", "secrets", ...args], environment)));
      }
      assertShowable(channel, shown, fewTexts.length);
    }
  });

  it("import-file prints no control characters", async () => {
    for (const [index, text] of texts.entries()) {
      const { id: canonicalId } = emulator.secrets.addEntity({});
      emulator.secrets.addEntityAlias({
        name: `alias-${index}`,
        canonicalId,
        customMetadata: { [text]: text, text },
      });
    }
    const environment = emulator.environment;
    const out = join(folder, "imports.json");
    for (const more of [[], ["--json"]]) {
      const args = ["import-file", "--entity-aliases", "--out", out, "--overwrite"];
      const printed = await outputOf([...args, ...more], environment);
      assertShowable(`import-file ${more.join("")}`.trim(), linesOf(printed));
    }
  });

  it("event errors show no control characters of lines, JSON, topics and reasons", async () => {
    for (const text of texts.slice(0, -1)) {
      const payload = { Node: { Name: text, Status: text } };
      emulator.events.emit({ topic: text || "Node", type: text, key: text, namespace: text, payload });
    }
    for (const [channel, args] of [
      ["events", []],
      ["events --json", ["--json"]],
    ] as const) {
      const command = run(["events", "--namespace", "*", ...args], emulator.environment);
      const lines = await command.lines(texts.length - 1);
      command.process.kill("SIGKILL");
      await command.ended;
      assertShowable(channel, lines, texts.length - 1);
    }
  });
});

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** What a command prints on both outputs. */
async function outputOf(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const command = run(args, environment);
  await command.ended;
  return command.printed.out + command.printed.error;
}
