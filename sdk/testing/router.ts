import { createRequire } from "node:module";
import type findMyWay from "find-my-way";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `:name` in the path matches any one segment. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
}

export interface Match<Target> {
  readonly target: Target;
  /** Decoded, and never empty. */
  readonly parameters: Readonly<Record<string, string>>;
}

export type Found<Target> = Match<Target> | { readonly allowedMethods: readonly Method[] };

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const createRouter = loadPeer();

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

  /** @returns the endpoint, or the methods that the path allows, or `undefined` for an unknown path */
  find(method: string, path: string): Found<Target> | undefined {
    if (!path.startsWith("/")) {
      return undefined;
    }
    const known = methods.find((candidate) => candidate === method);
    const found = known === undefined ? undefined : this.match(known, path);
    if (found !== undefined) {
      return found;
    }
    const allowedMethods = methods.filter((candidate) => this.match(candidate, path) !== undefined);
    return allowedMethods.length > 0 ? { allowedMethods } : undefined;
  }

  private match(method: Method, path: string): Match<Target> | undefined {
    const found = this.router.find(method, path);
    const target = this.targets.get(found?.handler);
    if (found === null || target === undefined) {
      return undefined;
    }
    const parameters: Record<string, string> = {};
    for (const [name, value = ""] of Object.entries(found.params)) {
      if (value === "") {
        return undefined;
      }
      parameters[name] = value;
    }
    return { target, parameters };
  }
}

/** The module loader's own message would not say what to install. */
function loadPeer(): typeof findMyWay {
  try {
    return createRequire(__filename)("find-my-way") as typeof findMyWay;
  } catch {
    throw new Error(
      'The emulator of pulumi-trivium/testing needs the package "find-my-way", which is not installed. ' +
        "Install it beside pulumi-trivium: npm install --save-dev find-my-way@9",
    );
  }
}
