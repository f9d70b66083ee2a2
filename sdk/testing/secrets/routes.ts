import { type Match, Router } from "../router";
import { badRequest, unsupportedOperation, unsupportedPath } from "./refusal";

/** `PUT` counts as `POST`, and `GET` with `list=true` as `LIST`. */
export type Operation = "GET" | "LIST" | "POST" | "DELETE";

/** @throws Refusal for an unknown method or query parameter; the products ignore the latter */
export function readOperation(method: string, query: URLSearchParams, isHashicorp: boolean): Operation {
  const unknown = [...query.keys()].find((name) => name !== "list");
  if (unknown !== undefined && !isHashicorp) {
    throw badRequest(`unrecognized query parameter ${JSON.stringify(unknown)}; the service knows list`);
  }
  const [list = "false", another] = query.getAll("list");
  if (another !== undefined || !["true", "false"].includes(list)) {
    throw badRequest("the query parameter list is true or false, and given once");
  }
  switch (method) {
    case "GET":
      return list === "true" ? "LIST" : "GET";
    case "PUT":
    case "POST":
      return "POST";
    case "DELETE":
      return "DELETE";
    default:
      throw unsupportedOperation();
  }
}

/** The router does not know the method LIST, so the path encodes it. */
export class Routes<Target extends { readonly operation: Operation; readonly path: string }> {
  private readonly router: Router<{ method: "GET" | "POST" | "DELETE"; path: string; target: Target }>;

  constructor(endpoints: readonly Target[]) {
    this.router = new Router(
      endpoints.map((target) => ({ ...placeOf(target.operation, target.path), target })),
    );
  }

  /** @throws Refusal when the path is unknown or does not have the operation */
  find(operation: Operation, path: string): Match<Target> {
    const own = placeOf(operation, path);
    const found = this.router.find(own.method, own.path);
    if (found !== undefined && "target" in found) {
      return { target: found.target.target, parameters: found.parameters };
    }
    const others = placeOf(operation === "LIST" ? "GET" : "LIST", path);
    throw found !== undefined || this.router.find(others.method, others.path) !== undefined
      ? unsupportedOperation()
      : unsupportedPath();
  }
}

function placeOf(operation: Operation, path: string) {
  return operation === "LIST"
    ? { method: "GET" as const, path: `/list${path}` }
    : { method: operation, path: `/object${path}` };
}
