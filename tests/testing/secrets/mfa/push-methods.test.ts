import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { call, type Reply } from "../../call";
import { assertRefused } from "../refusals";

describe("the emulator's push methods", () => {
  const emulator = useEmulator();

  const collection = "/v1/sys/mfa/method/pushauth";
  const ask = async (method: string, name: string, body?: unknown): Promise<Reply> =>
    call(emulator, "secrets", method, `${collection}/${name}`, { body });
  const methods = () => emulator.inspect().secrets.pushMethods;
  const mountAccessor = "auth_userpass_00000001";
  const everything = {
    mount_accessor: mountAccessor,
    username_format: "{{alias.name}}@acme",
    secret_key: "secret-key-value",
    integration_key: "integration-key-value",
    api_hostname: "api.example",
    push_info: "from=login",
  };

  it("have a name of any kind, which the body may repeat", async () => {
    assert.equal((await ask("POST", "a%2Fb%20%C3%BC", { ...everything, name: "a/b ü" })).status, 204);
    assert.equal(methods()[0]?.name, "a/b ü");
    assert.equal((await ask("GET", "a%2Fb%20%C3%BC")).status, 200);
    assertRefused(await ask("POST", "x", { ...everything, name: "y" }), 400, /differs/);
  });
});
