import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../command-line/binary";
import { Processes, projectInputs } from "../contract/support/contracts";
import { json, type Responder, startServer, stopServers, type TestServer } from "../http/server";
import { CallError, type Properties, type ProviderProcess } from "../support/provider-process";
import { certificates } from "../support/certificates";
import { configurationWith } from "../support/proxy";
import { dangersIn } from "../support/texts";
import { useEmulator } from "../support/use-emulator";
import { tried } from "./support/extent";

/** Longer than anything that a person reads: a text of this length is no part of a message. */
const longest = 4_000;

/** What would steer a terminal, reorder a line, begin a line of its own, or give a CI runner a command. */
const texts: readonly string[] = Object.values({
  terminal: ["\u001b[31mred\u001b[0m", "\u001b]0;title\u0007", "\u009b2J", "\rgone"],
  lines: ["one\ntwo", "one\r\n::error::two"],
  commands: ["::error file=a::b", "\n##vso[task.setvariable variable=x]y"],
  "commands in the middle": ["##[error]x", "##teamcity[buildStop]"],
  separators: ["a\u2028::warning::b", "a\u2029b", "a\u0085b"],
  order: ["\u202egnp.exe", "\u2066a\u2069", "a\u200bb\ufeff"],
  others: ["\ud800", "\0\b\u007f", "x".repeat(100_000)],
}).flat();

/** Some of them, where each takes seconds. */
const fewTexts = texts.filter((_, index) => index % 6 === 0);

/** The same for a header, which carries bytes and no line breaks. */
const headerTexts = texts.filter((text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text) && text.length < 10_000);

const urn = "urn:pulumi:s::p::t::payments";
const project = projectInputs({ organization: "acme", name: "payments", __urn: urn });
const lease: Properties = {
  __provider: 'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/scheduler:Lease")',
  __urn: urn,
  mount: "scheduler",
  ttl: 60,
  maxTtl: 120,
  adopt: true,
};

/** How a service shows a text in what it returns for a creation. */
type Answer = (text: string, ...parameters: Parameters<Responder>) => unknown;

const channels: Readonly<Record<string, Answer>> = {
  "error bodies as JSON": (text, response) =>
    json(response, 422, { errors: [{ title: text, detail: text }] }),
  "error bodies as pages": (text, response) =>
    response.writeHead(500).end(`<html><title>${text}</title>${text}</html>`),
  "error bodies as text": (text, response) => response.writeHead(500).end(text),
  "request ids": (text, response) => response.writeHead(500, { "x-request-id": text }).end(""),
  "retry-after": (text, response) => response.writeHead(503, { "retry-after": text }).end(""),
  "IDs of existing objects": (id, response) =>
    json(response, 200, { data: [{ id, type: "projects", attributes: { name: "payments" } }] }),
  "warnings in envelopes": (text, response, { method }) => {
    const data = method === "GET" ? { ttl: 60, max_ttl: 120 } : null;
    json(response, 200, { data, warnings: Array.from({ length: 50 }, () => text) });
  },
};

describe("texts of a service, wherever they are shown", function () {
  this.timeout("5m");

  const processes = new Processes();
  const emulator = useEmulator({ resets: false });

  after(() => processes.stop([]));
  after(stopServers);

  /** Counts the texts that went through a channel, and checks that all that came out can be shown. */
  function assertShowable(channel: string, shown: readonly string[], number: number): void {
    assert.ok(shown.length > 0, `${channel}: nothing was shown`);
    for (const line of shown) {
      assert.deepEqual(dangersIn(line, longest), [], `${channel}: ${JSON.stringify(line.slice(0, 300))}`);
    }
    tried(`channel: ${channel}`, "texts", number);
  }

  const start = ({ address: Address }: TestServer, more: Properties = {}): Promise<ProviderProcess> => {
    const settings = configurationWith(() => ({ Address, Token: "canary-token", MaxRetries: "0" }));
    return processes.start({ ...settings, ...more });
  };
  const failureOf = async (provider: ProviderProcess, inputs: Properties): Promise<string[]> => {
    const failure = await provider.create(inputs).catch((error: unknown) => error);
    const reasons = failure instanceof CallError ? (failure.partial?.reasons ?? []) : [];
    return failure instanceof Error ? [[failure.message, ...reasons].join(" ")] : [];
  };

  for (const [channel, answer] of Object.entries(channels)) {
    it(`the provider process does not show control characters from ${channel}`, async () => {
      let text = "";
      const server = await startServer((...parameters) => void answer(text, ...parameters));
      const provider = await start(server);
      const all = ["request ids", "retry-after"].includes(channel) ? headerTexts : texts;
      const warns = channel === "warnings in envelopes";
      const shown: string[] = [];
      for (text of all) {
        shown.push(...(await failureOf(provider, warns ? lease : project)));
      }
      const lines = provider.engine.lines.map(({ message }) => message);
      const isWarned = lines.some((line) => line.startsWith("The secrets service warns: "));
      assert.equal(isWarned, warns);
      assertShowable(channel, [...shown, ...lines], all.length);
    });
  }

  it("certificate errors do not show control characters", async () => {
    const { otherHost, selfSigned, authority } = certificates();
    const shown: string[] = [];
    for (const { certificate: cert, key } of [otherHost, selfSigned]) {
      const server = await startServer((response) => response.end(), { cert, key });
      const trusting = { "trivium:provisioningCaCertificate": authority.certificate };
      shown.push(...(await failureOf(await start(server, trusting), project)));
    }
    assertShowable("certificates", shown, shown.length);
  });

  for (const [what, form] of Object.entries({ "for people": [], "as JSON": ["--json"] })) {
    const nameOf = (command: string): string => [command, ...form].join(" ");

    it(`doctor does not show control characters ${what}`, async () => {
      let text = "";
      const server = await startServer((response) =>
        json(response, text.length % 2 === 0 ? 200 : 500, {
          errors: [text],
          warnings: [text],
          version: text,
          cluster_name: text,
          data: { display_name: text },
        }),
      );
      const SECRETS_ADDR = server.address;
      const environment = { SECRETS_ADDR, SECRETS_TOKEN: "canary-token", SECRETS_MAX_RETRIES: "0" };
      const shown: string[] = [];
      for (text of fewTexts) {
        shown.push(...(await linesOf(["doctor", "secrets", ...form], environment)));
      }
      assertShowable(nameOf("doctor"), shown, fewTexts.length);
    });

    it(`import-file does not print control characters ${what}`, async () => {
      emulator.reset();
      for (const [index, text] of texts.entries()) {
        const { id: canonicalId } = emulator.secrets.addEntity({});
        const customMetadata = { [text]: text, text };
        emulator.secrets.addEntityAlias({ name: `alias-${index}`, canonicalId, customMetadata });
      }
      const folder = mkdtempSync(join(tmpdir(), "channels-"));
      const args = ["import-file", "--entity-aliases", "--out", join(folder, "imports.json"), ...form];
      const printed = await linesOf(args, emulator.environment);
      rmSync(folder, { recursive: true });
      assertShowable(nameOf("import-file"), printed, texts.length);
    });

    it(`events do not show control characters ${what}, in topics or payloads`, async () => {
      emulator.reset();
      const short = texts.slice(0, -1);
      for (const text of short) {
        const payload = { Node: { Name: text, Status: text } };
        emulator.events.emit({ topic: text || "Node", type: text, key: text, namespace: text, payload });
      }
      const command = run(["events", "--namespace", "*", ...form], emulator.environment);
      const lines = await command.lines(short.length);
      command.process.kill("SIGKILL");
      await command.ended;
      assertShowable(nameOf("events"), lines, short.length);
    });
  }
});

/** What a command prints on both outputs. */
async function linesOf(...command: Parameters<typeof run>): Promise<string[]> {
  const { ended, printed } = run(...command);
  await ended;
  return `${printed.out}${printed.error}`.split("\n").filter((line) => line !== "");
}
