import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { missingRig, rigProgramPath, repositoryRoot } from '../test/helpers/rig.ts';
import { runCommand } from '../test/helpers/run-command.ts';
import { packedCharts, type PackedChart } from './helm/charts.ts';
import type { Measured } from './helm/measured.ts';
import { figure, type Figure } from './figure.ts';
import type { BenchOptions, BenchResult } from './run.ts';

const timeoutMs = 1_800_000;

/**
 * Our engine against Helm's own library, each in a process of its own with one thread that renders. Cold: unpack, load and render a chart that was not
 * seen before. Warm: the same chart once for each of many clusters, whose values differ in one place; nothing of a result is reused.
 */
export async function benchHelm({ quick, oursOnly, focus, log }: BenchOptions): Promise<BenchResult> {
  const missing = missingRig('helm-oracle');
  if (missing && !oursOnly) throw new Error(missing);
  const clusters = quick ? 100 : 1000;
  const cold = quick ? 5 : 20;
  const dir = mkdtempSync(path.join(tmpdir(), 'drover-bench-'));
  const figures: Figure[] = [];
  const sums = { ours: { coldMs: 0, warmMs: 0 }, peer: { coldMs: 0, warmMs: 0 } };
  try {
    for (const chart of packedCharts(focus)) {
      const args = writeInputs(dir, chart, clusters);
      log(`${chart.name}: ${clusters} clusters`);
      const ours = await measure(process.execPath, [
        path.join(repositoryRoot, 'bench/helm/measure-ours.ts'),
        ...args,
        '-cold',
        String(cold),
      ]);
      const peer = oursOnly ? nothing : await measure(rigProgramPath('helm-oracle'), [...args, '-cold', String(cold)]);
      figures.push(...figuresOf(chart.name, ours, peer));
      for (const key of ['coldMs', 'warmMs'] as const) {
        sums.ours[key] += ours[key];
        sums.peer[key] += peer[key];
      }
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  figures.push(
    figure({ name: 'all charts, cold', unit: 'ms', ours: sums.ours.coldMs, peer: sums.peer.coldMs, better: 'less', atLeastTimes: 1 }),
    figure({ name: 'all charts, warm', unit: 'ms', ours: sums.ours.warmMs, peer: sums.peer.warmMs, better: 'less', atLeastTimes: 5 }),
  );
  const notes = [
    `peer: the library of Helm v4.3.1 in Go (load, dependencies, values, schema, templates, sorting); ${clusters} clusters warm, ${cold} times cold, median`,
    'times are of the processor, all threads together, so that neighbours on the machine do not count',
  ];
  return { notes, figures };
}

const nothing: Measured = { coldMs: NaN, warmMs: NaN, bytes: NaN };

function figuresOf(name: string, ours: Measured, peer: Measured): Figure[] {
  return [
    figure({ name: `${name}, cold`, unit: 'ms', ours: ours.coldMs, peer: peer.coldMs, better: 'less', atLeastTimes: 1 }),
    figure({ name: `${name}, warm`, unit: 'ms', ours: ours.warmMs, peer: peer.warmMs, better: 'less', atLeastTimes: 5 }),
  ];
}

/** The same files for both sides. */
function writeInputs(dir: string, { name, bytes, valuesOf }: PackedChart, clusters: number): string[] {
  const [chart, values] = [path.join(dir, `${name}.tgz`), path.join(dir, `${name}.jsonl`)];
  writeFileSync(chart, bytes);
  writeFileSync(values, Array.from({ length: clusters }, (_, i) => JSON.stringify(valuesOf(`cluster-${i}`))).join('\n'));
  return ['-bench', chart, '-values', values];
}

async function measure(program: string, args: readonly string[]): Promise<Measured> {
  const { code, stdout, stderr } = await runCommand(program, args, { timeoutMs });
  if (code !== 0) throw new Error(`cannot measure ${path.basename(program)}: ${stderr.trim().split('\n').at(-1)}`);
  return JSON.parse(stdout) as Measured;
}
