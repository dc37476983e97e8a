/** The project's secret, which seals verdicts and agent tokens. */
export interface Secret {
  /** The valid key. Once `look` was called, each call of `key` calls it first. */
  key(): Uint8Array;
  /** Earlier keys, newest first. A verdict sealed with one is ignored, but it may come from a gate of this project. */
  replaced(): readonly Uint8Array[];
  /**
   * Replaces the key if another program has read, changed or removed the secret since the first call. Returns how often
   * that happened. Reads of this program do not count.
   */
  look(): number;
}
