import type { ViewAnswer } from '../web/contract.ts';

/** Something outside of the tasks that stops the run, or keeps it from going on, until a person acts. */
export interface RunTrouble {
  readonly name: string;
  readonly what: string;
  readonly why: string;
  readonly do: string;
}

export type TroubleSource = Pick<ViewAnswer, 'run' | 'needsYou' | 'paused' | 'pausedSteps'>;

export type TaskNeed = Exclude<ViewAnswer['needsYou'][number], { kind: 'run' }>;

export function taskNeeds({ needsYou }: Pick<ViewAnswer, 'needsYou'>): readonly TaskNeed[] {
  return needsYou.filter((need) => need.kind !== 'run');
}

/** The most urgent first. Accounts that are paused for a while go on by themselves and are not among them. */
export function runTroubles(view: TroubleSource): readonly RunTrouble[] {
  const { run, needsYou, paused, pausedSteps } = view;
  const isOver = run.state === 'ended';
  return [
    ...needsYou.flatMap((need) => {
      if (need.kind !== 'run') return [];
      const name = isOver ? `Run ${need.run} has ended early` : 'The run is about to end';
      return [{ name, ...sentences(need.failure) }];
    }),
    ...pausedSteps.map((one) => ({ name: `Paused: ${one.step}`, ...sentences(one) })),
    ...paused
      .filter(({ until }) => until === undefined)
      .map((pause) => ({
        name: `Account ${pause.account} is paused`,
        ...sentences({ ...pause, why: '' }),
      })),
  ];
}

/** Number of things that wait for the user. */
export function needsIn(view: TroubleSource): number {
  return taskNeeds(view).length + runTroubles(view).length;
}

function sentences({ what, why, do: remedy }: Omit<RunTrouble, 'name'>): Omit<RunTrouble, 'name'> {
  return { what, why, do: remedy };
}
