import assert from "node:assert/strict";
import { githubIdentity } from "../../../sdk/connection/login/session";
import { json, startServer, stopServers, type TestServer } from "../../http/server";

describe("the identity of a GitHub Actions job", () => {
  let server: TestServer;
  let status: number;

  beforeEach(async () => {
    status = 200;
    const body = { count: 1, value: "identity-of-the-job" };
    server = await startServer((response) => json(response, status, body));
  });
  afterEach(stopServers);

  const identity = (audience: string): Promise<string> =>
    githubIdentity("secrets", audience, {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${server.address}/a/b-c/idtoken?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "token-of-the-job",
    });

  it("the identity of a GitHub Actions job is requested with the job's token and the audience, if there is one", async () => {
    assert.equal(await identity("https://vault.example.com"), "identity-of-the-job");
    const [request] = server.received;
    assert.equal(request?.url, "/a/b-c/idtoken?api-version=2.0&audience=https%3A%2F%2Fvault.example.com");
    assert.equal(request.headers.authorization, "Bearer token-of-the-job");
    await identity("");
    assert.equal(server.received[1]?.url, "/a/b-c/idtoken?api-version=2.0");
  });

  it("the identity of a GitHub Actions job requires a job with permission to request one", async () => {
    const nowhere = githubIdentity("secrets", "", {});
    await assert.rejects(nowhere, /ACTIONS_ID_TOKEN_REQUEST_URL .* not set.*id-token: write/s);
    status = 403;
    await assert.rejects(identity(""), /get the job's identity from GitHub.*403.*id-token: write/s);
    assert.equal(server.received.length, 1);
  });
});
