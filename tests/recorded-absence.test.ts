import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { resourceCases } from "./cases";
import { callFunction } from "./cases/functions";
import { caseIn } from "./cases/support/case";
import { readEvents } from "../sdk/scheduler";
import { startServer, stopServers } from "./http/server";
import { FakeEngine, providerWith } from "./support/fake-engine";
import type { Exchange, Replacement } from "./support/proxy";
import { definitions, triedFunctions, useServices } from "./support/services";
import type { Recording } from "./testing/call";

function recordingsOf(name: string): readonly Recording[] {
  return JSON.parse(readFileSync(join(__dirname, "fixtures", "wire", name), "utf8")) as readonly Recording[];
}

function replacementOf({ response: { status, body } }: Recording): Replacement {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status: status ?? 0, headers: { "content-type": "application/json" }, body: text };
}

/** Recorded in OpenBao 2.6.2, OTF 0.6.3 and Nomad 2.0.5. */
const openbao = recordingsOf("openbao-2.6.2.json");
const otf = recordingsOf("otf-0.6.3-absence.json");
const nomad = recordingsOf("nomad-2.0.5-absence.json");

function noted(recordings: readonly Recording[], note: string): Replacement {
  return replacementOf(recordings.find((each) => each.note === note) ?? assert.fail(note));
}

const isAbsence = ({ response: { status, body } }: Recording): boolean =>
  status === 404 && isDeepStrictEqual(body, { errors: [] });

const isList = ({ request: { method, path } }: Recording): boolean =>
  method === "LIST" || path.includes("list=true");

describe("the products' recorded responses for objects that do not exist", function () {
  this.timeout(60_000);
  const services = useServices();

  const stackOf = async (type: string, dialect: "documented" | "hashicorp") => {
    const resourceCase = resourceCases.get(type) ?? assert.fail(type);
    const definition = definitions.get(type) ?? assert.fail(type);
    const { valid } = await services.prepareAlone({ ...caseIn(dialect, resourceCase), dialect });
    const engine = new FakeEngine(definition, {
      operate: (calls) => calls(providerWith(definition, services.configuration()), {}),
    });
    await engine.up(valid);
    services.proxy.clear();
    return engine;
  };

  const absence = openbao.filter((each) => isAbsence(each) && !isList(each));
  const empty = openbao.filter((each) => isAbsence(each) && isList(each));

  it("OpenBao uses the same message for missing objects and empty lists", () => {
    assert.ok(absence.length >= 8, String(absence.length));
    assert.ok(empty.length >= 4, String(empty.length));
    const bodies = new Set([...absence, ...empty].map(({ response }) => JSON.stringify(response.body)));
    assert.deepEqual([...bodies], ['{"errors":[]}']);
  });

  const word = replacementOf(absence[0] ?? assert.fail());
  const readable = [...resourceCases.values()].filter(
    (each) => each.type.startsWith("secrets/") && "deleteByHand" in each,
  );
  for (const resourceCase of readable) {
    const { type } = resourceCase;
    for (const dialect of resourceCase.dialects) {
      it(`${type} is removed from state after OpenBao's message, and can be deleted after it, in the ${dialect} dialect`, async () => {
        const engine = await stackOf(type, dialect);
        services.proxy.after = ({ method }: Exchange) => (method === "GET" ? word : undefined);
        assert.equal(await engine.refresh(), false);
        const deleted = await stackOf(type, dialect);
        services.proxy.after = () => word;
        await deleted.destroy();
      });
    }
  }

  const lists = triedFunctions.filter(({ name }) => /^secrets\..*\.list/.test(name));
  for (const list of lists) {
    it(`${list.title} is empty after OpenBao's message`, async () => {
      const fixtures = await services.prepareFunction(list);
      services.proxy.clear();
      services.proxy.after = () => replacementOf(empty[0] ?? assert.fail());
      const result = await callFunction(list, fixtures);
      assert.ok(
        Object.values(result as object).every((each) => each === null || isDeepStrictEqual(each, [])),
        JSON.stringify(result),
      );
    });
  }

  it("a notification configuration is removed from state after OTF's message and its empty list, and can be deleted after them", async () => {
    const word404 = noted(otf, "read a notification configuration that does not exist");
    const none = noted(otf, "list of a workspace without any");
    const answer = ({ target }: Exchange): Replacement => (target.includes("/workspaces/") ? none : word404);
    const type = "provisioning:NotificationConfiguration";
    const engine = await stackOf(type, "hashicorp");
    services.proxy.after = answer;
    assert.equal(await engine.refresh(), false);
    const deleted = await stackOf(type, "hashicorp");
    services.proxy.after = answer;
    await deleted.destroy();
  });

  it("an endpoint that OTF does not have does not prove absence: a project stays in state", async () => {
    const engine = await stackOf("provisioning:Project", "hashicorp");
    const page = noted(otf, "the projects of an organization, which it does not have");
    services.proxy.after = () => page;
    const refused = { message: /returned 404: 404 page not found.*gateway/s };
    await assert.rejects(engine.refresh(), refused);
    await assert.rejects(engine.destroy(), refused);
    assert.ok(engine.id);
  });

  it("a token that was deleted in Nomad can be destroyed, and one whose lease does not exist is removed from state", async () => {
    const answers: readonly (readonly [path: string, note: string])[] = [
      ["/sys/leases/revoke", "OpenBao 2.6.2 revokes the lease of a token that was deleted in Nomad"],
      ["/sys/leases/lookup", "OpenBao 2.6.2 looks up a lease that does not exist"],
    ];
    const answer = ({ target }: Exchange): Replacement | undefined => {
      const [, note] = answers.find(([path]) => target.endsWith(path)) ?? [];
      return note === undefined ? undefined : noted(nomad, note);
    };
    const engine = await stackOf("secrets/scheduler:Token", "hashicorp");
    services.proxy.after = answer;
    await engine.destroy();
    const revoked = await stackOf("secrets/scheduler:Token", "hashicorp");
    services.proxy.after = answer;
    assert.equal(await revoked.refresh(), false);
  });

  it("no 404 from Nomad proves that its event stream does not exist", async () => {
    for (const recording of nomad.filter(({ response }) => response.status === 404)) {
      const { status = 0, headers, body } = replacementOf(recording);
      const { address } = await startServer((response) => response.writeHead(status, headers).end(body));
      const settings = { address, token: "token", dialect: "hashicorp", maxRetries: 0 } as const;
      const read = readEvents({ ...settings, until: { count: 1, timeout: "5s" } });
      await assert.rejects(read, { message: /returned 404.*gateway/s }, recording.note);
    }
    stopServers();
  });
});
