/** Nobody reads more of them, and a text that is not a template at all could have very many. */
export const mostProblems = 1000;

/** Why a template, or a part of it, cannot be read. */
export class SyntaxProblem extends Error {
  /**
   * @param offset of the piece that is wrong
   * @param message for a person
   * @param reason in the words of servers
   * @param place the offset at which servers notice it
   */
  constructor(
    readonly offset: number,
    message: string,
    readonly reason: string,
    readonly place = offset,
  ) {
    super(message);
  }
}

/** A nesting that this parser does not read, although another one might. */
export class NestingProblem extends SyntaxProblem {}
