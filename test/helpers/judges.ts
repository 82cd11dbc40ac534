import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse as parseYaml } from 'yaml';
import { eventually } from './eventually.ts';
import { Program } from './program.ts';
import { repositoryRoot, rigProgramPath } from './rig.ts';

/** What a judge has printed: one JSON object per line. */
export interface JudgeLine {
  readonly type: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly count?: number;
  readonly error?: string;
}

/** A Go program of ours that uses unmodified client libraries and tells what it sees. */
export interface Judge extends AsyncDisposable {
  readonly program: Program;
  lines(): JudgeLine[];
  /** Waits for a line, also one printed before. */
  hears(isRight: (line: JudgeLine) => boolean, what: string): Promise<JudgeLine>;
}

/** client-go shared informers; `dynamic` names custom resources as group/version/resource. */
export function startInformerJudge(options: {
  kubeconfig: string;
  dir: string;
  namespace?: string;
  typed?: readonly string[];
  dynamic?: readonly string[];
}): Judge {
  const { kubeconfig, dir, namespace = '', typed, dynamic = [] } = options;
  return startJudge('informer', dir, [
    `--kubeconfig=${kubeconfig}`,
    `--namespace=${namespace}`,
    `--dynamic=${dynamic.join(',')}`,
    ...(typed ? [`--typed=${typed.join(',')}`] : []),
  ]);
}

/** A controller-runtime manager; it wants the definition of `managerDefinition()` to be served. */
export function startManagerJudge({
  kubeconfig,
  dir,
  namespace = 'default',
}: {
  kubeconfig: string;
  dir: string;
  namespace?: string;
}): Judge {
  return startJudge('manager', dir, [`--kubeconfig-file=${kubeconfig}`, `--namespace=${namespace}`]);
}

export function managerDefinition(): object {
  return parseYaml(readFileSync(path.join(repositoryRoot, 'test/rig/clients/manager/crd.yaml'), 'utf8')) as object;
}

function startJudge(name: string, dir: string, args: readonly string[]): Judge {
  const program = new Program({ name, command: rigProgramPath(name), args, logFile: path.join(dir, `${name}-${crypto.randomUUID()}.log`) });
  const lines = (): JudgeLine[] =>
    readFileSync(program.logFile, 'utf8')
      .split('\n')
      .slice(0, -1)
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as JudgeLine);
  return {
    program,
    lines,
    async hears(isRight, what) {
      const found = await eventually(
        () => lines().find(isRight),
        line => line !== undefined,
        { timeoutMs: 30_000, what },
      );
      if (!found) throw new Error(`${name} did not say ${what}`);
      return found;
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
