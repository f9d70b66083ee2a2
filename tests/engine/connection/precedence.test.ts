import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { configurationFor, withOrganization, organization, projectsIn } from "../support/projects";
import { type Program, TestStack } from "../support/stack";

describe("where a setting comes from", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });

  const nowhere = "http://127.0.0.1:9";
  const project = (provider?: trivium.Provider): Promise<undefined> => {
    new trivium.provisioning.Project(
      "payments",
      { organization, name: "payments" },
      { ...(provider && { provider }) },
    );
    return Promise.resolve(undefined);
  };
  const places: readonly {
    readonly from: string;
    readonly configuration: () => Record<string, string | { readonly secret: string }>;
    readonly environment: () => Record<string, string>;
    readonly program: Program;
  }[] = [
    {
      from: "a provider, before configuration and environment",
      configuration: () => ({
        "trivium:provisioningAddress": nowhere,
        "trivium:provisioningToken": { secret: "wrong" },
      }),
      environment: () => ({ PROVISIONING_ADDR: nowhere, PROVISIONING_TOKEN: "wrong" }),
      program: () => {
        const { address, token } = emulator.provisioning;
        return project(new trivium.Provider("explicit", { provisioning: { address, token } }));
      },
    },
    {
      from: "stack configuration, before the environment",
      configuration: () => configurationFor(emulator),
      environment: () => ({ PROVISIONING_ADDR: nowhere, PROVISIONING_TOKEN: "wrong" }),
      program: () => project(),
    },
    {
      from: "the environment",
      configuration: () => ({}),
      environment: () => emulator.environment,
      program: () => project(),
    },
  ];

  for (const { from, configuration, environment, program } of places) {
    it(`comes from ${from}`, async () => {
      const stack = await TestStack.create("engine-precedence", configuration(), environment());
      await stack.up(program);
      assert.equal(projectsIn(emulator).length, 1);
      await stack.destroy();
      assert.deepEqual(projectsIn(emulator), []);
      stack.remove();
    });
  }
});
