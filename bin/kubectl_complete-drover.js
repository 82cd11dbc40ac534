#!/usr/bin/env node
// kubectl runs this to complete "kubectl drover …"; its arguments are the words behind "drover".
process.argv.splice(2, 0, '__complete');
await import('./drover.js');
