import { randomUUID } from "node:crypto";
import { Table } from "../../table";
import { dataResponse } from "../responses";
import { deletes, reads, writes, type FixedEndpoint, type SecretsArea } from "../endpoint";
import { FieldTable, requiredText, text } from "../fields";
import type { Records } from "../records";
import { badRequest } from "../refusal";
import type { PushMethodRecord, PushMethodSettings, PushMethodsSetup } from "../types";

/** Responses include both keys, in clear text. */
const methodFields = new FieldTable<PushMethodSettings>({
  mountAccessor: requiredText(),
  usernameFormat: text(),
  secretKey: text(),
  integrationKey: text(),
  apiHostname: text(),
  pushInfo: text(),
});

export function createPushMethodsArea({
  isHashicorp,
}: Records): SecretsArea<FixedEndpoint, "pushMethods", PushMethodsSetup> {
  const methods = new Table<PushMethodRecord>("push method", ({ name }) => name);
  const type = isHashicorp ? "duo" : "pushauth";
  const path = `/sys/mfa/method/${type}/:name`;
  return {
    endpoints: [
      writes(path, ["name", ...methodFields.names], ({ parameter, body }) => {
        const name = parameter("name");
        if ((body.text("name") ?? name) !== name) {
          throw badRequest("the name differs from the one in the path");
        }
        // A write replaces the whole method.
        methods.set({ id: methods.find(name)?.id ?? randomUUID(), name, ...methodFields.read(body) });
      }),
      reads(path, ({ parameter }) => {
        const method = methods.find(parameter("name"));
        if (method === undefined) {
          return undefined;
        }
        const { push_info: pushinfo, ...rest } = methodFields.returned(method);
        return dataResponse({ ...rest, pushinfo, id: method.id, name: method.name, type });
      }),
      deletes(path, ({ parameter }) => methods.delete(parameter("name"))),
    ],
    setup: {
      addPushMethod: (method) => methods.add({ id: randomUUID(), ...methodFields.with(method) }),
      changePushMethod: (name, change) => methods.change(name, change),
      removePushMethod: (name) => methods.remove(name),
    },
    inspect: () => ({ pushMethods: methods.all() }),
  };
}
