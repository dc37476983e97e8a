import { describe, expect, it } from 'vitest';
import { isWithin, proxyVariables, sandboxArguments, strictEnvironment } from './arguments.ts';

describe('the command line of a sandbox', () => {
  it('mounts in order, then shares nothing with the outside', () => {
    const argv = sandboxArguments({
      bwrap: '/usr/bin/bwrap',
      work: '/work',
      mounts: [
        { id: 'read', from: '/', at: '/' },
        { id: 'devices' },
        { id: 'processes' },
        { id: 'private', at: '/run' },
        { id: 'closed', at: '/keys' },
        { id: 'masked', at: '/secret' },
        { id: 'link', to: 'usr/bin', at: '/bin' },
        { id: 'write', from: '/work', at: '/work' },
      ],
      network: false,
      userns: false,
      variables: { HTTP_PROXY: 'http://proxy' },
    });
    expect(argv.join(' ')).toBe(
      '/usr/bin/bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /run --tmpfs /keys --remount-ro /keys ' +
        '--ro-bind /dev/null /secret --symlink usr/bin /bin --bind /work /work ' +
        '--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net ' +
        '--setenv HTTP_PROXY http://proxy --die-with-parent --chdir /work --',
    );
  });

  it('gives a child on a terminal its filter', () => {
    const facts = { bwrap: 'bwrap', work: '/work', mounts: [], variables: {}, filter: '/filter' };
    const argv = sandboxArguments({ ...facts, network: true, userns: true });
    expect(argv.join(' ')).toMatch(/^\/bin\/sh -c exec "\$@" 3<"\$0" \/filter bwrap --seccomp 3 /);
  });

  it('keeps the network and user namespaces where they are allowed', () => {
    const facts = { bwrap: 'bwrap', work: '/work', mounts: [], variables: {} };
    const argv = sandboxArguments({ ...facts, network: true, userns: true });
    expect(argv).not.toContain('--unshare-net');
    expect(argv).not.toContain('--disable-userns');
  });
});

describe('the environment of strict', () => {
  it('has what programs need, and the names that are asked for', () => {
    const env = {
      PATH: '/bin',
      LC_ALL: 'C',
      SSL_CERT_FILE: '/ca.pem',
      YARD_TOKEN: 't',
      AWS_SECRET_ACCESS_KEY: 's',
      CI_TOKEN: 'c',
    };
    const { AWS_SECRET_ACCESS_KEY: _secret, ...kept } = env;
    expect(strictEnvironment(env, ['CI_TOKEN'])).toEqual(kept);
  });
});

describe('the proxy of a sandbox', () => {
  it('is used for all hosts but those of the sandbox itself', () => {
    const { HTTPS_PROXY, no_proxy } = proxyVariables(['api.example.com']);
    expect(HTTPS_PROXY).toBe('http://127.0.0.1:3128');
    expect(no_proxy).toBe('localhost,127.0.0.1,::1');
  });

  it('is used for a service on this machine that is listed', () => {
    expect(proxyVariables(['localhost:8080', '[::1]']).NO_PROXY).toBe('127.0.0.1');
  });
});

describe('a place', () => {
  it.each([
    ['/a/b', '/a', true],
    ['/a', '/a', true],
    ['/ab', '/a', false],
    ['/a', '/', true],
  ])('%s within %s is %s', (path, folder, expected) => {
    expect(isWithin(path, folder)).toBe(expected);
  });
});
