import type { IncomingHttpHeaders } from "node:http";
import { jsonAnswer, type Answer, type Service } from "../answer";

/** A valid token of the secrets service may do everything. */
export type SecretsPermissions = Readonly<Record<string, never>>;

/** The secrets service without any engine mounted: it knows its tokens, and no path. */
export class SecretsService implements Service<SecretsPermissions> {
  tokenOf(headers: IncomingHttpHeaders): string | undefined {
    const header = headers["x-secrets-token"];
    return typeof header === "string" ? header : undefined;
  }

  unauthorized(): Answer {
    return jsonAnswer(403, { errors: ["permission denied"] });
  }

  respond(): Answer {
    return jsonAnswer(404, { errors: [] });
  }
}
