import assert from "node:assert/strict";
import * as library from "../../../sdk/index";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { collectDefinitions } from "../../../sdk/resource/registry";
import { functionCases } from "./function-cases";
import { canaries, type Scene } from "./scene";

/** A function of the library, in its promise form. */
export type LibraryFunction = (args: unknown, options?: object) => Promise<unknown>;

/** Every resource of the library by its type. */
export const definitions: ReadonlyMap<string, AnyResourceDefinition> = collectDefinitions(library);

/** Every function of the library by its name, as a program writes it, without the Output forms. */
export const functions: ReadonlyMap<string, LibraryFunction> = new Map(functionsIn(library, ""));

/** Calls a function with its case's arguments, or others, and its case's token. */
export function callFunction(name: string, scene: Scene, args?: unknown): Promise<unknown> {
  const { valid, token } = functionCases[name] ?? assert.fail(`there is no case for ${name}`);
  process.env.SECRETS_TOKEN = token?.(scene) ?? canaries.secretsToken;
  const call = functions.get(name) ?? assert.fail(`there is no function ${name}`);
  return call(args ?? valid(scene));
}

function functionsIn(module: object, prefix: string): [string, LibraryFunction][] {
  return Object.entries(module).flatMap(
    ([name, exported]: [string, unknown]): [string, LibraryFunction][] => {
      if (typeof exported === "object" && exported !== null && !Array.isArray(exported)) {
        return functionsIn(exported, `${prefix}${name}.`);
      }
      const isFunction = typeof exported === "function" && /^[a-z]/.test(name) && !name.endsWith("Output");
      return isFunction ? [[prefix + name, exported as LibraryFunction]] : [];
    },
  );
}
