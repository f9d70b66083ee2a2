import assert from "node:assert/strict";
import type { Emulator, EmulatorOptions } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { type Reply, at, call } from "../call";

/** Requests to the secrets service, or to one mount of it. */
export class SecretsClient {
  /** @param prefix what all paths begin with, such as `ldap/` */
  constructor(
    private readonly emulator: Emulator,
    private readonly prefix = "",
    private readonly token?: string,
  ) {}

  async send(method: string, path: string, body?: unknown): Promise<Reply> {
    const token = this.token ?? this.emulator.secrets.token;
    return call(this.emulator, "secrets", method, `/v1/${this.prefix}${path}`, { body, token });
  }

  /** A request that is to succeed without content. */
  async write(path: string, body: unknown = {}): Promise<void> {
    const reply = await this.send("POST", path, body);
    assert.deepEqual([reply.status, reply.body], [204, ""]);
  }

  /** The envelope of a success. */
  async envelope(method: string, path: string, body?: unknown): Promise<unknown> {
    const reply = await this.send(method, path, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  }

  async data(method: string, path: string, body?: unknown): Promise<unknown> {
    return at(await this.envelope(method, path, body), "data");
  }
}

export const users = "ou=users,dc=example,dc=org";
export const binddn = "cn=admin,dc=example,dc=org";

/** What a first write of the directory's configuration needs. */
export const settings = { binddn, bindpass: "adminpw", userdn: users };

/** An emulator whose directory engine is configured before each test, with the bind account and four users. */
export function useDirectory(options: EmulatorOptions = {}) {
  const emulator = useEmulator(options);
  const client = new SecretsClient(emulator);
  const ldap = new SecretsClient(emulator, "ldap/");
  beforeEach(async () => {
    emulator.secrets.addDirectoryEntry({ dn: binddn, password: "adminpw" });
    for (const name of ["alice", "svc1", "svc2", "svc3"]) {
      emulator.secrets.addDirectoryEntry({ dn: dnOf(name), password: `${name}pw` });
    }
    await ldap.write("config", settings);
  });
  return { emulator, client, ldap };
}

export function dnOf(user: string): string {
  return `cn=${user},${users}`;
}

/** The password that an entry has in the directory at present. */
export function passwordOf(emulator: Emulator, dn: string): string | null | undefined {
  return emulator.inspect().secrets.directoryEntries.find((entry) => entry.dn === dn)?.password;
}
