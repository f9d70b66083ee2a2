/**
 * State that any version wrote loads this module and `provider` by name in the engine's provider process, so
 * neither must be renamed or change its meaning.
 */
import "./base/node-version";
import type { dynamic } from "@pulumi/pulumi";
import type { JsonObject, JsonValue } from "./base/json";
import * as library from "./index";
import { PartialSuccessError } from "./engine/reports";
import { extendCalls } from "./engine/call-urns";
import {
  decodeEntry,
  decodeProgram,
  encodeEntry,
  encodeSecrets,
  hiddenInputs,
  isProviderStub,
} from "./resource/state/encoding";
import { collectClasses } from "./resource/definition";
import { type Lifecycle, lifecycles } from "./resource/lifecycle/lifecycle";
import type { Written } from "./resource/lifecycle/writing";
import type { Entry } from "./resource/state/entry";

/**
 * Whether the engine's calls contain the URN. Otherwise it comes from state, which has a former URN after a
 * stack was renamed.
 */
const callsHaveUrns = extendCalls((properties, urn) =>
  // The process also runs other providers.
  isProviderStub(properties.__provider) ? { ...properties, ...hiddenInputs({ urn }) } : properties,
);

/** The lifecycle of a resource type, named as in state: `provisioning:Project`. */
export const provider: (type: string) => dynamic.ResourceProvider = lifecycles(
  collectClasses(library),
  (lifecycle) => dynamicProvider(lifecycle),
);

/** Empty if the object no longer exists. */
interface ReadResult {
  readonly id?: string;
  readonly props?: JsonObject;
  readonly inputs?: JsonObject;
}

/**
 * Decodes what the engine sends to a dynamic provider, and encodes what it stores.
 *
 * @internal
 */
export function dynamicProvider(lifecycle: Lifecycle) {
  const { definition } = lifecycle;
  const identity = ({ urn, secrets }: Pick<Entry, "urn" | "secrets">): JsonObject =>
    hiddenInputs<JsonValue>({
      urn: callsHaveUrns ? undefined : urn,
      secrets: secrets.length === 0 ? undefined : secrets,
    });
  const outputsOf = (entry: Entry): JsonObject => ({ ...encodeEntry(definition, entry), ...identity(entry) });
  /**
   * The plan shows changes of all inputs, even hidden ones, so the lifecycle remembers by URN what is secret.
   */
  const inputsOf = (args: JsonObject, { urn, secrets }: Pick<Entry, "urn" | "secrets">): JsonObject => ({
    ...encodeSecrets(definition, args, secrets),
    ...identity({ urn, secrets: urn === undefined ? secrets : [] }),
  });
  /**
   * @param stored the state or the inputs: without the provider in them, neither refresh nor delete can run
   */
  const written = ({ __provider: stub = null }: JsonObject, { id, entry, failure }: Written) => {
    const outs = outputsOf(entry);
    if (failure !== undefined) {
      throw new PartialSuccessError(id, { ...outs, __provider: stub }, failure);
    }
    return { id, outs };
  };
  return {
    configure: (request) => lifecycle.configure(request),
    async check(olds: JsonObject, news: JsonObject) {
      const program = decodeProgram(news);
      const former = Object.keys(olds).length === 0 ? undefined : decodeProgram(olds).args;
      const { args, failures } = await lifecycle.check(program, former);
      const { __provider: stub } = news;
      return {
        inputs: { ...inputsOf(args, program), ...(stub === undefined ? {} : { __provider: stub }) },
        failures,
      };
    },
    async diff(id, olds: JsonObject, news: JsonObject) {
      const [entry, program] = [decodeEntry(olds), decodeProgram(news)];
      // Refresh and destroy read the serialized provider from the outputs, so an update adds it.
      return wroteLast(olds)
        ? lifecycle.diff(id, entry, program)
        : { ...(await lifecycle.diff(id, entry, program, {})), changes: true };
    },
    create: async (inputs: JsonObject) => written(inputs, await lifecycle.create(decodeProgram(inputs))),
    async read(id, stored: JsonObject = {}): Promise<ReadResult> {
      const found = await lifecycle.read(id, decodeEntry(stored));
      const { entry, args } = found ?? {};
      return entry === undefined
        ? {}
        : { id, props: outputsOf(entry), ...(args && { inputs: inputsOf(args, entry) }) };
    },
    async update(id, olds: JsonObject, news: JsonObject) {
      const details = wroteLast(olds) ? {} : { former: {}, isComplete: true };
      return written(news, await lifecycle.update(id, decodeEntry(olds), decodeProgram(news), details));
    },
    delete: (id, stored: JsonObject) => lifecycle.delete(id, decodeEntry(stored)),
  } satisfies dynamic.ResourceProvider;
}

/** A property that only dynamic providers write. */
function wroteLast(outputs: JsonObject): boolean {
  return typeof outputs.__provider === "string";
}
