import { writeFileSync } from "node:fs";
import { useEmulator } from "../../support/use-emulator";
import { at } from "../call";
import { assertRecorded, type Exchange, exchanges, file, scrubbed } from "./client-paths";

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

  exchanges.forEach((exchange, index) => {
    const { request, body } = exchange;
    const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
    it(`the emulated secrets service responds as OpenBao does, or reports that it does not: ${index + 1} ${request}${sent}`, () => {
      assertRecorded(responses[index], exchange);
    });
  });
});
