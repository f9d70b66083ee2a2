import type { Fields } from "../fields";
import { badRequest } from "../refusal";
import type { DirectoryDialect } from "./dialect";
import type { StaticRoleRecord } from "./static-role-record";

/** What the body of a write may hold. */
export const staticRoleFields = ["username", "dn", "rotation_period", "skip_import_rotation"];

/** Seconds. */
const shortestPeriod = 5;

/** @throws Refusal 400 when a rule for new static roles is broken */
export function readNewStaticRole(name: string, fields: Fields): StaticRoleRecord {
  const username = fields.text("username") ?? "";
  if (username === "") {
    throw badRequest("username is a required field to manage a static account");
  }
  const rotationPeriod = readPeriod(fields);
  if (rotationPeriod === undefined) {
    throw badRequest("rotation_period is required to create static accounts");
  }
  const dn = fields.text("dn") ?? "";
  return { name, username, dn, rotationPeriod, password: null, lastPassword: null, lastRotation: null };
}

/** The role after an update; what was not sent stays as it is. @throws Refusal 400 when a rule is broken */
export function readChangedStaticRole(
  role: StaticRoleRecord,
  fields: Fields,
  { emptyDnUnsetsIt }: Pick<DirectoryDialect, "emptyDnUnsetsIt">,
): StaticRoleRecord {
  const dn = fields.text("dn") ?? role.dn;
  if ((fields.text("username") ?? role.username) !== role.username) {
    throw badRequest("cannot update static account username");
  }
  if (dn !== role.dn && !(dn === "" && emptyDnUnsetsIt)) {
    throw badRequest("cannot update static account distinguished name (dn)");
  }
  if (fields.has("skip_import_rotation")) {
    throw badRequest("skip_import_rotation has no effect on updates");
  }
  return { ...role, dn, rotationPeriod: readPeriod(fields) ?? role.rotationPeriod };
}

function readPeriod(fields: Fields): number | undefined {
  const period = fields.duration("rotation_period");
  if (period !== undefined && period < shortestPeriod) {
    throw badRequest(`rotation_period must be ${shortestPeriod} seconds or more`);
  }
  return period;
}
