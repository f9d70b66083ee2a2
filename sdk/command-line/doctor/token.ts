import { overrideVariable } from "../../base/settings";
import type { Answer } from "../../http/transport";
import { codeOf, describeAnswer } from "./answers";
import type { Examination } from "./probe";

/**
 * Reports that the service does not accept the token.
 *
 * @param reason what may be wrong with it, in a sentence
 */
export function refusedToken(
  { findings, questions, token }: Examination,
  answer: Pick<Answer, "status" | "body">,
  reason: string,
): void {
  const { service, ownAddress } = questions.settings;
  const variable = overrideVariable(service);
  const override = ownAddress || token.source.includes(variable) ? "" : ` ${variable} overrides it.`;
  findings.report("problem", "token", `the service refuses it: ${describeAnswer(answer)}`, {
    advice: `${reason} The token in use came from ${token.source}.${override}`,
    code: codeOf(answer),
  });
}
