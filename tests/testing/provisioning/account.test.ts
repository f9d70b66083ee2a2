import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { at, call, type CallOptions, type Reply } from "../call";

describe("what the emulated product says about itself and its callers", () => {
  const emulator = useEmulator({ dialect: { provisioning: "hashicorp" } });
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme", externalId: "org-1", notificationEmail: "a@b.c" });
    emulator.provisioning.addOrganization({ name: "other" });
  });

  const ask = async (path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", "GET", `/api/v2${path}`, options);
  const names = ({ body }: Reply): unknown => {
    const data = at(body, "data");
    return Array.isArray(data) ? data.map((item: unknown) => at(item, "id")) : data;
  };

  for (const token of [undefined, null, "wrong"]) {
    it(`is its name and version with every response, also to the token ${String(token)}`, async () => {
      const reply = await ask("/ping", token === undefined ? {} : { token });
      assert.equal(reply.status, 204);
      const { headers } = await ask("/nowhere", token === undefined ? {} : { token });
      for (const answer of [reply.headers, headers]) {
        assert.deepEqual(
          ["TFP-AppName", "TFP-API-Version", "X-TFE-Version"].map((name) => answer.get(name)),
          ["Terraform Enterprise", "2.6", "v202507-1"],
        );
      }
    });
  }

  it("is the organizations that the caller may see", async () => {
    assert.deepEqual(names(await ask("/organizations")), ["acme", "other"]);
    const token = emulator.provisioning.addToken({ access: "none", organizations: { acme: "read" } });
    const seen = await ask("/organizations", { token });
    assert.deepEqual(names(seen), ["acme"]);
    const [acme] = at(seen.body, "data") as unknown[];
    assert.deepEqual(at(acme, "attributes"), {
      name: "acme",
      "external-id": "org-1",
      email: "a@b.c",
      permissions: { "can-create-project": false, "can-create-workspace": false },
    });
    assert.deepEqual((await ask("/organizations/acme", { token })).body, { data: acme });
    for (const path of ["/organizations/other", "/organizations/other/entitlement-set"]) {
      assert.equal((await ask(path, { token })).status, 404, path);
    }
    emulator.provisioning.changeOrganization("other", { isDisabled: true });
    assert.deepEqual(names(await ask("/organizations")), ["acme"]);
  });

  it("is what an organization may use", async () => {
    const { body } = await ask("/organizations/acme/entitlement-set");
    assert.deepEqual([at(body, "data", "id"), at(body, "data", "type")], ["org-1", "entitlement-sets"]);
    assert.equal(at(body, "data", "attributes", "operations"), true);
  });
});
