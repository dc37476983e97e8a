// No test may see the git set-up of the person or machine that runs it. Identity is left unset on
// purpose: a test that commits says who commits, in its own repository.
for (const name of Object.keys(process.env)) {
  if (name.startsWith('GIT_')) delete process.env[name];
}
process.env.GIT_CONFIG_GLOBAL = '/dev/null';
process.env.GIT_CONFIG_NOSYSTEM = '1';
