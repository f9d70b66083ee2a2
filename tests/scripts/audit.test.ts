import assert from "node:assert/strict";
import { join } from "node:path";
import { type Accepted, readAccepted, readAudit, unaccepted } from "../../scripts/audit";
import { repository } from "../support/packed-library";

const report = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: {
    first: {
      via: [
        {
          source: 1,
          name: "first",
          title: "Reads what it should not",
          url: "https://advisories.example/GHSA-aaaa-aaaa-aaaa",
          severity: "high",
        },
        "second",
      ],
    },
    second: { via: ["first"] },
  },
});

describe("the audit of dependencies", () => {
  it("finds each advisory once", () => {
    const audit = readAudit(report);
    assert.ok(audit.kind === "found");
    assert.deepEqual(
      audit.advisories.map(({ advisory, package: name, severity }) => [advisory, name, severity]),
      [["GHSA-aaaa-aaaa-aaaa", "first", "high"]],
    );
  });

  it("accepts what the list names, for users only what it accepts for them", () => {
    const audit = readAudit(report);
    assert.ok(audit.kind === "found");
    const entry = (scope: Accepted["scope"]): Accepted => ({
      advisory: "GHSA-aaaa-aaaa-aaaa",
      package: "first",
      scope,
      reason: "It concerns a server, and we use the client.",
    });
    const open = (accepted: readonly Accepted[], scope: Accepted["scope"]): number =>
      unaccepted(audit.advisories, accepted, scope).length;
    assert.deepEqual([open([], "production"), open([], "development")], [1, 1]);
    assert.deepEqual(
      [open([entry("development")], "production"), open([entry("development")], "development")],
      [1, 0],
    );
    assert.deepEqual(
      [open([entry("production")], "production"), open([entry("production")], "development")],
      [0, 0],
    );
  });

  for (const [what, output, kind] of [
    ["a registry without audits", '{"message": "405 Method Not Allowed", "statusCode": 405}', "not offered"],
    ["a registry that fails", '{"message": "500 Internal Server Error", "statusCode": 500}', "failed"],
    ["no network", '{"message": "request failed, reason: getaddrinfo ENOTFOUND"}', "failed"],
    ["no JSON", "npm: command not found", "failed"],
    ["JSON that says nothing", "{}", "failed"],
    ["nothing", "", "failed"],
  ] as const) {
    it(`does not treat ${what} as a clean audit`, () => assert.equal(readAudit(output).kind, kind));
  }

  it("has a list that can be read, with a reason for each", () => {
    readAccepted(join(repository, "contributing", "audit-accepted.json"));
  });
});
