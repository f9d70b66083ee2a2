import { resourceCases } from "../cases";
import { type Dialect, dialectsOf } from "../cases/support/case";
import { describeLifecycles, nameOf, presentTarget } from "./support/lifecycle";

/**
 * One class a trait: it changes an existing object, deletes before it creates, allows equal names, holds a secret that no
 * response shows, leaves its object behind, issues what expires. tests/lifecycles runs every class in this process.
 */
const oneOfEachTrait = new Map<string, Dialect>([
  ["provisioning.AdminOrganization", "documented"],
  ["secrets.mfa.TotpSecret", "hashicorp"],
  ["secrets.mfa.TotpMethod", "documented"],
  ["secrets.directory.Config", "hashicorp"],
  ["secrets.scheduler.Access", "documented"],
  ["secrets.scheduler.Token", "hashicorp"],
]);

/** `TRIVIUM_CLASSES=secrets.mfa.PushMethod,provisioning.Project` selects classes, `TRIVIUM_CLASSES=all` every class. */
const named = process.env.TRIVIUM_CLASSES?.split(",") ?? (presentTarget().real ? ["all"] : []);
const isChosen = (name: string, dialect: Dialect): boolean =>
  named.length === 0 ? oneOfEachTrait.get(name) === dialect : named.includes("all") || named.includes(name);

describeLifecycles(
  presentTarget().dialects.flatMap((dialect) =>
    [...resourceCases.values()]
      .filter((each) => dialectsOf(each).includes(dialect) && isChosen(nameOf(each), dialect))
      .map((each) => [each, dialect] as const),
  ),
);
