import type { AclTokens } from "../../scheduler/acl";
import { isCertificate } from "../certificates";
import { deletes, reads, writes, type EngineEndpoint, type SecretsArea } from "../endpoint";
import { FieldTable } from "../fields";
import type { MountStates } from "../mounts";
import { badRequest, EngineFailure } from "../refusal";
import { dataResponse } from "../responses";
import { schedulerAccessFields, type SchedulerAccessRecord } from "../objects";
import type { SchedulerAccessSetup } from "../types";
import type { SecretsTraits } from "../traits";

export interface EmulatedScheduler {
  /** A function, because the address is known only once it listens. */
  readonly address: () => string;
  readonly tokens: AclTokens;
}

/** Empty members come from the service's environment, which always points to the emulated scheduler. */
type Access = Pick<SchedulerAccessRecord, "address" | "token">;

const environment: Access = { address: "", token: "" };
const bootstrapTokenName = "Bootstrap Token";

const accessFields = new FieldTable<SchedulerAccessRecord>(schedulerAccessFields);

export interface AccessState {
  access?: SchedulerAccessRecord | undefined;
}

export interface SchedulerEngineOptions {
  readonly traits: SecretsTraits;
  readonly scheduler: EmulatedScheduler;
  /** Whether the access configuration must point to the emulated scheduler. */
  readonly accessChecked: boolean;
  /** Whether reads return what real servers return. */
  readonly isReal: boolean;
}

/** The documentation has no request that deletes it. */
export function createAccessArea(
  states: MountStates<AccessState>,
  { traits, scheduler, accessChecked, isReal }: SchedulerEngineOptions,
): SecretsArea<EngineEndpoint, "schedulerAccess", SchedulerAccessSetup> {
  const path = "/config/access";
  const deletion: EngineEndpoint = deletes(path, ({ mount }) => {
    states.of(mount).access = undefined;
  });
  return {
    endpoints: [
      writes(path, accessFields.names, ({ mount, body }) => {
        const state = states.of(mount);
        const access = accessFields.read(body, state.access);
        if (traits.pairsAccessKeys && (access.clientCert === "") !== (access.clientKey === "")) {
          throw badRequest("client_cert requires client_key, and client_key requires client_cert");
        }
        // Without a token, the products' engine bootstraps the scheduler's ACL system.
        state.access =
          traits.bootstrapsAccess && access.token === ""
            ? { ...access, token: bootstrap(scheduler, accessChecked ? access : undefined) }
            : access;
      }),
      reads(path, ({ mount }) => {
        const { access } = states.of(mount);
        return access && dataResponse(isReal ? accessFields.returned(access) : { address: access.address });
      }),
      ...(traits.deletesAccess ? [deletion] : []),
    ],
    setup: {
      changeSchedulerAccess(change, mount) {
        const state = states.at(mount);
        return (state.access = accessFields.with({ ...state.access, ...change }));
      },
      removeSchedulerAccess(mount) {
        states.at(mount).access = undefined;
      },
    },
    inspect: () => ({ schedulerAccess: states.inspect(({ access }) => (access ? [access] : [])) }),
  };
}

/** @throws Refusal 500 unless the engine reaches the emulated scheduler with a management token */
export function assertReachable({ address, tokens }: EmulatedScheduler, access: Access = environment): void {
  if (!leadsTo(address(), access)) {
    throw new EngineFailure(
      `Put ${JSON.stringify(`${access.address}/v1/acl/token`)}: dial tcp: connect: connection refused`,
    );
  }
  if (access.token !== "" && !tokens.isManagement(access.token)) {
    throw new EngineFailure("Unexpected response code: 403 (Permission denied)");
  }
}

/**
 * The engine of the products reads them when it connects: OpenBao 2.6.2 with the engine `nomad`, recorded.
 *
 * @throws Refusal 500
 */
export function requireCertificates({ caCert, clientCert, clientKey }: SchedulerAccessRecord): void {
  if (caCert !== "" && !isCertificate(caCert)) {
    throw new EngineFailure("Error appending CA: Couldn't parse PEM");
  }
  if ((clientCert === "") !== (clientKey === "")) {
    throw new EngineFailure("Both client cert and client key must be provided");
  }
  if (clientCert !== "" && !isCertificate(clientCert, clientKey)) {
    throw new EngineFailure("tls: failed to find any PEM data in certificate input");
  }
}

/** @throws Refusal 400 while the token of an earlier bootstrap is valid, or when `access` points elsewhere */
function bootstrap({ address, tokens }: EmulatedScheduler, access: Access = environment): string {
  if (!leadsTo(address(), access) || tokens.all().some(({ name }) => name === bootstrapTokenName)) {
    throw badRequest("Token not provided and failed to bootstrap ACLs");
  }
  return tokens.add({ name: bootstrapTokenName, type: "management", policies: [], global: true }).secretId;
}

function leadsTo(address: string, access: Access): boolean {
  return access.address === "" || access.address.replace(/\/$/, "") === address;
}
