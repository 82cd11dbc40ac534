import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { loadChart } from '../../src/render/chart/load-chart.ts';
import type { GoMap } from '../../src/render/go/go-value.ts';
import { toGoValue } from '../../src/render/go/to-go-value.ts';
import { renderTemplates } from '../../src/render/helm/engine.ts';
import { prepareChart } from '../../src/render/helm/render-chart.ts';
import { errorText } from '../../src/util/error-text.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { rigProgramPath } from '../helpers/rig.ts';

/** A chart as its files, to be rendered as release "r". */
export interface OracleQuestion {
  readonly files: Readonly<Record<string, string>>;
  readonly values: JsonObject;
}

/** Every rendered file, or why there is none. */
export interface OracleReply {
  readonly files?: Readonly<Record<string, string>>;
  readonly error?: string;
}

/** Helm's own library in a process of its own, that answers one question after the other. */
export class HelmOracle implements Disposable {
  readonly #process: ChildProcess;
  readonly #waiting: { resolve: (reply: OracleReply) => void; reject: (error: Error) => void }[] = [];

  constructor() {
    const child = spawn(rigProgramPath('helm-oracle'), [], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process = child;
    createInterface({ input: child.stdout }).on('line', line => this.#waiting.shift()?.resolve(JSON.parse(line) as OracleReply));
    child.on('exit', code => this.#waiting.splice(0).forEach(({ reject }) => reject(new Error(`the oracle ended with ${code}`))));
  }

  ask(question: OracleQuestion): Promise<OracleReply> {
    const { promise, resolve, reject } = Promise.withResolvers<OracleReply>();
    this.#waiting.push({ resolve, reject });
    this.#process.stdin!.write(`${JSON.stringify(question)}\n`);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#process.kill();
  }
}

const limits = { steps: 1_000_000, output: 16 * 1024 * 1024 };

/** The same from our engine. */
export function renderWithOurs({ files, values }: OracleQuestion): OracleReply {
  try {
    const chart = loadChart(Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) })));
    const prepared = prepareChart(chart, toGoValue(values) as GoMap, { release: { name: 'r', namespace: 'default' } });
    const rendered = renderTemplates(prepared.chart, prepared.top, { limits: { ...limits, deadline: performance.now() + 10_000 } });
    return { files: Object.fromEntries([...rendered].sort(([a], [b]) => (a < b ? -1 : 1))) };
  } catch (error) {
    return { error: errorText(error) };
  }
}
