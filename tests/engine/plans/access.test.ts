import { describeFamily } from "../support/families";
import { families } from "./families";

// Its children have all kinds of outputs of it: a default, which depends on the dialect, and values of the program.
for (const family of families.filter(({ type }) => type === "secrets/scheduler:Access")) {
  describeFamily(family, "dynamic");
  describeFamily(family, "plugin");
}
