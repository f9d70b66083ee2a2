import type * as pulumi from "@pulumi/pulumi";
import type * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import type { Need, World } from "./world";

export type Values = Readonly<Record<string, unknown>>;

/** What a service speaks: as its documents say, or as the products with nearly the same wire do. */
export type Dialect = "documented" | "hashicorp";

/** The service that a case runs against, in one dialect. */
export interface Surroundings {
  /** How to reach it; the dialect is added. */
  readonly connection: trivium.ProviderArgs;
  /** The emulator that plays the service; none where that is something else. */
  readonly emulator?: Emulator;
  /** The objects of this kind that exist, as the service holds them; none where only its interface can be asked. */
  readonly objects?: () => readonly Values[];
  /** How many requests the service has had; none where nobody counts them. */
  readonly requests?: () => number;
  readonly close: () => Promise<void>;
}

/** Every dialect. */
export const allDialects: readonly Dialect[] = ["documented", "hashicorp"];

/**
 * What the generic suite has to know of a resource beyond its definition. A dialect may make a difference only
 * through the surroundings: programs are the same in all of them.
 */
export interface LifecycleCase<Around extends Surroundings = Surroundings> {
  /** As a program writes it: `provisioning.Project`. */
  readonly className: string;
  /** The type token in state. */
  readonly type: string;
  /** Default: all. */
  readonly dialects?: readonly Dialect[];
  /** Called once for each world before the first step. */
  prepare(world: World): Promise<Around>;
  /** How it is tried against real servers; none for what they do not have. */
  readonly live?: LiveCase<Around>;
  /** Declares the resource in a program. */
  declare(name: string, args: Values, options?: pulumi.CustomResourceOptions): pulumi.CustomResource;
  /** Arguments to create it with: all that the other members speak of. */
  valid(surroundings: Around): Values;
  /** One change for each argument. */
  readonly changes: readonly {
    readonly argument: string;
    /** The new value. */
    readonly to?: unknown;
    /** The new value where the surroundings decide it. */
    readonly toIn?: (surroundings: Around) => unknown;
    readonly replaces?: boolean;
    /** What has to change together with it. */
    readonly also?: Values;
    /** What a real server has to have for it. */
    readonly needs?: Need;
  }[];
  /** Other spellings of values in `valid`, which show no change. */
  readonly spellings: Values | ((surroundings: Around) => Values);
  /** Optional arguments whose removal clears them. */
  readonly cleared: readonly string[];
  /** A change behind the program's back, and the argument that shows it; none where drift cannot be seen. */
  readonly drift?: {
    readonly argument: string;
    cause(surroundings: Around, id: string): unknown;
    /** What the program changes beside it. Default: another argument, to a value that the case has for it. */
    beside?(surroundings: Around): Values;
  };
  /** Reads an object without managing it; none where the class has no `get`. */
  readonly get?: (
    name: string,
    id: pulumi.Input<string>,
    options?: pulumi.CustomResourceOptions,
  ) => pulumi.CustomResource;
  /** Arguments that no answer holds, so that `get` cannot know them. */
  readonly writeOnly?: readonly string[];
  /** The same for what answers hold in the products only. */
  readonly untoldByDocuments?: readonly string[];
  /** Whether `adopt` takes over an existing object. */
  readonly adopt: boolean;
  /** It makes no object of its own: it manages one that is there, and which stays when the resource is deleted. */
  readonly inPlace?: boolean;
  /** What state has to hold of the object beyond what a refresh can see. */
  readonly holds?: (surroundings: Around, outputs: Values) => unknown;
  /** Names are not unique: an object of the same name keeps nobody from creating another one. */
  readonly namesRepeat?: boolean;
  /** Deletes the object behind the program's back; none where that would take its surroundings with it. */
  readonly vanish?: (surroundings: Around, id: string) => unknown;
  /** Destruction and replacement leave the object in a service that cannot delete it. */
  readonly remains?: {
    /** Where it is so. */
    readonly dialects: readonly Dialect[];
    /** What the user is told then. */
    readonly announced?: RegExp;
  };
  /** Texts that may appear nowhere in clear. */
  readonly canaries: readonly string[];
  /** What holds of the emulated service once the stack is destroyed, by the title of its test. */
  readonly finally?: Readonly<Record<string, (surroundings: Around) => unknown>>;
}

/** What the generic suite has to know of a resource to try it against real servers. */
export interface LiveCase<Around extends Surroundings> {
  /** What has to be there; what is missing is the reason why the case is left out. */
  readonly needs: readonly Need[];
  /** How many objects with these ids exist; none where the service's interface does not show them. */
  readonly count?: (surroundings: Around, ids: readonly string[]) => Promise<number>;
}
