import assert from "node:assert/strict";
import { Service } from "../../bench/service";

describe("bench: service", () => {
  it("counts the requests of all services by method, until they are taken", async () => {
    const service = await Service.start();
    try {
      const { PROVISIONING_ADDR = "", SECRETS_ADDR = "" } = service.environment;
      await service.empty();
      for (const [address, method] of [
        [SECRETS_ADDR, "GET"],
        [SECRETS_ADDR, "POST"],
        [PROVISIONING_ADDR, "GET"],
      ] as const) {
        const response = await fetch(`${address}/v1/anything`, { method });
        await response.text();
      }
      assert.deepEqual(service.requests(), { GET: 2, POST: 1 });
      assert.deepEqual(service.requests(), {});
    } finally {
      service.close();
    }
  });
});
