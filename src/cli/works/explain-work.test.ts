import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { Work, workReasons } from '../../api/work.ts';
import { explainWork } from './explain-work.ts';
import { printExplanation } from './print-explanation.ts';

type Status = NonNullable<Work['status']>;

const now = new Date('2026-05-01T12:00:00Z');
const release = { name: 'web', namespace: 'shop' };
const chart = { name: 'web', version: '1.4.2', repository: 'hub' };

function workOf(name: string, spec: Partial<Work['spec']> = {}, status?: Status, created = '2026-05-01T11:00:00Z'): Work {
  const metadata = { name, namespace: 'c-m-12345678', uid: `uid-${name}`, creationTimestamp: created, generation: 1 };
  const work = newObject(Work, metadata, { release, ...('manifests' in spec ? {} : { chart }), ...spec });
  return status ? { ...work, status: { observedGeneration: 1, ...status } } : work;
}

function ready(reason: string, message: string, status: 'True' | 'False' = 'False'): Pick<Status, 'conditions'> {
  return { conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime: '2026-05-01T11:30:00Z' }] };
}

const told = (work: Work, works: readonly Work[] = [work]) => printExplanation(explainWork({ work, cluster: 'east', works, now }), now);

const flat = (text: string) => text.replaceAll(/\s+/g, ' ');

const web = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };

test('a Work that is well says what it delivers, to where, and since when', () => {
  const text = told(
    workOf(
      'web',
      {},
      {
        ...ready(workReasons.healthy, 'All is well', 'True'),
        delivered: { inputs: 'x', revision: 3, state: 'Deployed', chart: 'web-1.4.2', appVersion: '2.0', at: '2026-05-01T11:55:00Z' },
        healthy: '2/2',
        objects: [
          { ...web, health: 'Current' },
          { group: '', version: 'v1', kind: 'Namespace', name: 'shop', health: 'Current' },
        ],
      },
    ),
  );
  assert.equal(
    text,
    `Work "web" delivers chart "web" 1.4.2 from the hub's chart store to cluster
"east", as release "web" in namespace "shop".

It is ready: chart web-1.4.2 is deployed, since 5m, and 2 of 2 objects are
healthy.

  Chart       web-1.4.2, app version 2.0
  Delivery    Deployed, revision 3, begun 5m ago
  Priority    100
  Sync        Continuous
  Namespace   c-m-12345678

Objects, 2 of 2 healthy:
  Current      Deployment shop/web
  Current      Namespace shop

Claims on release "shop/web", the highest first:
  web   priority 100   since 60m   has the release (this one)
If work "web" left, the release would be uninstalled: there is no other claim on
it.
`,
  );
});

test('who outranks it, with which priority, and who would come next', () => {
  const loser = workOf('web', {}, { ...ready(workReasons.outranked, 'Outranked'), outrankedBy: { work: 'base', priority: 200 } });
  const works = [loser, workOf('base', { priority: 200 }), workOf('older', {}, undefined, '2026-05-01T10:00:00Z')];
  const text = told(loser, works);
  assert.match(flat(text), /outranked, which is no failure: work "base" has the release with priority 200, this one has 100/);
  assert.match(text, /base +priority 200.+has the release\n +older +priority 100.+waits\n +web +priority 100.+waits \(this one\)\n/);
  assert.match(text, /If work "base" left, work "older" would take the release over in place/);
});

test('the last claim may keep what it delivered', () => {
  assert.match(flat(told(workOf('web', { onDelete: 'Keep' }))), /stay on the cluster as it is, since its spec.onDelete is Keep/);
});

test('drift names the field, both values and who changed it', () => {
  const drift = [
    { ...web, path: '.spec.replicas', manager: 'kubectl-scale', want: 2, have: 5 },
    { ...web, path: '.spec.paused', want: false },
    { ...web, name: 'gone', path: '' },
  ];
  const text = told(workOf('web', { sync: 'CorrectDrift' }, { ...ready(workReasons.drifted, 'Drifted'), drift }));
  assert.match(text, /Drift, 3 fields are not as delivered, and are changed back:/);
  assert.match(text, /Deployment shop\/web \.spec\.replicas\n {4}delivered was 2, it is 5, by manager "kubectl-scale"\n/);
  assert.match(text, /\.spec\.paused\n {4}delivered was false, it is gone\n/);
  assert.match(text, /Deployment shop\/gone\n {4}the object is gone\n/);
});

test('what it waits for is told with why', () => {
  const db = workOf('db', { release: { name: 'db', namespace: 'shop' } }, ready(workReasons.unhealthy, 'StatefulSet shop/db is not ready'));
  const text = told(workOf('web', { after: ['db', 'nobody'] }, ready(workReasons.waitingForWorks, 'Waits for "db"')), [db]);
  assert.match(text, /work "db", which is not ready: StatefulSet shop\/db is not ready\n/);
  assert.match(text, /work "nobody", which does not exist\n/);
});

test('the next try is told, and that there is none', () => {
  const failed: Status = { ...ready(workReasons.applyFailed, 'quota exceeded'), failures: 3, nextTry: '2026-05-01T12:00:35Z' };
  assert.match(told(workOf('web', {}, failed)), /It failed 3 times in a row; the next try is in 35s \(2026-05-01T12:00:35Z\)/);
  const stalled = { type: 'Stalled', status: 'True', reason: 'RenderFailed', message: 'x', lastTransitionTime: '' } as const;
  const conditions = [...(failed.conditions ?? []), stalled];
  assert.match(told(workOf('web', {}, { ...failed, conditions })), /It is not tried again before something changes/);
  const missing = { ...stalled, reason: workReasons.sourceFailed };
  assert.match(told(workOf('web', {}, { ...failed, conditions: [...(failed.conditions ?? []), missing] })), /the next try is in 35s/);
});

test('a Work that nobody has looked at says so, and so does one that has changed since', () => {
  assert.match(told(workOf('web')), /Nobody has looked at it yet/);
  const work = workOf('web', {}, ready(workReasons.healthy, '', 'True'));
  assert.match(flat(told({ ...work, metadata: { ...work.metadata, generation: 2 } })), /its newest change has not been looked at yet/);
});

test('many healthy objects are counted, those that are not are shown first', () => {
  const objects = Array.from({ length: 30 }, (_, i) => ({ ...web, name: `web-${i}`, health: 'Current' as const }));
  const sick = { ...web, name: 'sick', health: 'InProgress' as const, message: '1 of 2 replicas are available' };
  const outranked = { ...web, name: 'theirs', health: 'Current' as const, outrankedBy: 'base' };
  const text = told(workOf('web', { manifests: [] }, { ...ready(workReasons.progressing, 'x'), objects: [...objects, sick, outranked] }));
  assert.match(text, /Objects:\n {2}InProgress {3}Deployment shop\/sick\n {15}1 of 2 replicas are available\n/);
  assert.match(text, /Deployment shop\/theirs\n {15}delivered by work "base" instead/);
  assert.match(text, /and 10 more that are Current\n/);
  assert.doesNotMatch(text, /Claims/);
});

test('what others wrote cannot command the terminal, and lines fit 80 columns', () => {
  const evil = 'quota \u001b[31mexceeded\u0007\u009b2J\u202e in a long message that goes on and on until it does not fit any more';
  const text = told(
    workOf(
      'web',
      {},
      {
        ...ready(workReasons.applyFailed, evil),
        objects: [{ ...web, health: 'Failed', message: evil }],
        delivered: { inputs: 'x', state: 'Failed', at: '2026-05-01T11:55:00Z', notes: `one\n\u001b]0;title\u0007\ntwo` },
      },
    ),
  );
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.match(text, /\\u001b\[31mexceeded/);
  assert.ok(text.split('\n').every(line => line.length <= 80));
});

test('programs get everything, with the credentials of addresses left out', () => {
  const repository = 'https://user:secret@charts.example.com/stable';
  const explanation = explainWork({ work: workOf('web', { chart: { ...chart, repository } }), cluster: undefined, works: [], now });
  assert.equal(explanation.cluster, null);
  assert.equal(explanation.source, 'chart "web" 1.4.2 from https://charts.example.com/stable');
  assert.deepEqual(JSON.parse(JSON.stringify(explanation)), explanation);
});
