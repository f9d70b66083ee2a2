import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/packed-library";
import { run, stopCommands } from "./binary";

describe("npx pulumi-trivium emulator", function () {
  this.timeout(60_000);

  afterEach(stopCommands);

  const start = async (args: readonly string[] = [], printed = 6) => {
    const command = run(["emulator", ...args]);
    const lines = await command.lines(printed);
    assert.equal(lines.length, printed, command.printed.error);
    const pairs = lines.map((line) => line.split(/=(.*)/s, 2) as [string, string]);
    return { command, environment: Object.fromEntries(pairs) as Readonly<Record<string, string>> };
  };

  const services = ["PROVISIONING", "SECRETS", "SCHEDULER"];
  const statusOf = async (environment: Readonly<Record<string, string>>, path: string): Promise<number> => {
    const { PROVISIONING_ADDR = "", PROVISIONING_TOKEN = "" } = environment;
    const headers = { authorization: `Bearer ${PROVISIONING_TOKEN}` };
    const response = await fetch(`${PROVISIONING_ADDR}/api/v2/${path}`, { headers });
    await response.arrayBuffer();
    return response.status;
  };

  it("the emulator command prints addresses and tokens as environment variables, and serves until Ctrl-C", async () => {
    const started = await start(["--organization", "acme"]);
    const names = services.flatMap((name) => [`${name}_ADDR`, `${name}_TOKEN`]);
    assert.deepEqual(Object.keys(started.environment), names);
    assert.equal(await statusOf(started.environment, "organizations/acme/projects"), 200);
    started.command.process.kill("SIGINT");
    assert.equal(await started.command.ended, 130);
    assert.equal(started.command.printed.error, "The emulator is running. Press Ctrl-C to stop it.\n");
  });

  it("the emulator command uses the configured dialect, and prints it", async () => {
    const { environment } = await start(["--dialect", "hashicorp", "--dialect", "secrets=documented"], 8);
    const dialects = services.map((service) => environment[`${service}_DIALECT`]);
    assert.deepEqual(dialects, ["hashicorp", undefined, "hashicorp"]);
    const ping = await fetch(`${environment.PROVISIONING_ADDR ?? ""}/api/v2/ping`);
    assert.deepEqual([ping.status, ping.headers.get("TFP-AppName")], [204, "Terraform Enterprise"]);
  });

  describe("--seed", () => {
    const directory = temporaryDirectory("seed");
    after(() => rmSync(directory, { recursive: true }));
    const file = (text: string): string => {
      const path = join(directory, "world.json");
      writeFileSync(path, text);
      return path;
    };

    it("the emulator command sets up the objects in the --seed file, in addition to --organization", async () => {
      const workspaces = [{ id: "ws-web", organization: "acme" }];
      const path = file(`\ufeff${JSON.stringify({ organizations: [{ name: "acme" }], workspaces })}`);
      const { environment } = await start(["--seed", path, "--organization", "platform"]);
      const configurations = "workspaces/ws-web/notification-configurations";
      for (const found of [configurations, "organizations/platform/projects"]) {
        assert.equal(await statusOf(environment, found), 200, found);
      }
    });

    const unknown = "seed.organizations[0].nmae is not a valid member; did you mean name?";
    for (const [what, text, status, message] of [
      [
        "a mistake",
        '{"organizations": [{"nmae": "acme"}]}',
        1,
        `The seed is not valid: seed.organizations[0].name is missing; ${unknown}\n`,
      ],
      ["no JSON", "organizations:", 2, "is not valid JSON: Unexpected token"],
    ] as const) {
      it(`the emulator command rejects a seed file with ${what}`, async () => {
        const command = run(["emulator", "--seed", file(text)]);
        assert.equal(await command.ended, status);
        assert.ok(command.printed.error.includes(message), command.printed.error);
        assert.equal(command.printed.out, "");
      });
    }
  });

  for (const [host, status, message] of [
    ["", 2, "--host must not be empty."],
    ["a b", 1, '"a b" is not the name or address of a host'],
  ] as const) {
    it(`the emulator command rejects the host ${JSON.stringify(host)}`, async () => {
      const command = run(["emulator", "--host", host]);
      assert.equal(await command.ended, status);
      assert.ok(command.printed.error.includes(message), command.printed.error);
      assert.equal(command.printed.out, "");
    });
  }

  it("the emulator command listens on the given address", async () => {
    const { command, environment } = await start(["--host", "localhost"]);
    const { port } = new URL(environment.SECRETS_ADDR ?? "");
    command.process.kill("SIGINT");
    await command.ended;
    const again = await start(["--host", "localhost", "--port", `secrets=${port}`]);
    assert.equal(again.environment.SECRETS_ADDR, `http://localhost:${port}`);
  });
});
