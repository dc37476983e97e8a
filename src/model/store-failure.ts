import { count, number, text, words } from './shape.ts';

/** The store is in the way. `file` is its file, or its address without secrets. */
export const storeFailures = {
  'store-corrupt': { file: text, detail: text },
  /** The file is gone, but copies of it exist. */
  'store-missing': { file: text },
  'store-newer': { file: text, found: count, known: count },
  'store-busy': { file: text, waitedMs: number },
  'store-failed': { file: text, detail: text },
  /** The server of a store does not do its part. `unfit` is a server that cannot hold a store, `foreign` the store of another repository. */
  'store-unavailable': {
    store: text,
    problem: words('unreachable', 'login', 'no-database', 'no-permission', 'unfit', 'foreign'),
    detail: text,
  },
  /** The records were moved; what is left here is a copy. */
  'store-moved': { file: text, to: text },
  /** This clone lacks a commit of an attempt: the records are shared, and the last of its runs was elsewhere. */
  'commit-elsewhere': { task: text, attempt: count, commit: text, run: text },
};
