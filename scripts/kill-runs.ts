/** `npm run test:kill-runs`: every place of `test/faults/workflow-kill.fault.ts`, not only those that the gate has time for. */
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

process.env['DROVER_KILLS'] = 'all';
const stream = run({ files: ['test/faults/workflow-kill.fault.ts'], timeout: 3_600_000 });
stream.on('test:fail', () => (process.exitCode = 1));
stream.compose(new spec()).pipe(process.stdout);
