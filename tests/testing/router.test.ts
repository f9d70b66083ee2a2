import assert from "node:assert/strict";
import { Router, type Endpoint } from "../../sdk/testing/router";
import { failureWithoutPackages } from "./without-packages";

describe("the emulator's router", () => {
  const endpoint = (method: Endpoint["method"], path: string): Endpoint => ({ method, path });
  const list = endpoint("GET", "/things");
  const show = endpoint("GET", "/things/:id");
  const remove = endpoint("DELETE", "/things/:id");
  const router = new Router([list, show, remove, endpoint("POST", "/things/:id/parts/:part")]);

  it("finds endpoints and the values in their paths", () => {
    assert.deepEqual(router.find("GET", "/things"), { target: list, parameters: {} });
    assert.deepEqual(router.find("DELETE", "/things/a%2Fb%25"), {
      target: remove,
      parameters: { id: "a/b%" },
    });
    const found = router.find("POST", "/things/1/parts/2");
    assert.deepEqual(found !== undefined && "parameters" in found && found.parameters, {
      id: "1",
      part: "2",
    });
    const long = "x".repeat(1_000);
    assert.deepEqual(router.find("GET", `/things/${long}`), { target: show, parameters: { id: long } });
  });

  it("names the methods of a path that does not know this one", () => {
    assert.deepEqual(router.find("PATCH", "/things/1"), { allowedMethods: ["GET", "DELETE"] });
    assert.deepEqual(router.find("OPTIONS", "/things"), { allowedMethods: ["GET"] });
  });

  for (const path of [
    "/",
    "/thing",
    "/things/",
    "/things/1/parts",
    "things",
    "*",
    "http://host/things",
    "/things/%zz",
  ]) {
    it(`does not find ${path}`, () => assert.equal(router.find("GET", path), undefined));
  }

  it("says what to install where its package is missing", () => {
    assert.match(
      failureWithoutPackages('require("./testing")'),
      /needs the package "find-my-way", which is not installed.*npm install --save-dev find-my-way@9\n$/,
    );
  });
});
