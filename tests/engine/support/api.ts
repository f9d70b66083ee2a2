import type { Dialect, Values } from "../../cases/support/case";

export class Refused extends Error {
  constructor(
    request: string,
    readonly status: number,
    readonly response: string,
  ) {
    super(`${request} returned ${status}: ${response.slice(0, 1_000)}`);
  }
}

export class Api {
  private readonly address: string;

  /** @param prefix of all paths */
  constructor(
    address: string,
    prefix: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    this.address = `${address.replace(/\/+$/, "")}/${prefix}`;
  }

  /** @throws Refused for any status that is not a success */
  async send(method: string, path: string, body?: object): Promise<unknown> {
    const { address, headers } = this;
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${address}/${path}`, { method, headers, ...init });
    const text = await response.text();
    if (!response.ok) {
      throw new Refused(`${method} ${path}`, response.status, text);
    }
    return text === "" ? undefined : JSON.parse(text);
  }

  /** @returns `undefined` for 404 */
  find(path: string): Promise<unknown> {
    return this.send("GET", path).catch(unlessMissing);
  }

  /** Ignores 404. */
  async remove(path: string): Promise<void> {
    await this.send("DELETE", path).catch(unlessMissing);
  }
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Refused && error.status === 404)) {
    throw error;
  }
}

export class SecretsApi extends Api {
  constructor(
    address: string,
    token: string,
    readonly dialect: Dialect,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const tokenHeader = dialect === "documented" ? "x-secrets-token" : "x-vault-token";
    super(address, "v1", { [tokenHeader]: token, "content-type": "application/json", ...headers });
  }

  async read(path: string): Promise<Values | undefined> {
    return dataOf(await this.find(path));
  }

  async write(path: string, body: object = {}): Promise<Values | undefined> {
    return dataOf(await this.send("POST", path, body));
  }

  /** Reads and rewrites the object, because a write replaces the whole. */
  async change(path: string, known: readonly string[], change: Values): Promise<void> {
    const present = Object.entries((await this.read(path)) ?? {});
    const kept = present.filter(([name]) => known.includes(name));
    await this.write(path, { ...Object.fromEntries(kept), ...change });
  }
}

function dataOf(response: unknown): Values | undefined {
  return (response as { readonly data?: Values | null } | undefined)?.data ?? undefined;
}

export class ProvisioningApi extends Api {
  constructor(address: string, token: string) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/vnd.api+json" };
    super(address, "api/v2", headers);
  }

  /** @returns how many of the objects exist */
  async count(paths: readonly string[]): Promise<number> {
    const found = await Promise.all(paths.map((path) => this.find(path)));
    return found.filter((each) => each !== undefined).length;
  }

  /** @returns what the service tells of one object, or of each in a list */
  async read<Data = ProvisioningResource>(path: string): Promise<Data> {
    return ((await this.send("GET", path)) as { readonly data: Data }).data;
  }

  async create(path: string, type: string, attributes: Values): Promise<ProvisioningResource> {
    const response = await this.send("POST", path, { data: { type, attributes } });
    return (response as { readonly data: ProvisioningResource }).data;
  }

  async change(path: string, type: string, attributes: Values, relationships?: Values): Promise<void> {
    await this.send("PATCH", path, { data: { type, attributes, relationships } });
  }
}

export interface ProvisioningResource {
  readonly id: string;
  readonly attributes: Values;
  readonly relationships?: Readonly<Record<string, { readonly data?: { readonly id: string } | null }>>;
}
