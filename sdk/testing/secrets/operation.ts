import type { BodyRules } from "./body";
import { badRequest, unsupportedOperation } from "./refusal";

/** What a request asks for. `PUT` counts as `POST`, and `GET` with `list=true` as `LIST`. */
export type Operation = "GET" | "LIST" | "POST" | "DELETE";

/**
 * @param unknownParameters what becomes of those in the query that the service does not know
 * @throws Refusal for a method or a query that the service does not know
 */
export function readOperation(
  method: string,
  query: URLSearchParams,
  unknownParameters: BodyRules["unknown"],
): Operation {
  const unknown = [...query.keys()].find((name) => name !== "list");
  if (unknown !== undefined && unknownParameters === "refused") {
    throw badRequest(`unrecognized query parameter ${JSON.stringify(unknown)}; the service knows list`);
  }
  const [list = "false", another] = query.getAll("list");
  if (another !== undefined || !["true", "false"].includes(list)) {
    throw badRequest("the query parameter list is true or false, and given once");
  }
  if (method === "GET" && list === "true") {
    return "LIST";
  }
  if (method === "PUT") {
    return "POST";
  }
  if (method === "GET" || method === "POST" || method === "DELETE") {
    return method;
  }
  throw unsupportedOperation();
}
