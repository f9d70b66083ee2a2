import { describeFamily } from "../support/families";
import { families } from "./families";

// Another file has the first one, among the tests of every change.
for (const family of families.filter(({ type }) => type !== "secrets/scheduler:Access")) {
  describeFamily(family, "dynamic");
  describeFamily(family, "plugin");
}
