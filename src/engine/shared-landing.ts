import { nextLandingTry } from '../merge/land.ts';
import type { CommandOf } from '../model/command.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { jobLimits } from '../model/job.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Clock } from '../port/processes.ts';
import type { Courier } from '../port/workers.ts';
import type { Events } from './context.ts';

interface SharedLandingParts {
  readonly here: (command: CommandOf<'land'>) => Promise<Result<Events>>;
  readonly courier: Pick<Courier, 'send'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly run: string;
}

interface Push {
  readonly over: AbortController;
  readonly sent: Promise<Result<void>>;
}

/**
 * Lands candidates of a run with workers. The commit is in the shared repository before the target moves to it: another
 * machine can then resume the run from this target, and lands the same commit if this process dies in between.
 *
 * git may wait for that repository for minutes, so a landing waits only for a while; the push goes on, and further tries of
 * the landing join it for a moment.
 */
export class SharedLanding {
  readonly #parts: SharedLandingParts;
  /** Pushes under way, by commit. */
  readonly #pushes = new Map<string, Push>();

  constructor(parts: SharedLandingParts) {
    this.#parts = parts;
  }

  async perform(command: CommandOf<'land'>): Promise<Result<Events>> {
    const { here, run, clock } = this.#parts;
    const { candidate, count, how } = command;
    if (how.id !== 'land') return here(command);
    const sent = await this.#send(candidate.prefixes[count - 1]?.commit ?? candidate.commit);
    if (!sent.ok) {
      const { failure } = sent;
      if (failure.kind === 'internal') return sent;
      const until = nextLandingTry(candidate, clock.now());
      return ok([{ type: 'landing-waits', run, candidate: candidate.id, failure, until }]);
    }
    return here(command);
  }

  /** Ends the pushes that are under way. */
  end(): void {
    for (const { over } of this.#pushes.values()) over.abort();
    this.#pushes.clear();
  }

  /** Resolves once the commit is there, or with the reason why it is not there yet. */
  async #send(commit: string): Promise<Result<void>> {
    const before = this.#pushes.get(commit);
    const { sent } = before ?? this.#begin(commit);
    const timer = new AbortController();
    const isLate = async (): Promise<Result<never>> => {
      const ms = before === undefined ? jobLimits.pushPatienceMs : jobLimits.joinedPushMs;
      await this.#parts.clock.sleep(ms, timer.signal);
      return fail({ kind: 'share-slow', ms: jobLimits.pushPatienceMs });
    };
    const done = await Promise.race([sent, isLate()]);
    timer.abort();
    return done;
  }

  #begin(commit: string): Push {
    const over = new AbortController();
    const sent = outcomeOf(this.#parts.courier.send([commit], over.signal)).then((done) => {
      if (this.#pushes.get(commit)?.over === over) this.#pushes.delete(commit);
      return done.ok ? done : fail(shareFailure(done.failure));
    });
    const push = { over, sent };
    this.#pushes.set(commit, push);
    return push;
  }
}

/** git names an address and an exit status; what a person has to know is in its output. */
function shareFailure(failure: Failure): Failure {
  return failure.kind === 'git-failed' ? { kind: 'share-failed', detail: failure.stderr } : failure;
}
