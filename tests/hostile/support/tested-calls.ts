import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { updateOf, type Values } from "../../cases/support/case";
import { callFunction, type TriedFunction } from "../../cases/functions";
import { startServer, stopServers, type TestServer } from "../../http/server";
import { FakeEngine, partialIn, providerWith } from "../../support/fake-engine";
import type { Properties, Provider } from "../../support/provider-process";
import type { Alteration, Exchange } from "../../support/proxy";
import {
  definitions,
  type ProxiedServices,
  type TriedCase,
  triedCases,
  triedFunctions,
} from "../../support/services";
import { useRunning } from "../../support/use-running";
import { inClear } from "../../support/values";

type Settings = Readonly<Record<string, string>>;

/** Writes again and again, as fast as it is read, until the other side has had enough. */
export function flood(socket: Socket, piece: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece)) {
      // Until the buffer is full.
    }
    socket.once("drain", more);
  };
  more();
}

/** Another server, which must not receive any request, whatever redirects and links lead there. */
export function useElsewhere(): TestServer {
  const start = (): Promise<TestServer> => startServer((response) => response.end("{}"));
  const elsewhere = useRunning("another server", start, stopServers);
  afterEach(() => assert.deepEqual(elsewhere.received, [], "a redirect or a link was followed"));
  return elsewhere;
}

/** A provider in this process. No environment shortens its time limit. */
export function providerOf(services: ProxiedServices, type: string, settings: Settings = {}): Provider {
  // A connection remembers its list of TOTP methods. Each resource has one of its own, so all send the same requests.
  const Headers = type === "secrets/mfa:TotpMethod" ? JSON.stringify({ "x-resource": randomUUID() }) : "{}";
  const configuration = services.configuration({ RequestTimeout: "60s", Headers, ...settings });
  return providerWith(definitions.get(type) ?? assert.fail(`there is no ${type}`), configuration);
}

/** What a step ended with. */
export interface Outcome {
  /** `partial`: the object exists, and the message says what is missing. */
  readonly kind: "done" | "gone" | "partial" | "failed";
  readonly message?: string;
  readonly id?: string | undefined;
  readonly outputs?: Values | undefined;
}

/** @param read reads the outputs; those of a function have no wrapped secrets, and can be nested deeper than a program can go */
export async function outcomeOf(
  work: Promise<{ readonly id?: string; readonly outputs?: Properties } | "gone" | undefined>,
  read: (outputs: Properties) => Values = inClear,
): Promise<Outcome> {
  try {
    const result = await work;
    if (result === "gone") {
      return { kind: "gone" };
    }
    const { id, outputs } = result ?? {};
    return { kind: "done", id, outputs: outputs && read(outputs) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const partial = partialIn(error);
    return partial === undefined
      ? { kind: "failed", message }
      : { kind: "partial", message, id: partial.id, outputs: inClear(partial.properties) };
  }
}

/** The steps of a lifecycle that make requests, and a call of a function. `get` reads an object that is not managed. */
const steps = ["create", "get", "refresh", "update", "delete"] as const;
export type Step = (typeof steps)[number] | "call";

export interface Taken {
  readonly outcome: Outcome;
  /** What passed between library and service. */
  readonly exchanges: readonly Exchange[];
  /** What the program says, and what of it an update changes. */
  readonly given: readonly Values[];
  /** The id before the step. */
  readonly id: string;
}

type TakeOptions = Partial<Readonly<{ alter: Alteration; settings: Settings }>>;

/** Something that makes requests: a step of the lifecycle of a class, or a function. */
export interface TestedCall {
  /** Of the class or the function. */
  readonly name: string;
  readonly step: Step;
  readonly tried?: TriedCase;
  /** Takes the earlier steps with a service as it should be, and takes the step with one that alters its responses. */
  take(services: ProxiedServices, options?: TakeOptions): Promise<Taken>;
}

/** The resources whose id does not lead to the object. */
const notGot = ["secrets/directory:LibraryCheckout"];

/** Without the classes that listen to a stream. */
export const respondingCases = triedCases.filter(({ isStream }) => !isStream);

export const testedCalls: readonly TestedCall[] = [
  ...respondingCases.flatMap((tried) =>
    steps
      .filter((step) => step !== "update" || updateOf(tried) !== undefined)
      .filter((step) => step !== "get" || !notGot.includes(tried.type))
      .map((step): TestedCall => {
        const take: TestedCall["take"] = (services, options) => takeStep(services, tried, step, options);
        return { name: tried.name, step, tried, take };
      }),
  ),
  ...triedFunctions.map((tried): TestedCall => {
    return {
      name: tried.title,
      step: "call",
      take: (services, options) => takeCall(services, tried, options),
    };
  }),
];

async function takeStep(
  services: ProxiedServices,
  tried: TriedCase,
  step: (typeof steps)[number],
  { alter, settings }: TakeOptions = {},
): Promise<Taken> {
  const { type } = tried;
  const { valid, change } = await services.prepareAlone(tried);
  let provider = providerOf(services, type);
  const stack = new FakeEngine(definitions.get(type), { operate: (calls) => calls(provider, {}) });
  const resource = () => stack.resource;
  const acts = {
    create: () => stack.up(valid).then(resource),
    get: () => stack.get().then((found) => (found.id === "" ? "gone" : found)),
    refresh: () => stack.refresh().then((exists) => (exists ? resource() : "gone")),
    update: () => stack.up({ ...valid, ...change } as Properties).then(resource),
    delete: () => stack.destroy().then(resource),
  } as const;
  await (step === "create" ? undefined : acts.create());
  const id = stack.id ?? "";
  // Only the step in question is impatient.
  provider = providerOf(services, type, settings);
  services.proxy.clear();
  services.proxy.after = alter;
  const outcome = await outcomeOf(acts[step]());
  return { outcome, exchanges: [...services.proxy.exchanges], given: [valid, change ?? {}], id };
}

async function takeCall(services: ProxiedServices, tried: TriedFunction, { alter }: TakeOptions = {}) {
  const fixtures = await services.prepareFunction(tried);
  services.proxy.clear();
  services.proxy.after = alter;
  const result = callFunction(tried, fixtures).then((value) => ({
    outputs: { result: value } as Properties,
  }));
  const outcome = await outcomeOf(result, (outputs) => outputs);
  return { outcome, exchanges: [...services.proxy.exchanges], given: [], id: "" };
}
