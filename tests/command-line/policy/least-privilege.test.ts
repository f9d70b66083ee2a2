import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { formsIn, lifeOf, type TriedForm } from "../../../scripts/permissions/record";
import { type PathRule, pathRuleLines, pathRules } from "../../../sdk/command-line/policy/secrets";
import { wireForm } from "../../../sdk/command-line/policy/stack";
import { type JsonObject, toJson } from "../../../sdk/base/json";
import { useEmulator } from "../../support/use-emulator";

const name = "stack";

const classes = formsIn("hashicorp").filter(({ resourceCase }) => resourceCase.type.startsWith("secrets/"));

const token = "token-with-the-printed-policy";

describe("the policy that the command prints for the secrets service", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });

  /** Afterwards the token is allowed to do what the rules allow, and nothing else. */
  async function grant(rules: readonly PathRule[]): Promise<void> {
    emulator.secrets.addPolicy({ name, policy: rules.flatMap(pathRuleLines).join("\n") });
    const response = await fetch(`${emulator.secrets.address}/v1/auth/token/create`, {
      method: "POST",
      headers: { "x-vault-token": emulator.secrets.token },
      body: JSON.stringify({ id: token, policies: [name], no_default_policy: true }),
    });
    assert.equal(response.status, 200);
  }

  /**
   * Runs the life of a resource with the token.
   *
   * @param without the rule to leave out
   * @returns all rules, and the requests that were refused
   */
  async function live(tried: TriedForm, without?: number) {
    emulator.reset();
    const { args, steps, close } = await lifeOf(emulator, tried, {
      "trivium:secretsToken": token,
      // A connection of its own, which has not looked the token up.
      "trivium:secretsHeaders": JSON.stringify({ "x-life": randomUUID() }),
    });
    const { type } = tried.resourceCase;
    const place = { service: "secrets", address: "", namespace: undefined, dialect: "hashicorp" } as const;
    const values = wireForm(type, toJson(args) as JsonObject, "hashicorp");
    const rules = pathRules([{ type, what: type, values, id: undefined, place }], undefined);
    const refused: string[] = [];
    try {
      await grant(rules.filter((_, at) => at !== without));
      for (const { run } of steps) {
        emulator.journal.clear();
        await run().catch((error: unknown) => {
          assert.ok(without !== undefined, error instanceof Error ? error : String(error));
        });
        const refusals = emulator.journal.requests({ status: 403 });
        refused.push(...refusals.map(({ method, path }) => `${method} ${path}`));
      }
    } finally {
      await close();
    }
    return { rules, refused };
  }

  for (const tried of classes) {
    const { type } = tried.resourceCase;
    const form = JSON.stringify(tried.form.when ?? {});
    it(`a token with the printed policy can manage ${type} ${form}, and cannot without any one of the rules`, async () => {
      const { rules, refused } = await live(tried);
      assert.deepEqual(refused, []);
      for (const [at, { path }] of rules.entries()) {
        const { refused: missing } = await live(tried, at);
        assert.notDeepEqual(missing, [], `nothing needs the rule of ${path}`);
      }
    });
  }
});
