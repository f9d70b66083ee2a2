import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** All but `otherAuthority` and `selfSigned` are signed by `authority`. */
export type Certificates = ReturnType<typeof make>;

let made: Certificates | undefined;

export function certificates(): Certificates {
  return (made ??= make());
}

function make() {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  try {
    const loopback = "subjectAltName=IP:127.0.0.1,DNS:localhost";
    return {
      authority: makeAuthority(folder, "authority"),
      otherAuthority: makeAuthority(folder, "other-authority"),
      server: sign(folder, "server", loopback),
      /** For service.example only. */
      otherHost: sign(folder, "other-host", "subjectAltName=DNS:service.example"),
      expired: sign(folder, "expired", loopback, { period: ["20000101000000Z", "20010101000000Z"] }),
      notYetValid: sign(folder, "not-yet-valid", loopback, {
        period: ["20480101000000Z", "20491231000000Z"],
      }),
      selfSigned: makeAuthority(folder, "self-signed", ["-addext", loopback]),
      client: sign(folder, "client", "extendedKeyUsage=clientAuth"),
      /** An authority of `authority`, and a service of it: the chain of three. */
      intermediate: sign(folder, "intermediate", "basicConstraints=critical,CA:TRUE"),
      leaf: sign(folder, "leaf", loopback, { by: "intermediate" }),
      /** What a strict client refuses, each with the chain that a server sends. */
      refused: {
        forClients: chain(folder, "for-clients", [["extendedKeyUsage=clientAuth", loopback]]),
        tooDeep: chain(folder, "too-deep", [
          ["basicConstraints=critical,CA:TRUE,pathlen:0"],
          ["basicConstraints=critical,CA:TRUE"],
          [loopback],
        ]),
        notPermitted: chain(folder, "not-permitted", [
          ["basicConstraints=critical,CA:TRUE", "nameConstraints=critical,permitted;IP:10.0.0.0/255.0.0.0"],
          [loopback],
        ]),
        ofSha1: chain(folder, "of-sha1", [[loopback]], { digest: "sha1" }),
      },
      /** Of `otherAuthority`: what a service and its clients have after all certificates were replaced. */
      replaced: {
        server: sign(folder, "replaced-server", "subjectAltName=DNS:service.example", {
          by: "other-authority",
        }),
        client: sign(folder, "replaced-client", "extendedKeyUsage=clientAuth", { by: "other-authority" }),
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

function makeAuthority(folder: string, name: string, options: readonly string[] = []): KeyPair {
  const files = ["-keyout", `${name}.key`, "-out", `${name}.pem`];
  openssl(folder, ["req", "-x509", ...newKey, "-subj", `/CN=${name}`, "-days", "30", ...options, ...files]);
  return read(folder, name);
}

/** Each signed by the one before, the first one by `authority`; the certificates from the last one up. */
function chain(
  folder: string,
  name: string,
  links: readonly (readonly string[])[],
  signing: Signing = {},
): KeyPair {
  let by = "authority";
  let certificate = "";
  let key = "";
  for (const [index, extensions] of links.entries()) {
    const own = `${name}-${index}`;
    const pair = sign(folder, own, extensions.join("\n"), { ...signing, by });
    certificate = pair.certificate + certificate;
    ({ key } = pair);
    by = own;
  }
  return { certificate, key };
}

interface Signing {
  readonly digest?: string;
  readonly period?: readonly [from: string, until: string];
  /** The name of the authority. */
  readonly by?: string;
}

function sign(folder: string, name: string, extension: string, signing: Signing = {}): KeyPair {
  const { period = ["20200101000000Z", "20491231000000Z"], by = "authority", digest = "sha256" } = signing;
  const files = ["-keyout", `${name}.key`, "-out", `${name}.csr`];
  openssl(folder, ["req", "-new", ...newKey, "-subj", `/CN=${name}`, ...files]);
  // `openssl ca` is the only command of version 3.0 that can sign for a period in the past.
  writeFileSync(
    join(folder, `${name}.cnf`),
    `[ca]
default_ca=own
[own]
database=${name}.index
new_certs_dir=.
rand_serial=yes
default_md=${digest}
policy=any
x509_extensions=extensions
[any]
commonName=supplied
[extensions]
${extension}
`,
  );
  writeFileSync(join(folder, `${name}.index`), "");
  const [from, until] = period;
  const authority = ["-cert", `${by}.pem`, "-keyfile", `${by}.key`];
  const request = ["-startdate", from, "-enddate", until, "-in", `${name}.csr`, "-out", `${name}.pem`];
  openssl(folder, ["ca", "-batch", "-notext", "-config", `${name}.cnf`, ...authority, ...request]);
  return read(folder, name);
}

function openssl(folder: string, options: readonly string[]): void {
  execFileSync("openssl", options, { cwd: folder, stdio: "pipe" });
}

function read(folder: string, name: string): KeyPair {
  return {
    certificate: readFileSync(join(folder, `${name}.pem`), "utf8"),
    key: readFileSync(join(folder, `${name}.key`), "utf8"),
  };
}
