import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { casesIn } from "../../cases";
import { type ResourceCase, updateOf, type Values } from "../../cases/support/case";
import { callFunction, functionCases, newFixtures } from "../../cases/functions";
import { FakeEngine, partialIn, providerWith } from "../../support/fake-engine";
import type { Properties, Provider } from "../../support/provider-process";
import type { Alteration, Exchange } from "../../support/proxy";
import { startServer, stopServers, type TestServer } from "../../http/server";
import { definitions, ProxiedServices } from "../../support/services";
import { useRunning } from "../../support/use-running";
import { inClear } from "../../support/values";

/** Starts the services before the tests of the calling suite, for functions too. */
export function useServices(settings: Readonly<Record<string, string>> = {}): ProxiedServices {
  let restore = (): void => undefined;
  const start = async (): Promise<ProxiedServices> => {
    const services = await ProxiedServices.start({ records: true });
    restore = services.useForFunctions(settings);
    return services;
  };
  return useRunning("a set of services", start, (services) => {
    restore();
    return services.close();
  });
}

/** Another server, which nothing may ask, whatever redirects and links lead there. */
export function useElsewhere(): TestServer {
  const start = (): Promise<TestServer> => startServer((response) => response.end("{}"));
  const elsewhere = useRunning("another server", start, stopServers);
  afterEach(() => assert.deepEqual(elsewhere.received, [], "a redirect or a link was followed"));
  return elsewhere;
}

/** No environment shortens its time limit. */
export function providerOf(
  services: ProxiedServices,
  type: string,
  settings: Readonly<Record<string, string>> = {},
): Provider {
  // A connection remembers its list of TOTP methods. Each resource has one of its own, so all send the same requests.
  const own = { Headers: JSON.stringify({ "x-resource": randomUUID() }) };
  const configuration = services.configuration({
    RequestTimeout: "60s",
    ...(type === "secrets/mfa:TotpMethod" ? own : {}),
    ...settings,
  });
  return providerWith(definitions.get(type) ?? assert.fail(`there is no ${type}`), configuration);
}

/** What a step ended with. */
export type Outcome =
  | { readonly kind: "done"; readonly id?: string; readonly outputs?: Values }
  | { readonly kind: "gone" }
  /** The object exists; the error says what is missing. */
  | { readonly kind: "partial"; readonly error: Error; readonly id: string; readonly outputs: Values }
  | { readonly kind: "failed"; readonly error: Error };

/** @param read what the outputs say; a function's have no wrapped secrets, and may be deeper than a program can go */
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
    return {
      kind: "done",
      ...(id === undefined ? {} : { id }),
      ...(outputs === undefined ? {} : { outputs: read(outputs) }),
    };
  } catch (caught) {
    const error = caught instanceof Error ? caught : new Error(String(caught));
    const partial = partialIn(error);
    return partial === undefined
      ? { kind: "failed", error }
      : { kind: "partial", error, id: partial.id, outputs: inClear(partial.properties) };
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

export interface TakeOptions {
  readonly alter?: Alteration;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Something that makes requests: a step of the lifecycle of a class, or a function. */
export interface TestedCall {
  /** Of the class or the function. */
  readonly name: string;
  readonly step: Step;
  readonly resourceCase?: ResourceCase;
  /** Takes the earlier steps with a service as it should be, and takes the step with one that alters its responses. */
  take(services: ProxiedServices, options?: TakeOptions): Promise<Taken>;
}

/** The resources whose id does not lead to the object. */
const notGot = ["secrets/directory:LibraryCheckout"];

/** Without the classes that listen to a stream. */
export const respondingCases = [...casesIn("documented")].filter(([, { stream = false }]) => !stream);

export const testedCalls: readonly TestedCall[] = [
  ...respondingCases.flatMap(([name, resourceCase]) =>
    steps
      .filter((step) => step !== "update" || updateOf(resourceCase) !== undefined)
      .filter((step) => step !== "get" || !notGot.includes(name))
      .map((step): TestedCall => ({
        ...{ name, step, resourceCase },
        take: (services, options) => takeStep(services, resourceCase, step, options),
      })),
  ),
  ...Object.keys(functionCases).map((name): TestedCall => ({
    ...{ name, step: "call" },
    take: (services, options) => takeCall(services, name, options),
  })),
];

async function takeStep(
  services: ProxiedServices,
  resourceCase: ResourceCase,
  step: (typeof steps)[number],
  { alter, settings }: TakeOptions = {},
): Promise<Taken> {
  const { type } = resourceCase;
  const { valid, change } = await services.prepareAlone(resourceCase);
  let provider = providerOf(services, type);
  const stack = new FakeEngine(definitions.get(type) ?? assert.fail(type), {
    operate: (calls) => calls(provider, {}),
  });
  const acts: Readonly<Record<typeof step, () => Promise<unknown>>> = {
    create: () => stack.up(valid),
    async get() {
      const found = await provider.get(stack.resource?.id ?? "", {});
      return found.id === "" ? "gone" : found;
    },
    refresh: async () => ((await stack.refresh()) ? undefined : "gone"),
    update: () => stack.up({ ...valid, ...change } as Properties),
    delete: () => stack.destroy(),
  };
  if (step !== "create") {
    await acts.create();
  }
  const id = stack.resource?.id ?? "";
  // Only the step in question is impatient.
  provider = providerOf(services, type, settings);
  services.proxy.clear();
  services.proxy.after = alter;
  const outcome = await outcomeOf(
    acts[step]().then((result) =>
      step === "get" || result === "gone" ? (result as "gone") : stack.resource,
    ),
  );
  return { outcome, exchanges: [...services.proxy.exchanges], given: [valid, change ?? {}], id };
}

async function takeCall(
  services: ProxiedServices,
  name: string,
  { alter }: TakeOptions = {},
): Promise<Taken> {
  const fixtures = await newFixtures(services.emulator, functionCases[name]?.extras);
  services.proxy.clear();
  services.proxy.after = alter;
  const result = callFunction(name, fixtures).then((value) => ({ outputs: { result: value } as Properties }));
  const outcome = await outcomeOf(result, (outputs) => outputs);
  return { outcome, exchanges: [...services.proxy.exchanges], given: [], id: "" };
}

export function messageOf(outcome: Outcome): string | undefined {
  return "error" in outcome ? outcome.error.message : undefined;
}
