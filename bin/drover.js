#!/usr/bin/env node
// Plain JavaScript: a first file that needs its types stripped would load the stripper, which takes longer than everything else together.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { main } = await import('../src/cli/main.ts');

process.exitCode = await main(process.argv.slice(2));
