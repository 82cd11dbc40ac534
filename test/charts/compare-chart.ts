import { renderChart, printRendered } from '../../src/render/helm/render-chart.ts';
import { loadChart } from '../../src/render/chart/load-chart.ts';
import { readChartFolder } from '../../src/render/chart/read-chart-folder.ts';
import type { Chart } from '../../src/render/chart/chart.ts';
import { errorText } from '../../src/util/error-text.ts';
import { rigProgramPath } from '../helpers/rig.ts';
import { runCommand } from '../helpers/run-command.ts';
import { withoutGenerated } from './generated-values.ts';
import { valueSetsFor, valuesOf, type ValueSet } from './value-sets.ts';

export interface Comparison {
  readonly set: string;
  /** The first lines that differ, ours after Helm's; undefined when there are none. */
  readonly difference: string | undefined;
  /** Whether both refuse the chart with these values. */
  readonly isRefused: boolean;
}

const renderMs = 60_000;

/** Renders one chart under each set of values with Helm and with ours. */
export async function compareChart(dir: string): Promise<Comparison[]> {
  let chart: Chart | undefined;
  let refusal = '';
  try {
    chart = loadChart(readChartFolder(dir));
  } catch (error) {
    refusal = refused(error);
  }
  const results: Comparison[] = [];
  for (const set of valueSetsFor(chart?.values ?? new Map())) {
    const theirs = withoutGenerated(dir, await renderWithHelm(dir, set));
    const ours = chart ? withoutGenerated(dir, renderWithOurs(chart, set)) : refusal;
    results.push({ set: set.name, difference: firstDifference(theirs, ours), isRefused: theirs.startsWith(refusedMark) });
  }
  return results;
}

const refusedMark = 'refused: ';
const refused = (error: unknown): string => `${refusedMark}${errorText(error).trim()}`;

function renderWithOurs(chart: Chart, set: ValueSet): string {
  try {
    const rendered = renderChart(chart, valuesOf(set), { release: { name: 'r', namespace: 'default' } });
    return printRendered(rendered, { definitions: true });
  } catch (error) {
    return refused(error);
  }
}

async function renderWithHelm(dir: string, set: ValueSet): Promise<string> {
  const args = ['template', 'r', dir, '--include-crds', '--values', '-'];
  const { code, stdout, stderr } = await runCommand(rigProgramPath('helm'), args, { input: set.text, timeoutMs: renderMs });
  if (code === 0) return stdout;
  // Warnings come before the error, advice after it.
  const error = stderr.slice(stderr.search(/^Error: /m) + 'Error: '.length);
  return refused(error.replace(/\n\nUse --debug flag to render out invalid YAML\n?$/, ''));
}

/** Helm walks maps in no order when it checks schemas, so what it finds is compared as a set. */
function inOrder(text: string): string {
  if (!text.includes("values don't meet the specifications of the schema(s)")) return text;
  const sorted = (names: string): string => names.split(', ').sort().join(', ');
  const lines = text.split('\n').map(line => line.replace(/(?<=additional properties ).*(?= not allowed)/, sorted));
  return lines.sort().join('\n');
}

function firstDifference(helms: string, drovers: string): string | undefined {
  const theirs = inOrder(helms);
  const ours = inOrder(drovers);
  if (theirs === ours) return undefined;
  const want = theirs.split('\n');
  const got = ours.split('\n');
  const at = want.findIndex((line, i) => line !== got[i]);
  const line = at === -1 ? want.length : at;
  const excerpt = (lines: readonly string[]): string =>
    lines
      .slice(line, line + 3)
      .join('\n')
      .slice(0, 600);
  return `line ${line + 1}\n--- helm\n${excerpt(want)}\n--- ours\n${excerpt(got)}`;
}
