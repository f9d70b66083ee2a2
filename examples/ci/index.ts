import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();
const organization = config.require("organization");

// Address and token come from the environment of the pipeline: neither is in the repository.
const projects = config
  .requireObject<readonly string[]>("projects")
  .map((name) => new trivium.provisioning.Project(name, { organization, name }));

export const projectIds = projects.map(({ id }) => id);
