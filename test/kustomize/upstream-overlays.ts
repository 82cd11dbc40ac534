import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { goModuleDir } from '../helpers/rig.ts';
import type { OverlayCase } from './overlay-cases.ts';

/**
 * The overlays that kustomize's own tests write, read from its sources in Go's cache. What its tests expect is not looked at: the program is asked. A
 * test whose files are not written as plain strings gives an overlay that lacks them.
 */
export function readUpstreamOverlays(): OverlayCase[] {
  const folder = path.join(goModuleDir('kustomize', 'sigs.k8s.io/kustomize/api'), 'krusty');
  const functions = new Map<string, string>();
  for (const file of readdirSync(folder).filter(name => name.endsWith('_test.go'))) {
    for (const [name, body] of readFunctions(readFileSync(path.join(folder, file), 'utf8'))) functions.set(name, body);
  }
  return [...functions.keys()]
    .filter(name => name.startsWith('Test'))
    .flatMap(name => new TestReader(functions, name).read())
    .filter(({ files }) => ![...files.keys()].some(file => file.split('/').includes('..')));
}

/** Bodies by name, with the file's string constants in place of their names. */
function readFunctions(source: string): Map<string, string> {
  const constants = [...source.matchAll(/(\w+)\s*:?=\s*(`[^`]*`)/g)];
  const functions = new Map<string, string>();
  for (const [, name = '', written = ''] of source.matchAll(/^func (?:\([^)]*\) )?(\w+)\([^{]*\{\n([\s\S]*?)^\}/gm)) {
    const body = constants.reduce((text, [, constant = '', value = '']) => text.replaceAll(`, ${constant})`, () => `, ${value})`), written);
    functions.set(name, body);
  }
  return functions;
}

const statement =
  /\bth?\.Write([KCF])\(\s*(?:"([^"]*)"|filepath\.Join\(([^)]*)\)),\s*(?:`([^`]*)`|("(?:[^"\\]|\\.)*"))\s*\)|\bth\.Run(?:WithErr)?\(\s*"([^"]*)"|\b(\w+)\((?:th|t, th)\b/g;
const heads: Readonly<Record<string, string>> = {
  K: '\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
  C: '\napiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n',
};
const maxDepth = 3;

/** Follows the statements of one test that write files, and of the functions it calls. */
class TestReader {
  private readonly functions: ReadonlyMap<string, string>;
  private readonly name: string;
  private readonly files = new Map<string, Uint8Array>();
  private readonly cases: OverlayCase[] = [];

  constructor(functions: ReadonlyMap<string, string>, name: string) {
    this.functions = functions;
    this.name = name;
  }

  read(): OverlayCase[] {
    this.follow(this.functions.get(this.name) ?? '', 0);
    return this.cases;
  }

  private follow(body: string, depth: number): void {
    for (const [, kind, plain, joined = '', raw, quoted, folder, called = ''] of body.matchAll(statement)) {
      if (kind !== undefined) {
        const place = plain ?? joined.replaceAll(/[" ]/g, '').replaceAll(',', '/');
        const file = path.posix.join(place, kind === 'F' ? '' : 'kustomization.yaml').replace(/^\/+/, '');
        this.files.set(file, Buffer.from((heads[kind] ?? '') + (raw ?? (JSON.parse(quoted ?? '""') as string))));
      } else if (folder !== undefined) {
        const name = `upstream: ${this.name} ${this.cases.length}`;
        this.cases.push({ name, folder: folder.replace(/^\/+/, '') || '.', files: new Map(this.files) });
      } else if (depth < maxDepth && !called.startsWith('Test')) this.follow(this.functions.get(called) ?? '', depth + 1);
    }
  }
}
