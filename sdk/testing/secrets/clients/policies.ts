import type { Area } from "../../area";
import { deletes, type FixedEndpoint, lists, productArea, reads, writes } from "../endpoint";
import type { Policies } from "../policies";
import type { Records } from "../records";
import { badRequest, notImplemented } from "../refusal";
import { dataResponse, listResponse } from "../responses";

export function createPoliciesArea(
  records: Records,
  policies: Policies,
): Area<FixedEndpoint, object, PoliciesSetup> {
  const path = "/sys/policies/acl";
  const times = new Map<string, string>();
  const describe = (name: string, policy: string, version: number) =>
    dataResponse({
      allow_slashes_in_identity_templates: false,
      allow_wildcards_in_identity_templates: false,
      cas_required: false,
      ...(version === 0 ? {} : { modified: times.get(name) ?? records.now() }),
      name,
      policy,
      version,
    });
  const product = productArea(records, [
    lists(path, () => listResponse([...new Set(["default", ...policies.names, "root"])], true)),
    reads(`${path}/:name`, ({ parameter }) => {
      const name = parameter("name").toLowerCase();
      const policy = policies.find(name);
      if (name === "default" && policy === undefined) {
        throw notImplemented("the text of the policy default");
      }
      return name === "root" ? describe(name, "", 0) : policy && describe(name, policy.text, policy.version);
    }),
    writes(`${path}/:name`, ["policy"], ({ parameter, body }) => {
      const name = parameter("name").toLowerCase();
      const policy = body.text("policy") ?? "";
      if (policy === "") {
        throw badRequest("'policy' parameter not supplied or empty");
      }
      policies.set(name, decodedPolicy(policy));
      times.set(name, records.now());
      const warnings = [`policy name was converted to ${name}`];
      return name === parameter("name") ? undefined : dataResponse(null, { warnings });
    }),
    deletes(`${path}/:name`, ({ parameter }) => {
      const name = parameter("name").toLowerCase();
      if (name === "default" || name === "root") {
        throw badRequest(`cannot delete ${name === "root" ? '"root"' : name} policy`);
      }
      policies.delete(name);
    }),
  ]);
  return { ...product, setup: { addPolicy: ({ name, policy }) => policies.set(name, policy) } };
}

export interface PoliciesSetup {
  /**
   * Sets a policy, as `bao policy write` does. Tokens with this policy (`addToken({ policies: [name] })`) are
   * only allowed to do what their policies permit. Rules can have `path` and `capabilities`; anything else is
   * rejected.
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
