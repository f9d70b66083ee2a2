import * as pulumi from "@pulumi/pulumi";
import * as vault from "@pulumi/vault";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();

// What this library does not manage: the engine, the auth method and the entity.
const engine = new vault.Mount("directory", { type: "ldap", path: "directory" });
const people = new vault.AuthBackend("people", { type: "userpass", path: "people" });
const ada = new vault.identity.Entity("ada", { name: "ada" });

new trivium.secrets.identity.EntityAlias("ada", {
  name: "ada@acme.example",
  canonicalId: ada.id,
  mountAccessor: people.accessor,
});
const directory = new trivium.secrets.directory.Config("directory", {
  mount: engine.path,
  binddn: config.require("binddn"),
  bindpass: config.requireSecret("bindpass"),
  url: config.require("url"),
  userdn: config.require("userdn"),
});

/** The mount of the directory engine, for the stacks that use its accounts. */
export const directoryMount = directory.mount;
