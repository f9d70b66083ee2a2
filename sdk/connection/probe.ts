import type { Caller } from "../base/caller";
import type { Path } from "../base/path";
import { type Dialect, overrideVariable } from "../base/settings";
import { wordsOf } from "../http/error-body";
import type { Answer, Operation } from "../http/transport";
import { ServiceConnection } from "./connect";
import type { ResolvedSettings } from "./resolve";
import type { Service } from "./service";

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

/** Adds a finding to those about one service. */
export type Report = (
  state: State,
  check: Check,
  message: string,
  more?: Pick<Finding, "subject" | "advice" | "code">,
) => void;

/** A product, as far as it tells of itself. All of them speak the hashicorp dialect. */
export interface Product {
  readonly name: string;
  /** `undefined` where it has not told. */
  readonly version: string | undefined;
  /** What it takes to be told the version. */
  readonly versionNeeds?: string;
}

/** What a user wants to know about in particular. Names that are given have to be there. */
export interface Interests {
  /** Names of organizations. */
  readonly organizations: readonly string[];
  /** Ids of workspaces. */
  readonly workspaces: readonly string[];
  /** Where engines are mounted; `undefined` for the usual places, where there may be none. */
  readonly mounts: readonly string[] | undefined;
}

/** An examination under way. */
export interface Examination {
  readonly questions: Questions;
  readonly report: Report;
  readonly interests: Interests;
  /** Where the token was found. */
  readonly tokenSource: string;
}

/** A harmless read. */
export interface Question {
  readonly path: Path;
  readonly query?: NonNullable<Operation["query"]>;
  /** Sent in the place of a token. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How one service is examined. Nothing that is asked changes anything. */
export interface Probe {
  readonly service: Service<unknown>;
  /** The first question, which is asked without a token: products answer it in a way that gives them away. */
  readonly first: Question;
  /**
   * What to ask, again without a token, when the answer to the first question says nothing: a gateway may have no
   * better one for a path that the documents do not know.
   */
  readonly documented?: Question;
  /** The product that has answered the first question; `undefined` when it was none that is known. */
  recognize(answer: Answer): Product | undefined;
  /** Finds out the version, where the answer to the first question does not tell it. */
  readonly versionOf?: (questions: Questions) => Promise<string | undefined>;
  /** Whether an answer has the form that all answers of this service have, whatever it says. */
  isAnswerOfService(answer: Answer): boolean;
  /** Whether the service answers to the documented dialect, which nothing but its own answers tell. */
  speaksAsDocumented(questions: Questions): Promise<boolean>;
  /** Finds out how the service is, and what the token may do. */
  examine(examination: Examination, first: Answer): Promise<void>;
  /**
   * Examines only what the user has named, at a server that could not be recognized.
   *
   * @returns for each of them whether the server has it
   */
  readonly examineNamed?: (examination: Examination) => Promise<readonly boolean[]>;
}

const usualTimeLimit = 10_000;
const refusals = Array.from({ length: 200 }, (_, offset) => 400 + offset);

/**
 * Asks a service, over the connection that resources use: the same proxies, certificates, headers and redaction.
 * Nothing is tried twice: what is not well at once is worth knowing.
 */
export class Questions {
  /** How long a question may take: what the user has set, else 10 s. */
  readonly timeLimit: number;
  private readonly connection: ServiceConnection;

  /** @throws ConfigurationError when the settings cannot work */
  constructor(
    private readonly service: Service<unknown>,
    readonly settings: ResolvedSettings,
    readonly signal: AbortSignal,
  ) {
    this.timeLimit = settings.requestTimeoutMilliseconds ?? usualTimeLimit;
    const once = { maxRetries: 0, requestTimeoutMilliseconds: this.timeLimit };
    this.connection = new ServiceConnection(service, { ...settings, ...once });
  }

  /** Whether the service is expected to be a product, which tells more than the documents say. */
  get ofProduct(): boolean {
    return this.settings.dialect === "hashicorp";
  }

  /** The service's client. */
  get client(): unknown {
    const caller: Caller = { signal: this.signal, progress: () => undefined, announce: () => undefined };
    return this.connection.clientFor(caller);
  }

  /** The same service, asked in another dialect. */
  in(dialect: Dialect): Questions {
    return new Questions(this.service, { ...this.settings, dialect }, this.signal);
  }

  /** Asks without showing the token: whoever is at the address does not get it. As {@link get}. */
  anonymously({ path, query, headers }: Question): Promise<Answer> {
    const settings = {
      ...this.settings,
      token: undefined,
      headers: { ...this.settings.headers, ...headers },
    };
    return new Questions(this.service, settings, this.signal).get(path, query);
  }

  /**
   * Every status from 400 on is an answer too.
   *
   * @throws ConnectionError, TimeoutError, ContractError or CancelledError; ServiceError when it redirects, or when the
   *   refusal is a page of markup
   */
  get(path: Path, query: NonNullable<Operation["query"]> = {}): Promise<Answer> {
    return this.ask({ method: "GET", path, query });
  }

  /** For a question that has to be written into a body; as {@link get}. */
  post(path: Path, body: unknown): Promise<Answer> {
    return this.ask({ method: "POST", path, body });
  }

  private ask(operation: Pick<Operation, "method" | "path" | "query" | "body">): Promise<Answer> {
    const { service, signal } = this;
    const summary = `ask the ${service.name} service`;
    return this.connection.transport.send({
      ...operation,
      summary,
      signal,
      idempotent: true,
      accept: refusals,
    });
  }
}

/**
 * Reports that the service does not accept the token.
 *
 * @param reason what may be wrong with it, in a sentence
 */
export function refusedToken(
  { report, questions, tokenSource }: Examination,
  answer: Pick<Answer, "status" | "body">,
  reason: string,
): void {
  const { service, ownAddress } = questions.settings;
  const variable = overrideVariable(service);
  const override = ownAddress || tokenSource.includes(variable) ? "" : ` ${variable} overrides it.`;
  report("problem", "token", `the service refuses it: ${describeAnswer(answer)}`, {
    advice: `${reason} The token in use came from ${tokenSource}.${override}`,
    code: codeOf(answer),
  });
}

/** What a service said in an answer, in one line for people; nothing when it had no words. */
export function sayingOf({ body }: Pick<Answer, "body">): string {
  const text = typeof body === "string" ? body : JSON.stringify(body ?? "");
  return wordsOf(Buffer.from(text)).join("; ");
}

/** An answer that was not expected, for people: `answered with 500: no leader`. */
export function describeAnswer(answer: Pick<Answer, "status" | "body">): string {
  const saying = sayingOf(answer);
  return `answered with ${answer.status}${saying === "" ? "" : `: ${saying}`}`;
}

/** The code of an answer, for programs. */
export function codeOf({ status }: Pick<Answer, "status">): string {
  return `HTTP_${status}`;
}

/** A time for people: `2 days`, `3 hours`, `1 minute`. */
export function inWords(seconds: number): string {
  const units = [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ] as const;
  const [unit, size] = units.find(([, length]) => seconds >= 2 * length) ?? (["second", 1] as const);
  return counted(Math.floor(seconds / size), unit);
}

/** `1 project`, `2 projects`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** `a, b and c`. */
export function listed(items: readonly string[], last = "and"): string {
  const end = items.at(-1) ?? "";
  return items.length < 2 ? end : `${items.slice(0, -1).join(", ")} ${last} ${end}`;
}

/** The policies of a token, as a part of a sentence; nothing where there are none. */
export function policiesIn(policies: unknown): string[] {
  const names = Array.isArray(policies) ? policies.map(String) : [];
  return names.length === 0 ? [] : [`${names.length === 1 ? "policy" : "policies"} ${listed(names)}`];
}
