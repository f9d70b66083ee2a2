import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { formsIn, lifeIn, type TriedForm } from "../../scripts/permissions/record";
import { type JsonObject, toJson } from "../../sdk/base/json";
import { pathRuleLines, pathRules } from "../../sdk/command-line/policy/secrets";
import { wireForm } from "../../sdk/command-line/policy/stack";
import { describeWithAdapters } from "../engine/support/adapter";
import type { SecretsApi } from "../engine/support/api";
import { presentTarget } from "../engine/support/lifecycle-target";
import { type Program, useSharedStack } from "../engine/support/shared-stack";
import { serviceWith } from "../secrets/altered-responses";
import { stopServers } from "../http/server";
import { stepByStep } from "../support/step-by-step";
import {
  type CleanUp,
  examinedServers,
  LiveServices,
  secretsApi,
  title,
  uniqueName,
  useCleanUp,
} from "./live-services";

const servers = examinedServers();
const { secrets: server } = servers;
const target = presentTarget();

/** A token with nothing but a policy, until the clean-up. */
async function tokenWith(api: SecretsApi, cleanUp: CleanUp, policy: string): Promise<string> {
  const name = uniqueName();
  // No policy is empty.
  const body = { policy: `path "none" { capabilities = ["deny"] }\n${policy}` };
  await api.write(`sys/policies/acl/${name}`, body);
  cleanUp.add(`the policy ${name}`, () => api.remove(`sys/policies/acl/${name}`));
  const { auth } = (await api.send("POST", "auth/token/create", {
    policies: [name],
    no_default_policy: true,
    // What the token issues must not outlive the test.
    ttl: "30m",
  })) as { readonly auth: { readonly client_token: string } };
  return auth.client_token;
}

/** The real service enforces the printed policy: it is enough, and no rule of it is too many. */
if (server !== undefined) {
  describe(`policy.secrets ${title}`, function () {
    this.timeout(300_000);

    const api = secretsApi(server);
    const cleanUp = useCleanUp();
    afterEach(stopServers);

    /** Only addresses and tokens of it are used. */
    const stand = { provisioning: server, secrets: server, scheduler: server } as never;

    /** @returns the rules of the printed policy, and what the service has refused */
    async function live(tried: TriedForm, without?: number) {
      const { type } = tried.resourceCase;
      const services = new LiveServices(servers);
      const refused: string[] = [];
      let loses = false;
      const gateway = await serviceWith({ secrets: server } as never, ({ method, url }, response) => {
        if (response.status === 403) {
          refused.push(`${method} ${url}`);
        }
        if (loses && method === "POST") {
          loses = false;
          assert.fail("the response is lost");
        }
        return response;
      });
      const context = await tried.resourceCase.prepare(services);
      const lifeWith = (settings: Readonly<Record<string, string>>) =>
        lifeIn(context, tried, {
          services: stand,
          settings,
          async losing(take) {
            loses = true;
            await take();
            loses = false;
          },
          isLeftOut: (need) => need !== undefined && target.missing(need) !== undefined,
        });
      try {
        const values = wireForm(type, toJson(lifeWith({}).args) as JsonObject, "hashicorp");
        const place = {
          service: "secrets",
          address: "",
          namespace: undefined,
          dialect: "hashicorp",
        } as const;
        const rules = pathRules([{ type, what: type, values, id: undefined, place }], undefined);
        const token = await tokenWith(
          api,
          cleanUp,
          rules
            .filter((_, at) => at !== without)
            .flatMap(pathRuleLines)
            .join("\n"),
        );
        const { steps } = lifeWith({ ...gateway, "trivium:secretsToken": token });
        for (const { run } of steps) {
          await run().catch((error: unknown) => {
            assert.ok(without !== undefined, error instanceof Error ? error : String(error));
          });
        }
        return { rules, refused };
      } finally {
        await context.close();
      }
    }

    for (const tried of formsIn("hashicorp")) {
      const { type, live: lived } = tried.resourceCase;
      const [missing] = lived.needs.flatMap((need) => target.missing(need) ?? []);
      const named = `${type} ${JSON.stringify(tried.form.when ?? {})}`;
      if (!type.startsWith("secrets/")) {
        continue;
      }
      if (missing !== undefined) {
        it.skip(`${named} is left out: ${missing}`);
        continue;
      }
      it(`a token with the printed policy manages ${named}, and lacks something without any one rule`, async () => {
        const { rules, refused } = await live(tried);
        assert.deepEqual(refused, []);
        for (const [at, { path }] of rules.entries()) {
          const { refused: lacking } = await live(tried, at);
          assert.notDeepEqual(lacking, [], `nothing needs the rule of ${path}`);
        }
      });
    }
  });
}

if (
  server !== undefined &&
  target.missing("directory engine") === undefined &&
  servers.directory !== undefined
) {
  describeWithAdapters(`policy.stack ${title}`, function (adapter) {
    this.timeout(300_000);
    stepByStep();

    const api = secretsApi(server);
    const cleanUp = useCleanUp();
    const services = new LiveServices(servers);
    after(() => services.close());
    let engine: trivium.secrets.directory.ConfigArgs & { readonly mount: string };
    let dn: string;
    let alias: { readonly canonicalId: string; readonly mountAccessor: string };
    before(async () => {
      const { directory } = services.secrets;
      const { mount } = await services.secrets.mount("directory");
      const { dn: binddn, password: bindpass } = await directory.administrator();
      engine = { mount, url: directory.url, binddn, bindpass };
      dn = await directory.add("app", "password-of-app");
      const mountAccessor = await services.secrets.addLogin();
      alias = { canonicalId: await services.secrets.addEntity(), mountAccessor };
    });
    const stack = useSharedStack(
      `live-policy-${adapter}`,
      () => ({
        "trivium:secretsAddress": server.address,
        "trivium:secretsDialect": "hashicorp",
        "trivium:secretsToken": { secret: server.token },
      }),
      { adapter },
    );
    const { directory, identity, mfa } = trivium.secrets;
    const program =
      (period = "1h"): Program =>
      () => {
        const dependsOn = new directory.Config("directory", engine);
        const role = { mount: engine.mount, roleName: "app", username: "app", dn, rotationPeriod: period };
        new directory.StaticRole("app", role, { dependsOn });
        new mfa.TotpMethod("mfa", { issuer: "Acme", period: period === "1h" ? 30 : 60 });
        new identity.EntityAlias("ada", { name: "ada", ...alias });
      };

    it("a stack can be previewed, refreshed, updated and destroyed with a token that has only the printed policy", async () => {
      await stack.up(program());
      const policy = await stack.library("policy", "secrets");
      const token = await tokenWith(api, cleanUp, policy);
      await stack.setConfiguration("trivium:secretsToken", token, true);
      await stack.refresh({ program: program() });
      await stack.previewWithoutChanges(program());
      const { changes } = await stack.up(program("2h"));
      assert.deepEqual(changes.update, 2);
      await stack.destroy();
      assert.deepEqual(await stack.resources(), []);
    });
  });
}
