#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Nothing is imported statically, so that everything after this line starts from the cache.
enableCompileCache();
const { main } = await import('../src/cli/main.ts');

process.exitCode = await main(process.argv.slice(2));
