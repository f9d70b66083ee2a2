import type { Service } from "../connection/service";
import type { SecretsClient } from "./client";

/** The secrets service; its products are Vault and OpenBao. */
export const secretsService: Service<SecretsClient> = {
  name: "secrets",
  protocol: () => (require("./client") as typeof import("./client")).secretsProtocol,
};
