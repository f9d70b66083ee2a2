import type { dynamic } from "@pulumi/pulumi";
import { z } from "zod";
import { connect } from "../connection/clients";
import { dialectOf } from "../connection/resolve";
import { providerSources, type Sources } from "../connection/sources";
import { silenceEmptyReports } from "../engine/reports";
import { processRedactor } from "../http/redactor";
import { checkArguments, clearRemoved, type CheckFailure } from "./check";
import type { AnyResourceDefinition } from "./definition";
import { difference } from "./diff";
import { reportable } from "./failure";
import type { JsonObject, JsonValue } from "./json";
import { hiddenKeys } from "./metadata";
import { secretNames, wrapSecrets } from "./outputs";
import { createObject, deleteObject, readObject, updateObject, type ObjectContext } from "./object";
import { textsWithin } from "./secret";

/**
 * Turns a resource's definition into what the engine's provider process calls. The hooks get values in clear and
 * in previews sentinels for what is not known; what they return and throw is made safe here, once for all.
 */
export function createLifecycle(definition: AnyResourceDefinition): dynamic.ResourceProvider {
  let sources: Sources = providerSources(undefined);
  silenceEmptyReports();

  const context = (values: JsonObject): ObjectContext => {
    const connection = connect(sources, definition.service);
    const dialect = dialectOf(sources, definition.service);
    return { definition, connection, dialect, urn: textOf(values[hiddenKeys.urn]) };
  };

  return {
    // Calls run before this one has returned, so it only remembers where to look.
    configure(request) {
      sources = providerSources(request.config);
      return Promise.resolve();
    },

    check(olds: JsonObject, news: JsonObject) {
      return reportable(definition, () => {
        rememberSecrets(definition, news, news);
        const dialect = dialectOf(sources, definition.service);
        const inputs = clearRemoved(definition, definition.schema(z, dialect), olds, news);
        const failures = checkArguments(definition, z, dialect, inputs);
        const confidential = confidentialNames(definition, news);
        return Promise.resolve({
          inputs: wrapSecrets(definition, inputs),
          failures: failures.map((failure) => presentable(failure, confidential)),
        });
      });
    },

    diff(_id, olds: JsonObject, news: JsonObject) {
      return reportable(definition, () => {
        const { changed, replaces, marksDiffer } = difference(definition, olds, news);
        return Promise.resolve({
          // Left open, the engine compares the inputs itself, shows which changed and honours replaceOnChanges.
          changes: marksDiffer ? true : changed.size > 0 ? undefined : false,
          replaces: [...replaces],
          deleteBeforeReplace: replaces.length > 0 && definition.deleteBeforeReplace === true,
        });
      });
    },

    create(inputs: JsonObject) {
      return reportable(definition, async () => {
        rememberSecrets(definition, inputs, inputs);
        const { id, outputs } = await createObject(context(inputs), inputs);
        return { id, outs: outputs };
      });
    },

    read(id, properties: JsonObject = {}) {
      return reportable(definition, async () => {
        rememberSecrets(definition, properties, {});
        const found = await readObject(context(properties), id, properties);
        return found === undefined ? {} : { id, props: found.outputs, inputs: found.inputs };
      });
    },

    update(id, olds: JsonObject, news: JsonObject) {
      return reportable(definition, async () => {
        rememberSecrets(definition, olds, {});
        rememberSecrets(definition, news, news);
        return { outs: await updateObject(context(news), id, olds, news) };
      });
    },

    delete(id, properties: JsonObject) {
      return reportable(definition, async () => {
        rememberSecrets(definition, properties, {});
        await deleteObject(context(properties), id, properties);
      });
    },
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Secret by the library's or by the program's word. */
function confidentialNames(definition: AnyResourceDefinition, inputs: JsonObject): ReadonlySet<string> {
  const marked = inputs[hiddenKeys.secrets];
  return new Set([...secretNames(definition), ...textsWithin(marked)]);
}

function rememberSecrets(definition: AnyResourceDefinition, values: JsonObject, inputs: JsonObject): void {
  for (const name of confidentialNames(definition, inputs)) {
    if (definition.outputs[name]?.commonWords === true) {
      continue;
    }
    textsWithin(values[name]).forEach((text) => processRedactor.register(text));
  }
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
