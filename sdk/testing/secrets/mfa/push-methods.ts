import { randomUUID } from "node:crypto";
import { Table } from "../../table";
import { dataResponse } from "../responses";
import { deletes, reads, writes, type FixedEndpoint, type SecretsArea } from "../endpoint";
import { boolean, type Field, FieldTable, never, requiredText } from "../fields";
import { type Records } from "../records";
import { allMethodsEndpoints, identityMethodEndpoints } from "./identity-methods";
import { pushMethodFields, type PushMethodSettings } from "../objects";
import type { PushMethodRecord, PushMethodsSetup } from "../types";
import type { SecretsTraits } from "../traits";

/** At the older path, responses include both keys, in plain text. */
const fieldsOf = ({ hasIdentityPushMethods }: SecretsTraits) =>
  new FieldTable<PushMethodSettings>({
    ...pushMethodFields,
    ...(hasIdentityPushMethods ? { usePasscode: boolean() } : {}),
  });

const needed = (name: string): Field<string> => requiredText(`${name} is empty`);
const identityFields = new FieldTable<PushMethodSettings>({
  ...pushMethodFields,
  mountAccessor: { initial: "" },
  secretKey: { ...needed("secret_key"), returned: never },
  integrationKey: { ...needed("integration_key"), returned: never },
  apiHostname: needed("api_hostname"),
  usePasscode: boolean(),
});

export function createPushMethodsArea(
  records: Records,
): SecretsArea<FixedEndpoint, "pushMethods", PushMethodsSetup> {
  const { traits } = records;
  const methodFields = fieldsOf(traits);
  /** Methods without a mount are identified by their IDs. */
  const methods = new Table<PushMethodRecord>("push method", ({ id, name, mountAccessor }) =>
    mountAccessor === "" ? id : name,
  );
  const isOfIdentity = ({ mountAccessor }: PushMethodRecord): boolean => mountAccessor === "";
  const type = traits.pushMethod;
  const path = `/sys/mfa/method/${type}/:name`;
  const renamed = ({ push_info: pushinfo, ...rest }: Record<string, unknown>) => ({ ...rest, pushinfo });
  const ofIdentity = identityMethodEndpoints<PushMethodRecord>(records, {
    type,
    fields: identityFields.names,
    all: () => methods.all().filter(isOfIdentity),
    find: (id) => {
      const method = methods.find(id);
      return method !== undefined && isOfIdentity(method) ? method : undefined;
    },
    set: (method) => methods.set(method),
    delete: (id) => methods.delete(id),
    // The products keep an omitted format.
    read: (body, former) => identityFields.read(body, former && { usernameFormat: former.usernameFormat }),
    returned: (method) => renamed(identityFields.returned(method)),
  });
  return {
    endpoints: [
      ...(traits.hasIdentityPushMethods ? [...ofIdentity, ...allMethodsEndpoints(records)] : []),
      writes(path, ["name", ...methodFields.names], ({ parameter, body }) => {
        const name = parameter("name");
        body.requireSame("name", name);
        // A write replaces the whole method.
        methods.set({ id: methods.find(name)?.id ?? randomUUID(), name, ...methodFields.read(body) });
      }),
      reads(path, ({ parameter }) => {
        const method = methods.find(parameter("name"));
        return (
          method &&
          dataResponse({ ...renamed(methodFields.returned(method)), id: method.id, name: method.name, type })
        );
      }),
      deletes(path, ({ parameter }) => methods.delete(parameter("name"))),
    ],
    setup: {
      addPushMethod: (method) =>
        methods.add({ id: randomUUID(), ...methodFields.with({ mountAccessor: "", ...method }) }),
      changePushMethod: (name, change) => methods.change(name, change),
      removePushMethod: (name) => methods.remove(name),
    },
    inspect: () => ({ pushMethods: methods.all() }),
  };
}
