import assert from "node:assert/strict";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../sdk/testing";
import { at, call, type CallOptions, type Reply } from "../call";

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
