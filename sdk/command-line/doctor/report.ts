import { colored, joined, showable, type ShownText } from "../../base/shown-text";
import type { Finding, State } from "../../connection/probe";
import type { ServiceReport } from "./examine";

const marks: Readonly<Record<State | "set", readonly [text: string, color: number]>> = {
  ok: ["ok", 32],
  note: ["-", 2],
  warning: ["warning", 33],
  problem: ["problem", 31],
  set: ["", 2],
};

const markWidth = "problem".length;

type Row = Omit<Finding, "check" | "state"> & { readonly check: string; readonly state: keyof typeof marks };

/** Text from services is sanitized. */
export function reportLines(reports: readonly ServiceReport[], colors: boolean): ShownText[] {
  const labels = reports.flatMap((report) => rowsOf(report).map(({ check }) => check.length));
  const width = Math.max(0, ...labels);
  return reports.flatMap((report, position) => [
    ...(position === 0 ? [] : [showable("")]),
    showable(headingOf(report)),
    ...rowsOf(report).flatMap((row) => linesOf(row, width, colors)),
  ]);
}

function headingOf({ service, address, dialect, provider }: ServiceReport): string {
  const named = provider === undefined ? undefined : `trivium.Provider ${provider}`;
  return [service, address, dialect, named].filter(Boolean).join("  ");
}

function rowsOf({ settings, findings, configured }: ServiceReport): readonly Row[] {
  const sources = settings.map(({ name, source, value }): Row => {
    const text = `${value === undefined ? "" : `${value}, `}from ${source}`;
    return { state: "set", check: name, message: text };
  });
  return [...(configured ? sources : []), ...findings];
}

function linesOf(row: Row, width: number, colors: boolean): ShownText[] {
  const { state, check, message, advice = "" } = row;
  const [sign, color] = marks[state];
  const padded = showable(sign.padEnd(markWidth));
  const start = joined(showable("  "), colors ? colored(padded, color) : padded);
  const indentation = " ".repeat(2 + markWidth + 2 + width + 2);
  // A line for each sentence, since they are long.
  const sentences = advice.split(/(?<=[.:]) (?=[A-Z])/).filter((sentence) => sentence !== "");
  return [
    joined(start, showable(`  ${check.padEnd(width)}  ${message}`)),
    ...sentences.map((sentence) => showable(indentation + sentence)),
  ];
}
