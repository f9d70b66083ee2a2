import { advisedOtherwise, ConfigurationError, TriviumError } from "../../base/errors";
import { isObject } from "../../base/json";
import { mountPath, path } from "../../base/path";
import type { ServiceName } from "../../base/settings";
import type { ProxySettings } from "../../http/transport";
import { sendOnce } from "./protocol";
import type { Login } from "./settings";

const variables = ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"] as const;

/**
 * An identity token that GitHub Actions signs for the job.
 *
 * @param audience GitHub's default if empty
 * @throws ConfigurationError outside such a job; TriviumError if GitHub does not return a token
 */
export async function githubIdentity(
  service: ServiceName,
  audience: string,
  environment: Login["environment"],
  proxies: ProxySettings | undefined,
): Promise<string> {
  const advice = "The job needs `permissions: { id-token: write }`.";
  const [url = "", value = ""] = variables.map((name) => environment[name]);
  if (value === "" || !URL.canParse(url)) {
    const problem = `${variables.join(" and ")} are not set`;
    throw new ConfigurationError(`Could not log in with the identity of GitHub Actions: ${problem}.`, {
      advice: `Run it in a job of GitHub Actions. ${advice}`,
    });
  }
  const { origin: address, pathname, searchParams } = new URL(url);
  const token = () => ({ value, source: `the environment variable ${variables[1]}` });
  const { body } = await sendOnce(
    { service, dialect: "documented", address, proxies, token },
    {
      summary: "get the identity of the job from GitHub",
      method: "GET",
      path: path`/${mountPath(decodeURIComponent(pathname))}`,
      query: { ...Object.fromEntries(searchParams), ...(audience === "" ? {} : { audience }) },
      idempotent: true,
    },
  ).catch((error: unknown) => {
    // The default advice is about the service, not about GitHub.
    throw TriviumError.isInstance(error) ? advisedOtherwise(error, advice) : error;
  });
  const { value: identity } = isObject(body) ? body : {};
  if (typeof identity !== "string") {
    throw new TriviumError("Could not get the identity of the job from GitHub: the response has none.");
  }
  return identity;
}
