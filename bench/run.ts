import { parseArgs } from 'node:util';
import { buildProgram } from '../scripts/build-program.ts';
import { benchApiServer } from './apiserver.ts';
import { benchDelivery } from './delivery.ts';
import { printFigures, type Figure } from './figure.ts';
import { benchHelm } from './helm.ts';
import { benchMultiClusterServices } from './mcs.ts';
import { benchPage } from './page.ts';
import { benchRancherAccess } from './rancher-access.ts';
import { benchRancherV3 } from './rancher-v3.ts';
import { benchRest } from './rest.ts';
import { benchSandbox } from './sandbox.ts';
import { benchTunnel } from './tunnel.ts';
import { benchWorkflow } from './workflow.ts';

export interface BenchOptions {
  /** Shorter runs and fewer objects: for a look, not for the record. */
  readonly quick: boolean;
  /** Leaves the peer out, to profile ours alone; its figures are then not a number. */
  readonly oursOnly: boolean;
  readonly focus: RegExp;
  /** Numbers of clusters, for suites that run with several. Their own when empty. */
  readonly sizes: readonly number[];
  /** More arguments for `drover up`, for suites that start it with sandboxes. */
  readonly hubArgs: readonly string[];
  /** Says what is going on; never on standard output. */
  log(text: string): void;
}

export interface BenchResult {
  readonly notes: readonly string[];
  readonly figures: readonly Figure[];
}

const suites: Readonly<Record<string, (options: BenchOptions) => Promise<BenchResult>>> = {
  apiserver: benchApiServer,
  helm: benchHelm,
  delivery: benchDelivery,
  mcs: benchMultiClusterServices,
  page: benchPage,
  'rancher-access': benchRancherAccess,
  'rancher-v3': benchRancherV3,
  rest: benchRest,
  sandbox: benchSandbox,
  tunnel: benchTunnel,
  workflow: benchWorkflow,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    'ours-only': { type: 'boolean', default: false },
    focus: { type: 'string', default: '' },
    sizes: { type: 'string', default: '' },
    'hub-args': { type: 'string', default: '' },
  },
});
const suite = suites[positionals[0] ?? ''];
if (!suite) {
  process.stderr.write(
    `usage: npm run bench -- SUITE [--json] [--quick] [--ours-only] [--focus REGEX] [--sizes N,N] [--hub-args ARGS]\nsuites: ${Object.keys(suites).join(', ')}\n`,
  );
  process.exit(2);
}
// As `npm start` runs it.
process.env['DROVER_PROGRAM'] ??= await buildProgram();
const { notes, figures } = await suite({
  quick: values.quick,
  oursOnly: values['ours-only'],
  focus: new RegExp(values.focus),
  sizes: values.sizes.split(',').filter(Boolean).map(Number),
  hubArgs: values['hub-args'].split(' ').filter(Boolean),
  log: text => void process.stderr.write(`${text}\n`),
});
if (values.json) process.stdout.write(`${JSON.stringify({ suite: positionals[0], notes, figures }, undefined, 2)}\n`);
else process.stdout.write(`${notes.map(note => `# ${note}`).join('\n')}\n${printFigures(figures)}\n`);
