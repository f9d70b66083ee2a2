import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Provider } from "../../sdk/connection/provider";
import { AdminOrganization } from "../../sdk/provisioning/admin-organization";
import { ModuleConsumers, moduleConsumersDefinition } from "../../sdk/provisioning/module-consumers";
import { declared, useMocks, valueOf } from "../resource/mocks";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";

describe("provisioning.ModuleConsumers", () => {
  const emulator = useEmulator();
  const writes = { method: "PATCH" };

  beforeEach(() => {
    for (const name of ["platform", "payments", "search"]) {
      emulator.provisioning.addOrganization({ name });
    }
  });

  const manage = (consumers: readonly string[], more: object = {}) =>
    Managed.create(moduleConsumersDefinition, emulator, {
      organization: "platform",
      consumers: [...consumers],
      ...more,
    });
  const platform = () =>
    emulator.inspect().provisioning.organizations.find(({ name }) => name === "platform") ?? assert.fail();

  it("sets the whole list, each once, whatever its order", async () => {
    const managed = await manage(["search", "payments", "search"]);
    const [request] = emulator.journal.requests(writes);
    assert.deepEqual(request?.body, {
      data: [
        { type: "organizations", id: "search" },
        { type: "organizations", id: "payments" },
      ],
    });
    assert.equal(await managed.up({ organization: "platform", consumers: ["payments", "search"] }), "same");
    await managed.up({ organization: "platform", consumers: ["payments"] });
    assert.deepEqual(platform().moduleConsumers, ["payments"]);
  });

  it("writes nothing when it adopts the same list", async () => {
    emulator.provisioning.changeOrganization("platform", { moduleConsumers: ["search", "payments"] });
    await manage(["payments", "search"], { adopt: true });
    assert.equal(emulator.journal.count(writes), 0);
  });

  it("repeats the service's message for a consumer that does not exist, and changes nothing", async () => {
    await assert.rejects(manage(["payments", "nobody"]), {
      message: /returned 422: .*Organization nobody not found/,
    });
    assert.deepEqual(platform().moduleConsumers, []);
    const managed = await manage(["payments"]);
    await assert.rejects(managed.up({ organization: "platform", consumers: ["payments", "nobody"] }), {
      message: /Organization nobody not found/,
    });
    assert.deepEqual(platform().moduleConsumers, ["payments"]);
  });

  it("sends nothing when it is deleted and the list is empty: that could end sharing with everybody", async () => {
    const managed = await manage(["payments"]);
    emulator.provisioning.changeOrganization("platform", { globalModuleSharing: true });
    emulator.journal.clear();
    await managed.destroy();
    assert.equal(emulator.journal.count(writes), 0);
    assert.equal(platform().globalModuleSharing, true);
  });

  it("ends sharing with everybody when the program gives an empty list", async () => {
    emulator.provisioning.changeOrganization("platform", { globalModuleSharing: true });
    await manage([]);
    assert.equal(platform().globalModuleSharing, false);
  });

  it("is gone already when its organization is", async () => {
    const managed = await manage(["payments"]);
    emulator.provisioning.removeOrganization("platform");
    assert.equal(await managed.refresh(), false);
    managed.id = "platform";
    await managed.destroy();
  });
});

const consumers = ["payments"];
let made = 0;

function shareWithAll(
  name: pulumi.Input<string>,
  globalModuleSharing?: pulumi.Input<boolean | null>,
  options?: pulumi.CustomResourceOptions,
): AdminOrganization {
  const args = { name, ...(globalModuleSharing === undefined ? {} : { globalModuleSharing }) };
  return new AdminOrganization(`all-${made++}`, args, options);
}

function shareWithSome(
  organization: pulumi.Input<string>,
  options?: pulumi.CustomResourceOptions,
): ModuleConsumers {
  return new ModuleConsumers(`some-${made++}`, { organization, consumers }, options);
}

class Team extends pulumi.ComponentResource {
  constructor(name: string, options: pulumi.ComponentResourceOptions) {
    super("test:index:Team", name, {}, options);
  }
}

describe("sharing modules with everybody and with some", () => {
  useMocks();

  const refused =
    /The organization acme cannot both share its modules with all organizations and name consumers: this program has AdminOrganization with globalModuleSharing: true and ModuleConsumers for it, and each would undo the other\. Remove one of them\.$/;
  const provider = (name: string): Provider =>
    new Provider(name, { provisioning: { address: `https://${name}.example.com`, token: "any" } });

  it("is refused when the second one is created", () => {
    shareWithAll("acme", true);
    assert.throws(() => shareWithSome("acme"), refused);
  });

  it("is refused in the other order", () => {
    shareWithSome("acme");
    assert.throws(() => shareWithAll("acme", true), /has ModuleConsumers and AdminOrganization with/);
  });

  const laterText = (text: string): pulumi.Output<string> => pulumi.output(0).apply(() => text);
  const laterFlag = (flag: boolean): pulumi.Output<boolean> => pulumi.output(0).apply(() => flag);
  it("is refused when the organization is only known later", async () => {
    shareWithAll("acme", true);
    const { organization } = shareWithSome(laterText("acme"));
    await assert.rejects(valueOf(organization), refused);
  });

  it("is refused when it is only known later whether it shares", async () => {
    shareWithSome("acme");
    const { globalModuleSharing } = shareWithAll("acme", laterFlag(true));
    await assert.rejects(valueOf(globalModuleSharing), /each would undo the other/);
  });

  it("is refused with the same provider, given or inherited", () => {
    const eu = provider("eu");
    shareWithAll("acme", true, { provider: eu });
    const parent = new Team("team", { providers: [eu] });
    assert.throws(() => shareWithSome("acme", { parent }), refused);
    assert.throws(() => shareWithSome("acme", { provider: eu }), refused);
  });

  const allowed: readonly [string, () => readonly pulumi.Resource[]][] = [
    ["of two organizations", () => [shareWithAll("acme", true), shareWithSome("platform")]],
    [
      "that is off, cleared or not managed",
      () => [
        shareWithSome("acme"),
        shareWithAll("acme", false),
        shareWithAll("acme", null),
        shareWithAll("acme"),
        shareWithAll(laterText("acme"), laterFlag(false)),
      ],
    ],
    ["said twice", () => [shareWithAll("acme", true), shareWithAll("acme", true)]],
    [
      "of organizations of two services that share a name",
      () => {
        const parent = new Team("team", { providers: [provider("us")] });
        return [shareWithAll("acme", true, { provider: provider("eu") }), shareWithSome("acme", { parent })];
      },
    ],
    ["that is only read", () => [shareWithAll("acme", true), ModuleConsumers.get("read", "acme")]],
  ];
  for (const [what, declare] of allowed) {
    it(`is left alone: sharing ${what}`, async () => {
      await declared(...declare());
    });
  }

  // The mocks of the test before are gone, and with them its program.
  for (const turn of ["first", "second"]) {
    it(`is judged again in each program of a process: the ${turn}`, () => {
      if (turn === "first") {
        shareWithAll("acme", true);
      } else {
        shareWithSome("acme");
      }
    });
  }
});
