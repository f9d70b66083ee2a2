import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { json, startServer, stopServers } from "../../http/server";
import { repository } from "../../support/packed-library";
import { useEmulator } from "../../support/use-emulator";
import { ProgramDirectory } from "../support/program-directory";

const identity = "identity-of-the-job";

/** What a definition of a pipeline says of the login, for a branch that is merged. */
function loginIn(file: string, values: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(join(repository, "examples", "ci", file), "utf8");
  const folded = /SECRETS_LOGIN: >-\n((?: {8}\S.*\n)+)/.exec(text)?.[1];
  const quoted = /SECRETS_LOGIN: '(.*production.*)'/.exec(text)?.[1];
  const login = (folded ?? quoted ?? "").replace(/\s+/g, " ").replace(/\$\{\{ github.*?\}\}/, "production");
  return login.replace(/\$\{\{ vars\.(\w+) \}\}/g, (_, name: string) => values[name] ?? "");
}

describe("the steps of the example of pipelines, as they are", function () {
  this.timeout(300_000);

  const emulator = useEmulator({ resets: false, dialect: "hashicorp" });
  let example: ProgramDirectory;
  let environment: Readonly<Record<string, string>>;
  const audiences: (string | null)[] = [];

  const step = async (name: string, more: Readonly<Record<string, string>> = {}, succeeds = true) => {
    const options = { environment: { ...environment, ...more } };
    const { succeeded, text } = await example.run(["./pipeline.sh", name], options);
    assert.equal(succeeded, succeeds, text);
    return text;
  };
  const issuers = (): string[] => emulator.inspect().secrets.totpMethods.map(({ issuer }) => issuer);
  const writes = (): number =>
    emulator.journal.requests().filter(({ method, path }) => method !== "GET" && !path.includes("/auth/"))
      .length;
  const assertNoTokenLeft = (logins: number): void => {
    for (const path of [/\/auth\/jwt\/login$/, /\/auth\/token\/revoke-self$/]) {
      assert.equal(emulator.journal.count({ path }), logins);
    }
  };

  before(async () => {
    const github = await startServer((response, { url }) => {
      audiences.push(new URL(url, "http://localhost").searchParams.get("audience"));
      json(response, 200, { value: identity });
    });
    for (const [name, access] of [
      ["production", "full"],
      ["preview", "read"],
    ] as const) {
      const parameters = { role: `pulumi-${name}`, jwt: identity };
      emulator.secrets.addLogin({ path: "jwt", parameters, access, paths: { "auth/": "full" } });
    }
    const { address } = emulator.secrets;
    example = ProgramDirectory.ofExample("ci", {
      TRIVIUM_DIALECT: "hashicorp",
      SECRETS_ADDR: address,
      SECRETS_LOGIN: loginIn(".github/workflows/pulumi.yml", { SECRETS_ADDR: address }),
      ACTIONS_ID_TOKEN_REQUEST_URL: `${github.address}/idtoken?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "token-of-the-job",
    });
    environment = await example.pulumiEnvironment();
    await example.succeed(["stack", "init", "production"]);
  });
  beforeEach(() => emulator.journal.clear());
  after(() => {
    example.remove();
    stopServers();
  });

  it("the preview step shows what would change, with a role that is only allowed to read", async () => {
    const SECRETS_LOGIN = '{ "path": "jwt", "role": "pulumi-preview", "jwtGithubAudience": "" }';
    const text = await step("preview", { SECRETS_LOGIN });
    assert.match(text, /payments-production/);
    assert.match(text, /\+ 2 to create/);
    assert.equal(writes(), 0);
  });

  it("the step up makes the changes with the identity of a GitHub job, and then the step drift finds nothing", async () => {
    const up = await step("up");
    assert.deepEqual(issuers(), ["payments-production"]);
    assert.equal(audiences.at(-1), emulator.secrets.address);
    assert.ok(!(up + (await step("drift"))).includes(identity));
    assertNoTokenLeft(4);
  });

  it("the step drift fails for a change in the service, shows it, does not revert it, and leaves no token behind", async () => {
    const [method] = emulator.inspect().secrets.totpMethods;
    emulator.secrets.changeTotpMethod(method?.id ?? "", { issuer: "changed-by-hand" });
    assert.match(await step("drift", {}, false), /"changed-by-hand" => "payments-production"/);
    assert.equal(writes(), 0);
    assert.deepEqual(issuers(), ["changed-by-hand"]);
    assertNoTokenLeft(2);
  });

  it("the step up reverts a change in the service, with the identity of a GitLab job", async () => {
    await step("up", { SECRETS_LOGIN: loginIn(".gitlab-ci.yml"), SECRETS_IDENTITY: identity });
    assert.deepEqual(issuers(), ["payments-production"]);
  });

  it("every step of the pipeline fails before Pulumi starts if the login is rejected, and reports that", async () => {
    const SECRETS_LOGIN = loginIn(".gitlab-ci.yml");
    for (const name of ["preview", "up", "drift"]) {
      const text = await step(name, { SECRETS_LOGIN, SECRETS_IDENTITY: "of-somebody-else" }, false);
      assert.match(text, /SECRETS_LOGIN/);
      assert.doesNotMatch(text, /Previewing|Updating/);
    }
    assert.equal(writes(), 0);
  });

  it("an unknown step of the pipeline is rejected with the names of the steps", async () => {
    assert.match(await step("deploy", {}, false), /usage: .*pipeline\.sh preview\|up\|drift/);
    assert.equal(emulator.journal.count(), 0);
  });

  it("the pipelines in docs/ci.md match the example", () => {
    const bare = (text: string): string => text.replace(/^\s+/gm, "");
    const definitions = [".github/workflows/pulumi.yml", ".gitlab-ci.yml"].map((file) =>
      bare(readFileSync(join(repository, "examples", "ci", file), "utf8")),
    );
    const guide = readFileSync(join(repository, "docs", "ci.md"), "utf8");
    const blocks = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, code = ""]) => code);
    assert.equal(blocks.length, 4);
    for (const code of blocks) {
      const isShown = definitions.some((text) => text.includes(bare(code).trim()));
      assert.ok(isShown, code);
    }
  });
});
