import type { Replacement } from "./proxy";

type Body = Required<Pick<Replacement, "headers" | "body">>;

/** How something in front of a service says that it knows no such path; nothing of it is the service's own. */
const bodies: Readonly<Record<string, Body>> = Object.fromEntries(
  (
    [
      ["another product's JSON", "application/json", '{"message":"no Route matched with those values"}'],
      ["nothing", "application/json", ""],
      ["text", "text/plain", "404 page not found"],
      ["HTML", "text/html", "<html><head><title>404</title></head><body>Not found</body></html>"],
      ["{}", "application/json", "{}"],
      ["[]", "application/json", "[]"],
      ["null", "application/json", "null"],
      ["errors in a text", "application/json", '{"errors":"no such route"}'],
      ["errors in an object", "application/json", '{"errors":{"path":"unknown"}}'],
      ["an envelope", "application/json", '{"request_id":"1","data":null}'],
      ["an error document", "application/json", '{"errors":[{"status":"404","title":"not found"}]}'],
      ["an empty list of errors", "application/json", '{"errors":[]}'],
      ["a list of texts", "application/json", '{"errors":["no such route"]}'],
    ] as const
  ).map(([name, type, body]) => [name, { headers: { "content-type": type }, body }]),
);

/** What one service says of absence, and the other does not. */
const own: Readonly<Record<string, readonly string[]>> = {
  provisioning: ["an error document"],
  secrets: ["an empty list of errors", "a list of texts"],
};

/** What a gateway can return instead of the service's response: its own page, another product's message, nothing. */
export function gatewayBodies(service: string): readonly Body[] {
  return Object.entries(bodies).flatMap(([name, body]) =>
    own[service]?.includes(name) === true ? [] : [body],
  );
}
