import { advisedOtherwise, ConfigurationError, TriviumError } from "../../base/errors";
import { isObject } from "../../base/json";
import { mountPath, path } from "../../base/path";
import type { ServiceName } from "../../base/settings";
import { Connection } from "../../http/connection";
import { HttpTransport } from "../../http/http-transport";
import type { ProxySettings } from "../../http/connection-settings";

const variables = ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"] as const;

/**
 * The identity of a job of GitHub Actions: a token that GitHub signs.
 *
 * @param audience for whom it is; GitHub's default if empty
 * @throws ConfigurationError outside such a job; TriviumError if GitHub does not return it
 */
export async function githubIdentity(
  service: ServiceName,
  audience: string,
  environment: Readonly<Record<string, string | undefined>>,
  proxies: ProxySettings,
): Promise<string> {
  const [url, token] = variables.map((name) => environment[name] ?? "");
  if (!url || !token || !URL.canParse(url)) {
    throw new ConfigurationError(
      `Could not log in with the identity of GitHub Actions: ${variables.join(" and ")} are not set.`,
      { hint: "Run it in a job of GitHub Actions with `permissions: { id-token: write }`." },
    );
  }
  const { origin, pathname, searchParams } = new URL(url);
  const source = `the environment variable ${variables[1]}`;
  const connection = new Connection({
    service,
    address: origin,
    addressSource: `the environment variable ${variables[0]}`,
    ownAddress: true,
    token: () => ({ value: token, source }),
    proxies,
  });
  try {
    const { body } = await new HttpTransport(connection).send({
      summary: "get the identity of the job from GitHub",
      method: "GET",
      path: path`/${mountPath(decodeURIComponent(pathname))}`,
      query: { ...Object.fromEntries(searchParams), ...(audience === "" ? {} : { audience }) },
      idempotent: true,
    });
    if (!isObject(body) || typeof body.value !== "string") {
      throw new TriviumError("Could not get the identity of the job from GitHub: the response has none.");
    }
    return body.value;
  } catch (error) {
    // The usual advice is about the service.
    const advice = "The job needs `permissions: { id-token: write }`.";
    throw TriviumError.isInstance(error) ? advisedOtherwise(error, advice) : error;
  } finally {
    await connection.close();
  }
}
