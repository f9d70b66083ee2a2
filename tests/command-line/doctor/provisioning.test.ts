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

    it("tells what the main token may do in an organization and a workspace", async () => {
      const report = await examined("provisioning", "--organization", "acme", "--workspace", workspace);
      assert.equal(report.status, 0);
      assert.equal(found(report, "rights", "administration").state, "ok");
      assert.equal(
        found(report, "rights", "acme").message,
        "may see 1 project, change 1, create workspaces in 1",
      );
      assert.equal(found(report, "rights", workspace).message, "may see 0 notification configurations");
    });

    it("tells a token that may only read", async () => {
      restrict({ access: "read", name: "reader" });
      const report = await examined("provisioning", "--organization", "acme");
      assert.equal(report.status, 0);
      assert.equal(found(report, "rights", "administration").state, "note");
      assert.equal(
        found(report, "rights", "acme").message,
        "may see 1 project, change none, create workspaces in none",
      );
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

    it("says how to learn more", async () => {
      assert.match(
        found(await examined("provisioning"), "rights", "projects").advice ?? "",
        /--organization NAME/,
      );
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
  const at = useEmulator("hashicorp");

  it("names the user", async () => {
    at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken({ name: "jane" }) });
    assert.equal(found(await examined("provisioning"), "token").message, "valid, belongs to jane");
  });

  it("tells the token of an organization from a person's", async () => {
    at.surround({ PROVISIONING_TOKEN: at.emulator.provisioning.addToken({ serviceAccount: true }) });
    const tokens = (await examined("provisioning")).findings.filter(({ check }) => check === "token");
    assert.deepEqual(
      tokens.map(({ state }) => state),
      ["ok", "note"],
    );
    assert.match(tokens[1]?.advice ?? "", /cannot manage notification configurations/);
  });
});
