import { randomUUID } from "node:crypto";
import type { Body } from "../body";
import type { ServiceResponse } from "../../response";
import { deletes, lists, reads, writes, type FixedEndpoint } from "../endpoint";
import type { DescribedMethod, Records } from "../records";
import { badRequest, EngineFailure } from "../refusal";
import { dataResponse, describedListResponse, listResponse } from "../responses";

interface MethodKind<Item> {
  readonly type: string;
  readonly fields: readonly string[];
  readonly all: () => readonly Item[];
  readonly find: (id: string) => Item | undefined;
  readonly set: (method: Item) => unknown;
  readonly delete: (id: string) => unknown;
  readonly read: (body: Body, former: Item | undefined) => Omit<Item, "id" | "name">;
  readonly returned: (method: Item) => object;
}

export const methodsPath = "/identity/mfa/method";
/** The service does not have a path for an ID in another form. */
const withId = ":method_id(^[0-9a-f-]{36}$)";

/** The methods of one type below `identity/mfa/method`. */
export function identityMethodEndpoints<Item extends DescribedMethod>(
  { traits, mfaMethods, enforcements }: Records,
  kind: MethodKind<Item>,
): FixedEndpoint[] {
  const { type } = kind;
  const path = `${methodsPath}/${type}`;
  const namespace = traits.methodNamespace;
  const { find } = kind;
  const describe = (method: Item) => ({
    ...namespace,
    ...(traits.methodsHaveNames ? { name: method.name ?? "" } : {}),
    ...kind.returned(method),
    id: method.id,
    type,
  });
  mfaMethods.push({
    described: () => kind.all().map(describe),
    find,
    named: (name) => kind.all().find((method) => method.name === name),
    delete: (id) => kind.delete(id),
  });
  const isOfOtherType = (id: string): boolean =>
    traits.methodsShareIds &&
    find(id) === undefined &&
    mfaMethods.some((methods) => methods.find(id) !== undefined);
  /** In the products, a write under the name of another method changes that one, and its type. */
  const write = (body: Body, former: Item | undefined): string => {
    const name = (traits.methodsHaveNames ? body.text("method_name") : undefined) ?? "";
    const [other] = name === "" ? [] : mfaMethods.flatMap(({ named }) => named(name) ?? []);
    if (former !== undefined && other !== undefined && other.id !== former.id) {
      throw new EngineFailure(`a login MFA method configuration with the method name ${name} already exists`);
    }
    const id = (former ?? other)?.id ?? randomUUID();
    const settings = kind.read(body, find(id));
    mfaMethods.forEach((methods) => methods.delete(id));
    const named = traits.methodsHaveNames ? { name: name || (former?.name ?? "") } : {};
    kind.set({ ...settings, id, ...named } as Item);
    return id;
  };
  /** Updating an unknown ID does nothing, and the response is the same. */
  const replace = (id: string, body: Body): void => {
    const former = find(id);
    if (former !== undefined) {
      write(body, former);
    }
  };
  const fields = [traits.methodsHaveNames ? "method_name" : "id", ...kind.fields];
  return [
    writes(path, fields, ({ body }): ServiceResponse | undefined => {
      const id = traits.methodsHaveNames ? "" : (body.text("id") ?? "");
      replace(id, body);
      return id === "" ? dataResponse({ method_id: write(body, undefined) }) : undefined;
    }),
    lists(path, () => {
      const all = [...kind.all()].sort((left, right) => (left.id < right.id ? -1 : 1));
      const ids = all.map(({ id }) => id);
      return traits.describesInLists ? describedListResponse(all, describe) : listResponse(ids, false);
    }),
    writes(`${path}/${withId}`, fields, ({ parameter, body }) => {
      const id = parameter("method_id");
      body.requireSame("id", id);
      replace(id, body);
    }),
    reads(`${path}/${withId}`, ({ parameter }) => {
      const id = parameter("method_id");
      const method = find(id);
      if (isOfOtherType(id)) {
        throw badRequest(`failed to find the method ID under MFA type ${type}.`);
      }
      return method && dataResponse(describe(method));
    }),
    deletes(`${path}/${withId}`, ({ parameter }): void => {
      const id = parameter("method_id");
      if (isOfOtherType(id)) {
        throw new EngineFailure("method type doesn't match the MFA method ID's type");
      }
      const enforcement = enforcements.all().find(({ methodIds }) => methodIds.includes(id));
      if (enforcement !== undefined) {
        throw new EngineFailure(
          `methodID is still used by an enforcement configuration with ID: ${enforcement.id}`,
        );
      }
      kind.delete(id);
    }),
  ];
}

/** The methods of all types, which the products list in addition. */
export function allMethodsEndpoints({ mfaMethods }: Records): FixedEndpoint[] {
  const all = () => mfaMethods.flatMap(({ described }) => described());
  return [
    lists(methodsPath, () => describedListResponse(all(), (method) => method)),
    reads(`${methodsPath}/${withId}`, ({ parameter }) => {
      const found = all().find(({ id }) => id === parameter("method_id"));
      return found && dataResponse({ ...found });
    }),
  ];
}
