import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();
const entityId = config.require("entityId");
const mountAccessor = config.require("mountAccessor");

// A login with this name acts as the entity. An alias that belongs to another entity is not moved.
const login = new trivium.secrets.identity.EntityAlias("login", {
  name: config.require("loginName"),
  canonicalId: entityId,
  mountAccessor,
  customMetadata: { managedBy: pulumi.getProject() },
});

const codes = new trivium.secrets.mfa.TotpMethod("codes", {
  issuer: config.require("issuer"),
  period: "30s",
});

// An app keeps the settings of its enrollment, so it must be enrolled again when the method's settings change.
const enrollment = new trivium.secrets.mfa.TotpSecret("enrollment", {
  methodId: codes.id,
  entityId: login.canonicalId,
  triggers: {
    algorithm: codes.algorithm,
    digits: codes.digits,
    period: codes.period,
    enrollment: config.require("enrollment"),
  },
});

const push = new trivium.secrets.mfa.PushMethod("push", {
  name: "push",
  mountAccessor,
  usernameFormat: "{{alias.name}}@example.com",
  secretKey: config.requireSecret("secretKey"),
  integrationKey: config.requireSecret("integrationKey"),
  apiHostname: config.require("apiHostname"),
});

export const aliasId = login.id;
export const methodId = codes.id;
export const pushMethodId = push.methodId;
// Secret, because the barcode is.
export const qrCode = pulumi.interpolate`data:image/png;base64,${enrollment.barcode}`;
