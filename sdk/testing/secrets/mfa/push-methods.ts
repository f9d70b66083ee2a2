import type { Area } from "../../area";
import { dataAnswer, noContent } from "../answers";
import type { FixedEndpoint } from "../endpoint";
import type { Fields } from "../fields";
import type { Records } from "../records";
import { badRequest, notFound } from "../refusal";
import { newPushMethod, type PushMethodRecord, type PushMethodSettings } from "./push-method-record";

export interface PushMethodsInspection {
  readonly pushMethods: readonly PushMethodRecord[];
}

/** A push method that somebody else made. */
export interface NewPushMethod extends Partial<PushMethodSettings> {
  readonly name: string;
  readonly mountAccessor: string;
}

/** Works behind a program's back. Every method throws an Error for what does not exist. */
export interface PushMethodsSetup {
  addPushMethod(method: NewPushMethod): PushMethodRecord;
  /** Changes what is given. */
  changePushMethod(name: string, change: Partial<PushMethodSettings>): PushMethodRecord;
  removePushMethod(name: string): void;
}

/** Push-authentication methods. */
export function createPushMethodsArea({
  pushMethods,
  dialect,
}: Records): Area<FixedEndpoint, PushMethodsInspection, PushMethodsSetup> {
  const path = `/sys/mfa/method/${dialect.pushMethod}/:name`;
  return {
    endpoints: [
      {
        operation: "POST",
        path,
        fields: [
          "name",
          "mount_accessor",
          "username_format",
          "secret_key",
          "integration_key",
          "api_hostname",
          "push_info",
        ],
        handle({ parameter, fields }) {
          const name = parameter("name");
          if ((fields.text("name") ?? name) !== name) {
            throw badRequest("the name differs from the one in the path");
          }
          const method = newPushMethod(name, readPushMethod(fields));
          pushMethods.set({ ...method, id: pushMethods.find(name)?.id ?? method.id });
          return noContent;
        },
      },
      {
        operation: "GET",
        path,
        handle({ parameter }) {
          const method = pushMethods.find(parameter("name"));
          if (method === undefined) {
            throw notFound();
          }
          return dataAnswer(toPushMethodData(method, dialect.pushMethod));
        },
      },
      {
        operation: "DELETE",
        path,
        handle({ parameter }) {
          pushMethods.delete(parameter("name"));
          return noContent;
        },
      },
    ],
    setup: {
      addPushMethod: ({ name, ...settings }) => ({ ...pushMethods.add(newPushMethod(name, settings)) }),
      changePushMethod: (name, change) => ({ ...pushMethods.set({ ...pushMethods.known(name), ...change }) }),
      removePushMethod(name) {
        pushMethods.remove(name);
      },
    },
    inspect: () => ({ pushMethods: pushMethods.all() }),
    clear: () => pushMethods.clear(),
  };
}

/** What is not sent is empty: a write replaces the whole method. */
function readPushMethod(fields: Fields): PushMethodSettings {
  return {
    mountAccessor: fields.requiredText("mount_accessor"),
    usernameFormat: fields.text("username_format") ?? "",
    secretKey: fields.text("secret_key") ?? "",
    integrationKey: fields.text("integration_key") ?? "",
    apiHostname: fields.text("api_hostname") ?? "",
    pushInfo: fields.text("push_info") ?? "",
  };
}

/** Both keys are in clear. */
function toPushMethodData(method: PushMethodRecord, type: string): Record<string, unknown> {
  return {
    api_hostname: method.apiHostname,
    id: method.id,
    integration_key: method.integrationKey,
    mount_accessor: method.mountAccessor,
    name: method.name,
    pushinfo: method.pushInfo,
    secret_key: method.secretKey,
    type,
    username_format: method.usernameFormat,
  };
}
