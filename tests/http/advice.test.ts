import assert from "node:assert/strict";
import type { ServiceName } from "../../sdk/base/settings";
import { connect, disconnect, failure, read } from "./calls";
import { startServer } from "./server";

interface Refusal {
  readonly status: number;
  readonly service?: ServiceName;
  readonly dialect?: "documented" | "hashicorp";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly token?: string | undefined;
  readonly ownAddress?: boolean;
  readonly maxRetries?: number;
}

const page = "<html><h1>Sorry</h1></html>";
const words = '{"errors":["the reason"]}';

describe("what a refusal says to do", () => {
  afterEach(disconnect);

  async function messageFor(refusal: Refusal): Promise<string> {
    const { status, service = "secrets", headers = {}, body = words, ownAddress = false, dialect } = refusal;
    const { address } = await startServer((response) => response.writeHead(status, headers).end(body));
    const source = "token" in refusal ? refusal.token : "the file t.txt";
    const transport = connect(address, {
      service,
      ownAddress,
      ...(dialect === undefined ? {} : { dialect }),
      maxRetries: refusal.maxRetries ?? 0,
      token: () => (source === undefined ? undefined : { value: "token-for-advice", source }),
    });
    return (await failure(transport.send(read))).message;
  }

  const documented =
    'The dialect is "hashicorp", but the response does not look like Vault or OpenBao. If the service speaks the ' +
    "documented dialect: run `pulumi config set --plaintext trivium:secretsDialect documented` (or set " +
    "SECRETS_DIALECT=documented), then run `npx pulumi-trivium doctor`.";
  const address = "address (trivium:secretsAddress, SECRETS_ADDR)";
  const inUse = "The token comes from the file t.txt.";
  const isPage = `The response is an HTML page, probably from a proxy instead of the service: check ${address}.`;
  const absent =
    "It does not exist at this path: check the names, the mount and namespace (trivium:secretsNamespace, SECRETS_NAMESPACE).";
  const unseen =
    "The object does not exist, or the token has no access to it: the service does not distinguish the two.";
  const limits =
    "The service limits the request rate: lower maxConcurrency (trivium:secretsMaxConcurrency, SECRETS_MAX_CONCURRENCY) or raise maxRetries (trivium:secretsMaxRetries, SECRETS_MAX_RETRIES).";
  const unusable =
    "An argument may be invalid, or a system behind the service, such as a directory, may have failed: check the log of the service.";
  const failed = "Check the log of the service.";
  const unreachable = "A proxy could not reach the service, or got no response in time.";
  const still = "All retries failed.";

  const cases: readonly [refusal: Refusal, says: string][] = [
    [
      { status: 403, dialect: "hashicorp" },
      `${inUse} The token lacks the permission, or is no longer valid. ${documented}`,
    ],
    [
      { status: 403, dialect: "hashicorp", headers: { "x-vault-request": "1" } },
      `${inUse} The token lacks the permission, or is no longer valid.`,
    ],
    [
      { status: 401 },
      `${inUse} The token is invalid, revoked or expired. TRIVIUM_SECRETS_TOKEN overrides it.`,
    ],
    [
      { status: 401, token: undefined },
      "No token was sent: set token (trivium:secretsToken, SECRETS_TOKEN).",
    ],
    [
      { status: 401, token: "the environment variable TRIVIUM_SECRETS_TOKEN" },
      "The token comes from the environment variable TRIVIUM_SECRETS_TOKEN. The token is invalid, revoked or expired.",
    ],
    [{ status: 401, ownAddress: true }, `${inUse} The token is invalid, revoked or expired.`],
    [{ status: 403 }, `${inUse} The token lacks the permission, or is no longer valid.`],
    [
      { status: 403, token: undefined },
      "No token was sent: set token (trivium:secretsToken, SECRETS_TOKEN).",
    ],
    [{ status: 404 }, absent],
    [{ status: 404, body: page }, `${isPage} ${absent}`],
    [{ status: 404, service: "provisioning" }, `${unseen} ${inUse}`],
    [
      { status: 404, service: "provisioning", token: undefined },
      `${unseen} No token was sent: set token (trivium:provisioningToken, PROVISIONING_TOKEN).`,
    ],
    [{ status: 407 }, "The proxy requires authentication: add user:password to its URL."],
    [{ status: 413 }, "The request is larger than the service, or a proxy in front of it, allows."],
    [
      { status: 415 },
      `The service does not accept the media type. Check that ${address} is that of the secrets service.`,
    ],
    [{ status: 418 }, ""],
    [{ status: 422, body: page }, isPage],
    [{ status: 429 }, limits],
    [{ status: 429, body: page }, limits],
    [{ status: 500 }, `${unusable} ${still}`],
    [{ status: 500, body: "" }, `${failed} ${still}`],
    [{ status: 500, body: page }, `${isPage} ${failed} ${still}`],
    [{ status: 500, service: "provisioning" }, `${failed} ${still}`],
    [{ status: 502 }, `${unreachable} ${still}`],
    [{ status: 504 }, `${unreachable} ${still}`],
    [{ status: 503 }, `The service is sealed, on standby or overloaded. ${still}`],
    [{ status: 503, service: "scheduler" }, `${failed} ${still}`],
    [{ status: 599 }, unusable],
    [
      { status: 400, body: "Client sent an HTTP request to an HTTPS server." },
      `The service speaks HTTPS: start ${address} with https://.`,
    ],
    [
      { status: 400, body: "The plain HTTP request was sent to HTTPS port" },
      `The service speaks HTTPS: start ${address} with https://.`,
    ],
    [{ status: 307 }, `Status 307 is not a success: check ${address}.`],
    [{ status: 307, headers: { location: "http://" } }, `Status 307 is not a success: check ${address}.`],
    [
      { status: 307, headers: { location: "https://elsewhere.example/x?token=1" } },
      `The service redirects to https://elsewhere.example. Redirects are not followed: if that is the service, set ${address} to it.`,
    ],
    [
      { status: 307, headers: { location: "/elsewhere" } },
      `The service redirects to another path of ORIGIN. Redirects are not followed: check the path in ${address}.`,
    ],
  ];
  for (const [refusal, says] of cases) {
    it(`after ${JSON.stringify(refusal)}`, async () => {
      const message = (await messageFor(refusal)).replace(/http:\/\/127\.0\.0\.1:\d+\./, "ORIGIN.");
      const [, hint] =
        / (?:returned \d+[^:]*: (?:the reason|Sorry|[^.]* HTTPS [a-z]+)|explanation)\.(?: (.*))?$/i.exec(
          message,
        ) ?? [];
      assert.equal(hint ?? "", says, message);
    });
  }
});
