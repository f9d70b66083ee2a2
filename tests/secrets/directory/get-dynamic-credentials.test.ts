import assert from "node:assert/strict";
import { getDynamicCredentials } from "../../../sdk/secrets/directory/get-dynamic-credentials";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useMocks } from "../../resource/mocks";
import { useEmulator } from "../../support/use-emulator";
import { addDynamicRole, mintedAccounts } from "./emulated-role";

const mint = { method: "GET", path: "/v1/ldap/creds/:name" };

describe("secrets.directory.getDynamicCredentials", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await addDynamicRole(emulator);
    emulator.journal.clear();
  });

  it("mints another credential each time", async () => {
    const [first, second] = [
      await getDynamicCredentials({ roleName: "reports" }),
      await getDynamicCredentials({ roleName: "reports", mount: "ldap" }),
    ];
    assert.deepEqual([first.username, second.username], mintedAccounts(emulator));
    const [minted] = emulator.inspect().secrets.directoryIssuedAccounts;
    const { password, ...rest } = first;
    assert.deepEqual(rest, {
      username: minted?.username,
      distinguishedNames: [...(minted?.distinguishedNames ?? [])],
      leaseId: minted?.leaseId,
      leaseDuration: 7200,
    });
    assert.ok(password.length > 10);
  });

  it("does not try again when the answer is lost, and says what may exist", async () => {
    emulator.faults.add({ ...mint, drop: "after" });
    const error = await failure(getDynamicCredentials({ roleName: "reports" }));
    assert.match(error.message, /The service may have made a credential all the same\./);
    assert.equal(emulator.journal.count(mint), 1);
  });

  it("refuses arguments that cannot be right, without a request", async () => {
    const error = await failure(getDynamicCredentials({ roleName: "" }));
    assert.equal(error.message, "secrets.directory.getDynamicCredentials: roleName must not be empty.");
    assert.equal(emulator.journal.count(), 0);
  });
});

describe("secrets.directory.getDynamicCredentials, in a program", () => {
  useMocks();

  it("is refused", async () => {
    assert.equal(
      (await failure(getDynamicCredentials({ roleName: "reports" }))).message,
      "secrets.directory.getDynamicCredentials changes something, and a Pulumi program runs in previews and destroys " +
        "too: use the resource secrets.directory.DynamicCredential instead.",
    );
  });
});
