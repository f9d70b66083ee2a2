import assert from "node:assert/strict";
import type { ServiceName } from "../../sdk/base/settings";
import { connect, disconnect, failure, read } from "./calls";
import { startServer } from "./server";

const jsonApi = { "content-type": "application/vnd.api+json; charset=utf-8" };
const json = { "content-type": "application/json" };
const plain = { "content-type": "text/plain; charset=utf-8" };
const vaultHeaders = {
  ...json,
  "cache-control": "no-store",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
};
const doctor = "run `npx pulumi-trivium doctor`";

describe("a refusal by a product that is asked in the documented dialect", () => {
  afterEach(disconnect);

  const messageFor = async (
    service: ServiceName,
    status: number,
    headers: Readonly<Record<string, string>>,
    body: string,
    dialect: "documented" | "hashicorp" = "documented",
  ): Promise<string> => {
    const { address } = await startServer((response) => response.writeHead(status, headers).end(body));
    const token = { value: "token-for-products", source: "the file token.txt" };
    const transport = connect(address, { service, dialect, maxRetries: 0, token: () => token });
    return (await failure(transport.send(read))).message;
  };

  const products: readonly [
    product: string,
    service: ServiceName,
    status: number,
    headers: Readonly<Record<string, string>>,
    body: string,
    says: string,
  ][] = [
    [
      "HCP Terraform, by its headers",
      "provisioning",
      401,
      { ...jsonApi, "tfp-api-version": "2.6", "tfp-appname": "HCP Terraform" },
      '{"errors":[{"status":"401","title":"unauthorized"}]}',
      "This looks like HCP Terraform, but",
    ],
    [
      "Terraform Enterprise, by its headers",
      "provisioning",
      404,
      { ...jsonApi, "x-tfe-version": "v202507-1" },
      '{"errors":[{"status":"404","title":"not found"}]}',
      "This looks like HCP Terraform or Terraform Enterprise",
    ],
    [
      "Vault, by its headers",
      "secrets",
      404,
      vaultHeaders,
      '{"errors":["no such thing"]}',
      "This looks like Vault or OpenBao",
    ],
    [
      "Vault, by a header of its own",
      "secrets",
      403,
      { ...json, "x-vault-hostname": "vault-0" },
      '{"errors":["something else"]}',
      "This looks like Vault or OpenBao",
    ],
    [
      "OpenBao, by its words",
      "secrets",
      403,
      json,
      '{"errors":["permission denied"]}',
      "If this is Vault or OpenBao",
    ],
    [
      "Vault, by its words about a path that it does not know",
      "secrets",
      404,
      json,
      '{"errors":["no handler for route \\"scheduler/role/a\\". route entry not found."]}',
      "If this is Vault or OpenBao",
    ],
    [
      "Nomad, by its headers",
      "scheduler",
      404,
      { ...plain, "x-nomad-index": "7" },
      "gone",
      "This looks like Nomad",
    ],
    ["Nomad, by its words", "scheduler", 403, plain, "Permission denied", "If this is Nomad"],
    ["Nomad, by its words about a token", "scheduler", 403, plain, "ACL token not found", "If this is Nomad"],
  ];
  for (const [product, service, status, headers, body, says] of products) {
    it(`says to set the dialect and to run doctor: ${product}`, async () => {
      const message = await messageFor(service, status, headers, body);
      // The CLI asks for it where a key looks like a secret's.
      const plaintext = service === "secrets" ? "--plaintext " : "";
      const command = `run \`pulumi config set ${plaintext}trivium:${service}Dialect hashicorp\``;
      const variable = `${service.toUpperCase()}_DIALECT=hashicorp`;
      for (const part of [says, command, variable, doctor]) {
        assert.ok(message.includes(part), message);
      }
    });

    it(`says nothing of the sort in the product's own dialect: ${product}`, async () => {
      assert.doesNotMatch(await messageFor(service, status, headers, body, "hashicorp"), /Dialect|doctor/);
    });
  }

  const others: readonly [string, ServiceName, number, Readonly<Record<string, string>>, string][] = [
    [
      "the provisioning service itself",
      "provisioning",
      404,
      jsonApi,
      '{"errors":[{"status":"404","title":"not found"}]}',
    ],
    ["an absence without words", "secrets", 404, json, '{"errors":[]}'],
    ["a failure that is no refusal", "secrets", 400, vaultHeaders, '{"errors":["invalid mount accessor"]}'],
    [
      "a service whose answers nobody stores",
      "secrets",
      404,
      { ...json, "cache-control": "no-store" },
      '{"errors":["gone"]}',
    ],
    [
      "a service that wants encryption",
      "secrets",
      404,
      { ...json, "strict-transport-security": "max-age=31536000; includeSubDomains" },
      '{"errors":["gone"]}',
    ],
    [
      "a header that only holds a product's name",
      "secrets",
      404,
      { ...json, "proxy-x-vault-name": "a" },
      '{"errors":["gone"]}',
    ],
    [
      "more words than Vault's",
      "secrets",
      403,
      json,
      '{"errors":["1 permission denied","permission denied!"]}',
    ],
    [
      "more words than Nomad's",
      "scheduler",
      403,
      json,
      '{"errors":["1 permission denied","permission denied!"]}',
    ],
    ["another service's words", "provisioning", 403, json, '{"errors":["permission denied"]}'],
  ];
  for (const [what, service, status, headers, body] of others) {
    it(`does not treat ${what} as a product`, async () => {
      assert.doesNotMatch(await messageFor(service, status, headers, body), /looks like|If this is|doctor/);
    });
  }
});
