import assert from "node:assert/strict";
import { readFrame } from "../../sdk/scheduler/decoder";
import { Sightings } from "../../sdk/scheduler/await-event";
import { wireEvent, wireFrame } from "./wire";

describe("Sightings", () => {
  let sightings: Sightings;
  beforeEach(() => {
    sightings = new Sightings();
  });
  const see = (index: number, members: Readonly<Record<string, unknown>> = {}): void =>
    readFrame(wireFrame(index, [wireEvent(index, members)]))?.events.forEach((event) => sightings.add(event));

  it("say when there were none", () => {
    assert.equal(sightings.summary, "no other seen");
    assert.equal(sightings.describe(), "No other event was seen in the meantime.");
  });

  it("count by topic and type, the most frequent first, and name the last three", () => {
    see(1);
    [2, 3, 4].forEach((index) => see(index, { Topic: "Job", Type: "JobRegistered", Namespace: "team" }));
    assert.equal(sightings.summary, '4 events seen, the last Job/JobRegistered "n4" in team at 4');
    assert.equal(
      sightings.describe(),
      "Seen in the meantime: 4 events (3 Job/JobRegistered, 1 Node/NodeRegistration); the last: " +
        'Job/JobRegistered "n2" in team at 2, Job/JobRegistered "n3" in team at 3, Job/JobRegistered "n4" in team at 4.',
    );
  });

  it("name at most ten kinds", () => {
    for (let index = 1; index <= 13; index++) {
      see(index, { Type: `Type${index}` });
    }
    assert.match(sightings.describe(), /1 Node\/Type10, and 3 more types\)/);
  });

  it("are short and limited in number, whatever the names are", () => {
    const long = "x".repeat(100_000);
    see(1, { Topic: long, Type: long, Key: long, Namespace: long });
    assert.ok(sightings.summary.length < 1_000);
    for (let index = 2; index <= 3_000; index++) {
      see(index, { Type: `Type${index}` });
    }
    assert.match(
      sightings.describe(),
      /^Seen in the meantime: 3000 events \(2000 of other types, .* and 991 more types\)/,
    );
    assert.ok(sightings.describe().length < 2_000);
  });

  it("repeat nothing of a payload", () => {
    see(1, { Payload: { Node: { Meta: { password: "canary" } } } });
    assert.ok(!(sightings.describe() + sightings.summary).includes("canary"));
  });

  it("report gaps and interruptions", () => {
    sightings.missed({ after: 3, next: 9 });
    sightings.interrupted("the scheduler sent nothing for too long");
    assert.equal(
      sightings.describe(),
      "No other event was seen in the meantime. Events between the indexes 3 and 9 may have been missed. " +
        "The connection was interrupted; the last reason: the scheduler sent nothing for too long.",
    );
  });
});
