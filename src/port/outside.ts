/** End of a command that a task waits for. `note` says why it does not count as successful. */
export type CommandEnd = { readonly ok: true } | { readonly ok: false; readonly note: string };

/**
 * State of the machine that tasks wait for. Only tasks of a person name such state: what agents file has no waits. Nothing
 * throws.
 */
export interface Outside {
  /** True if the path, relative to the user's checkout or absolute, exists. */
  exists(path: string): Promise<boolean>;
  /** Runs a shell command in the user's checkout, as the user and without a sandbox, within a time limit. */
  run(command: string): Promise<CommandEnd>;
  /** Ends the commands that run, and starts no more: a run that ends now waits for nothing. */
  interrupt(): void;
}
