import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useEmulator } from "../../support/use-emulator";
import { at } from "../call";

interface Exchange {
  /** `$name` is a value of an earlier response. */
  readonly request: string;
  readonly body?: unknown;
  /** Null for none; default that of the service. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Names for values of the response. */
  readonly save?: Readonly<Record<string, string>>;
  readonly response: { readonly status: number; readonly body: unknown };
  /** Why the emulator has another response; `refused` for its own sentence, `words` for the same status. */
  readonly departure?: string;
}

const file = join(__dirname, "../../fixtures/wire/openbao-2.6.2-clients.json");
const exchanges = JSON.parse(readFileSync(file, "utf8")) as readonly Exchange[];

const random = /^(?:accessor|client_token|id|lease_id|request_id|token|uuid|wrapped_accessor)$/;

/** Without what differs each time. */
function scrubbed(value: unknown): unknown {
  const text = JSON.stringify(value, (name, member: unknown) => {
    if (typeof member === "number" && /^(?:creation_time|ttl)$/.test(name)) {
      return name === "ttl" ? Math.round(member / 10) * 10 : 0;
    }
    if (typeof member !== "string" || member === "") {
      return member;
    }
    return random.test(name)
      ? `<${name}>`
      : member
          .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
          .replace(/_[0-9a-f]{8}$/, "_<id>")
          .replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/, "<time>");
  });
  const byKey = (_name: string, member: unknown): unknown =>
    member === null || typeof member !== "object" || Array.isArray(member)
      ? member
      : Object.fromEntries(
          Object.entries(member)
            .map(([key, inner]) => [key.replace(/^[0-9a-f-]{36}$/, "<id>"), inner] as const)
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        );
  return JSON.parse(text, byKey) as unknown;
}

/** Sends all of them, one after the other. */
async function responsesOf(address: string, token: string): Promise<Exchange["response"][]> {
  const saved = new Map<string, string>();
  const filled = (text: string): string =>
    text.replace(/\$(\w+)/g, (name) => saved.get(name.slice(1)) ?? name);
  const responses: Exchange["response"][] = [];
  for (const { request, body, token: own = token, headers, save = {} } of exchanges) {
    const [method = "", path = ""] = filled(request).split(" ");
    const sent = body === undefined ? null : filled(JSON.stringify(body));
    const given = new Headers({ ...headers });
    if (own !== null) {
      given.set("x-vault-token", filled(own));
    }
    const reply = await fetch(`${address}/v1/${path}`, { method, headers: given, body: sent });
    const text = await reply.text();
    const content = text === "" ? null : (JSON.parse(text) as unknown);
    for (const [name, place] of Object.entries(save)) {
      saved.set(name, String(at(content, ...place.split("."))));
    }
    responses.push({ status: reply.status, body: scrubbed(content) });
  }
  return responses;
}

/** What the products' own clients ask for, recorded from OpenBao 2.6.2, a new development server. */
describe("the paths of the secrets service that only the products' clients need", () => {
  const emulator = useEmulator({
    dialect: "hashicorp",
    secrets: { directoryEngine: "openbao" },
    resets: false,
  });
  let responses: readonly Exchange["response"][] = [];
  before(async () => {
    const { RECORDED_ADDR: address, RECORDED_TOKEN: token = "" } = process.env;
    if (address !== undefined) {
      const recorded = await responsesOf(address, token);
      const lines = exchanges.map((each, index) => JSON.stringify({ ...each, response: recorded[index] }));
      writeFileSync(file, `[\n${lines.join(",\n")}\n]\n`);
    }
    emulator.secrets.removeMount("userpass");
    emulator.secrets.removeMount("ldap");
    responses = await responsesOf(emulator.secrets.address, emulator.secrets.token);
  });

  exchanges.forEach(({ request, body, response, departure }, index) => {
    const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
    it(`the emulated secrets service responds as OpenBao does, or says that it does not: ${index + 1} ${request}${sent}`, () => {
      const actual = responses[index];
      const own = JSON.stringify(actual?.body).includes("The emulator of pulumi-trivium does not implement");
      assert.equal(own, departure === "refused", JSON.stringify(actual));
      if (departure === "words") {
        assert.equal(actual?.status, response.status);
      }
      assert[departure === undefined ? "deepEqual" : "notDeepEqual"](actual, response);
    });
  });
});
