import { useEffect, useState } from 'preact/hooks';
import type { TailMessages } from '../../web/contract.ts';
import { afterEntries, type Tail } from '../tail.ts';
import { useIsLive } from './data.ts';
import { useSelected } from './store.ts';

/** Live output of a task's attempt; undefined until something has come. */
export function useTail(task: string | undefined): Tail | undefined {
  const project = useSelected(({ route }) => route.project);
  const isLive = useIsLive();
  const [tail, setTail] = useState<{ readonly task?: string; readonly tail?: Tail }>({});
  useEffect(() => {
    if (task === undefined || !isLive) return undefined;
    const params = new URLSearchParams({ tail: task });
    if (project !== undefined) params.set('project', project);
    const source = new EventSource(`/api/tails?${params}`);
    let waiting: TailMessages['entries'][] = [];
    // Bursts are taken in once for each frame.
    const flush = (): void => {
      const taken = waiting;
      waiting = [];
      setTail((before) => {
        const known = before.task === task ? before.tail : undefined;
        return { task, ...withAll(known, taken) };
      });
    };
    source.addEventListener('entries', (event) => {
      waiting.push(JSON.parse(String(event.data)));
      if (waiting.length === 1) requestAnimationFrame(flush);
    });
    source.addEventListener('over', (event) => {
      const { state } = JSON.parse(String(event.data)) as TailMessages['over'];
      setTail((before) => {
        const known = before.tail ?? { attempt: 0, parts: [] };
        return { task, tail: { ...known, over: state } };
      });
    });
    return () => source.close();
  }, [task, project, isLive]);
  return tail.task === task ? tail.tail : undefined;
}

function withAll(
  tail: Tail | undefined,
  messages: readonly TailMessages['entries'][],
): { readonly tail?: Tail } {
  const next = messages.reduce<Tail | undefined>(afterEntries, tail);
  return next === undefined ? {} : { tail: next };
}
