import type { dynamic } from "@pulumi/pulumi";
import { z } from "zod";
import { connect, knownTime } from "../connection/clients";
import { dialectOf } from "../connection/resolve";
import { providerSources, type Sources } from "../connection/sources";
import { silenceEmptyReports } from "../engine/reports";
import { logToEngine } from "../engine/progress";
import { checkArguments, clearRemoved, schemaOf, type CheckFailure } from "./check";
import type { AnyResourceDefinition } from "./definition";
import { difference } from "./diff";
import { inDialect } from "./in-dialect";
import { reportable } from "./failure";
import type { JsonObject, JsonValue } from "./json";
import { hiddenKeys } from "./metadata";
import { secretNames, withMarkedSecrets, wrapSecrets } from "./outputs";
import { createObject, deleteObject, readObject, updateObject, type ObjectContext } from "./object";
import { rememberSecrets } from "./remember-secrets";

/** The output that names the end of what lives for a time. */
const endOfLife = "expiresAt";

/**
 * Turns a resource's definition into what the engine's provider process calls. The hooks get values in clear and
 * in previews sentinels for what is not known; what they return and throw is made safe here, once for all.
 */
export function createLifecycle(plainDefinition: AnyResourceDefinition): dynamic.ResourceProvider {
  let sources: Sources = providerSources(undefined);
  silenceEmptyReports();

  const { service } = plainDefinition;
  const takenOver = new Set<string>();
  const context = (values: JsonObject): ObjectContext => ({
    definition: definitionFor(values),
    connection: connect(sources, service),
    dialect: dialectOf(sources, service),
    urn: textOf(values[hiddenKeys.urn]),
    takenOver,
    configured: (key) => sources.configuration?.get(key),
  });
  /** From here on the secrets among the values are known, and kept out of every message. */
  const definitionFor = (values: JsonObject): AnyResourceDefinition => {
    const definition = withMarkedSecrets(inDialect(plainDefinition, dialectOf(sources, service)), values);
    rememberSecrets(definition, values);
    return definition;
  };
  const hook = <Result>(work: () => Promise<Result>): Promise<Result> => reportable(plainDefinition, work);

  return {
    // Calls run before this one has returned, so it only remembers where to look.
    configure(request) {
      sources = providerSources(request.config);
      return Promise.resolve();
    },

    check: (olds: JsonObject, news: JsonObject) =>
      hook(() => {
        const definition = definitionFor(news);
        const dialect = dialectOf(sources, service);
        const inputs = clearRemoved(definition, schemaOf(definition, z, dialect), olds, news);
        const { failures, warnings } = checkArguments(definition, z, dialect, inputs);
        for (const warning of warnings) {
          logToEngine("warning", textOf(news[hiddenKeys.urn]), warning);
        }
        const confidential = new Set(secretNames(definition));
        return Promise.resolve({
          inputs: wrapSecrets(definition, inputs),
          failures: failures.map((failure) => presentable(failure, confidential)),
        });
      }),

    diff: (_id, olds: JsonObject, news: JsonObject) =>
      hook(() => {
        const definition = inDialect(plainDefinition, dialectOf(sources, service));
        const { changed, replaces, marksDiffer } = difference(definition, olds, news);
        const ended = plainDefinition.ended?.(olds, news, knownTime(sources, service));
        if (ended !== undefined) {
          logToEngine("information", textOf(news[hiddenKeys.urn]), ended);
        }
        const causes = ended === undefined ? replaces : [...replaces, endOfLife];
        return Promise.resolve({
          // Left open, the engine compares the inputs itself, shows which changed and honours replaceOnChanges.
          changes: marksDiffer || ended !== undefined ? true : changed.size > 0 ? undefined : false,
          replaces: [...causes],
          deleteBeforeReplace:
            plainDefinition.deleteBeforeReplace === true ||
            // Replaced for no reason of ours, as by `pulumi up --replace`, it would collide with itself.
            (causes.length === 0 && plainDefinition.find !== undefined),
        });
      }),

    create: (inputs: JsonObject) =>
      hook(async () => {
        const { id, outputs } = await createObject(context(inputs), inputs);
        return { id, outs: outputs };
      }),

    read: (id, properties: JsonObject = {}) =>
      hook(async () => {
        const found = await readObject(context(properties), id, properties);
        return found === undefined ? {} : { id, props: found.outputs, inputs: found.inputs };
      }),

    update: (id, olds: JsonObject, news: JsonObject) =>
      hook(async () => {
        definitionFor(olds);
        return { outs: await updateObject(context(news), id, olds, news) };
      }),

    delete: (id, properties: JsonObject) =>
      hook(async () => {
        await deleteObject(context(properties), id, properties);
      }),
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * The engine prints the value of the property that a failure names, in clear even when it is secret. A failure of
 * a secret argument therefore names it in its text only.
 */
function presentable(failure: CheckFailure, confidential: ReadonlySet<string>): CheckFailure {
  const [argument = ""] = failure.property.split(/[.[]/, 1);
  return confidential.has(argument)
    ? { property: "", reason: `${failure.property} ${failure.reason}` }
    : failure;
}
