/** A folder of the user's home with state of an agent's program: its login, settings or conversations. */
export type StateFolder =
  /** Created if missing; the agent may write all of it. */
  | { readonly use: 'shared'; readonly dir: string }
  /**
   * The agent sees a private folder here with the entries of the real one in it, so that new entries vanish with the
   * sandbox. It may write the entries that are there, but for `readOnly`: settings, hooks and all else that could run
   * code in the user's next session. Folders in `keep` are created if missing, so that conversations outlive the turn.
   */
  | {
      readonly use: 'mixed';
      readonly dir: string;
      readonly keep: readonly string[];
      readonly readOnly: readonly string[];
    }
  /** The same with every entry read-only. */
  | { readonly use: 'read'; readonly dir: string };

/** Parts of the user's home and environment that an agent's program needs in a sandbox. */
export interface AgentState {
  readonly folders: readonly StateFolder[];
  /** Files outside of them that the agent rewrites; it gets a private copy. */
  readonly files: readonly string[];
  /** Variables that sign the agent in. */
  readonly variables: readonly string[];
}

export const noState: AgentState = { folders: [], files: [], variables: [] };

/** Role of a child, which decides what it may reach. Every child may write its working folder and a private `/tmp`. */
export type Confined =
  | {
      readonly role: 'agent';
      readonly state: AgentState;
      /** Names of the variables that its profile sets; they pass the allow-list of `strict`. */
      readonly variables: readonly string[];
      readonly mailbox?: string;
      /** The child is on the user's terminal. */
      readonly terminal?: true;
    }
  /** Never gets the login of an agent. */
  | { readonly role: 'gate' }
  /** Like a gate, with the network on. */
  | { readonly role: 'setup' };
