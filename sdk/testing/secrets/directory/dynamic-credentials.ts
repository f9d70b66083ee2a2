import { dataResponse } from "../responses";
import { reads, type EngineEndpoint, type SecretsCaller } from "../endpoint";
import { leaseTtl } from "../leases";
import type { Records } from "../records";
import type { ConfigState } from "./config";
import { accountData, type DynamicRolesState } from "./dynamic-roles";
import { parseLdif, type Change } from "./ldap/ldif";
import { nameOf } from "./names";
import { type Connect, requireRevocable, type Session } from "./session";
import { ldifFunctions, usernameFunctions } from "./template/functions";
import { renderTemplate } from "./template/template";
import { type Data, dataOf } from "./template/values";
import type { DynamicRoleRecord } from "../objects";
import type { MountStates } from "../mounts";
import { attempt, EngineFailure, numbered } from "../refusal";

const defaultUsernameTemplate = "v_{{.DisplayName}}_{{.RoleName}}_{{random 10}}_{{unix_time}}";

/** Every read creates another account, which the end of its lease deletes. */
export function dynamicCredentialsEndpoint(
  records: Records,
  states: MountStates<DynamicRolesState & ConfigState>,
  connect: Connect,
): EngineEndpoint {
  const { clock, leases, traits } = records;
  const now = (): number => clock.now();
  const readChanges = (template: string, data: Data): Change[] => {
    const text = attempt("failed to apply template", () =>
      renderTemplate(template, ldifFunctions(now), data),
    );
    return attempt("failed to parse generated LDIF", () => parseLdif(text, traits));
  };
  return reads("/creds/:name", (request) => {
    const { mount, caller } = request;
    const state = states.of(mount);
    const role = state.dynamicRoles.find(nameOf(request, records));
    if (role === undefined) {
      return undefined;
    }
    const username = readUsername(role, caller, now);
    const session = attempt(traits.executionFailure, () => connect(state));
    const password = session.newPassword();
    const { ttl: duration, warnings } = leaseTtl({ ttl: role.defaultTtl, maxTtl: role.maxTtl }, mount);
    const { displayName: DisplayName } = caller.rights;
    const texts = { Username: username, Password: password, RoleName: role.name, DisplayName };
    const account = accountData(texts, now(), now() + duration * 1_000);
    const distinguishedNames = create(session, role, (template) => readChanges(template, account));
    /** Continues after every failure, and records the failures. */
    const remove = (): void => {
      try {
        // Uses the template from the account's creation: the role might have changed since.
        connect(state).execute(readChanges(role.deletionLdif, account), "continue");
        state.issuedAccounts.delete(lease.id);
      } catch (error) {
        if (!(error instanceof EngineFailure)) {
          throw error;
        }
        state.issuedAccounts.change(lease.id, { deletionFailure: error.message });
      }
    };
    const lease = leases.issue({
      mount,
      path: `creds/${role.name}`,
      parent: caller.tokenHash,
      duration,
      maxDuration: role.maxTtl,
      requireRevocable: traits.revokesAtEngine
        ? () => requireRevocable(state, numbered("missing LDAP configuration"))
        : undefined,
      ended: remove,
    });
    state.issuedAccounts.set({
      leaseId: lease.id,
      roleName: role.name,
      username,
      distinguishedNames,
      deletionFailure: null,
    });
    const data = { distinguished_names: distinguishedNames, password, username };
    return dataResponse(data, { lease, warnings: traits.relaysWarnings ? warnings : [] });
  });
}

function readUsername(
  role: DynamicRoleRecord,
  { rights: { displayName } }: SecretsCaller,
  now: () => number,
): string {
  const template = role.usernameTemplate === "" ? defaultUsernameTemplate : role.usernameTemplate;
  const names = { DisplayName: displayName, RoleName: role.name };
  const data = dataOf("openldap.usernameTemplateData", names);
  return attempt("failed to generate username", () => renderTemplate(template, usernameFunctions(now), data));
}

/** @returns the names of the created or changed entries */
function create(
  session: Session,
  { creationLdif, rollbackLdif }: DynamicRoleRecord,
  readChanges: (template: string) => Change[],
): string[] {
  try {
    return attempt("failed to create user", () => {
      const changes = readChanges(creationLdif);
      attempt("failed to execute statements", () => session.execute(changes, "stop"));
      return changes.map(({ dn }) => dn);
    });
  } catch (error) {
    if (rollbackLdif === "" || !(error instanceof EngineFailure)) {
      throw error;
    }
    attempt(`${error.message}; failed to roll back user creation`, () =>
      session.execute(readChanges(rollbackLdif), "continue"),
    );
    throw error;
  }
}
