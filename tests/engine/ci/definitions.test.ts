import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureActionlint } from "../../../scripts/go-tools";
import type { Finished } from "../../packaging/support/package";
import { ProgramDirectory } from "../support/program-directory";

const workflow = join(".github", "workflows", "pulumi.yml");
const pipeline = ".gitlab-ci.yml";

describe("the definitions of the example's pipelines", function () {
  this.timeout(60_000);

  let example: ProgramDirectory;
  beforeEach(() => (example = ProgramDirectory.ofExample("ci")));
  afterEach(() => example.remove());

  const textOf = (file: string): string => readFileSync(join(example.path, file), "utf8");
  for (const file of [workflow, pipeline]) {
    it(`${file} has the script do everything that concerns the stack`, () => {
      const text = textOf(file);
      const steps = [...text.matchAll(/^\s+(?:-|run:) \.\/pipeline\.sh (\w+)$/gm)].map(([, step]) => step);
      assert.deepEqual(steps, ["preview", "up", "drift"]);
      assert.doesNotMatch(text, /\bpulumi (?:preview|up|refresh|destroy)\b/);
    });
  }

  describe("for GitHub, as actionlint sees it", () => {
    let actionlint: string;
    before(async function () {
      this.timeout(600_000);
      if (!hasGo()) {
        this.skip();
      }
      actionlint = await ensureActionlint();
    });

    // What it would find in scripts depends on what else is installed.
    const lint = (): Promise<Finished> =>
      example.run([actionlint, "-no-color", "-shellcheck=", "-pyflakes=", workflow]);

    it("actionlint finds no mistake in the workflow for GitHub", async () => {
      assert.deepEqual(await lint(), { succeeded: true, text: "" });
    });
  });

  describe("for GitLab, as gitlab-ci-local sees it", () => {
    const jobsAt = async (source: string, branch = "main"): Promise<Finished & { jobs: string[] }> => {
      execFileSync("git", ["init", "--quiet", example.path]);
      const result = await example.run([
        process.execPath,
        ...["--require", join(__dirname, "newer-sets.cjs")],
        require.resolve("gitlab-ci-local"),
        "--list-csv",
        ...["--variable", `CI_PIPELINE_SOURCE=${source}`, "--variable", `CI_COMMIT_BRANCH=${branch}`],
      ]);
      const rows = [...result.text.matchAll(/^(\w+);/gm)].map(([, name = ""]) => name);
      return { ...result, jobs: rows.filter((name) => name !== "name") };
    };

    for (const [source, job] of [
      ["merge_request_event", "preview"],
      ["push", "up"],
      ["schedule", "drift"],
    ] as const) {
      it(`the pipeline for GitLab runs only ${job} at a ${source}`, async () => {
        const { succeeded, text, jobs } = await jobsAt(source);
        assert.ok(succeeded, text);
        assert.deepEqual(jobs, [job]);
      });
    }
  });
});

function hasGo(): boolean {
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
