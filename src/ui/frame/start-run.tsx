import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { limits } from '../../model/limits.ts';
import { commandText } from '../../report/format/command.ts';
import { type RunWish, runWords } from '../../report/format/run-command.ts';
import { Dialog } from '../parts/dialog.tsx';
import { act } from '../state/store.ts';

const scopes = ['every', 'only', 'epics', 'labels'] as const;
type ScopeName = (typeof scopes)[number];

const scopeTexts = {
  every: 'Every task',
  only: 'Some tasks',
  epics: 'The tasks of some epics',
  labels: 'Tasks with some labels',
} as const;

const nameTexts = {
  only: 'Ids of the tasks',
  epics: 'Names of the epics',
  labels: 'Labels, one of which they have',
} as const;

interface StartProps {
  readonly ready: number;
  readonly close: () => void;
}

/** Agents may cost money, so one click does not start them. */
export function StartRun({ ready, close }: StartProps): JSX.Element {
  const [scope, setScope] = useState<ScopeName>('every');
  const [names, setNames] = useState('');
  const [slots, setSlots] = useState('');
  const wish = wishOf(scope, names, slots);
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await act({ kind: 'run', ...wish })) close();
  };
  return (
    <Dialog title="Start a run" close={close}>
      <form onSubmit={(event) => void start(event)}>
        <label class="field">
          Tasks
          <select
            value={scope}
            onChange={({ currentTarget: { value } }) =>
              setScope(scopes.find((one) => one === value) ?? 'every')
            }
          >
            {scopes.map((one) => (
              <option key={one} value={one}>
                {scopeTexts[one]}
              </option>
            ))}
          </select>
        </label>
        {scope === 'every' ? (
          <p>
            Agents start on every ready task, {ready} now, and on tasks that become ready later.
          </p>
        ) : (
          <label class="field">
            {nameTexts[scope]}, separated by commas
            <input
              required
              pattern=".*[^\s,].*"
              value={names}
              onInput={(event) => setNames(event.currentTarget.value)}
            />
          </label>
        )}
        <label class="field">
          Slots: agents that work at once; as in the config if empty
          <input
            type="number"
            min={1}
            max={limits.jobsMax}
            value={slots}
            onInput={(event) => setSlots(event.currentTarget.value)}
          />
        </label>
        <p>
          Budget as in the config. This runs <code>{commandText(['ym', ...runWords(wish)])}</code>.
        </p>
        <div class="buttons">
          <button type="submit" class="primary">
            Start
          </button>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function wishOf(scope: ScopeName, names: string, slots: string): RunWish {
  const named = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    ...(scope === 'every' ? {} : { [scope]: named }),
    ...(slots === '' ? {} : { slots: Number(slots) }),
  };
}
