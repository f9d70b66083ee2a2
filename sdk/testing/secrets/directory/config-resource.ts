import type { DirectoryConfigRecord } from "./config-record";
import type { DirectoryDialect } from "./dialect";

/** What real servers answer besides and no write of the documents changes. */
const fixed = {
  anonymous_group_search: false,
  case_sensitive_names: false,
  deny_null_bind: true,
  dereference_aliases: "never",
  discoverdn: false,
  groupattr: "cn",
  groupdn: "",
  groupfilter: "(|(memberUid={{.Username}})(member={{.UserDN}})(uniqueMember={{.UserDN}}))",
  max_page_size: 0,
  tls_max_version: "tls12",
  tls_min_version: "tls12",
  use_token_groups: false,
  userfilter: "({{.UserAttr}}={{.Username}})",
  username_as_alias: false,
};

/** The configuration as a read answers it: never with the bind password, the client's certificate or its key. */
export function toConfigResource(
  config: DirectoryConfigRecord,
  { schemas, furtherConfigMembers }: Pick<DirectoryDialect, "schemas" | "furtherConfigMembers">,
): Record<string, unknown> {
  const { length, passwordPolicy, lastBindPasswordRotation } = config;
  const [schema] = Object.entries(schemas).find(([, own]) => own === config.schema) ?? [config.schema];
  return {
    ...fixed,
    ...furtherConfigMembers,
    binddn: config.binddn,
    certificate: config.certificate,
    connection_timeout: config.connectionTimeout,
    insecure_tls: config.insecureTls,
    request_timeout: config.requestTimeout,
    schema,
    skip_static_role_import_rotation: config.skipStaticRoleImportRotation,
    starttls: config.starttls,
    upndomain: config.upndomain,
    url: config.url,
    userattr: config.userattr,
    userdn: config.userdn,
    ...(length > 0 ? { length } : {}),
    ...(passwordPolicy === "" ? {} : { password_policy: passwordPolicy }),
    ...(lastBindPasswordRotation === null ? {} : { last_bind_password_rotation: lastBindPasswordRotation }),
  };
}
