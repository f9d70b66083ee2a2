/** How a finding is to be taken. A `note` is a fact that is neither good nor bad, such as a right that is missing. */
export type State = "ok" | "note" | "warning" | "problem";

/** What was looked at. Programs read these, so they keep their names. */
export type Check = "settings" | "address" | "tls" | "dialect" | "product" | "token" | "rights";

/** One thing that was found out about a service. */
export interface Finding {
  readonly check: Check;
  /** The part of it that is meant, where there are several: `entity aliases`. */
  readonly subject?: string;
  readonly state: State;
  /** One line. */
  readonly message: string;
  /** What to do, for everything that is not well. */
  readonly advice?: string;
  /** Why, for programs: the code of a failed connection, `HTTP_401`, `TIMEOUT`, or a name such as `WRONG_DIALECT`. */
  readonly code?: string;
}

/** What more there may be to say. */
export type Remark = Pick<Finding, "subject" | "advice" | "code">;

/** What has been found out about one service, in the order in which it was. */
export class Findings {
  private readonly found: Finding[] = [];

  get all(): readonly Finding[] {
    return this.found;
  }

  add(finding: Finding): void {
    this.found.push(finding);
  }

  report(state: State, check: Check, message: string, remark: Remark = {}): void {
    this.add({ check, state, message, ...remark });
  }
}
