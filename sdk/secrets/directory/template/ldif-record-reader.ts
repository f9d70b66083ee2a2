import { nearestName } from "../../../base/nearest";
import { type Problems, quoted } from "./finding";
import {
  attributeOf,
  checkAttribute,
  foldingHint,
  isExactly,
  type LdifAttribute,
  type LdifLine,
} from "./ldif-line";
import { type LdifRecord, noRecord } from "./ldif-record";

const changePhases = {
  add: "add",
  modify: "modify",
  delete: "delete",
  modrdn: "rename",
  moddn: "rename",
} as const;

const operations: ReadonlySet<string> = new Set(["add", "delete", "replace"]);
const passwords: ReadonlySet<string> = new Set(["userpassword", "unicodepwd", "racfpassword"]);

/** Reads the lines of records. */
export class LdifRecordReader {
  /**
   * @param usesPassword whether the template uses the password that the service makes
   */
  constructor(
    private readonly problems: Problems,
    private readonly usesPassword: boolean,
  ) {}

  /** The record after one more line. */
  line(record: LdifRecord, line: LdifLine): LdifRecord {
    const after = this.read(record, line);
    return line.placeholders.some(({ mayBreakLine }) => mayBreakLine)
      ? { ...after, phase: "unknown" }
      : after;
  }

  /** The end of a record: an empty line, or the end of the text. */
  end(record: LdifRecord): LdifRecord {
    const { phase, offset, filled, hint } = record;
    if (phase === "behind dn") {
      this.problems.error(offset, `The record holds nothing but its \`dn\`${hint}.`);
    } else if (phase === "operation") {
      this.problems.error(offset, "The operation has to end with a line that is `-`.");
    } else if (!filled && phase === "add") {
      this.problems.error(offset, "The record adds an entry without attributes.");
    } else if (!filled && phase === "modify") {
      this.problems.error(offset, "The record has `changetype: modify`, but no operation.");
    } else if (!filled && phase === "rename") {
      this.problems.error(offset, "The record needs `newrdn` and `deleteoldrdn`.");
    }
    const { found, changes } = record;
    return { ...noRecord, first: record.first && phase === "between records", found, changes };
  }

  private read(record: LdifRecord, line: LdifLine): LdifRecord {
    const { phase } = record;
    const attribute = attributeOf(line);
    const name = attribute?.name;
    if (
      line.afterEmptyLineOf !== undefined &&
      name !== "dn" &&
      phase !== "between records" &&
      phase !== "unknown"
    ) {
      this.problems.warning(
        line.afterEmptyLineOf,
        "This line becomes empty, and an empty line ends the record; `{{-` removes the line end before it.",
      );
    }
    if (phase === "unknown") {
      return name === "dn" ? this.begin(record, line) : record;
    }
    if (isExactly(line, "-")) {
      return this.separator(record, line);
    }
    if (attribute === undefined) {
      return this.noColon(record, line);
    }
    if (phase === "between records") {
      return this.first(record, line, attribute);
    }
    if (name === "dn") {
      return this.secondDn(record, line);
    }
    if (name === undefined) {
      return { ...record, phase: phase === "behind dn" ? "attributes" : phase, filled: true };
    }
    switch (phase) {
      case "behind dn":
        return this.behindDn(record, line, attribute, name);
      case "attributes":
      case "add":
        return this.attribute(record, line, attribute, name);
      case "modify":
        return this.operation(record, line, attribute, name);
      case "operation":
        return this.value(record, line, attribute, name);
      case "rename":
        return this.rename(record, line, attribute, name);
      case "delete":
        return this.fail(record, line, "Nothing can follow `changetype: delete` in a record.");
    }
  }

  /** Says what is wrong; more about the same record would only confuse. */
  private fail(record: LdifRecord, { offset }: { readonly offset: number }, message: string): LdifRecord {
    this.problems.error(offset, message);
    return { ...record, phase: "unknown", found: true };
  }

  private begin(record: LdifRecord, line: LdifLine): LdifRecord {
    return {
      ...noRecord,
      phase: "behind dn",
      offset: line.offset,
      first: false,
      found: true,
      changes: record.changes,
      hint: foldingHint(line),
    };
  }

  private noColon(record: LdifRecord, line: LdifLine): LdifRecord {
    const text = quoted(line.start);
    return record.phase === "between records"
      ? this.fail(
          record,
          line,
          `A record of LDIF begins with \`dn: \`${line.start === "" ? "" : `, not with ${text}`}.`,
        )
      : this.fail(record, line, "The line is not `attribute: value`: it has no colon.");
  }

  private first(record: LdifRecord, line: LdifLine, attribute: LdifAttribute): LdifRecord {
    const { name, text, isLiteral } = attribute;
    switch (name) {
      case undefined:
        return { ...record, phase: "unknown", found: true };
      case "dn":
        checkAttribute(line, attribute, this.problems);
        if (isLiteral && text !== "" && attribute.separator === ":" && !text.includes("=")) {
          this.problems.error(attribute.valueOffset, `${quoted(text)} is not a distinguished name.`);
        }
        return this.begin(record, line);
      case "version":
        if (!record.first) {
          return this.fail(record, line, "`version` can only stand before the first record.");
        }
        if (isLiteral && text !== "1") {
          this.problems.error(attribute.valueOffset, "The version of LDIF is 1.");
        }
        return { ...record, first: false };
      default:
        return this.fail(
          record,
          line,
          name.toLowerCase() === "dn"
            ? "`dn` is written in small letters."
            : `A record of LDIF begins with \`dn: \`, not with ${quoted(`${name}:`)}.`,
        );
    }
  }

  private secondDn(record: LdifRecord, line: LdifLine): LdifRecord {
    const message =
      record.phase === "operation"
        ? "The operation before this has to end with a line that is `-`, and the record with an empty line."
        : "An empty line has to separate this record from the one before.";
    if (line.afterEmptyLineOf === undefined) {
      const hint = line.afterSpaces ? " The line before is not empty: it holds spaces." : "";
      this.problems.error(line.offset, `${message}${hint}`);
    } else {
      this.end(record);
    }
    return this.begin(record, line);
  }

  private behindDn(record: LdifRecord, line: LdifLine, attribute: LdifAttribute, name: string): LdifRecord {
    if (name === "changetype") {
      return this.change(record, line, attribute);
    }
    if (name === "control") {
      return record;
    }
    if (record.changes) {
      this.problems.warning(
        record.offset,
        "The record has no `changetype`, though one before has: give all of them one, or none.",
      );
    }
    return this.attribute({ ...record, phase: "attributes" }, line, attribute, name);
  }

  private change(record: LdifRecord, line: LdifLine, attribute: LdifAttribute): LdifRecord {
    const { text, isLiteral, valueOffset } = attribute;
    const phase = Object.hasOwn(changePhases, text)
      ? changePhases[text as keyof typeof changePhases]
      : undefined;
    if (phase === undefined || (!isLiteral && line.rest !== "")) {
      if (!isLiteral) {
        return { ...record, phase: "unknown" };
      }
      const names = Object.keys(changePhases);
      const near = nearestName(text, names);
      const hint = near === undefined ? `; it can be ${names.join(", ")}` : `; did you mean \`${near}\`?`;
      const message = `${quoted(text)} is not a changetype${hint}${near === undefined ? "." : ""}`;
      return this.fail(record, { offset: valueOffset }, `${message}${foldingHint(line)}`);
    }
    if (phase === "rename") {
      this.problems.warning(valueOffset, `Services are known that refuse \`changetype: ${text}\`.`);
    }
    return { ...record, phase, changes: true };
  }

  private attribute(record: LdifRecord, line: LdifLine, attribute: LdifAttribute, name: string): LdifRecord {
    if (name.toLowerCase() === "changetype") {
      return this.fail(
        record,
        line,
        name === "changetype"
          ? "`changetype` can only stand directly below `dn`."
          : "`changetype` is written in small letters.",
      );
    }
    checkAttribute(line, attribute, this.problems);
    if (passwords.has(name.toLowerCase()) && !this.usesPassword) {
      this.problems.warning(
        line.offset,
        `${quoted(name)} is not the password that is handed out: that is \`.Password\`.`,
      );
    }
    return { ...record, filled: true };
  }

  private operation(record: LdifRecord, line: LdifLine, attribute: LdifAttribute, name: string): LdifRecord {
    if (!operations.has(name)) {
      return this.fail(
        record,
        line,
        `An operation of \`changetype: modify\` begins with \`add:\`, \`delete:\` or \`replace:\`, not with ${quoted(`${name}:`)}.`,
      );
    }
    checkAttribute(line, attribute, this.problems);
    return {
      ...record,
      phase: "operation",
      offset: line.offset,
      operation: name,
      attribute: attribute.isLiteral ? attribute.text : undefined,
      filled: false,
    };
  }

  private value(record: LdifRecord, line: LdifLine, attribute: LdifAttribute, name: string): LdifRecord {
    if (record.attribute !== undefined && name !== record.attribute) {
      if (operations.has(name)) {
        this.problems.error(line.offset, "The operation before this has to end with a line that is `-`.");
        return this.operation(record, line, attribute, name);
      }
      const expected = quoted(`${record.attribute}:`);
      return this.fail(
        record,
        line,
        `Only values of ${expected} can stand here, not of ${quoted(`${name}:`)}.`,
      );
    }
    checkAttribute(line, attribute, this.problems);
    return { ...record, filled: true };
  }

  private separator(record: LdifRecord, line: LdifLine): LdifRecord {
    if (record.phase === "operation") {
      if (record.operation === "add" && !record.filled) {
        this.problems.error(record.offset, "The operation adds no value.");
      }
      return { ...record, phase: "modify", filled: true };
    }
    return this.fail(record, line, "`-` ends an operation of `changetype: modify`; here is none.");
  }

  private rename(record: LdifRecord, line: LdifLine, attribute: LdifAttribute, name: string): LdifRecord {
    checkAttribute(line, attribute, this.problems);
    // newrdn, deleteoldrdn and then perhaps newsuperior.
    const expected =
      record.operation === undefined ? "newrdn" : record.filled ? "newsuperior" : "deleteoldrdn";
    return name === expected
      ? { ...record, operation: name, filled: name !== "newrdn" }
      : this.fail(record, line, `\`${expected}:\` is expected here, not ${quoted(`${name}:`)}.`);
  }
}
