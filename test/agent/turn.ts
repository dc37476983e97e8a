// One turn, as the engine would give it to an agent.
import type { Turn } from '../../src/port/agent.ts';

export function turn(more: Partial<Turn> = {}): Turn {
  return {
    subject: 'T-1',
    run: 'run-1',
    attempt: 2,
    turn: 3,
    prompt: 'Do it.\n',
    worktree: '/tree',
    newSession: '5d4f0a52-9c1e-4f9b-8a38-3a4c1b0de001',
    ...more,
  };
}
