import { createRequire } from "node:module";
import type findMyWay from "find-my-way";

/** The methods that the three services know. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** An endpoint: `:name` in the path stands for any one segment. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
}

/** What a request leads to. */
export type Found<Target> =
  | { readonly target: Target; readonly parameters: Readonly<Record<string, string>> }
  | { readonly allowedMethods: readonly Method[] };

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const createRouter = loadPeer();

/** Finds the endpoint of a request. */
export class Router<Target extends Endpoint> {
  private readonly router = createRouter({ maxParamLength: 2_000 });
  private readonly targets = new Map<unknown, Target>();

  constructor(endpoints: readonly Target[]) {
    for (const endpoint of endpoints) {
      const handler = (): void => undefined;
      this.targets.set(handler, endpoint);
      this.router.on(endpoint.method, endpoint.path, handler);
    }
  }

  /**
   * @param path as sent, without the query; the values of its parameters are decoded
   * @returns the endpoint, or the methods that the path knows instead, or `undefined` for an unknown path
   */
  find(method: string, path: string): Found<Target> | undefined {
    if (!path.startsWith("/")) {
      return undefined;
    }
    const known = methods.find((candidate) => candidate === method);
    const found = known === undefined ? null : this.router.find(known, path);
    const target = this.targets.get(found?.handler);
    if (target !== undefined) {
      return { target, parameters: withoutHoles(found?.params ?? {}) };
    }
    const allowedMethods = methods.filter((candidate) => this.router.find(candidate, path) !== null);
    return allowedMethods.length > 0 ? { allowedMethods } : undefined;
  }
}

function withoutHoles(parameters: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, value ?? ""]));
}

/** An optional peer must not fail with the bare message of the module loader. */
function loadPeer(): typeof findMyWay {
  try {
    return createRequire(__filename)("find-my-way") as typeof findMyWay;
  } catch (error) {
    throw new Error(
      'The emulator of pulumi-trivium/testing needs the package "find-my-way", which is not installed. ' +
        "Install it beside pulumi-trivium: npm install --save-dev find-my-way@9",
      { cause: error },
    );
  }
}
