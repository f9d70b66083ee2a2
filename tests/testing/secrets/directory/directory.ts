import assert from "node:assert/strict";
import type { Emulator } from "../../../../sdk/testing";
import { at, call, type Reply } from "../../call";

export const base = "dc=example,dc=org";
export const users = `ou=users,${base}`;
export const binddn = `cn=admin,${base}`;

/** What a first write of the configuration needs. */
export const settings = { binddn, bindpass: "adminpw", userdn: users };

/** Puts the bind account and four users into the directory. */
export function addEntries(emulator: Emulator): void {
  emulator.secrets.addDirectoryEntry({ dn: binddn, password: "adminpw" });
  for (const name of ["alice", "svc1", "svc2", "svc3"]) {
    emulator.secrets.addDirectoryEntry({ dn: dnOf(name), password: `${name}pw` });
  }
}

/** The name of a user. */
export function dnOf(user: string): string {
  return `cn=${user},${users}`;
}

/** The password that a user has in the directory at present. */
export function passwordOf(emulator: Emulator, dn: string): string | null | undefined {
  return emulator.inspect().secrets.directoryEntries.find((entry) => entry.dn === dn)?.password;
}

/** Requests to one mount of the directory engine. */
export class DirectoryClient {
  constructor(
    private readonly emulator: Emulator,
    private readonly mount = "ldap",
    private readonly token?: string,
  ) {}

  async send(method: string, path: string, body?: unknown): Promise<Reply> {
    const token = this.token === undefined ? {} : { token: this.token };
    return call(this.emulator, "secrets", method, `/v1/${this.mount}/${path}`, { body, ...token });
  }

  /** A request that is to succeed without an answer. */
  async done(method: string, path: string, body?: unknown): Promise<void> {
    const reply = await this.send(method, path, body);
    assert.deepEqual([reply.status, reply.body], [204, ""]);
  }

  async write(path: string, body?: unknown): Promise<void> {
    await this.done("POST", path, body);
  }

  /** The data of a successful answer. */
  async data(method: string, path: string, body?: unknown): Promise<unknown> {
    const reply = await this.send(method, path, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return at(reply.body, "data");
  }

  async read(path: string): Promise<unknown> {
    return this.data("GET", path);
  }
}
