/**
 * Signatures and typed notifications for receivers. This module does not load the rest of the library or any
 * other package, so that a bundled receiver stays small. In programs, use `provisioning.webhook`.
 */
import "./base/node-version";
export * from "./provisioning/webhook";
