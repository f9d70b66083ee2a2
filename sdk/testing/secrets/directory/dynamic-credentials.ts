import { dataAnswer } from "../answers";
import type { EngineEndpoint, SecretsCaller } from "../endpoint";
import type { MountRecord } from "../mounts";
import { notFound } from "../refusal";
import type { DynamicRoleRecord } from "./dynamic-role-record";
import { attempt, EngineFailure, isEngineFailure } from "./engine-failure";
import type { EngineState, EngineStates } from "./engine-state";
import { accountFields, usernameFields } from "./issued-account";
import { parseLdif, type Change } from "./ldap/ldif";
import type { Session } from "./session";
import { ldifFunctions, usernameFunctions } from "./template/functions";
import { renderTemplate } from "./template/template";
import type { Fields } from "./template/value";

const defaultUsernameTemplate = "v_{{.DisplayName}}_{{.RoleName}}_{{random 10}}_{{unix_time}}";

/** Makes an account in the directory; each request another one. The end of its lease removes it. */
export function dynamicCredentialsEndpoint(states: EngineStates): EngineEndpoint {
  const { clock, leases } = states.records;
  const now = (): number => clock.now();
  return {
    engine: "directory",
    operation: "GET",
    path: "/creds/:name",
    handle(request) {
      const { mount, caller } = request;
      const state = states.of(mount);
      const role = state.dynamicRoles.find(states.nameOf(request));
      if (role === undefined) {
        throw notFound();
      }
      const username = readUsername(role, caller, now);
      const session = states.session(state);
      const password = session.newPassword();
      const duration = durationOf(role, mount);
      const fields = accountFields({
        username,
        password,
        roleName: role.name,
        displayName: caller.displayName,
        issuedAt: now(),
        expiresAt: now() + duration * 1_000,
      });
      const distinguishedNames = create(session, role, fields, now);
      const lease = leases.issue({
        mount,
        path: `creds/${role.name}`,
        duration,
        renewable: true,
        ...(role.maxTtl > 0 ? { maxDuration: Math.min(role.maxTtl, mount.maxLeaseTtl) } : {}),
        ended: () => remove(states, state, { leaseId: lease.id, template: role.deletionLdif, fields }),
      });
      state.issuedAccounts.set({
        leaseId: lease.id,
        roleName: role.name,
        username,
        distinguishedNames,
        deletionFailure: null,
      });
      return dataAnswer({ distinguished_names: distinguishedNames, password, username }, { lease });
    },
  };
}

function readUsername(role: DynamicRoleRecord, { displayName }: SecretsCaller, now: () => number): string {
  const template = role.usernameTemplate === "" ? defaultUsernameTemplate : role.usernameTemplate;
  const fields = usernameFields({ roleName: role.name, displayName });
  return attempt("failed to generate username", () =>
    renderTemplate(template, usernameFunctions(now), fields),
  );
}

/** Seconds. */
function durationOf({ defaultTtl, maxTtl }: DynamicRoleRecord, mount: MountRecord): number {
  const wanted = defaultTtl > 0 ? defaultTtl : mount.defaultLeaseTtl;
  return Math.min(wanted, maxTtl > 0 ? maxTtl : mount.maxLeaseTtl, mount.maxLeaseTtl);
}

/** @returns the names of the entries that were made or changed */
function create(
  session: Session,
  { creationLdif, rollbackLdif }: DynamicRoleRecord,
  fields: Fields,
  now: () => number,
): string[] {
  try {
    return attempt("failed to create user", () => {
      const changes = readChanges(creationLdif, fields, now);
      attempt("failed to execute statements", () => session.execute(changes, "stop"));
      return changes.map(({ dn }) => dn);
    });
  } catch (error) {
    if (rollbackLdif === "" || !isEngineFailure(error)) {
      throw error;
    }
    try {
      session.execute(readChanges(rollbackLdif, fields, now), "go on");
    } catch (another) {
      throw isEngineFailure(another)
        ? new EngineFailure(`${error.message}; failed to roll back user creation: ${another.message}`)
        : another;
    }
    throw error;
  }
}

interface Removal {
  readonly leaseId: string;
  /** As the role had it when the account was made. */
  readonly template: string;
  readonly fields: Fields;
}

/** Goes on after every failure; what is left then is seen in the record. */
function remove(states: EngineStates, state: EngineState, { leaseId, template, fields }: Removal): void {
  try {
    states.session(state).execute(
      readChanges(template, fields, () => states.records.clock.now()),
      "go on",
    );
    state.issuedAccounts.delete(leaseId);
  } catch (error) {
    if (!isEngineFailure(error)) {
      throw error;
    }
    state.issuedAccounts.set({ ...state.issuedAccounts.known(leaseId), deletionFailure: error.message });
  }
}

function readChanges(template: string, fields: Fields, now: () => number): Change[] {
  const text = attempt("failed to apply template", () =>
    renderTemplate(template, ldifFunctions(now), fields),
  );
  return attempt("failed to parse generated LDIF", () => parseLdif(text));
}
