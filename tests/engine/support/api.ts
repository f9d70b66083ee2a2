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
  /** @param address with the prefix of all paths */
  constructor(
    private readonly address: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** @throws Refused for any status that is not a success */
  async send(method: string, path: string, body?: object): Promise<unknown> {
    const request = `${method} ${path}`;
    const response = await fetch(`${this.address}/${path}`, {
      method,
      headers: this.headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Refused(request, response.status, text);
    }
    return text === "" ? undefined : JSON.parse(text);
  }

  /** @returns `undefined` for 404 */
  async find(path: string): Promise<unknown> {
    try {
      return await this.send("GET", path);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) {
        return undefined;
      }
      throw error;
    }
  }

  /** Ignores 404. */
  async remove(path: string): Promise<void> {
    try {
      await this.send("DELETE", path);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 404)) {
        throw error;
      }
    }
  }
}

export class SecretsApi {
  private readonly api: Api;

  constructor(
    address: string,
    token: string,
    readonly dialect: Dialect,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.api = new Api(`${address.replace(/\/+$/, "")}/v1`, {
      [tokenHeaders[dialect]]: token,
      "content-type": "application/json",
      ...headers,
    });
  }

  async read(path: string): Promise<Values | undefined> {
    return dataOf(await this.api.find(path));
  }

  /** Whether the service knows such a path, even if no object exists there. */
  async offers(path: string): Promise<boolean> {
    try {
      await this.api.send("GET", path);
      return true;
    } catch (error) {
      if (error instanceof Refused && error.status === 404) {
        const { errors = [] } = JSON.parse(error.response) as { readonly errors?: readonly unknown[] };
        return errors.length === 0;
      }
      throw error;
    }
  }

  async write(path: string, body: object = {}): Promise<Values | undefined> {
    return dataOf(await this.api.send("POST", path, body));
  }

  /** Reads and rewrites the object, because a write replaces the whole. */
  async change(path: string, known: readonly string[], change: Values): Promise<void> {
    const present = (await this.read(path)) ?? {};
    const kept = known.flatMap((name) => (name in present ? [[name, present[name]] as const] : []));
    await this.write(path, { ...Object.fromEntries(kept), ...change });
  }

  async remove(path: string): Promise<void> {
    await this.api.remove(path);
  }
}

const tokenHeaders: Readonly<Record<Dialect, string>> = {
  documented: "x-secrets-token",
  hashicorp: "x-vault-token",
};

function dataOf(response: unknown): Values | undefined {
  return (response as { readonly data?: Values | null } | undefined)?.data ?? undefined;
}

export class ProvisioningApi {
  private readonly api: Api;

  constructor(address: string, token: string) {
    this.api = new Api(`${address.replace(/\/+$/, "")}/api/v2`, {
      authorization: `Bearer ${token}`,
      "content-type": "application/vnd.api+json",
    });
  }

  /** @returns how many of the objects exist */
  async count(paths: readonly string[]): Promise<number> {
    const found = await Promise.all(paths.map((path) => this.api.find(path)));
    return found.filter((each) => each !== undefined).length;
  }

  async read(path: string): Promise<ProvisioningResource> {
    const { data } = (await this.api.send("GET", path)) as { readonly data: ProvisioningResource };
    return data;
  }

  async list(path: string): Promise<readonly ProvisioningResource[]> {
    const { data } = (await this.api.send("GET", path)) as { readonly data: readonly ProvisioningResource[] };
    return data;
  }

  async create(path: string, type: string, attributes: Values): Promise<ProvisioningResource> {
    const response = await this.api.send("POST", path, { data: { type, attributes } });
    return (response as { readonly data: ProvisioningResource }).data;
  }

  async change(path: string, type: string, attributes: Values, relationships?: Values): Promise<void> {
    await this.api.send("PATCH", path, { data: { type, attributes, relationships } });
  }

  async replace(path: string, data: readonly object[]): Promise<void> {
    await this.api.send("PATCH", path, { data });
  }

  async moveWorkspaces(project: string, ids: readonly string[]): Promise<void> {
    const data = ids.map((id) => ({ type: "workspaces", id }));
    await this.api.send("POST", `projects/${project}/relationships/workspaces`, { data });
  }

  async remove(path: string): Promise<void> {
    await this.api.remove(path);
  }
}

export interface ProvisioningResource {
  readonly id: string;
  readonly attributes: Values;
  readonly relationships?: Readonly<Record<string, { readonly data?: { readonly id: string } | null }>>;
}
