import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { whyNotConfined, type ConfineInput } from './confine-chart.ts';
import type { ClusterTemplate } from './kinds/template.ts';

const template = (namespace: string, digest: string, valid = true) =>
  ({ metadata: { namespace, name: 't', annotations: { 'drover.io/content': digest } }, status: { valid } }) as unknown as ClusterTemplate;
const object = (kind: string, namespace?: string) =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'x', ...(namespace && { namespace }) } }) as KubeObject;
const why = (more: Partial<ConfineInput>) =>
  whyNotConfined({
    namespace: 'team',
    digest: 'd',
    templates: [template('kcm-system', 'd')],
    objects: [object('Cluster', 'team')],
    hasDefinitions: false,
    ...more,
  });

test('a tenant may use charts of the system namespace that stay in his own', () => {
  assert.equal(why({}), undefined);
  assert.match(
    why({ objects: [object('Cluster', 'team'), object('Secret', 'kcm-system')] })!,
    /must stay in it, and makes Secret kcm-system\/x/,
  );
  assert.match(why({ objects: [object('ClusterRoleBinding')] })!, /makes ClusterRoleBinding x/);
  assert.match(why({ hasDefinitions: true })!, /kinds of its own/);
});

test('a chart that the system namespace does not have, or not as a valid template, is refused', () => {
  assert.match(why({ templates: [template('team', 'd')] })!, /no ClusterTemplate in namespace "kcm-system" has this chart/);
  assert.match(why({ templates: [template('kcm-system', 'd', false)] })!, /no ClusterTemplate/);
  assert.match(why({ templates: [template('kcm-system', 'e')] })!, /no ClusterTemplate/);
});

test('whoever may write in the system namespace may do everything', () => {
  assert.equal(why({ namespace: 'kcm-system', templates: [], objects: [object('ClusterRoleBinding')] }), undefined);
});
