#!/usr/bin/env node
// Plain JavaScript: a first file that needs its types stripped would load the stripper, which takes longer than everything else together.
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';

if (Number.parseInt(process.versions.node, 10) >= 26) {
  // With us NO_COLOR wins; Node would warn that with it the other does.
  if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;
  nodeModule.enableCompileCache();
  await import('./quick-resolve.js');
  // Put together by scripts/build-program.ts from the same sources.
  const { DROVER_PROGRAM: whole } = process.env;
  // A package has the sources compiled, by scripts/build-package.ts.
  const compiled = new URL('../lib/cli/main.js', import.meta.url);
  const own = existsSync(compiled) ? compiled.href : '../src/cli/main.ts';
  const { main } = await import(whole ? pathToFileURL(whole).href : own);
  process.exitCode = await main(process.argv.slice(2));
} else {
  const { runWithOwnNode } = await import('./own-node.js');
  process.exitCode = await runWithOwnNode(new URL(import.meta.url), process.argv.slice(2));
}
