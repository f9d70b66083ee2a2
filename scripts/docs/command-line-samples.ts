/** What a command prints, as the reference shows it; a test runs each and compares. */
export interface Sample {
  /** What stands behind the command. */
  readonly words: readonly string[];
  readonly output: string;
}

/** By the name of the command. Addresses, tokens and ids are others at each run. */
export const samples: Readonly<Record<string, Sample | undefined>> = {
  doctor: {
    words: ["provisioning", "--organization", "acme"],
    output: `\
provisioning  http://127.0.0.1:8300  documented
           address  from the environment variable PROVISIONING_ADDR
           token    from the environment variable PROVISIONING_TOKEN
  ok       address  reachable
  -        tls      plain HTTP, on this machine
  -        product  unknown: the service does not name its product or version
  ok       token    valid, may administer organizations
  ok       acme     the token may read it`,
  },
  events: {
    words: ["--topic", "Node", "--topic", "Deployment:web"],
    output: `\
       1  Node        NodeRegistration          n1                                    -           Name=worker-1 Status=ready
       3  Deployment  DeploymentStatusUpdate    d1                                    default     JobID=web Status=successful`,
  },
  "import-file": {
    words: ["--organization", "acme", "--workspace", "ws-4jYzgpqCuGAG3mCt"],
    output: `\
provisioning.Project                    2
provisioning.NotificationConfiguration  1

Written: imports.json.

Then:
  npx pulumi-trivium use-plugin
  pulumi import -f imports.json --out imported.ts

The last command imports the objects and writes the program to imported.ts. Add the secrets that services never return to it.`,
  },
  "use-plugin": {
    words: [],
    output: `\
The provider plugin now manages the resources of this project (see Pulumi.yaml).
To check that nothing changes, run pulumi preview.`,
  },
  "use-dynamic": {
    words: [],
    output: `\
The resources of this project are now dynamic resources: Pulumi.yaml names no plugin.
To check that nothing changes, run pulumi preview.`,
  },
  emulator: {
    words: ["--organization", "acme"],
    output: `\
PROVISIONING_ADDR=http://127.0.0.1:8300
PROVISIONING_TOKEN=...
SECRETS_ADDR=http://127.0.0.1:8301
SECRETS_TOKEN=...
SCHEDULER_ADDR=http://127.0.0.1:8302
SCHEDULER_TOKEN=...`,
  },
};
