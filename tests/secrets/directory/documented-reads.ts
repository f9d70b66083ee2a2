import type { Alteration } from "../altered-responses";

const documented = [
  "binddn",
  "case_sensitive_names",
  "certificate",
  "insecure_tls",
  "length",
  "schema",
  "starttls",
  "tls_max_version",
  "tls_min_version",
  "url",
];

/** A service that tells of a configuration only what its documents promise. */
export const documentedConfiguration: Alteration = ({ method, url }, { status, body }) =>
  method === "GET" && url.endsWith("/config") && body?.data
    ? {
        status,
        body: {
          data: Object.fromEntries(Object.entries(body.data).filter(([name]) => documented.includes(name))),
        },
      }
    : { status, body };
