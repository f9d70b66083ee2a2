import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { PartialSuccessError } from "../../../sdk/engine/calls";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { resourceCases } from "../../cases";
import { allArguments, given, type ResourceCase, updateOf, type Values } from "../../cases/support/case";
import { worldOn } from "../../cases/support/emulated-world";
import type { WorldSurroundings } from "../../cases/support/world";
import { rememberEnvironment } from "../../connection/environment";
import { type Receiver, startReceiver } from "../../engine/support/receiver";
import { type Hooks, hooksWith } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { type Alteration, type Exchange, Proxy, services } from "../../support/proxy";
import { inClear } from "../../support/values";
import { definitions, emulatorTokens } from "./functions";

/** What a step of a resource's life ended with. */
type Outcome =
  | {
      readonly kind: "done";
      readonly id?: string;
      readonly outputs?: Properties;
      readonly inputs?: Properties;
    }
  | { readonly kind: "gone" }
  /** The object exists; the error says what is missing. */
  | { readonly kind: "partial"; readonly error: Error; readonly id: string; readonly outputs: Properties }
  | { readonly kind: "failed"; readonly error: Error };

/** An emulator, and in front of it what makes its answers hostile. */
export class World {
  private constructor(
    readonly emulator: Emulator,
    readonly front: Proxy,
    /** What answers notifications well. */
    readonly receiver: Receiver,
  ) {}

  static async start(): Promise<World> {
    const emulator = await startEmulator({ tokens: emulatorTokens });
    return new World(emulator, await Proxy.start(emulator, { records: true }), await startReceiver());
  }

  async close(): Promise<void> {
    this.front.close();
    await Promise.all([this.emulator.close(), this.receiver.close()]);
  }

  /** The settings of all services, by their names in stack configuration. */
  get configuration(): Record<string, string> {
    return Object.fromEntries(
      services.flatMap((service) => [
        [`trivium:${service}Address`, this.front.address(service)],
        [`trivium:${service}Token`, this.emulator[service].token],
      ]),
    );
  }

  /** The hooks of a resource, configured to reach the emulator through the front. Nothing is retried. */
  hooksOf(definition: AnyResourceDefinition, settings: Readonly<Record<string, string>> = {}): Hooks {
    // A connection remembers its list of TOTP methods, so each life has one of its own: all send the same requests.
    const own = { "trivium:secretsHeaders": JSON.stringify({ "x-life": randomUUID() }) };
    const isTotp = definition.type === "secrets/mfa:TotpMethod";
    return hooksWith(definition, { ...this.configuration, ...plain, ...(isTotp ? own : {}), ...settings });
  }

  /** Has functions reach the emulator through the front until the returned function is called. */
  useForFunctions(settings: Readonly<Record<string, string>> = {}): () => void {
    const restore = rememberEnvironment();
    for (const service of services) {
      const prefix = service.toUpperCase();
      process.env[`${prefix}_ADDR`] = this.front.address(service);
      process.env[`${prefix}_TOKEN`] = this.emulator[service].token;
      process.env[`${prefix}_MAX_RETRIES`] = "0";
    }
    Object.assign(process.env, settings);
    return restore;
  }

  /** Runs something and tells what passed through the front meanwhile. */
  async recording(work: () => Promise<unknown>): Promise<readonly Exchange[]> {
    this.front.clear();
    await work();
    return [...this.front.exchanges];
  }
}

/** Nothing is retried, and no environment makes anybody impatient. */
const plain = Object.fromEntries(
  services.flatMap((service) => [
    [`trivium:${service}MaxRetries`, "0"],
    [`trivium:${service}RequestTimeout`, "60s"],
  ]),
);

/** The outcome of one hook; what it returns is taken apart as the engine does. */
export async function outcomeOf(
  step: Promise<{ id?: string; outs?: Properties; props?: Properties; inputs?: Properties } | undefined>,
  isRead = false,
): Promise<Outcome> {
  try {
    const { id, outs, props, inputs } = (await step) ?? {};
    if (isRead && id === undefined) {
      return { kind: "gone" };
    }
    const outputs = outs ?? props;
    return {
      kind: "done",
      ...(id === undefined ? {} : { id }),
      ...(outputs === undefined ? {} : { outputs: inClear(outputs) }),
      ...(inputs === undefined ? {} : { inputs: inClear(inputs) }),
    };
  } catch (error) {
    if (error instanceof PartialSuccessError) {
      return { kind: "partial", error, id: error.id, outputs: inClear(error.properties) };
    }
    return { kind: "failed", error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** The classes whose services respond to requests, each with its type; the others listen to a stream. */
export const respondingCases: readonly (readonly [string, ResourceCase])[] = [...resourceCases].filter(
  ([, { stream = false }]) => !stream,
);

/** What a resource needs, and what its program says. */
export interface Stage {
  /** Arguments with which it is created: as many as go together. */
  readonly valid: Values;
  /** What an update changes; none where every change replaces or makes no request. */
  readonly change: Values | undefined;
  /** Every text of the surroundings, by where it stands in them: names and ids that are never the same twice. */
  readonly texts: ReadonlyMap<string, string>;
}

let stages = 0;

/** Sets up in an emulator what a class needs, under names that are never used twice. */
export async function addStage(
  emulator: Emulator,
  receiver: Receiver,
  resourceCase: ResourceCase,
): Promise<Stage> {
  const mark = `stage${++stages}q`;
  const surroundings = await resourceCase.prepare(
    worldOn(emulator, { dialect: "documented", mark, receiver }),
  );
  await resourceCase.populate?.(emulator, surroundings);
  emulator.journal.clear();
  const { world, emulator: itself, connection, ...others } = surroundings;
  return {
    valid: given({ ...allArguments(resourceCase, surroundings), ...resourceCase.whenFailing }),
    change: changeOf(resourceCase)?.(surroundings),
    texts: new Map(textsIn(others, "")),
  };
}

/** The same in an emulator that is put back to the start. */
export function newStage(emulator: Emulator, receiver: Receiver, resourceCase: ResourceCase): Promise<Stage> {
  emulator.reset();
  return addStage(emulator, receiver, resourceCase);
}

/** Whether a class has updates in place of which a service gets to know. */
export function changeOf(
  resourceCase: ResourceCase,
): ((surroundings: WorldSurroundings) => Values) | undefined {
  const definition = definitions.get(resourceCase.type);
  return definition && updateOf(resourceCase, definition);
}

function textsIn(value: unknown, at: string): [string, string][] {
  if (typeof value === "string") {
    return value === "" ? [] : [[at, value]];
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => textsIn(inner, `${at}-${name}`))
    : [];
}

/** The steps of a life that make requests. `get` reads an object that is not managed. */
const steps = ["create", "get", "refresh", "update", "delete"] as const;

/** One of them. */
export type StepName = (typeof steps)[number];

/** What a step ended with, and what passed between library and service meanwhile. */
export interface StepResult {
  readonly outcome: Outcome;
  readonly exchanges: readonly Exchange[];
  /** What the program said before an update, and what of it an update changes. */
  readonly given: readonly Values[];
  /** What the object was before the step. */
  readonly before: { readonly id: string; readonly outputs: Properties };
}

/** Lives a life up to a step, with a service as it should be, and takes that step with one that alters its answers. */
export async function takeStep(
  world: World,
  resourceCase: ResourceCase,
  step: StepName,
  alter?: Alteration,
  settings: Readonly<Record<string, string>> = {},
): Promise<StepResult> {
  const { type } = resourceCase;
  const definition = definitions.get(type) ?? assert.fail(`there is no ${type}`);
  const { valid, change = {} } = await newStage(world.emulator, world.receiver, resourceCase);
  // Only the step in question is impatient.
  const usual = world.hooksOf(definition);
  const hooks = world.hooksOf(definition, settings);
  const take = async (name: StepName, work: () => Promise<Outcome>): Promise<StepResult> => {
    world.front.clear();
    world.front.after = name === step ? alter : undefined;
    const outcome = await work();
    const { exchanges } = world.front;
    return { outcome, exchanges: [...exchanges], given: [valid, change], before: { id, outputs } };
  };
  let id = "";
  let outputs: Properties = {};

  const inputs = await checked(usual, {}, valid);
  const created = await take("create", () => outcomeOf((step === "create" ? hooks : usual).create(inputs)));
  if (step === "create") {
    return created;
  }
  assert.equal(created.outcome.kind, "done", errorOf(created.outcome));
  ({ id = "", outputs = {} } = created.outcome as { id?: string; outputs?: Properties });
  switch (step) {
    case "get":
      return take(step, () => outcomeOf(hooks.read(id), true));
    case "refresh":
      return take(step, () => outcomeOf(hooks.read(id, outputs), true));
    case "update": {
      const news = await checked(hooks, inputs, { ...valid, ...change });
      return take(step, () => outcomeOf(hooks.update(id, outputs, news)));
    }
    case "delete":
      return take(step, () => outcomeOf(hooks.delete(id, outputs).then(() => undefined)));
  }
}

/** Which steps a case has: not every resource can be updated or got. */
export function stepsOf(resourceCase: ResourceCase, isGot: boolean): readonly StepName[] {
  return steps.filter(
    (step) => (step !== "update" || changeOf(resourceCase) !== undefined) && (step !== "get" || isGot),
  );
}

async function checked(
  hooks: Hooks,
  olds: Properties,
  args: Readonly<Record<string, unknown>>,
): Promise<Properties> {
  const { inputs, failures } = await hooks.check(olds, args as Properties);
  assert.deepEqual(failures, []);
  return inClear(inputs);
}

/** The message of a failed step, for assertions. */
export function errorOf(outcome: Outcome): string | undefined {
  return "error" in outcome ? outcome.error.message : undefined;
}
