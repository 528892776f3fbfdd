#!/usr/bin/env node
import { runCommandLine } from './cli/run.ts';

const { env, stdin, stdout, stderr } = process;
const exitCode = await runCommandLine(process.argv.slice(2), { env, stdin, stdout, stderr });
// A service has none yet: it runs. Whatever else has ended need not wait for idle connections.
if (exitCode !== undefined) process.exit(exitCode);
