import fc from "fast-check";
import assert from "node:assert/strict";
import { ContractError } from "../../sdk/base/errors";
import { FrameDecoder, readFrame, utf8Text } from "../../sdk/scheduler/decoder";
import { failure } from "../http/calls";
import { recordedStream, wireEvent, wireFrame } from "./raw-scheduler";

const plentiful = 1024 * 1024;

function decode(chunks: readonly Uint8Array[], maxFrameSize = plentiful): unknown[] {
  const decoder = new FrameDecoder(maxFrameSize);
  return chunks.flatMap((chunk) => [...decoder.decode(chunk)]);
}

/** What is decoded before it turns out to be wrong, and in which words. */
function failing(chunks: readonly Uint8Array[], maxFrameSize = plentiful): [unknown[], string, string?] {
  const decoder = new FrameDecoder(maxFrameSize);
  const decoded: unknown[] = [];
  try {
    for (const chunk of chunks) {
      for (const object of decoder.decode(chunk)) {
        decoded.push(object);
      }
    }
    if (decoder.text !== undefined) {
      throw decoder.refusal;
    }
  } catch (error) {
    assert.ok(ContractError.isInstance(error), String(error));
    return [decoded, error.message, error.advice];
  }
  return assert.fail("nothing was wrong");
}

const bytesOf = (text: string): Buffer => Buffer.from(text);

/** The same bytes in pieces of one size. */
function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

describe("FrameDecoder", () => {
  const streams: readonly [string, string, readonly unknown[]][] = [
    ["nothing", "", []],
    ["blanks", " \r\n\t\n\n", []],
    ["heartbeats", "{}\n{}\n", [{}, {}]],
    ["lines", '{"Index":1}\n{"Index":2}\n', [{ Index: 1 }, { Index: 2 }]],
    ["lines with carriage returns", '{"Index":1}\r\n\r\n{}\r\n', [{ Index: 1 }, {}]],
    ["consecutive objects", '{"Index":1}{}{"Index":2}', [{ Index: 1 }, {}, { Index: 2 }]],
    ["a last object without a newline", '{}\n{"Index":1}', [{}, { Index: 1 }]],
    ["both ways", '{}\n{"a":1}{"b":2}\n\n {"c":3} {}\n{}', [{}, { a: 1 }, { b: 2 }, { c: 3 }, {}, {}]],
    ["objects over several lines", '{\n  "a": [\n    1\n  ]\n}\n{\n}\n{"b":2}\n', [{ a: [1] }, {}, { b: 2 }]],
    [
      "brackets, quotes and escapes in strings",
      '{"a":"}{\\"]\\\\"}{"b":"\\\\\\""}\n{"c":"\\u007d[{"}\n',
      [{ a: '}{"]\\' }, { b: '\\"' }, { c: "}[{" }],
    ],
    ["long characters", '{"é":"漢🙂"}\n{"é":"漢"}{"🙂":1}', [{ é: "漢🙂" }, { é: "漢" }, { "🙂": 1 }]],
    ["an object cut off at the end", '{"a":1}\n{"b":', [{ a: 1 }]],
    ["lists of objects", '[{"a":1},{"b":2}]\n[\n  {"c":3}\n]\n[]', [{ a: 1 }, { b: 2 }, { c: 3 }]],
    ["one list that does not end", '[{"a":[1]}\n,{"b":2}\n,', [{ a: [1] }, { b: 2 }]],
    ["record separators, and a byte order mark", '\ufeff\x1e{"a":1}\n\x1e{"b":2}\n', [{ a: 1 }, { b: 2 }]],
    ["null between objects", 'null\n{"a":1}null{"b":2}\n[null,{"c":3}]nul', [{ a: 1 }, { b: 2 }, { c: 3 }]],
  ];
  for (const [title, text, objects] of streams) {
    it(`the decoder reads ${title}, in pieces of any size`, () => {
      const bytes = bytesOf(text);
      for (let size = 1; size <= bytes.length + 1; size++) {
        assert.deepEqual(decode(pieces(bytes, size)), objects, `pieces of ${size}`);
      }
    });
  }

  for (const separator of ["\n", "\r\n", ""]) {
    it(`the decoder reads the recording of a real scheduler, however it is split, with ${JSON.stringify(separator)} after each frame`, () => {
      const lines = recordedStream.toString().trim().split("\n");
      const expected = lines.map((line) => JSON.parse(line) as unknown);
      const bytes = bytesOf(lines.map((line) => line + separator).join(""));
      for (const size of [1, 7, 1000, 4096, 65_536, bytes.length]) {
        assert.deepEqual(decode(pieces(bytes, size)), expected, `pieces of ${size}`);
      }
    });
  }

  const inObjects = '{"a":1|}|{"b":2}{"c":|3}\n{"d":4}';
  const inLines = '{}\n{}\n|{"a":|1}|\n{"b":2}\n{"c';
  for (const [what, chunks, objects] of [
    ["an object as soon as its last byte has arrived", inObjects, '[] [{"a":1}] [{"b":2}] [{"c":3},{"d":4}]'],
    ["a complete line at once, even without a newline", inLines, '[{},{}] [] [{"a":1}] [{"b":2}]'],
  ] as const) {
    it(`the decoder returns ${what}`, () => {
      const decoder = new FrameDecoder(plentiful);
      const read = chunks.split("|").map((chunk) => JSON.stringify([...decoder.decode(bytesOf(chunk))]));
      assert.equal(read.join(" "), objects);
    });
  }

  it("the decoder keeps a text instead of a frame, however it is split, and reads nothing after it", () => {
    const text = 'événement dropped {"a":2}\n';
    for (const size of [1, 7, 100]) {
      const decoder = new FrameDecoder(plentiful);
      const bytes = bytesOf(`{"a":1}\n${text}`);
      const objects = pieces(bytes, size).flatMap((piece) => [...decoder.decode(piece)]);
      assert.deepEqual(objects, [{ a: 1 }]);
      assert.equal(decoder.text?.replace(/^.*nement/, "événement"), text, `pieces of ${size}`);
    }
  });

  const wrong: readonly [string, string, readonly unknown[], RegExp][] = [
    ["a page of markup", '<!DOCTYPE html>\n<html lang="en"></html>', [], /got an HTML page/],
    ["a list of numbers", "{}\n[1]\n", [{}], /something that is not a JSON object/],
    ["a text", '"a"\n', [], /something that is not a JSON object/],
    ["a word like null", "{}\nnumb\n", [{}], /something that is not a JSON object/],
    ["rubbish after an object", '{"a":1}rubbish\n', [{ a: 1 }], /something that is not a JSON object/],
    ["brackets around no JSON", '{"a":1}\n{canary}\n', [{ a: 1 }], /a frame that is not JSON/],
    ["brackets that do not match", '{"a":[1}}\n', [], /a frame that is not JSON/],
  ];
  for (const [title, text, before, message] of wrong) {
    it(`the decoder rejects ${title} without showing it, after it has returned earlier frames`, () => {
      const bytes = bytesOf(text);
      // Markup is recognized when enough of it is there at once.
      for (let size = title.includes("markup") ? 20 : 1; size <= bytes.length; size++) {
        const [decoded, problem, advice] = failing(pieces(bytes, size));
        assert.deepEqual(decoded, before, `pieces of ${size}`);
        assert.match(advice ?? problem, /check the address|a frame that is not JSON/);
        assert.match(problem, message);
        assert.ok(!problem.includes("canary"));
      }
    });
  }

  it("the decoder rejects a frame that is too long, however it is split, and names the limit and its setting", () => {
    const frame = JSON.stringify({ text: "é".repeat(50) });
    const length = Buffer.byteLength(frame);
    for (const text of [`{}\n${frame}\n`, `{}${frame}`]) {
      const bytes = bytesOf(text);
      for (let size = 1; size <= bytes.length; size++) {
        const [decoded, problem, hint] = failing(pieces(bytes, size), length - 1);
        assert.deepEqual(decoded, [{}], `pieces of ${size}`);
        assert.match(problem, new RegExp(`longer than ${length - 1} bytes`));
        assert.match(hint ?? "", /maxFrameSize/);
        assert.equal(decode(pieces(bytes, size), length).length, 2);
      }
    }
  });

  it("the decoder rejects a frame without an end as soon as it is too long", () => {
    const decoder = new FrameDecoder(1000);
    assert.throws(() => {
      for (let count = 0; count < 1000; count++) {
        decoder.decode(bytesOf(`{"a":"${"x".repeat(10)}`)).next();
      }
    }, /longer than 1000 bytes/);
  });
});

it("utf8Text decodes any bytes as the usual decoder does", () => {
  const texts = fc.string({ unit: "binary", maxLength: 40 }).map((text) => Buffer.from(text));
  const rubbish = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(texts, rubbish), (bytes) => utf8Text(bytes) === bytes.toString("utf8")),
    // A byte order mark stays, and what breaks off is replaced.
    { numRuns: 2000, examples: [[Buffer.from("\ufeffé")], [Buffer.from("a漢").subarray(0, 3)]] },
  );
});

describe("readFrame", () => {
  const read = {
    topic: "Job",
    type: "JobRegistered",
    key: "web",
    namespace: "",
    filterKeys: null,
    index: 4,
    payload: {},
  };
  const job = { Topic: "Job", Type: "JobRegistered", Key: "web" };

  it("readFrame gives events the library's names, and passes through payloads and unknown topics and types", () => {
    const payload = { Job: { ID: "web", Unheard: { of: [1] } }, Beside: null };
    const names = { Topic: "Service", Type: "Anything", Key: "web", Namespace: "default" };
    const event = { ...names, FilterKeys: ["web", ""], Index: 0, Payload: payload, More: 1 };
    const known = { topic: "Service", type: "Anything", key: "web", namespace: "default" };
    const events = [{ ...known, filterKeys: ["web", ""], index: 0, payload }];
    assert.deepEqual(readFrame(wireFrame(7, [event])), { index: 7, events });
  });

  for (const nothing of [{}, { Namespace: null, FilterKeys: null, Index: null, Payload: null }]) {
    it(`readFrame accepts missing members: ${JSON.stringify(nothing)}`, () =>
      assert.deepEqual(readFrame({ Index: 4, Events: [{ ...job, ...nothing }] })?.events, [read]));
  }

  for (const object of [{}, { Index: 0 }, { Index: 5, Events: null }, { Index: 5, Events: [] }]) {
    it(`readFrame treats ${JSON.stringify(object)} as a heartbeat`, () =>
      assert.equal(readFrame(object), undefined));
  }

  const having = (members: object) => wireFrame(1, [wireEvent(1, { ...members })]);
  const names = "Topic, Type and Key of Events[0] of a frame to be strings";
  const keys = "Events[0].FilterKeys of a frame to be a list of strings or null";
  const wrong: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ Index: 1, Events: {} }, "Events of a frame to be a list"],
    [wireFrame(1, [wireEvent(1), "canary" as never]), "Events[1] of a frame to be an object"],
    ...["Topic", "Type", "Key"].map((member) => [having({ [member]: 5 }), names] as const),
    [having({ Namespace: 1 }), "Events[0].Namespace of a frame to be a string"],
    [having({ Index: "1" }), "Events[0].Index of a frame to be a whole number"],
    [having({ FilterKeys: "web" }), keys],
    [having({ FilterKeys: ["web", 1] }), keys],
    [having({ Payload: "canary" }), "Events[0].Payload of a frame to be an object"],
    ...[undefined, -1, 0.5, Number.POSITIVE_INFINITY, 2 ** 53].map(
      (Index) => [{ ...having({}), Index }, "Index of a frame to be a whole number"] as const,
    ),
  ];
  for (const [object, expected] of wrong) {
    it(`readFrame rejects ${JSON.stringify(object)}: it expects ${expected}`, async () => {
      const { message } = await failure(
        Promise.resolve().then(() => readFrame(object)),
        ContractError,
      );
      assert.ok(message.includes(expected) && !message.includes("canary"), message);
    });
  }
});
