import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { failureOf } from "../../support/projects";
import { type Program, TestStack } from "../../support/stack";
import { bindName, bindPassword, configurationFor, directoryEngine } from "./surroundings";

const { Config, RootRotation, StaticRole } = trivium.secrets.directory;

/** A configured engine, its password rotated, and roles that depend on that. */
function programOf(
  { url = "ldap://ldap.acme.example", waits = true },
  ...roles: readonly Partial<trivium.secrets.directory.StaticRoleArgs>[]
): Program {
  return () => {
    const config = new Config("directory", {
      binddn: bindName,
      bindpass: bindPassword,
      url,
      userdn: "ou=services,dc=acme,dc=example",
    });
    // What depends on a resource that fails keeps an inline program from ending.
    const rotation = new RootRotation("directory", waits ? { mount: config.mount } : {});
    for (const [index, role] of roles.entries()) {
      new StaticRole(
        `role-${index}`,
        { roleName: "payments", username: "svc-1", rotationPeriod: "1h", ...role },
        { dependsOn: rotation },
      );
    }
    return Promise.resolve(undefined);
  };
}

describe("a directory engine whose password is rotated", function () {
  this.timeout(120_000);

  let emulator: Emulator;
  let stack: TestStack;
  const requests = (): string[] =>
    emulator.journal
      .requests()
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.replace("/v1/ldap/", "")}`);

  before(async function () {
    this.timeout(900_000);
    emulator = await directoryEngine(["svc-1", "svc-2"]);
    stack = await TestStack.create("engine-directory", configurationFor(emulator));
    await stack.up(programOf({}, {}));
  });
  after(async () => {
    stack.remove();
    await emulator.close();
  });
  beforeEach(() => emulator.journal.clear());

  it("is not sent it either where the service asks for one", async () => {
    emulator.faults.add({
      service: "secrets",
      method: "POST",
      path: "/v1/ldap/config",
      times: 1,
      status: 400,
    });
    const text = await failureOf(stack.up(programOf({ url: "ldap://third.acme.example", waits: false }, {})));
    assert.match(text.replace(/\s+/g, " "), /the password of ldap was rotated \(RootRotation\)/);
    assert.deepEqual(requests(), ["POST config"]);
    assert.ok(!JSON.stringify(emulator.journal.requests()).includes(bindPassword));
  });

  it("says that the password may have been rotated if the configuration is gone and created again", async () => {
    // What depends on a resource that fails keeps an inline program from ending, so nothing does here.
    const again = programOf({});
    await stack.up(again);
    emulator.secrets.removeDirectoryConfig();
    const refreshed = await stack.refresh();
    assert.match(refreshed.text.replace(/\s+/g, " "), /no longer exists\..* was rotated in the meantime/);
    const text = await failureOf(stack.up(again));
    assert.match(text, /The directory rejects the password that the engine binds with/);
    emulator.secrets.changeDirectoryEntry(bindName, { password: bindPassword });
    await stack.up(again);
    const [configuration] = emulator.inspect().secrets.directoryConfigs;
    assert.notEqual(configuration?.bindpass, bindPassword, "it is rotated again");
  });
});
