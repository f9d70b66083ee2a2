import { messageOf } from "../../base/errors";
import { isObject, type JsonObject } from "../../base/json";
import { findProject } from "../../base/project-file";
import { nameInUrn } from "../../base/urn";
import { isSameService } from "../../connection/connect";
import type { ResolvedSettings } from "../../connection/resolve";
import type { AnyResourceDefinition } from "../../resource/definition";
import { decodeEntry, pluginToken, typeToken } from "../../resource/state/encoding";
import { statesOfStacks } from "../adapter/stacks";

interface Managed {
  readonly definition: AnyResourceDefinition;
  readonly id: string;
}

export interface Managers {
  /** The resource in state that manages an object. */
  readonly find: (candidate: Managed, settings: ResolvedSettings) => string | undefined;
  /** Why the managed objects are not known. */
  readonly notice?: string;
}

/** The stacks of the project in the working directory. */
export async function managersOf(signal: AbortSignal): Promise<Managers> {
  if (findProject(process.cwd()) === undefined) {
    return { find: () => undefined };
  }
  try {
    const states = await statesOfStacks(signal);
    const managed = states.flatMap(({ stack, resources }) =>
      resources
        .filter(({ external, delete: isPending }) => external !== true && isPending !== true)
        .map((resource) => ({ stack, resource })),
    );
    return {
      find({ definition, id }, settings) {
        const { type, identity } = definition;
        const tokens: readonly unknown[] = [typeToken(type), pluginToken(type)];
        const canonical = (value: string): string =>
          identity?.canonicalId?.(value, settings.dialect) ?? value;
        const found = managed.find(
          ({ resource: { type: token, id: other, outputs } }) =>
            tokens.includes(token) &&
            canonical(String(other)) === canonical(id) &&
            isObject(outputs) &&
            isSameService(settings, decodeEntry(outputs as JsonObject).service ?? ""),
        );
        const urn = String(found?.resource.urn);
        return found && `the resource "${nameInUrn(urn)}" of the stack ${found.stack} manages it.`;
      },
    };
  } catch (error) {
    const notice = `The file might include objects that a stack already manages. ${messageOf(error)}`;
    return { find: () => undefined, notice };
  }
}
