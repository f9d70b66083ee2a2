import { mostProblems } from "../../../go-template/syntax-problem";

/**
 * What a template is for: the LDIF texts of a dynamic role (creation, deletion, rollback), or the template of its
 * user names.
 */
export type TemplateKind = "ldif" | "username";

/** Something about a template that its author should know. */
export interface TemplateFinding {
  /** What is wrong and, where that is clear, what to write instead. */
  readonly message: string;
  /** From 1. Of LDIF given as base64: in the decoded text. */
  readonly line: number;
  /** From 1, in UTF-16 units, as editors count. Where the offending piece begins. */
  readonly column: number;
  /** `error`: no template can have it. `warning`: possible, but very likely not what is meant. */
  readonly severity: "error" | "warning";
}

interface Problem {
  readonly offset: number;
  readonly message: string;
  readonly severity: TemplateFinding["severity"];
}

/** Collects what is found while a text is read, by offset in the text. */
export class Problems {
  private readonly found = new Map<string, Problem>();

  get hasErrors(): boolean {
    return [...this.found.values()].some(({ severity }) => severity === "error");
  }

  /** No more are collected, so there is no use in looking for more. */
  get full(): boolean {
    return this.found.size >= mostProblems;
  }

  error(offset: number, message: string): void {
    this.add({ offset, message, severity: "error" });
  }

  warning(offset: number, message: string): void {
    this.add({ offset, message, severity: "warning" });
  }

  /** What was found in the text, in the order of the text. */
  findings(text: string): TemplateFinding[] {
    const ordered = [...this.found.values()].sort((left, right) => left.offset - right.offset);
    let line = 1;
    let lineStart = 0;
    let lineEnd = text.indexOf("\n");
    return ordered.map(({ offset, message, severity }) => {
      while (lineEnd !== -1 && lineEnd < offset) {
        line++;
        lineStart = lineEnd + 1;
        lineEnd = text.indexOf("\n", lineStart);
      }
      return { message, line, column: offset - lineStart + 1, severity };
    });
  }

  private add(problem: Problem): void {
    // Where two ways lead to the same place, what is wrong there is found twice.
    const key = `${problem.offset} ${problem.message}`;
    if (!this.full && !this.found.has(key)) {
      this.found.set(key, problem);
    }
  }
}
