import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { call, type CallOptions, type Reply } from "../call";

describe("what the emulated product says about itself and its callers", () => {
  const emulator = useEmulator({ dialect: { provisioning: "hashicorp" } });

  const ask = async (path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", "GET", `/api/v2${path}`, options);
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
});
