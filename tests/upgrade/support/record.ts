import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as library from "pulumi-trivium";
import { startEmulator } from "pulumi-trivium/testing";
import { collectDefinitions } from "../../../sdk/resource/registry";
import { TestStack } from "../../engine/support/stack";
import { declareAll } from "./program";
import {
  configuration,
  type Exchange,
  fileNames,
  ports,
  project,
  recordedServices,
  recordings,
  type ServicesRecording,
  tokens,
} from "./recording";
import { Relay } from "./relay";
import { setUpForProgram } from "./set-up";

/**
 * Makes a stack with a resource of every class, with the real CLI against the emulator, and keeps its state beside
 * all that it takes to bring an emulator into the same state.
 *
 * @param version of the library that has been compiled
 * @returns the folder
 * @throws Error when a class is missing, or a plan shows a change right after the creation
 */
export async function recordState(version: string): Promise<string> {
  const recordedAt = new Date(Math.floor(Date.now() / 1000) * 1000);
  const emulator = await startEmulator({
    frozenAt: recordedAt,
    tokens,
    ports: { scheduler: ports.scheduler },
  });
  const { calls, world } = setUpForProgram(emulator);
  const exchanges: Exchange[] = [];
  const exchanged = (exchange: Exchange): void => {
    if (exchange.status < 300) {
      exchanges.push(exchange);
    }
  };
  const relays: Relay[] = [];
  const stack = await TestStack.create(project, configuration);
  try {
    for (const service of recordedServices) {
      const to = emulator[service].address;
      relays.push(await Relay.start({ service, port: ports[service], to, exchanged }));
    }
    const program = (): Promise<undefined> => {
      declareAll(world);
      return Promise.resolve(undefined);
    };
    await stack.up(program);
    const kept = [...exchanges];
    await stack.previewWithoutChanges(program);
    const state = await stack.stateFile();
    const missing = [...collectDefinitions(library).keys()].filter(
      (type) => !state.includes(`dynamic/trivium/${type}"`),
    );
    assert.deepEqual(missing, [], "classes that the program does not declare");
    const services = { recordedAt: recordedAt.toISOString(), setUp: calls, exchanges: kept, world };
    return write(version, state, services);
  } catch (error) {
    throw new Error(`${stack.output}\n${String(error)}`, { cause: error });
  } finally {
    stack.remove();
    await Promise.all([...relays.map((relay) => relay.close()), emulator.close()]);
  }
}

function write(version: string, state: string, services: ServicesRecording): string {
  const folder = join(recordings, version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, fileNames.state), state);
  writeFileSync(join(folder, fileNames.services), `${JSON.stringify(services, undefined, 2)}\n`);
  cpSync(join(__dirname, "program.ts"), join(folder, fileNames.program));
  return folder;
}
