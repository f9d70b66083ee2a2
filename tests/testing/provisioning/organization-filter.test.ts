import assert from "node:assert/strict";
import { startEmulator, type Emulator, type NewOrganization } from "../../../sdk/testing";
import { at, call, type Reply } from "../call";
import { assertRefused } from "./refusal";

describe("narrowing the emulator's list of organizations", () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator();
  });
  beforeEach(() => emulator.reset());
  after(async () => emulator.close());

  const list = async (query: string): Promise<Reply> =>
    call(emulator, "provisioning", "GET", `/api/v2/admin/organizations?${query}`);
  const add = (name: string, attributes: Omit<NewOrganization, "name">) =>
    emulator.provisioning.addOrganization({ name, ...attributes });
  const namesIn = (reply: Reply): unknown[] => {
    const items = at(reply.body, "data");
    assert.ok(Array.isArray(items), JSON.stringify(reply.body));
    return items.map((item: unknown) => at(item, "id"));
  };

  const filled = (): void => {
    add("web", { notificationEmail: "one@acme.example", isDisabled: true });
    add("Web Shop", { notificationEmail: "two@other.example", moduleConsumers: ["web"] });
    add("api", { notificationEmail: "web@acme.example", globalModuleSharing: true });
    add("tools", { notificationEmail: "four@acme.example", globalProviderSharing: true });
    add("last", { notificationEmail: "five@acme.example", providerConsumers: ["web"] });
  };
  const everything = ["web", "Web Shop", "api", "tools", "last"];
  const queries: readonly [string, readonly string[]][] = [
    ["", everything],
    ["q=WEB", ["web", "Web Shop", "api"]],
    ["q=acme.EXAMPLE", ["web", "api", "tools", "last"]],
    ["q=", everything],
    ["q[name]=web", ["web", "Web Shop"]],
    ["q%5Bemail%5D=WEB", ["api"]],
    ["q[name]=web&q[email]=acme", ["web"]],
    ["q[name]=web&q[email]=web", []],
    ["q=tools&q[name]=web&q[email]=other", ["tools"]],
    ["filter[module_producer]=true", ["Web Shop", "api"]],
    ["filter[module_producer]=false", ["web", "tools", "last"]],
    ["filter[provider_producer]=true", ["tools", "last"]],
    ["filter[provider_producer]=false", ["web", "Web Shop", "api"]],
    ["filter[provider_producer]=false&filter[module_producer]=false&q=e", ["web"]],
  ];
  for (const [query, expected] of queries) {
    it(`narrows by ${query === "" ? "nothing" : query}`, async () => {
      filled();
      const reply = await list(query);
      assert.equal(reply.status, 200);
      assert.deepEqual(namesIn(reply), expected);
      assert.deepEqual(at(reply.body, "meta", "status-counts"), { total: 5, active: 4, disabled: 1 });
      assert.equal(at(reply.body, "meta", "pagination", "total-count"), expected.length);
    });
  }

  it("takes true and false only", async () => {
    for (const value of ["", "1", "yes", "True"]) {
      for (const name of ["filter[module_producer]", "filter[provider_producer]"]) {
        assertRefused(await list(`${name}=${value}`), 400, /true or false/, `?${name}`);
      }
    }
  });
});
