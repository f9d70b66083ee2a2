import { nearestName } from "../../../base/nearest";
import { quoted } from "../../../go-template/quoted";
import type { Problems } from "./finding";
import { attributeOf, checkAttribute, foldingHint, type LdifAttribute, type LdifLine } from "./ldif-line";

type Phase =
  | "between records"
  | "behind dn"
  | "attributes"
  | "add"
  | "modify"
  | "operation"
  | "delete"
  /** It depends on conditions, or something is wrong already. */
  | "unknown";

const changeTypes = ["add", "modify", "delete", "modrdn", "moddn"];
const operations: ReadonlySet<string> = new Set(["add", "delete", "replace"]);
const passwords: ReadonlySet<string> = new Set(["userpassword", "unicodepwd", "racfpassword"]);

/** Reads the lines of LDIF records. */
export class LdifRecords {
  /** There was a record. */
  found = false;
  private phase: Phase = "between records";
  /** Where the record, or the operation, begins. */
  private offset = 0;
  /** The record or operation holds what it needs: attributes to add, operations, values. */
  private isFilled = false;
  /** What the operation does, and to which attribute; `undefined` when that is not known. */
  private operation: { readonly name: string; readonly attribute: string | undefined } | undefined;
  /** A record had a changetype, so all of them should. */
  private hasChanges = false;
  /** What the dn line has to say about lines that it swallowed. */
  private hint = "";

  /**
   * @param usesPassword whether the template uses the password that the service makes
   */
  constructor(
    private readonly problems: Problems,
    private readonly usesPassword: boolean,
  ) {}

  line(line: LdifLine): void {
    this.read(line);
    if (line.mayBreakLine) {
      this.phase = "unknown";
      this.found = true;
    }
  }

  /** Reads the end of a record: an empty line, or the end of the text. */
  end(): void {
    const { phase, offset, isFilled } = this;
    if (phase === "behind dn") {
      this.problems.error(offset, `The record contains only its \`dn\`${this.hint}.`);
    } else if (phase === "operation") {
      this.problems.error(offset, "The operation must end with a line that is `-`.");
    } else if (!isFilled && phase === "add") {
      this.problems.error(offset, "The record adds an entry without attributes.");
    } else if (!isFilled && phase === "modify") {
      this.problems.error(offset, "The record has `changetype: modify`, but no operation.");
    }
    this.phase = "between records";
  }

  /** Stops checking up to the next record: conditions decide where the text is. */
  loseTrack(): void {
    this.phase = "unknown";
  }

  /** A continuation of no line. */
  indented(offset: number): void {
    if (this.phase !== "unknown") {
      this.fail(
        offset,
        "A line that starts with a space continues the previous line, but there is none. LDIF is not indented.",
      );
    }
  }

  private read(line: LdifLine): void {
    const { phase } = this;
    const attribute = attributeOf(line);
    const name = attribute?.name;
    if (line.afterEmptyLineOf !== undefined && name !== "dn" && phase !== "between records") {
      this.problems.warning(
        line.afterEmptyLineOf,
        "This line becomes empty, and an empty line ends the record; `{{-` removes the line end before it.",
      );
    }
    if (name === "dn" && attribute !== undefined) {
      this.dn(line, attribute);
    } else if (phase === "unknown") {
      return;
    } else if (line.isLiteral && line.start === "-") {
      this.separator(line);
    } else if (phase === "between records") {
      this.outside(line, attribute);
    } else if (attribute === undefined) {
      this.fail(line.offset, "The line is not `attribute: value`: it has no colon.");
    } else if (name === undefined) {
      this.phase = phase === "behind dn" ? "attributes" : phase;
      this.isFilled = true;
    } else {
      this.inside(line, attribute, name);
    }
  }

  private inside(line: LdifLine, attribute: LdifAttribute, name: string): void {
    switch (this.phase) {
      case "behind dn":
        this.behindDn(line, attribute, name);
        break;
      case "attributes":
      case "add":
        this.attribute(line, attribute, name);
        break;
      case "modify":
        this.change(line, attribute, name);
        break;
      case "operation":
        this.value(line, attribute, name);
        break;
      default:
        this.fail(line.offset, "Nothing can follow `changetype: delete` in a record.");
    }
  }

  /** Says what is wrong; more about the same record would only confuse. */
  private fail(offset: number, message: string): void {
    this.problems.error(offset, message);
    this.phase = "unknown";
    this.found = true;
  }

  private dn(line: LdifLine, attribute: LdifAttribute): void {
    const { phase } = this;
    const { text, separator, isLiteral, valueOffset } = attribute;
    checkAttribute(line, attribute, this.problems);
    if (isLiteral && text !== "" && separator === ":" && !text.includes("=")) {
      this.problems.error(valueOffset, `${quoted(text)} is not a distinguished name.`);
    }
    if (line.afterEmptyLineOf !== undefined) {
      this.end();
    } else if (phase === "operation") {
      const message =
        "The previous operation must end with a line that is `-`, and the record with an empty line.";
      this.problems.error(line.offset, message);
    } else if (phase !== "between records" && phase !== "unknown") {
      this.problems.error(line.offset, "An empty line must separate this record from the previous one.");
    }
    this.phase = "behind dn";
    this.offset = line.offset;
    this.isFilled = false;
    this.operation = undefined;
    this.found = true;
    this.hint = foldingHint(line);
  }

  private outside(line: LdifLine, attribute: LdifAttribute | undefined): void {
    const name = attribute?.name;
    if (attribute !== undefined && name === undefined) {
      this.phase = "unknown";
      this.found = true;
    } else if (attribute !== undefined && name === "version") {
      if (attribute.isLiteral && attribute.text !== "1") {
        this.problems.error(attribute.valueOffset, "The LDIF version must be 1.");
      }
    } else if (name?.toLowerCase() === "dn") {
      this.fail(line.offset, "`dn` must be lower case.");
    } else {
      const found = name === undefined ? line.start : `${name}:`;
      const not = found === "" ? "" : `, not with ${quoted(found)}`;
      this.fail(line.offset, `An LDIF record must start with \`dn: \`${not}.`);
    }
  }

  private behindDn(line: LdifLine, attribute: LdifAttribute, name: string): void {
    if (name === "changetype") {
      this.changeType(line, attribute);
    } else if (name !== "control") {
      if (this.hasChanges) {
        this.problems.warning(
          this.offset,
          "The record has no `changetype`, but an earlier one has: set it in all records or in none.",
        );
      }
      this.phase = "attributes";
      this.attribute(line, attribute, name);
    }
  }

  private changeType(line: LdifLine, { text, isLiteral, valueOffset }: LdifAttribute): void {
    if (!isLiteral) {
      this.phase = "unknown";
    } else if (text === "add" || text === "modify" || text === "delete") {
      this.phase = text;
      this.hasChanges = true;
    } else if (text === "modrdn" || text === "moddn") {
      this.problems.warning(valueOffset, `Some services reject \`changetype: ${text}\`.`);
      this.phase = "unknown";
    } else {
      const near = nearestName(text, changeTypes);
      const hint = near === undefined ? `it can be ${changeTypes.join(", ")}.` : `did you mean \`${near}\`?`;
      this.fail(valueOffset, `${quoted(text)} is not a changetype; ${hint}${foldingHint(line)}`);
    }
  }

  private attribute(line: LdifLine, attribute: LdifAttribute, name: string): void {
    if (name === "changetype") {
      this.fail(line.offset, "`changetype` can only stand directly below `dn`.");
    } else if (name.toLowerCase() === "changetype") {
      this.fail(line.offset, "`changetype` must be lower case.");
    } else {
      checkAttribute(line, attribute, this.problems);
      if (passwords.has(name.toLowerCase()) && !this.usesPassword) {
        const message = `${quoted(name)} is not the issued password, which is \`.Password\`.`;
        this.problems.warning(line.offset, message);
      }
      this.isFilled = true;
    }
  }

  /** Reads the first line of an operation. */
  private change(line: LdifLine, attribute: LdifAttribute, name: string): void {
    if (!operations.has(name)) {
      const message =
        "An operation of `changetype: modify` must start with `add:`, `delete:` or `replace:`, not with";
      this.fail(line.offset, `${message} ${quoted(`${name}:`)}.`);
      return;
    }
    checkAttribute(line, attribute, this.problems);
    this.phase = "operation";
    this.offset = line.offset;
    this.operation = { name, attribute: attribute.isLiteral ? attribute.text : undefined };
    this.isFilled = false;
  }

  private value(line: LdifLine, attribute: LdifAttribute, name: string): void {
    const expected = this.operation?.attribute;
    if (expected === undefined || name === expected) {
      checkAttribute(line, attribute, this.problems);
      this.isFilled = true;
    } else if (operations.has(name)) {
      this.problems.error(line.offset, "The previous operation must end with a line that is `-`.");
      this.change(line, attribute, name);
    } else {
      const [values, not] = [quoted(`${expected}:`), quoted(`${name}:`)];
      this.fail(line.offset, `Only values of ${values} are allowed here, not of ${not}.`);
    }
  }

  private separator({ offset }: LdifLine): void {
    if (this.phase !== "operation") {
      this.fail(offset, "`-` ends an operation of `changetype: modify`, but there is none.");
      return;
    }
    if (this.operation?.name === "add" && !this.isFilled) {
      this.problems.error(this.offset, "The operation adds no value.");
    }
    this.phase = "modify";
    this.isFilled = true;
  }
}
