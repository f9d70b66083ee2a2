import { provisioningService } from "../../../sdk/provisioning/service";
import { path } from "../../../sdk/base/path";
import type { ResourceKind } from "../../../sdk/provisioning/kind";
import { nothingIsNull } from "../../../sdk/resource/fields/canonical";
import { defineResource, type RemoteState } from "../../../sdk/resource/definition";
import { Fields, kebabCase, output } from "../../../sdk/resource/fields/field";
import { adopt, oneOf, pem, seconds, text, textSet } from "../../../sdk/resource/fields/kinds";

/** A resource that no service has, with a field of every kind that the framework knows. */
const widgetKind: ResourceKind<{ readonly id: string; readonly state: RemoteState }> = {
  type: "widgets",
  shape: (z) =>
    z
      .object({
        id: z.string(),
        attributes: z.object({
          owner: z.string(),
          label: z.string().nullable(),
          tags: z.array(z.string()),
          period: z.number(),
          key: z.string().nullable(),
          made: z.string(),
        }),
      })
      .transform(({ id, attributes }) => ({ id, state: attributes })),
};

const types = "widgets";

const fields = new Fields(
  {
    owner: text({ replaces: true }),
    label: text({ optional: true, canonical: nothingIsNull() }),
    tags: textSet({ cleared: [] }),
    period: seconds({ optional: true }),
    password: text({ optional: true, least: 8, secret: true, writeOnly: true }),
    key: pem({ optional: true, secret: true }),
    onDestroy: oneOf(["delete", "retain"], { optional: true, role: "behaviour" }),
    adopt: adopt(),
    made: output(text()),
  },
  kebabCase,
);

const memberOf = (id: string) => ({
  what: `widget ${id}`,
  id,
  path: path`/widgets/${id}`,
  kind: widgetKind,
  list: path`/widgets`,
});

export const widgetDefinition = defineResource(provisioningService, fields)("provisioning:Widget", {
  async find({ client }, { owner }) {
    const { items } = await client.listAll({
      summary: "list widgets",
      path: path`/widgets`,
      kind: widgetKind,
    });
    return items.find(({ state }) => state.owner === owner);
  },
  create: ({ client }, { adopt, onDestroy, ...attributes }) =>
    client.create({
      summary: "create the widget",
      path: path`/widgets`,
      document: { data: { type: types, attributes } },
      kind: widgetKind,
    }),
  read: async ({ client }, id) => (await client.show(memberOf(id)))?.state,
  async update({ client }, id, desired, changed) {
    const attributes = Object.fromEntries(Object.entries(desired).filter(([name]) => changed.has(name)));
    const widget = await client.update({
      summary: `update the widget ${id}`,
      path: path`/widgets/${id}`,
      document: { data: { type: types, attributes } },
      kind: widgetKind,
    });
    return widget.state;
  },
  async delete({ client }, id, { onDestroy }) {
    if (onDestroy !== "retain") {
      await client.deleteMember(memberOf(id));
    }
  },
});
