import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import type { Finished } from "./package";
import type { Layout, Surroundings } from "./layout";

/** The services as the programs of these tests expect them. */
export function startServices(): Promise<Emulator> {
  return startEmulator({ seed: { organizations: [{ name: "acme" }] } });
}

/** The names of the projects that exist, without the one that every organization has. */
export function projectNames(emulator: Emulator): string[] {
  return emulator
    .inspect()
    .provisioning.projects.filter(({ isDefault }) => !isDefault)
    .map(({ name }) => name);
}

/**
 * Makes what a program describes with the real CLI, sees that a second plan is empty, and destroys it.
 *
 * @param expected the names of the projects that the program describes
 * @returns what the CLI printed for the first of these
 */
export async function assertLives(
  layout: Layout,
  emulator: Emulator,
  where: Surroundings,
  expected: readonly string[],
): Promise<string> {
  const stack = `node-${where.node === undefined ? "here" : "other"}`;
  const pulumi = async (...command: string[]): Promise<Finished> => {
    const finished = await layout.pulumi(command, {
      ...where,
      environment: { ...emulator.environment, ...where.environment },
    });
    assert.ok(finished.succeeded, finished.text);
    return finished;
  };
  await pulumi("stack", "init", stack);
  const { text } = await pulumi("up", "--yes", "--skip-preview");
  assert.deepEqual(projectNames(emulator), expected, text);
  await pulumi("preview", "--expect-no-changes");
  await pulumi("destroy", "--yes", "--skip-preview", "--remove");
  assert.deepEqual(projectNames(emulator), []);
  return text;
}
