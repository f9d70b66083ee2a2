import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { githubIdentity } from "../../../sdk/connection/login/session";

describe("the identity of a job of GitHub Actions", () => {
  let server: Server;
  let status = 200;
  const asked: IncomingMessage[] = [];

  before((done) => {
    server = createServer((request, response) => {
      asked.push(request);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ count: 1, value: "identity-of-the-job" }));
    }).listen(0, "127.0.0.1", done);
  });
  after((done) => void server.close(done));
  beforeEach(() => {
    asked.length = 0;
    status = 200;
  });

  const identity = (audience: string, environment?: Readonly<Record<string, string>>): Promise<string> => {
    const { port } = server.address() as AddressInfo;
    const variables = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/a/b-c/idtoken?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "token-of-the-job",
    };
    return githubIdentity("secrets", audience, environment ?? variables, {});
  };

  it("is requested with the job's token and the audience", async () => {
    assert.equal(await identity("https://vault.example.com"), "identity-of-the-job");
    const [request] = asked;
    assert.equal(request?.url, "/a/b-c/idtoken?api-version=2.0&audience=https%3A%2F%2Fvault.example.com");
    assert.equal(request.headers.authorization, "Bearer token-of-the-job");
  });

  it("has GitHub's own audience without one", async () => {
    await identity("");
    assert.equal(asked[0]?.url, "/a/b-c/idtoken?api-version=2.0");
  });

  it("needs a job that may have one", async () => {
    await assert.rejects(identity("", {}), /ACTIONS_ID_TOKEN_REQUEST_URL .* not set.*id-token: write/s);
    status = 403;
    await assert.rejects(identity(""), /get the identity of the job from GitHub.*403.*id-token: write/s);
    assert.equal(asked.length, 1);
  });
});
