import assert from "node:assert/strict";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../sdk/testing";
import { type CallOptions, type Reply, at, call } from "../call";

/** Asserts that an answer has one error, with this text or one that matches. */
export function assertRefused(reply: Reply, status: number, error: string | RegExp): void {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  assert.equal(reply.headers.get("content-type"), "application/json");
  const errors: unknown = Reflect.get(Object(reply.body) as object, "errors");
  assert.ok(Array.isArray(errors) && errors.length === 1, JSON.stringify(reply.body));
  assert.deepEqual(reply.body, { errors });
  if (typeof error === "string") {
    assert.equal(errors[0], error);
  } else {
    assert.match(String(errors[0]), error);
  }
}

/** An error as the service writes those that come from an engine. */
export function numbered(error: string): string {
  return `1 error occurred:\n\t* ${error}\n\n`;
}

/** Starts the emulator with the secrets service in the hashicorp dialect. */
export async function startHashicorp(options: EmulatorOptions = {}): Promise<Emulator> {
  return startEmulator({ dialect: { secrets: "hashicorp" }, ...options });
}

/** Requests to the secrets service as clients of the products send them. */
export class HashicorpClient {
  constructor(
    private readonly emulator: Emulator,
    private readonly token?: string,
  ) {}

  async send(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> {
    const token = this.token ?? this.emulator.secrets.token;
    const headers = { "X-Vault-Token": token, ...options.headers };
    return call(this.emulator, "secrets", method, `/v1/${path}`, { ...options, body, token: null, headers });
  }

  /** A request that is to succeed without an answer. */
  async done(method: string, path: string, body?: unknown): Promise<void> {
    const reply = await this.send(method, path, body);
    assert.deepEqual([reply.status, reply.body], [204, ""]);
  }

  /** The envelope of a successful answer. */
  async envelope(method: string, path: string, body?: unknown): Promise<unknown> {
    const reply = await this.send(method, path, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  }

  /** The data of a successful answer. */
  async data(method: string, path: string, body?: unknown): Promise<unknown> {
    return at(await this.envelope(method, path, body), "data");
  }
}

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
