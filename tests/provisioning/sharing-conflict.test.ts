import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Provider } from "../../sdk/connection/provider";
import { AdminOrganization } from "../../sdk/provisioning/admin-organization";
import { ModuleConsumers } from "../../sdk/provisioning/module-consumers";
import { declared, useMocks, valueOf } from "../resource/mocks";

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

  it("is refused where the second one is made", () => {
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
