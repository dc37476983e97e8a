// No test may see the git set-up of the person or machine that runs it. Identity is left unset on
// purpose: a test that commits says who commits, in its own repository.
for (const name of Object.keys(process.env)) {
  if (name.startsWith('GIT_')) delete process.env[name];
}
process.env.GIT_CONFIG_GLOBAL = '/dev/null';
process.env.GIT_CONFIG_NOSYSTEM = '1';
// Node reads these certificates at each start, which costs 0.1 s of processor time. No test leaves the machine, so none
// needs them.
delete process.env.NODE_EXTRA_CA_CERTS;
