import assert from "node:assert/strict";
import { adapters } from "../engine/support/adapter";
import { create, startProvider } from "../faults/support/creation";
import { startServer, stopServers, type TestServer } from "../http/server";
import { sharedProject } from "../support/packed-library";
import { Proxy } from "../support/proxy";
import { useEmulator } from "../support/use-emulator";
import { assertHidden, echoes } from "./canaries";

const identity = "canary-identity-of-the-job/+=&<7f1c";

for (const adapter of adapters) {
  describe(`the identity and the token of a login, with the adapter ${adapter}`, function () {
    this.timeout(120_000);

    const emulator = useEmulator({ resets: false, dialect: "hashicorp" });
    /** The tokens that logins have brought. */
    const tokens = new Set<string>();
    let proxy: Proxy;
    let elsewhere: TestServer;

    before(async () => {
      emulator.secrets.addLogin({ path: "jwt", parameters: { role: "ci", jwt: identity } });
      proxy = await Proxy.start(emulator);
      elsewhere = await startServer((response) => response.writeHead(200).end("{}"));
    });
    after(() => {
      proxy.close();
      stopServers();
    });

    /** Creates a method in a new process, which has not logged in, and searches all that it shows. */
    const createMethod = async (where: string): Promise<boolean> => {
      const creation = {
        type: "secrets/mfa:TotpMethod",
        adapter,
        directory: sharedProject().path,
        args: { issuer: "Acme" },
        configuration: {
          "trivium:secretsAddress": proxy.address("secrets"),
          "trivium:secretsDialect": "hashicorp",
          "trivium:secretsLogin": JSON.stringify({ path: "jwt", role: "ci", jwt: identity }),
          "trivium:secretsMaxRetries": "0",
        },
      };
      const provider = await startProvider(creation);
      const result = await create(provider, creation).catch((error: unknown) => String(error));
      const shown = [JSON.stringify(result), ...provider.takeShown()];
      proxy.requests
        .flatMap(({ headers }) => headers["x-vault-token"] ?? [])
        .forEach((each) => tokens.add(each));
      await provider.stop();
      assertHidden(where, shown.join("\n"), [identity, ...tokens]);
      return typeof result !== "string";
    };

    it("login credentials are not shown by a creation", async () => {
      assert.ok(await createMethod("a creation"));
      assert.equal(tokens.size, 1);
    });

    for (const request of ["login", "request after it"] as const) {
      it(`login credentials are not shown by a failure of a ${request}, whatever the service repeats`, async () => {
        let failures = 0;
        for (const echo of echoes) {
          proxy.clear();
          proxy.before = (seen) => {
            const secrets = [identity, seen.headers["x-vault-token"] ?? identity].flat();
            const isChosen = seen.target.endsWith("/auth/jwt/login") === (request === "login");
            return isChosen
              ? echo.response({ request: seen, secrets, elsewhere: elsewhere.address })
              : undefined;
          };
          failures += (await createMethod(`${echo.name} of a ${request}`)) ? 0 : 1;
        }
        proxy.clear();
        assert.ok(failures > echoes.length / 2, String(failures));
      });
    }

    it("login credentials are not sent to any other server", () => {
      assert.deepEqual(elsewhere.received, []);
    });
  });
}
