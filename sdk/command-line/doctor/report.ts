import { settings, type Setting } from "../../base/settings";
import { coloured, joined, showable, type ShownText } from "../../base/shown-text";
import { listed, type State } from "../../connection/probe";
import type { ServiceReport } from "./examine";

const marks: Readonly<Record<State | "set", { readonly text: string; readonly colour: number }>> = {
  ok: { text: "ok", colour: 32 },
  note: { text: "-", colour: 2 },
  warning: { text: "warning", colour: 33 },
  problem: { text: "problem", colour: 31 },
  set: { text: "", colour: 2 },
};

const markWidth = "problem".length;

/** A plugin that a project names although its programs no longer use it. */
export interface LeftoverPlugin {
  /** The stacks with resources of it in their state; `undefined` if unknown. */
  readonly neededBy: readonly string[] | undefined;
  readonly problem?: string;
}

/** Text from services is sanitized. */
export function reportLines(
  reports: readonly ServiceReport[],
  colours: boolean,
  adapter: "dynamic" | "plugin" = "dynamic",
  leftover?: LeftoverPlugin,
): ShownText[] {
  const labels = reports.flatMap((report) => rowsOf(report).map(({ label }) => label.length));
  const width = Math.max(0, ...labels);
  const notice =
    adapter === "plugin"
      ? "The provider plugin manages the resources."
      : leftover && leftoverNotice(leftover);
  return [
    ...(notice === undefined ? [] : [showable(notice), showable("")]),
    ...reports.flatMap((report, position) => [
      ...(position === 0 ? [] : [showable("")]),
      showable([report.service, report.address, report.dialect].filter(Boolean).join("  ")),
      ...rowsOf(report).flatMap((row) => linesOf(row, width, colours)),
    ]),
  ];
}

function leftoverNotice({ neededBy, problem = "" }: LeftoverPlugin): string {
  if (neededBy === undefined) {
    return `Pulumi.yaml still names the provider plugin. Whether a stack needs it is not known: ${problem}`;
  }
  return neededBy.length === 0
    ? "No stack needs the provider plugin any more: npx pulumi-trivium use-dynamic removes it from Pulumi.yaml."
    : `Pulumi.yaml still names the provider plugin, because the state of ${listed(neededBy, "and")} needs it: run pulumi up there.`;
}

interface Row {
  readonly mark: keyof typeof marks;
  readonly label: string;
  readonly text: string;
  readonly advice?: string | undefined;
}

function rowsOf({ settings: inUse, findings, configured }: ServiceReport): Row[] {
  const sources = (configured ? inUse : []).map(({ name, source, value }): Row => {
    const text = `${value === undefined ? "" : `${value}, `}from ${source}`;
    return { mark: "set", label: name, text };
  });
  const results = findings.map(({ check, subject, state, message, advice }) => {
    return { mark: state, label: subject ?? check, text: message, advice };
  });
  return [...sources, ...results];
}

function linesOf({ mark, label, text, advice = "" }: Row, width: number, colours: boolean): ShownText[] {
  const { text: sign, colour } = marks[mark];
  const padded = showable(sign.padEnd(markWidth));
  const indentation = " ".repeat(2 + markWidth + 2 + width + 2);
  // A line for each sentence, since they are long.
  const sentences = advice.split(/(?<=[.:]) (?=[A-Z])/).filter((sentence) => sentence !== "");
  return [
    joined(
      ...[showable("  "), colours ? coloured(padded, colour) : padded],
      showable(`  ${label.padEnd(width)}  ${text}`),
    ),
    ...sentences.map((sentence) => showable(indentation + sentence)),
  ];
}

export function reportData(
  reports: readonly ServiceReport[],
  well: boolean,
  adapter: "dynamic" | "plugin" = "dynamic",
  leftover?: LeftoverPlugin,
): object {
  return {
    ok: well,
    adapter,
    ...(leftover === undefined ? {} : { pluginNeededBy: leftover.neededBy ?? null }),
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
