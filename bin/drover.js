#!/usr/bin/env node
// Plain JavaScript: a first file that needs its types stripped would load the stripper, which takes longer than everything else together.
import * as nodeModule from 'node:module';

if (Number.parseInt(process.versions.node, 10) >= 26) {
  nodeModule.enableCompileCache();
  await import('./quick-resolve.js');
  const { main } = await import('../src/cli/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  const { runWithOwnNode } = await import('./own-node.js');
  process.exitCode = await runWithOwnNode(new URL(import.meta.url), process.argv.slice(2));
}
