import type { Project } from '../app/ports.ts';
import type { Hook } from '../config/hook.ts';
import { bellSender, commandSender, desktopSender, webhookSender } from '../hook/sender.ts';
import type { HookSender } from '../port/hook.ts';

type Here = Pick<Project, 'root' | 'env' | 'childEnv' | 'which' | 'clock'>;

/** Sender of the messages of a hook; undefined for a bell if this process has no terminal. */
export function hookSender(
  { root, env, childEnv, which, clock }: Here,
  hook: Hook,
): HookSender | undefined {
  const place = { cwd: root, env: childEnv, ms: hook.timeout };
  switch (hook.use) {
    case 'command':
      return commandSender({ ...place, argv: hook.command });
    case 'webhook':
      return webhookSender({
        url: hook.url ?? (env[hook.url_env ?? ''] || undefined),
        secret: hook.secret_env && (env[hook.secret_env] ?? ''),
        ms: hook.timeout,
        now: () => clock.now(),
      });
    case 'desktop':
      return desktopSender({
        ...place,
        platform: process.platform,
        which: (program) => {
          const found = which(program);
          return found.ok ? found.value : undefined;
        },
      });
    case 'bell':
      return bellSender();
  }
}
