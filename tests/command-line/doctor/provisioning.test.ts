import assert from "node:assert/strict";
import { brief, examined, found } from "./doctor";
import { useEmulator } from "./surroundings";

for (const dialect of ["documented", "hashicorp"] as const) {
  describe(`doctor: the provisioning service, ${dialect}`, () => {
    const at = useEmulator(dialect);
    const restrict = (options: Parameters<typeof at.emulator.provisioning.addToken>[0]): void =>
      at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken(options) });
    let workspace: string;
    beforeEach(() => {
      at.emulator.provisioning.addOrganization({ name: "acme" });
      at.emulator.provisioning.addOrganization({ name: "other" });
      workspace = at.emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    });

    it("checks that the token may read what is named", async () => {
      const report = await examined("provisioning", "--organization", "acme", "--workspace", workspace);
      assert.equal(report.status, 0);
      assert.equal(found(report, "rights", "acme").state, "ok");
      assert.equal(found(report, "rights", workspace).state, "ok");
    });

    it("treats it as a problem when an organization or workspace that is named cannot be seen", async () => {
      restrict({ access: "none", organizations: { other: "full" } });
      const report = await examined(
        "provisioning",
        ...["--organization", "acme", "--organization", "other", "--workspace", workspace],
      );
      assert.equal(report.status, 1);
      assert.equal(found(report, "token").state, "ok");
      assert.equal(found(report, "rights", "other").state, "ok");
      for (const name of ["acme", workspace]) {
        const { state, code, advice } = found(report, "rights", name);
        assert.deepEqual([state, code], ["problem", "HTTP_404"]);
        assert.match(advice ?? "", /^Check the (?:name|id)/);
      }
    });

    it("does not call a token wrong because the service fails", async () => {
      at.emulator.faults.add({ service: "provisioning", status: 500, skip: 1, times: 100 });
      const report = await examined("provisioning");
      assert.deepEqual([report.status, found(report, "token").code], [1, "HTTP_500"]);
      assert.doesNotMatch(found(report, "token").message, /rejects/);
    });

    it("reports that it is asked too often", async () => {
      at.emulator.faults.add({ service: "provisioning", status: 429, times: 100 });
      assert.match(brief(await examined("provisioning")).join(), /problem \w+ HTTP_429/);
    });
  });
}

describe("doctor: the account behind a token", () => {
  for (const [access, message] of [
    ["full", "valid, may administer organizations"],
    ["read", "valid, may not administer organizations, which AdminOrganization and ModuleConsumers require"],
  ] as const) {
    describe(`with ${access} access, documented`, () => {
      const at = useEmulator("documented");

      it("says whether it may administer organizations", async () => {
        at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken({ access, name: "jane" }) });
        assert.equal(found(await examined("provisioning"), "token").message, message);
      });
    });
  }

  describe("of a product", () => {
    const at = useEmulator("hashicorp");

    it("names the user", async () => {
      at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken({ name: "jane" }) });
      assert.equal(found(await examined("provisioning"), "token").message, "valid, belongs to jane");
    });

    it("tells the token of an organization from a person's", async () => {
      at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken({ serviceAccount: true }) });
      const { state, advice } = found(await examined("provisioning"), "token");
      assert.equal(state, "note");
      assert.match(advice ?? "", /cannot manage notification configurations/);
    });
  });
});
