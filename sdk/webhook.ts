/**
 * Signatures and typed notifications for receivers. It loads nothing else of the library and needs no other package,
 * so that a bundled receiver stays small. Programs have the same as `provisioning.webhook`.
 */
import "./base/node-version";
export * from "./provisioning/webhook";
