export const hookPoints = {
  'run-started': 'a run started or was resumed',
  'run-ended': 'a run ended',
  'task-started': 'an attempt at a task started',
  'task-landed': 'a task landed, or was delivered as a branch or pull request',
  'task-failed': 'a task failed or is blocked, and will not be retried in this run',
  'task-quarantined': 'a task failed too often and waits for you',
  'task-canceled': 'a task was canceled during an attempt, and the attempt has ended',
  'task-stalled': 'an agent printed nothing for too long and was stopped; its task may be retried',
  'approval-wanted': 'work or a revision of the plan waits for your approval',
  'question-asked': 'an agent waits for your answer',
  'choice-wanted': 'finished variants of a task wait for your choice',
  'budget-near': 'four fifths of the budget for tokens, cost or agent starts are used',
  'budget-reached': 'a budget is used up',
  'quota-paused': 'an account of an agent is paused',
  'target-red': 'the target fails the gate or the verification at the end of the run',
  'landing-blocked': 'work passed the gate, but the target cannot be moved',
} as const;
export type HookPoint = keyof typeof hookPoints;

export const isHookPoint = (name: string): name is HookPoint => Object.hasOwn(hookPoints, name);

/** One thing to report. The same event gives the same occasions again after a restart. */
export interface Occasion {
  readonly point: HookPoint;
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  readonly do?: string;
  readonly task?: {
    readonly id: string;
    readonly title: string;
    readonly type: string;
    readonly priority: number;
    readonly labels: readonly string[];
  };
  readonly attempt?: number;
  readonly commit?: string;
  readonly url?: string;
  readonly failure?: string;
}

export interface HookEvent extends Omit<Occasion, 'at'> {
  /** The same for every delivery of this event by this hook. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Message of a hook: one event, or several as a digest. Chats that take incoming webhooks show `text`. */
export type HookMessage = {
  readonly schema: 1;
  readonly hook: string;
  readonly project: string;
} & (
  | HookEvent
  | {
      readonly id: string;
      readonly point: 'digest';
      readonly at: string;
      readonly text: string;
      /** Events that are not listed. */
      readonly more: number;
      readonly events: readonly HookEvent[];
    }
);

/** Program of the system that shows notices on the desktop. */
export function desktopProgram(platform: string): string {
  return platform === 'darwin' ? 'osascript' : 'notify-send';
}
