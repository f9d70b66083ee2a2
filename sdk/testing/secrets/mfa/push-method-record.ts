import { randomUUID } from "node:crypto";
import { Table } from "../table";

/** Everything that can be set on a push method. */
export interface PushMethodSettings {
  readonly mountAccessor: string;
  readonly usernameFormat: string;
  readonly secretKey: string;
  readonly integrationKey: string;
  readonly apiHostname: string;
  readonly pushInfo: string;
}

/** A push-authentication method. */
export interface PushMethodRecord extends PushMethodSettings {
  readonly id: string;
  readonly name: string;
}

export function createPushMethods(): Table<PushMethodRecord> {
  return new Table("push method", ({ name }) => name);
}

/** @param settings the rest is empty */
export function newPushMethod(
  name: string,
  settings: Partial<PushMethodSettings> & Pick<PushMethodSettings, "mountAccessor">,
): PushMethodRecord {
  return {
    id: randomUUID(),
    name,
    usernameFormat: "",
    secretKey: "",
    integrationKey: "",
    apiHostname: "",
    pushInfo: "",
    ...settings,
  };
}
