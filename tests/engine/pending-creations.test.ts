import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as trivium from "pulumi-trivium";
import { repository } from "../support/packed-library";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { adapters } from "./support/adapter";
import { killEngine, until } from "./support/processes";
import { productConfigurationFor, organization, projectsIn, withOrganization } from "./support/projects";
import { OperationFailed, type Program, useSharedStack } from "./support/shared-stack";

for (const adapter of adapters) {
  describe(`a creation that a killed engine left pending (${adapter})`, function () {
    this.timeout(240_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, dialect: "hashicorp", ...withOrganization });
    const configuration = () => productConfigurationFor(emulator, "provisioning");
    const stack = useSharedStack(`pending-${adapter}`, configuration, { adapter });
    const program =
      (more = {}): Program =>
      () =>
        new trivium.provisioning.Project("payments", { organization, name: "payments", ...more });
    const refresh = (...options: readonly string[]) =>
      stack.command("refresh", "--stack", "test", "--yes", ...options);
    const pendingUrn = (): string | undefined => {
      const { checkpoint } = JSON.parse(readFileSync(stack.statePath, "utf8")) as {
        readonly checkpoint: {
          readonly latest?: {
            readonly pending_operations?: readonly { readonly resource: { readonly urn: string } }[];
          };
        };
      };
      return checkpoint.latest?.pending_operations?.[0]?.resource.urn;
    };

    it("state names the pending creation of an object that the service has", async () => {
      emulator.faults.add({ method: "POST", delay: "forever", when: "after", times: 1 });
      const ended = assert.rejects(stack.up(program()), OperationFailed);
      await Promise.race([until(() => projectsIn(emulator).length === 1), ended]);
      killEngine();
      await ended;
      await stack.command("cancel", "test", "--yes");
      assert.match(pendingUrn() ?? "", /provisioning:Project::payments$/);
    });

    // Seen in CLI 3.276.0: it marks the operation as an import, which no step of the engine reads.
    it("the CLI's refresh --import-pending-creates drops the creation without an import, as Troubleshooting says", async () => {
      const urn = pendingUrn() ?? assert.fail();
      const id = projectsIn(emulator)[0]?.id ?? assert.fail();
      await refresh("--import-pending-creates", urn, "--import-pending-creates", id);
      assert.equal(pendingUrn(), undefined);
      assert.ok(!(await stack.resources()).some((resource) => resource.id === id));
      const page = readFileSync(join(repository, "docs", "troubleshooting.md"), "utf8");
      assert.match(page, /## A refresh does not import pending creations/);
    });

    it("adopt: true adopts the object, and then nothing is left to do", async () => {
      await stack.up(program({ adopt: true }));
      await stack.previewWithoutChanges(program());
      assert.equal(projectsIn(emulator).length, 1);
    });
  });
}
