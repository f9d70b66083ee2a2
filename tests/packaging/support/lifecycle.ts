import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../sdk/testing";
import { Layout, type RunOptions } from "./layout";
import { type Finished, type Install, packedPackage, runProgram } from "./package";

export interface Installed {
  readonly layout: Layout;
  /** The services as the programs of these tests expect them. */
  readonly emulator: Emulator;
}

/** Installs projects before the tests of the calling suite. @param files with the library as a dependency */
export function useLayout(
  files: (library: string) => Readonly<Record<string, unknown>>,
  install: () => Install | Promise<Install>,
  options: EmulatorOptions = {},
): () => Installed {
  let installed: Installed | undefined;
  before("install the projects", async () => {
    const emulator = await startEmulator({ seed: { organizations: [{ name: "acme" }] }, ...options });
    installed = { emulator, layout: new Layout(files(`file:${packedPackage().tarball}`)) };
    const { succeeded, text } = await runProgram(await install(), installed.layout.path);
    assert.ok(succeeded, text);
  });
  after("remove the projects", async () => {
    if (installed !== undefined) {
      rmSync(installed.layout.path, { recursive: true, force: true });
      await installed.emulator.close();
    }
  });
  return () => installed ?? assert.fail("The projects exist while tests run.");
}

/** What a program is told that cannot run. */
export async function refusalOf({ layout, emulator }: Installed, folder: string): Promise<string> {
  const where = { folder, environment: emulator.environment };
  const { succeeded: begun, text: reason } = await layout.pulumi(["stack", "init", "test"], where);
  assert.ok(begun, reason);
  const { succeeded, text } = await layout.pulumi(["up", "--yes", "--skip-preview"], where);
  assert.equal(succeeded, false, text);
  return text.replace(/\s+/g, " ");
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
  { layout, emulator }: Installed,
  where: RunOptions,
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
