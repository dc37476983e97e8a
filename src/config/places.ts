/** Well-known places of secrets. */
export const secretPlaces = [
  '~/.ssh',
  '~/.gnupg',
  '~/.aws',
  '~/.azure',
  '~/.config/gcloud',
  '~/.config/gh',
  '~/.config/hub',
  '~/.docker',
  '~/.kube',
  '~/.netrc',
  '~/.git-credentials',
  '~/.config/git/credentials',
  '~/.pgpass',
  '~/.vault-token',
  '~/.password-store',
  '~/.local/share/keyrings',
  '~/.mozilla',
  '~/.thunderbird',
  '~/.config/google-chrome',
  '~/.config/chromium',
  '~/.config/BraveSoftware',
  '~/.config/microsoft-edge',
];

/** Caches of common package managers and build tools. */
export const cachePlaces = [
  '~/.cache',
  '~/.npm',
  '~/.local/share/pnpm',
  '~/.bun/install/cache',
  '~/.cargo/registry',
  '~/.cargo/git',
  '~/go/pkg',
  '~/.gradle/caches',
  '~/.m2/repository',
  '~/.nuget/packages',
];

export const placesHint = 'Give a path or a list of paths; "~" is your home.';
