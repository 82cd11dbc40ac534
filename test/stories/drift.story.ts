import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { DriftedField, Work } from '../../src/api/work.ts';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const patient = { timeoutMs: 60_000 };

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { team: 'a', tier: 'web' } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1', resources: { limits: { cpu: '1000m' } }, ports: [{ containerPort: 80 }] }] },
    },
  },
};
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace: 'default' }, stringData: { key: 'sesame' } };
const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'default' },
  spec: { minReplicas: 1, maxReplicas: 9, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
};

for (const kind of hubKindsByTime)
  describe(`drift, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('drift');
    let etcd: Etcd;
    let member: RealCluster;
    let hub: EitherHub;
    let kubectl: CommandLine;

    before(async () => {
      etcd = await startEtcd();
      member = await startRealMember(etcd);
      hub = await startEitherHub(kind, etcd, ['--sandbox', '1']);
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      await eventually(() => kubectl.expect('get clusters.drover.io sandbox-1'), Boolean, patient);
      const drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      await drover.expect(`join east --kubeconfig ${member.kubeconfig}`, { says: 'joined' });
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await member?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    for (const cluster of ['east', 'sandbox-1'])
      describe(`on ${cluster === 'east' ? 'a real cluster' : 'a sandbox cluster'}`, () => {
        let ns: string;
        let onMember: CommandLine;

        before(async () => {
          const idOf = () => kubectl.expect(`get clusters.drover.io ${cluster} -o jsonpath={.status.id}`);
          ns = await eventually(idOf, Boolean, patient);
          await kubectl.expect(`wait clusters.drover.io ${cluster} --for=condition=Ready --timeout=60s`);
          onMember = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig(cluster), dir: scratch.dir });
        });

        const apply = (obj: object) => {
          const file = path.join(scratch.dir, 'object.json');
          writeFileSync(file, JSON.stringify(obj));
          return kubectl.expect(`apply -f ${file}`);
        };
        const work = (more: object) => ({
          apiVersion: 'drover.io/v1alpha1',
          kind: 'Work',
          metadata: { name: 'web', namespace: ns },
          spec: { release: { name: 'web', namespace: 'default' }, manifests: [deployment, secret], options: { wait: false }, ...more },
        });
        const read = async () => JSON.parse(await kubectl.expect(`get works.drover.io web -n ${ns} -o json`)) as Work;
        const drift = async () => (await read()).status?.drift ?? [];
        const condition = async (type: string) => (await read()).status?.conditions?.find(one => one.type === type);
        const applied = () =>
          eventually(
            read,
            ({ metadata, status }) =>
              status?.conditions?.some(
                one => one.type === 'Applied' && one.status === 'True' && one.observedGeneration === metadata.generation,
              ) === true,
            {
              ...patient,
              what: 'delivery',
            },
          );
        /** As an editor does it, with the object as it is there. */
        const edit = (what: string, script: string) =>
          onMember.expect(`edit ${what} -n default`, { env: { KUBE_EDITOR: `sed -i -e ${script}` } });
        const summary = (fields: readonly DriftedField[]) =>
          fields.map(({ kind: of, name, path: field, manager, want, have }) => [`${of} ${name}${field}`, manager, want, have]);

        test('an edit on the member shows which field, by whom, and both values', async () => {
          await apply(work({ sync: 'DetectDrift' }));
          await applied();
          await edit('deployment web', "'s/image: nginx:1/image: nginx:2/'");
          const fields = await eventually(drift, found => found.length > 0, patient);
          assert.deepEqual(summary(fields), [
            ['Deployment web.spec.template.spec.containers[name=web].image', 'kubectl-edit', 'nginx:1', 'nginx:2'],
          ]);
          const drifted = await eventually(() => condition('Drifted'), Boolean, patient);
          assert.equal(drifted!.status, 'True');
          assert.match(drifted!.message, /containers\[name=web\]\.image.*kubectl-edit/);
          assert.equal(await onMember.expect("get deployment web -o jsonpath='{..image}'"), 'nginx:2');
        });

        test('values of Secrets are not told', async () => {
          await onMember.expect(`patch secret keys -p '{"stringData":{"key":"open"}}'`);
          const fields = await eventually(drift, found => found.length > 1, patient);
          assert.deepEqual(summary(fields)[1], ['Secret keys.data.key', 'kubectl-patch', '***', '***']);
          assert.doesNotMatch(JSON.stringify(await read()), /b3Blbg|open/);
        });

        test('drift is put right when asked, and what is beside stays', async () => {
          await onMember.expect('annotate deployment web note=hello');
          await apply(work({ sync: 'CorrectDrift' }));
          await eventually(
            () => onMember.expect("get deployment web -o jsonpath='{..image}'"),
            image => image === 'nginx:1',
            patient,
          );
          await eventually(drift, found => found.length === 0, patient);
          await edit('deployment web', "'s/image: nginx:1/image: nginx:3/'");
          await eventually(
            () => onMember.expect("get deployment web -o jsonpath='{..image}'"),
            image => image === 'nginx:1',
            patient,
          );
          await onMember.expect('delete secret keys');
          await eventually(
            () => onMember.run('get secret keys'),
            ({ code }) => code === 0,
            patient,
          );
          assert.equal(await onMember.expect("get deployment web -o jsonpath='{.metadata.annotations.note}'"), 'hello');
          await eventually(
            () => condition('Drifted'),
            found => found === undefined,
            patient,
          );
        });

        test('replicas of an autoscaler and excluded paths are left alone', async () => {
          const file = path.join(scratch.dir, 'autoscaler.json');
          writeFileSync(file, JSON.stringify(autoscaler));
          await onMember.expect(`create -f ${file}`);
          const driftExclusions = [{ target: { kind: 'Deployment', name: 'w.b' }, paths: ['/metadata/labels/team'] }];
          await apply(work({ sync: 'CorrectDrift', driftExclusions }));
          await applied();
          await onMember.expect('scale deployment web --replicas=7');
          await onMember.expect('label deployment web team=b tier=other --overwrite');
          const labels = () =>
            onMember.expect("get deployment web -o jsonpath='{.metadata.labels.team} {.metadata.labels.tier} {.spec.replicas}'");
          await eventually(labels, found => found === 'b web 7', patient);
          await eventually(drift, found => found.length === 0, patient);

          // A new delivery leaves them alone too.
          const { spec } = deployment;
          const manifests = [{ ...deployment, spec: { ...spec, minReadySeconds: 1 } }, secret];
          await apply(work({ sync: 'CorrectDrift', driftExclusions, manifests }));
          await applied();
          assert.equal(await labels(), 'b web 7');
          assert.equal(await onMember.expect("get deployment web -o jsonpath='{.spec.minReadySeconds}'"), '1');
          await onMember.expect(`delete -f ${file}`);
        });
      });
  });
