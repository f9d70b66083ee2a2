/** How far a record of LDIF has been read. */
export interface LdifRecord {
  readonly phase:
    | "between records"
    | "behind dn"
    | "attributes"
    | "add"
    | "modify"
    | "operation"
    | "delete"
    | "rename"
    /** It depends on conditions, or something is wrong already. */
    | "unknown";
  /** Where the record, or the operation, begins. */
  readonly offset: number;
  /** It holds what it needs: attributes to add, operations, values. */
  readonly filled: boolean;
  /** What an operation does, and to which attribute; `undefined` when that is not known. */
  readonly operation: string | undefined;
  readonly attribute: string | undefined;
  /** Nothing came before, so the version of LDIF can be given. */
  readonly first: boolean;
  /** There was a record. */
  readonly found: boolean;
  /** A record had a changetype, so all of them should. */
  readonly changes: boolean;
  /** What the dn line has to say about lines that it swallowed. */
  readonly hint: string;
}

export const noRecord: LdifRecord = {
  phase: "between records",
  offset: 0,
  filled: false,
  operation: undefined,
  attribute: undefined,
  first: true,
  found: false,
  changes: false,
  hint: "",
};

/** A record that was read in one of two ways, by a condition. */
export function eitherRecord(left: LdifRecord, right: LdifRecord): LdifRecord {
  return {
    ...left,
    phase: left.phase === right.phase ? left.phase : "unknown",
    filled: left.filled || right.filled,
    operation: left.operation === right.operation ? left.operation : undefined,
    attribute: left.attribute === right.attribute ? left.attribute : undefined,
    first: left.first && right.first,
    found: left.found || right.found,
    changes: left.changes && right.changes,
  };
}
