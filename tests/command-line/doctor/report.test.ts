import assert from "node:assert/strict";
import type { ServiceReport } from "../../../sdk/command-line/doctor/examine";
import { reportData, reportLines } from "../../../sdk/command-line/doctor/report";
import type { Finding } from "../../../sdk/connection/probe";

function reportWith(...findings: Finding[]): ServiceReport {
  return {
    service: "secrets",
    configured: true,
    address: "https://secrets.example",
    dialect: "documented",
    settings: [{ name: "address", source: "the environment variable SECRETS_ADDR" }],
    product: undefined,
    findings,
  };
}

describe("the doctor's report", () => {
  it("is in columns, the advice below its subject, one sentence per line", () => {
    const report = reportWith(
      { state: "ok", check: "address", message: "reachable" },
      {
        state: "problem",
        check: "rights",
        message: "may not",
        subject: "entity aliases",
        advice: "Do this. Then that.",
      },
    );
    assert.deepEqual(reportLines([report], false), [
      "secrets  https://secrets.example  documented",
      "           address         from the environment variable SECRETS_ADDR",
      "  ok       address         reachable",
      "  problem  entity aliases  may not",
      "                           Do this.",
      "                           Then that.",
    ]);
  });

  it("colours only the first column, and only where colours are shown", () => {
    const report = reportWith({ state: "problem", check: "token", message: "refused" });
    const [, , plain = ""] = reportLines([report], false);
    const [, , coloured = ""] = reportLines([report], true);
    assert.equal(plain, "  problem  token    refused");
    assert.equal(coloured, "  \u001b[31mproblem\u001b[0m  token    refused");
  });

  it("lets nothing steer the terminal that comes from elsewhere", () => {
    const report = reportWith({
      state: "problem",
      check: "token",
      message: "\u001b[2Jgone",
      subject: "a\nb",
      advice: "\u0007",
    });
    assert.ok(reportLines([report], false).every((line) => !/\p{C}/u.test(line)));
  });

  it("leaves an empty line between services, and shows no settings of one that is not configured", () => {
    const report = reportWith();
    const other = { ...report, configured: false, address: undefined, dialect: undefined };
    assert.deepEqual(reportLines([report, other], false).slice(2), ["", "secrets"]);
  });

  it("says for programs which settings are secret", () => {
    const report = reportWith();
    const secret: ServiceReport = { ...report, settings: [{ name: "clientKey", source: "somewhere" }] };
    assert.deepEqual(reportData([secret], true), {
      adapter: "dynamic",
      ok: true,
      services: [
        {
          service: "secrets",
          configured: true,
          address: "https://secrets.example",
          dialect: "documented",
          product: null,
          settings: [{ name: "clientKey", source: "somewhere", secret: true }],
          findings: [],
        },
      ],
    });
  });
});
