/**
 * `npm run test:kill-runs [-- --focus REGEX]`: kills whoever runs workflows, in process at every place of `test/faults/workflow-kill.fault.ts`, and the whole hub with SIGKILL at every
 * kind of transition, or those that fit `--at REGEX`. `--hub` or `--places` for one of the two, `--from N` leaves out the first places of each scenario.
 */
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { buildProgram } from './build-program.ts';

const { values } = parseArgs({
  options: {
    focus: { type: 'string' },
    from: { type: 'string' },
    at: { type: 'string' },
    hub: { type: 'boolean' },
    places: { type: 'boolean' },
  },
});
process.env['DROVER_KILLS'] = 'all';
// Every hub is the same program, also when somebody edits the sources meanwhile.
process.env['DROVER_PROGRAM'] ??= await buildProgram();
if (values.focus !== undefined) process.env['DROVER_KILLS_FOCUS'] = values.focus;
if (values.from !== undefined) process.env['DROVER_KILLS_FROM'] = values.from;
if (values.at !== undefined) process.env['DROVER_KILLS_AT'] = values.at;
const files = [
  ...(values.places === true ? [] : ['test/faults/workflow-hub-kill.ts']),
  ...(values.hub === true ? [] : ['test/faults/workflow-kill.fault.ts']),
];
const stream = run({ files, concurrency: 1, timeout: 7_200_000 });
stream.on('test:fail', () => (process.exitCode = 1));
stream.compose(new spec()).pipe(process.stdout);
