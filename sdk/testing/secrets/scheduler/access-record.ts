import type { Fields } from "../fields";
import { badRequest } from "../refusal";
import type { SchedulerEngineDialect } from "./dialect";

/** How an engine reaches the scheduler. Empty texts stand for what is not configured. */
export interface SchedulerAccessRecord {
  /** `protocol://host:port`; when empty, the service's own environment says where. */
  readonly address: string;
  /** A management token; when empty, the service's own environment has one. */
  readonly token: string;
  /** In characters; 0 for the most that the scheduler allows. */
  readonly maxTokenNameLength: number;
  readonly caCert: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

export const emptyAccess: SchedulerAccessRecord = {
  address: "",
  token: "",
  maxTokenNameLength: 0,
  caCert: "",
  clientCert: "",
  clientKey: "",
};

export const accessFields = [
  "address",
  "token",
  "max_token_name_length",
  "ca_cert",
  "client_cert",
  "client_key",
];

/**
 * The configuration after a write: what is not sent stays, but for the length of names, which falls back to 0.
 *
 * @throws Refusal 400
 */
export function writeAccess(
  fields: Fields,
  before: SchedulerAccessRecord,
  { certificateNeedsKey }: Pick<SchedulerEngineDialect, "certificateNeedsKey">,
): SchedulerAccessRecord {
  const access = {
    address: fields.text("address") ?? before.address,
    token: fields.text("token") ?? before.token,
    maxTokenNameLength: fields.integer("max_token_name_length") ?? 0,
    caCert: fields.text("ca_cert") ?? before.caCert,
    clientCert: fields.text("client_cert") ?? before.clientCert,
    clientKey: fields.text("client_key") ?? before.clientKey,
  };
  if (access.maxTokenNameLength < 0) {
    throw badRequest("max_token_name_length must not be negative");
  }
  if (certificateNeedsKey && (access.clientCert === "") !== (access.clientKey === "")) {
    throw badRequest("client_cert requires client_key, and client_key requires client_cert");
  }
  return access;
}
