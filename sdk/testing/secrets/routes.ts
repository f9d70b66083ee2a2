import { Router, type Endpoint, type Match } from "../router";
import type { Operation } from "./operation";
import { unsupportedOperation, unsupportedPath } from "./refusal";

interface Routed {
  readonly operation: Operation;
  readonly path: string;
}

interface Route<Target> extends Endpoint {
  readonly target: Target;
}

/** Finds the endpoint of an operation. Listing is not a method, so lists have a table of their own. */
export class Routes<Target extends Routed> {
  private readonly lists: Router<Route<Target>>;
  private readonly objects: Router<Route<Target>>;

  constructor(endpoints: readonly Target[]) {
    const tableOf = (isList: boolean): Router<Route<Target>> =>
      new Router(
        endpoints
          .filter(({ operation }) => (operation === "LIST") === isList)
          .map((target) => ({ method: methodOf(target.operation), path: target.path, target })),
      );
    this.lists = tableOf(true);
    this.objects = tableOf(false);
  }

  /**
   * @param path as sent, without the query
   * @throws Refusal when there is no such path, or it does not know the operation
   */
  find(operation: Operation, path: string): Match<Target> {
    const [own, others] = operation === "LIST" ? [this.lists, this.objects] : [this.objects, this.lists];
    const found = own.find(methodOf(operation), path);
    if (found !== undefined && "target" in found) {
      return { target: found.target.target, parameters: found.parameters };
    }
    throw found !== undefined || others.find("GET", path) !== undefined
      ? unsupportedOperation()
      : unsupportedPath();
  }
}

function methodOf(operation: Operation): "GET" | "POST" | "DELETE" {
  return operation === "LIST" ? "GET" : operation;
}
