import assert from "node:assert/strict";
import fc from "fast-check";
import { ContractError } from "../../sdk/base/errors";
import {
  identifiersDocument,
  jsonApiMediaType,
  readResource,
  readResourceList,
  resourceDocument,
} from "../../sdk/http/json-api";
import type { HttpResponse } from "../../sdk/http/transport";

function response(body: unknown): HttpResponse {
  return {
    status: 200,
    headers: {},
    body,
    size: 0,
    request: "GET https://service.example/projects/prj-1",
  };
}

function refused(run: () => unknown, at: string, problem: string): void {
  assert.throws(run, (error: unknown) => {
    assert.ok(ContractError.isInstance(error), String(error));
    assert.equal(error.at, at);
    assert.ok(error.message.includes(problem), error.message);
    assert.ok(error.message.includes("GET https://service.example/projects/prj-1"));
    return true;
  });
}

const project = {
  id: "prj-1",
  type: "projects",
  attributes: { name: "one" },
  relationships: { organization: { data: { id: "acme", type: "organizations" } } },
  links: { self: "/api/v2/projects/prj-1" },
};

describe("JSON:API", () => {
  it("reads a resource with what is included", () => {
    const owner = { id: "user-1", type: "users", attributes: { email: null } };
    const resource = readResource(response({ data: project, included: [owner] }), "projects");
    assert.deepEqual(resource, {
      ...project,
      meta: {},
      included: [{ ...owner, relationships: {}, links: {}, meta: {} }],
    });
  });

  it("reads a resource that has nothing but type and id", () => {
    assert.deepEqual(readResource(response({ data: { id: "1", type: "a" } }), "a"), {
      ...{ id: "1", type: "a", attributes: {}, relationships: {}, links: {}, meta: {} },
      included: [],
    });
  });

  const refusals: readonly [unknown, string, string][] = [
    [undefined, "", "expected an object, got nothing"],
    ["text", "", "expected an object, got a string"],
    [{}, "data", "expected an object, got nothing"],
    [{ data: null }, "data", "expected an object, got null"],
    [{ data: [project] }, "data", "expected an object, got a list"],
    [{ data: { ...project, id: 7 } }, "data.id", "expected a non-empty string, got a number"],
    [{ data: { ...project, id: "" } }, "data.id", "expected a non-empty string"],
    [{ data: { ...project, id: "a\ud800" } }, "data.id", "expected a well-formed string"],
    [{ data: { ...project, type: undefined } }, "data.type", "got nothing"],
    [{ data: { ...project, type: "teams" } }, "data.type", "expected projects"],
    [{ data: { ...project, attributes: [] } }, "data.attributes", "expected an object, got a list"],
    [{ data: { ...project, relationships: "" } }, "data.relationships", "expected an object, got a string"],
    [{ data: { ...project, links: 1 } }, "data.links", "expected an object, got a number"],
    [{ data: { ...project, meta: true } }, "data.meta", "expected an object, got a boolean"],
    [{ data: project, included: {} }, "included", "expected a list, got an object"],
    [{ data: project, included: [{ id: "1" }] }, "included[0].type", "got nothing"],
  ];
  for (const [body, at, problem] of refusals) {
    it(`says where ${body === undefined ? "nothing" : JSON.stringify(body)} is not as documented`, () => {
      refused(() => readResource(response(body), "projects"), at, problem);
    });
  }

  it("treats null as a member that is not there", () => {
    const nothing = { attributes: null, relationships: null, links: null, meta: null };
    assert.deepEqual(
      readResource(response({ data: { ...project, ...nothing }, included: null }), "projects"),
      {
        ...{ id: "prj-1", type: "projects", attributes: {}, relationships: {}, links: {}, meta: {} },
        included: [],
      },
    );
    assert.deepEqual(readResourceList(response({ data: [], meta: null, links: null }), "projects").meta, {});
  });

  it("says that an id is too long to be one", () => {
    const id = "x".repeat(1_000);
    assert.equal(readResource(response({ data: { ...project, id } }), "projects").id, id);
    refused(
      () => readResource(response({ data: { ...project, id: "x".repeat(1_001) } }), "projects"),
      "data.id",
      "expected a well-formed string of at most 1000 characters",
    );
  });

  it("reads a list with its meta and links", () => {
    const meta = { "status-counts": { total: 1 } };
    const included = [{ id: "user-1", type: "users" }];
    const body = { data: [project], included, meta, links: { next: null } };
    const list = readResourceList(response(body), "projects");
    assert.deepEqual(
      list.included.map(({ type, id }) => `${type} ${id}`),
      ["users user-1"],
    );
    assert.deepEqual(
      list.resources.map(({ id }) => id),
      ["prj-1"],
    );
    assert.deepEqual(list.meta, meta);
    assert.deepEqual(list.links, { next: null });
    assert.deepEqual(readResourceList(response({ data: [] }), "projects"), {
      resources: [],
      included: [],
      meta: {},
      links: {},
    });
  });

  it("says which item of a list is not as documented", () => {
    refused(
      () => readResourceList(response({ data: [project, {}] }), "projects"),
      "data[1].type",
      "got nothing",
    );
    for (const [body, at, problem] of [
      [[], "", "expected an object, got a list"],
      [{ data: project }, "data", "expected a list, got an object"],
      [{ data: [{ ...project, type: "teams" }] }, "data[0].type", "expected projects"],
      [{ data: [], included: [{}, {}] }, "included[0].type", "got nothing"],
      [{ data: [], included: {} }, "included", "expected a list, got an object"],
      [{ data: [], meta: [] }, "meta", "expected an object, got a list"],
      [{ data: [], links: [] }, "links", "expected an object, got a list"],
    ] as const) {
      refused(() => readResourceList(response(body), "projects"), at, problem);
    }
  });

  it("throws nothing but contract errors, whatever comes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (data, included) => {
        for (const read of [readResource, readResourceList]) {
          try {
            read(response({ data, included }), "projects");
          } catch (error) {
            assert.ok(ContractError.isInstance(error));
          }
        }
      }),
    );
  });

  it("has the media type that is registered for it", () => {
    assert.equal(jsonApiMediaType, "application/vnd.api+json");
  });

  it("writes documents", () => {
    const document = resourceDocument({
      type: "projects",
      id: undefined,
      attributes: { name: "n", token: null },
    });
    assert.equal(
      JSON.stringify(document),
      '{"data":{"type":"projects","attributes":{"name":"n","token":null}}}',
    );
    assert.deepEqual(identifiersDocument("workspaces", ["ws-1", "ws-2"]), {
      data: [
        { type: "workspaces", id: "ws-1" },
        { type: "workspaces", id: "ws-2" },
      ],
    });
  });
});
