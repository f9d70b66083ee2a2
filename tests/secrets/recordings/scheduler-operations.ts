import { accessDefinition, accesses } from "../../../sdk/secrets/scheduler/access";
import { leaseDefinition, leases } from "../../../sdk/secrets/scheduler/lease";
import { listRoles, roleDefinition, schedulerRoles } from "../../../sdk/secrets/scheduler/role";
import { issueToken } from "../../../sdk/secrets/scheduler/token";
import { type Asked, camelCased, type Operations } from "./operation";

// Where the recording has it is where the dialect usually has it.
const mount = "nomad";

const role = ({ names: [name = ""] }: Asked) => ({ mount, name });

/** The scheduler engine. */
export const schedulerOperations: Operations = {
  "GET /nomad/config/access": {
    make: ({ step }) => accesses.read(step.client, { mount }),
    brings: camelCased,
  },
  "POST /nomad/config/access": {
    make: ({ step, values }) =>
      accessDefinition.update(step, mount, values as never, new Set(Object.keys(values)), {}),
    brings: () => ({ mount }),
  },
  "GET /nomad/config/lease": {
    make: ({ step }) => leases.read(step.client, { mount }),
    absent: undefined,
    brings: camelCased,
  },
  "POST /nomad/config/lease": {
    make: ({ step, values }) => leaseDefinition.create(step, { mount, ...values }),
    brings: () => ({ id: mount, state: { mount } }),
  },
  "DELETE /nomad/config/lease": { make: ({ step }) => leaseDefinition.delete(step, mount, {}) },
  "LIST /nomad/role": {
    make: () => listRoles(),
    absent: { names: [] },
    brings: ({ keys }) => ({ names: keys }),
  },
  "GET /nomad/role/:name": {
    make: (asked) => schedulerRoles.read(asked.step.client, role(asked)),
    absent: undefined,
    brings: (data) => data,
  },
  "POST /nomad/role/:name": {
    make: (asked) =>
      roleDefinition.create(asked.step, { ...role(asked), ...asked.values, policies: [] } as never),
    brings: (_data, asked) => ({
      id: `${mount}/${role(asked).name}`,
      state: { ...role(asked), global: asked.values.global ?? false },
    }),
  },
  "DELETE /nomad/role/:name": {
    make: ({ step, names: [name = ""] }) => roleDefinition.delete(step, `${mount}/${name}`, {}),
  },
  "GET /nomad/creds/:name": {
    make: (asked) => issueToken(asked.step.client, { mount, roleName: role(asked).name }),
    brings: (data) => ({
      ...camelCased(data),
      leaseId: "nomad/creds/r1/SgDgcQy3bjzHaTfcsQMSy2E8",
      leaseDuration: 2_764_800,
    }),
  },
};
