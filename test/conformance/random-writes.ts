import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { eventually } from '../helpers/eventually.ts';
import type { HttpTarget } from '../helpers/http-target.ts';
import { apply, del, get, jsonPatch, merge, post, put, strategic, type Case, type Step } from './case.ts';
import { compareOutcomes } from './compare.ts';
import { randomDefinition, randomGroup, randomKinds, type RandomKind } from './random-documents.ts';
import { runCase } from './run-case.ts';
import { WebhookServer } from './webhook-server.ts';

export interface RandomWritesOptions {
  readonly reference: HttpTarget;
  readonly tested: HttpTarget;
  readonly runs: number;
  readonly seed: string | undefined;
}

type Outcome = Record<string, unknown>;

const maxTries = 3;

interface Sequence {
  readonly kind: RandomKind;
  readonly steps: readonly Step[];
}

/** Sends random sequences of writes to both servers until their answers differ; then shrinks to the shortest sequence that still shows it. */
export async function runRandomWrites({ reference, tested, runs, seed }: RandomWritesOptions): Promise<number> {
  await using webhooks = await WebhookServer.start();
  for (const target of [reference, tested]) await serveWidgets(target);
  let done = 0;

  const agree = async ({ kind, steps }: Sequence): Promise<void> => {
    const testCase: Case = { name: `random writes of ${kind.kind}`, steps };
    for (let tries = 1; ; tries++) {
      const id = `r${randomBytes(5).toString('hex')}`;
      const [expected, actual] = await Promise.all([
        runCase(testCase, { id, side: { name: 'reference', target: reference }, webhooks, signingRequest: '' }),
        runCase(testCase, { id, side: { name: 'tested', target: tested }, webhooks, signingRequest: '' }),
      ]);
      const [first] = compareOutcomes(expected, actual);
      if (!first) break;
      const mayBeChance =
        compareOutcomes(expected.map(withoutWarnings), actual.map(withoutWarnings)).length === 0 && warnsMore(expected, actual);
      if (!mayBeChance || tries === maxTries) throw new Error(`${first.title}\n${first.text}`);
    }
    if (++done % 50 === 0) console.log(`${done} sequences agree`);
  };
  const details = await fc.check(fc.asyncProperty(sequences(), agree), {
    numRuns: runs,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    interruptAfterTimeLimit: 3_600_000,
  });
  if (!details.failed) {
    console.log(`${details.numRuns} passed, 0 failed (seed ${details.seed})`);
    return 0;
  }
  const [shortest] = details.counterexample ?? [];
  console.log(
    `FAIL random writes after ${details.numRuns} sequences and ${details.numShrinks} shrinks (repeat with --seed ${details.seed})`,
  );
  for (const step of shortest?.steps ?? []) console.log(`  ${describe(step)}`);
  console.log(details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance));
  console.log(`${details.numRuns - 1} passed, 1 failed`);
  return 1;
}

/**
 * The real server tries an update on the state it has cached, and once more on the newest: an answer may carry warnings about the first try, by chance. Then
 * it has more warnings than ours, and nothing else differs; what is not chance is there again when the sequence is repeated.
 */
function warnsMore(expected: readonly Outcome[], actual: readonly Outcome[]): boolean {
  return actual.every((one, n) => warningsOf(one).every(warning => warningsOf(expected[n]!).includes(warning)));
}

const warningsOf = (outcome: Outcome): readonly string[] =>
  [(outcome['headers'] as Record<string, unknown> | undefined)?.['warning'] ?? []].flat().map(String);

function withoutWarnings(outcome: Outcome): Outcome {
  const { warning: _warning, ...headers } = (outcome['headers'] ?? {}) as Record<string, unknown>;
  return { ...outcome, headers };
}

function sequences(): fc.Arbitrary<Sequence> {
  return fc.constantFrom(...randomKinds).chain(kind =>
    fc.record({ applied: fc.boolean(), writes: fc.array(write(kind), { minLength: 1, maxLength: 8 }) }).map(({ applied, writes }) => {
      const item = `${kind.path}/{{id}}`;
      const start = applied ? apply(item, document(kind, kind.base)) : post(kind.path, document(kind, kind.base));
      return { kind, steps: [start, ...writes.flat(), get(item), del(item, { gracePeriodSeconds: 0 }, { codeOnly: true })] };
    }),
  );
}

function write(kind: RandomKind): fc.Arbitrary<Step[]> {
  const item = `${kind.path}/{{id}}`;
  const manager = fc.constantFrom('m1', 'm2', 'm3');
  const choices: fc.Arbitrary<Step[]>[] = [
    fc
      .record({ manager, force: fc.boolean(), part: kind.part(false) })
      .map(w => [apply(item, document(kind, w.part), { manager: w.manager, force: w.force })]),
    fc.record({ manager, part: kind.part(true) }).map(w => [merge(`${item}?fieldManager=${w.manager}`, w.part)]),
    fc
      .record({ manager, operations: fc.array(operation(kind), { minLength: 1, maxLength: 3 }) })
      .map(w => [jsonPatch(`${item}?fieldManager=${w.manager}`, w.operations)]),
    fc
      .record({ manager, part: kind.part(false) })
      .map(w => [
        get(item, { capture: { rv: 'metadata.resourceVersion' }, codeOnly: true }),
        put(`${item}?fieldManager=${w.manager}`, withVersion(document(kind, overlay(kind.base, w.part)))),
      ]),
  ];
  if (kind.takesStrategic)
    choices.push(fc.record({ manager, part: kind.part(true) }).map(w => [strategic(`${item}?fieldManager=${w.manager}`, w.part)]));
  return fc.oneof(...choices);
}

function operation(kind: RandomKind): fc.Arbitrary<Record<string, unknown>> {
  return fc.constantFrom(...kind.targets).chain(([path, value]) =>
    fc.oneof(
      value.map(v => ({ op: 'add', path, value: v })),
      value.map(v => ({ op: 'replace', path, value: v })),
      fc.constant({ op: 'remove', path }),
    ),
  );
}

function document(kind: RandomKind, body: Record<string, unknown>): Record<string, unknown> {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...body,
    metadata: { ...(body['metadata'] as object | undefined), name: '{{id}}' },
  };
}

function withVersion(body: Record<string, unknown>): Record<string, unknown> {
  return { ...body, metadata: { ...(body['metadata'] as object), resourceVersion: '{{rv}}' } };
}

/** The base with the part laid over it, so that what is required stays. */
function overlay(base: unknown, part: unknown): Record<string, unknown> {
  const isMap = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v);
  const merged: Record<string, unknown> = isMap(base) ? { ...base } : {};
  for (const [key, value] of Object.entries(isMap(part) ? part : {}))
    merged[key] = isMap(value) && isMap(merged[key]) ? overlay(merged[key], value) : value;
  return merged;
}

async function serveWidgets(target: HttpTarget): Promise<void> {
  await target.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', randomDefinition);
  await eventually(async () => (await target.request('GET', `/apis/${randomGroup}/v1/widgets`)).code === 200, undefined, {
    what: 'the random group',
  });
}

function describe(step: Step): string {
  if (step.step !== 'request') return step.step;
  const type = step.headers?.['Content-Type'];
  return `${step.method} ${step.path}${type ? ` (${String(type)})` : ''} ${step.body === undefined ? '' : JSON.stringify(step.body)}`;
}
