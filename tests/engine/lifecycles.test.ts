import { resourceCases } from "../cases";
import { describeLifecycles, nameOf, presentTarget } from "./support/lifecycle";

/**
 * One class a trait: it changes an existing object, deletes before it creates, allows equal names, holds a secret that no
 * response shows, leaves its object behind, issues what expires. tests/lifecycles runs every class in this process.
 */
const oneOfEachTrait = [
  "provisioning.AdminOrganization",
  "secrets.mfa.TotpSecret",
  "secrets.mfa.TotpMethod",
  "secrets.directory.Config",
  "secrets.scheduler.Access",
  "secrets.scheduler.Token",
];

/** `TRIVIUM_CLASSES=secrets.mfa.PushMethod,provisioning.Project` selects classes, `TRIVIUM_CLASSES=all` every class. */
const named = process.env.TRIVIUM_CLASSES?.split(",") ?? (presentTarget().real ? ["all"] : oneOfEachTrait);

describeLifecycles(
  [...resourceCases.values()].filter((each) => named.includes("all") || named.includes(nameOf(each))),
);
