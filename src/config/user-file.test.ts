import { describe, expect, it } from 'vitest';
import { userFile } from './user-file.ts';

describe('userFile', () => {
  it('is where the user said, else under the config folder, else under home', () => {
    expect(userFile({ YARDMASTER_USER_CONFIG: '/x.yaml', XDG_CONFIG_HOME: '/c' })).toEqual({
      file: '/x.yaml',
      named: true,
    });
    expect(userFile({ XDG_CONFIG_HOME: '/c', HOME: '/h' })?.file).toBe('/c/yardmaster/config.yaml');
    expect(userFile({ XDG_CONFIG_HOME: 'relative', HOME: '/h' })?.file).toBe(
      '/h/.config/yardmaster/config.yaml',
    );
    expect(userFile({})).toBeUndefined();
  });
});
