import type { Fields } from "../fields";
import { ldifFunctions } from "./template/functions";
import { renderTemplate } from "./template/template";
import type { DynamicRoleRecord } from "./dynamic-role-record";
import { attempt, EngineFailure } from "./engine-failure";
import { accountFields } from "./issued-account";
import { decodeBase64, parseLdif } from "./ldap/ldif";

/** What the body of a write may hold. */
export const dynamicRoleFields = [
  "creation_ldif",
  "deletion_ldif",
  "rollback_ldif",
  "username_template",
  "default_ttl",
  "max_ttl",
];

/**
 * The role after a write: what was not sent stays as it is, and what was sent empty is unset. The template for user
 * names is not looked at before somebody asks for credentials; those for LDIF are.
 *
 * @param present `undefined` for a new role
 * @throws EngineFailure when the LDIF for creation or deletion is missing, or any is broken
 */
export function readDynamicRole(
  name: string,
  fields: Fields,
  present: DynamicRoleRecord | undefined,
  now: number,
): DynamicRoleRecord {
  const role: DynamicRoleRecord = {
    name,
    creationLdif: readLdif(fields, "creation_ldif") ?? present?.creationLdif ?? "",
    deletionLdif: readLdif(fields, "deletion_ldif") ?? present?.deletionLdif ?? "",
    rollbackLdif: readLdif(fields, "rollback_ldif") ?? present?.rollbackLdif ?? "",
    usernameTemplate: fields.text("username_template") ?? present?.usernameTemplate ?? "",
    defaultTtl: readTtl(fields, "default_ttl") ?? present?.defaultTtl ?? 0,
    maxTtl: readTtl(fields, "max_ttl") ?? present?.maxTtl ?? 0,
  };
  requireLdif("creation_ldif", role.creationLdif, now);
  requireLdif("deletion_ldif", role.deletionLdif, now);
  if (role.rollbackLdif !== "") {
    requireLdif("rollback_ldif", role.rollbackLdif, now);
  }
  return role;
}

/** Whatever is valid base64 is taken for it, as real servers do. */
function readLdif(fields: Fields, name: string): string | undefined {
  const text = fields.text(name);
  return text === undefined ? undefined : (decodeBase64(text)?.toString("utf8") ?? text);
}

function readTtl(fields: Fields, name: string): number | undefined {
  return fields.isEmpty(name) ? 0 : fields.duration(name);
}

function requireLdif(name: string, template: string, now: number): void {
  if (template === "") {
    throw new EngineFailure(`missing ${name}`);
  }
  const example = accountFields({
    username: "testuser",
    password: "testpass",
    roleName: "testrolename",
    displayName: "testdisplayname",
    issuedAt: now,
    expiresAt: now + 86_400_000,
  });
  attempt(`invalid ${name}`, () => {
    const functions = ldifFunctions(() => now);
    const text = attempt("invalid template", () => renderTemplate(template, functions, example));
    if (attempt("LDIF is invalid", () => parseLdif(text)).length === 0) {
      throw new EngineFailure("must specify at least one LDIF entry");
    }
  });
}
