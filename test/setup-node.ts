// Node reads these certificates at each start, which costs 0.1 s of processor time. No test leaves the machine, so none
// needs them. Limits that are multiples of the start of Node are tested with them, in the project `speed`.
delete process.env.NODE_EXTRA_CA_CERTS;
