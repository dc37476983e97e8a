import type { AgentAnswer, AgentRequest } from '../model/turn.ts';

/** Handles one request. After a crash it may get the same request again. */
export type Answering = (request: AgentRequest) => Promise<AgentAnswer>;

export interface OpenMailbox {
  /** Handles the requests that are left, then stops. */
  close(): Promise<void>;
}

/**
 * Carries requests from the agent of one attempt to the engine of its run, and the answers back. A request survives a
 * crash of the engine: whoever opens the mailbox next handles it. Requests are handled one at a time.
 */
export interface Mailboxes {
  /**
   * Creates the mailbox in `dir` if it is missing and handles what arrives. Only requests signed with `token` are
   * handled; others are refused without asking `answer`. Trouble with the folder only makes the agent's calls fail.
   */
  open(dir: string, token: string, answer: Answering): Promise<OpenMailbox>;
}
