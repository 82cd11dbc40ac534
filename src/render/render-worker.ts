import { receiveMessageOnPort, parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { errorText } from '../util/error-text.ts';
import type { Json } from '../util/json.ts';
import { readFolderArchive } from './archive.ts';
import { readChartArchive } from './chart/chart-archive.ts';
import type { Chart } from './chart/chart.ts';
import { loadChart } from './chart/load-chart.ts';
import { GoError, type GoMap } from './go/go-value.ts';
import { markLookup, newRendering } from './go/rendering.ts';
import { toGoValue } from './go/to-go-value.ts';
import { chartBody, chartHead } from './helm/chart-record.ts';
import type { Lookup } from './helm/engine.ts';
import { prepareChart, renderPrepared, type RenderOptions } from './helm/render-chart.ts';
import { kustomize } from './kustomize/kustomize.ts';
import { patchManifests } from './kustomize/patch-manifests.ts';
import { refuseAccess } from './refuse-access.ts';
import type {
  Answer,
  BuildRequest,
  Question,
  RenderRequest,
  WorkerAnswer,
  WorkerMessage,
  WorkerRequest,
  WorkerResult,
} from './render-protocol.ts';
import { renderMap, renderText } from './text/render-text.ts';

/** Given to each worker when it starts. */
export interface RenderWorkerData {
  /** Where answers to questions arrive. */
  readonly answers: MessagePort;
  /** Set to one with every answer. */
  readonly isAnswered: SharedArrayBuffer;
  readonly questionTimeoutMs: number;
}

/** Charts that stay loaded, by the bytes of their files. */
const maxChartBytes = 64 * 1024 * 1024;

const port = parentPort!;
const { answers, isAnswered, questionTimeoutMs } = workerData as RenderWorkerData;
const flag = new Int32Array(isAnswered);
const charts = new LRUCache<string, Chart>({ maxSize: maxChartBytes, sizeCalculation: sizeOf });
const tell = (message: WorkerMessage): void => port.postMessage(message);

refuseAccess();
port.on('message', (request: WorkerRequest) => {
  try {
    tell({ type: 'done', result: answer(request) });
  } catch (error) {
    tell({ type: 'failed', message: shortened(errorText(error)), isBug: isBug(error) });
  }
});
tell({ type: 'ready' });

function answer(request: WorkerRequest): WorkerAnswer {
  switch (request.type) {
    case 'chart':
      return render(request);
    case 'kustomization':
      return build(request);
    case 'patches':
      return patchManifests(request);
    case 'text':
      return renderText(request);
    case 'map':
      return renderMap(request);
  }
}

function render(request: RenderRequest): WorkerResult {
  const { digest, release, capabilities, hasLookup, wantsBody } = request;
  const loaded = chartOf(digest);
  const rendering = newRendering();
  const options: RenderOptions = { release, rendering, ...(capabilities && { capabilities }), ...(hasLookup && { lookup }) };
  const prepared = prepareChart(loaded, toGoValue(request.values) as GoMap, options);
  const { metadata, head } = chartHead(prepared.chart);
  const rendered = renderPrepared(prepared, options);
  const { usedLookup, isUnrepeatable } = rendering;
  return { ...rendered, usedLookup, isUnrepeatable, metadata, recordHead: head, recordBody: wantsBody ? chartBody(loaded) : undefined };
}

function build({ archive, path }: BuildRequest): string {
  return kustomize(readFolderArchive(archive), path);
}

function chartOf(digest: string): Chart {
  let chart = charts.get(digest);
  if (!chart) {
    chart = loadChart(readChartArchive(ask({ type: 'chart' }) as Uint8Array));
    charts.set(digest, chart);
  }
  return chart;
}

const lookup: Lookup = (apiVersion, kind, namespace, name) => {
  markLookup();
  return toGoValue(ask({ type: 'lookup', apiVersion, kind, namespace, name }) as Json) as GoMap;
};

/** Asks the thread that runs this one, and stands still until it answers: templates cannot wait in any other way. */
function ask(question: Question): unknown {
  Atomics.store(flag, 0, 0);
  tell({ type: 'question', question });
  if (Atomics.wait(flag, 0, 0, questionTimeoutMs) === 'timed-out') throw new GoError('timed out');
  const answer = receiveMessageOnPort(answers)!.message as Answer;
  if ('error' in answer) throw new GoError(answer.error);
  return answer.value;
}

/** The middle of a very long error is left out: one that went through a thousand templates names them all. */
function shortened(message: string): string {
  const kept = 2000;
  if (message.length <= 2 * kept) return message;
  return `${message.slice(0, kept)} … ${message.length - 2 * kept} characters left out … ${message.slice(-kept)}`;
}

function sizeOf(chart: Chart): number {
  const bytes = [...chart.templates, ...chart.files].reduce((sum, { name, data }) => sum + name.length + data.length, 1);
  return chart.dependencies.reduce((sum, child) => sum + sizeOf(child), bytes);
}

/** Errors that no chart should be able to bring about. */
function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError;
}
