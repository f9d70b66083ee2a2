import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as library from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { collectClasses } from "../../../sdk/resource/definition";
import { resourceCases } from "../../cases";
import { worldOn } from "../../cases/support/emulated-world";
import { TestStack } from "../../engine/support/stack";
import { Proxy } from "../../support/proxy";
import {
  configuration,
  type Declaration,
  declareAll,
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
    proxy.after = ({ service, method, target, headers, body, status, response }) => {
      if (service !== "scheduler" && status < 300) {
        const sent = recordedHeaders.map((name) => [name, headers[name]] as const);
        const given = Object.fromEntries(
          sent.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
        );
        exchanges.push({ service, method, target, headers: given, body, status, response });
      }
      return undefined;
    };
    const addresses = Object.fromEntries(
      recordedServices.map((service) => [service, `http://127.0.0.1:${ports[service]}`]),
    );
    const { calls, program } = await setUpStage(emulator, addresses);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const preparing = exchanges.length;
    const before = emulator.inspect();
    await stack.up(() => declareAll(program));
    const kept = [...exchanges];
    await stack.previewWithoutChanges(() => declareAll(program));
    const state = await stack.stateFile();
    const missing = [...collectClasses(library).keys()].filter(
      (type) => !state.includes(`dynamic/trivium/${type}"`),
    );
    assert.deepEqual(missing, [], "classes that the program does not declare");
    await stack.destroy();
    const services: ServicesRecording = {
      recordedAt: recordedAt.toISOString(),
      setUp: calls,
      exchanges: kept,
      preparing,
      left: leftIn(before, emulator.inspect()),
    };
    const asJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
    writeFileSync(join(folder, fileNames.state), state);
    writeFileSync(join(folder, fileNames.program), asJson(program));
    writeFileSync(join(folder, fileNames.services), asJson(services));
    return folder;
  } catch (error) {
    throw new Error(`${stack.output}\n${String(error)}`, { cause: error });
  } finally {
    stack.remove();
    proxy.close();
    await emulator.close();
  }
}

/** Recordings are kept for years, and so is what was issued in them. */
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

interface Stage {
  readonly calls: readonly SetUpCall[];
  readonly program: readonly Declaration[];
}

/** Sets up what the case of every class needs, for a program that declares one of each. */
async function setUpStage(
  emulator: Emulator,
  addresses: Readonly<Partial<Record<string, string>>>,
): Promise<Stage> {
  const calls: SetUpCall[] = [];
  const noted = noting(emulator, addresses, calls);
  const receiver = { address: "https://hooks.acme.example", requests: [] };
  const program: Declaration[] = [];
  for (const [index, [type, resourceCase]] of [...resourceCases].entries()) {
    const mark = `stage-${index + 1}`;
    const context = await resourceCase.prepare(
      worldOn(noted, { dialect: "documented", mark, lifetime: aCentury, receiver }),
    );
    const args = { ...resourceCase.valid(context), ...resourceCase.whenRecorded };
    program.push({ type, name: type.replace(/[/:]/g, "-"), args });
  }
  return { calls, program };
}
