import { secretsService } from "../../../sdk/secrets/service";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../../sdk/connection/connect";
import type { SecretsClient } from "../../../sdk/secrets/client";
import { readDynamicRole } from "../../../sdk/secrets/directory/dynamic-role-wire";
import { readStaticRole } from "../../../sdk/secrets/directory/static-role-wire";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { repository } from "../../support/packed-library";
import { secretsClientOf } from "../emulated-client";

describe("roles that are read", () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator();
  });
  after(async () => emulator.close());
  beforeEach(() => emulator.reset());

  const role = { mount: "ldap", roleName: "payments" };

  function realClient(): SecretsClient {
    const environment = {
      SECRETS_ADDR: emulator.secrets.address,
      SECRETS_TOKEN: emulator.secrets.token,
      SECRETS_DIALECT: "hashicorp",
    };
    return connect({ configuration: undefined, environment }, secretsService).clientFor({
      signal: new AbortController().signal,
      progress: () => undefined,
      announce: () => undefined,
    }) as SecretsClient;
  }

  /** What a real server answered to reads of this kind, each put through a client. */
  async function real<State>(
    kind: string,
    read: (client: SecretsClient) => Promise<State | undefined>,
  ): Promise<State[]> {
    const file = join(repository, "tests", "fixtures", "wire", "openbao-2.6.2.json");
    const exchanges = JSON.parse(readFileSync(file, "utf8")) as readonly {
      request: { method: string; path: string };
      response: { status: number; body: unknown };
    }[];
    const states: State[] = [];
    for (const { request, response } of exchanges) {
      if (request.method === "GET" && request.path.includes(`/${kind}/`) && response.status === 200) {
        emulator.faults.add({ method: "GET", status: 200, body: response.body });
        states.push((await read(realClient())) ?? assert.fail("there was an answer"));
      }
    }
    return states;
  }

  it("are understood as a real server answers static ones", async () => {
    const states = await real("static-role", (client) => readStaticRole(client, role));
    const dn = "cn=alice,ou=users,dc=example,dc=org";
    assert.deepEqual(states[0], { username: "alice", dn, rotationPeriod: 3600, lastRotation: null });
    assert.equal(states[1]?.lastRotation, "2026-11-21T10:37:17.233074132Z");
    assert.equal(states[2]?.rotationPeriod, 5400);
    assert.equal(states[3]?.dn, "");
  });

  it("are understood as a real server answers dynamic ones", async () => {
    const states = await real("role", (client) => readDynamicRole(client, role));
    assert.equal(states[0]?.defaultTtl, 3600);
    assert.equal(states[0].usernameTemplate, "u_{{.RoleName}}_{{random 6}}");
    assert.match(states[1]?.creationLdif ?? "", /^dn: /, "base64 comes back decoded");
    assert.deepEqual(
      [states[2]?.rollbackLdif, states[2]?.usernameTemplate, states[2]?.defaultTtl, states[2]?.maxTtl],
      ["", "", 0, 0],
    );
  });

  const never: readonly unknown[] = ["0001-01-01T00:00:00Z", "", null, undefined];
  for (const time of never) {
    it(`were never rotated when the time is ${JSON.stringify(time)}`, async () => {
      const data = { username: "svc-1", rotation_period: "1h", last_svc_rotation: time };
      emulator.faults.add({ method: "GET", status: 200, body: { data } });
      assert.deepEqual(await readStaticRole(secretsClientOf(emulator), role), {
        username: "svc-1",
        dn: undefined,
        rotationPeriod: 3600,
        lastRotation: null,
      });
    });
  }

  it("are undefined when there are none", async () => {
    const client = secretsClientOf(emulator);
    assert.deepEqual(
      [await readStaticRole(client, role), await readDynamicRole(client, role)],
      [undefined, undefined],
    );
  });
});
