/** A message from a person to the agent of a task. */
export interface Message {
  /** Number of the event that stored it. */
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  /** The turn whose prompt has it; absent while it is unread. */
  readonly readIn?: { readonly attempt: number; readonly turn: number };
}
