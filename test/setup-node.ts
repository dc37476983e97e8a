// Node reads these certificates at each start, which costs up to 0.1 s of processor time. No test leaves the machine, so
// none needs them, and limits that are multiples of the start of Node mean the same on every machine.
delete process.env.NODE_EXTRA_CA_CERTS;
