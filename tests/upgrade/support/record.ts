import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { format } from "prettier";
import * as library from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { collectDefinitions } from "../../../sdk/resource/registry";
import { resourceCases } from "../../cases";
import { worldOn } from "../../cases/support/emulated-world";
import { TestStack } from "../../engine/support/stack";
import { Proxy } from "../../support/proxy";
import {
  configuration,
  type Exchange,
  fileNames,
  ports,
  project,
  recordedServices,
  recordings,
  type ServicesRecording,
  type SetUpCall,
  tokens,
} from "./recording";
import { leftIn } from "./replay";

const recordedHeaders = ["authorization", "x-secrets-token", "content-type", "accept"];

/**
 * Makes a stack with a resource of every class, with the real CLI against the emulator, and keeps its state beside
 * all that it takes to bring an emulator into the same state.
 *
 * @param version of the library that has been compiled
 * @param folder which is replaced. Default: where the recording of that version belongs
 * @returns the folder
 * @throws Error when a class is missing, or a plan shows a change right after the creation
 */
export async function recordState(version: string, folder = join(recordings, version)): Promise<string> {
  const recordedAt = new Date(Math.floor(Date.now() / 1000) * 1000);
  const emulator = await startEmulator({
    frozenAt: recordedAt,
    tokens,
    ports: { scheduler: ports.scheduler },
  });
  const exchanges: Exchange[] = [];
  const { provisioning, secrets } = emulator;
  const proxy = await Proxy.start({ provisioning, secrets }, { ports });
  const stack = await TestStack.create(project, configuration);
  try {
    proxy.after = ({ service, method, target, headers, body, status, response: answer }) => {
      if (service !== "scheduler" && status < 300) {
        const sent = recordedHeaders.map((name) => [name, headers[name]] as const);
        const given = Object.fromEntries(
          sent.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
        );
        exchanges.push({ service, method, target, headers: given, body, status, answer });
      }
      return undefined;
    };
    const addresses = Object.fromEntries(
      recordedServices.map((service) => [service, `http://127.0.0.1:${ports[service]}`]),
    );
    const stage = await setUpStage(emulator, addresses);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const file = join(folder, fileNames.program);
    writeFileSync(file, await format(stage.program, { parser: "typescript" }));
    const { declareAll } = createRequire(__filename)(file) as { readonly declareAll: () => void };
    const program = (): Promise<undefined> => {
      declareAll();
      return Promise.resolve(undefined);
    };
    const preparing = exchanges.length;
    const before = emulator.inspect();
    await stack.up(program);
    const kept = [...exchanges];
    await stack.previewWithoutChanges(program);
    const state = await stack.stateFile();
    const missing = [...collectDefinitions(library).keys()].filter(
      (type) => !state.includes(`dynamic/trivium/${type}"`),
    );
    assert.deepEqual(missing, [], "classes that the program does not declare");
    await stack.destroy();
    const services: ServicesRecording = {
      recordedAt: recordedAt.toISOString(),
      setUp: stage.calls,
      exchanges: kept,
      preparing,
      left: leftIn(before, emulator.inspect()),
    };
    writeFileSync(join(folder, fileNames.state), state);
    writeFileSync(join(folder, fileNames.services), `${JSON.stringify(services, undefined, 2)}\n`);
    return folder;
  } catch (error) {
    throw new Error(`${stack.output}\n${String(error)}`, { cause: error });
  } finally {
    stack.remove();
    proxy.close();
    await emulator.close();
  }
}

/** Longer than a recording is kept: recordings last for years, and so does what was issued in them. */
const aCentury = "876000h";

const settable: readonly SetUpCall["on"][] = ["provisioning", "secrets", "scheduler", "events"];

/**
 * An emulator of which note is taken what is set up in it.
 *
 * @param addresses of the services as everybody else is to use them
 */
function noting(
  emulator: Emulator,
  addresses: Readonly<Partial<Record<string, string>>>,
  calls: SetUpCall[],
): Emulator {
  const services = settable.map((on) => [
    on,
    new globalThis.Proxy(emulator[on], {
      get(service, call: string) {
        const member: unknown = Reflect.get(service, call);
        if (typeof member !== "function") {
          return call === "address" ? (addresses[on] ?? member) : member;
        }
        return (...given: unknown[]): unknown => {
          const result: unknown = Reflect.apply(member, service, given);
          calls.push({
            on,
            call,
            arguments: given,
            result: JSON.parse(JSON.stringify(result ?? {})) as unknown,
          });
          return result;
        };
      },
    }),
  ]);
  return { ...emulator, ...Object.fromEntries(services) } as Emulator;
}

/** What a recording's program declares, and what was set up in the emulator for it. */
interface Stage {
  readonly calls: readonly SetUpCall[];
  /** The program, which a recording keeps: it imports nothing but the library, and has to go on to work. */
  readonly program: string;
}

/** Sets up what the case of every class needs, and writes the program that declares one of each. */
async function setUpStage(
  emulator: Emulator,
  addresses: Readonly<Partial<Record<string, string>>>,
): Promise<Stage> {
  const calls: SetUpCall[] = [];
  const noted = noting(emulator, addresses, calls);
  const nobody = { address: "https://hooks.acme.example", requests: [] };
  const declarations: string[] = [];
  for (const [index, [type, resourceCase]] of [...resourceCases].entries()) {
    const mark = `stage-${index + 1}`;
    const surroundings = await resourceCase.prepare(
      worldOn(noted, { dialect: "documented", mark, lifetime: aCentury, receiver: nobody }),
    );
    const args = { ...resourceCase.valid(surroundings), ...resourceCase.whenRecorded };
    const name = type.replace(/[/:]/g, "-");
    declarations.push(
      `  new trivium.${type.replace(/[/:]/g, ".")}(${JSON.stringify(name)}, ${JSON.stringify(args)});`,
    );
  }
  const program = [
    'import * as trivium from "pulumi-trivium";',
    "",
    "/** One resource of every class. Written by scripts/record-state.ts from the cases of its version. */",
    "export function declareAll(): void {",
    ...declarations,
    "}",
    "",
  ].join("\n");
  return { calls, program };
}
