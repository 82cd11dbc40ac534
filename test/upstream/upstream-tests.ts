import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The parts of Kubernetes' own conformance suite that judge an API server rather than nodes. */
export const apiServerParts = ['api-machinery', 'auth', 'cli'] as const;
/** The parts that judge the controllers around it. */
export const controllerParts = ['apps', 'scheduling'] as const;

export type LeftOutFile = 'left-out.txt' | 'left-out-beyond.txt' | 'left-out-sandbox.txt';

export interface LeftOut {
  readonly test: string;
  readonly reason: string;
}

/** Names of the tests of some parts (special interest groups), as the suite itself lists them: those of conformance, or those beyond it. */
export function listUpstreamTests(program: string, parts: readonly string[], { isBeyond = false } = {}): string[] {
  const ofParts = new RegExp(`^\\[sig-(${parts.join('|')})\\]`);
  const listed = spawnSync(program, ['--list-tests'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const names = (listed.stdout + listed.stderr)
    .split('\n')
    .map(line => line.slice(Math.max(0, line.indexOf('[sig-'))).trim())
    .filter(name => ofParts.test(name) && name.includes('[Conformance]') !== isBeyond);
  if (names.length === 0) throw new Error(`"${program}" lists no tests: ${listed.stderr.slice(0, 500)}`);
  return [...new Set(names)].toSorted();
}

/** Each line is a test's name, two colons and why it is left out. */
export function readLeftOut(file: LeftOutFile): LeftOut[] {
  const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
  return text
    .split('\n')
    .filter(line => line.trim() !== '' && !line.startsWith('#'))
    .map(line => {
      const [test = '', reason = ''] = line.split(' :: ');
      if (reason.trim() === '') throw new Error(`${file} gives no reason for "${test}"`);
      return { test: test.trim(), reason: reason.trim() };
    });
}

interface SpecReport {
  ContainerHierarchyTexts: string[] | null;
  LeafNodeType: string;
  LeafNodeText: string;
  State: string;
  RunTime: number;
  Failure?: { Message: string };
}

export interface TestResult {
  readonly test: string;
  readonly state: 'passed' | 'failed';
  readonly seconds: number;
  readonly message: string;
}

/** Reads ginkgo's JSON report; tests that were not chosen are not in the result. */
export function readReport(file: string): TestResult[] {
  const suites = JSON.parse(readFileSync(file, 'utf8')) as { SpecReports: SpecReport[] | null }[];
  return suites
    .flatMap(suite => suite.SpecReports ?? [])
    .filter(spec => spec.LeafNodeType === 'It' && spec.State !== 'skipped' && spec.State !== 'pending')
    .map(spec => ({
      test: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '),
      state: spec.State === 'passed' ? ('passed' as const) : ('failed' as const),
      seconds: Math.round(spec.RunTime / 1e9),
      message: spec.Failure?.Message ?? '',
    }));
}
