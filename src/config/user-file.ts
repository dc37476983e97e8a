import { isAbsolute, join } from 'node:path';

/** The path of the user's own file, and whether a variable names it. */
export function userFile(
  env: Readonly<Record<string, string | undefined>>,
): { readonly file: string; readonly named: boolean } | undefined {
  if (env.YARDMASTER_USER_CONFIG) return { file: env.YARDMASTER_USER_CONFIG, named: true };
  const xdg = env.XDG_CONFIG_HOME;
  const home = xdg && isAbsolute(xdg) ? xdg : env.HOME && join(env.HOME, '.config');
  return home ? { file: join(home, 'yardmaster', 'config.yaml'), named: false } : undefined;
}
