import assert from "node:assert/strict";
import { TriviumError } from "../../sdk/base/errors";
import { projectMember } from "../../sdk/provisioning/project";
import { listModuleConsumers, listNotificationConfigurations, listProjects } from "../../sdk/provisioning";
import { listAdminOrganizations } from "../../sdk/provisioning/admin-organization";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { json, startServer, stopServers } from "../http/server";
import { clientOf } from "./emulated-client";

type Pages = readonly (readonly string[])[];

const before: Pages = [["a-1", "a-2"], ["a-3"]];
/** An object before the others is deleted after the first page: a-3 is on no page. */
const shrunk: Pages = [["a-1", "a-2"], []];
/** One is created: a-2 is on both pages. */
const grown: Pages = [
  ["a-1", "a-2"],
  ["a-2", "a-3"],
];

describe("a list that changes between two pages", () => {
  let address = "";
  let readings: Pages[] = [];
  let lists = 0;
  useEnvironment(() => ({
    PROVISIONING_ADDR: address,
    PROVISIONING_TOKEN: "t",
    PROVISIONING_MAX_RETRIES: "0",
  }));
  afterEach(stopServers);

  /** Each reading begins with the first page; the last one is repeated. Every object itself is a 404. */
  async function serve(type: string, ...all: Pages[]): Promise<void> {
    readings = all;
    lists = 0;
    const server = await startServer((response, { url }) => {
      const number = Number(new URL(url, "http://a.example").searchParams.get("page[number]"));
      if (number === 0) {
        json(response, 404, { errors: [{ status: "404", title: "not found" }] });
        return;
      }
      lists += number === 1 ? 1 : 0;
      const pages = readings[Math.min(lists, readings.length) - 1] ?? [];
      const total = number === 1 ? 3 : pages.flat().length;
      const pagination = { "next-page": number < pages.length ? number + 1 : null, "total-count": total };
      const data = (pages[number - 1] ?? []).map((id) => ({
        id,
        type,
        attributes: {
          name: id,
          permissions: { "can-create-workspace": true, "can-update": true, "can-destroy": true },
          "destination-type": "generic",
          url: "https://a.example",
          enabled: true,
          triggers: [],
        },
      }));
      json(response, 200, { data, meta: { pagination } });
    });
    address = server.address;
    process.env.PROVISIONING_ADDR = address;
  }

  const readers: Readonly<Record<string, readonly [type: string, read: () => Promise<readonly unknown[]>]>> =
    {
      listProjects: ["projects", async () => (await listProjects({ organization: "acme" })).projects],
      listAdminOrganizations: ["organizations", async () => (await listAdminOrganizations({})).organizations],
      listModuleConsumers: [
        "organizations",
        async () => (await listModuleConsumers({ organization: "acme" })).organizations,
      ],
      listNotificationConfigurations: [
        "notification-configurations",
        async () =>
          (await listNotificationConfigurations({ workspaceId: "ws-1" })).notificationConfigurations,
      ],
    };
  for (const [name, [type, read]] of Object.entries(readers)) {
    it(`${name} reads a changing list again, and fails if it keeps changing`, async () => {
      await serve(type, shrunk, grown, before);
      assert.equal((await read()).length, 3);
      assert.equal(lists, 3);
      for (const changing of [shrunk, grown]) {
        await serve(type, changing);
        const { message } = await failure(read());
        assert.match(
          message,
          /returned a list that kept changing while it was read, 4 times in a row \((?:total-count was 3, then [24]|page 2 has a-2 again)\)\. Run the command again when/,
        );
        assert.equal(lists, 4);
      }
    });
  }

  it("a changing list does not prove that an object on none of the received pages is missing", async () => {
    await serve("projects", shrunk);
    const absent = () =>
      clientOf({ provisioning: { address, token: "t" } }).readMember(projectMember("a-3", "acme"));
    const { message } = await failure(absent(), TriviumError);
    assert.match(
      message,
      /could not tell which: .*kept changing while it was read, 4 times.* State is unchanged\./,
    );
    await serve("projects", shrunk, before);
    assert.match((await failure(absent())).message, /although it exists: the token lacks permission/);
    await serve("projects", shrunk, [["a-1", "a-2"], ["a-4"]]);
    assert.equal(await absent(), undefined);
  });
});
