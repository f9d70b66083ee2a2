import type { MountRecord } from "../mounts";
import type { DirectoryDialect } from "./dialect";
import type { LibrarySetRecord } from "./library-record";

/** @param requested seconds; `undefined` when the request says nothing */
type CheckOutDuration = (set: LibrarySetRecord, requested: number | undefined, mount: MountRecord) => number;

/** How long a check-out lasts, in seconds; 0 for no limit. */
export const checkOutDurations: Readonly<Record<DirectoryDialect["unlimitedCheckOut"], CheckOutDuration>> = {
  "for ever": ({ ttl, maxTtl }, requested) => {
    const limits = [ttl, maxTtl, requested ?? ttl].filter((limit) => limit > 0);
    return limits.length === 0 ? 0 : Math.min(...limits);
  },
  "as the mount says": ({ ttl, maxTtl }, requested = ttl, { defaultLeaseTtl, maxLeaseTtl }) => {
    const wanted = ttl === 0 ? requested : Math.min(ttl, requested);
    return Math.min(wanted || defaultLeaseTtl, maxTtl || Infinity, maxLeaseTtl);
  },
};
