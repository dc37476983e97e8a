import type { Command } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { unreachable } from '../model/failure.ts';
import type { State } from '../plan/state.ts';
import type { Ports, RunContext } from './context.ts';
import { performBeginGate } from './train.ts';
import { prefixFor } from './turn.ts';

type Events = readonly EventBody[];

/** Commands that become an event as they are, before anything is done about them. */
export type Sayable = Extract<
  Command,
  {
    type:
      | 'begin-turn'
      | 'begin-review'
      | 'begin-critique'
      | 'begin-gate'
      | 'begin-branch-gate'
      | 'skip-gate'
      | 'ask-approval'
      | 'give-up';
  }
>;

export function said(ports: Ports, context: RunContext, state: State, command: Sayable): Events {
  const { run } = context;
  switch (command.type) {
    case 'begin-turn': {
      const { type: _type, ...turn } = command;
      const prefix = prefixFor(ports, context, state, command.agent);
      const started = { type: 'turn-started', run, ...turn } as const;
      return [prefix === undefined ? started : { ...started, prefix }];
    }
    case 'begin-review':
      return [{ ...command, type: 'review-started', run }];
    case 'begin-critique':
      return [{ ...command, type: 'critique-started', run }];
    case 'begin-gate':
      return performBeginGate(context, state, command);
    case 'begin-branch-gate':
      return [{ ...command, type: 'branch-gate-started', run }];
    case 'skip-gate':
      return [{ ...command, type: 'gate-skipped', run }];
    case 'ask-approval':
      return [{ ...command, type: 'approval-asked', run }];
    case 'give-up':
      return [{ ...command, type: 'attempt-given-up', run }];
    default:
      unreachable(command);
  }
}
