import assert from "node:assert/strict";
import type { ServiceName } from "../../sdk/base/settings";
import { adviceFor, type ErrorResponse } from "../../sdk/http/advice";
import type { Destination } from "../../sdk/http/transport";

type Change = Partial<ErrorResponse & Destination>;

function advice(status: number, change: Change): string {
  const refusal = { status, headers: {}, messages: ["the reason"], page: false, exhausted: false };
  const origin = "http://secrets.example";
  const destination = { service: "secrets", dialect: "documented", origin } as const;
  const response = { ...refusal, tokenSource: "the file t.txt", ...destination, ...change };
  return adviceFor(response, response) ?? "";
}

describe("the advice about an error status", () => {
  const changeTo = (dialect: string): string =>
    `run \`pulumi config set --plaintext trivium:secretsDialect ${dialect}\` (or set SECRETS_DIALECT=${dialect}), then ` +
    "run `npx pulumi-trivium doctor`.";
  const products = changeTo("hashicorp");
  const unlike = 'The dialect is "hashicorp", but the response does not look like Vault or OpenBao.';
  const documented = `${unlike} If the service speaks the documented dialect: ${changeTo("documented")}`;
  const address = "address (trivium:secretsAddress, SECRETS_ADDR)";
  const inUse = "The token comes from the file t.txt.";
  const tokenFrom = (source: string, what: string) => `The token from ${source} ${what}.`;
  const refused = tokenFrom("the file t.txt", "lacks the required permission or is no longer valid");
  const invalid = "is invalid, revoked or expired";
  const overriding = "the environment variable TRIVIUM_SECRETS_TOKEN";
  const overrides = "To override it, set TRIVIUM_SECRETS_TOKEN.";
  const isPage = `The response is an HTML page, probably from a proxy instead of the service: check ${address}.`;
  const absent =
    "Nothing exists at this path. Check the names, the mount and namespace (trivium:secretsNamespace, SECRETS_NAMESPACE).";
  const unseen =
    "The object does not exist, or the token has no access to it: the service does not distinguish the two.";
  const limits =
    "The service limits the request rate: lower maxConcurrency (trivium:secretsMaxConcurrency, SECRETS_MAX_CONCURRENCY) or raise maxRetries (trivium:secretsMaxRetries, SECRETS_MAX_RETRIES).";
  const argument =
    "An argument might be invalid, or a system behind the service, such as a directory, might have failed: check the service's log.";
  const failed = "Check the service's log.";
  const unreachable = "A proxy could not reach the service, or got no response in time.";
  const isHttps = `The service speaks HTTPS: start ${address} with https://.`;
  const noToken = "No token was sent: set token (trivium:secretsToken, SECRETS_TOKEN).";

  const vault = { "x-vault-request": "1" };
  const looks = 'This looks like Vault or OpenBao, but the dialect is "documented":';
  const noUser =
    "The proxy requires authentication: add user:password@ before the host in its URL, with special characters percent-encoded.";
  const check = `Check that ${address}`;
  const noRedirect = `Status 307 is not a success: check ${address}.`;
  const redirect = (location: string) => ({ headers: { location } });
  const elsewhere = (target: string) =>
    `The service redirects to ${target}. Redirects are not followed: if that is the service, set ${address} to it.`;

  const anotherPath = `The service redirects to another path of http://secrets.example. Redirects are not followed: check the path in ${address}.`;
  const unencrypted =
    "The service redirects to http://secrets.example, which is not encrypted. Redirects are not followed, to avoid exposing the token. Fix the redirect on the server.";

  const rows: readonly [status: number, change: Change, expected: string][] = [
    [401, {}, `${tokenFrom("the file t.txt", invalid)} ${overrides}`],
    [401, { tokenSource: undefined }, noToken],
    [401, { tokenSource: overriding }, tokenFrom(overriding, invalid)],
    [401, { tokenSource: "the {token}" }, `${tokenFrom("the {token}", invalid)} ${overrides}`],
    [401, { ownAddress: true }, tokenFrom("the file t.txt", invalid)],
    [403, {}, refused],
    [403, { messages: ["token is expired"] }, `${refused} ${overrides}`],
    [403, { messages: ["no", "the token expired"] }, `${refused} ${overrides}`],
    [403, { messages: ["no", "permission denied"] }, `${refused} If this is Vault or OpenBao: ${products}`],
    [403, { headers: vault }, `${looks} ${products} ${refused}`],
    [403, { tokenSource: undefined }, noToken],
    [403, { dialect: "hashicorp" }, `${refused} ${documented}`],
    [403, { dialect: "hashicorp", page: true }, `${isPage.replace("_ADDR", "_ADDR, VAULT_ADDR")} ${refused}`],
    [404, { dialect: "hashicorp" }, absent.replace("_NAMESPACE", "_NAMESPACE, VAULT_NAMESPACE")],
    [403, { dialect: "hashicorp", headers: vault }, refused],
    [
      403,
      { dialect: "hashicorp", headers: vault, members: ["url", "ttl"] },
      `${refused} The request has url and ttl: a policy with allowed_parameters or denied_parameters must allow all of them.`,
    ],
    [403, { members: ["url"] }, refused],
    [
      403,
      { dialect: "hashicorp", headers: vault, members: ["url"], messages: ["invalid token"] },
      `${refused} ${overrides}`,
    ],
    [404, {}, absent],
    [404, { page: true }, isPage],
    [404, { service: "provisioning" }, `${unseen} ${inUse}`],
    [404, { service: "provisioning", headers: vault }, `${unseen} ${inUse}`],
    [400, {}, ""],
    [407, {}, noUser],
    [413, {}, "The request is larger than the service, or a proxy in front of it, allows."],
    [415, {}, `The service does not accept the media type. ${check} is the secrets service's address.`],
    [418, {}, ""],
    [422, { page: true }, isPage],
    [429, {}, limits],
    [429, { page: true, exhausted: true }, limits],
    [500, { exhausted: true }, `${argument} All retries failed.`],
    [500, { messages: [] }, failed],
    [500, { page: true }, `${isPage} ${failed}`],
    [500, { service: "provisioning" }, failed],
    [502, { exhausted: true }, `${unreachable} All retries failed.`],
    [504, {}, unreachable],
    [503, {}, "The service is sealed, on standby or overloaded."],
    [503, { service: "scheduler" }, failed],
    [599, {}, argument],
    [400, { messages: ["Client sent an HTTP request to an HTTPS server."] }, isHttps],
    [400, { messages: ["The plain HTTP request was sent to HTTPS port"] }, isHttps],
    [307, {}, noRedirect],
    [307, { headers: { location: "http://" } }, noRedirect],
    [307, redirect("https://elsewhere.example/x?token=1"), elsewhere("https://elsewhere.example")],
    [307, redirect("https://{constructor}.example/"), elsewhere("https://{constructor}.example")],
    [307, redirect("/elsewhere"), anotherPath],
    [307, { ...redirect("http://secrets.example/"), origin: "https://secrets.example" }, unencrypted],
    [307, { ...redirect("https://b.example/"), origin: "https://a.example" }, elsewhere("https://b.example")],
  ];
  for (const [status, change, expected] of rows) {
    it(`the advice is right after ${status} with ${JSON.stringify(change)}`, () =>
      assert.equal(advice(status, change), expected));
  }
});

describe("the advice about a product that is asked in the documented dialect", () => {
  type Row = readonly [ServiceName, status: number, ErrorResponse["headers"], message: string, text?: string];
  const security = { "strict-transport-security": "max-age=31536000; includeSubDomains" };
  const vaultHeaders = { "cache-control": "no-store", ...security };
  const terraform = { "tfp-api-version": "2.6", "tfp-appname": "HCP Terraform" };
  const rows: readonly Row[] = [
    ["provisioning", 401, terraform, "no", "This looks like HCP Terraform, but"],
    ["provisioning", 404, { "x-tfe-version": "1" }, "no", "looks like HCP Terraform or Terraform Enterprise"],
    ["secrets", 404, vaultHeaders, "no such thing", "This looks like Vault or OpenBao"],
    ["secrets", 403, { "x-vault-hostname": "vault-0" }, "another", "This looks like Vault or OpenBao"],
    ["secrets", 403, {}, "permission denied", "If this is Vault or OpenBao"],
    ["secrets", 404, {}, 'no handler for route "a". route entry not found.', "If this is Vault or OpenBao"],
    ["scheduler", 404, { "x-nomad-index": "7" }, "gone", "This looks like Nomad"],
    ["scheduler", 403, {}, "Permission denied", "If this is Nomad"],
    ["scheduler", 403, {}, "ACL token not found", "If this is Nomad"],
    ["provisioning", 404, {}, "not found"],
    ["provisioning", 404, { "x-tfp-api-version": "2.6" }, "not found"],
    ["provisioning", 404, { "tfp-api-version-of-proxy": "2.6" }, "not found"],
    ["scheduler", 404, { "proxy-x-nomad-index": "7" }, "gone"],
    ["secrets", 400, vaultHeaders, "invalid mount accessor"],
    ["secrets", 404, { ...vaultHeaders, "strict-transport-security": "" }, "gone"],
    ["secrets", 404, { ...vaultHeaders, "cache-control": "" }, "gone"],
    ["secrets", 404, { "proxy-x-vault-name": "a" }, "gone"],
    ["secrets", 403, {}, "1 permission denied"],
    ["secrets", 403, {}, "permission denied!"],
    ["scheduler", 403, {}, "1 permission denied"],
    ["scheduler", 403, {}, "permission denied!"],
    ["provisioning", 403, {}, "permission denied"],
  ];
  for (const [service, status, headers, message, expected] of rows) {
    const says = expected === undefined ? "names no product" : "says to set the dialect and to run doctor";
    it(`the advice ${says}: ${service}, ${status}, ${JSON.stringify(headers)}, ${message}`, () => {
      const change = { service, headers, messages: [message] };
      const named = /looks like|If this is|Dialect hashicorp/;
      assert.doesNotMatch(advice(status, { ...change, dialect: "hashicorp" }), named);
      const text = advice(status, change);
      if (expected === undefined) {
        assert.doesNotMatch(text, named);
        return;
      }
      // The CLI asks for it where a key looks like a secret's.
      const plaintext = service === "secrets" ? "--plaintext " : "";
      const command = `run \`pulumi config set ${plaintext}trivium:${service}Dialect hashicorp\``;
      const instead = ` (or set ${service.toUpperCase()}_DIALECT=hashicorp), then run \`npx pulumi-trivium doctor\`.`;
      assert.ok(text.includes(expected) && text.includes(command + instead), text);
    });
  }
});
