import type { Caller } from "../../base/caller";
import { type JsonObject, mapped } from "../../base/json";
import { validation } from "../../base/schema";
import type { Dialect } from "../../base/settings";
import { assertSameService, isSameService, type ServiceConnection } from "../../connection/connect";
import { logToEngine } from "../../engine/progress";
import { requestFor } from "../../http/request-log";
import {
  type DefinitionIn,
  isUsual,
  type PrivateState,
  type RemoteState,
  rewritesSecret,
  type Step,
} from "../definition";
import {
  advisedOtherwise,
  adviceIfGone,
  ServiceError,
  TriviumError,
  unlessForbidden,
} from "../../base/errors";
import {
  composeOutputs,
  emptyEntry,
  type Entry,
  projectArguments,
  rememberSecrets,
  type RunOptions,
} from "../state/entry";
import type { Ownership } from "./ownership";
import { equivalent, isRemote } from "../fields/field";
import { type Program, requireKnown } from "./ignored";
import { inTurn } from "./turn";

/** The context of a call about one resource. */
export interface Context {
  /** Includes the program's own secrets. */
  readonly definition: DefinitionIn;
  readonly connection: ServiceConnection;
  readonly urn: string | undefined;
  readonly ownership: Ownership;
  readonly run: RunOptions;
  /** Aborted when the user cancels, or at the operation's time limit. */
  readonly signal: AbortSignal;
}

export interface Found {
  readonly id: string;
  readonly entry: Entry;
  /** `undefined` for an object that was only read. */
  readonly args?: JsonObject;
}

export function stepOf(
  { definition, connection, urn, ownership, run, signal }: Context,
  entry: Entry,
  remember?: (privateState: PrivateState) => void,
): Step<never> {
  const caller: Caller = {
    signal,
    progress: (message) => logToEngine("progress", urn, message),
    announce: (kind, message) => logToEngine(kind, urn, message),
  };
  requestFor({
    urn,
    debug: (message) => logToEngine("debug", urn, message),
    warn: (message) => logToEngine("warning", undefined, message),
  });
  const privateStateOf = (stored: Pick<Entry, "privateState">): PrivateState =>
    definition.privateState?.(validation()).parse(stored.privateState) ?? {};
  const inherited = run.inherited.find(({ at }) => isSameService(connection.settings, at));
  return {
    ...caller,
    client: connection.clientFor(caller) as never,
    managed: new Set(Object.keys(entry.managed ?? {}).filter((name) => name in definition.arguments)),
    privateState: privateStateOf(entry),
    ...(remember && { remember }),
    others: {
      inherited: inherited && { ...inherited, privateState: privateStateOf(inherited) },
      isElsewhere: (part) => ownership.isElsewhere(part, entry),
      move: (part) => ownership.move(part, entry),
      refuse: (id) => ownership.refuse(id, entry),
    },
  };
}

export const createAgain = "Run `pulumi refresh`, then `pulumi up` to create it again.";

/** The entry after a refresh, whose arguments show drift. `undefined` if the object no longer exists. */
export async function readObject(context: Context, id: string, entry: Entry): Promise<Found | undefined> {
  const { definition } = context;
  const read = await readEntry(context, id, entry);
  if (read?.managed === undefined) {
    return read && { id, entry: read };
  }
  const { args, managed } = projectArguments(definition, read.managed, entry.outputs, read.outputs);
  return { id, entry: { ...read, managed }, args };
}

/**
 * Returns the arguments that a program must declare. `former` are the arguments in state, which contain
 * values that responses do not.
 */
export async function importObject(
  context: Context,
  id: string,
  entry: Entry = emptyEntry,
  former?: JsonObject,
): Promise<Found | undefined> {
  const { definition, connection } = context;
  const read = await readEntry(context, id, entry);
  if (read === undefined) {
    return undefined;
  }
  const { outputs } = read;
  const args = mapped(definition.arguments, (argument, name) => {
    const value = outputs[name] ?? null;
    if (former === undefined) {
      return isUsual(argument, value, outputs) ? undefined : value;
    }
    const known = former[name];
    const differs = Object.hasOwn(outputs, name) && !equivalent(argument, known ?? null, value);
    return known !== undefined && differs ? value : known;
  });
  return { id, entry: { ...read, service: connection.identity }, args };
}

/**
 * The entry as a read finds it. An object that was only read still does not record the identity of its
 * service.
 */
export async function readEntry(context: Context, id: string, entry: Entry): Promise<Entry | undefined> {
  const { definition, connection } = context;
  assertSameService(connection.settings, entry.service);
  let { privateState } = entry;
  const step = stepOf(context, entry, (remembered) => (privateState = remembered));
  const state = await unlessAssumedGone(context, id, () => definition.read(step, id, entry.outputs));
  if (state === undefined) {
    return undefined;
  }
  rememberSecrets(definition, state);
  const service = entry.managed === undefined ? entry.service : connection.identity;
  return { ...entry, service, privateState, outputs: composeOutputs(definition, state, {}, entry.outputs) };
}

/**
 * Checks before the program's resource is deleted for a replacement: the service might know what state does
 * not.
 */
export async function assertReplaceable(
  context: Context,
  id: string,
  entry: Entry,
  { args, desired }: Pick<Program, "args" | "desired">,
): Promise<void> {
  const { definition } = context;
  await requireKnown({ definition, step: stepOf(context, entry), args, desired }, new Set(Object.keys(args)));
  const { rotated } = definition;
  if (rotated === undefined || !rewritesSecret(rotated, entry, args)) {
    return;
  }
  const found = await readEntry(context, id, entry).catch(unlessForbidden(entry));
  const refused = found && rotated.refuses(found, args);
  if (refused !== undefined) {
    throw new TriviumError(refused);
  }
}

/**
 * Keeps an object that another resource now manages: the engine creates a renamed resource before it deletes
 * the former one.
 */
export async function deleteObject(context: Context, id: string, entry: Entry): Promise<void> {
  const { definition, connection, ownership } = context;
  assertSameService(connection.settings, entry.service);
  const step = stepOf(context, entry);
  const successor = ownership.successorOf(id, entry);
  if (successor !== undefined) {
    step.announce(
      "information",
      `${definition.type} ${id} was not deleted: the resource ${successor} manages it.`,
    );
    return;
  }
  const refused = ownership.refusedTo(id, entry);
  if (refused !== undefined) {
    throw new TriviumError(
      `${definition.type} ${id} was not deleted: this program's resource ${refused} could not be created because the object already exists.`,
      {
        advice:
          "To manage it with that resource, set `adopt: true` there, or name this resource in its `aliases` option.",
      },
    );
  }
  assertDeletable(definition, entry, connection.settings.dialect);
  const work = (): Promise<void> => definition.delete(step, id, entry.outputs);
  await unlessAssumedGone(context, id, () =>
    definition.writesParts === true ? inTurn(definition, connection, step, entry.outputs, work) : work(),
  );
}

/** An object that the user declares to be gone counts as gone, unless the service still returns it. */
async function unlessAssumedGone<Result>(
  { connection }: Context,
  id: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isResponse(error)) {
      throw error;
    }
    if (connection.settings.assumedGone.has(id)) {
      return undefined;
    }
    const { advice = "" } = error;
    const isUnclear = ServiceError.isInstance(error) && error.foreign !== undefined;
    throw isUnclear && !advice.includes("TRIVIUM_ASSUME_GONE")
      ? advisedOtherwise(error, `${advice} State is unchanged. ${adviceIfGone(id)}`.trim())
      : error;
  }
}

/** Whether the service has responded, with any status. A definition might have converted the error. */
function isResponse(error: unknown): error is TriviumError {
  const names = ["ServiceError", "ContractError", "NotFoundError", "TriviumError"];
  return TriviumError.isInstance(error) && names.includes(error.name);
}

/** @throws TriviumError if the deletion would destroy the only copy of a secret */
export function assertDeletable(
  { refusesDeletion }: DefinitionIn,
  { outputs, managed = {} }: Entry,
  dialect: Dialect,
): void {
  const refused = refusesDeletion?.(outputs, new Set(Object.keys(managed)), dialect);
  if (refused !== undefined) {
    throw refused;
  }
}

/**
 * Omits what equals the service's default: a write that resets it and one that keeps it have the same effect.
 */
export function wholeObject(definition: DefinitionIn, values: RemoteState): Record<string, unknown> {
  const others = values as JsonObject;
  return mapped(definition.arguments, (argument, name) =>
    isRemote(argument) && !isUsual(argument, others[name] ?? null, others) ? values[name] : undefined,
  );
}
