import { settings, type Setting } from "../../base/settings";
import { coloured, joined, showable, type ShownText } from "../../base/shown-text";
import type { Finding, State } from "../../connection/probe";
import type { ServiceReport } from "./examine";

/** How states are shown to people. */
const marks: Readonly<Record<State | "set", { readonly text: string; readonly colour: number }>> = {
  ok: { text: "ok", colour: 32 },
  note: { text: "-", colour: 2 },
  warning: { text: "warning", colour: 33 },
  problem: { text: "problem", colour: 31 },
  set: { text: "", colour: 2 },
};

const markWidth = "problem".length;

interface Row {
  readonly mark: keyof typeof marks;
  readonly label: string;
  readonly text: string;
  readonly advice?: string | undefined;
}

/** The report for people, line by line. Text from services is sanitized. */
export function reportLines(
  reports: readonly ServiceReport[],
  colours: boolean,
  adapter: "dynamic" | "plugin" = "dynamic",
): ShownText[] {
  const tables = reports.map((report) => ({ report, rows: rowsOf(report) }));
  const labels = tables.flatMap(({ rows }) => rows.map(({ label }) => label.length));
  const width = Math.max(0, ...labels);
  const heading =
    adapter === "plugin" ? [showable("The provider plugin manages the resources."), showable("")] : [];
  const lines = tables.flatMap(({ report, rows }, position) => [
    ...(position === 0 ? [] : [showable("")]),
    showable(titleOf(report)),
    ...rows.flatMap((row) => linesOf(row, width, colours)),
  ]);
  return [...heading, ...lines];
}

function titleOf({ service, address, dialect }: ServiceReport): string {
  return [service, address, dialect].filter((part) => part !== undefined).join("  ");
}

function rowsOf({ settings: inUse, findings, configured }: ServiceReport): Row[] {
  const found = configured
    ? inUse.map(({ name, source, value }): Row => {
        const text = value === undefined ? `from ${source}` : `${value}, from ${source}`;
        return { mark: "set", label: name, text };
      })
    : [];
  return [...found, ...findings.map(rowOf)];
}

function rowOf({ check, subject, state, message, advice }: Finding): Row {
  return { mark: state, label: subject ?? check, text: message, advice };
}

function linesOf({ mark, label, text, advice }: Row, width: number, colours: boolean): ShownText[] {
  const { text: sign, colour } = marks[mark];
  const padded = showable(sign.padEnd(markWidth));
  const shown = colours ? coloured(padded, colour) : padded;
  const indentation = " ".repeat(2 + markWidth + 2 + width + 2);
  return [
    joined(showable("  "), shown, showable(`  ${label.padEnd(width)}  ${text}`)),
    ...sentencesOf(advice ?? "").map((sentence) => showable(indentation + sentence)),
  ];
}

/** A line each, since they are long. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.:]) (?=[A-Z])/).filter((sentence) => sentence !== "");
}

/** The report for other programs. */
export function reportData(
  reports: readonly ServiceReport[],
  well: boolean,
  adapter: "dynamic" | "plugin" = "dynamic",
): object {
  return {
    ok: well,
    adapter,
    services: reports.map(
      ({ service, configured, address, dialect, product, settings: inUse, findings }) => ({
        service,
        configured,
        address: address ?? null,
        dialect: dialect ?? null,
        product: product === undefined ? null : { name: product.name, version: product.version ?? null },
        settings: inUse.map(({ name, source, value }) => ({
          name,
          source,
          secret: (settings[name] as Setting).secret === true,
          ...(value === undefined ? {} : { value }),
        })),
        findings,
      }),
    ),
  };
}
