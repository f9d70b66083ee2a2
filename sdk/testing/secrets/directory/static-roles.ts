import { BrokenConnection } from "../../response";
import type { Table } from "../../table";
import { dataResponse, namesResponse } from "../responses";
import type { Body } from "../body";
import {
  deletes,
  type EngineEndpoint,
  type EngineRequest,
  reads,
  type SecretsArea,
  writes,
} from "../endpoint";
import { enterprise, FieldTable, requiredText, seconds, text } from "../fields";
import type { Records } from "../records";
import { automatedFields } from "../objects";
import { type ConfigState, defaultUserAttribute, requireSchedule } from "./config";
import { listsFolders, nameOf, requireUnmanaged, type ManagedAccounts } from "./names";
import { Schedule } from "./schedule";
import type { Connect } from "./session";
import type {
  DirectoryConfigRecord,
  DirectoryStaticRolesSetup,
  MountRecord,
  StaticRoleRecord,
} from "../types";
import type { MountStates } from "../mounts";
import { attempt, badRequest, EngineFailure } from "../refusal";
import type { DirectoryTraits } from "./traits";
import type { SecretsTraits } from "../traits";

type RoleSettings = Omit<StaticRoleRecord, "name" | "password" | "lastPassword" | "lastRotation">;

const fieldsOf = ({ automates }: DirectoryTraits) =>
  new FieldTable<RoleSettings>({
    username: requiredText("username is a required field to manage a static account"),
    dn: text(),
    rotationPeriod: seconds({
      initial: automates ? 0 : undefined,
      missing: noPeriod,
      rule: [
        (period) => period >= 5 || (automates && period === 0),
        "rotation_period must be 5 seconds or more",
      ],
    }),
    ...(automates ? { ...automatedFields, passwordPolicy: enterprise(text()) } : {}),
  });

/** The values that a role takes from its mount until they are set for the role. */
const inherited: Readonly<Partial<Record<keyof RoleSettings, string>>> = {
  rotateOnRead: "rotate_on_read",
  rotateOnReadCooldown: "rotate_on_read_cooldown",
  autoUnlock: "auto_unlock",
};

function isInherited(name: string, body: Body, role: StaticRoleRecord | undefined): boolean {
  const key = name as keyof RoleSettings;
  const member = inherited[key];
  return member !== undefined && !body.has(member) && role?.[key] === undefined;
}

const noPeriod = "rotation_period is required to create static accounts";

export interface StaticRolesState {
  readonly staticRoles: Table<StaticRoleRecord>;
}

/** The value in responses before the first rotation. */
const neverRotated = "0001-01-01T00:00:00Z";

export function createStaticRolesArea(
  records: Records,
  states: MountStates<StaticRolesState & ConfigState & ManagedAccounts>,
  connect: Connect,
): SecretsArea<EngineEndpoint, "directoryStaticRoles", DirectoryStaticRolesSetup> {
  const { traits, clock, mounts } = records;
  const { automates, isOfOpenBao } = records.directory;
  const schedule = new Schedule(records);
  const roleFields = fieldsOf(records.directory);
  const read = (body: Body, role?: StaticRoleRecord): RoleSettings => {
    const read = roleFields.read(body, role);
    const settings = Object.fromEntries(
      Object.entries(read).filter(([name]) => !isInherited(name, body, role)),
    ) as unknown as RoleSettings;
    if (automates) {
      requireSchedule(body);
    }
    if (settings.rotationPeriod === 0 && !settings.rotationSchedule) {
      throw badRequest(noPeriod);
    }
    return settings;
  };
  /** A role with a schedule has the period 0. */
  const returned = (mount: MountRecord, role: StaticRoleRecord) => {
    const next = role.rotationSchedule ? new Date(clock.now() + 86_400_000).toISOString() : undefined;
    const { rotateOnRead, rotateOnReadCooldown, autoUnlock } = states.of(mount).config ?? {};
    const whole = { rotateOnRead, rotateOnReadCooldown, autoUnlock, ...role };
    return {
      ...roleFields.returned(whole),
      ...(role.rotationPeriod === 0 && { next_vault_rotation: next }),
    };
  };
  const lastRotationMember = traits.lastRotation;

  const roleOf = (request: EngineRequest): StaticRoleRecord | undefined =>
    states.of(request.mount).staticRoles.find(nameOf(request, records));

  /** Stores nothing if the directory rejects the change. */
  const rotate = (mount: MountRecord, role: StaticRoleRecord): void => {
    const state = states.of(mount);
    const own = state.config?.selfManaged === true && { config: ownAccount(state.config, role) };
    const session = connect(own || state, "the config is currently unset");
    const password = own
      ? session.rotateSelf(role.passwordPolicy)
      : session.rotate(role, role.passwordPolicy);
    const rotated = { ...role, password, lastPassword: role.password, lastRotation: records.now() };
    state.staticRoles.set(rotated);
    rotateWhenDue(mount, rotated);
  };
  const rotateAgain = (mount: MountRecord, name: string) => (): void => {
    const role = states.of(mount).staticRoles.find(name);
    if (role !== undefined) {
      rotate(mount, role);
    }
  };
  /** One period after the last rotation, or after now if there was none. */
  const rotateWhenDue = (
    mount: MountRecord,
    { name, lastRotation, rotationPeriod }: StaticRoleRecord,
  ): void => {
    const last = lastRotation === null ? clock.now() : Date.parse(lastRotation);
    // The emulator does not implement schedules.
    if (rotationPeriod === 0) {
      schedule.stop(mount, name);
      return;
    }
    const wait = Math.max(last + rotationPeriod * 1_000 - clock.now(), 0);
    schedule.after(wait, mount, name, rotateAgain(mount, name));
  };
  /** Seconds until the next rotation. */
  const remaining = ({ lastRotation, rotationPeriod }: StaticRoleRecord): number =>
    lastRotation === null
      ? 0
      : Math.max(Math.round((Date.parse(lastRotation) - clock.now()) / 1_000) + rotationPeriod, 0);

  /** A role for which a value was set keeps it, even `false`; others use the mount's value. */
  const rotatesNow = (role: StaticRoleRecord, config: DirectoryConfigRecord | undefined): boolean => {
    const rotates = role.rotateOnRead ?? config?.rotateOnRead ?? false;
    const cooldown = role.rotateOnReadCooldown ?? config?.rotateOnReadCooldown ?? 60;
    const age = role.lastRotation === null ? Infinity : clock.now() - Date.parse(role.lastRotation);
    return rotates && age >= cooldown * 1_000;
  };

  const create = (request: EngineRequest): void => {
    const { mount, body } = request;
    const state = states.of(mount);
    if (state.config === undefined) {
      throw isOfOpenBao ? new BrokenConnection() : badRequest("missing LDAP configuration");
    }
    const skipsRotation = body.boolean("skip_import_rotation") ?? state.config.skipStaticRoleImportRotation;
    const role: StaticRoleRecord = {
      name: nameOf(request, records),
      ...read(body),
      password: body.text("password") ?? null,
      lastPassword: null,
      lastRotation: null,
    };
    if (state.config.selfManaged === true && role.password === null) {
      throw badRequest("password is required for self-managed static roles");
    }
    if (state.config.selfManaged === true && role.dn === "") {
      throw badRequest("dn is required for self-managed static roles");
    }
    if (traits.accountsAreExclusive) {
      requireUnmanaged(state, role.username, traits);
    }
    if (skipsRotation) {
      rotateWhenDue(mount, state.staticRoles.set(role));
    } else {
      rotate(mount, role);
    }
  };

  const names = ({ mount }: EngineRequest) => states.of(mount).staticRoles.keys();
  return {
    endpoints: [
      // According to the documentation, only static roles are listed with a plain GET.
      ...(traits.listsFolders
        ? listsFolders("/static-role", records, names)
        : [reads("/static-role", (request: EngineRequest) => namesResponse(names(request), false))]),
      writes(
        "/static-role/:name",
        [...roleFields.names, "skip_import_rotation", ...(automates ? ["password"] : [])],
        (request) => {
          const { mount, body } = request;
          const role = roleOf(request);
          if (role === undefined) {
            create(request);
          } else {
            requireUnchanged(role, body, traits);
            const password = body.text("password");
            const changed = { ...role, ...read(body, role), ...(password === undefined ? {} : { password }) };
            rotateWhenDue(mount, states.of(mount).staticRoles.set(changed));
          }
        },
      ),
      reads("/static-role/:name", (request) => {
        const role = roleOf(request);
        // The documented response always contains the time; the products omit it before the first rotation.
        const time = role?.lastRotation ?? (traits.omitsNoRotation ? undefined : neverRotated);
        const last = { [lastRotationMember]: time };
        return role && dataResponse({ ...returned(request.mount, role), ...last });
      }),
      deletes("/static-role/:name", (request) => {
        const { staticRoles } = states.of(request.mount);
        if (isOfOpenBao && staticRoles.all().length === 0) {
          throw new EngineFailure("queue is empty");
        }
        const name = nameOf(request, records);
        staticRoles.delete(name);
        schedule.stop(request.mount, name);
      }),
      reads("/static-cred/:name", (request) => {
        const found = roleOf(request);
        if (found === undefined) {
          throw badRequest(`unknown role: ${nameOf(request, records)}`);
        }
        const rotates = rotatesNow(found, states.of(request.mount).config);
        if (rotates) {
          rotate(request.mount, found);
        }
        const role = roleOf(request) ?? found;
        const { username, dn, rotation_period } = returned(request.mount, role) as Record<string, unknown>;
        return dataResponse({
          username,
          dn,
          rotation_period: rotation_period || undefined,
          ...(rotates ? { rotated_on_read: true } : {}),
          last_password: role.lastPassword ?? "",
          [lastRotationMember]: role.lastRotation ?? neverRotated,
          // "The password cannot be returned by reads until the first rotation."
          ...(role.password === null && !traits.showsUnknownPassword
            ? {}
            : { password: role.password ?? "" }),
          ...(role.rotationPeriod === 0 ? {} : { ttl: remaining(role) }),
        });
      }),
      writes("/rotate-role/:name", [], (request) => {
        const { mount } = request;
        const sent = request.parameter("name");
        const isExact = nameOf(request, records) === sent;
        // Here, OpenBao's engine looks up the name as it was sent.
        const role = isExact || !isOfOpenBao ? roleOf(request) : undefined;
        if (role === undefined) {
          throw badRequest(`role doesn't exist: ${sent}`);
        }
        try {
          // The documentation does not show the message of this failure.
          attempt(traits.retriedRotation, () => rotate(mount, role));
        } catch (error) {
          if (error instanceof EngineFailure) {
            schedule.retry(mount, role.name, rotateAgain(mount, role.name));
          }
          throw error;
        }
      }),
    ],
    setup: {
      changeDirectoryStaticRole(name, change, path) {
        const mount = mounts.get("directory", path);
        const changed = states.of(mount).staticRoles.change(name, change);
        rotateWhenDue(mount, changed);
        return changed;
      },
      removeDirectoryStaticRole(name, path) {
        const mount = mounts.get("directory", path);
        states.of(mount).staticRoles.remove(name);
        schedule.stop(mount, name);
      },
    },
    inspect: () => ({ directoryStaticRoles: states.inspect(({ staticRoles }) => staticRoles.all()) }),
  };
}

/** The engine binds as the account of the role. */
function ownAccount(config: DirectoryConfigRecord, { dn, username, password }: StaticRoleRecord) {
  const { userdn, schema } = config;
  const attribute = config.userattr || defaultUserAttribute(schema);
  return { ...config, binddn: dn || `${attribute}=${username},${userdn}`, bindpass: password ?? "" };
}

/** @throws Refusal 400 for a change of a fixed argument; the products allow an empty `dn` */
function requireUnchanged(role: StaticRoleRecord, body: Body, traits: SecretsTraits): void {
  const dn = body.text("dn") ?? role.dn;
  if ((body.text("username") ?? role.username) !== role.username) {
    throw badRequest("cannot update static account username");
  }
  if (dn !== role.dn && !(dn === "" && traits.dnCanBeCleared)) {
    throw badRequest("cannot update static account distinguished name (dn)");
  }
  if (traits.refusesLateSkip && body.has("skip_import_rotation")) {
    throw badRequest("skip_import_rotation has no effect on updates");
  }
}
