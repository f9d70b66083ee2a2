import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provisioning, secrets } from "../../sdk/index";
import { path } from "../../sdk/base/path";
import { looksLikeProduct } from "../../sdk/http/advice";
import { type Requester, requestFor } from "../../sdk/http/request-log";
import { useEnvironment } from "../connection/environment";
import { useEmulator } from "../support/use-emulator";
import { connect, disconnect, read } from "./calls";
import { json, startServer, unusedPort } from "./server";

describe("the request log", () => {
  const emulator = useEmulator({ seed: { organizations: [{ name: "acme" }] } });
  const folder = mkdtempSync(join(tmpdir(), "request-log-"));
  const file = join(folder, "requests.jsonl");
  useEnvironment(() => ({ ...emulator.environment, TRIVIUM_LOG: file }));
  afterEach(disconnect);
  after(() => rmSync(folder, { recursive: true }));

  const lines = (): Record<string, unknown>[] => {
    const text = readFileSync(file, "utf8");
    rmSync(file);
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it("the request log has a line for each request of a script, without query values or secrets", async () => {
    await provisioning.listProjects({ organization: "acme", q: "searched-for" });
    await secrets.mfa.listTotpMethods();
    const text = readFileSync(file, "utf8");
    assert.doesNotMatch(
      text,
      new RegExp(`searched-for|${emulator.secrets.token}|${emulator.provisioning.token}`),
    );
    const [projects, methods] = lines();
    assert.match(String(projects?.time), /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(
      [projects?.service, projects?.method, projects?.path, projects?.status, projects?.attempt],
      ["provisioning", "GET", "/api/v2/organizations/acme/projects", 200, 1],
    );
    assert.ok(Number(projects?.milliseconds) >= 0);
    assert.equal(methods?.service, "secrets");
  });

  it("the request log has each attempt, even without a response, and the resource", async () => {
    const debugged: string[] = [];
    const requester: Requester = {
      urn: "urn:a",
      debug: (line) => debugged.push(line),
      warn: () => undefined,
    };
    const { address } = await startServer((response, _, count) =>
      json(response, count === 1 ? 503 : 200, {}, { "x-request-id": `r-${count}` }),
    );
    await (async () => {
      requestFor(requester);
      await connect(address).send({ ...read, path: path`/things/${"a b"}` });
      await connect(`http://127.0.0.1:${await unusedPort()}`, { maxRetries: 0 })
        .send(read)
        .catch(() => undefined);
    })();
    const found = lines().map(({ path: asked, status, attempt, requestId, urn }) => [
      asked,
      status,
      attempt,
      requestId,
      urn,
    ]);
    assert.deepEqual(found, [
      ["/things/a%20b", 503, 1, "r-1", "urn:a"],
      ["/things/a%20b", 200, 2, "r-2", "urn:a"],
      ["/things/1", undefined, 1, undefined, "urn:a"],
    ]);
    assert.match(debugged[1] ?? "", /^GET \/things\/a%20b: 200, \d+ ms, attempt 2, request ID r-2$/);
    assert.match(debugged[2] ?? "", /^GET \/things\/1: no response, /);
  });

  for (const [service, headers, product] of [
    ["secrets", { "x-vault-request": "1" }, "Vault or OpenBao"],
    ["provisioning", { "tfp-api-version": "2.6" }, "HCP Terraform or Terraform Enterprise"],
    ["provisioning", { "x-tfe-version": "1.0.0" }, "HCP Terraform or Terraform Enterprise"],
    ["scheduler", { "x-nomad-index": "7" }, "Nomad"],
    ["secrets", {}, undefined],
    ["scheduler", { "x-vault-request": "1" }, undefined],
  ] as const) {
    const does = product === undefined ? "does not warn" : "warns once and names the setting";
    const sender = `the ${service} service with ${Object.keys(headers).join(", ") || "no header of a product"}`;
    it(`the first successful response of ${sender} ${does}`, async () => {
      const warnings: string[] = [];
      const { address } = await startServer((response) => json(response, 200, {}, headers));
      await (async () => {
        requestFor({ debug: () => undefined, warn: (line) => warnings.push(line) });
        const transport = connect(address, { service });
        await transport.send(read);
        await transport.send(read);
      })();
      const said = warnings.map((line) => /looks like (.*), but the dialect is "documented"/.exec(line)?.[1]);
      assert.deepEqual(said, product === undefined ? [] : [product]);
      const setting = `trivium:${service}Dialect hashicorp`;
      assert.ok(warnings.every((line) => line.includes(setting)));
    });
  }

  it("the address of HCP Terraform causes a warning without a header", () => {
    const at = (origin: string) =>
      looksLikeProduct({ service: "provisioning", dialect: "documented", origin }, {});
    assert.match(at("https://app.terraform.io") ?? "", /looks like HCP Terraform/);
    assert.equal(at("https://terraform.example.com"), undefined);
  });
});
