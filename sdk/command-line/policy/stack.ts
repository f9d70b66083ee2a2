import { isObject, type JsonObject } from "../../base/json";
import { validation } from "../../base/schema";
import {
  configurationKey,
  type Dialect,
  dialects,
  environmentVariable,
  type ServiceName,
  serviceNames,
  type SettingName,
  sharedDialect,
} from "../../base/settings";
import { nameInUrn } from "../../base/urn";
import { placeOf } from "../../connection/connect";
import * as library from "../../index";
import { className, collectClasses, definitionIn } from "../../resource/definition";
import { sentValues } from "../../resource/lifecycle/check";
import { decodeEntry, pluginToken, typeToken } from "../../resource/state/encoding";
import type { Subject } from "./requests";

/** Where a token is used: a policy belongs to one service and, in products that have them, to one namespace. */
export interface Place {
  readonly service: ServiceName;
  /** `undefined` if neither state nor the plan contains it. */
  readonly address: string | undefined;
  readonly namespace: string | undefined;
  readonly dialect: Dialect;
}

export interface PlacedSubject extends Subject {
  readonly place: Place;
}

/** A resource as in state and plans, with secrets encrypted or replaced by `[secret]`. */
interface Described {
  readonly urn: string;
  readonly type: string;
  readonly provider: string;
  readonly id: string | undefined;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
}

/**
 * The resources of this library in a stack and in its plan.
 *
 * @param resources of an exported state
 * @param plan the output of `pulumi preview --json`; `undefined` without a plan
 */
export function subjectsIn(resources: readonly unknown[], plan: unknown): readonly PlacedSubject[] {
  const inState = resources.flatMap(described);
  const { steps, config } = isObject(plan) ? plan : {};
  const planned = (Array.isArray(steps) ? steps : []).flatMap((step) =>
    described(isObject(step) ? step.newState : step),
  );
  const settings = isObject(config) ? (config as JsonObject) : {};
  const providers = new Map([...inState, ...planned].map(({ urn, inputs }) => [urn, inputs]));
  const places = new Map<string, Place>();
  const subjects: PlacedSubject[] = [];
  for (const each of [...inState, ...planned]) {
    const type = ownTypeOf(each.type);
    const service = serviceNames.find((name) => type?.startsWith(name));
    if (type === undefined || service === undefined) {
      continue;
    }
    const { outputs, service: identity } = decodeEntry(each.outputs);
    const provider = each.provider.slice(0, each.provider.lastIndexOf("::"));
    const key = `${service} ${provider}`;
    const place =
      identity === undefined
        ? (places.get(key) ?? plannedPlace(service, [providers.get(provider) ?? {}, settings]))
        : { service, ...placeOf(identity) };
    places.set(key, place);
    const what = `${className({ type })} ${JSON.stringify(nameInUrn(each.urn))}`;
    const values = wireForm(type, { ...outputs, ...decodeEntry(each.inputs).outputs }, place.dialect);
    subjects.push({ type, what, values, id: each.id, place });
  }
  return subjects;
}

/** The arguments as in requests: with defaults, and in lower case if the product ignores case. */
export function wireForm(type: string, values: JsonObject, dialect: Dialect): JsonObject {
  const z = validation();
  const found = classes.get(type);
  const schema = found === undefined ? {} : definitionIn(found.definition, dialect).schema(z);
  return { ...values, ...sentValues(schema, z, values) };
}

const classes = collectClasses(library);

function described(resource: unknown): readonly Described[] {
  if (!isObject(resource)) {
    return [];
  }
  const { urn, type, provider = "", id, inputs, outputs } = resource;
  return typeof urn === "string" && typeof type === "string"
    ? [
        {
          urn,
          type,
          provider: String(provider),
          id: typeof id === "string" && id !== "" ? id : undefined,
          inputs: isObject(inputs) ? (inputs as JsonObject) : {},
          outputs: isObject(outputs) ? (outputs as JsonObject) : {},
        },
      ]
    : [];
}

/** `undefined` for resources of others. */
function ownTypeOf(token: string): string | undefined {
  const prefix = [typeToken(""), pluginToken("")].find((each) => token.startsWith(each));
  return prefix === undefined ? undefined : token.slice(prefix.length);
}

/**
 * The service of a resource that does not exist yet: from the provider, the stack's configuration or the
 * environment.
 */
function plannedPlace(service: ServiceName, sources: readonly JsonObject[]): Place {
  const setting = (name: SettingName): string | undefined => {
    const key = configurationKey(service, name);
    const found = sources.flatMap((source) => [source[key], source[key.slice(key.indexOf(":") + 1)]]);
    const [value] = found.filter((each) => typeof each === "string");
    return value ?? process.env[environmentVariable(service, name) ?? ""];
  };
  const shared = sources.map((source) => source[sharedDialect.key]).find((each) => typeof each === "string");
  const dialect = setting("dialect") ?? shared ?? process.env[sharedDialect.variable];
  return {
    service,
    address: setting("address")?.replace(/\/+$/, ""),
    namespace: setting("namespace"),
    dialect: dialects.find((each) => each === dialect) ?? "documented",
  };
}
