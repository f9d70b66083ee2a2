import * as pulumi from "@pulumi/pulumi";
import { isUnknown, unknown } from "@pulumi/pulumi/output";
import { type JsonObject, type JsonValue, mapped, sameJson } from "../../base/json";
import { dialects } from "../../base/settings";
import { parseDuration } from "../../base/timing";
import { internalsOf, type OutputInternals, replaceOutputs } from "../../engine/program";
import { settingsIn } from "../../connection/found";
import { duration } from "../fields/kinds";
import { definitionIn, outputNames } from "../definition";
import { unknown as notKnown, withMarkedSecrets } from "../state/entry";
import { entryAt, resourcesInState } from "./own-state";
import { optionsOf, type Registration } from "./registration";
import { sourcesFor, sourcesOfResource } from "./sources";
import { foreseenOutputs, staysAbsent } from "../lifecycle/comparison";

interface Planned {
  readonly resource: pulumi.CustomResource;
  readonly registration: Registration;
  /** By the engine. */
  readonly returned: Readonly<Record<string, OutputInternals<JsonValue | undefined>>>;
}

type Foresight = Awaited<ReturnType<typeof foresightOf>>;

/**
 * The engine does not ask a dynamic provider for a preview: it returns the inputs, and all other outputs are
 * unknown. The program therefore derives them from its arguments and the state, once an output is used.
 */
export function showInPreview(resource: pulumi.CustomResource, registration: Registration): void {
  let foresight: Promise<Foresight> | undefined;
  const returned = replaceOutputs<JsonValue | undefined>(
    resource,
    outputNames(registration.definition),
    async (name, value) => {
      foresight ??= foresightOf({ resource, registration, returned });
      return valueIn(await foresight, name, value);
    },
  );
}

function valueIn({ definition, args, entry, outputs }: Foresight, name: string, returned: unknown): unknown {
  if (!outputNames(definition).includes(name)) {
    return undefined;
  }
  const foreseen = outputs[name];
  const isCleared = (returned ?? null) === null && (entry?.outputs[name] ?? null) !== null;
  const isOpen = isUnknown(returned) || isCleared;
  if (foreseen === notKnown) {
    return isOpen ? unknown : returned;
  }
  if (foreseen === undefined || !(isOpen || Object.hasOwn(args, name))) {
    return returned;
  }
  const isSecret = (definition.arguments[name] ?? definition.outputs[name])?.secret === true;
  return isSecret && !(foreseen === null && staysAbsent({ args, entry }, name))
    ? pulumi.secret<unknown>(foreseen)
    : foreseen;
}

async function foresightOf(planned: Planned) {
  const { resource, registration } = planned;
  const plain = registration.definition;
  const urn = await internalsOf(resource.urn).promise();
  const { additionalSecretOutputs = [], provider } = optionsOf(registration, urn);
  const sources = await (provider === undefined ? sourcesOfResource(resource) : sourcesFor(provider));
  const dialect = sources && settingsIn(sources, plain.service.name).dialect;
  const possible = (dialect === undefined ? dialects : [dialect]).map((each) => definitionIn(plain, each));
  const definition = dialect === undefined ? plain : definitionIn(plain, dialect);
  const isCreation = !(await internalsOf(resource.id).isKnown);
  const stored = isCreation ? undefined : entryAt(await resourcesInState(), urn);
  // A resource that was only read does not record what is managed.
  const entry = stored?.managed && stored;
  const args = await argumentsOf(planned, entry?.outputs);
  const foreseen = possible.map((each) => {
    const sent = (name: string, value: JsonValue): JsonValue | undefined =>
      each.arguments[name]?.canonical === duration ? parseDuration(value) : value;
    return foreseenOutputs(each, { args, entry, sent });
  });
  // While the settings are not known, only what is the same in all dialects is known.
  const outputs = mapped(Object.assign({}, ...foreseen) as JsonObject, (value, name) =>
    foreseen.every((each) => sameJson(each[name], value)) ? value : notKnown,
  );
  return {
    definition: withMarkedSecrets(definition, [...(stored?.secrets ?? []), ...additionalSecretOutputs]),
    args,
    entry,
    // Without the state of an existing object, only defaults are known.
    outputs:
      isCreation || entry !== undefined
        ? outputs
        : mapped(outputs, (value, name) =>
            possible.every((each) => each.arguments[name]?.default === undefined) ? undefined : value,
          ),
  };
}

/** The arguments as check returns them: null for an argument that was removed from the program. */
async function argumentsOf({ registration, returned }: Planned, former: JsonObject | undefined) {
  const { args, definition } = registration;
  const inputs = Object.keys(definition.arguments).map(async (name) => {
    const output = returned[name];
    const isGiven = (args[name] ?? undefined) !== undefined;
    if (output === undefined || !(await output.isKnown)) {
      return isGiven ? [[name, notKnown] as const] : [];
    }
    const value = (await output.promise()) ?? null;
    const isCleared = value === null && (former?.[name] ?? null) !== null;
    return isCleared || (isGiven && value !== null) ? [[name, value] as const] : [];
  });
  return Object.fromEntries((await Promise.all(inputs)).flat());
}
