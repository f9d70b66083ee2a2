import assert from "node:assert/strict";
import { Translation } from "./support/translation";

describe("the translation between a recording and today's services", () => {
  const learned = (): Translation => {
    const translation = new Translation();
    translation.learn(
      { data: { id: "prj-recorded", links: ["/projects/prj-recorded"], name: "payments", size: 1 } },
      { data: { id: "prj-today", links: ["/projects/prj-today"], name: "payments", size: 2 } },
    );
    return translation;
  };

  it("replaces names in both directions, wherever they are", () => {
    assert.equal(
      learned().toToday("GET /projects/prj-recorded?x=prj-recorded"),
      "GET /projects/prj-today?x=prj-today",
    );
    assert.equal(learned().toRecorded('{"id":"prj-today"}'), '{"id":"prj-recorded"}');
  });

  it("leaves alone what is the same, what is short and what it has not seen", () => {
    const translation = learned();
    translation.learn({ kind: "short" }, { kind: "other" });
    translation.learn({ only: "recorded-only" }, null);
    const text = "payments short recorded-only prj-other";
    assert.equal(translation.toToday(text), text);
  });

  it("takes the longer of two names that begin alike, and replaces nothing twice", () => {
    const translation = new Translation();
    translation.learn(["lease-one", "lease-one/more"], ["lease-two", "lease-one"]);
    assert.equal(translation.toToday("lease-one lease-one/more"), "lease-two lease-one");
  });

  it("refuses what is one thing in the recording and two today, and the other way round", () => {
    assert.throws(
      () => learned().learn("prj-recorded", "prj-else"),
      /prj-recorded is prj-today and prj-else/,
    );
    assert.throws(() => learned().learn("prj-else", "prj-today"), /prj-else/);
  });
});
