import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { version } from "../sdk/package.json";
import { textsWithin } from "../sdk/resource/state/entry";
import { casesIn, resourceCases } from "../tests/cases";
import { allDialects, type Dialect, given, together, type Values } from "../tests/cases/support/case";
import { emulatedServices } from "../tests/cases/support/emulated-services";
import { type Adapter, adapters, typeWith } from "../tests/engine/support/adapter";
import { SharedStack } from "../tests/engine/support/shared-stack";
import { classes } from "../tests/engine/support/tested-resource";
import { leftIn } from "../tests/support/left-in";
import { Proxy } from "../tests/support/proxy";
import {
  configurationIn,
  type Declaration,
  declareAll,
  ports,
  project,
  recordings,
  type Recording,
  type SetUpCall,
  shortestName,
  type StateFile,
  tokens,
} from "../tests/upgrade/support/recording";

const help = `Records the states that the version in sdk/package.json writes, for the tests of later versions.

  node -r ts-node/register scripts/record-state.ts [--again]

  --again  replaces the recordings: only before the version has been published
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { again: { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help === true) {
    process.stdout.write(help);
    return;
  }
  if (existsSync(join(recordings, version)) && values.again !== true) {
    throw new Error(`The states of version ${version} are kept already. What was published never changes.`);
  }
  const folder = await recordStates(version);
  process.stdout.write(`Recorded in ${relative(resolve(__dirname, ".."), folder)}\n`);
}

/** With the compiled library. @returns the folder, whose files are replaced */
async function recordStates(version: string): Promise<string> {
  const folder = join(recordings, version);
  mkdirSync(folder, { recursive: true });
  for (const adapter of adapters) {
    for (const dialect of allDialects) {
      const recording = await recordState(adapter, dialect);
      // One line for each resource, declaration and step.
      const members = Object.entries(recording).map(([name, value]: [string, unknown]) => {
        const lines = Array.isArray(value) ? value.map((item) => JSON.stringify(item)).join(",\n") : "";
        return `${JSON.stringify(name)}: ${Array.isArray(value) ? `[\n${lines}\n]` : JSON.stringify(value)}`;
      });
      writeFileSync(join(folder, `${adapter}-${dialect}.json`), `{\n${members.join(",\n")}\n}\n`);
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
  const frozenAt = new Date(Math.floor(Date.now() / 1000) * 1000);
  const emulator = await startEmulator({ dialect, frozenAt, tokens, ports: { scheduler: ports.scheduler } });
  const steps: Recording["steps"][number][] = [];
  const { provisioning, secrets } = emulator;
  const proxy = await Proxy.start({ provisioning, secrets }, { ports });
  const stack = await SharedStack.create(project, configurationIn(dialect), {}, adapter);
  try {
    proxy.after = ({ service, method, target, headers, body, status, response }) => {
      const told = JSON.stringify(steps);
      // Whether the response has names that no step before has told.
      const isNews = textsWithin(JSON.parse(response || "null")).some(
        (text) => text.length >= shortestName && !told.includes(JSON.stringify(text).slice(1, -1)),
      );
      if (service !== "scheduler" && status < 300 && (method !== "GET" || isNews)) {
        const names = ["authorization", "x-secrets-token", "x-vault-token", "content-type", "accept"];
        const sent = Object.entries(headers).filter(([name]) => names.includes(name));
        const kept = Object.fromEntries(sent) as Record<string, string>;
        steps.push({ service, method, target, headers: kept, body, status, response });
      }
      return undefined;
    };
    const actors = await setUp(noting(emulator, steps), dialect);
    const preparing = steps.length;
    const before = emulator.inspect();
    await stack.up(() =>
      declareAll(
        actors.map(({ first }) => first),
        adapter,
      ),
    );
    const declarations = actors.map(({ last }) => last);
    const program = () => declareAll(declarations, adapter);
    await stack.up(program);
    await stack.previewWithoutChanges(program);
    for (const { first, drift } of actors) {
      const id = (await stack.idsByName(typeWith(adapter, first.type))).get(first.name);
      await drift?.(id ?? assert.fail(`the stack has no ${first.name}`));
    }
    await stack.refresh({ program });
    const kept = [...steps];
    const state = JSON.parse(readFileSync(stack.statePath, "utf8")) as StateFile;
    const { resources = [], ...latest } = state.checkpoint.latest;
    const plan = await stack.preview(program);
    await stack.up(program);
    await stack.destroy();
    return {
      adapter,
      dialect,
      recordedAt: frozenAt.toISOString(),
      drifted: plan.changes["update"] ?? 0,
      left: leftIn(before, emulator.inspect()),
      program: declarations,
      preparing,
      steps: kept,
      state: { ...state, checkpoint: { ...state.checkpoint, latest } },
      resources: resources.map((resource) => {
        const { sourcePosition, stackTrace, ...others } = resource as typeof resource &
          Record<string, unknown>;
        return others;
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

/** An emulator of which note is taken what is set up in it. Its addresses are those that everybody else is to use. */
function noting(emulator: Emulator, steps: object[]): Emulator {
  const services = (["provisioning", "secrets", "scheduler", "events"] as const).map((on) => [
    on,
    new globalThis.Proxy(emulator[on], {
      get(service, call: string) {
        const member: unknown = Reflect.get(service, call);
        if (typeof member !== "function") {
          const isProxied = call === "address" && (on === "provisioning" || on === "secrets");
          return isProxied ? `http://127.0.0.1:${ports[on]}` : member;
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

/** A resource as it is declared at first, as it stays, and what happens to its object in the end. */
interface Actor {
  readonly first: Declaration;
  readonly last: Declaration;
  readonly drift?: (id: string) => unknown;
}

/** What a recording says otherwise, since it is kept for years and read without services. */
const recordedInstead: Readonly<Record<string, Values>> = {
  "provisioning:NotificationConfiguration": { enabled: false },
  "secrets/directory:LibraryCheckout": { ttl: "876000h" },
};

/** Sets up what the case of every class needs, for a program that declares one of each. */
async function setUp(emulator: Emulator, dialect: Dialect): Promise<readonly Actor[]> {
  const receiver = { address: "https://hooks.acme.example" };
  assert.deepEqual([...resourceCases.keys()].sort(), [...classes.keys()].sort());
  const actors: Actor[] = [];
  for (const [index, [type, resourceCase]] of [...casesIn(dialect)].entries()) {
    // Recordings are kept for years, and so is what was issued in them.
    const options = { dialect, mark: `stage-${index + 1}`, lifetime: "876000h", receiver };
    const context = await resourceCase.prepare(emulatedServices(emulator, options));
    const { changes, cleared, drift } = resourceCase;
    const args = given({
      ...resourceCase.valid(context),
      ...resourceCase.spellings?.(context),
      ...recordedInstead[type],
    });
    // The program omits these later.
    const omitted = changes.filter(
      ({ argument, replaces }) => cleared.includes(argument) && !(argument in args) && !replaces,
    );
    const declared = { type, name: type.replace(/[/:]/g, "-") };
    actors.push({
      first: { ...declared, args: { ...given(together(omitted, context)), ...args } },
      last: { ...declared, args },
      drift: (id) => drift?.cause(context, id),
    });
  }
  emulator.provisioning.addOrganization({ name: "former" });
  const existing = { organization: "former", name: "existing" };
  const { id } = emulator.provisioning.addProject(existing);
  const first = { type: "provisioning:Project", name: "taken-over", args: existing, takesOver: id };
  return [...actors, { first, last: first }];
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
