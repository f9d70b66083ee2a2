import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { textsWithin } from "../../../sdk/resource/state/entry";
import { casesIn, resourceCases } from "../../cases";
import { type Dialect, given, type ResourceCase, together, type Values } from "../../cases/support/case";
import { emulatedServices } from "../../cases/support/emulated-services";
import type { CaseContext } from "../../cases/support/test-services";
import { type Adapter, typeWith } from "../../engine/support/adapter";
import { SharedStack } from "../../engine/support/shared-stack";
import { Proxy } from "../../support/proxy";
import {
  classes,
  configurationIn,
  type Declaration,
  declareAll,
  ports,
  project,
  recordedServices,
  recordings,
  type Recording,
  type SetUpCall,
  type StateFile,
  textOf,
  tokens,
} from "./recording";
import { leftIn } from "./replay";

const recordedHeaders = ["authorization", "x-secrets-token", "x-vault-token", "content-type", "accept"];

/** With the compiled library. @returns the folder, whose files are replaced */
export async function recordStates(version: string): Promise<string> {
  const folder = join(recordings, version);
  mkdirSync(folder, { recursive: true });
  for (const adapter of ["dynamic", "plugin"] as const) {
    for (const dialect of ["documented", "hashicorp"] as const) {
      const recording = await recordState(adapter, dialect);
      writeFileSync(join(folder, `${adapter}-${dialect}.json`), textOf(recording));
    }
  }
  return folder;
}

/**
 * Makes a stack with a resource of every class, with the real CLI against the emulator: in other spellings than the
 * services', with cleared arguments and an object that existed before. In the end, most objects drift, and a refresh
 * finds it. The recording has all that it takes to bring an emulator into the same state.
 *
 * @throws Error when a class is missing, or a plan shows a change right after an update
 */
async function recordState(adapter: Adapter, dialect: Dialect): Promise<Recording> {
  const recordedAt = new Date(Math.floor(Date.now() / 1000) * 1000);
  const emulator = await startEmulator({
    dialect,
    frozenAt: recordedAt,
    tokens,
    ports: { scheduler: ports.scheduler },
  });
  const steps: Recording["steps"][number][] = [];
  const { provisioning, secrets } = emulator;
  const proxy = await Proxy.start({ provisioning, secrets }, { ports });
  const stack = await SharedStack.create(project, configurationIn(dialect), {}, adapter);
  const upTo = (program: readonly Declaration[]) => stack.up(() => declareAll(program, adapter));
  try {
    proxy.after = ({ service, method, target, headers, body, status, response }) => {
      if (service !== "scheduler" && status < 300 && (method !== "GET" || tellsNames(steps, response))) {
        const sent = recordedHeaders.map((name) => [name, headers[name]] as const);
        const kept = Object.fromEntries(
          sent.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
        );
        steps.push({ service, method, target, headers: kept, body, status, response });
      }
      return undefined;
    };
    const prepared = await setUpStage(noting(emulator, steps), dialect);
    const preparing = steps.length;
    const before = emulator.inspect();
    await upTo(prepared.map(({ first }) => first));
    const program = prepared.map(({ last }) => last);
    await upTo(program);
    await stack.previewWithoutChanges(() => declareAll(program, adapter));
    const idOf = async ({ first: { type, name } }: Actor): Promise<string> => {
      const ids = await stack.idsByName(typeWith(adapter, `pulumi-nodejs:dynamic/trivium/${type}`));
      return ids.get(name) ?? assert.fail(`the stack has no ${name}`);
    };
    for (const actor of prepared) {
      await actor.drift?.(await idOf(actor));
    }
    await stack.refresh({ program: () => declareAll(program, adapter) });
    const kept = [...steps];
    const state = JSON.parse(await stack.stateFile()) as StateFile;
    const { resources = [], ...latest } = state.checkpoint.latest;
    const plan = await stack.preview(() => declareAll(program, adapter));
    await upTo(program);
    await stack.destroy();
    return {
      ...{ adapter, dialect, recordedAt: recordedAt.toISOString(), drifted: plan.changes.update ?? 0 },
      ...{ left: leftIn(before, emulator.inspect()), program, preparing, steps: kept },
      state: { ...state, checkpoint: { ...state.checkpoint, latest } },
      resources: resources.map((resource) => {
        const { sourcePosition, stackTrace, ...others } = resource as unknown as Values;
        return others as unknown as typeof resource;
      }),
    };
  } catch (error) {
    throw new Error(`${stack.output}\n${String(error)}`, { cause: error });
  } finally {
    stack.remove();
    proxy.close();
    await emulator.close();
  }
}

/** Whether a response has names that no step before has told. Shorter texts are words that services use. */
function tellsNames(steps: readonly object[], response: string): boolean {
  const told = JSON.stringify(steps);
  const texts = textsWithin(response === "" ? undefined : JSON.parse(response));
  return texts.some((text) => text.length >= 8 && !told.includes(JSON.stringify(text).slice(1, -1)));
}

/** Recordings are kept for years, and so is what was issued in them. */
const aCentury = "876000h";

/** An emulator of which note is taken what is set up in it. Its addresses are those that everybody else is to use. */
function noting(emulator: Emulator, steps: object[]): Emulator {
  const addresses: Readonly<Partial<Record<SetUpCall["on"], string>>> = Object.fromEntries(
    recordedServices.map((service) => [service, `http://127.0.0.1:${ports[service]}`]),
  );
  const services = (["provisioning", "secrets", "scheduler", "events"] as const).map((on) => [
    on,
    new globalThis.Proxy(emulator[on], {
      get(service, call: string) {
        const member: unknown = Reflect.get(service, call);
        if (typeof member !== "function") {
          return call === "address" ? (addresses[on] ?? member) : member;
        }
        return (...values: unknown[]): unknown => {
          const result: unknown = Reflect.apply(member, service, values);
          const told = JSON.parse(JSON.stringify(result ?? {})) as unknown;
          steps.push({ on, call, arguments: values, result: told } satisfies SetUpCall);
          return result;
        };
      },
    }),
  ]);
  return { ...emulator, ...Object.fromEntries(services) } as Emulator;
}

/** A resource of the program: as it is declared at first, as it stays, and what happens to its object in the end. */
interface Actor {
  readonly first: Declaration;
  readonly last: Declaration;
  readonly drift?: (id: string) => unknown;
}

/** Sets up what the case of every class needs, for a program that declares one of each. */
async function setUpStage(emulator: Emulator, dialect: Dialect): Promise<readonly Actor[]> {
  const receiver = { address: "https://hooks.acme.example", requests: [] };
  assert.deepEqual([...resourceCases.keys()].sort(), [...classes.keys()].sort());
  const actors: Actor[] = [];
  for (const [index, [type, resourceCase]] of [...casesIn(dialect)].entries()) {
    const options = { dialect, mark: `stage-${index + 1}`, lifetime: aCentury, receiver };
    const context = await resourceCase.prepare(emulatedServices(emulator, options));
    const declared = { type, name: type.replace(/[/:]/g, "-") };
    const args = given({
      ...resourceCase.valid(context),
      ...resourceCase.spellings?.(context),
      ...resourceCase.whenRecorded,
    });
    actors.push({
      first: { ...declared, args: { ...toBeCleared(resourceCase, context, args), ...args } },
      last: { ...declared, args },
      drift: (id) => resourceCase.drift?.cause(context, id),
    });
  }
  emulator.provisioning.addOrganization({ name: "former" });
  const existing = { organization: "former", name: "existing" };
  const { id } = emulator.provisioning.addProject(existing);
  const first = { type: "provisioning:Project", name: "taken-over", args: existing, takesOver: id };
  return [...actors, { first, last: first }];
}

/** Arguments that the program omits later. */
function toBeCleared(resourceCase: ResourceCase, context: CaseContext, args: Values): Values {
  const { changes, cleared } = resourceCase;
  const names = cleared.filter((name) => !(name in args));
  return given(
    together(
      changes.filter(({ argument, replaces }) => names.includes(argument) && replaces !== true),
      context,
    ),
  );
}
