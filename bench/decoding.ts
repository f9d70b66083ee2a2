import { internals } from "./library";
import { type Contender, speed } from "./rounds";
import { nonLatinStream, recordedStream, smallStream, type Stream } from "./streams";
import type { Goal, Row } from "./table";

const rounds = 16;
/** What the library takes for a frame at most, unless a user says otherwise. */
const maxFrameSize = 16 * 1024 * 1024;

/** How fast the bytes of an event stream become frames, in terms of how fast its lines are parsed. */
export function decoding(): readonly Row[] {
  return [
    ...rows(recordedStream("newline framing"), { bound: "least", value: 0.8 }),
    ...rows(smallStream()),
    ...rows(nonLatinStream()),
    ...rows(recordedStream("concatenated framing")),
  ];
}

/** @param goal what is to be reached beside the parsing of texts */
function rows({ title, chunks, lines }: Stream, goal?: Goal): readonly Row[] {
  const texts = lines.map((line) => line.toString());
  const decode = decodingOf(chunks);
  const parseTexts = speed(decode, parsingOf(texts), rounds);
  const parseBytes = speed(decode, parsingOf(lines), rounds);
  const what = `decoding events: ${title}`;
  return [
    {
      what,
      how: "CPU time of bare JSON.parse of the same lines, each already a text in memory / CPU time of the decoder, from 64 KB chunks to frames",
      unit: "x",
      figures: [{ value: parseTexts }],
      goal,
    },
    {
      what,
      how: "CPU time of bare JSON.parse of the same lines, each made a text from its bytes first / the same",
      unit: "x",
      figures: [{ value: parseBytes }],
    },
  ];
}

/** From bytes to the frames that `streamEvents` gives. */
function decodingOf(chunks: readonly Uint8Array[]): Contender {
  const { FrameDecoder } = internals.decoder();
  const { readFrame } = internals.frame();
  return () => {
    const decoder = new FrameDecoder(maxFrameSize);
    let count = 0;
    for (const chunk of chunks) {
      for (const object of decoder.decode(chunk)) {
        count += readFrame(object)?.events.length ?? 0;
      }
    }
    return count;
  };
}

function parsingOf(lines: readonly (string | Buffer)[]): Contender {
  return () => {
    let count = 0;
    for (const line of lines) {
      const frame = JSON.parse(line.toString()) as { readonly Events?: readonly unknown[] };
      count += frame.Events?.length ?? 0;
    }
    return count;
  };
}
