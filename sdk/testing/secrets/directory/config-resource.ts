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

/** Of generated passwords, by the documents. */
const usualLength = 64;

/** The configuration as a read answers it: never with the bind password, the client's certificate or its key. */
export function toConfigResource(
  config: DirectoryConfigRecord,
  { schemas, configReads }: Pick<DirectoryDialect, "schemas" | "configReads">,
): Record<string, unknown> {
  const { length, passwordPolicy, lastBindPasswordRotation } = config;
  const [schema] = Object.entries(schemas).find(([, own]) => own === config.schema) ?? [config.schema];
  if (configReads === "documented members") {
    return {
      binddn: config.binddn,
      case_sensitive_names: false,
      certificate: config.certificate,
      insecure_tls: config.insecureTls,
      length: length > 0 ? length : usualLength,
      schema,
      starttls: config.starttls,
      tls_max_version: "tls12",
      tls_min_version: "tls12",
      url: config.url,
    };
  }
  return {
    ...fixed,
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
