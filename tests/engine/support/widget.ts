import { provisioningService } from "../../../sdk/provisioning/service";
import type * as pulumi from "@pulumi/pulumi";
import { resourceDocument } from "../../../sdk/http/json-api";
import { path } from "../../../sdk/base/path";
import type { ProvisioningClient } from "../../../sdk/provisioning/client";
import type { ResourceKind } from "../../../sdk/provisioning/kind";
import { TriviumResource } from "../../../sdk/resource/base";
import * as canonical from "../../../sdk/resource/canonical";
import { defineResourceBySchema, type RemoteState } from "../../../sdk/resource/definition";
import { parseDuration } from "../../../sdk/base/duration";
import { createLifecycle } from "../../../sdk/resource/lifecycle";

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

export const widgetDefinition = defineResourceBySchema<ProvisioningClient>()({
  type: "provisioning:Widget",
  service: provisioningService,
  schema: (z) => ({
    owner: z.string(),
    label: z.string().optional(),
    tags: z.array(z.string()).optional(),
    period: z
      .union([z.number(), z.string()])
      .refine((value) => parseDuration(value) !== undefined, "must be a duration")
      .transform((value) => parseDuration(value))
      .optional(),
    password: z.string().min(8, "must have at least 8 characters").optional(),
    key: z.string().optional(),
    onDestroy: z.enum(["delete", "retain"]).optional(),
    adopt: z.boolean().optional(),
  }),
  arguments: {
    owner: { replaces: true },
    label: { canonical: canonical.nothingIsNull() },
    tags: { canonical: canonical.set, cleared: [] },
    period: { canonical: canonical.duration },
    password: { secret: true, writeOnly: true },
    key: { secret: true, canonical: canonical.pem },
    onDestroy: { role: "behaviour" },
    adopt: { role: "creation" },
  },
  outputs: { made: {} },

  async find({ client }, { owner }) {
    const widgets = client.list({ summary: "look for the widget", path: path`/widgets`, kind: widgetKind });
    for await (const widget of widgets) {
      if (widget.state.owner === owner) {
        return widget;
      }
    }
    return undefined;
  },
  create: ({ client }, { adopt, onDestroy, ...attributes }) =>
    client.create({
      summary: "create the widget",
      path: path`/widgets`,
      document: resourceDocument({ type: types, attributes }),
      kind: widgetKind,
    }),
  read: async ({ client }, id) =>
    (await client.show({ summary: `read the widget ${id}`, path: path`/widgets/${id}`, kind: widgetKind }))
      ?.state,
  async update({ client }, id, desired, changed) {
    const attributes = Object.fromEntries(Object.entries(desired).filter(([name]) => changed.has(name)));
    const widget = await client.update({
      summary: `update the widget ${id}`,
      path: path`/widgets/${id}`,
      document: resourceDocument({ type: types, attributes }),
      kind: widgetKind,
    });
    return widget.state;
  },
  async delete({ client }, id, { onDestroy }) {
    if (onDestroy !== "retain") {
      await client.delete({
        summary: `delete the widget ${id}`,
        path: path`/widgets/${id}`,
        absence: { what: `widget ${id}`, id, list: { path: path`/widgets`, kind: widgetKind } },
      });
    }
  },
});

/** What the engine's provider process runs. */
export const provider = createLifecycle(widgetDefinition);

// The real text names the published package, which does not know widgets.
const stub = `exports.handler=()=>{require("ts-node/register");return require(${JSON.stringify(__filename)}).provider}`;

export class Widget extends TriviumResource {
  constructor(name: string, args: object, options: pulumi.CustomResourceOptions = {}) {
    super(widgetDefinition, name, args, {
      ...options,
      transforms: [({ props, opts }) => ({ props: { ...props, __provider: stub }, opts })],
    });
  }
}
