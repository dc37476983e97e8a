/** One step of a turn, for people who follow it. A tool call is reported when it begins and again when it ends. */
export type Action =
  /** `piece` continues the text before it; otherwise the text is a message of its own. */
  | { readonly id: 'text'; readonly text: string; readonly piece?: true }
  | { readonly id: 'tool'; readonly call: ToolCall };

export interface ToolCall {
  /** The agent's id of the call. */
  readonly key: string;
  /** The agent's name of the tool. */
  readonly name: string;
  /** The tool's main argument on one line: a command, a file, a pattern. */
  readonly subject: string;
  /** Absent while the call runs. */
  readonly outcome?: ToolOutcome;
}

export interface ToolOutcome {
  readonly ok: boolean;
  readonly exit?: number;
  /** Duration, if the stream has timestamps. */
  readonly ms?: number;
  /** Last line of the output of a failed call. */
  readonly output?: string;
}

/** An action of the agent, or an output line that is not part of its stream. */
export type Entry = Action | { readonly id: 'line'; readonly text: string };
