import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureActionlint } from "../../../scripts/go-tools";
import { directoriesOnPath, isExecutable } from "../../../scripts/programs";
import { ProgramDirectory } from "../support/program-directory";

const workflow = join(".github", "workflows", "pulumi.yml");

describe("the definitions of the example's pipelines", function () {
  this.timeout(600_000);

  let example: ProgramDirectory;
  beforeEach(() => (example = ProgramDirectory.ofExample("ci")));
  afterEach(() => example.remove());

  it("the CI definitions leave everything that concerns the stack to the script", () => {
    for (const file of [workflow, ".gitlab-ci.yml"]) {
      const text = readFileSync(join(example.path, file), "utf8");
      const steps = [...text.matchAll(/^\s+(?:-|run:) \.\/pipeline\.sh (\w+)$/gm)].map(([, step]) => step);
      assert.deepEqual(steps, ["preview", "up", "drift"], file);
      assert.doesNotMatch(text, /\bpulumi (?:preview|up|refresh|destroy)\b/, file);
    }
  });

  it("actionlint finds no errors in the workflow for GitHub", async function () {
    if (!directoriesOnPath(process.env).some((directory) => isExecutable(join(directory, "go")))) {
      this.skip();
    }
    // What it would find in scripts depends on what else is installed.
    const lint = [await ensureActionlint(), "-no-color", "-shellcheck=", "-pyflakes=", workflow];
    assert.deepEqual(await example.run(lint), { succeeded: true, text: "" });
  });

  for (const [source, job] of [
    ["merge_request_event", "preview"],
    ["push", "up"],
    ["schedule", "drift"],
  ] as const) {
    it(`the pipeline for GitLab runs only ${job} at a ${source}`, async () => {
      execFileSync("git", ["init", "--quiet", example.path]);
      const program = ["--require", join(__dirname, "newer-sets.cjs"), require.resolve("gitlab-ci-local")];
      const variables = [`CI_PIPELINE_SOURCE=${source}`, "CI_COMMIT_BRANCH=main"];
      const options = variables.flatMap((variable) => ["--variable", variable]);
      const { succeeded, text } = await example.run([process.execPath, ...program, "--list-csv", ...options]);
      assert.ok(succeeded, text);
      const [, ...jobs] = [...text.matchAll(/^(\w+);/gm)].map(([, name]) => name);
      assert.deepEqual(jobs, [job]);
    });
  }
});
