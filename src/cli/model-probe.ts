import { checkModels } from '../app/model-probe.ts';
import type { Preflight } from '../app/preflight.ts';
import { answerText, modelName } from '../report/run/model-probe.ts';
import type { Call } from './parse.ts';
import { complain, warn } from './screen.ts';
import { interruptedBySignals } from './signals.ts';

/** With `probe_models`, asks every model of a run. Returns an exit status if the run must not start. */
export async function gateModels(call: Call, ready: Preflight): Promise<number | undefined> {
  if (!ready.config.probeModels) return undefined;
  const say = (lines: readonly string[]): void => (call.global.quiet ? undefined : warn(lines));
  say([`Asking before the run: ${ready.models.map(modelName).join(', ')}.`]);
  const interruption = interruptedBySignals();
  const probed = await checkModels(ready, interruption.signal);
  interruption.release();
  if (probed.ok && !interruption.signal.aborted) {
    say(probed.value.map((one) => `${answerText(one)}.`));
    return undefined;
  }
  await ready.project.git.close();
  return interruption.signal.aborted || probed.ok ? 4 : complain(probed.failure);
}
