import { internals } from "./library";
import { type Contender, speed } from "./rounds";
import { nonLatinStream, recordedStream, smallStream, type Stream } from "./streams";
import type { Row } from "./table";

const rounds = 16;
/** What the library takes for a frame at most, unless a user says otherwise. */
const maxFrameSize = 16 * 1024 * 1024;

/** How fast the bytes of an event stream become frames: what of a stream's time is the decoder's. */
export function decoding(): readonly Row[] {
  return [
    recordedStream("newline framing"),
    recordedStream("concatenated framing"),
    smallStream(),
    nonLatinStream(),
  ].map(rowOf);
}

function rowOf({ title, chunks, lines }: Stream): Row {
  const decode = decodingOf(chunks);
  const texts = lines.map((line) => line.toString());
  return {
    what: `decoding events: ${title}`,
    how: "CPU time of bare JSON.parse of the same lines / CPU time of the decoder, from 64 KB chunks to frames",
    unit: "x",
    figures: [
      { value: speed(decode, parsingOf(texts), rounds), label: "of lines that are texts already" },
      { value: speed(decode, parsingOf(lines), rounds), label: "of lines that are bytes" },
    ],
  };
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
