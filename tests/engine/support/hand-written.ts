import * as pulumi from "@pulumi/pulumi";

/** A dynamic resource as somebody writes it by hand, which reads the stack's configuration when it is created. */
export class HandWritten extends pulumi.CustomResource {
  constructor(name: string, options: pulumi.CustomResourceOptions) {
    const __provider = `exports.handler = () => {
      let config;
      return {
        configure: async (request) => { config = request.config; },
        create: async () => ({ id: "made", outs: { seen: config.get("plain") ?? "nothing" } }),
      };
    }`;
    super("pulumi-nodejs:dynamic:Resource", name, { __provider, seen: undefined }, options);
  }
}
