import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { automationCommand } from "../../../scripts/pulumi-cli/automation";
import { inspectInstallation, inspectPath } from "../../../scripts/pulumi-cli/installation";
import { writeInstallation } from "../fake-programs";

describe("automationCommand", () => {
  const search = process.env.PATH;
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "trivium-automation-"));
  });

  afterEach(() => {
    process.env.PATH = search;
    rmSync(directory, { recursive: true, force: true });
  });

  it("is the installation in the cache", async () => {
    const bin = path.join(directory, "bin");
    writeInstallation(bin, "v3.300.1");
    const command = await automationCommand(await inspectInstallation(bin, "built", process.env));
    assert.equal(command.command, path.join(bin, "pulumi"));
    assert.equal(command.version?.version, "3.300.1");
  });

  it("is the first one on PATH when that lies in a directory of another name", async () => {
    writeInstallation(directory, "v3.300.2");
    process.env.PATH = `${directory}:${search ?? ""}`;
    const command = await automationCommand(await inspectPath(process.env));
    assert.equal(command.command, "pulumi");
    assert.equal(command.version?.version, "3.300.2");
  });
});
