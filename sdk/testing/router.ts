import { createRequire } from "node:module";
import type findMyWay from "find-my-way";

export type Method = "GET" | "LIST" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `:name` in the path matches any one segment, `*` at the end the rest. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
}

export interface Found<Target> {
  /** `undefined` if the path is unknown or does not have the method. */
  readonly target: Target | undefined;
  /** Decoded, and never empty. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The methods of the path, if it does not have the requested one. */
  readonly allowedMethods: readonly string[];
}

const createRouter = loadPeer();

export class Router<Target extends Endpoint> {
  /** One for each method, because the package does not support the method LIST. */
  private readonly routers = new Map<string, ReturnType<typeof createRouter>>();

  constructor(endpoints: readonly Target[]) {
    for (const endpoint of endpoints) {
      const router = this.routers.get(endpoint.method) ?? createRouter({ maxParamLength: 2_000 });
      router.on("GET", endpoint.path, () => undefined, endpoint);
      this.routers.set(endpoint.method, router);
    }
  }

  find(method: string, path: string): Found<Target> {
    const found = this.match(method, path);
    if (found !== undefined) {
      const parameters = { ...found.params } as Found<Target>["parameters"];
      return { target: found.store as Target, parameters, allowedMethods: [] };
    }
    const allowedMethods = [...this.routers.keys()].filter((other) => this.match(other, path) !== undefined);
    return { target: undefined, parameters: {}, allowedMethods };
  }

  /** What a path has, for each of its methods. */
  all(
    path: string,
  ): readonly { readonly target: Target; readonly parameters: Found<Target>["parameters"] }[] {
    return [...this.routers.keys()].flatMap((method) => {
      const { target, parameters } = this.find(method, path);
      return target === undefined ? [] : [{ target, parameters }];
    });
  }

  private match(method: string, path: string) {
    const found = path.startsWith("/") ? this.routers.get(method)?.find("GET", path) : undefined;
    return found && !Object.values(found.params).includes("") ? found : undefined;
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
