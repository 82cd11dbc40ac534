import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { CommandError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { wantedObjects, type FileOptions } from './file-arguments.ts';
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
  await assert.rejects(read({ filename: [file], selector: 'a=b' }), CommandError);
  await assert.rejects(read({ filename: [], recursive: true }), CommandError);
  await assert.rejects(read({ filename: [file], namespace: 'two' }), /You must pass '--namespace=one'/);
  assert.equal((await named({ filename: [file], namespace: 'one' })).length, 2);
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
