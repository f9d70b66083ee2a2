import type { Endpoint, Method, Router } from "../router";
import { badRequest, notImplemented, Refusal, unsupportedOperation, unsupportedPath } from "./refusal";
import type { SecretsTraits } from "./traits";

/** `PUT`, which only the products accept, counts as `POST`, and `GET` with `list=true` as `LIST`. */
export type Operation = Exclude<Method, "PATCH">;

const operations: ReadonlyMap<string, Operation> = new Map([
  ["GET", "GET"],
  ["PUT", "POST"],
  ["POST", "POST"],
  ["DELETE", "DELETE"],
]);

/** The strings that the products read as true and as false. */
const productTrue = /^(?:1|t|T|true|True|TRUE)$/;
const productFalse = /^(?:0|f|F|false|False|FALSE|)$/;

/** @throws Refusal for an unknown method or query parameter; the products ignore the latter, and repetitions */
export function readOperation(method: string, query: URLSearchParams, traits: SecretsTraits): Operation {
  const unknown = [...query.keys()].find((name) => name !== "list");
  if (unknown !== undefined && !traits.ignoresUnknown) {
    throw badRequest(`unrecognized query parameter ${JSON.stringify(unknown)}; the service knows list`);
  }
  const [list = "false", another] = query.getAll("list");
  if (!traits.ignoresUnknown && (another !== undefined || !["true", "false"].includes(list))) {
    throw badRequest("the query parameter list is true or false, and given once");
  }
  if (method === "PATCH" && traits.hasPatch) {
    throw notImplemented("the method PATCH");
  }
  const operation = operations.get(method);
  if (operation === undefined || (method === "PUT" && !traits.takesPut)) {
    throw unsupportedOperation();
  }
  if (operation !== "GET" || productFalse.test(list)) {
    return operation;
  }
  if (!productTrue.test(list)) {
    throw new Refusal(400, []);
  }
  return "LIST";
}

/** @throws Refusal if the path does not have the operation, and `missing` if it is unknown */
export function findEndpoint<Target extends Endpoint>(
  router: Router<Target>,
  operation: Operation,
  path: string,
  missing = unsupportedPath(),
) {
  const { target, parameters, allowedMethods } = router.find(operation, path);
  if (target === undefined) {
    throw allowedMethods.length === 0 ? missing : unsupportedOperation();
  }
  return { target, parameters };
}
