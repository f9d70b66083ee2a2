import assert from "node:assert/strict";
import { formsIn, lifeOf, type TriedForm } from "../../../scripts/permissions/record";
import { type PathRule, pathRuleLines, pathRules } from "../../../sdk/command-line/policy/secrets";
import { useEmulator } from "../../support/use-emulator";

const name = "stack";

const classes = formsIn("hashicorp").filter(({ resourceCase }) => resourceCase.type.startsWith("secrets/"));

/** Requests that a refusal only makes less certain, and what the token then does without. */
const dispensable: readonly RegExp[] = [];

describe("the policy that the command prints for the secrets service", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });

  /** A token with these rules only. */
  async function tokenWith(rules: readonly PathRule[]): Promise<string> {
    emulator.secrets.addPolicy({ name, policy: rules.flatMap(pathRuleLines).join("\n") });
    const response = await fetch(`${emulator.secrets.address}/v1/auth/token/create`, {
      method: "POST",
      headers: { "x-vault-token": emulator.secrets.token },
      body: JSON.stringify({ policies: [name], no_default_policy: true }),
    });
    const { auth } = (await response.json()) as { readonly auth: { readonly client_token: string } };
    return auth.client_token;
  }

  /** Runs the life of a resource with a token that only has the rules. @returns the requests that were refused */
  async function live(tried: TriedForm, without?: number) {
    emulator.reset();
    const { managed, args, steps, close } = await lifeOf(emulator, tried);
    const place = { service: "secrets", address: "", namespace: undefined, dialect: "hashicorp" } as const;
    const subject = { type: tried.resourceCase.type, what: "it", values: args, id: undefined, place };
    const rules = pathRules([subject], undefined);
    void managed;
    await close();
    emulator.reset();
    const token = await tokenWith(rules.filter((_, at) => at !== without));
    const life = await lifeOf(emulator, tried, { "trivium:secretsToken": token });
    const refused: string[] = [];
    void steps;
    try {
      for (const { run } of life.steps) {
        emulator.journal.clear();
        await run().catch((error: unknown) => assert.ok(without !== undefined, error as Error));
        refused.push(
          ...emulator.journal.requests({ status: 403 }).map(({ method, path }) => `${method} ${path}`),
        );
      }
    } finally {
      await life.close();
    }
    return { rules, refused };
  }

  for (const tried of classes) {
    const { type } = tried.resourceCase;
    const form = JSON.stringify(tried.form.when ?? {});
    it(`a token with the printed policy manages ${type} ${form}, and lacks something without any one rule`, async () => {
      const { rules, refused } = await live(tried);
      assert.deepEqual(refused, []);
      for (const [at, { path }] of rules.entries()) {
        const { refused: missing } = await live(tried, at);
        assert.notDeepEqual(missing, [], `nothing needs the rule of ${path}`);
      }
    });
  }
  void dispensable;
});
