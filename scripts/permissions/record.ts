import { randomUUID } from "node:crypto";
import { type Emulator, type RecordedRequest, startEmulator } from "../../sdk/testing";
import type { Operation, RecordedRequests, RequestsOfClass } from "../../sdk/command-line/policy/requests";
import { casesIn } from "../../tests/cases";
import {
  batchesOf,
  caseIn,
  type Dialect,
  given,
  type ResourceCase,
  together,
  type Values,
} from "../../tests/cases/support/case";
import { emulatedServices } from "../../tests/cases/support/emulated-services";
import type { CaseContext, Need } from "../../tests/cases/support/test-services";
import { FakeEngine } from "../../tests/support/fake-engine";
import type { Properties } from "../../tests/support/provider-process";
import { configurationWith } from "../../tests/support/proxy";
import { definitions } from "../../tests/support/services";

/** Arguments that lead to other requests than the usual ones, by class; those of a form without it are removed. */
const forms: Readonly<Record<string, readonly Form[]>> = {
  "secrets/mfa:PushMethod": [
    { dialects: ["hashicorp"], when: { mountAccessor: false }, args: () => ({ mountAccessor: undefined }) },
    { when: { mountAccessor: true } },
  ],
  "secrets/directory:LibraryCheckout": [
    { when: { force: false }, args: () => ({ force: undefined }) },
    { when: { force: true } },
  ],
};

interface Form {
  /** Default: all. */
  readonly dialects?: readonly Dialect[];
  /** Arguments whose presence tells this form from the others. */
  readonly when?: Readonly<Record<string, boolean>>;
  readonly args?: (valid: Values) => Values;
}

export interface TriedForm {
  readonly resourceCase: ResourceCase;
  readonly dialect: Dialect;
  readonly form: Form;
}

/** Every class of a dialect, with each set of arguments that leads to other requests. */
export function formsIn(dialect: Dialect): readonly TriedForm[] {
  return [...casesIn(dialect)].flatMap(([type, resourceCase]) =>
    (forms[type] ?? [{}])
      .filter(({ dialects }) => dialects?.includes(dialect) ?? true)
      .map((form) => ({ resourceCase: caseIn(dialect, resourceCase), dialect, form })),
  );
}

/** The requests of each class, as the emulator's journal shows them. */
export async function recordRequests(dialect: Dialect): Promise<RecordedRequests> {
  const recorded = new Map<string, RequestsOfClass[]>();
  for (const tried of formsIn(dialect)) {
    const emulator = await startEmulator({ dialect });
    try {
      const { type } = tried.resourceCase;
      recorded.set(type, [...(recorded.get(type) ?? []), await requestsOf(emulator, tried)]);
    } finally {
      await emulator.close();
    }
  }
  return Object.fromEntries([...recorded].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What happens to a resource over its life. Steps depend on those before. */
export interface Step {
  readonly operation: Operation;
  readonly run: () => Promise<unknown>;
}

/** The life of a resource on an emulator, with settings beside its address and its token. */
export async function lifeOf(
  emulator: Emulator,
  tried: TriedForm,
  settings: Readonly<Record<string, string>> = {},
) {
  const { resourceCase, dialect } = tried;
  const context = await resourceCase.prepare(emulatedServices(emulator, { dialect }));
  await resourceCase.populate?.(emulator, context);
  const life = lifeIn(context, tried, {
    services: emulator,
    settings,
    async losing(take) {
      const fault = emulator.faults.add({ method: "POST", drop: "after" });
      await take();
      fault.remove();
    },
  });
  return { ...life, close: () => context.close() };
}

interface Surroundings {
  /** Of which only addresses and tokens are used. */
  readonly services: Emulator;
  readonly settings: Readonly<Record<string, string>>;
  /** Does something while the next response to a write is lost. */
  readonly losing: (take: () => Promise<unknown>) => Promise<void>;
  /** Whether the services do not have an argument. */
  readonly isLeftOut?: (need: Need | undefined) => boolean;
}

/**
 * Everything that the library asks a service for a resource: its creation, a refresh, updates in place and its deletion,
 * with a response that is lost.
 */
export function lifeIn(
  context: CaseContext,
  { resourceCase, dialect, form }: TriedForm,
  { services, settings, losing, isLeftOut = () => false }: Surroundings,
) {
  const valid = { ...resourceCase.valid(context), ...resourceCase.withoutWaiting };
  const args = given({ ...valid, ...form.args?.(valid) }) as Properties;
  const managed = new FakeEngine(definitions.get(resourceCase.type), services, {
    ...configurationWith(() => ({ Dialect: dialect })),
    // A connection of its own: others have lists that would serve it.
    "trivium:provisioningHeaders": JSON.stringify({ "x-row": randomUUID() }),
    ...settings,
  });
  const updates = batchesOf(resourceCase).filter((changes) =>
    changes.every(
      ({ replaces, argument, needs }) => !replaces && !(argument in (form.when ?? {})) && !isLeftOut(needs),
    ),
  );
  let changed = args;
  const steps: readonly Step[] = [
    { operation: "create", run: () => managed.up(args) },
    { operation: "refresh", run: () => managed.refresh() },
    ...updates.map((batch) => ({
      operation: "update" as const,
      run() {
        changed = given({ ...changed, ...together(batch, context) }) as Properties;
        return managed.up(changed);
      },
    })),
    { operation: "delete", run: () => managed.destroy() },
    // The library finds out what has happened.
    { operation: "create", run: () => losing(() => managed.up(args).catch(() => undefined)) },
    { operation: "delete", run: () => managed.destroy() },
  ];
  return { managed, args, steps };
}

async function requestsOf(emulator: Emulator, tried: TriedForm): Promise<RequestsOfClass> {
  const { managed, steps, close } = await lifeOf(emulator, tried);
  const found = new Map<Operation, string[]>();
  const names = new Map<string, string>();
  const remember = (): void =>
    namesOf(managed, tried.resourceCase.type).forEach((name, value) => names.set(value, name));
  try {
    for (const { operation, run } of steps) {
      emulator.journal.clear();
      await run();
      remember();
      const lines = emulator.journal.requests().map((request) => lineOf(request, names));
      found.set(operation, [...(found.get(operation) ?? []), ...lines]);
    }
  } finally {
    await close();
  }
  const linesOf = (operation: Operation): readonly string[] => [...new Set(found.get(operation))].sort();
  const { when } = tried.form;
  return {
    ...(when === undefined ? {} : { when }),
    create: linesOf("create"),
    refresh: linesOf("refresh"),
    update: linesOf("update"),
    delete: linesOf("delete"),
  };
}

/** What can be in a path: the arguments, which name most objects, and an ID that the service has generated. */
function namesOf({ inputs, outputs, id }: FakeEngine, type: string): ReadonlyMap<string, string> {
  const { arguments: rows = {} } = definitions.get(type) ?? {};
  const current = Object.entries(outputs).filter(([name]) => name in rows);
  const texts = [...Object.entries(inputs), ...current, ["id", id] as const].filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
  );
  return new Map(
    texts.reverse().flatMap(([name, value]) => [value, value.toLowerCase()].map((each) => [each, name])),
  );
}

/** Such as `GET {mount}/static-role/{roleName}`. An id that the resource does not have is `+`. */
export function lineOf({ method, path, query }: RecordedRequest, names: ReadonlyMap<string, string>): string {
  const segments = path
    .replace(/^\/(?:api\/v2|v1)\//, "")
    .split("/")
    .map(decodeURIComponent);
  const shown = segments.map((segment) => {
    const name = names.get(segment);
    return name === undefined ? (isId.test(segment) ? "+" : segment) : `{${name}}`;
  });
  return `${method === "GET" && "list" in query ? "LIST" : method} ${shown.join("/")}`;
}

const isId = /^(?:[a-z]{2,4}-\w{16}|[\da-f]{8}-[\da-f-]{27})$/;
