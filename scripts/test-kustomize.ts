/** Builds overlays with the real kustomize and with ours, and compares the bytes. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { downloadModule } from '../test/charts/go-module.ts';
import { missingRig, repositoryRoot } from '../test/helpers/rig.ts';
import { readOverlayCases, type OverlayCase } from '../test/kustomize/overlay-cases.ts';
import { randomOverlays } from '../test/kustomize/random-overlays.ts';
import { buildCaseReally, buildOurselves, buildReally, type BuildAnswer } from '../test/kustomize/real-kustomize.ts';
import { readUpstreamOverlays } from '../test/kustomize/upstream-overlays.ts';
import { errorText } from '../src/util/error-text.ts';
import { unifiedDiff } from '../src/util/text-diff.ts';

const { values: options } = parseArgs({
  options: {
    focus: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
    /** Keeps what the real program says of the hand-written overlays, for the unit tests. */
    record: { type: 'boolean', default: false },
    random: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

/** A Go module that carries kustomizations, at the version whose overlays are compared. */
interface OverlayModule {
  readonly module: string;
  readonly version: string;
}

const count = { same: 0, refused: 0, otherWords: 0, different: 0, leftOut: 0 };
const focus = new RegExp(options.focus);
const folder = path.join(repositoryRoot, 'test/kustomize');
const maxFileBytes = 8 * 1024 * 1024;

process.exitCode = main();

function main(): number {
  const skipped = missingRig('kustomize');
  if (skipped) {
    console.log(skipped);
    return 0;
  }
  const cases = readOverlayCases();
  if (options.record) return record(cases);
  const random = randomOverlays(Number(options.seed), Number(options.random));
  for (const overlay of [...cases, ...readUpstreamOverlays(), ...random]) {
    if (focus.test(overlay.name)) compare(overlay.name, buildCaseReally(overlay), () => buildOurselves(overlay));
  }
  const modules = JSON.parse(readFileSync(path.join(folder, 'overlay-modules.json'), 'utf8')) as OverlayModule[];
  for (const { module, version } of modules) if (focus.test(module) || options.focus === '') compareModule(module, version);
  const { same, refused, otherWords, different, leftOut } = count;
  console.log(
    `${same} overlays the same, ${refused} refused in the same words, ${otherWords} in others, ${different} different; ${leftOut} modules left out (seed ${options.seed})`,
  );
  return different === 0 ? 0 : 1;
}

function record(cases: readonly OverlayCase[]): number {
  const answers = Object.fromEntries(cases.map(overlay => [overlay.name, buildCaseReally(overlay).output ?? null]));
  writeFileSync(path.join(folder, 'recorded-answers.json'), `${JSON.stringify(answers, undefined, 1)}\n`);
  console.log(`${cases.length} answers recorded`);
  return 0;
}

function compare(name: string, theirs: BuildAnswer, build: () => BuildAnswer): void {
  let ours: BuildAnswer;
  try {
    ours = build();
  } catch (error) {
    ours = { error: `broken: ${(error as Error).stack}` };
  }
  const isBroken = ours.error?.startsWith('broken: ') ?? false;
  if (theirs.output !== undefined && theirs.output === ours.output) return tell('same', name);
  if (theirs.error !== undefined && theirs.error === ours.error) return tell('refused', name);
  if (theirs.error !== undefined && ours.error !== undefined && !isBroken) {
    return tell('otherWords', name, `theirs: ${theirs.error}\nours:   ${ours.error}`);
  }
  const names = { from: 'theirs', to: 'ours' };
  tell('different', name, unifiedDiff(theirs.output ?? `refused: ${theirs.error}\n`, ours.output ?? `refused: ${ours.error}\n`, names));
}

function tell(kind: 'same' | 'refused' | 'otherWords' | 'different', name: string, details = ''): void {
  count[kind]++;
  if (!options.verbose && kind !== 'different') return;
  console.log(`${(kind === 'different' ? 'DIFFERENT' : kind).padEnd(10)} ${name}`);
  if (details !== '') console.log(details.replaceAll(/^/gm, '    '));
}

function compareModule(module: string, version: string): void {
  let root: string;
  try {
    root = downloadModule({ module, version });
  } catch (error) {
    count.leftOut++;
    console.log(`left out   ${module}@${version}: ${errorText(error)}`);
    return;
  }
  const files = readTree(root);
  const folders = [...files.keys()]
    .filter(name => /(?:^|\/)(?:kustomization\.ya?ml|Kustomization)$/.test(name))
    .map(name => path.dirname(name));
  for (const overlay of folders)
    compare(`${module}/${overlay}`, buildReally(root, overlay), () => buildOurselves({ files, folder: overlay }));
}

function readTree(root: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || entry.name.endsWith('.go') || statSync(full).size > maxFileBytes) continue;
    files.set(path.relative(root, full), readFileSync(full));
  }
  return files;
}
