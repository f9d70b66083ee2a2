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
  private readonly methods: ReadonlySet<string>;
  /**
   * One for each method, because the package does not support the method LIST; each made for its first request,
   * because a reset replaces all of them, and a test needs few.
   */
  private readonly routers = new Map<string, ReturnType<typeof createRouter>>();

  constructor(private readonly endpoints: readonly Target[]) {
    this.methods = new Set(endpoints.map(({ method }) => method));
  }

  find(method: string, path: string): Found<Target> {
    const found = this.match(method, path);
    if (found !== undefined) {
      const parameters = { ...found.params } as Found<Target>["parameters"];
      return { target: found.store as Target, parameters, allowedMethods: [] };
    }
    const allowedMethods = [...this.methods].filter((other) => this.match(other, path) !== undefined);
    return { target: undefined, parameters: {}, allowedMethods };
  }

  /** What a path has, for each of its methods. */
  all(
    path: string,
  ): readonly { readonly target: Target; readonly parameters: Found<Target>["parameters"] }[] {
    return [...this.methods].flatMap((method) => {
      const { target, parameters } = this.find(method, path);
      return target === undefined ? [] : [{ target, parameters }];
    });
  }

  private match(method: string, path: string) {
    const router = path.startsWith("/") && this.methods.has(method) ? this.routerOf(method) : undefined;
    const found = router?.find("GET", path);
    return found && !Object.values(found.params).includes("") ? found : undefined;
  }

  private routerOf(method: string): ReturnType<typeof createRouter> {
    const known = this.routers.get(method);
    if (known !== undefined) {
      return known;
    }
    const router = createRouter({ maxParamLength: 2_000 });
    for (const endpoint of this.endpoints.filter((each) => each.method === method)) {
      router.on("GET", endpoint.path, () => undefined, endpoint);
    }
    this.routers.set(method, router);
    return router;
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
