import { randomUUID } from "node:crypto";
import { startServer, stopServers, type TestServer } from "../../http/server";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { type Receiver, startReceiver } from "../../engine/support/receiver";
import { emulatorTokens } from "../../hostile/support/scene";
import type { Properties } from "../../support/provider-process";
import { Proxy, type SeenRequest, services } from "../../support/proxy";
import { keyPair, linesOfKey } from "./secret-fields";

/** The services behind a proxy, a server that nobody has configured, and credentials that are canaries. */
export class Crowd {
  /** How many requests have been looked at. */
  seen = 0;
  /** How many warnings of a service have been shown. */
  warned = 0;

  private constructor(
    readonly emulator: Emulator,
    readonly proxy: Proxy,
    /** What answers notifications well. */
    readonly receiver: Receiver,
    private readonly stranger: TestServer,
  ) {}

  static async gather(): Promise<Crowd> {
    const emulator = await startEmulator({ tokens: emulatorTokens });
    const stranger = await startServer((response) => response.writeHead(200).end("{}"));
    return new Crowd(emulator, await Proxy.start(emulator), await startReceiver(), stranger);
  }

  /** The address of the server that nobody has configured. */
  get elsewhere(): string {
    return this.stranger.address;
  }

  /** What has reached that server. */
  get astray(): readonly unknown[] {
    return this.stranger.received;
  }

  /** The credentials of a service. */
  credentials(service: (typeof services)[number]): { readonly token: string; readonly header: string } {
    return { token: emulatorTokens[service], header: `canary-header-of-${service}/+=&"<` };
  }

  /** Every credential of every service. */
  get allCredentials(): string[] {
    return [
      ...services.flatMap((service) => Object.values(this.credentials(service))),
      ...linesOfKey(keyPair.key),
    ];
  }

  /** Stack configuration for all services. Each has a mark that makes its connections new. */
  configuration(): Properties {
    return Object.fromEntries(
      services.flatMap((service) => {
        const { token, header } = this.credentials(service);
        return Object.entries({
          Address: this.proxy.address(service),
          Token: token,
          ClientCertificate: keyPair.certificate,
          ClientKey: keyPair.key,
          Headers: JSON.stringify({ "x-gateway-key": header, "x-round": randomUUID() }),
          MaxRetries: "0",
        }).map(([name, value]) => [`trivium:${service}${name}`, value]);
      }),
    );
  }

  /** Credentials that a service got although they are another's. */
  strayed(requests: readonly SeenRequest[]): string[] {
    this.seen += requests.length;
    return requests.flatMap(({ service, method, target, rawHeaders, body }) => {
      const sent = [target, ...rawHeaders, body].join("\n");
      return services
        .filter((other) => other !== service)
        .flatMap((other) => Object.entries(this.credentials(other)))
        .filter(([, value]) => sent.includes(value))
        .map(([kind]) => `${method} to the ${service} service holds the ${kind} of another`);
    });
  }

  /** Has the secrets service warn in each of its responses. */
  warn(warnings: readonly string[]): void {
    this.proxy.after = ({ service, response }) =>
      service === "secrets" && response.startsWith("{")
        ? { body: JSON.stringify({ ...(JSON.parse(response) as object), warnings }) }
        : undefined;
  }

  async disperse(): Promise<void> {
    this.proxy.close();
    stopServers();
    await Promise.all([this.emulator.close(), this.receiver.close()]);
  }
}
