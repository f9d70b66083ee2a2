import type { Operation } from "./endpoint";
import type { FieldRules } from "./fields";
import { badRequest, unsupportedOperation } from "./refusal";

/**
 * What a request asks for.
 *
 * @param unknownParameters what becomes of those in the query that the service does not know
 * @throws Refusal for a method or a query that the service does not know
 */
export function readOperation(
  method: string,
  query: URLSearchParams,
  unknownParameters: FieldRules["unknown"],
): Operation {
  const unknown = [...query.keys()].find((name) => name !== "list");
  if (unknown !== undefined && unknownParameters === "refused") {
    throw badRequest(`unrecognized query parameter ${JSON.stringify(unknown)}; the service knows list`);
  }
  const list = readList(query);
  if (method === "GET" && list) {
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

function readList(query: URLSearchParams): boolean {
  const [value = "false", another] = query.getAll("list");
  if (another !== undefined || !["true", "false"].includes(value)) {
    throw badRequest("the query parameter list is true or false, and given once");
  }
  return value === "true";
}
