import type { ResolvedSettings } from "../../connection/resolve";
import { findSetting, type Sources } from "../../connection/sources";
import { nameOfSetting } from "../../base/setting-name";
import type { Findings } from "./finding";

const thisMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Reports how the connection is protected over which the service has just answered. */
export function reportEncryption(settings: ResolvedSettings, sources: Sources, findings: Findings): void {
  const { address, insecureSkipVerify, clientCertificate } = settings;
  const { protocol, hostname } = new URL(address);
  if (protocol === "http:") {
    if (thisMachine.test(hostname)) {
      findings.report("note", "tls", "plain HTTP, on this machine");
    } else {
      findings.report("warning", "tls", "plain HTTP: the token can be read on the way", {
        advice: `Begin ${nameOfSetting(settings, "address")} with https:// if the service can do that.`,
        code: "PLAIN_HTTP",
      });
    }
    return;
  }
  if (insecureSkipVerify === true) {
    findings.report("warning", "tls", "any certificate is accepted: somebody else could answer", {
      advice: `Set ${nameOfSetting(settings, "caCertificate")} in place of ${nameOfSetting(settings, "insecureSkipVerify")}.`,
      code: "NOT_VERIFIED",
    });
    return;
  }
  const authority = findSetting(sources, settings.service, "caCertificate");
  const parts = [
    authority === undefined
      ? "the certificate is valid"
      : `the certificate is valid, by the authority from ${authority.source}`,
    ...(clientCertificate === undefined ? [] : ["a client certificate was offered"]),
  ];
  findings.report("ok", "tls", parts.join("; "));
}
