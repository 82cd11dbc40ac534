import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { errorText } from '../../util/error-text.ts';
import { CommandError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { wantedObjects } from './file-arguments.ts';
import type { FileOptions } from './given-objects.ts';
import { resolveRequests, UnknownTypeError } from './resource-arguments.ts';

const terminal: Terminal = {
  env: {},
  signal: new AbortController().signal,
  isInterrupted: false,
  isErrorTty: false,
  out: () => {},
  err: () => {},
};

const manifest = (name: string, more = '') => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}${more} }\n`;

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'drover-files-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'deep'));
  writeFileSync(join(dir, 'b.yaml'), `${manifest('b', ', namespace: one')}---\n${manifest('c')}`);
  writeFileSync(
    join(dir, 'a.json'),
    '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"}}]}',
  );
  writeFileSync(join(dir, 'notes.txt'), manifest('unseen'));
  writeFileSync(join(dir, 'deep/d.yml'), manifest('d'));
  return dir;
}

const read = (options: FileOptions & { namespace?: string; selector?: string }, words: string[] = []) =>
  wantedObjects(words, options, { verb: 'get', terminal });

async function named(options: FileOptions & { namespace?: string }) {
  const wanted = await read(options);
  assert.ok(wanted.by === 'name');
  return wanted.pairs.map(({ type, name, namespace = '' }) => `${type} ${namespace}/${name}`);
}

test('folders are read by the endings of their files, in order; what is named is read whatever it is called', async t => {
  const dir = folder(t);
  const own = ['Deployment.v1.apps /a', 'ConfigMap.v1. one/b', 'ConfigMap.v1. /c'];
  assert.deepEqual(await named({ filename: [dir] }), own);
  assert.deepEqual(await named({ filename: [dir], recursive: true }), [...own, 'ConfigMap.v1. /d']);
  assert.deepEqual(await named({ filename: [join(dir, 'notes.txt'), join(dir, 'deep')] }), ['ConfigMap.v1. /unseen', 'ConfigMap.v1. /d']);
});

test('one object of one file is an object, anything else a list', async t => {
  const dir = folder(t);
  const isList = async (...filename: string[]) => {
    const wanted = await read({ filename });
    return wanted.by === 'name' && wanted.isList;
  };
  assert.equal(await isList(join(dir, 'notes.txt')), false);
  assert.equal(await isList(join(dir, 'notes.txt'), join(dir, 'deep')), true);
});

test('addresses are followed, and what is not there is told', async t => {
  const server = createServer((req, res) => {
    if (req.url === '/moved') res.writeHead(302, { location: '/m.yaml?x=1' }).end();
    else if (req.url === '/m.yaml?x=1') res.end(manifest('far'));
    else if (req.url === '/round') res.writeHead(302, { location: '/round' }).end();
    else if (req.url === '/away') res.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else res.writeHead(404).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  assert.deepEqual(await named({ filename: [`${url}/moved`] }), ['ConfigMap.v1. /far']);
  await assert.rejects(read({ filename: [`${url}/nothing`] }), /unable to read URL ".*", server reported 404/);
  await assert.rejects(read({ filename: [`${url}/round`] }), /more than 10 times/);
  await assert.rejects(read({ filename: [`${url}/away`] }), /leads away from the web/);
});

test('what makes no sense is refused in kubectl’s words', async t => {
  const dir = folder(t);
  const file = join(dir, 'b.yaml');
  writeFileSync(join(dir, 'bad'), 'not: [yaml');
  mkdirSync(join(dir, 'empty'));
  await assert.rejects(read({ filename: [join(dir, 'none.yaml')] }), /the path ".*none.yaml" does not exist/);
  await assert.rejects(read({ filename: [join(dir, 'empty')] }), /recognized file extensions are \[\.json \.yaml \.yml\]/);
  await assert.rejects(read({ filename: [join(dir, 'bad')] }), /error parsing .*bad/);
  await assert.rejects(read({ filename: [file] }, ['pods']), /you may not specify resource arguments as well/);
  await assert.rejects(read({ filename: [file], selector: 'a b' }), /cannot read selector "a b"/);
  await assert.rejects(read({ filename: [file], kustomize: dir }), /only one of -f or -k can be specified/);
  await assert.rejects(read({ filename: [], kustomize: dir, recursive: true }), /the -k flag can't be used with -f or -R/);
  await assert.rejects(read({ filename: [], recursive: true }), CommandError);
  await assert.rejects(read({ filename: [file], namespace: 'two' }), /You must pass '--namespace=one'/);
  assert.equal((await named({ filename: [file], namespace: 'one' })).length, 2);
});

test('a kustomization is built from the files that it names, of folders beside it too', async t => {
  const dir = folder(t);
  writeFileSync(join(dir, 'deep/kustomization.yaml'), 'resources: [d.yml]\n');
  mkdirSync(join(dir, 'over'));
  const write = (text: string) => writeFileSync(join(dir, 'over/kustomization.yaml'), text);
  write('resources: [../deep]\nnamePrefix: far-\nnamespace: one\n');
  assert.deepEqual(await named({ filename: [], kustomize: join(dir, 'over') }), ['ConfigMap.v1. one/far-d']);
  write('resources: [../b.yaml]\n');
  await assert.rejects(read({ filename: [], kustomize: join(dir, 'over') }), fails(/security; file '.*b\.yaml' is not in or below/));
  symlinkSync('../b.yaml', join(dir, 'over/link.yaml'));
  write('resources: [link.yaml]\n');
  await assert.rejects(read({ filename: [], kustomize: join(dir, 'over') }), fails(/security; file '.*b\.yaml' is not in or below/));
  write('resources: [https://127.0.0.1:1/x.yaml]\n');
  await assert.rejects(read({ filename: [], kustomize: join(dir, 'over') }), fails(/remote resource .* is refused/));
  await assert.rejects(
    read({ filename: [], kustomize: join(dir, 'none') }),
    fails(/not a valid directory: evalsymlink failure on '(.*none)' : lstat \1: no/),
  );
  await assert.rejects(read({ filename: [], kustomize: dir }), fails(/unable to find one of 'kustomization.yaml'/));
});

/** In the chain of what went wrong. */
const fails = (words: RegExp) => (error: unknown) => {
  assert.match(errorText(error), words);
  return true;
};

test('labels choose: for describe those in the file, for get and wait those that objects have', async t => {
  const file = join(folder(t), 'b.yaml');
  writeFileSync(file, `${manifest('b', ', labels: { app: one }')}---\n${manifest('c')}`);
  const chosen = async (verb: 'get' | 'describe') => {
    const wanted = await wantedObjects([], { filename: [file], selector: 'app=one' }, { verb, terminal });
    assert.ok(wanted.by === 'name');
    return { names: wanted.pairs.map(({ name }) => name), matches: wanted.matches };
  };
  assert.deepEqual(await chosen('describe'), { names: ['b'], matches: undefined });
  const { names, matches } = await chosen('get');
  assert.deepEqual(names, ['b', 'c']);
  assert.deepEqual([matches?.({ app: 'one' }), matches?.({}), matches?.(undefined)], [true, false, false]);
});

test('a kind that the server does not have is told with its file', async t => {
  const wanted = await read({ filename: [join(folder(t), 'b.yaml')] });
  assert.throws(
    () => resolveRequests([], wanted),
    (error: unknown) => {
      assert.ok(error instanceof UnknownTypeError);
      assert.match(error.message, /^no matches for kind "ConfigMap" in version "v1" from ".*b.yaml"$/);
      return true;
    },
  );
});
