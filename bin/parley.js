#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const firstNodeWithTypes = 24;

const cli = new URL('../src/cli.ts', import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= firstNodeWithTypes) await import(cli.href);
else runWithOwnNode(fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url)));

/** The machine's Node is too old for TypeScript; the package brings one along. */
function runWithOwnNode(node) {
  if (!existsSync(node)) {
    process.stderr.write(`Parley needs Node ${firstNodeWithTypes}, and its own is missing: run npm ci\n`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(cli), ...process.argv.slice(2)], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.once('exit', (code, endedBy) => {
    for (const signal of signals) process.off(signal, forward);
    if (endedBy) process.kill(process.pid, endedBy);
    else process.exitCode = code;
  });
}
