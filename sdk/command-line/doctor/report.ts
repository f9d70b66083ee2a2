import { coloured, joined, showable, type ShownText } from "../../base/shown-text";
import type { State } from "../../connection/probe";
import type { ServiceReport } from "./examine";

const marks: Readonly<Record<State | "set", readonly [text: string, colour: number]>> = {
  ok: ["ok", 32],
  note: ["-", 2],
  warning: ["warning", 33],
  problem: ["problem", 31],
  set: ["", 2],
};

const markWidth = "problem".length;

interface Row {
  readonly mark: keyof typeof marks;
  readonly label: string;
  readonly text: string;
  readonly advice?: string | undefined;
}

/** Text from services is sanitized. */
export function reportLines(reports: readonly ServiceReport[], colours: boolean): ShownText[] {
  const labels = reports.flatMap((report) => rowsOf(report).map(({ label }) => label.length));
  const width = Math.max(0, ...labels);
  return reports.flatMap((report, position) => [
    ...(position === 0 ? [] : [showable("")]),
    showable([report.service, report.address, report.dialect].filter(Boolean).join("  ")),
    ...rowsOf(report).flatMap((row) => linesOf(row, width, colours)),
  ]);
}

function rowsOf({ settings, findings, configured }: ServiceReport): Row[] {
  const sources = (configured ? settings : []).map(({ name, source, value }): Row => {
    const text = `${value === undefined ? "" : `${value}, `}from ${source}`;
    return { mark: "set", label: name, text };
  });
  const results = findings.map(({ check, state, message, advice }): Row => {
    return { mark: state, label: check, text: message, advice };
  });
  return [...sources, ...results];
}

function linesOf({ mark, label, text, advice = "" }: Row, width: number, colours: boolean): ShownText[] {
  const [sign, colour] = marks[mark];
  const padded = showable(sign.padEnd(markWidth));
  const start = joined(showable("  "), colours ? coloured(padded, colour) : padded);
  const indentation = " ".repeat(2 + markWidth + 2 + width + 2);
  // A line for each sentence, since they are long.
  const sentences = advice.split(/(?<=[.:]) (?=[A-Z])/).filter((sentence) => sentence !== "");
  return [
    joined(start, showable(`  ${label.padEnd(width)}  ${text}`)),
    ...sentences.map((sentence) => showable(indentation + sentence)),
  ];
}
