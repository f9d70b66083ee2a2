import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { describeWithAdapters } from "./support/adapter";
import { productConfigurationFor } from "./support/projects";
import { useSharedStack } from "./support/shared-stack";

const entry = "cn=svc-app,ou=services,dc=acme,dc=example";

describeWithAdapters("the policy that the command prints for a stack", function (adapter) {
  this.timeout(300_000);
  stepByStep();

  const emulator = useEmulator({
    resets: false,
    dialect: "hashicorp",
    seed: { organizations: [{ name: "acme" }] },
  });
  const stack = useSharedStack(
    `policy-${adapter}`,
    () => productConfigurationFor(emulator, "provisioning", "secrets"),
    { adapter },
  );

  before(() => {
    emulator.secrets.addMount({ type: "ldap", path: "teams/eu" });
    emulator.secrets.addDirectoryEntry({ dn: entry });
    emulator.secrets.addDirectoryEntry({ dn: "cn=binder,dc=acme,dc=example", password: "bind-password-1" });
  });

  const program =
    (period = "1h") =>
    () => {
      const mount = "teams/eu";
      const configuration = new trivium.secrets.directory.Config("directory", {
        mount,
        binddn: "cn=binder,dc=acme,dc=example",
        bindpass: "bind-password-1",
        url: "ldaps://ldap.acme.example",
      });
      new trivium.secrets.directory.StaticRole(
        "app",
        { mount, roleName: "App", username: "svc-app", dn: entry, rotationPeriod: period },
        { dependsOn: configuration },
      );
      new trivium.secrets.mfa.TotpMethod("mfa", { issuer: "Acme", period: 30 });
      new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" });
    };

  it("the policy names each path with its capabilities and the resources that need it", async () => {
    await stack.up(program());
    emulator.journal.clear();
    const printed = await stack.library("policy", "secrets");
    assert.equal(emulator.journal.count(), 0);
    assert.match(
      printed,
      /# trivium: secrets\.directory\.StaticRole "app"\npath "teams\/eu\/static-role\/app" \{\n {2}capabilities = \["create", "delete", "read", "update"\]\n\}/,
    );
    assert.match(
      printed,
      /^# Permissions for all operations on the stack, in the secrets service at http:\S+\.\n/,
    );
    assert.match(
      await stack.library("policy"),
      /# trivium: provisioning\.Project "payments"\norganization acme: /,
    );
  });

  it("a token with the printed policy can refresh, update and destroy the stack, without a rejection", async () => {
    const policy = await stack.library("policy", "secrets");
    emulator.secrets.addPolicy({ name: "stack", policy });
    const token = emulator.secrets.addToken({ policies: ["stack"] });
    await stack.setConfiguration("trivium:secretsToken", token, true);
    emulator.journal.clear();
    await stack.refresh({ program: program() });
    await stack.up(program("2h"));
    await stack.previewWithoutChanges(program("2h"));
    assert.deepEqual(emulator.journal.requests({ status: 403 }), []);
  });

  it("a policy for one command has fewer rules, and a preview needs none", async () => {
    const rules = async (command: string) => {
      const text = await stack.library("policy", "secrets", "--for", command, "--json");
      const { policies } = JSON.parse(text) as {
        readonly policies: readonly {
          readonly rules: readonly { readonly path: string; readonly capabilities: readonly string[] }[];
        }[];
      };
      return policies.flatMap((policy) => policy.rules);
    };
    assert.deepEqual(await rules("preview"), []);
    assert.ok((await rules("refresh")).every(({ capabilities }) => capabilities.join() === "read"));
    assert.ok((await rules("destroy")).every(({ capabilities }) => capabilities.join() === "delete"));
    const text = await stack.library("policy", "secrets", "--for", "preview");
    assert.match(text, /# None: it makes no request for the resources of the stack\./);
  });

  it("with a plan, the policy also covers the planned resources", async () => {
    const plan = join(stack.directory, "plan.json");
    writeFileSync(
      join(stack.directory, "index.js"),
      `const { secrets } = require("pulumi-trivium");
       new secrets.directory.StaticRole("next", { mount: "teams/eu", roleName: "Next", username: "svc-next", rotationPeriod: "1h" });
       new secrets.mfa.TotpMethod("another", { issuer: "Next" });`,
    );
    writeFileSync(plan, await stack.command("preview", "--json"));
    const printed = await stack.library("policy", "secrets", "--plan", plan);
    assert.match(
      printed,
      /# trivium: secrets\.directory\.StaticRole "next"\npath "teams\/eu\/static-role\/next" \{/,
    );
    assert.match(
      printed,
      /# trivium: secrets\.mfa\.TotpMethod "another"\n# trivium: secrets\.mfa\.TotpMethod "mfa"\npath "identity\/mfa\/method\/totp\/\+" \{/,
    );
    assert.equal(printed.match(/secrets service at/g)?.length, 1);
  });

  it("the stack is destroyed with the printed policy", async () => {
    await stack.destroy();
    assert.deepEqual(emulator.inspect().secrets.totpMethods, []);
    assert.match(
      await stack.library("policy"),
      /The stack has no resources of provisioning, secrets or scheduler\./,
    );
  });
});
