import type { Dialect, ServiceName } from "../../base/settings";
import type { Found } from "../../connection/sources";
import type { Path } from "../../base/path";
import type { Answer, Operation } from "../../http/transport";
import type { Findings } from "./finding";
import type { Questions } from "./questions";

/** A product, as far as it tells of itself. */
export interface Product {
  readonly name: string;
  /** `undefined` where it has not told. */
  readonly version: string | undefined;
  /** What it takes to be told the version. */
  readonly versionNeeds?: string;
  /** What it speaks. */
  readonly dialect: Dialect;
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
  readonly findings: Findings;
  readonly interests: Interests;
  /** Where the token was found. */
  readonly token: Found;
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
  readonly service: ServiceName;
  /** The first question, which is asked without a token: products answer it in a way that gives them away. */
  readonly first: Question;
  /**
   * What to ask, again without a token, when the answer to the first question says nothing: a gateway may have no
   * better one for a path that the documents do not know.
   */
  readonly documented?: Question;
  /** Whether it is to be expected, in each dialect, that a product tells what it is. */
  readonly tellsProduct: Readonly<Record<Dialect, boolean>>;
  /** The product that has answered the first question; `undefined` when it was none that is known. */
  recognize(answer: Answer): Product | undefined;
  /** Finds out the version, where the answer to the first question does not tell it. */
  readonly identify?: (product: Product, questions: Questions) => Promise<Product>;
  /** Whether an answer has the form that all answers of this service have, whatever it says. */
  isAnswerOfService(answer: Answer): boolean;
  /** Whether the service answers to the documented dialect, which nothing but its own answers tell. */
  speaksAsDocumented(questions: Questions): Promise<boolean>;
  /**
   * Finds out the rest: how the service is, and what the token may do.
   *
   * @param first the answer to the first question
   */
  examine(examination: Examination, first: Answer): Promise<void>;
  /**
   * Examines only what the user has named, at a server that could not be recognized.
   *
   * @returns for each of them whether the server has it
   */
  examineNamed?(
    examination: Pick<Examination, "questions" | "findings" | "interests">,
  ): Promise<readonly boolean[]>;
  /** What to name to learn more of a server that could not be recognized. */
  readonly nameMore?: string;
}
