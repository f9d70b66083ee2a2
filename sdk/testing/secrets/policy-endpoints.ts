import type { Area } from "../area";
import { deletes, type FixedEndpoint, lists, productArea, reads, writes } from "./endpoint";
import type { Policies } from "./policies";
import { flatResponse, listResponse } from "./responses";

export function createPoliciesArea(
  records: { readonly isHashicorp: boolean },
  policies: Policies,
): Area<FixedEndpoint, object, PoliciesSetup> {
  const path = "/sys/policies/acl";
  const product = productArea(records, [
    lists(path, () => listResponse(["default", ...policies.names, "root"], true)),
    reads(`${path}/:name`, ({ parameter }) => {
      const name = parameter("name");
      const policy = policies.textOf(name);
      return policy === undefined ? undefined : flatResponse({ name, policy });
    }),
    writes(`${path}/:name`, ["policy"], ({ parameter, body }) => {
      policies.set(parameter("name"), decodedPolicy(body.text("policy") ?? ""));
      return undefined;
    }),
    deletes(`${path}/:name`, ({ parameter }) => policies.delete(parameter("name"))),
  ]);
  return { ...product, setup: { addPolicy: ({ name, policy }) => policies.set(name, policy) } };
}

export interface PoliciesSetup {
  /**
   * Sets a policy, as `bao policy write` does. Tokens that have it (`addToken({ policies: [name] })`) may do only what
   * their policies allow. Rules may have `path` and `capabilities`; anything else is rejected.
   *
   * @throws Error if the text is not a policy, or has rules that the emulator does not enforce
   */
  addPolicy(policy: { readonly name: string; readonly policy: string }): void;
}

/** The products' command line encodes the text. */
function decodedPolicy(text: string): string {
  const decoded = Buffer.from(text, "base64").toString("utf8");
  return Buffer.from(decoded, "utf8").toString("base64") === text ? decoded : text;
}
