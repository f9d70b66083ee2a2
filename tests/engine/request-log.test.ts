import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { useEmulator } from "../support/use-emulator";
import { adapters, projectPlugins } from "./support/adapter";
import { ProgramDirectory } from "./support/program-directory";
import { organization, projectsIn, withOrganization } from "./support/projects";

const program = `
  const { Project, listProjects } = require("pulumi-trivium").provisioning;
  new Project("logged", { organization: "${organization}", name: "logged" });
  module.exports = listProjects({ organization: "${organization}", q: "searched-for" }).then(() => ({}));
`;

for (const adapter of adapters) {
  describe(`the log of requests of a stack, with ${adapter} resources,`, function () {
    this.timeout(300_000);
    // As at HCP Terraform, whose responses show what it is to a program that has not set its dialect.
    const emulator = useEmulator({ resets: false, ...withOrganization, dialect: "hashicorp" });
    let directory: ProgramDirectory;
    before(async function () {
      this.timeout(900_000);
      const name = `engine-log-${adapter}`;
      const project = { name, runtime: "nodejs", main: "index.js", ...projectPlugins(adapter) };
      const files = { "Pulumi.yaml": project, "package.json": { name, private: true }, "index.js": program };
      directory = await ProgramDirectory.ofFiles(name, files, emulator.environment);
      await directory.succeed(["config", "set", "trivium:adapter", adapter]);
    });
    after(() => directory.remove());

    it("an update shows each request under its resource with --debug, writes it to the file, and shows no secrets", async () => {
      const file = join(directory.path, "requests.jsonl");
      const environment = { TRIVIUM_LOG: file, PROVISIONING_DIALECT: "documented" };
      const text = await directory.succeed(["up", "--yes", "--skip-preview", "--debug"], { environment });
      assert.equal(projectsIn(emulator).length, 1);
      assert.match(
        text,
        /Project \(?logged\)?[^]*debug: POST \/api\/v2\/organizations\/\w+\/projects: 201, \d+ ms, attempt 1/,
      );
      const log = readFileSync(file, "utf8");
      const lines = log
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const created = lines.find(({ method }) => method === "POST");
      assert.match(String(created?.urn), /::logged$/);
      assert.ok(
        lines.some(({ urn, method }) => method === "GET" && urn === undefined),
        "that of the program",
      );
      for (const shown of [text, log]) {
        assert.ok(!shown.includes(emulator.provisioning.token) && !log.includes("searched-for"));
      }
      const warned = text.match(/looks like HCP Terraform[^]*?trivium:provisioningDialect hashicorp/g) ?? [];
      // The resource's provider and the program's function are two processes.
      assert.ok(warned.length > 0 && warned.length <= 4, text);
      await directory.succeed(["destroy", "--yes", "--skip-preview"], { environment });
    });
  });
}
