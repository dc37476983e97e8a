import type { Result } from '../model/failure.ts';
import type { Announced } from '../model/job.ts';
import type { Assignments } from '../port/workers.ts';

/** Reports of a run that gives a worker nothing. */
export interface VersionReports {
  /** Called if the latest run has another version than the worker, once until that changes. */
  readonly onOtherVersion: (run: string) => void;
}

interface Parts extends VersionReports {
  readonly assignments: Pick<Assignments, 'announce'>;
  readonly self: Omit<Announced, 'state'>;
}

/** Announces a worker with every heartbeat. The answer has the version of the latest run. */
export class Announcement {
  readonly #parts: Parts;
  /** Version of the run that was reported last. */
  #other: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async send(state: Announced['state']): Promise<Result<unknown>> {
    const { assignments, self, onOtherVersion } = this.#parts;
    const told = await assignments.announce({ ...self, state });
    const version = told.ok ? told.value?.version : undefined;
    if (state !== 'joined' || version === undefined) return told;
    const other = version === self.version ? undefined : version;
    if (other !== undefined && other !== this.#other) onOtherVersion(other);
    this.#other = other;
    return told;
  }
}
